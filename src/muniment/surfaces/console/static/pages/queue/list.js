// The list of what waits: a row for each proposal, one of them open, some of them picked.

import { fill, h } from "../../core/dom.js";
import { count, many, plain, shorten } from "../../core/format.js";
import { session } from "../../core/session.js";
import { badge, when, who } from "../../parts/marks.js";
import { button } from "../../parts/controls.js";
import { nothing } from "../../parts/notices.js";
import { quoted } from "../../parts/said.js";
import { desk, idOf } from "./desk.js";
import { NAMES } from "./sending.js";

const SHOWN_MOST = 160;

/** The list as an element with `draw()` and `focus()`, which keep the focus where it was. */
export function list(acts) {
  const head = h("div.queue-head");
  const news = h("div.queue-news");
  const kept = new Map();
  let drawn = null;
  const rows = h("ol.queue-rows", { "aria-label": "Proposals that wait", onkeydown: (event) => step(event, acts) });
  const foot = h("div.queue-foot");
  const element = h("section.queue-list", { "aria-label": "What waits" }, head, news, h("div.queue-scroll", null, rows, foot));
  element.draw = () => {
    const focused = element.contains(document.activeElement) ? document.activeElement.dataset.part ?? null : null;
    const before = drawn;
    drawn = desk.at;
    fill(head, heading(acts));
    fill(news, desk.news.length ? bringing(acts) : null);
    lay(rows, kept, acts);
    fill(foot, desk.next ? h("button", { type: "button", "data-part": "more", onclick: acts.more }, "Show 50 more") : null, desk.rows.length ? null : empty());
    if (focused) element.focus(focused);
    else if (before !== drawn) rows.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  };
  element.focus = (part = "open") => {
    const place = ["open", "pick"].includes(part) ? `[aria-current] [data-part="${part}"]` : `[data-part="${part}"]`;
    (element.querySelector(place) ?? element.querySelector('[aria-current] [data-part="open"]'))?.focus();
  };
  return element;
}

/** Lay the rows out. Those that are as they were stay as they are, so that a long list costs no more than a short one. */
function lay(rows, kept, acts) {
  const lines = desk.rows.map((row) => {
    const id = idOf(row);
    const staged = desk.staged.get(id);
    const look = [id === desk.at, desk.picked.has(id), staged?.what, Boolean(staged?.failed), desk.gone.get(id)].join("\n");
    if (kept.get(id)?.look !== look) kept.set(id, { look, element: line(row, acts) });
    return kept.get(id).element;
  });
  arrange(rows, lines);
  const here = new Set(desk.rows.map(idOf));
  for (const id of [...kept.keys()]) if (!here.has(id)) kept.delete(id);
}

/** Give an element these children, and touch only those that are others than before. */
function arrange(parent, children) {
  let place = parent.firstChild;
  for (const child of children) {
    const next = place?.nextSibling ?? null;
    if (place === child) place = next;
    else if (place?.dataset.id === child.dataset.id) {
      place.replaceWith(child);
      place = next;
    } else parent.insertBefore(child, place);
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

/** Arrow keys go along the list while it has the focus. */
function step(event, acts) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  acts.step(by);
}

function heading(acts) {
  const all = desk.held !== null && desk.held > desk.rows.length ? `${count(desk.rows.length)} of ${count(desk.held)}` : count(desk.rows.length);
  const pickable = desk.rows.filter((row) => !desk.gone.has(idOf(row)) && !desk.staged.has(idOf(row)));
  const every = pickable.length > 0 && pickable.every((row) => desk.picked.has(idOf(row)));
  const box = h("input", { type: "checkbox", checked: every, indeterminate: !every && desk.picked.size > 0, "data-part": "all", onchange: acts.pickAll });
  const gone = desk.gone.size ? h("button.quiet", { type: "button", onclick: acts.putAway }, `Put away ${count(desk.gone.size)} gone`) : null;
  return [pickable.length ? h("label.tick", null, box, "All shown") : null, gone, h("span.queue-count", null, all, " by arrival")];
}

function bringing(acts) {
  return h("button.main", { type: "button", onclick: acts.bring }, many(desk.news.length, "new proposal"));
}

function line(row, acts) {
  const id = idOf(row);
  const here = id === desk.at;
  const { claim } = row.proposal;
  const box = h("input", {
    type: "checkbox", checked: desk.picked.has(id), tabindex: here ? "0" : "-1", "data-part": "pick",
    "aria-label": `Select: ${shorten(claim.content, 60)}`, onchange: () => acts.pick(id),
  });
  const face = h("button.queue-row", { type: "button", tabindex: here ? "0" : "-1", "data-part": "open", onclick: () => acts.open(id) },
    h("span.queue-text", null, quoted(shorten(claim.content, SHOWN_MOST))),
    h("span.row-line", null, who(row.actor), plain(claim.nature.kind), when(row.at), marks(row)));
  const out = desk.staged.has(id) || desk.gone.has(id);
  return h("li", { class: out ? "out" : "", "data-id": id, "aria-current": here ? "true" : null }, out ? h("span.queue-box") : h("label.queue-box", null, box), face);
}

/** At most one mark: what became of it here, or what is odd about it. */
function marks(row) {
  const id = idOf(row);
  const staged = desk.staged.get(id);
  if (staged?.failed) return badge("not done", { tone: "bad" });
  if (staged) return badge(`${NAMES[staged.what].toLowerCase().split(" and ")[0]} staged`, { tone: "good" });
  if (desk.gone.has(id)) return badge("gone", { tone: "plain", title: desk.gone.get(id) });
  const { report } = row;
  if (report.contradicts.length) return badge("disagrees", { tone: "warn", title: "It disagrees with what is here." });
  if (report.duplicate_of || report.echoes.length) return badge("like another", { tone: "warn", title: "Something much like it is here." });
  if (report.steps.some((one) => one.step === "safety_redaction" && one.result !== "passed")) return badge("safety", { tone: "bad", title: "The safety step found something." });
  return null;
}

function empty() {
  if (session.barred("queue")) return nothing("Nothing of yours waits", "When the policy does not let a proposal of yours count at once, it waits here until a person has decided on it.");
  return nothing("Nothing waits",
    "Proposals come here when the policy leaves them to a person, or when something about them is odd: no evidence, a disagreement, an order in disguise. Agents propose by POST /api/proposals, over MCP, or with:",
    h("code", null, "muniment remember \"…\" --kind decision"));
}

/** Actions for everything that is picked. */
export function bulkBar(acts) {
  if (!desk.picked.size) return null;
  return h("div.queue-bulk", { role: "group", "aria-label": "What is selected" },
    h("b", null, `${count(desk.picked.size)} selected`),
    button("Accept …", () => acts.bulk("accept"), { right: "accept" }),
    button("Discard …", () => acts.bulk("discard"), { right: "discard" }),
    button("None", acts.pickNone, { tone: "quiet", title: "Select none" }));
}
