// What stands beside an answer: how it was sought, what was kept back under which rule, and its receipt.

import { h } from "../../core/dom.js";
import { count, exact, many, plain, share } from "../../core/format.js";
import { to } from "../../core/router.js";
import { button } from "../../parts/controls.js";
import { facts, short } from "../../parts/marks.js";
import { quoted } from "../../parts/said.js";
import { remedy } from "./remedies.js";
import { ruleWords } from "./words.js";

/** The account of an answer. `change(remedy)` asks again in another way. When nothing is told, what was kept back stands
 *  on the page itself. */
export function beside(recall, bounds, change) {
  return h("aside.search-beside", { "aria-label": "How this answer came about" },
    h("h2", null, "How it was sought"), sought(recall),
    recall.abstained ? null : [h("h2", null, "Kept back"), kept(recall.excluded, (rule) => remedyButton(rule, bounds, change))],
    h("h2", null, "Receipt"),
    h("p", null, "Every answer leaves one. ", receiptLink(recall.receipt_id)));
}

export function receiptLink(id, words = null) {
  return h("a.id", { href: to(`/receipts/${encodeURIComponent(id)}`), title: id }, words ?? short(id));
}

/** How an answer was sought: by which words and names, about which time, and whether by meaning. */
export function sought({ searched, considered, epoch }) {
  const list = (words) => (words.length ? words.flatMap((word, place) => [place ? ", " : null, quoted(word)]) : null);
  const model = searched.model ? [quoted(searched.model), searched.trailing ? h("small", null, ` ${many(searched.trailing, "entry", "entries")} behind`) : null]
    : ["no", searched.why ? h("small", null, " – ", quoted(searched.why)) : null];
  return facts([
    ["Words", list(searched.words) ?? "none"],
    ["Too common to search", list(searched.left_out)],
    ["Names", list(searched.names)],
    ["Time asked about", searched.span ? `${exact(searched.span[0])} to ${exact(searched.span[1])}` : null],
    ["By meaning", h("span", null, model)],
    ["Fit of the best", searched.fit === null ? null : share(searched.fit)],
    ["Looked at closely", many(considered, "record")],
    ["Ledger position", epoch === undefined ? null : count(epoch)],
  ]);
}

/** What was kept back: how much under which rule, in words. `act(rule)` may give a button. `reader` is
 *  whose answer it was. */
export function kept(excluded, act = () => null, reader = "you") {
  const rules = Object.entries(excluded).sort(([, a], [, b]) => b - a);
  if (!rules.length) return h("p.lead", null, `Nothing that ${reader} may see was kept back.`);
  return h("ul.search-kept", null, rules.map(([rule, number]) =>
    h("li", null, h("b.search-kept-count", null, count(number)), h("span", null, h("span.search-kept-rule", null, plain(rule)), h("small", null, ruleWords(rule)), act(rule)))));
}

function remedyButton(rule, bounds, change) {
  const found = remedy(rule, bounds);
  return found ? button(found.words, () => change(found), { tone: "quiet" }) : null;
}
