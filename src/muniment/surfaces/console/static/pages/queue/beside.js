// What stands beside a proposal: the records it disagrees with, repeats or would replace, with the difference marked.

import { get } from "../../core/api.js";
import { fill, h } from "../../core/dom.js";
import { many, plain } from "../../core/format.js";
import { compare } from "../../parts/diff.js";
import { confidence, facts, recordLink, status, when, who } from "../../parts/marks.js";
import { trouble, waiting } from "../../parts/notices.js";
import { quoted, visible } from "../../parts/said.js";

const SHOWN_MOST = 6;
const HOW = {
  contradicts: "Disagrees with this",
  duplicate: "Says the same as this",
  echoes: "Much like this, which its author may have been told",
  target: "Would revise this",
  replaces: "Would take the place of this",
};

/** The ids of what stands beside a proposal, each with how it does. */
export function related(row) {
  const { report, proposal } = row;
  const found = new Map();
  const add = (id, how) => id && !found.has(id) && found.set(id, how);
  report.contradicts.forEach((id) => add(id, "contradicts"));
  add(report.duplicate_of, "duplicate");
  add(proposal.target, "target");
  add(proposal.claim.lineage.supersedes, "replaces");
  report.echoes.forEach((id) => add(id, "echoes"));
  return [...found];
}

/** Read what stands beside a proposal; `found` is called with each record as it comes. */
export function beside(row, signal, found) {
  const all = related(row);
  if (!all.length) return null;
  const cards = all.slice(0, SHOWN_MOST).map(([id, how]) => card(row, id, how, signal, found));
  const rest = all.slice(SHOWN_MOST).map(([id]) => h("li", null, recordLink(id)));
  return h("section.queue-beside", null, h("h3", null, `Beside it: ${many(all.length, "record")}`), cards,
    rest.length ? h("ul.queue-quotes", null, h("li", null, `and ${many(rest.length, "more", "more")}:`), rest) : null);
}

function card(row, id, how, signal, found) {
  const place = h("div.queue-pair", { "aria-busy": "true" }, waiting());
  const load = async () => {
    try {
      const disclosed = await get(`/api/records/${encodeURIComponent(id)}`, {}, { signal });
      found(disclosed);
      fill(place, pair(row, disclosed, how));
    } catch (error) {
      if (error.name === "AbortError") return;
      fill(place, h("p", null, HOW[how], ": ", recordLink(id)), error.code === "not_found" ? h("p.none", null, "It is gone, or not for you to see.") : trouble(error, load));
    }
    place.removeAttribute("aria-busy");
  };
  load();
  return place;
}

function pair(row, { record, standing }, how) {
  const runs = compare(record.claim.content, row.proposal.claim.content);
  const { belief, nature, place } = record.claim;
  return [
    h("p.queue-how", null, HOW[how], " ", recordLink(record.id), " ", status(standing.status)),
    h("div.queue-sides", null, side("It says", runs, "out"), side("The proposal says", runs, "in")),
    facts([
      ["Said by", [who(record.actor), ` (${record.actor_type})`]],
      ["When", when(record.created_at)],
      ["Kind and place", [plain(nature.kind), ", ", plain(place.scope), " ", quoted(place.scope_id)]],
      ["Confidence", confidence(belief.score ?? standing.footing.own, standing.footing.effective, belief.unstated)],
      ["Evidence", belief.evidence.length ? belief.evidence.slice(0, 5).flatMap((one, at) => [at ? ", " : "", quoted(one)]) : h("span.none", null, "none")],
    ]),
  ];
}

/** One of the two texts, with what only it says marked. */
function side(name, runs, own) {
  const tag = own === "in" ? "ins" : "del";
  const parts = runs.filter(([how]) => how === "same" || how === own).map(([how, text]) => (how === "same" ? visible(text) : h(tag, null, visible(text))));
  return h("figure", null, h("figcaption", null, name), h("blockquote.said", null, h("bdi.said-text", null, parts)));
}
