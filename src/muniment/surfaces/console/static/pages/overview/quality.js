// How good the memory is now. It reads every record the caller may see, so it is done when somebody asks for it.

import { get } from "../../core/api.js";
import { h } from "../../core/dom.js";
import { count, many, plain, share } from "../../core/format.js";
import { recordPlace } from "../../core/router.js";
import { session } from "../../core/session.js";
import { button } from "../../parts/controls.js";
import { badge, when } from "../../parts/marks.js";
import { later } from "../../parts/notices.js";
import { said } from "../../parts/said.js";

const BANDS = { good: "80 and more", fair: "60 to 79", weak: "40 to 59", poor: "below 40" };
const FLAWS = {
  weak: "believed little", unsure: "not sure themselves", contested: "contested", unsourced: "without a source",
  no_session: "of no session", unattributed: "of nobody known",
};
let kept = null;

export function quality(signal) {
  const place = h("div");
  const score = () => later(place, async () => (kept = { for: caller(), at: new Date().toISOString(), found: await get("/api/quality", {}, { signal }) }), shown, "Reading every record you may see …");
  const shown = ({ at, found }) => result(found, at, score);
  place.append(kept?.for === caller() ? shown(kept) : h("p.actions", null, button("Score the memory", score), h("span.none", null, "Reads every record you may see; with very many that takes a while.")));
  return h("section", { "aria-labelledby": "quality" }, h("h2#quality", null, "Quality now"), place);
}

const caller = () => `${session.caller.tenant} ${session.caller.actor.id} ${session.caller.credential}`;

function result(found, at, score) {
  if (!found.records) return h("p.none", null, "There is no record that you may see.");
  const { integrity } = found;
  return h("div.quality", null,
    h("div", null,
      h("p", null, h("b.quality-mean", null, found.mean.toFixed(0)), ` of 100 on average, over ${many(found.records, "record")}.`),
      h("ul.bands", null, Object.entries(BANDS).map(([band, words]) => bandRow(band, words, found.bands[band] ?? 0, found.records))),
      h("p.row-line", null, h("span", null, "Scored ", when(at), "."), button("Score again", score, { tone: "small" })),
      h("h3", null, "Can it be attributed?"),
      h("p", null, badge(integrity.passed ? "yes" : "not enough", { tone: integrity.passed ? "good" : "bad" }), ` ${share(integrity.score)}, ${plain(integrity.band)}`),
      h("ul.flaws", null, integrity.findings.map(({ what, count: number }) => h("li", null, h("b", null, count(number)), ` ${FLAWS[what] ?? plain(what)}`)))),
    h("div", null, h("h3", null, "The worst of them"), h("ol.worst", null, found.worst.map(worstRow))));
}

function bandRow(band, words, number, all) {
  const bar = h("span.band-bar");
  bar.style.setProperty("--part", number / all);
  return h("li", null, h("span", null, band, " ", h("small", null, words)), bar, h("b", null, count(number)));
}

function worstRow({ id, content, quality: score, effective, conflicts }) {
  return h("li", null, h("b", null, score), h("div", null, said(content, { short: true }),
    h("p.row-line", null, h("a", { href: recordPlace(id) }, "Open the record"), h("span", null, `effective confidence ${share(effective)}`), conflicts ? h("span", null, many(conflicts, "open conflict")) : null)));
}
