// One disagreement: both sides beside each other, each way to settle it with what it would do, and how it was settled.

import { get } from "../core/api.js";
import { fill, h, speak } from "../core/dom.js";
import { count, many } from "../core/format.js";
import { bind } from "../core/keys.js";
import { onChange } from "../core/live.js";
import { recordPlace, to } from "../core/router.js";
import { session } from "../core/session.js";
import { STRATEGIES } from "../core/words.js";
import { badge, facts, when, who } from "../parts/marks.js";
import { told, trouble } from "../parts/notices.js";
import { compare } from "../parts/diff.js";
import { said } from "../parts/said.js";
import { sideCard } from "./conflict/side.js";
import { outcome } from "./conflict/outcome.js";
import { acting } from "./conflict/settle.js";
import { called, headline, sideOf, STATES, TYPES } from "./conflict/words.js";
import { ways } from "./conflict/ways.js";

const SOON_MS = 250;
const DONE = { resolved: "The conflict is settled.", escalated: "The conflict was put before a person.", pending_vote: "Your ballot is counted." };

/** The page of one conflict. */
export async function open(view, { parts, signal }) {
  const read = () => get(`/api/conflicts/${encodeURIComponent(parts.id)}`, {}, { signal });
  const state = { now: await read(), own: false };
  const settled = async (done) => {
    state.own = true;
    state.now = await read();
    state.own = false;
    draw(view, state.now, signal, settled, h("div.news", null, h("div", null, h("p", null, h("b", null, DONE[done.status] ?? "Nothing was settled.")), outcome(state.now, done, { done: true, vote: state.now.strategy === "vote" }))));
    told(DONE[done.status] ?? "Nothing was settled.", { tone: DONE[done.status] ? "good" : "warn" });
    arrive(view.querySelector("[data-arrive]"));
  };
  draw(view, state.now, signal, settled);
  watch(view, state, read, signal, settled);
}

function draw(view, conflict, signal, settled, news = null) {
  const runs = compare(conflict.a.record.claim.content, conflict.b.record.claim.content);
  const over = conflict.status === "resolved";
  const paths = over ? null : ways(conflict, signal, settled);
  fill(view,
    h("header", null, h("div", null,
      h("p.row-line", null, h("a", { href: to("/conflicts") }, "Conflicts"), badge(conflict.status, { title: STATES[conflict.status] }), h("span", null, "found ", when(conflict.at)), h("span.id", null, conflict.id)),
      h("h1", null, headline(conflict)),
      h("p.lead", null, `${TYPES[conflict.type] ?? ""} ${STATES[conflict.status] ?? ""}`))),
    h("div", { "data-news": "", "aria-live": "polite" }, news),
    over ? ended(conflict) : taken(conflict),
    h("section.sides", { "aria-label": "Both sides" }, sideCard(conflict, conflict.a, runs, signal), sideCard(conflict, conflict.b, runs, signal)),
    paths);
  bind(paths?.keys ?? {}, signal);
}

/** How it was settled. */
function ended(conflict) {
  const winner = conflict.winner;
  const side = winner ? sideOf(conflict, winner) : null;
  const stays = winner ? [h("a", { href: recordPlace(winner), title: winner }, side ?? "a new record"), side ? " stays" : " took the place of both"] : null;
  const words = conflict.strategy
    ? null
    : h("p", null, "No strategy was needed: a side was revised, superseded, taken back or expired, so there were no longer two.");
  return h("section.card.settled", { "aria-labelledby": "ended" },
    h("h2#ended", { tabindex: "-1", "data-arrive": "" }, "How it was settled"), words,
    facts([
      ["Outcome", stays],
      ["By", conflict.strategy ? h("span", { title: STRATEGIES[conflict.strategy] }, called(conflict.strategy)) : null],
      ["Settled by", conflict.resolved_by ? who(conflict.resolved_by) : null],
      ["When", conflict.settled_at ? when(conflict.settled_at) : null],
      ["Ledger entry", conflict.epoch_resolved ? entry(conflict.epoch_resolved) : null],
    ]),
    conflict.rationale ? [h("h3", null, "Why"), said(conflict.rationale, { by: conflict.resolved_by })] : null,
    ballots(conflict));
}

function entry(seq) {
  return session.barred("audit") ? count(seq) : h("a", { href: to("/ledger", { at: seq }) }, count(seq));
}

/** That somebody took it up without settling it: an escalation, or a vote that goes on. */
function taken(conflict) {
  if (!conflict.strategy) return null;
  const words = { escalated: "It was escalated", resolving: "A vote is under way" }[conflict.status] ?? "It was taken up";
  return h("section.card.settled.raised", { "aria-labelledby": "taken" }, h("h2#taken", { tabindex: "-1", "data-arrive": "" }, words),
    conflict.rationale ? [h("h3", null, "Why"), said(conflict.rationale)] : null, ballots(conflict));
}

function ballots(conflict) {
  if (!conflict.ballots.length) return null;
  return [h("h3", null, many(conflict.ballots.length, "ballot")),
    h("ul.grounds", null, conflict.ballots.map(({ actor, winner }) =>
      h("li", null, who(actor), " for ", h("a", { href: recordPlace(winner), title: winner }, sideOf(conflict, winner) ?? winner))))];
}

/** Look again when something was written; say so when it is no longer what it was. */
function watch(view, state, read, signal, settled) {
  let soon = null;
  const look = async () => {
    soon = acting.now ? setTimeout(look, SOON_MS) : null;
    if (soon) return;
    try {
      const found = await read();
      if (state.own || signal.aborted || mark(found) === mark(state.now)) return;
      const words = meanwhile(state.now, found);
      state.now = found;
      draw(view, found, signal, settled, h("p.news", null, words));
      speak(words);
    } catch (error) {
      if (error.name !== "AbortError") fill(view.querySelector("[data-news]"), trouble(error));
    }
  };
  onChange(() => (soon ??= setTimeout(look, SOON_MS)), signal);
  signal.addEventListener("abort", () => clearTimeout(soon), { once: true });
}

function mark({ status, strategy, winner, ballots: cast, a, b }) {
  const sides = [a, b].map(({ record, standing }) => [record.revision, standing.status, standing.footing.effective]);
  return JSON.stringify([status, strategy, winner, cast, sides]);
}

function meanwhile(before, now) {
  if (now.status === before.status) return "Something about it changed meanwhile; this is how it stands now.";
  if (now.status !== "resolved") return `Meanwhile it became ${now.status}.`;
  return now.resolved_by ? `Meanwhile it was settled by ${now.resolved_by}.` : "Meanwhile one of its sides ended, and with it the conflict.";
}

function arrive(element) {
  element?.focus({ preventScroll: true });
  element?.scrollIntoView({ block: "center" });
}
