// What the names mean by which an answer is accounted for: rules, parts of a score, ways to be told.

import { plain } from "../../core/format.js";

const RULES = {
  kind: "of another kind than was asked for",
  class: "of another class than was asked for",
  scope: "in another scope than was asked for",
  scope_id: "of another project, team, repository or session than was asked for",
  namespace: "outside the namespace that was asked for",
  place: "in none of the places that were asked for",
  author: "written by others than was asked for",
  session: "of another session than was asked for",
  own: "written by the one who asks",
  trust: "less trusted than was asked for",
  sensitivity: "more sensitive than was asked for",
  age: "older than was asked for",
  provenance: "with neither evidence nor a source",
  confidence: "believed less than was asked for",
  status: "not in a state that speaks for now",
  validity: "does not hold at the time asked about",
  expiry: "expired by then",
  intention: "what somebody means to do; told only to those who ask for intentions",
  support: "what it stands on has fallen",
  user: "kept for one user: it is told to who asks for that user",
  gate: "believed too little: its effective confidence is below the gate",
  origin: "comes from too far outside to steer what is done",
  policy: "no read rule of the policy lets the caller see it",
  limit: "fits, but there was no room: the limit was reached",
  budget: "fits, but is longer than the tokens that were left",
  weak: "fits too poorly beside the best, or nothing fits well enough",
  superseded: "a later record or revision took its place",
  deprecated: "what it stood on fell, or it was let go",
  retracted: "it was taken back",
  expired: "its time is over",
  archived: "it was put away",
  erased: "it was erased",
};

/** What a rule keeps back, in words; of a rule that is not known here, its name alone. */
export const ruleWords = (rule) => RULES[rule] ?? `kept back by the rule “${plain(rule)}”`;

/** The parts a score is the sum of, each with the group it is drawn in. */
export const PARTS = {
  words: ["words", "how many of the words it holds, rare ones counting more"],
  meaning: ["meaning", "how near it is in meaning"],
  nearby: ["around", "something beside it fits"],
  session: ["around", "something of the same session fits"],
  linked: ["around", "it shares names or links with what fits"],
  subject: ["around", "it was written by whom the question is about"],
  time: ["time", "it falls into the time asked about"],
  future: ["time", "it happened only after the question was asked"],
  recency: ["itself", "it is recent"],
  confidence: ["itself", "it is believed"],
  importance: ["itself", "it is important"],
  origin: ["itself", "it is well sourced"],
  kind: ["itself", "it is of a weighty kind"],
};

export const PRESENTED = {
  claim: "Told as something that holds.",
  hypothesis: "Told as a guess, never as a fact.",
  support: "Told as support for something else.",
  contested: "Told with its other side; neither is asserted.",
};
