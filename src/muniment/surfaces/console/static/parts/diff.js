// What changed between two texts, word by word: what went is struck, what came is underlined, the rest is quiet.

import { h } from "../core/dom.js";
import { many } from "../core/format.js";
import { visible } from "./said.js";

const STEPS_MOST = 400;
const QUIET_MOST = 80;
const QUIET_ENDS = 30;

/** The difference of two texts as an element. Texts that differ too much word by word are compared by lines, and
 *  those that differ in almost every line are shown one after the other. */
export function diff(before, after) {
  const runs = compare(before, after);
  const body = h("bdi.said-text", null, runs.map((run, place) => shown(run, place, runs.length)));
  return h("div.diff", null, h("blockquote.said", null, body), h("p.diff-sum", null, summed(runs)));
}

/** The same as runs: `[[how, text], …]` where how is "same", "out" or "in". */
export function compare(before, after) {
  if (before === after) return before ? [["same", before]] : [];
  const found = by(words, before, after) ?? by(rows, before, after) ?? [["out", before], ["in", after]];
  return joined(found);
}

const words = (text) => text.match(/\s+|[\p{L}\p{N}_]+(?:[.,:/@’'-][\p{L}\p{N}_]+)*|[^\s\p{L}\p{N}_]/gu) ?? [];
const rows = (text) => text.match(/[^\n]*\n|[^\n]+/g) ?? [];

function by(split, before, after) {
  const [a, b] = [split(before), split(after)];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const between = script(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  if (!between) return null;
  const same = (token) => ["same", token];
  return [...a.slice(0, head).map(same), ...between, ...a.slice(a.length - tail).map(same)];
}

/** The shortest way from one list to the other, found step by step; null when it takes too many. */
function script(a, b) {
  const trail = [];
  let reach = new Map([[1, 0]]);
  for (let steps = 0; steps <= Math.min(a.length + b.length, STEPS_MOST); steps += 1) {
    trail.push(new Map(reach));
    for (let line = -steps; line <= steps; line += 2) {
      const down = line === -steps || (line !== steps && reach.get(line - 1) < reach.get(line + 1));
      let x = down ? reach.get(line + 1) : reach.get(line - 1) + 1;
      while (x < a.length && x - line < b.length && a[x] === b[x - line]) x += 1;
      reach.set(line, x);
      if (x >= a.length && x - line >= b.length) return retraced(a, b, trail);
    }
  }
  return null;
}

function retraced(a, b, trail) {
  const found = [];
  let [x, y] = [a.length, b.length];
  for (let steps = trail.length - 1; steps >= 0; steps -= 1) {
    const reach = trail[steps];
    const line = x - y;
    const down = line === -steps || (line !== steps && reach.get(line - 1) < reach.get(line + 1));
    const from = down ? line + 1 : line - 1;
    const [startX, startY] = [reach.get(from), reach.get(from) - from];
    while (x > Math.max(startX, 0) && y > Math.max(startY, 0)) found.push(["same", a[(x -= 1, y -= 1, x)]]);
    if (steps === 0) break;
    if (down) found.push(["in", b[(y -= 1)]]);
    else found.push(["out", a[(x -= 1)]]);
  }
  return found.reverse();
}

/** Neighbours of one sort as one run; between two changes a mere space belongs to both, so that phrases stay whole. */
function joined(tokens) {
  const runs = [];
  let [out, came] = ["", ""];
  const flush = () => {
    if (out) runs.push(["out", out]);
    if (came) runs.push(["in", came]);
    [out, came] = ["", ""];
  };
  tokens.forEach(([how, text], place) => {
    const bridges = how === "same" && /^[^\S\n]+$/.test(text) && out && came && place + 1 < tokens.length && tokens[place + 1][0] !== "same";
    if (how !== "in" && (how === "out" || bridges)) out += text;
    if (how !== "out" && (how === "in" || bridges)) came += text;
    if (how !== "same" || bridges) return;
    flush();
    if (runs.at(-1)?.[0] === "same") runs.at(-1)[1] += text;
    else runs.push(["same", text]);
  });
  flush();
  return runs;
}

function shown([how, text], place, all) {
  if (how === "out") return h("del", null, visible(text));
  if (how === "in") return h("ins", null, visible(text));
  const parts = words(text);
  if (parts.length <= QUIET_MOST) return h("span", null, visible(text));
  const first = place === 0 ? "" : parts.slice(0, QUIET_ENDS).join("");
  const last = place === all - 1 ? "" : parts.slice(-QUIET_ENDS).join("");
  return h("span", null, visible(first), h("span.diff-gap", null, " … the same here … "), visible(last));
}

function summed(runs) {
  const counted = (how) => runs.filter(([one]) => one === how).reduce((sum, [, text]) => sum + words(text).filter((word) => /\S/.test(word)).length, 0);
  const [out, came] = [counted("out"), counted("in")];
  if (!out && !came) return "The words are the same.";
  return `${many(out, "word")} out, ${many(came, "word")} in`;
}
