// How far a record was believed over time, and why it is believed no further now.

import { h } from "../../core/dom.js";
import { count, share } from "../../core/format.js";
import { recordLink, when, who } from "../../parts/marks.js";
import { later } from "../../parts/notices.js";
import { table } from "../../parts/paged.js";
import { plot } from "../../parts/plot.js";
import { quoted, said } from "../../parts/said.js";
import { GONE, STANDS_ON, weakest } from "./weakest.js";

const OUTCOME = /was (helpful|misleading)/;
const OUTCOMES_MOST = 100;
const UP = { direction: "up", depth: 6, types: STANDS_ON, limit: 300 };

/** The tab of belief. */
export function belief(about) {
  const place = h("div.record-belief");
  const load = () => Promise.all([about.history(), about.ask("lineage", UP)]);
  later(place, load, ([history, web]) => [why(about, web), over(history), outcomes(history)]);
  return place;
}

/** From what was declared to what is believed, step by step. */
function why({ record, standing: { footing } }, web) {
  const declared = record.claim.belief.score;
  const steps = [h("li", null, h("b", null, share(declared)), " was declared by ", who(record.actor), record.claim.belief.hedged ? ", in words that hedge." : ".")];
  if (footing.helpful || footing.misleading) {
    steps.push(h("li", null, h("b", null, share(footing.own)), ` is its own confidence after what was told of its use: ${count(footing.helpful)} helpful, ${count(footing.misleading)} misleading.`));
  }
  steps.push(h("li", null, h("b", null, share(footing.effective)), " is how far it is believed now: ", bound(footing, web)));
  return h("section", null, h("h2", null, "Why it is believed this far"), h("ol.record-why", null, steps));
}

function bound({ own, effective, support }, web) {
  const { end, further } = weakest(web);
  if (own - effective <= 0.0005 && support === "standing") return "nothing that it stands on is weaker than itself.";
  if (!end) return "what bounds it is further away than was looked, or not yours to see.";
  const words = GONE.has(end.status) ? `it stands on a record that was ${end.status}, ` : "no record is better than the weakest it stands on, ";
  return [words, recordLink(end.id), ` (${share(end.effective)})${further ? ", which stands on something weaker still" : ""}:`, said(end.content, { by: end.actor, short: true })];
}

function over({ revisions }) {
  const events = revisions.flatMap(({ events: own, record }) => own.map((event) => ({ ...event, revision: record.revision })))
    .filter(({ effective }) => effective !== null).sort((a, b) => a.epoch - b.epoch || a.revision - b.revision);
  const spoken = events.filter(({ status }) => status !== "superseded");
  const last = events.at(-1);
  const points = (name) => [...spoken.map((event) => [Date.parse(event.at), event[name]]), [Math.max(Date.now(), Date.parse(last?.at ?? 0)), spoken.at(-1)?.[name] ?? null]];
  return h("section", null, h("h2", null, "Over time"), plot({
    label: "How far it was believed", yMin: 0, yMax: 1, height: 200,
    series: [{ name: "effective", step: true, points: points("effective") }, { name: "own", step: true, points: points("confidence") }, { name: "an outcome was told", points: marks(spoken) }],
  }));
}

/** Outcomes as points that no line joins. */
function marks(events) {
  const found = events.filter(({ what }) => OUTCOME.test(what)).map(({ at, confidence }) => [Date.parse(at), confidence]);
  return found.flatMap((point, place) => (place ? [[point[0] - 1, null], point] : [point]));
}

function outcomes({ revisions }) {
  const found = revisions.flatMap(({ events, record }) => events.filter(({ what }) => OUTCOME.test(what)).map((event) => ({ ...event, revision: record.revision })))
    .sort((a, b) => b.epoch - a.epoch);
  const rows = found.slice(0, OUTCOMES_MOST).map(({ at, what, actor, reason, revision, confidence: own, effective }) => [when(at), what, actor ? who(actor) : "–", quoted(reason), `${revision}`, share(own), share(effective)]);
  const words = "Nobody has told how it turned out. Say it with “It helped” or “It misled” above, or with ";
  return h("section", null, h("h2", null, "How it turned out"), rows.length
    ? table(["When", "What", "By", "Evidence", "Revision", "Own", "Effective"], rows, { caption: found.length > rows.length ? `The last ${OUTCOMES_MOST} of ${count(found.length)} outcomes` : "Outcomes told, the newest first" })
    : h("p.none", null, words, h("code", null, "muniment outcome"), "."));
}
