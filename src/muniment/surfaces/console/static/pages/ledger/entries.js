// The entries of the ledger, the newest first, a page at a time.

import { get } from "../../core/api.js";
import { fill, fresh, h } from "../../core/dom.js";
import { count, many, plain } from "../../core/format.js";
import { onChange } from "../../core/live.js";
import { button, choice, field, form, input } from "../../parts/controls.js";
import { jsonBlock } from "../../parts/files.js";
import { when, who } from "../../parts/marks.js";
import { nothing } from "../../parts/notices.js";
import { paged } from "../../parts/paged.js";
import { deeds, ENTRY_KINDS } from "./words.js";

const PAGE = 50;

/** The tab. It begins at the head, or at position `at`. */
export function entriesTab(head, at, signal) {
  const seen = { top: head.seq, from: at ?? head.seq, kind: "", known: new Map(), rows: [] };
  const told = h("p.none", { role: "status" });
  const news = h("p");
  const list = paged({
    label: "Entries, the newest first",
    load: (cursor) => page(seen, cursor ?? seen.from, signal),
    row: (entry) => row(entry, seen, () => tell(seen, told)),
    empty: nothing("No entry at or before this position", "Entries are counted from 1. A position above the head begins at the head."),
    more: "Show earlier entries",
  });
  const begin = (position) => {
    Object.assign(seen, { from: position, rows: [] });
    fill(news);
    fill(told);
    return list.reload();
  };
  onChange((epoch) => epoch > seen.top && announce(seen, epoch, news, begin), signal);
  return h("div", null, chooser(seen, told, begin), news, told, list);
}

/** Entries that lead down from one position; the server lists them upwards. */
async function page(seen, from, signal) {
  const last = Math.min(from, seen.top);
  const first = Math.max(1, last - PAGE + 1);
  if (last < 1) return { rows: [], next: null };
  const { entries } = await get("/api/ledger/entries", { first, last, limit: PAGE }, { signal });
  for (const { births } of entries) for (const { rid, id } of births) seen.known.set(rid, id);
  return { rows: entries.reverse(), next: first > 1 ? first - 1 : null };
}

function chooser(seen, told, begin) {
  const position = input({ type: "number", min: 1, max: seen.top, inputmode: "numeric", placeholder: String(seen.top) });
  const kinds = choice(Object.keys(ENTRY_KINDS), { any: "every kind", onchange: () => narrow(seen, kinds.value, told), spell: (kind) => `${kind}: ${ENTRY_KINDS[kind]}` });
  const jump = () => begin(position.value ? Math.max(1, Math.trunc(Number(position.value)) || 1) : seen.top);
  return form(jump, h("div.ledger-chooser", null,
    field("Position", position), h("button", { type: "submit" }, "Go there"),
    button("Newest", () => ((position.value = ""), begin(seen.top))),
    field("Show only", kinds)));
}

function narrow(seen, kind, told) {
  seen.kind = kind;
  for (const { element, entry } of seen.rows) element.hidden = Boolean(kind) && entry.kind !== kind;
  tell(seen, told);
}

/** A filter looks at what is on the page and says so. */
function tell(seen, told) {
  const shown = seen.rows.filter(({ element }) => !element.hidden).length;
  const words = `${count(shown)} of the ${many(seen.rows.length, "entry", "entries")} on this page. Earlier ones are looked at when you show them.`;
  fill(told, seen.kind ? words : null);
}

function announce(seen, epoch, news, begin) {
  const more = epoch - seen.top;
  fill(news, button(`${many(more, "new entry", "new entries")}: show`, () => {
    seen.top = epoch;
    return begin(epoch);
  }));
}

function row(entry, seen, told) {
  const done = deeds(entry, seen.known);
  const element = h("li.entry", { "data-seq": entry.seq },
    h("span.entry-seq", null, count(entry.seq)),
    h("span.entry-kind", { title: ENTRY_KINDS[entry.kind] }, plain(entry.kind)),
    h("ul.entry-deeds", null, (done.length ? done : [ENTRY_KINDS[entry.kind]]).map((deed) => h("li", null, deed))),
    h("span.entry-by", null, who(entry.actor), " ", when(entry.at)));
  element.append(...disclosed(entry));
  element.hidden = Boolean(seen.kind) && entry.kind !== seen.kind;
  seen.rows.push({ element, entry });
  queueMicrotask(told);
  return element;
}

/** The entry as it stands in the ledger, for those who open it. */
function disclosed(entry) {
  const place = h("div.entry-raw", { id: fresh("raw"), hidden: true });
  const opener = h("button.quiet", { type: "button", "aria-expanded": "false", "aria-controls": place.id, "aria-label": `JSON of entry ${entry.seq}`, onclick: () => {
    place.hidden = !place.hidden;
    opener.setAttribute("aria-expanded", String(!place.hidden));
    if (!place.firstChild) place.append(jsonBlock(entry, `entry-${entry.seq}.json`));
  } }, "JSON");
  return [opener, place];
}
