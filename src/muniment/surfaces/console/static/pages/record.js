// One record and everything about it: what it says, how far it is believed, why, and what becomes of it.

import { get, getTagged } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { bind } from "../core/keys.js";
import { onChange } from "../core/live.js";
import { mark, to } from "../core/router.js";
import { tabs } from "../parts/controls.js";
import { nothing, trouble } from "../parts/notices.js";
import { belief } from "./record/belief.js";
import { forms } from "./record/forms.js";
import { head } from "./record/head.js";
import { history } from "./record/history.js";
import { lineage } from "./record/lineage.js";
import { overview } from "./record/overview.js";
import { moved } from "./record/tag.js";
import { times } from "./record/times.js";
import { ledger, receipts } from "./record/trail.js";

const TABS = [
  ["overview", "Overview", overview, "o"],
  ["history", "History", history, "h"],
  ["times", "Times", times, "t"],
  ["belief", "Belief", belief, "b"],
  ["lineage", "Lineage", lineage, "l"],
  ["receipts", "Receipts", receipts, "r"],
  ["ledger", "Ledger", ledger, "g"],
  ["contracts", "Contracts", forms, "c"],
];
const SOON_MS = 400;

/** Open the page of one record. */
export async function open(view, place) {
  const keys = TABS.map(([name, words, , key]) => [key, [words, () => document.getElementById(`tab-${name}`)?.click()]]);
  bind(Object.fromEntries(keys), place.signal);
  const shown = { about: null };
  await draw(view, place, shown);
  watch(view, place, shown);
}

/** Read the record and draw all of it. What is drawn knows by which tag it was read, so that nothing is done to
 *  another state than the one on the screen. */
async function draw(view, place, shown) {
  const { id } = place.parts;
  const { signal } = place;
  const path = `/api/records/${encodeURIComponent(id)}`;
  const ask = (what, query = {}) => get(`${path}/${what}`, query, { signal });
  try {
    const { tag, body } = await getTagged(path, {}, { signal });
    const about = { id, path, tag, told: body, record: body.record, standing: body.standing, signal, ask };
    about.history = once(() => ask("history"));
    about.present = () => shown.about ?? about;
    about.again = () => anew(view, place, shown);
    shown.about = about;
    fill(view, head(about), h("div.record-news", { role: "status" }), pages(about, place));
  } catch (error) {
    if (error.status !== 404) throw error;
    shown.about = null;
    fill(view, absent());
  }
}

/** Draw it again after something was done, unless somebody has gone elsewhere meanwhile. */
async function anew(view, place, shown) {
  if (place.signal.aborted) return;
  try {
    await draw(view, place, shown);
    focusHead(view);
  } catch (error) {
    if (error.name !== "AbortError") fill(view, h("h1", null, "Record"), trouble(error, () => anew(view, place, shown)));
  }
}

function pages(about, place) {
  const open = new URLSearchParams(location.hash.split("?")[1] ?? "").get("tab") ?? place.query.get("tab") ?? "overview";
  const panels = TABS.map(([name, words, build]) => [name, words, () => build(about)]);
  return tabs("Sides of this record", panels, { open, onopen: (name) => mark({ tab: name === "overview" ? null : name }) });
}

/** Call something once; whoever asks later gets the same promise, unless it failed. */
function once(call) {
  let promise = null;
  return () => (promise ??= call().catch((error) => {
    promise = null;
    throw error;
  }));
}

function absent() {
  const words = "There is no record of this id that you may see. It may never have been here, it may be gone, or it may not be for you; the console is told no more than you are.";
  return [h("header", null, h("h1", null, "Record")),
    nothing("Not there, or not for you", words, h("a", { href: to("/search") }, "Search what you may see"))];
}

function focusHead(view) {
  const head = view.querySelector("h1");
  if (!head) return;
  head.tabIndex = -1;
  head.focus({ preventScroll: true });
}

/** When something was written, see whether it was this; what is on the screen stays until somebody asks for the new. */
function watch(view, place, shown) {
  let soon = null;
  const look = async () => {
    soon = null;
    const { about } = shown;
    if (!about || place.signal.aborted) return;
    try {
      const { tag, body } = await getTagged(about.path, {}, { signal: place.signal });
      if (about === shown.about && tag !== about.tag && moved(about.told, body)) tell(view, about);
    } catch (error) {
      if (error.status === 404 && about === shown.about) tell(view, about);
    }
  };
  onChange(() => (soon ??= setTimeout(look, SOON_MS)), place.signal);
}

function tell(view, about) {
  const place = view.querySelector(".record-news");
  if (!place || place.children.length) return;
  fill(place, h("p", null, "This record has changed since you opened it. ", h("button", { type: "button", onclick: about.again }, "Show it as it is now")));
}
