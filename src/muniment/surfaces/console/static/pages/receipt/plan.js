// The plan of an answer in words: what the policy let the caller see at all, and what was wanted of it.

import { h } from "../../core/dom.js";
import { count, exact, many, plain, share } from "../../core/format.js";
import { SENSITIVITIES, TRUST } from "../../core/words.js";
import { jsonBlock } from "../../parts/files.js";
import { facts } from "../../parts/marks.js";
import { quoted } from "../../parts/said.js";
import { ruleWords } from "../search/words.js";

const LABELS = ["unknown", "external", "import", "agent", "system", "tool", "person"];
const RANKED = { sensitivity: SENSITIVITIES, trust: TRUST, label: LABELS };
const FIELDS = { memory_class: "class", actor: "author", scope_id: "scope id", session_id: "session", label: "origin", created_at: "written", effective: "effective confidence", seq: "ledger entry" };
const MANY_WORDS = 8;

/** The plan: rules in force, what was visible, what was wanted, and all of it as it was recorded. */
export function plan(receipt) {
  const { account } = receipt;
  const { plan: made } = account;
  return h("div.receipt-plan", null,
    facts([
      ["Read rules that applied", receipt.grants.length ? listed(receipt.grants) : "none: nothing could be seen"],
      ["Policy", account.policy ? `document ${count(account.policy)}` : `as it stood at entry ${count(receipt.epoch)}`],
      ["Read as of", `entry ${count(made.as_of)}${made.at_head ? ", the present then" : ", in the past"}`],
      ["The question's now", exact(made.now)],
      ["Gate", `kept back below ${share(made.gates.engine.min)}, warned below ${share(made.gates.engine.flag)}`],
      ["Gates of namespaces", made.gates.namespaces.map(([space, one]) => h("div", null, quoted(space), ` ${share(one.min)} and ${share(one.flag)}`))],
      ["Least fit", share(made.floor)],
      ["At most", `${many(made.limit, "record")}${made.budget_tokens === null ? "" : `, ${many(made.budget_tokens, "token")}`}`],
      ["Vectors", made.reach.model ? quoted(made.reach.model) : "none: by words and links"],
    ]),
    h("h3", null, "What the caller could see at all"), h("div.receipt-filter", null, spelled(made.visible)),
    h("h3", null, "What was wanted of it"),
    h("ul.receipt-wanted", null, made.wanted.map(([name, filter]) => h("li", null, h("b", { title: ruleWords(name) }, plain(name)), " ", spelled(filter)))),
    h("details", null, h("summary", null, "What each part of a score counts"), weights(made.weights)),
    h("details", null, h("summary", null, "The whole receipt as it was recorded"), jsonBlock(receipt, `${receipt.receipt_id}.json`)));
}

const listed = (words) => words.flatMap((word, place) => [place ? ", " : null, quoted(word)]);

function weights(found) {
  return facts(Object.entries(found).map(([name, weight]) => [plain(name), String(weight)]));
}

/** A filter as nested words. */
function spelled(filter) {
  if (filter.type === "Both" || filter.type === "Either") return several(filter);
  return h("span", null, one(filter));
}

function several({ type, parts }) {
  if (!parts.length) return h("span", null, type === "Both" ? "everything" : "nothing");
  if (parts.length === 1) return spelled(parts[0]);
  return h("div.receipt-nested", null, h("span", null, type === "Both" ? "all of" : "any of"), h("ul", null, parts.map((part) => h("li", null, spelled(part)))));
}

const field = (name) => FIELDS[name] ?? plain(name);
const instant = (micros) => exact(micros / 1000);

function one(filter) {
  switch (filter.type) {
    case "OneOf": return oneOf(filter);
    case "AtLeast": return `${field(filter.field)} at least ${bound(filter)}`;
    case "AtMost": return `${field(filter.field)} at most ${bound(filter)}`;
    case "Under": return ["in or below ", listed(filter.namespaces)];
    case "Sourced": return "with evidence or a named source";
    case "ValidAt": return `holds on ${instant(filter.instant)}`;
    case "LiveAt": return `not expired on ${instant(filter.instant)}`;
    case "Believed": return believed(filter);
    case "Chartered": return ["under no charter, or one that lets read: ", listed(filter.names)];
    case "Others": return ["not written by ", quoted(filter.actor)];
    default: return `a condition called ${plain(filter.type)}`;
  }
}

function oneOf({ field: name, words }) {
  const unique = [...new Set(words)];
  if (!unique.length) return `${field(name)}: none, so nothing`;
  if (unique.length <= MANY_WORDS) return [`${field(name)} is `, unique.flatMap((word, place) => [place ? " or " : null, quoted(plain(word))])];
  return h("details.receipt-words", null, h("summary", null, `${field(name)} is one of ${unique.length}`), listed(unique.map(plain)));
}

function bound({ field: name, value }) {
  if (name === "created_at") return instant(value);
  return RANKED[name]?.[value] ?? String(value);
}

function believed({ least, namespaces = [] }) {
  return [`effective confidence at least ${share(least)}`, namespaces.map(([space, value]) => [", in ", quoted(space), ` ${share(value)}`])];
}
