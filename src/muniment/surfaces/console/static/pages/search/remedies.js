// What one could change when something was kept back: for each rule the question that would let it in, if there is one.

import { isSet } from "./bounds.js";

const BY_RULE = {
  kind: "kinds", class: "classes", scope: "scopes", scope_id: "scope_ids", namespace: "namespace", place: "places", author: "authors",
  trust: "trust_min", sensitivity: "sensitivity_max", age: "max_age_days", provenance: "require_provenance", confidence: "confidence_min",
  budget: "budget_tokens", validity: "valid_at",
};
const BOUND_WORDS = {
  kinds: "any kind", classes: "any class", scopes: "any scope", scope_ids: "any project or team", namespace: "every namespace",
  places: "every place", authors: "anybody's records", trust_min: "any trust", sensitivity_max: "any sensitivity",
  max_age_days: "records of any age", require_provenance: "records without a source too", confidence_min: "any confidence",
  budget_tokens: "no bound on tokens", valid_at: "what holds now",
};
const LIMIT_USUAL = 10;
const LIMIT_MOST = 200;
const ENDED = ["superseded", "deprecated", "retracted", "expired", "archived"];

/** `{words, change}` for one rule, where `change` are bounds to set (null takes one away), or `{words, look}`, where
 *  `look` names the control to go to; null when no question would help. */
export function remedy(rule, bounds) {
  const bound = BY_RULE[rule];
  if (bound && isSet(bounds[bound])) return { words: `Ask for ${BOUND_WORDS[bound]}`, change: { [bound]: null } };
  if (rule === "limit") return more(bounds);
  if (rule === "user") return { words: "Ask the memories of users", change: { scopes: ["user"] } };
  if (rule === "gate") return { words: "Ask for what is believed little, too", change: { gate_min: "0" } };
  if (rule === "weak") return { words: "Ask for what fits poorly, too", change: { floor: "0" } };
  if (rule === "intention") return { words: "Ask for intentions", change: { kinds: ["intention"] } };
  if (rule === "origin" && isSet(bounds.purpose)) return { words: "Ask for an answer, not to act", change: { purpose: null } };
  if (rule === "validity") return { words: "Ask about another time", look: "valid_at" };
  if (ENDED.includes(rule)) return { words: "Ask as known earlier", look: "known_at" };
  return null;
}

function more(bounds) {
  const now = isSet(bounds.limit) ? Number(bounds.limit) : LIMIT_USUAL;
  if (!(now < LIMIT_MOST)) return null;
  return { words: "Tell more", change: { limit: String(Math.min(LIMIT_MOST, Math.max(LIMIT_USUAL, now * 5))) } };
}

/** What could be asked instead when nothing is told, the likeliest first. */
export function remedies(recall, text, bounds) {
  const found = Object.keys(recall.excluded).map((rule) => remedy(rule, bounds)).filter(Boolean);
  if (isSet(bounds.known_at)) found.push({ words: "Ask as known now", change: { known_at: null } });
  if (recall.abstained === "not_authorized") found.push({ words: "Ask for the purpose “answer”", change: { purpose: null } });
  if (text.includes('"')) found.push({ words: "Ask without the quotation marks", text: text.replaceAll('"', " ").trim() });
  if (["no_match", "no_searchable_words"].includes(recall.abstained)) found.push({ words: "Write it in other words", look: "text" });
  const said = new Set();
  return found.filter(({ words }) => !said.has(words) && said.add(words));
}
