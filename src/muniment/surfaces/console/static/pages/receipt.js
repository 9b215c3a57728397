// One receipt: why this entered the prompt.

import { get } from "../core/api.js";
import { h } from "../core/dom.js";
import { count, exact, plain } from "../core/format.js";
import { to } from "../core/router.js";
import { ABSTENTIONS } from "../core/words.js";
import { facts, when, who } from "../parts/marks.js";
import { nothing } from "../parts/notices.js";
import { quoted, said } from "../parts/said.js";
import { again } from "./receipt/again.js";
import { candidates } from "./receipt/candidates.js";
import { plan } from "./receipt/plan.js";
import { told } from "./receipt/told.js";
import { SORTS, askedFor, ended, isErased, sortOf } from "./receipt/words.js";
import { kept, sought } from "./search/beside.js";
import { ofQuery, toAddress } from "./search/bounds.js";

/** Open a receipt; it is decided again while it is read. */
export async function open(view, { parts, signal }) {
  const head = h("header", null, h("h1", null, "Receipt"), h("p.lead", null, "Why this entered the prompt."));
  let receipt = null;
  try {
    receipt = await get(`/api/receipts/${encodeURIComponent(parts.id)}`, {}, { signal });
  } catch (error) {
    if (error.code !== "not_found" && error.code !== "malformed") throw error;
    view.append(head, nothing("There is no such receipt that you may read",
      "A receipt is open to whom the answer was given to, and to those who may audit.", h("a", { href: "#/receipts" }, "Go to the receipts")));
    return;
  }
  const { account } = receipt;
  const known = new Map();
  const names = { known, draw: () => compared.redraw() };
  const compared = again(receipt, known, signal);
  view.append(head,
    question(receipt),
    section("What was told", told(receipt, names, signal)),
    section("Decided again", compared),
    section("Kept back", kept(account.excluded, () => null, "the one who asked")),
    section("How it was sought", sought({ searched: account.searched, considered: account.considered, epoch: receipt.epoch })),
    section("Candidates, in rank order", candidates(receipt)),
    section("The plan", plan(receipt)));
}

const section = (title, ...body) => h("section.receipt-part", null, h("h2", null, title), body);

function question({ receipt_id: id, at, epoch, account }) {
  const { query, actor } = account;
  const sort = sortOf(query);
  return h("section.card.receipt-question", null,
    sort === "question" && !isErased(query) ? said(query.text, { by: actor.id }) : h("p", null, askedFor(query)),
    isErased(query) ? h("p.lead", null, "Something was forgotten that the question spoke of, so its words were taken out of the receipt. What was told and why is still here.") : null,
    facts([
      ["Asked by", [who(actor.id), h("small", null, ` ${[...new Set([actor.type, ...actor.roles])].map(plain).join(", ")}`)]],
      ["When", [when(at), h("small", null, ` ${exact(at)}`)]],
      ["For the purpose", quoted(query.purpose)],
      ["What it was", SORTS[sort]],
      ["Answered at", `entry ${count(epoch)} of the ledger`],
      ["How it ended", ended(account)],
      ["Receipt", h("span.id.receipt-id", null, id)],
    ]),
    account.abstained ? h("p.receipt-abstained", null, h("b", null, "Nothing was told. "), ABSTENTIONS[account.abstained] ?? plain(account.abstained)) : null,
    sort === "question" && !isErased(query) ? h("p", null, h("a", { href: to("/search", toAddress(query.text, ofQuery(query))) }, "Open this question in Search"), h("small", null, " – asks it now, as yourself")) : null);
}
