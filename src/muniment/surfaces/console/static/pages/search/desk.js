// The desk at which a question is asked: the question, its bounds, and the answer to the last one.

import { post } from "../../core/api.js";
import { fill, h, speak } from "../../core/dom.js";
import { many } from "../../core/format.js";
import { mark } from "../../core/router.js";
import { trouble, waiting } from "../../parts/notices.js";
import { beside } from "./beside.js";
import { BOUNDS, fromAddress, isSet, toAddress, toBody } from "./bounds.js";
import { browse } from "./browse.js";
import { chips, filters } from "./form.js";
import { abstained } from "./nothing.js";
import { results } from "./results.js";
import { timeTravel } from "./time.js";

const STALE = "The filters were changed since this was asked. Press Enter or Search to ask with them.";

/** What the page is made of, and what it does. */
export class Desk {
  #signal;
  #asked = null;
  #round = 0;

  constructor(query, signal) {
    const bounds = fromAddress(query);
    this.#signal = signal;
    this.question = h("input#question", {
      type: "search", autocomplete: "off", placeholder: "What do you want to know?", "aria-label": "Question", value: query.get("text") ?? "",
    });
    this.box = filters(bounds, { signal });
    this.time = timeTravel(bounds.known_at ?? null, { moved: () => this.ask(), signal });
    this.inForce = h("div.search-in-force");
    this.stale = h("p.search-stale", { hidden: true, role: "status" }, STALE);
    this.answer = h("div.search-answer");
  }

  /** The bounds as they are set now. */
  get bounds() {
    const known = this.time.read();
    return { ...this.box.read(), ...(known ? { known_at: known } : {}) };
  }

  /** Show which bounds are in force, and whether the answer was asked for with them. */
  changed() {
    const bounds = this.bounds;
    fill(this.inForce, chips(bounds, (name) => this.#remove(name)));
    this.stale.hidden = this.#asked === null || this.#asked === JSON.stringify(bounds);
  }

  #remove(name) {
    this.change({ change: { [name]: null } });
    this.question.focus();
  }

  /** Ask in another way: with other bounds, with another question, or at the control where a person must say more. */
  change({ change: wanted = {}, text = null, look = null }) {
    if (look === "text") return this.question.focus();
    if (look === "known_at") return this.time.element.querySelector("input").focus();
    if (look) return this.box.show(look);
    const next = { ...this.bounds, ...wanted };
    if (text !== null) this.question.value = text;
    this.box.set(next);
    this.time.set(next.known_at ?? null);
    return this.ask();
  }

  /** Ask, or list what is newest when there is no question. Only the last answer counts. */
  async ask() {
    const text = this.question.value.trim();
    const bounds = this.bounds;
    const mine = (this.#round += 1);
    mark(toAddress(text, bounds));
    this.#asked = JSON.stringify(bounds);
    this.changed();
    if (!text) return this.#list(bounds);
    this.answer.setAttribute("aria-busy", "true");
    if (!this.answer.firstChild) fill(this.answer, waiting("Asking …"));
    try {
      const recall = await post("/api/recall", { ...toBody(bounds), query: text }, { signal: this.#signal });
      if (mine === this.#round) this.#show(recall, text, bounds);
    } catch (error) {
      if (mine === this.#round && error.name !== "AbortError") this.#failed(error);
    }
    if (mine === this.#round) this.answer.removeAttribute("aria-busy");
    return null;
  }

  #list(bounds) {
    this.answer.removeAttribute("aria-busy");
    return fill(this.answer, browse(bounds, { signal: this.#signal, change: (way) => this.change(way) }));
  }

  #show(recall, text, bounds) {
    const within = this.answer.contains(document.activeElement);
    const change = (way) => this.change(way);
    const words = recall.records.length ? `${many(recall.records.length, "record")} told` : "Nothing is told";
    const main = recall.records.length
      ? h("section.search-told", null, h("h2", { tabindex: "-1" }, words), results(recall))
      : abstained(recall, text, bounds, change);
    fill(this.answer, h("div.search-answered", isSet(bounds.known_at) ? { class: "of-past" } : null, main, beside(recall, bounds, change)));
    if (within) this.answer.querySelector("h2").focus();
    speak(words);
  }

  /** Say what was wrong, at the control where it was. */
  #failed(error) {
    const name = (error.field ?? "").split(/[.[]/)[0];
    const bound = BOUNDS.get(name);
    const said = bound?.must ? { code: error.code, message: `“${bound.label}” must be ${bound.must}.`, hint: "Correct it and press Enter. Nothing was asked." } : error;
    fill(this.answer, trouble(said, () => this.ask()));
    if (bound) this.box.show(name, true);
  }
}
