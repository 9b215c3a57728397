// What is told about the work itself: that it goes on, that there is nothing, that it failed, that it was done.

import { fill, h, speak } from "../core/dom.js";
import { visible } from "./said.js";

const SHOWN_MS = 8_000;

/** A failure in words: what was wrong, and what to do. */
export function trouble(error, again = null) {
  if (error.name === "AbortError") return h("span");
  const code = error.code ? h("code", null, error.code) : null;
  return h("div.trouble", { role: "alert" },
    h("p", null, h("b", null, visible(error.message)), " ", code),
    error.hint ? h("p", null, visible(error.hint)) : null,
    again ? h("button", { type: "button", onclick: again }, "Try again") : null);
}

/** An empty place that says what belongs there and how it comes there. */
export function nothing(title, words, ...actions) {
  return h("div.nothing", null, h("p.nothing-title", null, title), h("p", null, words), actions.length ? h("p", null, actions) : null);
}

export function waiting(words = "Looking …") {
  return h("p.waiting", { role: "status" }, words);
}

/** Progress of known or unknown length. */
export function progress(words, done = null, all = null) {
  const bar = done === null ? h("progress") : h("progress", { value: done, max: Math.max(all, 1) });
  bar.setAttribute("aria-label", words);
  return h("div.progress", null, h("p", null, words), bar);
}

/** Say that something was done, for a while, at the edge of the page; with a way back if there is one. */
export function told(words, { undo = null, tone = "good" } = {}) {
  let place = document.getElementById("told");
  if (!place) document.body.append((place = h("div#told")));
  const note = h(`div.told.${tone}`, null, h("span", null, visible(words)));
  const go = () => note.remove();
  if (undo) note.append(h("button", { type: "button", onclick: () => (go(), undo()) }, "Undo"));
  note.append(h("button.quiet", { type: "button", "aria-label": "Dismiss", onclick: go }, "×"));
  place.append(note);
  speak(words);
  if (!undo) setTimeout(go, SHOWN_MS);
}

/** Fill a place with what a promise gives: that it is under way, then the result, or why there is none. */
export async function later(place, work, show, words = undefined) {
  place.setAttribute("aria-busy", "true");
  fill(place, waiting(words));
  try {
    fill(place, await show(await work()));
  } catch (error) {
    if (error.name !== "AbortError") fill(place, trouble(error, () => later(place, work, show, words)));
  }
  place.removeAttribute("aria-busy");
  return place;
}
