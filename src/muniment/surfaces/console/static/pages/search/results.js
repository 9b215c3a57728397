// The records of an answer, each with how well it fits, how far it is believed, and why it is told.

import { h } from "../../core/dom.js";
import { many, plain } from "../../core/format.js";
import { recordPlace, to } from "../../core/router.js";
import { LABELS } from "../../core/words.js";
import { badge, confidence, gate, short, status, when, who } from "../../parts/marks.js";
import { quoted, said } from "../../parts/said.js";
import { scoreBar, scoreTable } from "./score.js";
import { PRESENTED } from "./words.js";

const AROUND = 80;
const SHOWN_MOST = 1_200;

/** The answer as a list in rank order. */
export function results(recall) {
  return h("ol.rows.search-results", { "aria-label": "What is told" }, recall.records.map((one, place) => h("li", null, result(one, place + 1))));
}

function result(one, rank) {
  const { record } = one;
  return h("article.search-result", null,
    h("div.search-main", null,
      text(one),
      origin(one),
      warnings(one),
      why(one, rank)),
    h("div.search-side", null,
      figure("Fits", scoreBar(one.score, one.parts)),
      figure("Believed", confidence(record.claim.belief.score, one.standing.footing.effective, record.claim.belief.unstated)),
      openRecord(record.id)));
}

/** A record in one line, for lists that are not ranked. */
export function listed(one) {
  const { record } = one;
  return h("li", null, h("article.search-result", null,
    h("div.search-main", null, said(record.claim.content, { by: record.actor, short: true }), origin(one), warnings({ ...one, gate: null })),
    h("div.search-side", null,
      figure("Believed", confidence(record.claim.belief.score, one.standing.footing.effective, record.claim.belief.unstated)),
      openRecord(record.id))));
}

const openRecord = (id) => h("a", { href: recordPlace(id) }, "Open the record", h("span.unseen", null, ` ${id}`));

const figure = (name, value) => h("span.search-figure", null, h("small", null, name), value);

/** What it says: all of it if it is short, else what stands around the passage that fits. */
function text({ record, passage }) {
  const signs = [...record.claim.content];
  if (!passage) return said(record.claim.content, { by: record.actor, short: signs.length > SHOWN_MOST / 2 });
  const from = Math.max(0, passage[0] - AROUND);
  const upto = Math.min(signs.length, passage[1] + AROUND);
  return h("div.search-excerpt", null,
    said(signs.slice(from, upto).join(""), { by: record.actor, passage: [passage[0] - from, passage[1] - from] }),
    h("small", null, `The passage that fits, characters ${passage[0] + 1} to ${passage[1]} of ${signs.length}.`));
}

/** What sort of memory it is and where it comes from, and what is not as usual about it. */
function origin(one) {
  const { record, standing, presented } = one;
  const label = standing.footing.label;
  const kind = record.claim.nature.kind;
  const told = [
    plain(kind),
    h("span", null, "by ", who(record.actor)),
    h("span", { title: LABELS[label] ?? null }, `from ${LABEL_WORDS[label] ?? plain(label)}`),
    when(record.created_at),
    record.revision > 1 ? `revision ${record.revision}` : null,
    quoted(record.claim.place.namespace),
  ].filter((piece) => piece !== null);
  return h("p.row-line", null,
    h("span", null, told.flatMap((piece, place) => (place ? [" · ", piece] : [piece]))),
    presented === "claim" || presented === kind ? null : badge(presented, { tone: presented === "contested" ? "warn" : "plain", title: PRESENTED[presented] }),
    one.gate === "PASS" ? null : gate(one.gate),
    ["active", "contested"].includes(standing.status) ? null : status(standing.status));
}

const LABEL_WORDS = {
  person: "a person", tool: "a tool", system: "the system", agent: "an agent", import: "another memory", external: "outside", unknown: "an unknown source",
};

/** What a reader must know beside the words: disputes with a way to them, and other notices. */
function warnings({ conflicts, disputed_by: sides = [], notices, gate: flag }) {
  const rest = notices.filter((notice) => !conflicts.some((id) => notice.includes(id)));
  if (!conflicts.length && !rest.length && flag !== "FLAG") return null;
  return h("ul.search-warnings", null,
    flag === "FLAG" ? h("li", null, "Told with a warning: it is believed less than the gate asks for.") : null,
    conflicts.map((id) => dispute(id, sides.find((side) => side.conflict === id))),
    rest.map((notice) => h("li", null, quoted(notice))));
}

/** One dispute: what the other side says, and the way to the conflict. */
function dispute(id, side) {
  const way = h("a", { href: to(`/conflicts/${encodeURIComponent(id)}`) }, `See conflict ${short(id)}`);
  if (!side) return h("li", null, "Disputed; neither side is asserted. ", way);
  return h("li", null, "Disputed; neither side is asserted. ", who(side.actor), " says: ",
    said(side.whole ? side.content : `${side.content} …`, { by: side.actor, short: true }),
    h("a", { href: recordPlace(side.id) }, "Open the other side"), " · ", way);
}

/** Why it is told; made when it is opened, so that a long answer stays quick. */
function why(one, rank) {
  const box = h("details.search-why", { ontoggle: () => box.open && box.children.length === 1 && box.append(reasons(one, rank)) }, h("summary", null, "Why this?"));
  return box;
}

function reasons(one, rank) {
  const { record, standing } = one;
  const told = one.reasons.filter((reason) => !reason.startsWith("ranked by"));
  return h("div.search-reasons", null,
    h("ul", null, told.map((reason) => h("li", null, quoted(reason)))),
    scoreTable(one.parts, `What the score of result ${rank} is the sum of`),
    h("p", null, h("small", null, many(record.claim.belief.evidence.length, "piece", "pieces"), " of evidence; declared ",
      record.claim.belief.score.toFixed(2), ", moved by outcomes to ", standing.footing.own.toFixed(2), ", effective ",
      standing.footing.effective.toFixed(2), " (the weakest of all it stands on).")));
}
