// The questions before a disagreement is settled: the reason, whom one chooses, what one writes; each with a preview.

import { post, token } from "../../core/api.js";
import { fill, fresh, h } from "../../core/dom.js";
import { STRATEGIES } from "../../core/words.js";
import { area, field, input } from "../../parts/controls.js";
import { ask } from "../../parts/dialog.js";
import { trouble } from "../../parts/notices.js";
import { said } from "../../parts/said.js";
import { changed, moves, outcome } from "./outcome.js";
import { called } from "./words.js";

const PAUSE_MS = 350;
const LASTING = {
  resolved: "It cannot be undone; what is superseded stays in its history.",
  escalated: "Only authority 10 can settle it then.",
  pending_vote: "You can cast another ballot in its place until it is settled.",
};

/** Whether something is being settled from this page, so that its echo is not taken for news. */
export const acting = { now: false };

/** By a rule that compares, or by handing it up. */
export function settleByRule(conflict, strategy, signal) {
  const up = strategy === "human_escalation";
  return confirm(conflict, {
    title: up ? "Escalate it" : `Settle it: ${called(strategy)}`,
    words: STRATEGIES[strategy],
    yes: up ? "Escalate" : "Settle it",
    controls: [],
    body: () => ({ strategy }),
  }, signal);
}

/** By a ballot. */
export function settleByVote(conflict, strategy, signal) {
  const pick = sidePick(conflict, "You vote for");
  return confirm(conflict, {
    title: "Vote",
    words: `${STRATEGIES.vote} A second ballot of yours takes the place of the first.`,
    yes: "Cast the ballot",
    controls: [pick],
    body: () => picked(pick, (winner) => ({ strategy, winner })),
  }, signal);
}

/** By naming the winner oneself. */
export function settleByWord(conflict, _, signal) {
  const pick = sidePick(conflict, "Which stays");
  return confirm(conflict, {
    title: "Name the side that stays",
    words: "It is recorded as settled by authority: yours.",
    yes: "Settle it",
    controls: [pick],
    body: () => picked(pick, (winner) => ({ strategy: "authority", winner })),
  }, signal);
}

/** By one record in the place of both. */
export function settleByWriting(conflict, strategy, signal) {
  const sides = [conflict.a, conflict.b];
  const text = area({ rows: 4, value: sides.map(({ record }) => record.claim.content).join("\n") });
  const sure = input({ type: "number", min: 0, max: 1, step: 0.05, inputmode: "decimal", value: String(Math.min(...sides.map(({ standing }) => standing.footing.effective))) });
  const known = [...new Set(sides.flatMap(({ record }) => record.claim.belief.evidence))];
  const grounds = area({ rows: 2, value: known.join("\n") });
  const written = () => {
    const confidence = Number.parseFloat(sure.value);
    const evidence = grounds.value.split("\n").map((line) => line.trim()).filter(Boolean);
    return text.value.trim() && confidence >= 0 && confidence <= 1 ? { strategy, synthesis: text.value, confidence, evidence } : null;
  };
  return confirm(conflict, {
    title: "Write one record in the place of both",
    words: "It is proposed in your name and derived from both sides, so it is believed no more than the weaker of them.",
    yes: "Settle it so",
    controls: [field("What shall stand here", text, { hint: "Both sides, to begin with." }), h("div.grid", null,
      field("Confidence", sure, { hint: "From 0 to 1." }), field("Evidence", grounds, { hint: "One piece on each line." }))],
    body: written,
  }, signal);
}

function sidePick(conflict, legend) {
  const name = fresh("side");
  const one = (side, words) => h("label", null, h("input", { type: "radio", name, value: side.record.id }), h("span", null, words, said(side.record.claim.content, { by: side.record.actor, short: true })));
  return h("fieldset.choices", null, h("legend", null, legend), one(conflict.a, "The earlier side"), one(conflict.b, "The later side"));
}

function picked(pick, make) {
  const chosen = pick.querySelector("input:checked");
  return chosen ? make(chosen.value) : null;
}

/** What got no answer may have been done: the same is sent again under the same key. What was answered is over. */
function sender(path, signal) {
  let [left, once] = [null, null];
  return async (asked) => {
    if (left !== JSON.stringify(asked)) [left, once] = [JSON.stringify(asked), token()];
    try {
      return await post(path, asked, { signal, once });
    } catch (error) {
      if (error.status !== 0) left = null;
      throw error;
    }
  };
}

/** Ask with a preview that follows what is typed. `body()` is the request so far, or null while something is missing.
 *  What is sent in earnest names the outcome that was shown: the server does just that, or nothing. */
function confirm(conflict, { title, words, yes, controls, body }, signal) {
  const path = `/api/conflicts/${encodeURIComponent(conflict.id)}/resolution`;
  const rationale = area({ rows: 2, required: true });
  const place = h("div.preview", { "aria-live": "polite" });
  const reason = () => rationale.value.trim();
  const shown = { body: null, outcome: null };
  const send = sender(path, signal);
  const spelled = () => JSON.stringify(body());

  async function preview() {
    const wanted = body();
    if (!wanted) return void fill(place, h("p.none", null, "What it would do is shown here as soon as the above is filled in."));
    const asked = JSON.stringify(wanted);
    try {
      const found = await post(path, { ...wanted, rationale: reason() || title, dry_run: true }, { signal });
      if (asked !== spelled()) return undefined;
      fill(place, outcome(conflict, found, { vote: wanted.strategy === "vote" }), h("p", null, h("small", null, `Under the rule ${found.rule}. ${LASTING[found.status] ?? ""}`)));
      Object.assign(shown, moves(found) || found.status === "held" ? { body: asked, outcome: found } : { body: null, outcome: null });
    } catch (error) {
      if (error.name === "AbortError" || asked !== spelled()) return undefined;
      Object.assign(shown, { body: null, outcome: null });
      fill(place, trouble(error));
    }
    return place.dispatchEvent(new Event("input", { bubbles: true }));
  }

  async function act() {
    acting.now = true;
    try {
      return await carried();
    } finally {
      acting.now = false;
    }
  }

  async function carried() {
    const seen = shown.outcome;
    try {
      return await send({ ...body(), rationale: reason(), expected: seen.digest });
    } catch (error) {
      if (error.code !== "stale") throw error;
      await preview();
      if (!shown.outcome) {
        fill(place);
        throw error;
      }
      throw new Error(`Nothing was done. ${changed(conflict, seen, shown.outcome)} Look at it again, then confirm.`);
    }
  }

  let soon = null;
  const typed = h("div.dialog-body", { oninput: () => (clearTimeout(soon), (soon = setTimeout(preview, PAUSE_MS))) }, controls);
  const ready = () => Boolean(reason() && shown.body && shown.body === spelled());
  const asked = ask(title, [h("p", null, words), controls.length ? typed : null, place,
    field("Why (kept with the conflict and in the ledger)", rationale)], { confirm: yes, act, ready });
  preview();
  return asked.finally(() => clearTimeout(soon));
}
