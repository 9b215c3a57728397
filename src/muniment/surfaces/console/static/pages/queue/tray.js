// The tray: decisions that are made and not yet sent. Looked at, taken back, previewed, committed.

import { fill, h } from "../../core/dom.js";
import { many, plain } from "../../core/format.js";
import { button } from "../../parts/controls.js";
import { ask } from "../../parts/dialog.js";
import { badge, recordLink } from "../../parts/marks.js";
import { progress, trouble, waiting } from "../../parts/notices.js";
import { quoted } from "../../parts/said.js";
import { fallen } from "./actions.js";
import { desk } from "./desk.js";
import { changes, excerpt, foreseen, meets, NAMES } from "./sending.js";

const SHOWN_MOST = 100;

/** The tray as an element with `draw()`. `acts` are `undo(id)`, `preview()`, `commit()`, `dismiss()`. */
export function tray(acts) {
  const element = h("section.queue-tray", { "aria-label": "Decisions not yet committed", hidden: true });
  let drawn = null;
  const open = h("details", null, h("summary", null), h("ol"));
  element.draw = () => {
    const now = JSON.stringify([[...desk.staged.values()].map((one) => [one.keys.decision, one.failed]), desk.results.map((one) => one.id), desk.sending]);
    if (now === drawn) return;
    drawn = now;
    const [summary, lines] = open.children;
    const bad = [...desk.staged.values()].filter((one) => one.failed).length;
    element.hidden = !desk.staged.size && !desk.results.length && !desk.sending;
    if (bad) open.open = true;
    fill(summary, desk.staged.size ? `${many(desk.staged.size, "decision")}, not yet committed` : "No decisions left to commit");
    fill(lines, [...desk.staged.values()].slice(0, SHOWN_MOST).map((decision) => line(decision, acts)));
    fill(element, desk.sending ? progress(`Committing ${desk.sending.done + 1} of ${desk.sending.all} …`, desk.sending.done, desk.sending.all) : null,
      desk.results.length && !desk.sending ? results(acts) : null,
      desk.staged.size ? h("div.queue-tray-line", null, open, desk.sending ? null : buttons(acts)) : null);
  };
  return element;
}

function buttons(acts) {
  return h("div.actions", null,
    button("Undo last", () => acts.undo(), { key: "u" }),
    button("Preview", acts.preview, { key: "p" }),
    button(`Commit ${desk.staged.size}`, acts.commit, { tone: "main", key: "C" }));
}

function line(decision, acts) {
  const { failed, verdict, id } = decision;
  return h("li", null,
    h("span", null, h("b", null, NAMES[decision.what]), " ", excerpt(decision.row), " ", h("small", null, changes(decision), " – ", quoted(decision.reason))),
    h("button", { type: "button", disabled: Boolean(desk.sending), onclick: () => acts.undo(id) }, verdict ? "Leave it so" : "Undo"),
    failed ? h("div.trouble", null, h("p", null, h("b", null, quoted(failed.message)), " ", failed.code ? h("code", null, failed.code) : null), failed.hint ? h("p", null, failed.hint) : null) : null);
}

/** What was done, with the way to each. */
function results(acts) {
  const lines = desk.results.map((decision) => h("li", null, came(decision), " ", h("small", null, excerpt(decision.row))));
  return h("div.queue-results", { role: "status" },
    h("p", null, h("b", null, `${many(desk.results.length, "decision")} committed`), h("button.quiet", { type: "button", "aria-label": "Put this list away", onclick: acts.dismiss }, "×")),
    h("ul", lines.length > 4 ? { tabindex: "0", "aria-label": "What was done" } : null, lines.slice(0, SHOWN_MOST)));
}

function came(decision) {
  const { verdict } = decision;
  if (!meets(decision, verdict)) return [badge(verdict.outcome), ` under ${plain(verdict.rule)}: `, quoted(verdict.reason)];
  if (decision.what === "discard") return "Discarded";
  const against = decision.others.filter((other) => decision.row.report.contradicts.includes(other.id)).length;
  const open = verdict.conflict_ids.length - against;
  return [verdict.revision > 1 ? "Accepted as a revision of " : "Accepted as ", recordLink(verdict.record_id),
    decision.others.length ? [", deprecated ", decision.others.flatMap((other, at) => [at ? ", " : "", recordLink(other.id)])] : null,
    open > 0 ? [", ", h("a", { href: "#/conflicts" }, many(open, "conflict"), " open")] : null];
}

/** Ask the server what would come of each decision, and show it. Resolves to whether they are to go ahead. */
export function preview(decisions, signal, { title = "What would come of it", confirm = `Commit ${decisions.length}` } = {}) {
  const outcomes = new Map();
  const lines = decisions.map((decision) => h("li", { "aria-busy": "true" }, h("p", null, h("b", null, NAMES[decision.what]), " ", excerpt(decision.row)), waiting("Asking …")));
  const state = h("div", { role: "status" });
  const closed = new AbortController();
  const until = AbortSignal.any([signal, closed.signal]);
  let known = 0;
  const look = async () => {
    for (const [at, decision] of decisions.entries()) {
      fill(state, progress(`Asked ${known} of ${decisions.length}`, known, decisions.length));
      outcomes.set(decision, await foreseen(decision, until));
      known += 1;
      lines[at].lastChild.replaceWith(outcome(decision, outcomes.get(decision)));
      lines[at].removeAttribute("aria-busy");
    }
    const odd = [...outcomes].filter(([decision, seen]) => !seen.verdict || !meets(decision, seen.verdict)).length;
    fill(state, h("p", null, odd ? `${many(odd, "decision")} would not come to what you want.` : "Everything would come to what you want.", " Nothing is written yet."));
    state.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const asked = ask(title, [state, h("ol.queue-preview", null, lines), h("p.none", null, "Each is asked for by itself, as things stand now.")],
    { confirm, act: () => outcomes, ready: () => known === decisions.length });
  look().catch((error) => error.name !== "AbortError" && fill(state, trouble(error)));
  return asked.finally(() => closed.abort());
}

function outcome(decision, { verdict, falls, error }) {
  if (error) return trouble(error);
  const fits = meets(decision, verdict);
  return h("div", null,
    h("p", null, badge(verdict.outcome, fits ? { tone: decision.what === "discard" ? "plain" : "good" } : { tone: "bad" }), " ", wouldBe(decision, verdict), " ",
      h("small", null, "rule ", h("code", null, quoted(verdict.rule)), fits ? null : [": ", quoted(verdict.reason)])),
    falls.map((seen) => h("div.queue-falls", null, h("p", null, "Deprecated with it: ", recordLink(seen.id)), fallen(seen))));
}

function wouldBe(decision, verdict) {
  if (verdict.outcome === "held") return "it would go on waiting";
  if (verdict.outcome === "refused") return decision.what === "discard" ? "it is kept as refused, with your reason" : "it would be refused";
  const what = { append: "a new record", update: "a new revision", conflict: "a new record", deprecate: "a deprecation" }[verdict.decision] ?? plain(verdict.decision);
  const open = verdict.conflict_ids.length;
  const ended = Math.min(open, decision.others.filter((other) => decision.row.report.contradicts.includes(other.id)).length);
  if (!open) return what;
  if (open === ended) return `${what}; the disagreement ends with the other`;
  return `${what}, and ${many(open - ended, "conflict opens", "conflicts open")}: both sides stay, neither is told as a fact`;
}
