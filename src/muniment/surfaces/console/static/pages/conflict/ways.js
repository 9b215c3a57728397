// Every way to settle a disagreement, with what it would do now or why it is not open to the caller.

import { post } from "../../core/api.js";
import { fill, h } from "../../core/dom.js";
import { session } from "../../core/session.js";
import { STRATEGIES } from "../../core/words.js";
import { button } from "../../parts/controls.js";
import { waiting } from "../../parts/notices.js";
import { outcome, moves } from "./outcome.js";
import { settleByRule, settleByVote, settleByWord, settleByWriting } from "./settle.js";
import { called } from "./words.js";

const HUMAN_AUTHORITY = 10;
const WORD = "your_word";
const MEANINGS = { ...STRATEGIES, [WORD]: "You say which stays. It takes more authority than both authors have." };
const ORDER = ["last_write_wins", "confidence_weighted", "authority", "evidence_count", WORD, "vote", "synthesis", "human_escalation", "promote"];
const DIALOGS = { vote: settleByVote, synthesis: settleByWriting, [WORD]: settleByWord };

/** The list of ways; `settled(done)` is called when one was taken. Its `keys` are for the page to bind. */
export function ways(conflict, signal, settled) {
  const keys = {};
  const open = ORDER.filter((strategy) => strategy !== "promote" || (conflict.strength === "suspected" && conflict.type !== "duplicate"));
  const list = open.map((strategy, place) => {
    const barred = reason(conflict, strategy);
    const choose = async () => {
      const done = await (DIALOGS[strategy] ?? settleByRule)(conflict, strategy, signal);
      if (done) await settled(done);
    };
    const key = String(place + 1);
    const line = way(conflict, strategy, barred, button(verb(strategy), choose, { why: barred, key }), signal);
    keys[key] = [`settle: ${title(strategy)}`, () => line.querySelector("button:not([aria-disabled])")?.click()];
    return line;
  });
  const section = h("section", { "aria-labelledby": "ways" }, h("h2#ways", null, "How it could be settled"),
    h("p.lead", null, "Each line says what that rule would do now. Nothing is done before you have given a reason and confirmed."), h("ol.ways", null, list));
  section.keys = keys;
  return section;
}

const title = (strategy) => (strategy === WORD ? "Your word" : called(strategy));
const verb = (strategy) => ({ vote: "Vote …", synthesis: "Write it …", human_escalation: "Escalate …", promote: "Confirm it …", [WORD]: "Choose …" })[strategy] ?? "Settle so …";

/** Why this way is closed to the caller, or null. */
function reason(conflict, strategy) {
  const barred = session.barred(["vote", "promote"].includes(strategy) ? strategy : "resolve");
  if (barred) return barred;
  const mine = session.caller.actor.authority ?? 0;
  if (conflict.status === "escalated" && mine < HUMAN_AUTHORITY) return `It was escalated: settling it takes authority ${HUMAN_AUTHORITY}, and you have ${mine}.`;
  if (conflict.status === "escalated" && strategy === "human_escalation") return "It was escalated already.";
  return null;
}

function way(conflict, strategy, barred, press, signal) {
  const told = h("div.outcome");
  const line = h("li.way", { "data-way": strategy }, h("div", null, h("h3", null, title(strategy)), h("small", null, MEANINGS[strategy])), told, press);
  if (barred) fill(told, h("p.none", null, barred));
  else foretell(conflict, strategy, told, line, press, signal);
  return line;
}

function foretell(conflict, strategy, told, line, press, signal) {
  if (strategy === "synthesis") return fill(told, h("p", null, "Your record takes the place of both; they are superseded by it."));
  if (strategy === WORD) return fill(told, h("p", null, "The side you choose stays; the other is superseded."));
  const bodies = strategy === "vote"
    ? [conflict.a.record.id, conflict.b.record.id].map((winner) => ({ strategy, winner }))
    : [{ strategy }];
  return rehearse(conflict, bodies, told, line, press, signal);
}

async function rehearse(conflict, bodies, told, line, press, signal) {
  told.setAttribute("aria-busy", "true");
  fill(told, waiting());
  try {
    const found = await Promise.all(bodies.map((body) => rehearsal(conflict, body, signal)));
    fill(told, bodies.length > 1 ? votes(conflict, found) : outcome(conflict, found[0]));
    if (!found.some(moves)) line.classList.add("tells-not");
  } catch (error) {
    if (error.name === "AbortError") return;
    line.classList.add("tells-not");
    const words = error.code === "undecided" ? `It cannot tell: ${error.message.replace(/^conflict \S+: | by \w+$/g, "")}.` : error.message;
    fill(told, h("p", null, words));
    press.replaceWith(button(press.firstChild?.textContent ?? "Settle so …", null, { why: words }));
  }
  told.removeAttribute("aria-busy");
}

/** What a vote would come to, one line for either side. */
function votes(conflict, found) {
  const alike = found.every((one) => one.status === "pending_vote");
  if (alike) return h("p", null, ballotsNow(conflict));
  return found.map((one, place) => [h("p", null, h("small", null, `With your ballot for the ${place ? "later" : "earlier"} side:`)), outcome(conflict, one, { vote: true })]);
}

function ballotsNow(conflict) {
  const cast = conflict.ballots.length;
  return cast ? `${cast} voted so far. With your ballot it would still not be settled.` : "Nobody has voted yet. Your ballot alone would not settle it.";
}

/** Ask the server what would be. */
function rehearsal(conflict, body, signal) {
  const path = `/api/conflicts/${encodeURIComponent(conflict.id)}/resolution`;
  return post(path, { rationale: "a look at what it would do", ...body, dry_run: true }, { signal });
}
