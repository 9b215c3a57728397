// How a record came to be what it is: each revision against the one before, and everything that happened to it.

import { h } from "../../core/dom.js";
import { count, many } from "../../core/format.js";
import { confidence, status, when, who } from "../../parts/marks.js";
import { diff } from "../../parts/diff.js";
import { later } from "../../parts/notices.js";
import { quoted, said } from "../../parts/said.js";

const REVISIONS_FIRST = 10;
const EVENTS_FIRST = 20;

/** The tab of revisions and events, the newest first. */
export function history(about) {
  const place = h("div.record-history");
  later(place, about.history, shown);
  return place;
}

function shown({ revisions }) {
  const pairs = revisions.map((revision, place) => [revision, revisions[place - 1] ?? null]).reverse();
  return [h("p.lead", null, `${many(revisions.length, "revision")}, the newest first. Nothing is overwritten: each one is kept as it was told.`),
    unfolding(pairs, REVISIONS_FIRST, ([revision, before]) => one(revision, before), "Show earlier revisions", "ol.record-revisions")];
}

function one({ record, standing, events }, before) {
  return h("li", null,
    h("h2", null, `Revision ${record.revision}`),
    h("div.row-line", null, status(standing.status), h("span", null, "by ", who(record.actor)), when(record.created_at), confidence(record.claim.belief.score, standing.footing.effective)),
    before ? diff(before.record.claim.content, record.claim.content) : said(record.claim.content, { by: record.actor }),
    before ? besides(before.record, record) : null,
    h("h3", null, "What happened to it"),
    unfolding([...events].reverse(), EVENTS_FIRST, event, "Show earlier events", "ol.record-events"));
}

/** What else was changed with the words. */
function besides(before, after) {
  const flat = ({ claim: { content, ...rest } }) => Object.fromEntries(Object.entries(rest).flatMap(([name, value]) =>
    value && typeof value === "object" && !Array.isArray(value) ? Object.entries(value) : [[name, value]]));
  const [old, now] = [flat(before), flat(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]));
  if (!names.length) return null;
  return h("ul.record-besides", null, names.map((name) => h("li", null, h("small", null, `${name.replaceAll("_", " ")}: `), h("del", null, quoted(spelled(old[name]))), " ", h("ins", null, quoted(spelled(now[name]))))));
}

function spelled(value) {
  if (value === null || value === undefined) return "none";
  return Array.isArray(value) && value.every((one) => typeof one === "string") ? value.join(", ") || "none" : typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** One thing that happened. Who did it and why is empty where that is about a record the caller may not see. */
export function event({ epoch, at, actor, what, reason }) {
  return h("li", null,
    h("div.row-line", null, h("b", null, what), when(at), actor ? h("span", null, "by ", who(actor)) : h("span", null, "by somebody, about a record that is not yours to see"), h("span", null, `ledger ${count(epoch)}`)),
    reason ? quoted(reason) : null);
}

/** The first few of a list, and the rest a few at a time. */
export function unfolding(values, most, build, words, tag = "ol") {
  const list = h(tag);
  let told = 0;
  const more = h("button", { type: "button", onclick: () => grow() }, words);
  const grow = () => {
    list.append(...values.slice(told, told + most).map(build));
    list.lastElementChild?.setAttribute("tabindex", "-1");
    told += most;
    more.hidden = told >= values.length;
    if (more.hidden && document.activeElement === more) list.lastElementChild.focus();
  };
  grow();
  return [list, more];
}
