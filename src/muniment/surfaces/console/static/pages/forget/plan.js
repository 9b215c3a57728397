// What an erasure would reach, as a tree: what was named, below it what was derived from it, and what becomes of each.

import { get } from "../../core/api.js";
import { fill, h } from "../../core/dom.js";
import { count, many } from "../../core/format.js";
import { badge, recordLink, short, when, who } from "../../parts/marks.js";
import { trouble, waiting } from "../../parts/notices.js";
import { said } from "../../parts/said.js";

const FATES = {
  erased: ["bad", "is erased", "Its content goes, in all its revisions."],
  redacted: ["warn", "loses sentences", "It loses the sentences that say any of it, in a new revision that takes the place of all old ones."],
  reviewed: ["warn", "is kept apart", "It answers nobody until somebody has looked at it."],
  kept: ["plain", "stays", "It is related, and was not derived."],
};
const TRACES = {
  proposals: ["proposal that waits goes", "proposals that wait go"],
  reports: ["report of a decision loses its words", "reports of decisions lose their words"],
  receipts: ["receipt of a question loses its words", "receipts of questions lose their words"],
  notes: ["note loses its words", "notes lose their words"],
  names: ["name that was given goes", "names that were given go"],
};
const OPEN_MOST = 60;
const READ_MOST = 12;
const PAGE = 50;

/** How many records of a plan are changed at all. */
export const reached = (plan) => plan.nodes.filter((node) => node.fate !== "kept").length;

/** Whether there is anything to do. */
export const empty = (plan) => !reached(plan) && !unsure(plan) && !Object.values(plan.traces).some(Boolean);

/** How many records and proposals only may be meant. */
export const unsure = (plan) => plan.nodes.filter((node) => node.certainty === "probable").length + (plan.traces.probable ?? 0);

/** The plan as an element: sums, then the tree. */
export function planTree(plan, signal) {
  const { roots, under } = arranged(plan.nodes);
  const look = { under, open: plan.nodes.length <= OPEN_MOST, read: plan.nodes.length <= READ_MOST, signal };
  return h("div.plan", null, sums(plan), branch(roots, look, "What would go"));
}

/** Every node once below its first parent. What hangs on nothing that is shown stands on the first level, so that none is left out. */
function arranged(nodes) {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const under = new Map(nodes.map((node) => [node.id, []]));
  const roots = [];
  for (const node of nodes) {
    const parent = node.under.find((id) => known.has(id));
    if (parent) under.get(parent).push(node);
    else roots.push(node);
  }
  const seen = new Set();
  const walk = [...roots];
  while (walk.length) {
    const node = walk.pop();
    seen.add(node.id);
    for (const one of under.get(node.id)) walk.push(one);
  }
  return { roots: [...roots, ...nodes.filter((node) => !seen.has(node.id)).map((node) => ({ ...node, loose: true }))], under };
}

function sums(plan) {
  const fates = Object.entries(FATES).map(([fate, [tone, , title]]) => [fate, tone, title, plan.nodes.filter((node) => node.fate === fate).length]);
  const traces = Object.entries(TRACES).filter(([name]) => plan.traces[name]);
  const told = traces.map(([name, [one, more]]) => `${count(plan.traces[name])} ${plan.traces[name] === 1 ? one : more}`);
  return [
    h("p.fates", null, fates.filter(([, , , number]) => number).map(([fate, tone, title, number]) => h("span", null, h("b", null, count(number)), " ", badge(fate, { tone, title })))),
    told.length ? h("p.lead", null, `Besides, ${told.join("; ")}.`) : null,
  ];
}

function branch(nodes, look, label = null) {
  const list = h("ul.tree", label ? { "aria-label": label } : null);
  const more = (from) => {
    list.append(...nodes.slice(from, from + PAGE).map((node) => leaf(node, look)));
    const rest = nodes.length - from - PAGE;
    if (rest <= 0) return;
    const next = h("li", null, h("button", { type: "button", onclick: () => (next.remove(), more(from + PAGE)) }, `Show more (${count(rest)} left)`));
    list.append(next);
  };
  more(0);
  return list;
}

function leaf(node, look) {
  const [tone, words, title] = FATES[node.fate] ?? ["plain", node.fate, null];
  const below = node.loose ? [] : look.under.get(node.id);
  const text = h("div.leaf-text");
  const inner = h("div.leaf-below", { hidden: true });
  const others = node.under.length - 1;
  const read = h("button.quiet", { type: "button", "aria-expanded": "false", "aria-label": `Read ${short(node.id)}`, onclick: () => unfold(read, text, node, look.signal) }, "Read");
  if (look.read) unfold(read, text, node, look.signal);
  return h("li", { "data-node": node.id },
    h("div.leaf", null, toggle(below, inner, look), badge(words, { tone, title }), node.certainty === "probable" ? badge("probable", { tone: "warn", title: "It is not certain that it speaks of this." }) : null, recordLink(node.id), h("small", null, node.why), node.revisions > 1 ? h("small", null, many(node.revisions, "revision")) : null,
      others > 0 ? h("small", null, `also under ${many(others, "other")}`) : null, read),
    text, inner);
}

function toggle(below, inner, look) {
  if (!below.length) return h("span.twig", { "aria-hidden": "true" });
  const turn = (open) => {
    if (open && !inner.firstChild) inner.append(branch(below, look));
    inner.hidden = !open;
    press.setAttribute("aria-expanded", String(open));
    press.firstChild.textContent = open ? "▾" : "▸";
  };
  const press = h("button.quiet.twig", { type: "button", "aria-label": `${many(below.length, "record")} derived from it`, onclick: () => turn(press.getAttribute("aria-expanded") !== "true") }, h("span", { "aria-hidden": "true" }));
  turn(look.open);
  return press;
}

/** What a record says, asked for when somebody wants to see it. */
async function unfold(press, place, node, signal) {
  const open = press.getAttribute("aria-expanded") !== "true";
  press.setAttribute("aria-expanded", String(open));
  press.textContent = open ? "Hide" : "Read";
  if (!open) return fill(place);
  place.setAttribute("aria-busy", "true");
  fill(place, waiting());
  try {
    const { record } = await get(`/api/records/${encodeURIComponent(node.id)}`, {}, { signal });
    fill(place, said(record.claim.content, { by: record.actor, short: true }), h("div.row-line", null, who(record.actor), when(record.created_at)));
  } catch (error) {
    fill(place, error.status === 404 ? h("p.none", null, node.fate === "kept" ? "You may not read it." : "You may not read it; it is reached all the same.") : trouble(error));
  }
  return place.removeAttribute("aria-busy");
}
