// The slider through time: what was known on an earlier day, from the first record to now.

import { get } from "../../core/api.js";
import { fill, h } from "../../core/dom.js";
import { exact } from "../../core/format.js";
import { session } from "../../core/session.js";
import { button, field, input } from "../../parts/controls.js";
import { fromLocal, toLocal } from "./form.js";

const STEPS = 1_000;
const KEPT = ["active", "contested", "superseded", "deprecated", "retracted", "expired", "archived"];

/** A choice of when: `element`, `read()` gives the instant or null for now, `set(instant)`. `moved` is called when another
 *  time was chosen, not while the slider is still held. */
export function timeTravel(instant, { moved, signal }) {
  const slider = h("input", { type: "range", min: 0, max: STEPS, step: 1, value: STEPS, oninput: slide, onchange: () => moved() });
  const date = input({ type: "datetime-local", step: 1, onchange: type });
  const now = button("Now", () => (set(null), moved()));
  const state = h("p.search-past", { hidden: true });
  const named = field("As known on", slider);
  const element = h("div.search-time", null, named, field("Date and time (UTC)", date), now, state);
  let chosen = null;
  let first = null;

  function slide() {
    const place = Number(slider.value);
    set(place >= STEPS || first === null ? null : new Date(first + ((Date.now() - first) * place) / STEPS).toISOString(), false);
  }

  function type() {
    set(fromLocal(date.value) || null);
    moved();
  }

  function set(instant, slides = true) {
    chosen = instant && Date.parse(instant) < Date.now() ? instant : null;
    date.value = toLocal(chosen);
    if (slides) slider.value = chosen && first !== null ? Math.round(((Date.parse(chosen) - first) / (Date.now() - first)) * STEPS) : STEPS;
    const words = chosen ? exact(chosen) : "now";
    slider.setAttribute("aria-valuetext", words);
    named.firstChild.textContent = chosen ? `As known on ${words}` : "As known now";
    element.classList.toggle("is-past", chosen !== null);
    state.hidden = chosen === null;
    if (chosen) fill(state, h("b", null, "You are looking at the past."), ` What is told is what was known on ${exact(chosen)}, and no later.`);
  }

  async function reach() {
    let why = "There is no first record from which time could be counted.";
    try {
      first = await beginning(signal);
    } catch (error) {
      if (error.name === "AbortError") return;
      why = error.message;
    }
    slider.disabled = first === null;
    slider.title = first === null ? why : `From ${exact(first)} to now`;
    set(chosen);
  }

  set(instant);
  return { element, read: () => chosen, set, ready: reach() };
}

const begun = { caller: null, at: null };

/** When the first record was written that the caller may see. Looking leaves a receipt, so it is done once. */
async function beginning(signal) {
  if (begun.caller === session.caller && begun.at !== null) return begun.at;
  const { records } = await get("/api/records", { limit: 1, statuses: KEPT }, { signal });
  Object.assign(begun, { caller: session.caller, at: records.length ? Date.parse(records[0].record.created_at) : null });
  return begun.at;
}
