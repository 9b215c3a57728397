// A receipt decided again, searched again, and asked again: what was told then beside what would be told.

import { get, post } from "../../core/api.js";
import { fill, h } from "../../core/dom.js";
import { count, many, shorten } from "../../core/format.js";
import { recordPlace } from "../../core/router.js";
import { session } from "../../core/session.js";
import { button } from "../../parts/controls.js";
import { badge, short } from "../../parts/marks.js";
import { later } from "../../parts/notices.js";
import { visible } from "../../parts/said.js";
import { isErased, sortOf } from "./words.js";
import { receiptLink } from "../search/beside.js";
import { ofQuery, toBody } from "../search/bounds.js";

const SHOWN = 60;

/** The comparison, with buttons for the other ways to go over it. `redraw()` when more is `known` of what records say. */
export function again(receipt, known, signal) {
  const then = receipt.account.selected;
  const place = h("div.receipt-compared", { role: "status" });
  const element = h("div", null);
  let drawn = () => fill(place, decided(receipt, known));

  const show = (work, draw, words) => later(place, work, (found) => {
    drawn = () => fill(place, draw(found));
    return draw(found);
  }, words);

  const replay = () => show(
    () => get(`/api/receipts/${encodeURIComponent(receipt.receipt_id)}`, { replay: true }, { signal }),
    (found) => [
      h("p", null, verdict(found.same_ids), ` A store was rebuilt from the ledger up to entry ${count(receipt.epoch)} and searched from nothing.`, found.note ? ` Note: ${found.note}.` : null),
      sideBySide(then, found.again, known, "Told then", "Searched again as it was"),
    ],
    `Rebuilding the store up to entry ${count(receipt.epoch)} and searching again …`);

  const now = () => show(
    () => post("/api/recall", { ...toBody(ofQuery(receipt.account.query)), query: receipt.account.query.text }, { signal }),
    (recall) => {
      for (const one of recall.records) known.set(one.record.id, one.record.claim.content);
      const ids = recall.records.map((one) => one.record.id);
      return [
        h("p", null, verdict(same(then, ids)), " Asked just now, as yourself, under the rules of today", mine(receipt) ? "" : "; you may know more or less than who asked then", ". ", receiptLink(recall.receipt_id, "Its receipt")),
        sideBySide(then, ids, known, "Told then", "Told to you now"),
      ];
    }, "Asking …");

  const { query } = receipt.account;
  const erased = isErased(query) ? "The words of the question were erased, so it cannot be searched for again." : null;
  const asks = sortOf(query) === "question" ? erased : "Only questions can be asked again from here.";
  element.append(place, h("div.actions", null,
    button("Decide again", () => show(() => get(`/api/receipts/${encodeURIComponent(receipt.receipt_id)}`, {}, { signal }), (found) => decided(found, known), "Deciding again …")),
    button("Search again as it was", replay, { why: erased }),
    button("Ask the same now", now, { why: asks })));
  element.redraw = () => drawn();
  drawn();
  return element;
}

const mine = (receipt) => receipt.account.actor.id === session.caller.actor.id;
const same = (one, other) => one.length === other.length && one.every((id, place) => id === other[place]);
const verdict = (equal) => (equal ? badge("the same", { tone: "good" }) : badge("not the same", { tone: "bad" }));

function decided(found, known) {
  return [
    h("p", null, verdict(found.same_ids), " The recorded candidates were taken through the rules once more, as everything stood then."),
    sideBySide(found.account.selected, found.again, known, "Told then", "Decided again"),
  ];
}

/** Two lists in their order, with what differs marked in words. */
function sideBySide(then, now, known, first, second) {
  if (!then.length && !now.length) return h("p.lead", null, "Nothing was told, and nothing would be.");
  const column = (title, ids, others, gone) => h("div", null, h("h3", null, `${title} (${many(ids.length, "record")})`),
    ids.length ? h("ol", null, ids.slice(0, SHOWN).map((id, place) => h("li", null, h("span.receipt-rank", null, place + 1), link(id, known), mark(place, others.indexOf(id), gone)))) : h("p.none", null, "nothing"),
    ids.length > SHOWN ? h("p.none", null, `and ${many(ids.length - SHOWN, "more", "more")}`) : null);
  return h("div.receipt-sides", null, column(first, then, now, "not told again"), column(second, now, then, "not told then"));
}

function mark(place, other, gone) {
  if (other === place) return null;
  return other < 0 ? badge(gone, { tone: "bad" }) : badge(`place ${other + 1} beside`, { tone: "warn", title: "It stands in another place of the other list." });
}

function link(id, known) {
  const words = known.get(id);
  return h("a", { href: recordPlace(id), title: id }, words ? h("bdi", null, visible(shorten(words, 90))) : short(id));
}
