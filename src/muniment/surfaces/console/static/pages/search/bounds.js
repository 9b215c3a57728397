// The bounds of a question: what each is called, how it is typed, and how it is kept in an address.

import { exact, plain } from "../../core/format.js";
import { CLASSES, KINDS, SCOPES, SENSITIVITIES, TRUST } from "../../core/words.js";

const NAMED = "letters, digits and the signs . _ : -, without spaces";
const SHARE = "a number from 0 to 1";

/** Every bound of a question beside its text, in the groups of the form. `type` says how it is typed: `several` of some
 *  `words`, `one` of them, `names` with commas, `lines`, `text`, `share` (0 to 1), `number`, `instant`, `flag`; `must` what it must be. */
export const GROUPS = [
  ["What", [
    { name: "kinds", label: "Kinds", type: "several", words: KINDS },
    { name: "classes", label: "Classes", type: "several", words: CLASSES },
    { name: "sensitivity_max", label: "At most this sensitive", type: "one", words: SENSITIVITIES },
    { name: "purpose", label: "Purpose", type: "text", must: NAMED, hint: "“answer” if none is named. What steers, such as “act”, is told less." },
  ]],
  ["Where", [
    { name: "scopes", label: "Scopes", type: "several", words: SCOPES },
    { name: "scope_ids", label: "Of these projects, teams, …", type: "names", must: NAMED, hint: "Ids, with commas between them." },
    { name: "namespace", label: "Namespace, with all below", type: "text", must: "a path such as /warehouse", hint: "Such as /warehouse." },
    { name: "places", label: "Exactly these namespaces", type: "lines", hint: "One a line." },
  ]],
  ["Who", [
    { name: "authors", label: "Written by", type: "names", must: NAMED, hint: "Actors, with commas between them." },
  ]],
  ["How sure", [
    { name: "confidence_min", label: "Effective confidence at least", type: "share", must: SHARE },
    { name: "trust_min", label: "Trusted at least", type: "one", words: TRUST },
    { name: "gate_min", label: "Keep back below", type: "share", must: SHARE, hint: "The gate; 0 keeps nothing back." },
    { name: "gate_flag", label: "Warn below", type: "share", must: `${SHARE}, and not below “Keep back below”` },
    { name: "floor", label: "Fit at least", type: "share", must: SHARE, hint: "0 tells even what fits poorly." },
    { name: "require_provenance", label: "Only with evidence or a source", type: "flag" },
  ]],
  ["When", [
    { name: "valid_at", label: "Holds on (UTC)", type: "instant", hint: "What was true then, as far as is known." },
    { name: "asked_at", label: "As if asked on (UTC)", type: "instant", hint: "“Last week” is read from here." },
    { name: "max_age_days", label: "Written in the last … days", type: "number", must: "a number of days from 0 to 4,000,000" },
  ]],
  ["How much", [
    { name: "limit", label: "Records at most", type: "number", must: "a whole number from 0 to 200", hint: "10 if none is named, 200 at most." },
    { name: "budget_tokens", label: "Tokens at most", type: "number", must: "a whole number from 0 to 10,000,000" },
  ]],
];

const KNOWN_AT = { name: "known_at", label: "As known on (UTC)", type: "instant" };
export const BOUNDS = new Map([...GROUPS.flatMap(([, bounds]) => bounds), KNOWN_AT].map((bound) => [bound.name, bound]));
const LISTS = { several: ",", names: ",", lines: "\n" };

/** Whether a value bounds anything. */
export const isSet = (value) => value !== null && value !== undefined && value !== "" && value !== false && !(Array.isArray(value) && !value.length);

/** The bounds an address names; what is no bound of ours is passed over. */
export function fromAddress(query) {
  const bounds = {};
  for (const [name, { type }] of BOUNDS) {
    const said = query.get(name);
    if (said === null || said === "") continue;
    bounds[name] = LISTS[type] ? parts(said, LISTS[type]) : type === "flag" ? said === "true" : said;
  }
  return bounds;
}

/** The same bounds as an address keeps them. */
export function toAddress(text, bounds) {
  const said = { text };
  for (const [name, value] of Object.entries(bounds)) {
    if (isSet(value)) said[name] = Array.isArray(value) ? value.join(LISTS[BOUNDS.get(name).type]) : String(value);
  }
  return said;
}

/** The bounds as the API takes them. A number that is none goes as it is, so that the server says what is wrong. */
export function toBody(bounds) {
  const body = {};
  for (const [name, value] of Object.entries(bounds)) {
    if (!isSet(value)) continue;
    const { type } = BOUNDS.get(name);
    const number = type === "share" || type === "number" ? Number(value) : NaN;
    body[name] = Number.isNaN(number) ? value : number;
  }
  return body;
}

/** The bounds of a recorded question, as they were asked. */
export function ofQuery(query) {
  const bounds = {};
  for (const [name, { type }] of BOUNDS) {
    const value = query[name];
    if (!isSet(value) || (name === "purpose" && value === "answer") || (name === "limit" && value === 10)) continue;
    bounds[name] = type === "share" || type === "number" ? String(value) : value;
  }
  return bounds;
}

/** A bound in a few words, for a chip: “Kinds: fact, risk”. */
export function boundWords(name, value) {
  const { label, type } = BOUNDS.get(name);
  if (type === "flag") return label;
  const said = type === "instant" ? exact(value) : Array.isArray(value) ? value.map((one) => (type === "several" ? plain(one) : one)).join(", ") : value;
  return `${label.replace(" (UTC)", "")}: ${said}`;
}

export function parts(text, sign) {
  return text.split(sign).map((part) => part.trim()).filter(Boolean);
}
