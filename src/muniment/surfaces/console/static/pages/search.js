// Search: a question, its bounds, and the answer with everything that can be said about it.

import { h } from "../core/dom.js";
import { bind } from "../core/keys.js";
import { form } from "../parts/controls.js";
import { Desk } from "./search/desk.js";

/** Open the page with the question and the bounds that the address names. */
export async function open(view, { query, signal }) {
  const desk = new Desk(query, signal);
  view.append(
    h("header", null, h("h1", null, "Search"), h("p.lead", null, "Ask as an agent would. You are told what you may know, and why.")),
    h("div.search-ask", { onchange: (event) => event.target !== desk.question && desk.changed() },
      form(() => desk.ask(), h("div.search-question", null, desk.question, h("button.main", { type: "submit" }, "Search")), desk.box.element),
      desk.time.element, desk.inForce),
    desk.stale, desk.answer);
  bind({ "/": ["write a question", () => desk.question.focus()] }, signal);
  await Promise.all([desk.time.ready, desk.ask()]);
}
