// The search beside the form: whom the memory speaks of, and the records that do, to choose from.

import { get, post } from "../../core/api.js";
import { fill, h } from "../../core/dom.js";
import { many } from "../../core/format.js";
import { field, form, input } from "../../parts/controls.js";
import { recordLink, when, who } from "../../parts/marks.js";
import { later } from "../../parts/notices.js";
import { quoted, said } from "../../parts/said.js";

const NAMES_MOST = 6;
const RECORDS_MOST = 6;
const NAME_LENGTH_MOST = 512;

/** A search whose results can be chosen: `choose(by, value)`. `clear()` takes away what it found. */
export function finder(choose, signal) {
  const words = input({ type: "search" });
  const found = h("div.found", { "aria-live": "polite" });
  const look = () => {
    const text = words.value.trim();
    if (!text) return words.focus();
    return later(found, () => search(text, signal), (answer) => results(text, answer, choose));
  };
  const element = h("aside.finder", { "aria-labelledby": "finder" }, h("h3#finder", null, "Not sure what it is called here?"),
    form(look, field("A name, or words of what was said", words, { hint: "A search is noted like any other; erasing takes its words away too." }), h("button", { type: "submit" }, "Find")), found);
  element.clear = () => {
    words.value = "";
    fill(found);
  };
  return element;
}

async function search(text, signal) {
  const [thing, recall] = await Promise.all([
    text.length <= NAME_LENGTH_MOST ? get("/api/entities", { name: text, limit: RECORDS_MOST }, { signal }) : null,
    post("/api/recall", { query: text, limit: RECORDS_MOST, floor: 0 }, { signal }),
  ]);
  return { thing, records: recall.records };
}

function results(text, { thing, records }, choose) {
  const mentioned = thing?.records.length ?? 0;
  if (!mentioned && !records.length) return h("p.none", null, "Nothing that you may read mentions this. It may go by another name here.");
  return [
    mentioned ? names(text, thing, choose) : h("p.none", null, "Nothing is known by exactly this name."),
    records.length ? h("ul.grounds", null, records.map((one) => hit(one, choose))) : null,
  ];
}

function names(text, thing, choose) {
  const known = thing.records.length < RECORDS_MOST ? many(thing.records.length, "record") : `${RECORDS_MOST} records or more`;
  const also = thing.names.filter((name) => name !== thing.entity);
  const beside = thing.related.slice(0, NAMES_MOST);
  return h("div", null,
    h("p", null, pick(choose, "subject", text), ` is mentioned in ${known}.`),
    also.length ? h("p", null, h("small", null, "It is also called ", also.map((name, place) => [place ? ", " : "", quoted(name)]), "; those are found too.")) : null,
    beside.length ? h("p.row-line", null, "Mentioned with it: ", beside.map(({ entity }) => pick(choose, "subject", entity))) : null);
}

function hit({ record }, choose) {
  const { source } = record.claim.origin;
  const session = record.claim.place.session_id;
  const subjects = [...new Set(record.claim.lineage.entities)].slice(0, NAMES_MOST);
  return h("li", null, said(record.claim.content, { by: record.actor, short: true }),
    h("div.row-line", null, recordLink(record.id), who(record.actor), when(record.created_at)),
    h("div.row-line", null, "choose ", pick(choose, "record", record.id, "this record"), subjects.map((name) => pick(choose, "subject", name)),
      source ? pick(choose, "source", source, "its source") : null, pick(choose, "actor", record.actor, "its author"), session ? pick(choose, "session", session, "its session") : null));
}

function pick(choose, by, value, words = null) {
  return h("button.pick", { type: "button", onclick: () => choose(by, value), title: words ? value : null }, words ?? quoted(value));
}
