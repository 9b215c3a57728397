// The check that trusts nobody: this browser fetches the chain and hashes every entry again.

import { get } from "../../core/api.js";
import { fill, h, speak } from "../../core/dom.js";
import { count, many } from "../../core/format.js";
import { button, choice, field } from "../../parts/controls.js";
import { progress, trouble } from "../../parts/notices.js";
import { canHash, checkLinks, signatureHolds } from "./chain.js";

const PAGE = 500;
const KEPT = 60;
const FINDINGS_SHOWN = 20;
const STRETCHES = { "the whole ledger": Infinity, "the last 10,000 entries": 10_000, "the last 1,000 entries": 1_000 };

/** The section. What was checked last is left in `copy.taken` for whoever wants to spoil it. */
export function browserCheck(kept, copy, signal) {
  const place = h("div");
  const stretch = choice(Object.keys(STRETCHES), { spell: (words) => words });
  const run = button("Check in this browser", () => check(place, STRETCHES[stretch.value], kept, copy, signal), { right: "audit", tone: "main", why: canHash() ? null : "Browsers compute hashes only on https and on localhost." });
  return h("section.card", null, h("h2", null, "In this browser"),
    h("p", null, "This page fetches the entries as they were hashed and computes every hash itself: SHA-256 over the hash before and the words of the entry. It does not take the server's word for the result."),
    canHash() ? null : h("p", null, "This page was not opened over https or on localhost; browsers do not compute hashes here. Open the console through https, or on the server's own machine."),
    h("div.ledger-chooser", null, field("How far back", stretch), run), place);
}

async function check(place, most, kept, copy, signal) {
  if (place.getAttribute("aria-busy")) return;
  const own = new AbortController();
  const both = AbortSignal.any([signal, own.signal]);
  place.setAttribute("aria-busy", "true");
  const state = { done: 0, of: 1, findings: [], wrong: 0, anchorHash: null, pointHash: null, genesis: null };
  try {
    const head = kept.read();
    const stop = button("Stop", () => own.abort());
    fill(place, progress("Fetching …"), stop);
    const { checkpoints } = await get("/api/ledger/checkpoints", { limit: 1 }, { signal: both });
    const point = checkpoints[0] ?? null;
    const { keys } = await get("/api/ledger/keys", {}, { signal: both });
    const end = await get("/api/ledger/head", {}, { signal: both });  // asked for last: no checkpoint may lie beyond it
    await walk(end, most, state, { head, point, copy, signal: both, told: () => place.querySelector(".progress")?.replaceWith(progress(`${count(state.done)} of ${many(state.of, "entry", "entries")} hashed …`, state.done, state.of)) });
    const signed = point ? await signatureHolds(point) : undefined;
    fill(place, verdict(state, { end, head, point, signed, keys }));
    for (const heard of copy.listeners) heard();
  } catch (error) {
    fill(place, error.name === "AbortError" ? h("p", null, `Stopped after ${many(state.done, "entry", "entries")}.`) : trouble(error));
  }
  place.removeAttribute("aria-busy");
}

/** Page by page from the first entry wanted to the head. Only the last few links stay in memory. */
async function walk(end, most, state, { head, point, copy, signal, told }) {
  let first = Math.max(1, end.seq - most + 1);
  Object.assign(state, { first, of: end.seq - first + 1 });
  let before = null;
  let links = [];
  let ahead = fetchPage(first, end.seq, signal);
  while (first <= end.seq) {
    const page = await ahead;
    if (!page.links.length || page.links.at(-1).seq < first) break;
    before ??= { seq: first - 1, hash: page.previous };
    first = page.links.at(-1).seq + 1;
    ahead = first <= end.seq ? fetchPage(first, end.seq, signal) : null;
    note(state, await checkLinks(before, page.links), page.links, head, point);
    before = page.links.at(-1);
    links = [...links, ...page.links].slice(-KEPT - 1);
    state.done += page.links.length;
    told();
  }
  state.last = before;
  if (links.length > 1) copy.taken = { before: links[0], links: links.slice(1), end: links.at(-1), point };
}

function fetchPage(first, last, signal) {
  const asked = get("/api/ledger/chain", { first, last, limit: PAGE }, { signal });
  asked.catch(() => {});
  return asked;
}

function note(state, found, links, head, point) {
  state.wrong += found.length;
  state.findings.push(...found.slice(0, FINDINGS_SHOWN - state.findings.length));
  for (const { seq, hash } of links) {
    if (seq === head?.seq) state.anchorHash = hash;
    if (seq === point?.checkpoint.seq) state.pointHash = hash;
  }
}

function verdict(state, { end, head, point, signed, keys }) {
  const lines = [chainLine(state, end), pointLine(state, point, signed, keys), anchorLine(state, head)].filter(Boolean);
  const bad = lines.some(([good]) => good === false);
  const words = bad ? "The chain does not hold." : `The chain holds: ${many(state.done, "entry", "entries")} hashed here, every hash as written.`;
  speak(words);
  return h(`div.verdict.${bad ? "bad" : "good"}`, null, h("p", null, h("b", null, words)),
    h("ul.verdict-lines", null, lines.map(([good, said]) => h("li", { class: good === false ? "bad" : "" }, said))),
    state.findings.length ? h("ul.rows", null, state.findings.map((one) => h("li", null, findingWords(one)))) : null);
}

function chainLine(state, end) {
  const whole = state.last?.seq === end.seq && state.last.hash === end.hash;
  if (state.wrong) return [false, `${many(state.wrong, "link")} of the chain broken.`];
  if (!whole) return [false, `It does not lead to the head that the server names (entry ${count(end.seq)}).`];
  const begin = state.first === 1 ? "It begins with the first entry, whose words are withheld because they hold a secret of the tenant; its hash is taken as given." : `It begins at entry ${count(state.first)}; the hash before it is taken as the server gives it.`;
  return [true, `${begin} It ends at ${end.hash.slice(0, 16)}…, entry ${count(end.seq)}.`];
}

function pointLine(state, point, signed, keys) {
  if (!point) return [null, "There is no checkpoint yet, so no signature to check."];
  const { seq, head, key } = point.checkpoint;
  const name = `The last checkpoint, at entry ${count(seq)},`;
  if (seq > (state.last?.seq ?? 0)) return [false, `${name} lies beyond the end of this ledger: its end was cut off.`];
  if (state.pointHash !== null && state.pointHash !== head) return [false, `${name} names another hash than the chain has there.`];
  if (keys.findLast(({ since }) => since <= seq)?.key !== key) return [false, `${name} names a key that was not the ledger's then.`];
  if (signed === false) return [false, `${name} is not signed by the key it names.`];
  if (signed === null) return [null, `${name} could not be checked: this browser does not know Ed25519 signatures. Use a newer one, or muniment checkpoint verify.`];
  const where = state.pointHash === null ? "lies before what was hashed here, and" : "names the hash found here and";
  return [true, `${name} ${where} carries a good signature of the key ${key.slice(0, 16)}….`];
}

function anchorLine(state, head) {
  if (!head) return null;
  const name = `The head that was kept elsewhere, entry ${count(head.seq)},`;
  if (head.seq > (state.last?.seq ?? 0)) return [false, `${name} lies beyond the end of this ledger: it was set back.`];
  if (state.anchorHash === null) return [null, `${name} lies before what was hashed here. Check the whole ledger to compare it.`];
  return state.anchorHash === head.hash ? [true, `${name} is part of this chain.`] : [false, `${name} has another hash here: this is not the same history.`];
}

/** One thing that is wrong, in words. */
export function findingWords({ seq, what, written, computed }) {
  if (what === "order") return [h("b", null, `Entry ${count(seq)}`), ` stands where entry ${count(computed)} should.`];
  if (what === "withheld") return [h("b", null, `Entry ${count(seq)}`), " comes without the words that were hashed."];
  return [h("b", null, `Entry ${count(seq)}`), " does not fit: its words after the entry before it give ", h("code", null, computed), ", but ", h("code", null, written), " is written."];
}
