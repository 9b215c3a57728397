// A disagreement that nobody found but the reader: name the record, and let both stand as a conflict.

import { post } from "../../core/api.js";
import { fill, h } from "../../core/dom.js";
import { many, shorten } from "../../core/format.js";
import { field, input } from "../../parts/controls.js";
import { ask } from "../../parts/dialog.js";
import { recordLink, status } from "../../parts/marks.js";
import { later } from "../../parts/notices.js";
import { quoted, said } from "../../parts/said.js";
import { foreseen } from "./sending.js";

const FOUND_MOST = 6;
const ASKED_MOST = 200;

/** Ask which records it disagrees with. `records` are those that stand beside it already. Gives what is to be staged. */
export function against(row, records, reason, signal) {
  const { content } = row.proposal.claim;
  const chosen = new Map();
  const why = input({ value: reason });
  const offered = h("fieldset.queue-others", null, h("legend", null, "It disagrees with"), h("div.queue-others"));
  const [, list] = offered.children;
  const offer = (disclosed) => candidate(disclosed, chosen);
  fill(list, records.length ? records.map(offer) : h("p.none", null, "Nothing stands beside it. Find the record first."));
  const words = input({ type: "search", value: shorten(content.replace(/\s+/g, " "), ASKED_MOST) });
  const look = () => later(list, () => post("/api/recall", { query: words.value, limit: FOUND_MOST }, { signal }), (found) => {
    chosen.clear();
    return found.records.length ? found.records.map(offer) : h("p.none", null, "Nothing is found by these words.");
  });
  const press = (event) => event.key === "Enter" && (event.preventDefault(), look());
  words.addEventListener("keydown", press);
  const find = h("button", { type: "button", onclick: look }, "Find");
  const body = [said(shorten(content, 400), { short: true }), offered, h("div.queue-find", null, field("Find a record by its words", words), find), field("Reason", why, { hint: "Kept with the decision." })];
  const act = () => checked({ what: "conflict", reason: why.value.trim(), contradicts: [...chosen.keys()] }, row, signal);
  return ask("Mark a conflict", body, { confirm: "Stage it", act, ready: () => chosen.size && why.value.trim() });
}

function candidate({ record, standing }, chosen) {
  const toggle = (event) => (event.target.checked ? chosen.set(record.id, record) : chosen.delete(record.id));
  return h("div.queue-other", null,
    h("label.tick", null, h("input", { type: "checkbox", oninput: toggle }), h("span", null, quoted(shorten(record.claim.content, 160)))),
    h("p.row-line", null, recordLink(record.id), status(standing.status)));
}

/** Only what would open a conflict is staged as one. */
async function checked(change, row, signal) {
  const { verdict, error } = await foreseen({ id: row.proposal.id, row, others: [], ...change }, signal);
  if (error) throw error;
  if (verdict.conflict_ids.length < change.contradicts.length) {
    throw new Error(`Only ${many(verdict.conflict_ids.length, "conflict")} would open. What it names may have ended, or be where the proposal does not reach.`);
  }
  return change;
}
