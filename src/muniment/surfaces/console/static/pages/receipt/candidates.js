// Everything that was looked at for an answer, in rank order, with what became of each.

import { fill, h } from "../../core/dom.js";
import { many, plain } from "../../core/format.js";
import { recordPlace } from "../../core/router.js";
import { button } from "../../parts/controls.js";
import { badge, short } from "../../parts/marks.js";
import { table } from "../../parts/paged.js";
import { quoted } from "../../parts/said.js";
import { scoreBar } from "../search/score.js";
import { ruleWords } from "../search/words.js";

const FIRST = 15;
const HEADS = ["Rank", "Record", "Score", "Outcome", "How it came in"];

/** The candidates as a table; the first few, then all. */
export function candidates({ account }) {
  const all = account.candidates;
  if (!all.length) return h("p.lead", null, "None: no record that the caller may see held any of the words, or was near in meaning.");
  const best = Math.max(...all.map(({ score }) => score), 0);
  const place = h("div");
  const draw = (number) => fill(place,
    table(HEADS, all.slice(0, number).map((one, rank) => row(one, rank, best)), { caption: `${many(Math.min(number, all.length), "candidate")} of ${all.length}` }),
    number < all.length ? button(`Show all ${all.length}`, () => draw(all.length)) : null);
  draw(FIRST);
  return place;
}

function row({ id, revision, score, via, excluded, parts }, rank, best) {
  const link = h("a.id", { href: recordPlace(id, { revision }), title: id }, short(id));
  return [
    rank + 1,
    h("span", null, link, ` revision ${revision}`),
    h("span.receipt-score", null, scoreBar(best > 0 ? score / best : 0, parts), h("small", null, score.toFixed(3))),
    excluded === null ? badge("told", { tone: "good" }) : h("span", { title: ruleWords(excluded) }, h("b", null, plain(excluded)), h("small", null, ` ${ruleWords(excluded)}`)),
    via ? quoted(via) : "on its own merit",
  ];
}
