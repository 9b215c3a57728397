// What has changed at the desk since it was last looked at: new proposals are announced, decided ones are marked.

import { get } from "../../core/api.js";
import { speak } from "../../core/dom.js";
import { many } from "../../core/format.js";
import { told } from "../../parts/notices.js";
import { bringIn, desk, idOf, moved } from "./desk.js";
import { fate } from "./sending.js";

const EXPLAINED_MOST = 10;

/** Look at the stretch of the queue that is shown, and note what came and what went. Nothing moves under the cursor. */
export async function news(page, signal) {
  try {
    const { order, next } = await stretch(page, signal);
    await counted(signal);
    if (desk.sending) return;
    note(order, next);
    moved();
    await explain(signal);
  } catch (error) {
    if (error.name !== "AbortError") told(`The queue could not be looked at again: ${error.message}`, { tone: "warn" });
  }
}

/** How many wait in all, where not all are shown. */
export async function counted(signal) {
  desk.held = desk.next ? (await get("/api/stats", {}, { signal })).held : null;
}

/** As much of the queue as is shown, and a little more, read again. */
async function stretch(page, signal) {
  const order = [];
  let cursor = null;
  do {
    const found = await get("/api/proposals", { limit: page, cursor }, { signal });
    order.push(...found.proposals);
    cursor = found.next;
  } while (cursor && order.length <= desk.rows.length);
  return { order, next: cursor };
}

function note(order, next) {
  const waits = new Set(order.map(idOf));
  const known = new Set(desk.rows.map(idOf));
  const last = order.length ? idOf(order.at(-1)) : "";
  for (const id of known) {
    const passed = next === null || id <= last;
    if (passed && !waits.has(id) && !desk.gone.has(id) && !desk.sent.has(id)) desk.gone.set(id, "");
  }
  for (const id of desk.gone.keys()) desk.picked.delete(id);
  arrivals(order, known, next);
}

/** What came among the rows that are shown, or behind them if they were all. Before an empty desk it is laid at once. */
function arrivals(order, known, next) {
  const before = desk.news.length;
  const reach = desk.next ? order.findLastIndex((row) => known.has(idOf(row))) + 1 : order.length;
  desk.order = order.slice(0, reach).filter((row) => !desk.sent.has(idOf(row)));
  desk.news = desk.order.filter((row) => !known.has(idOf(row)));
  if (!desk.next && desk.news.length) desk.next = next;
  const words = many(desk.news.length, "new proposal");
  if (!known.size && desk.news.length) {
    bringIn(desk.order);
    desk.at = idOf(desk.rows[0]);
    speak(`${words}.`);
  } else if (desk.news.length > before) speak(`${words}. Press n to bring them in.`);
}

/** Say of what went how it went, as far as the caller may know: of the open one first, of many only some at a time. */
export async function explain(signal) {
  const silent = [...desk.gone].filter(([, words]) => !words).map(([id]) => id);
  silent.sort((one, other) => (other === desk.at) - (one === desk.at)).splice(EXPLAINED_MOST);
  for (const id of silent) {
    const words = await fate(id, signal);
    words === null ? desk.gone.delete(id) : desk.gone.set(id, words);
  }
  if (silent.length) moved();
}
