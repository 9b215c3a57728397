// What is said about a disagreement: its type, why the two cannot both hold, its state, the ways it can be settled.

import { plain } from "../../core/format.js";
import { to } from "../../core/router.js";

export const TYPES = {
  contradiction: "One denies the other.",
  update: "The later one says that something changed.",
  duplicate: "Both say the same in other words; neither is in doubt for it.",
};

export const STRENGTHS = {
  established: "Both sides are contested until somebody settles it.",
  suspected: "Found by wording alone. Neither side is in doubt for it until somebody confirms or settles it.",
};

export const WHYS = {
  number: "they give different numbers",
  date: "they give different dates",
  negation: "one denies what the other says",
  antonym: "they say opposite things",
  exclusive: "only one of the two can be so",
  same: "they say the same in other words",
  slot: "they give different answers to one question",
  contradicts: "the later one says that it contradicts the earlier",
  judge: "a judge found that they disagree",
  reviewer: "a reviewer found that they disagree",
};

export const STATES = {
  detected: "Nobody has taken it up yet.",
  resolving: "A vote is under way.",
  escalated: "It was put before a person of authority 10; nobody else can settle it.",
  resolved: "It is settled.",
};

/** What each strategy is called where it is chosen. */
const CALLED = {
  last_write_wins: "Last write wins",
  confidence_weighted: "Confidence",
  authority: "Authority",
  evidence_count: "Evidence",
  vote: "Vote",
  synthesis: "Synthesis",
  human_escalation: "Escalation",
  promote: "Confirm the suspicion",
};

export const called = (strategy) => CALLED[strategy] ?? plain(strategy);

export const why = (view) => WHYS[view.why] ?? plain(view.why);

/** “Contradiction: they give different numbers”. */
export function headline(view) {
  const type = view.strength === "suspected" && view.type !== "duplicate" ? `suspected ${plain(view.type)}` : plain(view.type);
  return `${type[0].toUpperCase()}${type.slice(1)}: ${why(view)}`;
}

export const conflictPlace = (id) => to(`/conflicts/${encodeURIComponent(id)}`);

/** “the earlier side”, “the later side”, or null for a record that is neither. */
export function sideOf(view, id) {
  if (id === view.a.record.id) return "the earlier side";
  return id === view.b.record.id ? "the later side" : null;
}
