// What went on over time: small plots of one measure each, all over the same time.

import { get } from "../../core/api.js";
import { fill, h, speak } from "../../core/dom.js";
import { count, plain } from "../../core/format.js";
import { mark } from "../../core/router.js";
import { session } from "../../core/session.js";
import { button } from "../../parts/controls.js";
import { progress, trouble } from "../../parts/notices.js";
import { plot } from "../../parts/plot.js";

const RANGES = { day: ["24 hours", "hour", 24], month: ["30 days", "day", 30], quarter: ["90 days", "day", 90] };
const RULES_SHOWN = 3;
const RULES = { weak: "fits too weakly", limit: "beyond what was asked", gate: "believed too little", origin: "origin not trusted", scope: "outside the scope" };

/** The section. `heard` is told what is so now whenever it was read; `last()` gives the same again, `refresh()` reads anew. */
export function activity(range, signal, heard) {
  if (session.barred("audit")) return { element: "", last: () => null, refresh: async () => {} };
  const state = { range: RANGES[range] ? range : "month", last: null, round: 0 };
  const place = h("div.plots");
  const switches = h("div.actions", { role: "group", "aria-label": "Over which time" });
  const element = h("section", { "aria-labelledby": "activity" }, h("div.section-head", null, h("h2#activity", null, "Over time"), switches), place);
  const load = (quiet) => read(place, state, signal, heard, quiet);
  draw(switches, state, load);
  load(false);
  return { element, last: () => state.last, refresh: () => (reading(place) ? null : load(true)) };
}

/** Nothing is taken from under somebody who reads a plot. */
const reading = (place) => place.contains(document.activeElement) || place.matches(":hover") || place.querySelector("details[open]") !== null;

function draw(switches, state, load) {
  fill(switches, Object.entries(RANGES).map(([name, [words]]) => {
    const chosen = button(words, () => {
      state.range = name;
      mark({ range: name });
      draw(switches, state, load);
      switches.querySelector("[aria-pressed=true]").focus();
      return load(false);
    }, { tone: "small" });
    chosen.setAttribute("aria-pressed", String(state.range === name));
    return chosen;
  }));
}

/** The server folds a long history a stretch at a time, and is asked until it has caught up. */
async function read(place, state, signal, heard, quiet) {
  const mine = (state.round += 1);
  const [words, bucket, buckets] = RANGES[state.range];
  place.setAttribute("aria-busy", "true");
  try {
    let found = null;
    do {
      found = await get("/api/activity", { bucket, buckets }, { signal });
      if (mine !== state.round) return;
      if (!found.complete && !quiet) fill(place, progress(`Reading the history: ${count(found.read)} of ${count(found.of)} …`, found.read, found.of));
    } while (!found.complete);
    state.last = { oldest: found.oldest_waiting, today: await today(found, signal) };
    fill(place, plots(found.periods));
    if (!quiet) speak(`Plots over ${words}.`);
    heard(state.last);
  } catch (error) {
    if (error.name !== "AbortError") fill(place, trouble(error, () => read(place, state, signal, heard, false)));
  }
  if (mine === state.round) place.removeAttribute("aria-busy");
}

async function today({ bucket, periods }, signal) {
  if (bucket === "day") return periods.at(-1);
  return (await get("/api/activity", { bucket: "day", buckets: 1 }, { signal })).periods.at(-1);
}

function plots(periods) {
  const line = (name, pick, more = {}) => ({ name, points: periods.map((one) => [Date.parse(one.start), pick(one)]), ...more });
  const bar = (name, pick) => line(name, pick, { bars: true });
  return [
    plot({ label: "Writes", level: 3, total: true, series: [bar("committed", (one) => one.committed), bar("held", (one) => one.held), bar("refused", (one) => one.refused)] }),
    plot({ label: "Recalls", level: 3, total: true, series: [bar("answered", (one) => one.recalls - one.abstentions), bar("abstained", (one) => one.abstentions)] }),
    plot({ label: "Kept back, by rule", level: 3, total: true, series: keptBack(periods).map(([name, pick]) => bar(name, pick)) }),
    plot({ label: "Conflicts", level: 3, total: true, series: [line("opened", (one) => one.conflicts_opened), line("resolved", (one) => one.conflicts_resolved)] }),
    plot({ label: "Waiting for a person", level: 3, series: [line("waiting", (one) => one.waiting, { step: true })] }),
    plot({ label: "Records that hold", level: 3, series: [line("records", (one) => one.records, { step: true })] }),
    plot({ label: "Mean effective confidence", level: 3, yMin: 0, yMax: 1, series: [line("confidence", (one) => one.confidence)] }),
    plot({ label: "Tiers", level: 3, series: ["working", "session", "longterm", "archive"].map((tier) => line(tier === "longterm" ? "long term" : tier, (one) => one.tiers[tier] ?? 0)) }),
  ];
}

/** The rules that kept most back, and the others together. */
function keptBack(periods) {
  const sums = new Map();
  for (const { kept_back: kept } of periods) for (const [rule, number] of Object.entries(kept)) sums.set(rule, (sums.get(rule) ?? 0) + number);
  const rules = [...sums].sort(([, one], [, other]) => other - one).map(([rule]) => rule);
  const chief = rules.slice(0, RULES_SHOWN).map((rule) => [RULES[rule] ?? plain(rule), (one) => one.kept_back[rule] ?? 0]);
  const rest = rules.slice(RULES_SHOWN);
  if (!rest.length) return chief.length ? chief : [["kept back", () => 0]];
  return [...chief, [rest.length === 1 ? RULES[rest[0]] ?? plain(rest[0]) : `${rest.length} others`, (one) => rest.reduce((sum, rule) => sum + (one.kept_back[rule] ?? 0), 0)]];
}
