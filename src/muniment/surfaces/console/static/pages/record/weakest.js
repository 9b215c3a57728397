// Which of the records that another stands on bounds how far it is believed. Values in, values out.

export const STANDS_ON = ["derived_from", "parent", "depends_on", "echoes"];
export const GONE = new Set(["retracted", "deprecated", "expired", "erased", "discarded"]);
const LOST = new Set(["fallen", "deprecated"]);
const SAME = 0.0005;

/** Follow the weakest pillar up from the record a lineage was asked for. Gives the `end` (null when nothing above
 *  bounds it), the ids and edges `way` leads over, and whether its cause lies `further` than was asked. */
export function weakest({ id, nodes, edges }) {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const way = { nodes: new Set(), edges: new Set() };
  let here = known.get(id);
  for (;;) {
    const found = here && next(here, known, edges, way.nodes);
    if (!found) break;
    way.nodes.add(found.node.id);
    way.edges.add(found.edge);
    here = found.node;
  }
  const end = way.nodes.size ? here : null;
  const bare = end && !edges.some(({ source, type }) => source === end.id && STANDS_ON.includes(type));
  return { end, way, further: Boolean(bare && !GONE.has(end.status) && (end.confidence - end.effective > SAME || end.support !== "standing")) };
}

function next(here, known, edges, met) {
  const pillars = edges.filter(({ source, type }) => source === here.id && STANDS_ON.includes(type))
    .map((edge) => ({ edge, node: known.get(edge.target) })).filter(({ node }) => node && !met.has(node.id));
  const fallen = pillars.filter(({ node }) => here.support !== "standing" && (GONE.has(node.status) || LOST.has(node.support)));
  const weak = pillars.filter(({ node }) => node.effective <= here.effective + SAME);
  const doubted = pillars.filter(({ node }) => here.support !== "standing" && (node.support !== "standing" || node.status !== "active"));
  const some = [fallen, weak, doubted].find((found) => found.length);
  return some ? best(some) : null;
}

const best = (pillars) => pillars.reduce((lowest, one) => (rank(one.node) < rank(lowest.node) ? one : lowest));
const rank = (node) => (GONE.has(node.status) ? -1 : node.effective);
