// The page of an answer that tells nothing: why, what was kept back, and what one could change.

import { h } from "../../core/dom.js";
import { plain } from "../../core/format.js";
import { ABSTENTIONS } from "../../core/words.js";
import { button } from "../../parts/controls.js";
import { quoted, visible } from "../../parts/said.js";
import { kept } from "./beside.js";
import { remedies } from "./remedies.js";

/** Instead of weak hits: the reason, and buttons that ask in another way. */
export function abstained(recall, text, bounds, change) {
  const ways = remedies(recall, text, bounds);
  return h("section.search-nothing", null,
    h("h2", { tabindex: "-1" }, "Nothing is told"),
    h("p.search-nothing-why", null, ABSTENTIONS[recall.abstained] ?? `The reason is called “${plain(recall.abstained)}”.`),
    h("p.lead", null, "You asked: ", quoted(text)),
    ways.length ? [h("h3", null, "What you could change"), h("ul.search-ways", null, ways.map((way) => h("li", null, button(visible(way.words), () => change(way)))))]
      : h("p", null, "No other filter would let more in: what was kept back, if anything, is kept back by rules that no question can change."),
    h("h3", null, "What was kept back"), kept(recall.excluded),
    h("p", null, h("small", null, "Records that fit poorly are not told as an answer: an agent would take them for one.")));
}
