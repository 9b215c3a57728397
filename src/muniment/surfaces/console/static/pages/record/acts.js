// What can be done about a record. Each is asked for in a dialog that says first what would follow.

import { Problem, getTagged, post, token } from "../../core/api.js";
import { fresh, h } from "../../core/dom.js";
import { many, plain, share } from "../../core/format.js";
import { to } from "../../core/router.js";
import { session } from "../../core/session.js";
import { LABELS } from "../../core/words.js";
import { area, button, choice, field } from "../../parts/controls.js";
import { ask } from "../../parts/dialog.js";
import { gate, status } from "../../parts/marks.js";
import { later, told } from "../../parts/notices.js";
import { table } from "../../parts/paged.js";
import { quoted, said } from "../../parts/said.js";
import { moved } from "./tag.js";

const CURRENT = new Set(["active", "contested"]);
const ORDER = ["unknown", "external", "import", "agent", "system", "tool", "person"];
const BORN = { person: "person", tool: "tool", agent: "agent", service: "system" };
const PRIOR_WEIGHT = 4;
const ENDS = {
  retracted: "Take it back: it was wrong.",
  deprecated: "Let it go: it should no longer be relied on.",
  expired: "Its time is over.",
  archived: "Put it away: it was right, and nobody needs it now.",
};
const SHOWN_MOST = 50;

/** The buttons under a record's words. */
export function actions(about) {
  const { standing, record } = about;
  const apart = standing.status === "held";
  const over = CURRENT.has(standing.status) ? null : apart ? "It is kept apart; release it first." : `It is ${plain(standing.status)} already.`;
  const forget = session.barred("forget");
  return h("div.actions.record-acts", null,
    button("It helped …", () => outcome(about, true), { why: session.barred("observe") ?? over }),
    button("It misled …", () => outcome(about, false), { why: session.barred("observe") ?? over }),
    button("Vouch …", () => vouch(about), { why: session.barred("vouch") ?? over ?? noHigher(standing) }),
    apart
      ? button("Release …", () => release(about), { right: "release" })
      : button("Keep apart …", () => quarantine(about), { why: session.barred("quarantine") ?? over }),
    button("End …", () => end(about), { tone: "danger", why: endBarred() ?? over }),
    forget ? button("Forget …", null, { why: forget }) : h("a.as-button", { href: to("/forget", { by: "record", value: record.id }) }, "Forget …"));
}

function endBarred() {
  const why = session.barred("retire");
  return why && session.caller.grants.includes("write") && session.caller.may?.includes("archive") ? null : why;
}

/** Ask for a reason, do it to the state that is on the screen and no other, and show what came of it. */
async function perform(about, title, body, { confirm, tone, send, done, undo = null, ready = () => true, reason }) {
  let once = token();
  const act = async () => {
    const verdict = await send(await present(about), once);
    if (verdict.outcome === "refused") {
      once = token();  // what is sent after a refusal is another request
      throw new Problem(200, { code: verdict.rule ?? "refused", detail: verdict.reason, hint: `Nothing was changed. The refusal is on record${verdict.epoch ? ` at ledger position ${verdict.epoch}` : ""}.` });
    }
    return verdict;
  };
  const verdict = await ask(title, body, { confirm, tone, act, ready: () => (!reason || reason.value.trim() !== "") && ready() });
  if (!verdict) return;
  await about.again();
  told(`${done} Ledger position ${verdict.epoch}.`, { undo: undo && (() => undo(about.present())) });
}

/** The tag of the record as it is now, if that is what the page shows; what only counts uses does not matter. */
async function present(about) {
  const { tag, body } = await getTagged(about.path);
  if (tag === about.tag || !moved(about.told, body)) return tag;
  throw new Problem(412, { code: "stale", detail: "This record has changed since you opened it.", hint: "Nothing was done. Close this, look at it as it is now, and decide again." });
}

const why = (hint) => ({ control: area({ required: true, rows: 2, maxlength: 4000 }), hint });
const reasonField = ({ control, hint }, name = "Reason") => field(name, control, { hint });

function outcome(about, helpful) {
  const { control } = why();
  const body = [said(about.record.claim.content, { short: true }), h("p", null, outcomeWords(about, helpful)),
    field("What happened", control, { hint: "What was done with it, and how it turned out; where that can be looked up." })];
  return perform(about, helpful ? "It helped" : "It misled", body, {
    confirm: helpful ? "Say that it helped" : "Say that it misled", reason: control,
    send: (match, once) => post(`${about.path}/outcomes`, { result: helpful ? "helpful" : "misleading", evidence: control.value.trim() }, { match, once }),
    done: helpful ? "Noted that it helped." : "Noted that it misled.",
  });
}

function outcomeWords({ record, standing }, helpful) {
  const { actor } = session.caller;
  if (helpful && actor.id === record.actor && actor.type !== "person") return "You wrote this record yourself: the praise is kept on record and weighs nothing.";
  const { helpful: good, misleading: bad, own } = standing.footing;
  const next = Math.min(1, (PRIOR_WEIGHT * record.claim.belief.score + good + (helpful ? 1 : 0)) / (PRIOR_WEIGHT + good + bad + 1));
  return `Its own confidence goes from ${share(own)} to ${share(next)}. What stands on it is judged anew. An outcome cannot be taken back; another one can be told.`;
}

function noHigher(standing) {
  return higher(standing).length ? null : `Its origin is “${standing.footing.label}”; you cannot lend it a higher one than your own.`;
}

const higher = (standing) => ORDER.slice(ORDER.indexOf(standing.footing.label) + 1, ORDER.indexOf(BORN[session.caller.actor.type] ?? "unknown") + 1);

function vouch(about) {
  const reason = why("How you know where it comes from.");
  const open = higher(about.standing);
  const label = choice(open, { value: open.at(-1), spell: (word) => `${plain(word)}: ${LABELS[word] ?? ""}` });
  const body = [said(about.record.claim.content, { short: true }),
    h("p", null, `Its origin is “${plain(about.standing.footing.label)}”. With your word it counts as what you choose here, under your name. How far it is believed does not change.`),
    field("It comes from", label), reasonField(reason)];
  return perform(about, "Vouch for its origin", body, {
    confirm: "Vouch for it", reason: reason.control,
    send: (match, once) => post(`${about.path}/vouching`, { origin: label.value, reason: reason.control.value.trim() }, { match, once }),
    done: "You vouched for it.",
  });
}

function quarantine(about) {
  const reason = why("What made you doubt it. Whoever decides on it later reads this.");
  const body = [said(about.record.claim.content, { short: true }),
    h("p", null, "It answers nobody until it is released, and what stands on it is flagged. Nothing is lost."), reasonField(reason)];
  return perform(about, "Keep it apart", body, {
    confirm: "Keep it apart", reason: reason.control,
    send: (match, once) => post(`${about.path}/quarantine`, { reason: reason.control.value.trim() }, { match, once }),
    done: "It is kept apart.", undo: session.barred("release") ? null : release,
  });
}

function release(about) {
  const reason = why("What you found when you looked at it.");
  const body = [said(about.record.claim.content, { short: true }),
    h("p", null, "It answers again. Disputes that rested go on, and new ones are looked for."), reasonField(reason)];
  return perform(about, "Release it", body, {
    confirm: "Release it", reason: reason.control,
    send: (match, once) => post(`${about.path}/release`, { reason: reason.control.value.trim() }, { match, once }),
    done: "It was released.",
  });
}

function end(about) {
  const reason = why("Kept in the ledger for good, and told to whoever asks why it ended.");
  const words = session.barred("retire") ? ["archived"] : Object.keys(ENDS);
  const way = oneOf("It ends as", words, (word) => [h("b", null, plain(word)), ` ${ENDS[word]}`], () => look());
  const plan = h("div.foresight");
  const look = () => later(plan, () => about.ask("foresight", { becomes: way.value }), (seen) => planned(seen, way.value), "Looking at what would follow …");
  look();
  const body = [said(about.record.claim.content, { short: true }), way, h("section.record-foreseen", { "aria-label": "What would follow" }, plan), reasonField(reason)];
  return perform(about, "End this record", body, {
    confirm: "End it", tone: "danger", reason: reason.control,
    send: (match, once) => post(`${about.path}/retirement`, { becomes: way.value, reason: reason.control.value.trim() }, { match, once }),
    done: "It has ended.",
  });
}

/** One of a few, each said in full; the element has a `value`. */
function oneOf(name, words, spell, onchange) {
  const group = fresh("way");
  const radios = words.map((word, place) => h("input", { type: "radio", name: group, value: word, checked: place === 0, onchange }));
  const element = h("fieldset.record-ways", null, h("legend", null, name), words.map((word, place) => h("label.tick", null, radios[place], h("span", null, spell(word)))));
  Object.defineProperty(element, "value", { get: () => radios.find((radio) => radio.checked).value });
  return element;
}

function planned(seen, becomes) {
  if (!seen.falls.length) return h("p", null, "Nothing that you may see is judged otherwise. It cannot be undone: what has ended does not come back, but can be written anew.");
  const rows = seen.falls.slice(0, SHOWN_MOST).map((fall) => [quoted(brief(fall.content)), standpoint(fall.before), standpoint(fall.after)]);
  return [h("p", null, `${many(seen.falls.length, "record that stands", "records that stand")} on it would be judged otherwise when it becomes ${plain(becomes)}. It cannot be undone.`),
    table(["Record", "Now", "Then"], rows, { caption: "What would follow" }),
    seen.falls.length > SHOWN_MOST ? h("p", null, `The nearest ${SHOWN_MOST} are shown.`) : null];
}

const brief = (text) => (text.length > 120 ? `${[...text].slice(0, 119).join("")}…` : text);

function standpoint({ status: state, effective, support, gate: flag }) {
  return h("span.row-line", null, share(effective), state === "active" ? null : status(state), gate(flag), support === "standing" ? null : plain(`support ${support}`));
}
