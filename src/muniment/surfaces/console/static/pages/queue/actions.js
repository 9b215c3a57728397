// The questions a decision asks before it is staged: which kind and place, what else ends, and why.

import { get } from "../../core/api.js";
import { fill, h } from "../../core/dom.js";
import { many, shorten } from "../../core/format.js";
import { KINDS, SCOPES } from "../../core/words.js";
import { area, choice, field, input } from "../../parts/controls.js";
import { ask } from "../../parts/dialog.js";
import { recordLink, status } from "../../parts/marks.js";
import { trouble, waiting } from "../../parts/notices.js";
import { quoted, said } from "../../parts/said.js";

export const REASON = "Read and found right.";

/** Usual grounds to discard, each with the step at which it would have been found, where there is one. */
const GROUNDS = [
  ["It is not true.", null],
  ["It is known already.", "dedupe_idempotency"],
  ["There is not enough behind it.", "evidence_sufficiency"],
  ["It does not belong here.", "scope_routing"],
  ["It is not worth keeping.", "kind_classification"],
  ["It gives orders or tries to mislead.", "safety_redaction"],
];

const excerpt = (row) => said(shorten(row.proposal.claim.content, 400), { short: true });

/** Ask for another kind or place. Gives what is to be staged, or null. */
export function editing(row, reason) {
  const { nature, place } = row.proposal.claim;
  const kind = choice(KINDS, { value: nature.kind });
  const scope = choice(SCOPES, { value: place.scope });
  const scopeId = input({ value: place.scope_id });
  const why = input({ value: reason });
  const changed = (control, before) => (control.value.trim() === before ? undefined : control.value.trim());
  const act = () => {
    const change = { kind: changed(kind, nature.kind), scope: changed(scope, place.scope), scope_id: changed(scopeId, place.scope_id) };
    const same = !change.kind && !change.scope && !change.scope_id;
    return { what: same ? "accept" : "edit", reason: why.value.trim(), ...change };
  };
  const body = [excerpt(row),
    h("div.grid", null, field("Kind", kind), field("Scope", scope), field("Scope id", scopeId, { hint: "Which project, team, repository or person." })),
    field("Reason", why, { hint: "Kept with the decision." })];
  return ask("Edit and accept", body, { confirm: "Stage it", act, ready: () => scopeId.value.trim() && why.value.trim() });
}

/** Ask why something is discarded: by number, or in own words. Gives what is to be staged, or null. */
export function discarding(title, about) {
  let step = null;
  const words = area({ rows: 2, maxlength: 2000, oninput: () => (step = null) });
  const take = (number) => {
    [words.value] = GROUNDS[number];
    words.dispatchEvent(new Event("input", { bubbles: true }));
    step = GROUNDS[number][1];
    words.form.requestSubmit();
  };
  const usual = h("ol.queue-grounds-usual", null, GROUNDS.map(([ground], number) =>
    h("li", null, h("button", { type: "button", onclick: () => take(number), "aria-keyshortcuts": String(number + 1) }, h("kbd", { "aria-hidden": "true" }, number + 1), ground))));
  const press = (event) => {
    if (event.target === words || event.ctrlKey || event.metaKey || event.altKey) return;
    if (GROUNDS[event.key - 1]) event.preventDefault(), take(event.key - 1);
    else if (event.key.length === 1 && event.key !== " ") words.focus();
  };
  const body = h("div.dialog-body", { onkeydown: press }, about, usual, field("Or in your own words", words, { hint: "Kept with the decision; whoever proposed it can read it." }));
  const act = () => {
    const reason = words.value.trim();
    return { what: "discard", reason, objections: step ? [{ step, rule: "reviewer", reason }] : [] };
  };
  return ask(title, body, { confirm: "Stage it", tone: "danger", act, ready: () => words.value.trim() });
}

export const discardingOne = (row) => discarding("Discard", excerpt(row));

/** Ask which of the records beside it end when it is accepted, with what falls with each. */
export function deprecating(row, records, reason, signal) {
  const why = input({ value: reason });
  const boxes = records.map((disclosed) => other(disclosed, row.report.contradicts, signal));
  const taken = () => boxes.filter(({ box }) => box.checked).map(({ disclosed: { record } }) => ({ id: record.id, revision: record.revision }));
  const body = [excerpt(row), h("fieldset.queue-others", null, h("legend", null, "These end when it is accepted"), boxes.map(({ element }) => element)), field("Reason", why, { hint: "Kept with both decisions." })];
  return ask("Accept and deprecate", body, {
    confirm: "Stage it",
    act: () => ({ what: "deprecate", reason: why.value.trim(), others: taken() }),
    ready: () => taken().length && why.value.trim(),
  });
}

function other(disclosed, contradicts, signal) {
  const { record, standing } = disclosed;
  const box = h("input", { type: "checkbox", checked: contradicts.includes(record.id) || contradicts.length === 0 });
  const falls = h("div", null, waiting("Looking what would fall with it …"));
  get(`/api/records/${encodeURIComponent(record.id)}/foresight`, { becomes: "deprecated" }, { signal })
    .then((seen) => fill(falls, fallen(seen)), (error) => fill(falls, trouble(error)));
  const element = h("div.queue-other", null,
    h("label.tick", null, box, h("span", null, quoted(shorten(record.claim.content, 160)))), h("p.row-line", null, recordLink(record.id), status(standing.status)), falls);
  return { box, disclosed, element };
}

/** What falls with a record, in words and with links. */
export function fallen({ falls }) {
  if (!falls.length) return h("p.none", null, "Nothing else stands on it.");
  const lines = falls.slice(0, 5).map((fall) =>
    h("li", null, recordLink(fall.id), " ", quoted(shorten(fall.content, 80)), " ", h("small", null, `${fall.before.gate} → ${fall.after.gate}`)));
  return h("div", null, h("p", null, `${many(falls.length, "record stands", "records stand")} on it and would be judged anew:`), h("ul.queue-quotes", null, lines),
    falls.length > 5 ? h("p.none", null, `and ${falls.length - 5} more`) : null);
}
