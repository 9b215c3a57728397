// Where a record left its trace: the answers it entered, and the entries of the ledger that concern it.

import { get } from "../../core/api.js";
import { fill, h } from "../../core/dom.js";
import { count, many, plain, share } from "../../core/format.js";
import { to } from "../../core/router.js";
import { session } from "../../core/session.js";
import { badge, when, who } from "../../parts/marks.js";
import { jsonBlock } from "../../parts/files.js";
import { later, nothing, progress, trouble } from "../../parts/notices.js";
import { quoted } from "../../parts/said.js";
import { unfolding } from "./history.js";

const FOUND_ENOUGH = 20;
const WINDOWS_MOST = 10;
const ENTRIES_FIRST = 20;

/** The tab of receipts. They are looked through a window at a time, so that it says how far it is. */
export function receipts(about) {
  const why = session.barred("audit");
  if (why) return nothing("Receipts are for those who audit", `${why} What you were told yourself is on the receipt you were given: open it by its id.`);
  const list = h("ol.rows", { "aria-label": "Receipts by which this record was told" });
  const foot = h("div.foot", { "aria-live": "polite" });
  const element = h("div.record-receipts", null, h("p.lead", null, "Each answer that told this record, the newest first."), list, foot);
  look(about, { list, foot, element }, null);
  return element;
}

async function look(about, places, cursor) {
  const { list, foot, element } = places;
  element.setAttribute("aria-busy", "true");
  try {
    const before = list.children.length;
    for (let window = 0; window < WINDOWS_MOST; window += 1) {
      const page = await about.ask("receipts", { cursor, limit: 50 });
      list.append(...page.receipts.map(telling));
      cursor = page.next;
      if (!cursor) return finished(list, foot, page);
      fill(foot, progress(`Looked through ${count(page.looked)} of ${many(page.of, "receipt")} …`, page.looked, page.of));
      if (list.children.length - before >= FOUND_ENOUGH) break;
    }
    foot.append(h("button", { type: "button", onclick: () => look(about, places, cursor) }, "Look further"));
  } catch (error) {
    if (error.name !== "AbortError") fill(foot, trouble(error, () => look(about, places, cursor)));
  } finally {
    element.removeAttribute("aria-busy");
  }
  return null;
}

function finished(list, foot, { of }) {
  const looked = `All ${many(of, "receipt")} were looked through.`;
  fill(foot, list.children.length ? h("small", null, looked)
    : nothing("It was told to nobody yet", `${looked} A receipt is left whenever somebody recalls: `, h("code", null, "muniment recall “a question”")));
}

function telling({ receipt_id, at, actor, purpose, revision, rank, score }) {
  return h("li", null, h("div.row-line", null, h("a", { href: to(`/receipts/${encodeURIComponent(receipt_id)}`) }, when(at)), h("span", null, "told to ", who(actor)), h("span", null, "for ", quoted(purpose)),
    h("span", null, `revision ${revision}`), rank === null ? badge("beside the answer") : h("span", null, `rank ${count(rank)}`), h("span", null, `score ${share(score)}`)));
}

/** The tab of ledger entries: what happened is told to all who may read the record, the entry itself to auditors. */
export function ledger(about) {
  const place = h("div.record-ledger");
  later(place, about.history, ({ revisions }) => entries(about, revisions));
  return place;
}

function entries(about, revisions) {
  const found = new Map();
  for (const { events, record } of revisions) {
    for (const event of events) found.set(event.epoch, [...(found.get(event.epoch) ?? []), { ...event, revision: record.revision }]);
  }
  const why = session.barred("audit");
  const listed = [...found].sort(([a], [b]) => b - a);
  return [h("p.lead", null, `${many(listed.length, "entry", "entries")} of the ledger concern this record, the newest first.${why ? "" : " The ledger holds no content, only what proves it."}`),
    why ? h("p", null, h("small", null, `The entries themselves are for those who audit. ${why}`)) : null,
    unfolding(listed, ENTRIES_FIRST, ([epoch, events]) => entry(about, epoch, events, why === null), "Show earlier entries", "ol.rows")];
}

function entry(about, epoch, events, audits) {
  const [{ at, actor, reason }] = events;
  return h("li", null,
    h("div.row-line", null, h("b", null, `Entry ${count(epoch)}`), when(at), actor ? h("span", null, "by ", who(actor)) : null, events.map(({ what, revision }) => h("span", null, `revision ${revision} ${plain(what)}`))),
    reason ? quoted(reason) : null, audits ? itself(about, epoch) : null);
}

function itself(about, epoch) {
  const place = h("div");
  const load = () => get("/api/ledger/entries", { first: epoch, last: epoch }, { signal: about.signal });
  const open = (event) => event.target.open && !place.childNodes.length && later(place, load, (page) => page.entries.map((found) => jsonBlock(found, `entry-${epoch}.json`)));
  return h("details", { ontoggle: open }, h("summary", null, `Read entry ${count(epoch)}`), place, h("a", { href: to("/ledger", { at: epoch }) }, "Find it in the ledger"));
}
