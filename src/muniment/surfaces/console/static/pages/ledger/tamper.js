// What a tampered copy looks like: entries of a copy in this tab are spoiled, and the check shows where the chain breaks.

import { get } from "../../core/api.js";
import { fill, h, speak } from "../../core/dom.js";
import { count, many } from "../../core/format.js";
import { button, choice, field } from "../../parts/controls.js";
import { badge } from "../../parts/marks.js";
import { later } from "../../parts/notices.js";
import { quoted } from "../../parts/said.js";
import { findingWords } from "./browser.js";
import { canHash, checkLinks, SPOILS } from "./chain.js";

const TAKEN = 30;
const AROUND = 2;

/** The section. It spoils `copy.taken`, which a check left behind, or a stretch that it fetches itself. */
export function tampering(copy, signal) {
  const place = h("div");
  const begin = button("Take a copy of the last entries", () => later(place, () => take(copy, signal), () => bench(copy.taken)), { right: "audit", why: canHash() ? null : "Browsers compute hashes only on https and on localhost." });
  fill(place, begin);
  copy.listeners.push(() => copy.taken && fill(place, bench(copy.taken)));
  return h("section.card", null, h("h2", null, "What a tampered copy looks like"),
    h("p", null, "Spoil a copy and see how the check finds it. The copy is in this tab alone: nothing of this is sent anywhere, and the ledger stays as it is."),
    place);
}

async function take(copy, signal) {
  const [end, { checkpoints }] = await Promise.all([get("/api/ledger/head", {}, { signal }), get("/api/ledger/checkpoints", { limit: 1 }, { signal })]);
  const first = Math.max(2, end.seq - TAKEN + 1);
  const { previous, links } = await get("/api/ledger/chain", { first, last: end.seq, limit: TAKEN }, { signal });
  copy.taken = { before: { seq: first - 1, hash: previous }, links, end: links.at(-1) ?? end, point: checkpoints[0] ?? null };
}

function bench(copy) {
  if (!copy.links.length) return h("p.none", null, "There is only the first entry. Write something, then come back.");
  const names = copy.links.map(({ seq }) => String(seq));
  const middle = names[Math.max(0, names.length - 4)];
  const entry = choice(names, { value: middle, spell: (seq) => named(copy.links.find((link) => link.seq === Number(seq))) });
  const act = choice(Object.keys(SPOILS), { spell: (word) => SPOILS[word][0] });
  const shown = h("div");
  const spoil = async () => {
    const place = names.indexOf(entry.value);
    const spoiled = await SPOILS[act.value][1](copy, place);
    fill(shown, await seen(copy, spoiled, place, act.value));
  };
  const back = () => (fill(shown, sound(copy)), speak("The copy is as it was."));
  fill(shown, sound(copy));
  return h("div", null,
    h("div.ledger-chooser", null, field("Entry", entry), field("What is done to it", act), button("Spoil the copy", spoil, { tone: "main" }), button("Put it right again", back)),
    shown);
}

function named({ seq, body }) {
  const { kind, actor } = JSON.parse(body);
  return `${count(seq)}, ${kind} by ${actor.slice(0, 40)}`;
}

const sound = ({ links }) => h("p.none", null, `${many(links.length, "entry", "entries")} in the copy, untouched.`);

/** What the check says of a spoiled copy, with the links around the first break. */
async function seen(copy, spoiled, place, act) {
  const found = await checkLinks(spoiled.before, spoiled.links);
  const end = spoiled.links.at(-1);
  const moved = end?.hash !== copy.end.hash;
  const words = found.length ? `Found: the chain breaks at entry ${count(found[0].seq)}.` : moved ? "Found: the links agree with each other, but they lead to another head." : "Nothing was changed.";
  speak(words);
  return h("div.verdict.bad", null, h("p", null, h("b", null, words)), changed(copy, spoiled, place, act), drawing(copy, spoiled, found, place, moved),
    found.length ? h("ul.rows", null, found.map((one) => h("li", null, findingWords(one)))) : null,
    moved ? h("p", null, ending(copy, end)) : null);
}

function changed(copy, spoiled, place, act) {
  const { seq, body } = copy.links[place];
  if (act === "remove") return h("p", null, `Entry ${count(seq)} is no longer there.`);
  if (act === "swap") return h("p", null, `Entry ${count(seq)} and its neighbour have changed places.`);
  const actor = (text) => quoted(JSON.parse(text).actor);
  return h("p", null, `Entry ${count(seq)} now says that it was done by `, actor(spoiled.links[place].body), ", not by ", actor(body), ".");
}

const signedHere = ({ end, point }) => point?.checkpoint.seq === end.seq;

function ending({ end, point }, last) {
  const signed = signedHere({ end, point }) ? "as the last checkpoint has signed it" : "as the server names it";
  return ["The head should be ", h("code", null, end.hash), `, ${signed}, and is `, h("code", null, last?.hash ?? "nothing"), ". Whoever kept a head or a checkpoint elsewhere sees it at once."];
}

/** The links around the place, each bound to the next or not. */
function drawing(copy, spoiled, found, place, moved) {
  const broken = new Set(found.map(({ seq }) => seq));
  const from = Math.max(0, Math.min(place, spoiled.links.length - 1) - AROUND);
  const shown = spoiled.links.slice(from, from + 2 * AROUND + 2);
  const untouched = new Map(copy.links.map((link) => [link.seq, link]));
  const boxes = shown.map((link, index) => box(link, untouched.get(link.seq), broken.has(link.seq), index > 0 || from > 0));
  const rest = spoiled.links.length - from - shown.length;
  const between = rest > 0 ? h("li", null, joint(false), h("div.chain-link.rest", null, `${count(rest)} more`)) : null;
  return h("ol.chain", { "aria-label": "The links around the change" }, boxes, between, h("li.chain-end", null, joint(moved), h("span", null, signedHere(copy) ? "signed head" : "head")));
}

function box(link, before, broken, joined) {
  const altered = before && (before.body !== link.body || before.hash !== link.hash);
  return h("li", null, joined || broken ? joint(broken) : null,
    h("div.chain-link", { class: altered ? "altered" : "" }, h("b", null, count(link.seq)), h("code", null, `${link.hash.slice(0, 8)}…`), altered ? badge(before.body === link.body ? "new hash" : "changed", { tone: "warn" }) : null));
}

const joint = (broken) => h(`span.chain-joint.${broken ? "broken" : "whole"}`, null, broken ? "✕ broken" : "holds");
