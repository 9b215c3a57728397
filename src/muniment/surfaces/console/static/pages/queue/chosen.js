// The proposal that is open, with what can be decided on it.

import { fill, h } from "../../core/dom.js";
import { many } from "../../core/format.js";
import { session } from "../../core/session.js";
import { button, field, input } from "../../parts/controls.js";
import { nothing } from "../../parts/notices.js";
import { quoted } from "../../parts/said.js";
import { against } from "./against.js";
import { deprecating, discardingOne, editing, REASON } from "./actions.js";
import { beside, related } from "./beside.js";
import { desk, idOf, rowAt } from "./desk.js";
import { says, steps, title, told } from "./proposal.js";
import { changes, NAMES } from "./sending.js";

/** The open proposal as an element with `draw()`, `arrive()`, `press(what)` and `reason()`. */
export function chosen(acts, signal) {
  const element = h("section.queue-chosen", { "aria-label": "The chosen proposal" });
  const why = input({ value: REASON, maxlength: 2000 });
  const [above, offers, below] = [h("div"), h("div"), h("div")];
  const bar = h("div.queue-bar", null, above, offers, field("Reason for accepting", why), below);
  let [shown, drawn, records, leave, asking] = [null, null, [], new AbortController(), false];
  signal.addEventListener("abort", () => leave.abort(), { once: true });

  const press = async (what) => {
    const row = rowAt();
    if (!row || asking || desk.sending || barred(what, row, records)) return;
    asking = true;
    try {
      const change = await decided(what, row, { records, reason: why.value.trim() || REASON, signal });
      if (change) why.value = REASON;
      acts.stage(row, change);
    } finally {
      asking = false;
    }
  };
  const offer = (row) => {
    const now = JSON.stringify([shown, desk.staged.get(shown)?.keys, desk.gone.get(shown), records.length]);
    if (now === drawn) return;
    drawn = now;
    fill(above, state(row));
    fill(offers, buttons(row, press, records));
    fill(below, note(row));
  };
  const turn = (row) => {
    leave.abort();
    leave = new AbortController();
    [shown, records] = [desk.at, []];
    fill(element, row ? contents(row, bar, leave.signal, (disclosed) => (records.push(disclosed), offer(row))) : waitsNot());
  };
  element.press = press;
  element.reason = () => (why.focus(), why.select());
  element.arrive = () => {
    element.querySelector("h2")?.focus({ preventScroll: true });
    element.scrollIntoView({ block: "nearest" });
  };
  element.draw = () => {
    const row = rowAt();
    if (shown !== desk.at || !row) turn(row);
    if (row) offer(row);
  };
  return element;
}

function contents(row, bar, signal, found) {
  return [
    h("h2", { tabindex: "-1" }, title(row)),
    bar,
    h("div.queue-body", null, h("div", null, says(row), beside(row, signal, found), told(row)), steps(row)),
  ];
}

const waitsNot = () => (desk.rows.length ? nothing("Nothing left to decide", "Everything shown is decided. Commit the decisions below, or undo one.") : null);

async function decided(what, row, { records, reason, signal }) {
  if (what === "accept") return { what, reason };
  if (what === "conflict") return row.report.contradicts.length ? { what, reason } : against(row, records, reason, signal);
  if (what === "edit") return editing(row, reason);
  if (what === "deprecate") return deprecating(row, records, reason, signal);
  return discardingOne(row);
}

/** Why something cannot be decided here; null when it can. */
function barred(what, row, records) {
  if (desk.gone.has(idOf(row))) return "It no longer waits.";
  const right = session.barred(what === "discard" ? "discard" : "accept");
  if (right) return right;
  if (what === "deprecate") return session.barred("retire") ?? (records.length ? null : "No record stands beside it that could be deprecated.");
  return null;
}

function buttons(row, press, records) {
  const offer = (what, words, key, tone = "") => button(words, () => press(what), { key, tone, title: NAMES[what], why: barred(what, row, records) });
  return h("div.actions", { role: "group", "aria-label": "Decide" },
    offer("accept", "Accept", "a", "main"),
    offer("edit", "Edit …", "e"),
    related(row).length ? offer("deprecate", "Deprecate other …", "D") : null,
    offer("conflict", row.report.contradicts.length ? "Mark conflict" : "Mark conflict …", "c"),
    offer("discard", "Discard …", "d", "danger"));
}

function note({ report: { contradicts } }) {
  return contradicts.length
    ? h("p.none", null, `Accepting opens ${many(contradicts.length, "conflict")} by itself: both sides stay, and neither is told as a fact until it is settled.`)
    : null;
}

/** What was decided already, here or by somebody else. */
function state(row) {
  const staged = desk.staged.get(idOf(row));
  if (staged) return h("p.queue-state", null, h("b", null, `${NAMES[staged.what]}, staged: `), changes(staged), " ", quoted(staged.reason), h("small", null, " Deciding again takes its place; u undoes the last."));
  if (desk.gone.has(idOf(row))) return h("p.queue-state.gone", null, h("b", null, "It no longer waits. "), quoted(desk.gone.get(idOf(row))));
  return null;
}
