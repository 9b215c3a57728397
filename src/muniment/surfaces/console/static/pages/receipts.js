// Receipts: everything that was told, the newest first.

import { get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { exact, many } from "../core/format.js";
import { mark, to, visit } from "../core/router.js";
import { session } from "../core/session.js";
import { choice, field, form, input } from "../parts/controls.js";
import { when, who } from "../parts/marks.js";
import { nothing } from "../parts/notices.js";
import { paged } from "../parts/paged.js";
import { SORTS, askedFor, ended, purposeWords, sortOf } from "./receipt/words.js";

const PAGE = 20;
const PAGES_AT_ONCE = 5;

/** Open the list; who may not audit is shown how to come to their own receipts. */
export async function open(view, { query, signal }) {
  const barred = session.barred("audit");
  view.append(
    h("header", null, h("h1", null, "Receipts"),
      h("p.lead", null, "Every answer leaves one: who asked what and why, what was told, what was kept back and under which rule.")));
  if (!barred) return list(view, query, signal);
  view.append(nothing("The list of receipts is not open to you", barred,
    "It takes a credential with the grant audit, such as an owner makes by ", h("code", null, "muniment keys create auditor --grant read --grant audit"), ", and a review rule of the policy that lets its actor audit."), byId());
  return null;
}

/** A receipt by its id: everybody may read their own. */
function byId() {
  const id = input({ placeholder: "rcp_…" });
  return form(() => id.value.trim() && visit(to(`/receipts/${encodeURIComponent(id.value.trim())}`)),
    h("div.receipt-by-id", null, field("A receipt by its id", id, { hint: "What was told to you, you may always look into. Each answer names its receipt." }),
      h("button", { type: "submit" }, "Open")));
}

function list(view, query, signal) {
  const actor = input({ value: query.get("actor") ?? "" });
  const sort = choice(Object.keys(SORTS), { value: query.get("what") ?? "", any: "anything", spell: (word) => `${word}s` });
  const looked = h("p.receipt-looked", { role: "status" });
  let latest = { number: 0, back: null };
  const wanted = ({ account }) => (!actor.value.trim() || account.actor.id === actor.value.trim()) && (!sort.value || sortOf(account.query) === sort.value);

  /** The next receipts that are wanted: a bounded number of pages is looked through at once. */
  async function load(cursor) {
    if (cursor === null) latest = { number: 0, back: null };
    const seen = latest;
    const rows = [];
    for (let page = 0; page < PAGES_AT_ONCE && rows.length < PAGE; page += 1) {
      const found = await get("/api/receipts", { newest: true, limit: PAGE, cursor }, { signal });
      seen.number += found.receipts.length;
      seen.back = found.receipts.at(-1)?.entry.at ?? seen.back;
      rows.push(...found.receipts.filter(wanted));
      cursor = found.next;
      if (!cursor) break;
    }
    if (seen === latest) tell(seen, cursor);
    return { rows, next: cursor };
  }

  function tell(seen, next) {
    const far = seen.back ? `, back to ${exact(seen.back)}` : "";
    const filtered = actor.value.trim() || sort.value;
    fill(looked, filtered ? `Looked through ${many(seen.number, "receipt")}${far}${next ? "; there are older ones" : "; these are all"}.` : "");
  }

  const rows = paged({ load, row, label: "Receipts, the newest first", more: "Look further back", empty: empty() });
  const choose = () => (mark({ actor: actor.value.trim(), what: sort.value }), rows.reload());
  sort.addEventListener("change", choose);
  view.append(
    h("div.receipt-filters", null, form(choose, h("div.receipt-by-id", null, field("Asked by", actor), field("What was asked", sort), h("button", { type: "submit" }, "Show"))), byId()),
    looked, rows);
  return null;
}

const empty = () => h("div", null, nothing("No receipt is here", "Whenever a memory is asked, by an agent or a person, the receipt of the answer comes here. With a filter: nobody asked within it. ",
  h("code", null, "muniment recall \"where is the staging database?\"")));

function row({ entry, account }) {
  return h("li", null, h("article.receipt-row", null,
    h("div", null,
      h("a.receipt-asked", { href: to(`/receipts/${encodeURIComponent(entry.id)}`) }, askedFor(account.query)),
      h("p.row-line", null, h("span", null, when(entry.at), " · ", who(account.actor.id), " · ", purposeWords(account.query.purpose),
        account.query.known_at ? ` · as known on ${exact(account.query.known_at)}` : null))),
    ended(account)));
}
