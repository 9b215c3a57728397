// A drawing of what stands on what: boxes in layers, lines between them, and the same as a list.

import { h, svg } from "../core/dom.js";
import { plain } from "../core/format.js";
import { BOX, arrange } from "./graph_layout.js";
import { visible } from "./said.js";

const ZOOM = { least: 0.25, most: 2, step: 1.25, readable: 0.75 };

/** Draw a graph. `nodes` are `{id, words, depth, tone, title, note}`: what is above has a lower depth, `words` are
 *  somebody's text, `note` is ours, in one line. `edges` are `{source, target, type, tone}`, from the box that names
 *  another to the one it names. Tones: plain, here, good, warn, bad, weak. `onopen(id)` is called for a click or
 *  Enter. The element has `select(id)`, which marks a box as the one that is open. */
export function graph({ label, nodes, edges, onopen = () => {} }) {
  const known = new Set(nodes.map(({ id }) => id));
  const lines = edges.filter(({ source, target }) => known.has(source) && known.has(target));
  const layout = arrange(nodes, lines);
  const boxes = new Map(nodes.map((node) => [node.id, box(node, layout.at.get(node.id), onopen)]));
  const plane = h("div.graph-plane", null, drawn(lines, layout), nodes.map(({ id }) => boxes.get(id)));
  const view = h("div.graph-view", { role: "group", "aria-label": label }, plane);
  const scale = scaled(view, layout, boxes.get(nodes.find(({ depth }) => depth === 0)?.id));
  const element = h("div.graph", null, tools(scale), view, listed(label, nodes, lines, onopen));
  rove(view, boxes, lines, layout, scale);
  dragged(view);
  element.select = (id) => {
    for (const [one, node] of boxes) one === id ? node.setAttribute("aria-current", "true") : node.removeAttribute("aria-current");
  };
  return element;
}

function box(node, place, onopen) {
  const element = h("button.graph-box", { type: "button", tabindex: "-1", class: `tone-${node.tone ?? "plain"}`, "data-id": node.id, title: node.title, onclick: () => onopen(node.id) },
    h("bdi.graph-words", null, visible(node.words)), node.note ? h("span.graph-note", null, node.note) : null);
  element.style.setProperty("--x", `${place.x}px`);
  element.style.setProperty("--y", `${place.y}px`);
  return element;
}

function drawn(edges, { at, width, height }) {
  return svg("svg.graph-lines", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" },
    edges.map((edge) => line(edge, at.get(edge.source), at.get(edge.target))));
}

function line({ type, tone = "plain" }, from, to) {
  const up = to.row < from.row;
  const level = to.row === from.row;
  const start = [from.x + BOX.width / 2, up || level ? from.y : from.y + BOX.height];
  const end = [to.x + BOX.width / 2, up ? to.y + BOX.height : to.y];
  const bend = level ? -BOX.down * 0.7 : (end[1] - start[1]) / 2;
  const tip = up ? 8 : -8;
  const path = `M${start} C${start[0]},${start[1] + bend} ${end[0]},${level ? end[1] + bend : end[1] - bend} ${end[0]},${end[1] + tip}`;
  const arrow = `M${end} l-4.5,${tip} h9 z`;
  const middle = [(start[0] + end[0]) / 2, level ? start[1] + bend * 0.8 : (start[1] + end[1]) / 2];
  const told = type === "derived_from" ? null : svg("text", { x: middle[0], y: middle[1], "text-anchor": "middle" }, plain(type));
  return svg("g", { class: `tone-${tone}` }, svg("path.graph-line", { d: path }), svg("path.graph-tip", { d: arrow }), told);
}

/** How large it is drawn. The first time it is seen it is fitted, unless that would make it too small to read. */
function scaled(view, { width, height }, here) {
  let zoom = 1;
  const set = (wanted) => {
    const before = zoom;
    const middle = [view.scrollLeft + view.clientWidth / 2, view.scrollTop + view.clientHeight / 2];
    zoom = Math.min(ZOOM.most, Math.max(ZOOM.least, wanted));
    for (const [name, value] of [["--zoom", zoom], ["--wide", `${width}px`], ["--high", `${height}px`]]) view.style.setProperty(name, value);
    view.scrollTo(middle[0] * zoom / before - view.clientWidth / 2, middle[1] * zoom / before - view.clientHeight / 2);
  };
  const fitting = () => Math.min(1, (view.clientWidth - 2) / width, (view.clientHeight - 2) / height);
  const centre = () => {
    if (!here) return;
    view.scrollTo(zoom * (here.offsetLeft + BOX.width / 2) - view.clientWidth / 2, zoom * (here.offsetTop + BOX.height / 2) - view.clientHeight / 2);
  };
  set(1);
  const seen = new ResizeObserver(() => {
    if (!view.clientWidth) return;
    seen.disconnect();
    set(Math.max(fitting(), ZOOM.readable));
    centre();
  });
  seen.observe(view);
  return { larger: () => set(zoom * ZOOM.step), smaller: () => set(zoom / ZOOM.step), fit: () => set(fitting()), whole: () => (set(1), centre()) };
}

function tools({ larger, smaller, fit, whole }) {
  const press = (words, act, name) => h("button", { type: "button", onclick: act, "aria-label": name, title: name }, words);
  return h("div.actions.graph-tools", null, press("−", smaller, "Smaller"), press("+", larger, "Larger"), press("Fit", fit, "Fit all into the view"), press("1:1", whole, "Full size, this record in the middle"));
}

/** One box at a time is reached by Tab; arrows go along the lines, those drawn as weak before others,
 *  and along the layers; the other keys change the size. */
function rove(view, boxes, edges, layout, scale) {
  let present = [...boxes].find(([, element]) => element.classList.contains("tone-here"))?.[0] ?? boxes.keys().next().value;
  const mark = (id) => {
    for (const [one, element] of boxes) element.tabIndex = one === id ? 0 : -1;
    present = id;
  };
  const around = () => edges.flatMap(({ source, target, tone }) => (source === present ? [[target, tone]] : target === present ? [[source, tone]] : []));
  const far = ([id, tone]) => (tone === "weak" ? -1 : Math.abs(layout.at.get(id).x - layout.at.get(present).x));
  const beside = (step) => {
    const { row, column } = layout.at.get(present);
    return layout.rows[row][column + step];
  };
  const beyond = (way) => around().filter(([id]) => Math.sign(layout.at.get(id).row - layout.at.get(present).row) === way).sort((a, b) => far(a) - far(b))[0]?.[0];
  const moves = { ArrowUp: () => beyond(-1), ArrowDown: () => beyond(1), ArrowLeft: () => beside(-1), ArrowRight: () => beside(1) };
  const sizes = { "+": scale.larger, "=": scale.larger, "-": scale.smaller, 0: scale.fit, 1: scale.whole };
  view.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey && moves[event.key]) return;
    if (!moves[event.key] && !sizes[event.key]) return;
    event.preventDefault();
    if (sizes[event.key]) return sizes[event.key]();
    const next = moves[event.key]();
    return next && boxes.get(next).focus();
  });
  view.addEventListener("focusin", (event) => event.target.dataset.id && mark(event.target.dataset.id));
  view.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    event.deltaY < 0 ? scale.larger() : scale.smaller();
  }, { passive: false });
  if (present) mark(present);
}

/** The ground is drawn along with the mouse; fingers scroll it anyway. */
function dragged(view) {
  let from = null;
  view.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0 || event.target.closest("button")) return;
    from = [event.clientX + view.scrollLeft, event.clientY + view.scrollTop];
    view.setPointerCapture(event.pointerId);
  });
  view.addEventListener("pointermove", (event) => from && view.scrollTo(from[0] - event.clientX, from[1] - event.clientY));
  for (const end of ["pointerup", "pointercancel"]) view.addEventListener(end, () => (from = null));
}

function listed(label, nodes, edges, onopen) {
  const words = new Map(nodes.map((node) => [node.id, node.words]));
  const names = ({ id }) => edges.filter(({ source }) => source === id)
    .map(({ type, target }) => h("li", null, h("small", null, plain(type)), " ", h("bdi.quoted.graph-brief", null, visible(words.get(target)))));
  const entry = (node) => h("li", { class: `tone-${node.tone ?? "plain"}` },
    h("button.graph-name", { type: "button", onclick: () => onopen(node.id) }, h("bdi.quoted", null, visible(node.words))),
    h("p.graph-note", null, [away(node.depth), node.note].filter(Boolean).join(" · ")), h("ul", null, names(node)));
  return h("details.graph-list", null, h("summary", null, "Show as a list"),
    h("ol", { "aria-label": label }, [...nodes].sort((a, b) => a.depth - b.depth).map(entry)));
}

function away(depth) {
  if (!depth) return "this one";
  return `${Math.abs(depth)} ${Math.abs(depth) === 1 ? "step" : "steps"} ${depth < 0 ? "above" : "below"}`;
}
