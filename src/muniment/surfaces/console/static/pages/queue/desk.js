// The desk: what waits, what of it is chosen, and what is decided but not yet sent. It lives as long as the console is
// open, belongs to who sits at it, and is kept nowhere else.

import { token } from "../../core/api.js";
import { session } from "../../core/session.js";

const watchers = new Set();

export const desk = {
  owner: null,
  rows: [],
  next: null,
  held: null,
  at: null,
  picked: new Set(),
  staged: new Map(),
  gone: new Map(),
  news: [],
  order: [],
  sent: new Set(),
  results: [],
  sending: null,
};

export const idOf = (row) => row.proposal.id;
export const rowAt = (id = desk.at) => desk.rows.find((row) => idOf(row) === id) ?? null;

/** Who sits here. Somebody else finds the desk empty. */
export function sit() {
  const { tenant, actor } = session.caller;
  const owner = JSON.stringify([tenant, actor.id]);
  if (desk.owner !== owner) {
    Object.assign(desk, { owner, rows: [], next: null, held: null, at: null, news: [], results: [], sending: null });
    desk.order = [];
    for (const kept of [desk.picked, desk.staged, desk.gone, desk.sent]) kept.clear();
  }
}

/** Whether whoever staged what is on the desk is still the one who is signed in. */
export function seated() {
  const { tenant, actor } = session.caller ?? {};
  return Boolean(actor) && desk.owner === JSON.stringify([tenant, actor.id]);
}

/** Call `look` whenever something on the desk has moved, until the signal says that the page was left. */
export function watch(look, signal) {
  watchers.add(look);
  signal.addEventListener("abort", () => watchers.delete(look), { once: true });
}

export function moved() {
  for (const look of [...watchers]) look();
}

/** Lay a decision on the tray. `change` says what is decided; each of its steps has a key of its own, so that whatever
 *  is sent twice counts once. */
export function stage(row, change) {
  const keys = Object.fromEntries(["decision", ...(change.others ?? []).map((other) => other.id)].map((name) => [name, token()]));
  const id = idOf(row);
  desk.staged.delete(id);
  desk.staged.set(id, { id, row, others: [], ...change, keys, verdict: null, ended: {}, failed: null });
  desk.picked.delete(id);
}

/** Take a decision off the tray; without an id the one that was made last. */
export function unstage(id = [...desk.staged.keys()].at(-1)) {
  const taken = desk.staged.get(id) ?? null;
  desk.staged.delete(id);
  return taken;
}

/** Put new rows where the server has them, and leave what is there in its order. */
export function bringIn(order) {
  const known = new Set(desk.rows.map(idOf));
  let place = 0;
  for (const row of order) {
    if (known.has(idOf(row))) place = desk.rows.findIndex((one) => idOf(one) === idOf(row)) + 1;
    else desk.rows.splice(place++, 0, row);
  }
  desk.news = [];
}

/** What was decided leaves the list; the one that is open gives way to the next that waits. */
export function clearAway(done) {
  if (done.has(desk.at)) desk.at = neighbour(1, { open: true, but: done }) ?? neighbour(-1, { open: true, but: done });
  desk.rows = desk.rows.filter((row) => !done.has(idOf(row)));
  for (const id of done) desk.gone.delete(id);
}

/** The next row from here, in this direction, that still asks for a decision; else the nearest there is. */
export function neighbour(step, { open = false, but = new Set() } = {}) {
  const here = desk.rows.findIndex((row) => idOf(row) === desk.at);
  const ask = (row) => !but.has(idOf(row)) && (!open || !(desk.staged.has(idOf(row)) || desk.gone.has(idOf(row))));
  for (let place = here + step; place >= 0 && place < desk.rows.length; place += step) {
    if (ask(desk.rows[place])) return idOf(desk.rows[place]);
  }
  return null;
}

addEventListener("beforeunload", (event) => {
  if (desk.staged.size) event.preventDefault();
});
