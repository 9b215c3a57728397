// The directory: who wrote what holds, on what, and how it turned out.

import { get } from "../../core/api.js";
import { h } from "../../core/dom.js";
import { count, many, plain, share } from "../../core/format.js";
import { field, form, input } from "../../parts/controls.js";
import { when, who } from "../../parts/marks.js";
import { nothing } from "../../parts/notices.js";
import { paged } from "../../parts/paged.js";
import { quoted } from "../../parts/said.js";

const PAGE = 20;
const TOPICS = 3;

export function directory(signal) {
  const about = input({ type: "search", placeholder: "words, such as staging database" });
  const list = paged({
    label: "Who knows what, the most first",
    load: async (cursor) => {
      const { knowers, next } = await get("/api/directory", { about: about.value.trim(), cursor, limit: PAGE }, { signal });
      return { rows: knowers, next };
    },
    row,
    empty: nothing("Nobody knows of this", "The directory counts the records you may see, by who wrote them. With words it counts those in which they stand."),
  });
  return h("section.directory", { "aria-labelledby": "directory" }, h("h2#directory", null, "Who knows what"),
    form(() => list.reload(), h("div.ledger-chooser", null, field("About", about), h("button", { type: "submit" }, "Ask"))), list);
}

function row({ actor, roles, teams, records, kinds, topics, confidence, helpful, misleading, last }) {
  const turned = helpful || misleading ? `, ${count(helpful)} helped, ${count(misleading)} misled` : "";
  return h("li.knower", null,
    h("div", null, who(actor), " ", h("small", null, [...roles, ...teams.map((team) => `team ${team}`)].join(", "))),
    h("div", null, h("b", null, many(records, "record")), h("small", null, ` ${most(kinds).map(([kind, number]) => `${count(number)} ${plain(kind)}`).join(", ")}`)),
    h("div", null, most(topics).map(([topic, number], place) => [place ? ", " : null, quoted(topic), h("small", null, ` ${count(number)}`)])),
    h("div", null, h("small", null, `mean confidence ${share(confidence)}${turned}; last `, when(last))));
}

const most = (tally) => Object.entries(tally).sort(([, one], [, other]) => other - one).slice(0, TOPICS);
