// One proposal in full: what it says, who says so and on what grounds, what each step found, and why it waits.

import { h } from "../../core/dom.js";
import { many, plain, share } from "../../core/format.js";
import { STEPS } from "../../core/words.js";
import { badge, facts, recordLink, short, when, who } from "../../parts/marks.js";
import { quoted, said } from "../../parts/said.js";

const LONG = 1_200;
const SHOWN_MOST = 20;
const MARKS = { passed: "✓", changed: "~", flagged: "!", refused: "✕", not_run: "–" };

/** What it says and why it waits. */
export function says(row) {
  const { content } = row.proposal.claim;
  return h("div.queue-told", null, long("What it says", content.length, said(content, { by: row.actor })), asks(row.proposal), why(row));
}

/** What is long scrolls within its own place, by keyboard too. */
function long(name, length, element) {
  return length > LONG ? h("div.queue-long", { tabindex: "0", role: "region", "aria-label": name }, element) : element;
}

/** Who says it, where it belongs, and what is behind it. */
export function told(row) {
  const { proposal: { claim }, actor, at } = row;
  return h("div.queue-told", null,
    facts([
      ["Proposed by", [who(actor), row.actor_type ? ` (${row.actor_type})` : null]],
      ["Waits since", when(at)],
      ["Kind", [plain(claim.nature.kind), h("small", null, ` ${plain(claim.nature.memory_type)}, ${plain(claim.nature.memory_class)}`)]],
      ["Place", place(claim.place)],
      ["Confidence", claim.belief.score === null || claim.belief.unstated ? "not stated" : `${share(claim.belief.score)} declared${claim.belief.hedged ? ", hedged" : ""}`],
      ["Source", source(claim.origin)],
      ["Sensitivity", claim.handling.sensitivity === "internal" ? null : claim.handling.sensitivity],
      ["Valid", span(claim.times)],
    ]),
    grounds(claim),
    redacted(row.report));
}

/** What it asks for, if that is more than a new record. */
function asks({ target, promotes, arrival, claim }) {
  const words = [];
  if (target) words.push(["It is a new revision of ", recordLink(target), "."]);
  if (promotes) words.push(["It asks that ", recordLink(promotes), " counts in a wider scope."]);
  if (claim.lineage.supersedes) words.push(["It would take the place of ", recordLink(claim.lineage.supersedes), "."]);
  if (arrival) words.push(["It was read from elsewhere, by the contract ", quoted(arrival.contract), "."]);
  return words.map((sentence) => h("p.queue-asks", null, sentence));
}

function why({ report }) {
  return h("p.queue-why", null, h("b", null, "Why it waits: "), quoted(report.reason), " ",
    h("small", null, "rule ", h("code", null, quoted(report.rule))));
}

function place({ scope, scope_id, namespace, session_id, task_id }) {
  const parts = [plain(scope), " ", quoted(scope_id)];
  if (namespace && namespace !== "/") parts.push(" in ", h("code", null, quoted(namespace)));
  if (session_id) parts.push(", session ", quoted(session_id));
  if (task_id) parts.push(", task ", quoted(task_id));
  return parts;
}

function source({ source: name, source_type, external_id }) {
  if (!name && !source_type) return null;
  return [name ? quoted(name) : null, source_type ? h("small", null, " ", quoted(source_type)) : null, external_id ? h("small", null, " ", quoted(external_id)) : null];
}

function span({ valid_from, valid_until, expires_at }) {
  const parts = [];
  if (valid_from) parts.push("from ", when(valid_from), " ");
  if (valid_until) parts.push("until ", when(valid_until), " ");
  if (expires_at) parts.push("expires ", when(expires_at));
  return parts;
}

/** Evidence, reasoning, assumptions, and what it derives from. */
function grounds({ belief, lineage, intent }) {
  const links = [...lineage.derived_from.map((id) => ["derived from", id]), ...(lineage.parent ? [["part of", lineage.parent]] : []), ...lineage.relations.map(related)];
  return h("div.queue-grounds", null,
    part("Evidence", belief.evidence.length ? texts("Evidence", belief.evidence) : h("p.none", null, "None is given.")),
    belief.reasoning ? part("Reasoning", long("Reasoning", belief.reasoning.length, said(belief.reasoning))) : null,
    belief.assumptions.length ? part("Assumptions", texts("Assumptions", belief.assumptions)) : null,
    links.length ? part("Stands on", list(links.map(([how, id]) => [plain(how), " ", recordLink(id)]))) : null,
    lineage.entities.length ? part("About", texts("About", lineage.entities)) : null,
    intent.purpose || intent.question ? part("What for", said(intent.purpose ?? intent.question)) : null);
}

const texts = (name, all) => long(name, all.join("").length, list(all.map((one) => quoted(one))));

function list(lines) {
  const [first, rest] = [lines.slice(0, SHOWN_MOST), lines.slice(SHOWN_MOST)].map((some) => some.map((line) => h("li", null, line)));
  return h("div", null, h("ul.queue-quotes", null, first), rest.length ? h("details", null, h("summary", null, `${rest.length} more`), h("ul.queue-quotes", null, rest)) : null);
}

const related = (relation) => (Array.isArray(relation) ? relation : [relation.type, relation.target]);

const part = (name, ...children) => h("div.queue-part", null, h("h3", null, name), ...children);

function redacted({ redactions, suggested }) {
  const lines = redactions.map(({ field, what, count }) => h("li", null, `${many(count, plain(what))} taken out of ${field}`));
  if (suggested) lines.push(h("li", null, `Suggested as ${plain(suggested.kind)} in ${plain(suggested.scope)} `, quoted(suggested.scope_id)));
  return lines.length ? part("Changed on the way in", h("ul.queue-quotes", null, lines)) : null;
}

/** The nine steps: what each asks, what it found. */
export function steps({ report }) {
  const odd = report.steps.filter((one) => one.result !== "passed").length;
  return h("section.queue-steps", null, h("h3", null, "Nine steps"),
    h("p.unseen", null, odd ? `${many(odd, "step")} did not simply pass.` : "All passed."),
    h("ol", null, report.steps.map(step)));
}

function step({ step: name, result, note }) {
  const sign = h("span.queue-sign", { class: result, "aria-hidden": "true" }, MARKS[result] ?? "?");
  const word = result === "passed" ? h("span.unseen", null, "passed") : badge(result);
  return h("li", { title: STEPS[name] ?? null }, sign, h("span.queue-step", null, plain(name), " ", word), h("small", null, note ? quoted(note) : STEPS[name]));
}

/** A heading that names the proposal without repeating it. */
export function title(row) {
  return [`${plain(row.proposal.claim.nature.kind)} by `, quoted(row.actor), " ", h("small.id", { title: row.proposal.id }, quoted(short(row.proposal.id)))];
}
