// The overview: how much there is, what goes on, how good it is, who knows what, and who works with whom.

import { get } from "../core/api.js";
import { fill, h } from "../core/dom.js";
import { onChange } from "../core/live.js";
import { trouble } from "../parts/notices.js";
import { activity } from "./overview/activity.js";
import { beginning } from "./overview/beginning.js";
import { directory } from "./overview/directory.js";
import { field } from "./overview/field.js";
import { figures } from "./overview/figures.js";
import { quality } from "./overview/quality.js";

const APART_MS = 2_000;

export async function open(view, { query, signal }) {
  const top = h("div");
  view.append(h("header", null, h("h1", null, "Overview")), top);
  const stats = await get("/api/stats", {}, { signal });
  if (untouched(stats)) return begin(view, top, signal);
  const state = { stats };
  const used = activity(query.get("range"), signal, (found) => renew(top, figures(state.stats, found)));
  renew(top, figures(stats, null));
  view.append(used.element, quality(signal), directory(signal), field(signal));
  onChange(spaced(async () => {
    state.stats = await get("/api/stats", {}, { signal });
    renew(top, figures(state.stats, used.last()));
    await used.refresh();
  }, signal, (error) => fill(top, trouble(error))), signal);
  return null;
}

/** New figures in the place of the old; whoever stands on one of them stays there. */
function renew(top, children) {
  const here = top.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  fill(top, children);
  if (here) [...top.querySelectorAll("a")].find((link) => link.getAttribute("href") === here)?.focus({ preventScroll: true });
}

/** A memory into which nothing was ever written teaches how to write; the first record turns it into an overview. */
function begin(view, top, signal) {
  fill(top, beginning());
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const look = spaced(async () => {
    if (untouched(await get("/api/stats", {}, { signal }))) return;
    over.abort();
    fill(view);
    await open(view, { query: new URLSearchParams(), signal });
  }, until, (error) => fill(top, trouble(error)));
  onChange(look, until);
}

const untouched = ({ revisions, held }) => Object.values(revisions).every((number) => number === 0) && !held;

/** The same call, never twice within two seconds: what is asked in between is done once, later. */
function spaced(work, signal, failed) {
  let timer = null;
  let last = Date.now();
  signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  const run = async () => {
    timer = null;
    last = Date.now();
    try {
      await work();
    } catch (error) {
      if (error.name !== "AbortError") failed(error);
    }
  };
  return () => (timer ??= setTimeout(run, Math.max(0, last + APART_MS - Date.now())));
}
