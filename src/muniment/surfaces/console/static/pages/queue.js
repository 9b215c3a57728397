// The curator's desk: what waits on one side, the chosen proposal on the other, decisions gathered on a tray below.

import { get } from "../core/api.js";
import { fill, h, speak } from "../core/dom.js";
import { many } from "../core/format.js";
import { bind } from "../core/keys.js";
import { onChange } from "../core/live.js";
import { mark } from "../core/router.js";
import { session } from "../core/session.js";
import { nothing, told } from "../parts/notices.js";
import { bulk } from "./queue/bulk.js";
import { chosen } from "./queue/chosen.js";
import { bringIn, clearAway, desk, idOf, moved, neighbour, rowAt, sit, stage, unstage, watch } from "./queue/desk.js";
import { bulkBar, list } from "./queue/list.js";
import { counted, explain, news } from "./queue/news.js";
import { NAMES, sendAll } from "./queue/sending.js";
import { preview, tray } from "./queue/tray.js";

const PAGE = 50;
const SOON_MS = 300;

/** Open the desk. */
export async function open(view, { query, signal }) {
  view.classList.add("queue");
  const why = session.barred("read");
  const own = session.barred("queue");
  view.append(h("header", null, h("h1", null, "Queue"), h("p.lead", null, own ? "Your own proposals that wait for a person." : "Proposals that wait for a person. Nothing you decide is written before you commit it.")));
  if (why) return view.append(nothing("The queue is not open to you", why));
  sit();
  if (own) view.append(h("p.queue-own", null, own));
  seat(await get("/api/proposals", { limit: PAGE }, { signal }), query.get("open"));
  furnish(view, signal);
  counted(signal).then(moved, (error) => error.name !== "AbortError" && told(error.message, { tone: "warn" }));
  return null;
}

function seat(first, wanted) {
  Object.assign(desk, { rows: first.proposals, next: first.next, news: [] });
  desk.gone.clear();
  const ids = new Set(desk.rows.map(idOf));
  for (const id of [...desk.picked]) if (!ids.has(id)) desk.picked.delete(id);
  desk.at = [wanted, desk.at].find((id) => ids.has(id)) ?? desk.rows.map(idOf).find((id) => !desk.staged.has(id)) ?? null;
}

function furnish(view, signal) {
  const acts = actions(signal);
  const rows = list(acts);
  const selected = h("div");
  const detail = chosen(acts, signal);
  const below = tray(acts);
  Object.assign(acts, { rows, detail });
  const top = h("div.queue-desk", null, h("div.queue-side", null, selected, rows), detail);
  view.append(top, below);
  roomFor(below, view, signal);
  const draw = () => {
    top.classList.toggle("bare", !desk.rows.length);
    rows.draw();
    fill(selected, bulkBar(acts));
    detail.draw();
    below.draw();
  };
  watch(draw, signal);
  draw();
  keys(acts, signal);
  listen(signal);
}

/** The list ends where the tray begins, so that nothing with the focus lies under it. */
function roomFor(below, view, signal) {
  const seen = new ResizeObserver(() => view.style.setProperty("--tray", `${below.offsetHeight}px`));
  seen.observe(below);
  signal.addEventListener("abort", () => seen.disconnect(), { once: true });
}

/** News come in bursts: look once for all that come within a moment. */
function listen(signal) {
  let soon = null;
  onChange(() => {
    soon ??= setTimeout(() => ((soon = null), desk.sending || news(PAGE, signal)), SOON_MS);
  }, signal);
  signal.addEventListener("abort", () => clearTimeout(soon), { once: true });
}

function unlessLeft(error) {
  if (error.name !== "AbortError") throw error;
}

function actions(signal) {
  const acts = {
    open(id, { focus = "detail" } = {}) {
      desk.at = id;
      mark({ open: id });
      moved();
      if (desk.gone.get(id) === "") explain(signal).catch(unlessLeft);
      focus === "detail" ? acts.detail.arrive() : acts.rows.focus();
    },
    async step(by) {
      let id = neighbour(by);
      if (!id && by > 0 && desk.next) await acts.more(), (id = neighbour(by));
      if (id) acts.open(id, { focus: "list" });
    },
    stage(row, change, { quiet = false } = {}) {
      if (!row || !change || desk.sending) return;
      stage(row, change);
      if (!quiet) speak(`${NAMES[change.what]} staged. ${many(desk.staged.size, "decision")} not yet committed.`);
      desk.at = neighbour(1, { open: true }) ?? neighbour(-1, { open: true }) ?? desk.at;
      moved();
      acts.rows.focus();
    },
    undo(id = undefined) {
      const taken = desk.sending ? null : unstage(id);
      if (!taken) return speak("There is nothing to undo.");
      if (taken.verdict) desk.results.push(taken), clearAway(new Set([taken.id]));
      else if (rowAt(taken.id)) desk.at = taken.id;
      speak(`Undone: ${NAMES[taken.what]}.`);
      moved();
      return acts.rows.focus();
    },
    ...gathering(() => acts, signal),
  };
  return acts;
}

/** What is done with many at once: pick, load on, bring in, preview, commit. */
function gathering(acts, signal) {
  const toggle = (id) => (desk.picked.has(id) ? desk.picked.delete(id) : desk.picked.add(id));
  const pickable = () => desk.rows.map(idOf).filter((id) => !desk.staged.has(id) && !desk.gone.has(id));
  return {
    pick: (id = desk.at) => pickable().includes(id) && (toggle(id), moved()),
    pickNone: () => (desk.picked.clear(), moved(), acts().rows.focus()),
    pickAll() {
      const every = pickable().every((id) => desk.picked.has(id));
      for (const id of pickable()) every ? desk.picked.delete(id) : desk.picked.add(id);
      moved();
    },
    async more() {
      try {
        const page = await get("/api/proposals", { limit: PAGE, cursor: desk.next }, { signal });
        const known = new Set(desk.rows.map(idOf));
        desk.rows = [...desk.rows, ...page.proposals.filter((row) => !known.has(idOf(row)))];
        desk.next = page.next;
        moved();
      } catch (error) {
        if (error.name !== "AbortError") told(error.message, { tone: "warn" });
      }
    },
    bring() {
      const came = desk.news.length;
      bringIn(desk.order);
      desk.at ??= desk.rows.length ? idOf(desk.rows[0]) : null;
      moved();
      speak(`${many(came, "new proposal")} brought in.`);
      acts().rows.focus();
    },
    bulk: (what) => bulk(what, acts(), signal),
    putAway: () => (clearAway(new Set(desk.gone.keys())), moved(), acts().rows.focus()),
    dismiss: () => ((desk.results = []), moved()),
    async preview() {
      if (desk.staged.size && !desk.sending && (await preview([...desk.staged.values()], signal))) await acts().commit();
    },
    async commit() {
      if (!desk.staged.size || desk.sending) return null;
      await sendAll();
      const left = desk.staged.size;
      const words = `${many(desk.results.length, "decision")} committed.${left ? ` ${many(left, "decision")} could not be: see the tray of the queue.` : ""}`;
      if (signal.aborted) return told(words, { tone: left ? "warn" : "good" });
      speak(words);
      acts().rows.focus();
      return news(PAGE, signal);
    },
  };
}

/** A key that is held down decides once; a capital that Caps Lock made commits nothing. */
const once = (act) => (event) => !event.repeat && act();
const shifted = (act) => (event) => !event.repeat && event.shiftKey && act();

function keys(acts, signal) {
  const press = (what) => once(() => acts.detail.press(what));
  bind({
    j: ["next proposal", () => acts.step(1)],
    k: ["previous proposal", () => acts.step(-1)],
    o: ["read the proposal (Enter on a row does the same)", () => acts.detail.arrive()],
    a: ["accept", press("accept")],
    e: ["edit kind or place, and accept", press("edit")],
    D: ["accept and deprecate the other", shifted(() => acts.detail.press("deprecate"))],
    c: ["accept, and mark a conflict", press("conflict")],
    d: ["discard (then 1 to 6, or type a reason)", press("discard")],
    r: ["write the reason for accepting", () => acts.detail.reason()],
    x: ["select for a decision on many", once(() => acts.pick())],
    u: ["undo the last decision", once(() => acts.undo())],
    p: ["preview what would come of the decisions", once(() => acts.preview())],
    C: ["commit the decisions (with Shift)", shifted(() => acts.commit())],
    n: ["bring in new proposals", () => desk.news.length && acts.bring()],
  }, signal);
}
