// What a record stands on and what stands on it, as a drawing one can walk through.

import { fill, h, speak } from "../../core/dom.js";
import { count, many, plain, share } from "../../core/format.js";
import { recordPlace } from "../../core/router.js";
import { tick } from "../../parts/controls.js";
import { graph } from "../../parts/graph.js";
import { confidence, gate, origin, recordLink, status, who } from "../../parts/marks.js";
import { later, nothing } from "../../parts/notices.js";
import { said } from "../../parts/said.js";
import { GONE, STANDS_ON, weakest } from "./weakest.js";

const DEPTH_FIRST = 3;
const DEPTH_STEP = 3;
const NODES_MOST = 300;
const SUPPORTS = { flagged: "in doubt", fallen: "support fell", deprecated: "support fell" };

/** The tab of lineage. */
export function lineage(about) {
  const asked = { up: true, down: true, all: false, depth: DEPTH_FIRST };
  const place = h("div.record-lineage-drawn", { tabindex: "-1" });
  const depth = h("span.record-depth");
  const look = () => {
    fill(depth, many(asked.depth, "step"), " each way");
    return later(place, () => load(about, asked), (web) => shown(about, asked, web, look), "Following the links …");
  };
  const change = (name) => (event) => {
    asked[name] = event.target.checked;
    look();
  };
  const step = (by) => () => {
    asked.depth = Math.max(1, asked.depth + by);
    look();
  };
  const bar = h("div.actions.record-lineage-asked", null,
    tick("What it stands on", { checked: true, onchange: change("up") }), tick("What stands on it", { checked: true, onchange: change("down") }),
    tick("Links that carry no trust too", { checked: false, onchange: change("all") }),
    h("span.record-steps-asked", null, h("button", { type: "button", "aria-label": "One step less", onclick: step(-1) }, "−"), depth, h("button", { type: "button", "aria-label": "One step more", onclick: step(1) }, "+")));
  look();
  return h("div.record-lineage", null, bar, place);
}

async function load(about, { up, down, all, depth }) {
  if (!up && !down) return { id: about.id, nodes: [], edges: [] };
  const direction = up && down ? "both" : up ? "up" : "down";
  return about.ask("lineage", { direction, depth, types: all ? [] : STANDS_ON, limit: NODES_MOST });
}

function shown(about, asked, web, look) {
  if (web.nodes.length < 2) return alone(asked);
  const link = weakest(web);
  const beside = h("aside.record-beside", { "aria-label": "The box that is open" });
  const drawing = graph({
    label: "Lineage of this record", nodes: web.nodes.map((node) => boxed(node, link)), edges: web.edges.map((edge) => ({ ...edge, tone: toned(edge, web, link) })),
    onopen: (id) => {
      open(id);
      speak("Told beside the drawing.");
    },
  });
  const open = (id) => {
    drawing.select(id);
    fill(beside, card(web.nodes.find((node) => node.id === id), about, link));
  };
  open(link.end?.id ?? about.id);
  return [summary(web, link), h("div.record-web", null, drawing, beside),
    h("p", null, h("small", null, "Press a box to read it beside the drawing. Arrows walk along the lines, + and − change the size, 0 shows all.")), onward(asked, web, look)];
}

function alone({ up, down }) {
  if (!up && !down) return nothing("Nothing is asked for", "Tick what it stands on, what stands on it, or both.");
  return nothing("It stands alone", "It names no record that it stands on, and no record that you may see stands on it. Lineage comes about when a memory is written with what it was derived from: ",
    h("code", null, "muniment remember … --derived-from REC"));
}

function boxed(node, { end, way }) {
  const gone = GONE.has(node.status);
  const marks = [node.id === end?.id ? "weakest link" : null, share(node.effective), node.status === "active" ? null : plain(node.status), node.support === "standing" ? null : SUPPORTS[node.support] ?? node.support];
  const tone = gone ? "bad" : node.depth === 0 ? "here" : way.nodes.has(node.id) ? "weak" : node.support !== "standing" || node.status !== "active" ? "warn" : "plain";
  return { id: node.id, words: node.content, depth: node.depth, tone, note: marks.filter(Boolean).join(" · "), title: `${plain(node.kind)} by ${node.actor}` };
}

function toned(edge, { nodes }, { way }) {
  if (way.edges.has(edge)) return "weak";
  return GONE.has(nodes.find(({ id }) => id === edge.target)?.status) ? "bad" : "plain";
}

function summary({ nodes, more }, { end, further }) {
  const above = nodes.filter(({ depth }) => depth < 0);
  const fallen = above.filter(({ status: state }) => GONE.has(state));
  return h("div.record-lineage-sum", { role: "status" },
    h("p", null, `${more ? "As far as it is drawn, it" : "It"} stands on ${many(above.length, "record")}, ${many(nodes.filter(({ depth }) => depth > 0).length, "stands", "stand")} on it. An arrow leads from a record to what it stands on.`),
    end ? h("p", null, "The weakest link above it is ", recordLink(end.id), GONE.has(end.status) ? `, which was ${plain(end.status)}` : ` at ${share(end.effective)}`, further ? "; what makes it weak lies further up." : ".") : null,
    fallen.length ? h("p", null, `${many(fallen.length, "record", "records")} above it ${fallen.length === 1 ? "has" : "have"} fallen: struck out and drawn with a broken line.`) : null,
    more ? h("p", null, `There are more records within this distance; the nearest ${count(NODES_MOST)} are drawn.`) : null);
}

function onward(asked, { nodes, more }, look) {
  if (more) return null;
  const edge = nodes.some(({ depth }) => Math.abs(depth) >= asked.depth);
  if (!edge) return h("p", null, h("small", null, "That is all of it that you may see."));
  const follow = async () => {
    asked.depth += DEPTH_STEP;
    (await look()).focus();
  };
  return h("p", null, h("button", { type: "button", onclick: follow }, "Follow further"));
}

function card(node, about, { end }) {
  return h("div", null, h("h3", null, node.depth === 0 ? "This record" : plain(node.kind).replace(/^./, (sign) => sign.toUpperCase())),
    said(node.content, { by: node.actor }),
    h("div.row-line", null, status(node.status), gate(node.gate), origin(node.origin), confidence(node.confidence, node.effective), h("span", null, "by ", who(node.actor))),
    node.support === "standing" ? null : h("p", null, `Support: ${plain(node.support)}.`),
    node.id === end?.id ? h("p", null, GONE.has(node.status) ? `It was ${plain(node.status)}, and what stands on it is believed no longer as it was.` : "This is the weakest link: nothing that stands on it is believed further.") : null,
    node.id === about.id ? null : h("p", null, h("a", { href: recordPlace(node.id, { tab: "lineage" }) }, "Open its lineage"), " · ", recordLink(node.id, "Open its page")));
}
