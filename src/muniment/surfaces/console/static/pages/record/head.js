// The head of a record's page: what it says, in which state it is, and what can be done about it.

import { h } from "../../core/dom.js";
import { count, many, plain, share } from "../../core/format.js";
import { recordPlace } from "../../core/router.js";
import { confidence, gate, origin, recordLink, short, status, when, who } from "../../parts/marks.js";
import { said } from "../../parts/said.js";
import { actions } from "./acts.js";

const FOLDED_FROM = 1_200;
const FOLDED_LINES = 14;
const LOST = new Set(["fallen", "deprecated"]);

/** The head, with the things that can be done. */
export function head(about) {
  const { record, standing, told } = about;
  const { claim } = record;
  return h("div.record-head", null,
    h("header", null,
      h("h1", null, `${sentence(claim.nature.kind)} `, h("code.record-id", { title: record.id }, short(record.id))),
      h("p.lead", null, record.revision > 1 ? `revision ${record.revision}` : "first revision")),
    words(record),
    h("div.row-line", null, status(stateOf(standing)), gate(told.gate), origin(standing.footing.label),
      confidence(claim.belief.score, standing.footing.effective, claim.belief.unstated),
      h("span", null, "by ", who(record.actor), ` (${record.actor_type})`), h("span", null, "written ", when(record.created_at))),
    remarks(about),
    actions(about));
}

/** What it says. A long text is folded until somebody wants all of it. */
function words({ claim: { content }, actor }) {
  const text = said(content, { by: actor });
  if (content.length < FOLDED_FROM && content.split("\n").length < FOLDED_LINES) return text;
  text.classList.add("folded");
  const more = h("button", { type: "button", "aria-expanded": "false", onclick: () => turn() }, `Show all ${count(content.length)} characters`);
  const turn = () => {
    const open = !text.classList.toggle("folded");
    more.setAttribute("aria-expanded", String(open));
    more.textContent = open ? "Show less" : `Show all ${count(content.length)} characters`;
  };
  return [text, h("div", null, more)];
}

/** The state of a record in the words of the console: a record that is held was put apart. */
export const stateOf = (standing) => (standing.status === "held" ? "quarantined" : standing.status);

export const sentence = (word) => plain(word).replace(/^./, (first) => first.toUpperCase());

/** What a reader should know before anything else, if there is such a thing. */
function remarks({ standing, told, record }) {
  const { support, effective, own } = standing.footing;
  const found = [];
  const side = (name, words) => h("a", { href: recordPlace(record.id, { tab: name }) }, words);
  if (standing.successor && standing.successor !== record.id) found.push(["Another record took its place: ", recordLink(standing.successor), "."]);
  if (told.conflicts.length) found.push([`Something here disagrees with it: ${many(told.conflicts.length, "open conflict")}, told in the overview below.`]);
  if (LOST.has(support)) found.push(["What it stands on has fallen. ", side("lineage", "See its lineage"), "."]);
  else if (support === "flagged") found.push(["What it stands on is in doubt. ", side("lineage", "See its lineage"), "."]);
  else if (own - effective > 0.005) found.push([`It is believed ${share(effective)} at most, since it stands on something weaker. `, side("belief", "See why"), "."]);
  return found.length ? h("ul.record-remarks", null, found.map((words) => h("li", null, words))) : null;
}
