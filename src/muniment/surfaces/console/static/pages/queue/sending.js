// What a decision means to the server: asked beforehand what would come of it, then sent.

import { get, post } from "../../core/api.js";
import { many, plain, shorten } from "../../core/format.js";
import { recordLink } from "../../parts/marks.js";
import { quoted } from "../../parts/said.js";
import { clearAway, desk, moved, seated } from "./desk.js";

const TOLD_MOST = 60;
const address = (id) => `/api/proposals/${encodeURIComponent(id)}/decision`;
const ending = (id) => `/api/records/${encodeURIComponent(id)}`;

/** What a decision is called where it is listed. */
export const NAMES = {
  accept: "Accept",
  edit: "Edit and accept",
  deprecate: "Accept and deprecate the other",
  conflict: "Accept as a conflict",
  discard: "Discard",
};

export const excerpt = (row) => quoted(shorten(row.proposal.claim.content.replace(/\s+/g, " "), TOLD_MOST));

/** What a decision changes besides letting the proposal in or not, in words. */
export function changes(decision) {
  const words = [];
  if (decision.kind) words.push(["as a ", plain(decision.kind)]);
  if (decision.scope || decision.scope_id) words.push(["in ", plain(decision.scope ?? ""), " ", quoted(decision.scope_id ?? "")]);
  for (const other of decision.others) words.push(["and deprecate ", recordLink(other.id)]);
  for (const id of decision.contradicts ?? []) words.push(["against ", recordLink(id)]);
  return words.flatMap((part, place) => (place ? [", ", ...part] : part));
}

function body(decision, more = {}) {
  const { what, reason, kind, scope, scope_id, objections, contradicts } = decision;
  const optional = { kind, scope, scope_id, objections, contradicts };
  for (const name of ["objections", "contradicts"]) if (!optional[name]?.length) delete optional[name];
  return { accept: what !== "discard", reason, ...optional, ...more };
}

/** What would come of a decision as things stand now: the verdict, and what falls with each record that would end. */
export async function foreseen(decision, signal) {
  try {
    const verdict = await post(address(decision.id), body(decision, { dry_run: true }), { signal });
    const falls = [];
    for (const other of decision.others) {
      falls.push(await get(`${ending(other.id)}/foresight`, { becomes: "deprecated" }, { signal }));
    }
    return { verdict, falls, error: null };
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return { verdict: null, falls: [], error };
  }
}

/** Whether a verdict is what the decision was made for. */
export function meets(decision, verdict) {
  return verdict.outcome === (decision.what === "discard" ? "refused" : "committed");
}

/** Send what is on the tray, one after the other. What fails stays there with its reason and stops nothing else. Once
 *  somebody else sits at the desk nothing more is sent, and nothing of it is told to them. */
export async function sendAll() {
  const { owner } = desk;
  const waiting = [...desk.staged.values()];
  desk.results = [];
  for (const [done, decision] of waiting.entries()) {
    desk.sending = { done, all: waiting.length };
    moved();
    if (!seated()) break;
    const ended = desk.staged.get(decision.id) === decision && (await sendOne(decision)) === "ended";
    if (desk.owner !== owner) return;
    if (ended) break;
  }
  desk.sending = null;
  clearAway(new Set(desk.results.map((decision) => decision.id)));
  moved();
}

async function sendOne(decision) {
  const { owner } = desk;
  desk.sent.add(decision.id);
  decision.failed = null;
  try {
    await steps(decision);
  } catch (error) {
    decision.failed = await explained(decision, error);
    if (!decision.verdict) desk.sent.delete(decision.id);
    return error.status === 401 ? "ended" : "failed";
  }
  if (desk.owner === owner) settle(decision);
  return "done";
}

async function steps(decision) {
  decision.verdict ??= await post(address(decision.id), body(decision), { once: decision.keys.decision });
  if (!meets(decision, decision.verdict)) return;
  for (const other of decision.others) {
    if (decision.ended[other.id]) continue;
    if (!seated()) throw new Error("Somebody else is signed in.");
    const said = { becomes: "deprecated", reason: decision.reason };
    const verdict = await post(`${ending(other.id)}/retirement`, said, { once: decision.keys[other.id], match: `"r${other.revision}"` });
    if (verdict.outcome !== "committed") throw Object.assign(new Error(verdict.reason), { code: verdict.rule });
    decision.ended[other.id] = verdict;
  }
}

/** A decision that was sent in full leaves the tray and is told among what was done. */
function settle(decision) {
  desk.staged.delete(decision.id);
  desk.results.push(decision);
  if (decision.verdict.outcome === "held") desk.sent.delete(decision.id);
}

/** Why it failed, in words; for what somebody else decided meanwhile, who and how. */
async function explained(decision, error) {
  if (decision.verdict) {
    const left = decision.others.filter((other) => !decision.ended[other.id]).length;
    return { message: `Accepted, but ${many(left, "record")} could not be deprecated: ${error.message}`, hint: error.hint, code: error.code };
  }
  if (error.code !== "stale" && error.code !== "not_found") return error;
  const message = (await fate(decision.id)) ?? "It waits, but not for you to decide.";
  return { message, hint: "Nothing of yours was written. Undo takes it off the tray.", code: error.code };
}

/** What became of a proposal that no longer waits, as far as the caller may know; null when it does. */
export async function fate(id, signal) {
  try {
    const { report } = await get(`/api/proposals/${encodeURIComponent(id)}`, {}, { signal });
    if (report.outcome === "held") return null;
    const how = report.outcome === "committed" ? "accepted" : "discarded";
    return `Meanwhile ${report.reviewer ?? "somebody else"} ${how} it: ${report.reason}`;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return "It no longer waits. Somebody else decided on it, or it was withdrawn.";
  }
}
