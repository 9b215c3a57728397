// One decision on many proposals: the same answer and reason for each, and what would come of each before it is staged.

import { h, speak } from "../../core/dom.js";
import { many } from "../../core/format.js";
import { field, input } from "../../parts/controls.js";
import { ask } from "../../parts/dialog.js";
import { discarding, REASON } from "./actions.js";
import { desk, idOf } from "./desk.js";
import { excerpt, meets } from "./sending.js";
import { preview } from "./tray.js";

const SHOWN_MOST = 20;

/** Ask for the reason, show what would come of each, and stage those that come to what is wanted. */
export async function bulk(what, acts, signal) {
  const rows = desk.rows.filter((row) => desk.picked.has(idOf(row)));
  if (!rows.length) return;
  const change = await (what === "discard" ? discarding(`Discard ${many(rows.length, "proposal")}`, listed(rows)) : accepting(rows));
  if (!change) return;
  const decisions = rows.map((row) => ({ id: idOf(row), row, others: [], ...change }));
  const title = `What would come of ${many(rows.length, "decision")}`;
  const outcomes = await preview(decisions, signal, { title, confirm: "Stage what fits" });
  if (!outcomes) return;
  const fit = decisions.filter((decision) => outcomes.get(decision).verdict && meets(decision, outcomes.get(decision).verdict));
  for (const { row } of fit) acts.stage(row, change, { quiet: true });
  speak(`${many(fit.length, "decision")} staged.`);
}

function accepting(rows) {
  const why = input({ value: REASON });
  return ask(`Accept ${many(rows.length, "proposal")}`, [listed(rows), field("Reason", why, { hint: "Kept with each of the decisions." })],
    { confirm: "See what would come of it", act: () => ({ what: "accept", reason: why.value.trim() }), ready: () => why.value.trim() });
}

function listed(rows) {
  const rest = rows.length - SHOWN_MOST;
  return h("ul.queue-quotes", null, rows.slice(0, SHOWN_MOST).map((row) => h("li", null, excerpt(row))), rest > 0 ? h("li.none", null, `and ${rest} more`) : null);
}
