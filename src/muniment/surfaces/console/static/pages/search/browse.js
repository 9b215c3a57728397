// What is here when nothing is asked: how to ask, and what was written or changed last, a page at a time.

import { get, post } from "../../core/api.js";
import { h } from "../../core/dom.js";
import { session } from "../../core/session.js";
import { button } from "../../parts/controls.js";
import { nothing } from "../../parts/notices.js";
import { paged } from "../../parts/paged.js";
import { toBody } from "./bounds.js";
import { listed } from "./results.js";

const SHOWN = 20;
const ASKED_MOST = 500;
const FIRST_STRETCH = 32;
const STRETCH_GROWS = 4;
const QUESTIONS_ONLY = ["limit", "budget_tokens", "floor", "gate_min", "gate_flag", "asked_at"];

/** How to ask, then the newest records within `bounds`. */
export function browse(bounds, { signal, change }) {
  const list = paged({ load: newest(bounds, signal), row: listed, label: "Records, the last changed first", empty: empty(bounds, change) });
  return h("section.search-browse", null,
    h("p.lead", null, "Ask in plain words, or by name: “When do lorries leave?” Words in \"double quotes\" must stand there just so. ",
      "“Last week” or “in May” asks about that time. Enter asks; while you type nothing is asked."),
    h("h2", null, "Written or changed last"),
    bounds.known_at ? h("p.lead", null, "This is what was known then, each record as it stood then.") : null,
    list);
}

function empty(bounds, change) {
  const set = Object.keys(toBody(bounds));
  if (set.length) {
    const all = Object.fromEntries(set.map((name) => [name, null]));
    return nothing("No record is within these filters", "There may be others outside of them.", button("Take all filters away", () => change({ change: all })));
  }
  return nothing("There is no record that you may see", "Records come from agents and people who propose them: ",
    h("code", null, "muniment remember \"The staging database is in eu-west-1\" --evidence ticket:1"));
}

/** A loader of pages that lead back in time. The API lists in the order of change, so that we look at stretches of the
 *  ledger from its end backwards, each as long as it needs to be to hold something. */
function newest(bounds, signal) {
  const asked = Object.fromEntries(Object.entries(toBody(bounds)).filter(([name]) => !QUESTIONS_ONLY.includes(name)));
  let kept = [];
  let upto = null;
  return async (cursor) => {
    if (cursor === null) [kept, upto] = [[], await position(signal)];
    while (kept.length < SHOWN && upto > 0) {
      const found = await stretch(asked, upto, signal);
      kept.push(...found.records);
      upto = found.from;
    }
    const rows = kept.splice(0, SHOWN);
    return { rows, next: kept.length || upto > 0 ? "more" : null };
  };
}

/** Where the ledger stands. Who may not audit is told by an answer that tells nothing else. */
async function position(signal) {
  if (!session.barred("audit")) return (await get("/api/ledger/head", {}, { signal })).seq;
  return (await post("/api/attune", { limit: 0, since: Number.MAX_SAFE_INTEGER }, { signal })).epoch;
}

/** What changed last before a position, the newest first, and the position it was looked for from. */
async function stretch(asked, upto, signal) {
  let length = FIRST_STRETCH;
  for (;;) {
    const from = Math.max(0, upto - length);
    const { records } = await get("/api/records", { ...asked, changed_after: from, limit: ASKED_MOST }, { signal });
    const inside = records.filter(({ standing }) => standing.since <= upto);
    const whole = records.length < ASKED_MOST || records.at(-1).standing.since > upto;
    if (!whole && length > 1) length = Math.ceil(length / STRETCH_GROWS);
    else if (inside.length || from === 0) return { records: inside.reverse(), from };
    else length *= STRETCH_GROWS;
  }
}
