// What a receipt told, as it was told, and what has become of it since.

import { get } from "../../core/api.js";
import { fill, h } from "../../core/dom.js";
import { many } from "../../core/format.js";
import { recordPlace } from "../../core/router.js";
import { STATUSES } from "../../core/words.js";
import { confidence, recordLink, status, when, who } from "../../parts/marks.js";
import { trouble, waiting } from "../../parts/notices.js";
import { paged } from "../../parts/paged.js";
import { quoted, said } from "../../parts/said.js";

const AT_ONCE = 10;

/** The told records in their order, a few at a time. What each says is noted in `names.known`. */
export function told(receipt, names, signal) {
  const { selected } = receipt.account;
  if (!selected.length) return h("p.lead", null, "Nothing, so nothing entered the prompt by this receipt.");
  const load = async (cursor) => {
    const from = cursor ?? 0;
    const ids = selected.slice(from, from + AT_ONCE);
    const rows = await Promise.all(ids.map((id) => present(receipt, id, signal)));
    for (const { id, found } of rows) if (found) names.known.set(id, found.record.claim.content);
    names.draw();
    return { rows, next: from + AT_ONCE < selected.length ? from + AT_ONCE : null };
  };
  return paged({ load, row: (row) => shown(receipt, row, signal), label: "What was told", empty: null });
}

/** The told revision as it is now, or null where it is not to be seen. */
async function present(receipt, id, signal) {
  const revision = receipt.account.candidates.find((one) => one.id === id && one.excluded === null)?.revision ?? null;
  try {
    return { id, revision, found: await get(`/api/records/${encodeURIComponent(id)}`, { revision }, { signal }) };
  } catch (error) {
    if (error.code !== "not_found") throw error;
    return { id, revision, found: null };
  }
}

function shown(receipt, { id, revision, found }, signal) {
  if (!found) {
    return h("li", null, h("p", null, recordLink(id), " ", h("b", null, "is no longer to be seen"), " by you: it was erased, or it is not for you. What it said is not in the receipt."));
  }
  const { record, standing } = found;
  return h("li", null, h("article.receipt-told", null,
    h("div", null, said(record.claim.content, { by: record.actor, short: true }),
      h("p.row-line", null, h("span", null, recordLink(id), revision ? ` revision ${revision}` : null, " · by ", who(record.actor), " · written ", when(record.created_at))),
      changes(receipt, id, revision, signal)),
    h("div.receipt-now", null, h("small", null, "Now"), state(found), confidence(record.claim.belief.score, standing.footing.effective))));
}

/** Whether it still holds, in words. */
function state({ record, standing, gate }) {
  const next = standing.successor;
  if (standing.status === "active" && gate !== "FILTER") return h("p", null, status("active"), " It still holds as it was told.");
  if (standing.status === "active") return h("p", null, status(gate), " It stands, but is believed too little to be told now.");
  return h("p", null, status(standing.status), " ", STATUSES[standing.status] ?? "", " ",
    next ? h("a", { href: recordPlace(next) }, next === record.id ? "See the present revision" : "See what took its place") : null);
}

/** What happened to it since it was told; asked for when it is opened. */
function changes(receipt, id, revision, signal) {
  const place = h("div");
  const since = receipt.account.plan.as_of;
  const show = async () => {
    if (!box.open || place.firstChild) return;
    fill(place, waiting());
    try {
      const { revisions } = await get(`/api/records/${encodeURIComponent(id)}/history`, {}, { signal });
      fill(place, events(revisions, since, revision));
    } catch (error) {
      fill(place, trouble(error));
    }
  };
  const box = h("details", { ontoggle: show }, h("summary", null, "What changed since?"), place);
  return box;
}

function events(revisions, since, revision) {
  const found = revisions.flatMap((one) => one.events.filter(({ epoch }) => epoch > since).map((event) => ({ ...event, revision: one.record.revision })));
  if (!found.length) return h("p", null, "Nothing was written about it since it was told.");
  return [h("p", null, h("small", null, `${many(found.length, "change")} after entry ${since}; revision ${revision} was told.`)),
    h("ul.receipt-events", null, found.map((event) => h("li", null, when(event.at), ` revision ${event.revision} `, quoted(event.what), " · ", who(event.actor), event.reason ? [": ", quoted(event.reason)] : null)))];
}
