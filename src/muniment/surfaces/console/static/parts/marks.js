// Small signs: what state something is in, how far it is believed, when, by whom. Each says in words what it means.

import { h } from "../core/dom.js";
import { exact, plain, relative, share, shorten } from "../core/format.js";
import { recordPlace } from "../core/router.js";
import { GATES, LABELS, STATUSES } from "../core/words.js";
import { quoted } from "./said.js";

const TONES = {
  active: "good", passed: "good", PASS: "good", committed: "good", resolved: "good", standing: "good",
  contested: "warn", held: "warn", FLAG: "warn", flagged: "warn", changed: "warn", escalated: "warn",
  detected: "warn", resolving: "warn", draft: "warn",
  retracted: "bad", quarantined: "bad", FILTER: "bad", refused: "bad", fallen: "bad", erased: "bad",
};

/** A word with a tone of its own; `title` says what it means. */
export function badge(word, { tone = TONES[word] ?? "plain", title = null } = {}) {
  return h(`span.badge.${tone}`, title ? { title } : null, plain(word));
}

export const status = (word) => badge(word, { title: STATUSES[word] ?? null });
export const gate = (word) => badge(word, { title: GATES[word] ?? null });
export const origin = (word) => badge(word, { tone: "plain", title: LABELS[word] ?? null });

/** How far it is believed: declared and effective on one line, the loss between them seen at a glance. */
export function confidence(declared, effective, unstated = false) {
  const words = unstated ? `not stated, taken for ${share(declared)}, effective ${share(effective)}` : `declared ${share(declared)}, effective ${share(effective)}`;
  const bar = h("span.meter", { role: "img", "aria-label": words, title: words }, h("span.meter-declared"), h("span.meter-effective"));
  bar.children[0].style.setProperty("--part", declared ?? 0);
  bar.children[1].style.setProperty("--part", effective ?? 0);
  const lost = declared !== null && effective !== null && declared - effective > 0.005;
  const figures = lost ? [h("s", null, share(declared)), " ", h("b", null, share(effective))] : h("b", null, share(effective));
  return h("span.confidence", null, bar, h("span.figures", { "aria-hidden": "true" }, figures), unstated ? h("span.none", { title: words }, " not stated") : null);
}

/** When: how long ago, with the exact instant at hand. */
export function when(instant) {
  if (!instant) return h("span.none", null, "–");
  return h("time", { datetime: instant, title: exact(instant) }, relative(instant));
}

/** Who. Names are what somebody chose, so they are quoted. */
export const who = (actor) => h("span.who", null, quoted(actor));

/** A record by its id, shortened, leading to its page. */
export function recordLink(id, words = null) {
  return h("a.id", { href: recordPlace(id), title: id }, words ?? short(id));
}

/** An id as people compare them: its kind and its last signs. */
export function short(id) {
  const found = /^([a-z]+_)?.*?([0-9a-z]{8})$/i.exec(id);
  return found && id.length > 16 ? `${found[1] ?? ""}…${found[2]}` : shorten(id, 24);
}

/** Names and values, one under the other; those without a value are left out. */
export function facts(pairs) {
  const told = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "" && !(Array.isArray(value) && !value.length));
  return h("dl.facts", null, told.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))));
}
