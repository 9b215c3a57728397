// A score taken apart: a small bar of its parts, and each part in words.

import { h } from "../../core/dom.js";
import { plain, share } from "../../core/format.js";
import { table } from "../../parts/paged.js";
import { PARTS } from "./words.js";

const GROUPS = ["words", "meaning", "around", "time", "itself"];

/** How well it fits, 0 to 1, as a bar whose pieces are what the score is the sum of. */
export function scoreBar(score, parts) {
  const words = parts.length ? parts.map(([name, value]) => `${plain(name)} ${value.toFixed(3)}`).join(", ") : "not ranked";
  const bar = h("span.score-bar", { role: "img", "aria-label": `fits ${share(score)}: ${words}`, title: words });
  const sums = GROUPS.map((group) => parts.filter(([name]) => groupOf(name) === group).reduce((sum, [, value]) => sum + Math.max(0, value), 0));
  const whole = sums.reduce((sum, value) => sum + value, 0);
  GROUPS.forEach((group, place) => {
    if (!sums[place]) return;
    const piece = h(`span.score-${group}`);
    piece.style.setProperty("--part", (sums[place] / whole) * Math.min(1, Math.max(0, score)));
    bar.append(piece);
  });
  return h("span.score", null, bar, h("span.figures", { "aria-hidden": "true" }, share(score)));
}

/** The parts one under the other, each with what it stands for. */
export function scoreTable(parts, caption) {
  if (!parts.length) return h("p", null, "It was not ranked by itself: it comes with another record.");
  const rows = parts.map(([name, value]) => [
    h("span.score-name", null, h(`span.score-swatch.score-${groupOf(name)}`), plain(name)),
    value.toFixed(3),
    PARTS[name]?.[1] ?? "",
  ]);
  return table(["Part", "Adds", "Because"], rows, { caption });
}

const groupOf = (name) => PARTS[name]?.[0] ?? "itself";
