// Where the boxes of a drawing stand: in layers, each ordered by what its boxes are tied to. Numbers in, numbers out.

export const BOX = { width: 208, height: 84, across: 24, down: 64, edge: 24 };
const ABREAST_LEAST = 6;
const SWEEPS = 4;

/** Places for nodes: `{width, height, rows: [[id, …], …], at: Map(id → {x, y, row, column})}`. */
export function arrange(nodes, edges) {
  const layers = layered(nodes);
  const ties = tied(nodes, edges);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) settle(sweep % 2 ? [...layers].reverse() : layers, ties);
  const abreast = Math.max(ABREAST_LEAST, Math.ceil(Math.sqrt(nodes.length)));
  return placed(layers.flatMap((layer) => broken(layer, abreast)));
}

function layered(nodes) {
  const layers = new Map();
  for (const { id, depth } of nodes) layers.set(depth, [...(layers.get(depth) ?? []), id]);
  return [...layers].sort(([a], [b]) => a - b).map(([, layer]) => layer);
}

function tied(nodes, edges) {
  const ties = new Map(nodes.map(({ id }) => [id, []]));
  for (const { source, target } of edges) {
    ties.get(source)?.push(target);
    ties.get(target)?.push(source);
  }
  return ties;
}

/** Order each layer by the mean place of what its boxes are tied to, so that few lines cross. */
function settle(layers, ties) {
  const place = new Map(layers.flatMap((layer) => layer.map((id, number) => [id, (number + 0.5) / layer.length])));
  for (const layer of layers) {
    const wish = new Map(layer.map((id) => [id, mean(ties.get(id).map((other) => place.get(other)), place.get(id))]));
    layer.sort((a, b) => wish.get(a) - wish.get(b));
    layer.forEach((id, number) => place.set(id, (number + 0.5) / layer.length));
  }
}

function mean(numbers, otherwise) {
  const known = numbers.filter((number) => number !== undefined);
  return known.length ? known.reduce((sum, number) => sum + number, 0) / known.length : otherwise;
}

function broken(layer, abreast) {
  const rows = Math.ceil(layer.length / abreast);
  const each = Math.ceil(layer.length / rows);
  return Array.from({ length: rows }, (_, row) => layer.slice(row * each, (row + 1) * each));
}

function placed(rows) {
  const widest = Math.max(1, ...rows.map((row) => row.length));
  const width = widest * (BOX.width + BOX.across) - BOX.across + 2 * BOX.edge;
  const height = rows.length * (BOX.height + BOX.down) - BOX.down + 2 * BOX.edge;
  const at = new Map();
  rows.forEach((ids, row) => {
    const long = ids.length * (BOX.width + BOX.across) - BOX.across;
    ids.forEach((id, column) => {
      const x = (width - long) / 2 + column * (BOX.width + BOX.across);
      at.set(id, { x, y: BOX.edge + row * (BOX.height + BOX.down), row, column });
    });
  });
  return { width, height, rows, at };
}
