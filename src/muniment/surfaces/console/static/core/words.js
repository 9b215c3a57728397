// What the words of the memory mean, in a sentence each, for whoever meets them here first.

export const KINDS = [
  "fact", "decision", "preference", "risk", "procedure", "hypothesis", "evidence", "deprecation", "conflict",
  "observation", "intention", "assumption", "constraint", "question", "synthesis", "correction", "directive",
];
export const SCOPES = [
  "session", "project", "agent_team", "agent_repo", "user", "x_user_identity", "x_organization", "x_cross_organization",
];
export const CLASSES = ["short_term", "long_term", "profile"];
export const SENSITIVITIES = ["public", "internal", "private", "confidential", "secret"];
export const TRUST = ["low", "medium", "high"];
export const CONTRACTS = ["akashik", "matm", "memledger", "omir", "retrieval"];

export const STEPS = {
  schema_admission: "Is it well formed, and from somebody known?",
  safety_redaction: "Are there secrets, hidden reasoning or orders in it?",
  source_provenance: "Where does it come from, and is that said?",
  scope_routing: "Where does it belong, and who may read it there?",
  kind_classification: "What sort of memory is it?",
  evidence_sufficiency: "Is there enough behind it?",
  dedupe_idempotency: "Is it here already?",
  conflict_analysis: "Does it disagree with what is here?",
  disposition_audit: "What becomes of it, under which rule?",
};

export const STATUSES = {
  active: "It holds.",
  contested: "Something here disagrees with it; neither side is told as a fact.",
  superseded: "A later record took its place.",
  deprecated: "What it stood on has fallen, or it was let go.",
  retracted: "It was taken back.",
  expired: "Its time is over.",
  archived: "It was put away.",
  quarantined: "It is kept apart until somebody has looked at it.",
  held: "It waits for a person.",
  draft: "Only its author sees it.",
  erased: "It is gone.",
};

export const LABELS = {
  person: "A person said it.",
  tool: "A tool measured or fetched it.",
  system: "The system itself noted it.",
  agent: "An agent concluded it.",
  import: "It was brought from another memory.",
  external: "It comes from outside, such as a web page.",
  unknown: "Nobody said where it comes from.",
};

export const GATES = {
  PASS: "Believed enough to be told.",
  FLAG: "Told with a warning: what it stands on is weak.",
  FILTER: "Believed too little to be told.",
};

export const ABSTENTIONS = {
  no_match: "Nothing here holds any of these words or anything near them.",
  no_searchable_words: "There is no word in the question that can be searched for.",
  nothing_eligible: "There is something, but every rule and filter together leave nothing of it.",
  not_authorized: "You may not ask for this purpose here.",
  nothing_fits: "There is something, but not within the budget you set.",
  nothing_relevant: "There is something, but nothing that fits well enough to be told as an answer.",
};

export const STRATEGIES = {
  last_write_wins: "The one written last stays.",
  confidence_weighted: "The one believed more stays.",
  authority: "The one whose author has more authority stays.",
  evidence_count: "The one with more evidence stays.",
  vote: "Each who may vote names a side; the majority stays.",
  synthesis: "You write one record that takes the place of both.",
  human_escalation: "Nothing is settled; it is put before a person.",
  promote: "The suspicion is confirmed: both sides are contested until somebody settles it.",
};
