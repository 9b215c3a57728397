// Disagreements: those that wait to be settled first, a page at a time.

import { get, post, token } from "../core/api.js";
import { h } from "../core/dom.js";
import { bind } from "../core/keys.js";
import { onChange } from "../core/live.js";
import { to } from "../core/router.js";
import { STATUSES } from "../core/words.js";
import { button } from "../parts/controls.js";
import { badge, confidence, status, when, who } from "../parts/marks.js";
import { nothing, told } from "../parts/notices.js";
import { paged } from "../parts/paged.js";
import { said } from "../parts/said.js";
import { conflictPlace, headline, STATES, STRENGTHS, TYPES } from "./conflict/words.js";

const PAGE = 20;
const VIEWS = [
  ["", "Open", ["escalated", "resolving", "detected"]],
  ["detected", "Detected", ["detected"]],
  ["resolving", "In a vote", ["resolving"]],
  ["escalated", "Escalated", ["escalated"]],
  ["resolved", "Settled", ["resolved"]],
];

const EMPTY = {
  resolving: ["No vote is under way", "A vote begins with the first ballot on a conflict and ends when enough have voted."],
  escalated: ["Nothing was escalated", "A conflict comes here when somebody hands it up, or when a vote ends in a tie. Only a person of authority 10 can settle it then."],
};

/** The list of disagreements; `?status=` names one state, without it all that are open are shown. */
export async function open(view, { query, signal }) {
  const wanted = query.get("status") ?? "";
  const [name, words, states] = VIEWS.find(([one]) => one === wanted) ?? VIEWS[0];
  const list = paged({
    load: (cursor) => load(states, cursor ?? { place: 0, cursor: null }, signal),
    row: (view) => row(view, () => list.reload(), signal),
    empty: empty(name),
    label: `Conflicts: ${words}`,
  });
  list.classList.add("conflicts");
  const news = h("div", { "aria-live": "polite" });
  view.append(
    h("header", null, h("div", null, h("h1", null, "Conflicts"),
      h("p.lead", null, "Where two records disagree. Neither is told as a fact until somebody settles it by a rule that has a name."))),
    filters(name), news, list);
  watch(news, list, signal);
  keys(list, signal);
}

function filters(chosen) {
  return h("div.filters", { role: "navigation", "aria-label": "Which conflicts" }, VIEWS.map(([name, words]) =>
    h("a", { href: to("/conflicts", { status: name }), "aria-current": name === chosen ? "true" : null, title: STATES[name] ?? null }, words)));
}

/** One page of these states, in their order: when one is at its end the next goes on. */
async function load(states, { place, cursor }, signal) {
  const answer = await get("/api/conflicts", { status: states[place], cursor, limit: PAGE }, { signal });
  const last = place === states.length - 1;
  const next = answer.next ? { place, cursor: answer.next } : last ? null : { place: place + 1, cursor: null };
  if (answer.conflicts.length >= PAGE || !next) return { rows: answer.conflicts, next };
  const more = await load(states, next, signal);
  return { rows: [...answer.conflicts, ...more.rows], next: more.next };
}

function row(view, settled, signal) {
  return h("li.conflict", null,
    h("div.row-line", null,
      h("a.conflict-name", { href: conflictPlace(view.id), title: TYPES[view.type] ?? null }, headline(view)),
      badge(view.status, { title: STATES[view.status] }),
      view.strength === "suspected" && view.type !== "duplicate" ? badge("suspected", { title: STRENGTHS.suspected }) : null, h("span", null, "found ", when(view.at)),
      view.ballots.length ? h("span", null, `${view.ballots.length} voted`) : null,
      newerStays(view, settled, signal)),
    h("div.pair", null, side(view, view.a), side(view, view.b)));
}

/** One click for a suspected update that is plainly one: the newer record takes the place of the older. */
function newerStays(view, settled, signal) {
  if (view.type !== "update" || view.strength !== "suspected" || view.status !== "detected") return null;
  const once = token();
  const settle = async (event) => {
    const press = event.currentTarget;
    press.disabled = true;
    try {
      const body = { strategy: "last_write_wins", rationale: "the newer record brings the older up to date" };
      const done = await post(`/api/conflicts/${encodeURIComponent(view.id)}/resolution`, body, { signal, once });
      if (done.status !== "resolved") throw new Error(done.reason);
      told("The newer record took the place of the older one.", { tone: "good" });
      settled();
    } catch (error) {
      press.disabled = false;
      if (error.name !== "AbortError") told(error.message, { tone: "warn" });
    }
  };
  return button("The newer stays", settle, { right: "resolve", title: "The older one is superseded. It cannot be undone; it stays in its history." });
}

function side(view, { record, standing }) {
  const state = ["active", "contested"].includes(standing.status) ? null : status(standing.status);
  const won = view.winner === record.id ? badge("stays", { tone: "good", title: STATUSES.active }) : null;
  return h("div.brief", null, said(record.claim.content, { by: record.actor, short: true }),
    h("div.row-line", null, who(record.actor), when(record.created_at), confidence(record.claim.belief.score, standing.footing.effective), won ?? state));
}

function empty(name) {
  if (name === "resolved") return nothing("Nothing was settled yet", "Conflicts that were settled stay here with how, by whom and why.", h("a", { href: to("/conflicts") }, "Show those that are open"));
  const code = h("code", null, "contradicts");
  const words = [
    "A conflict is found when something is proposed that disagrees with a current record: in a number, a date, a denial, another value for the same question, or because the proposal says ",
    code, " of a record. Agents bring it about by writing, and a curator can mark one in the queue."];
  const [title, taught] = EMPTY[name] ?? ["Nothing here disagrees", words];
  return nothing(title, taught, h("a", { href: to("/conflicts", { status: "resolved" }) }, "Show those that were settled"));
}

/** Say that there is news, and let whoever reads the list decide when it changes. */
function watch(news, list, signal) {
  let first = null;
  onChange((epoch) => {
    first ??= epoch;
    if (epoch === first || news.firstChild) return;
    const look = () => {
      first = null;
      news.replaceChildren();
      list.reload();
    };
    news.append(h("p.news", null, "Something was written since this list was read. ", h("button", { type: "button", onclick: look }, "Read it again")));
  }, signal);
}

function keys(list, signal) {
  const step = (by) => () => {
    const links = [...list.querySelectorAll(".conflict-name")];
    const place = links.indexOf(document.activeElement);
    links[Math.min(Math.max(place + by, 0), links.length - 1)]?.focus();
  };
  bind({ j: ["next conflict", step(1)], k: ["previous conflict", step(-1)] }, signal);
}
