// What settling a disagreement comes to, or came to, in sentences.

import { h } from "../../core/dom.js";
import { many, plain } from "../../core/format.js";
import { recordPlace } from "../../core/router.js";
import { recordLink } from "../../parts/marks.js";
import { sideOf } from "./words.js";

const SHOWN = 6;

/** The outcome `settled` of the conflict `view` as an element; `done` when it is no longer a preview, `vote` when
 *  it came by a ballot. */
export function outcome(view, settled, { done = false, vote = false } = {}) {
  return h("div.outcome", null, lines(view, settled, done, vote).map((line) => h("p", null, line)));
}

/** Whether this outcome moves the conflict at all. */
export const moves = (settled) => ["resolved", "escalated", "pending_vote", "established"].includes(settled.status);

/** What is otherwise in the outcome `now` than in the one that was shown `before`, in a sentence. */
export function changed(view, before, now) {
  const parts = [ending(view, before, now), voters(before, now), grown(before.falls, now.falls, "less"), grown(before.rises, now.rises, "more")].filter(Boolean);
  return parts.length ? `By now ${parts.join(", and ")}.` : "It would come out otherwise by now.";
}

function ending(view, before, now) {
  const told = ({ status, winner, synthesis }) => [status, synthesis ? "new" : winner].join();
  if (told(before) === told(now)) return null;
  if (now.status !== "resolved") return `it would be ${plain(now.status)}`;
  return now.synthesis ? "the new record would take the place of both" : `${sideOf(view, now.winner) ?? "another record"} would stay`;
}

function voters(before, now) {
  const known = new Set(before.ballots.map(({ actor, winner }) => `${actor} ${winner}`));
  const fresh = now.ballots.filter(({ actor, winner }) => !known.has(`${actor} ${winner}`)).map(({ actor }) => actor);
  return fresh.length ? `${fresh.join(", ")} voted` : null;
}

function grown(before, now, words) {
  const [came, went] = [now.filter((id) => !before.includes(id)).length, before.filter((id) => !now.includes(id)).length];
  if (!came && !went) return null;
  return [came ? `${many(came, "more record")} would be believed ${words}` : null, went ? `${many(went, "record")} no longer would be believed ${words}` : null].filter(Boolean).join(" and ");
}

function lines(view, settled, done, vote) {
  switch (settled.status) {
    case "resolved":
      return resolved(view, settled, done);
    case "established":
      return [`Both sides ${done ? "are" : "would be"} contested until somebody settles it.`];
    case "escalated":
      return [vote ? `${tally(view, settled.ballots)}: a tie, so it goes to a person of authority 10.` : `It ${done ? "waits" : "would wait"} for a person of authority 10. Both sides stay as they are.`];
    case "pending_vote":
      return [`${tally(view, settled.ballots)}. ${done ? "That is" : "That would be"} not enough to settle it yet.`];
    case "held":
      return [`The policy holds the new record for a person; nothing is settled until it is accepted.`, because(settled)];
    default:
      return [`It ${done ? "was" : "would be"} ${plain(settled.status)}, and nothing ${done ? "changed" : "would change"}.`, because(settled)];
  }
}

function resolved(view, settled, done) {
  const stay = settled.synthesis
    ? [done ? h("a", { href: recordPlace(settled.synthesis) }, "The new record") : "The new record", done ? " took the place of both" : " takes the place of both"]
    : [side(view, settled.winner, true), " stays"];
  const lost = settled.superseded.map((id, place) => [place ? " and " : "", side(view, id, false)]);
  const ends = lost.length ? ["; ", lost, lost.length > 1 ? " are superseded" : " is superseded"] : null;
  return [[stay, ends, "."], moved(settled.falls, "would be believed less"), moved(settled.rises, "would be believed more")]
    .filter(Boolean);
}

function moved(ids, words) {
  if (!ids.length) return null;
  const rest = ids.length - SHOWN;
  return [`${many(ids.length, "record")} that stand${ids.length === 1 ? "s" : ""} on it ${words}: `,
    ids.slice(0, SHOWN).map((id, place) => [place ? ", " : "", recordLink(id)]), rest > 0 ? ` and ${rest} more` : null, "."];
}

function side(view, id, first) {
  const words = sideOf(view, id) ?? "the record";
  return h("a", { href: recordPlace(id), title: id }, first ? `${words[0].toUpperCase()}${words.slice(1)}` : words);
}

function tally(view, ballots) {
  const count = (id) => ballots.filter((ballot) => ballot.winner === id).length;
  const [a, b] = [count(view.a.record.id), count(view.b.record.id)];
  return `${many(a, "ballot")} for the earlier side, ${b} for the later`;
}

const because = (settled) => `${settled.reason} (rule ${settled.rule})`;
