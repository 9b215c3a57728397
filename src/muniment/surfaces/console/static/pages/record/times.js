// The two clocks of a record: when it was so, and when we knew.

import { h } from "../../core/dom.js";
import { day, exact, many, plain } from "../../core/format.js";
import { later } from "../../parts/notices.js";
import { table } from "../../parts/paged.js";

const ROWS_MOST = 8;
const OPEN = Infinity;

/** The tab of times: a drawing, and the same as a table. */
export function times(about) {
  const place = h("div.record-times");
  later(place, about.history, ({ revisions }) => drawn(revisions));
  return place;
}

function drawn(revisions) {
  const rows = revisions.map(lives).reverse();
  const shown = rows.slice(0, ROWS_MOST);
  const span = reach(shown);
  return [h("p.lead", null, "Above, when it was so in the world; below, when this memory held it for so. Both lie on one line of time."),
    h("div.clock", { role: "img", "aria-label": `Times of ${many(revisions.length, "revision")}; the table below says the same` },
      lane("When it was so", shown, span, so), lane("When we knew", shown, span, knew), ruler(span)),
    rows.length > shown.length ? h("p", null, `The last ${ROWS_MOST} of ${rows.length} revisions are drawn.`) : null,
    asTable(rows)];
}

/** What the two clocks say of one revision, in milliseconds. */
function lives({ record, events }) {
  const { event_time, valid_from, valid_until, expires_at } = record.claim.times;
  const at = (instant) => (instant ? Date.parse(instant) : null);
  const states = events.filter(({ status }, place) => status && status !== events[place - 1]?.status);
  const changes = states.map(({ status, at: when }) => [Date.parse(when), status]);
  return { revision: record.revision, told: at(record.created_at), event: at(event_time), from: at(valid_from), until: at(valid_until), expires: at(expires_at), changes };
}

function reach(rows) {
  const known = rows.flatMap(({ told, event, from, until, expires, changes }) => [told, event, from, until, expires, ...changes.map(([at]) => at)]).filter((at) => at !== null);
  const [first, last] = [Math.min(...known, Date.now()), Math.max(...known, Date.now())];
  const margin = Math.max((last - first) * 0.04, 60_000);
  return [first - margin, last + margin];
}

/** Bars and points of the first lane. Where nobody said since when, it is drawn from the left edge. */
function so({ event, from, until, expires }) {
  const bars = from === null && until === null && event !== null ? [] : [[from ?? -OPEN, until ?? OPEN, "so", from === null ? (until === null ? "nobody said since when" : "so") : `since ${day(new Date(from))}`]];
  const points = [[event, "happened"], [expires, "expires"]].filter(([at]) => at !== null);
  return { bars, points };
}

function knew({ changes }) {
  const bars = changes.map(([at, status], place) => [at, changes[place + 1]?.[0] ?? Date.now(), ["active", "contested"].includes(status) ? "known" : "past", plain(status)]);
  return { bars, points: [] };
}

function lane(title, rows, span, read) {
  return h("div.clock-lane", null, h("div.clock-title", null, title), rows.map((row) => {
    const { bars, points } = read(row);
    return h("div.clock-row", null, h("span.clock-name", null, `r${row.revision}`), h("div.clock-track", null,
      bars.map(([from, until, tone, words]) => bar(span, from, until, tone, words)), points.map(([at, words]) => point(span, at, words))));
  }));
}

const part = ([first, last], at) => Math.min(1, Math.max(0, (at - first) / (last - first)));

function bar(span, from, until, tone, words) {
  const long = part(span, until) - part(span, from);
  const shape = [from === -OPEN ? "open-left" : "", until === OPEN ? "open-right" : "", long < 0.09 ? "slim" : long < 0.35 ? "brief" : ""].join(" ");
  const element = h("span.clock-bar", { class: `${tone} ${shape}`, title: `${words}: ${spelled(from)} – ${spelled(until)}` }, h("span", null, words));
  element.style.setProperty("--from", part(span, from));
  element.style.setProperty("--until", part(span, until));
  return element;
}

function point(span, at, words) {
  const element = h("span.clock-point", { title: `${words}: ${exact(new Date(at))}` }, h("span", null, words));
  element.style.setProperty("--at", part(span, at));
  return element;
}

const spelled = (at) => (Math.abs(at) === OPEN ? "open" : exact(new Date(at)));

function ruler(span) {
  const marks = [0, 0.33, 0.66, 1].map((share) => span[0] + share * (span[1] - span[0]))
    .filter((at) => Math.abs(part(span, at) - part(span, Date.now())) > 0.12);
  const tick = (at, words) => {
    const tone = at === span[0] ? "first" : at === span[1] ? "last" : words === "now" ? "now" : "between";
    const element = h("span.clock-tick", { class: tone }, words);
    element.style.setProperty("--at", part(span, at));
    return element;
  };
  return h("div.clock-row.clock-ruler", null, h("span.clock-name"), h("div.clock-track", null, marks.map((at) => tick(at, day(new Date(at)))), tick(Date.now(), "now")));
}

function asTable(rows) {
  const or = (at, words) => (at === null ? words : h("span.exact", null, exact(new Date(at))));
  const cells = rows.map(({ revision, told, event, from, until, expires, changes }) => [`${revision}`, or(event, "–"), or(from, "not said"), or(until, "open"), or(expires, "–"), or(told, "–"),
    h("ul", null, changes.map(([at, status]) => h("li.exact", null, `${plain(status)} ${exact(new Date(at))}`)))]);
  return table(["Revision", "Happened", "So from", "So until", "Expires", "We were told", "States since"], cells, { caption: "When it was so, and when we knew" });
}
