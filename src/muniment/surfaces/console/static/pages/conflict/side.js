// One side of a disagreement: what it says, with what only it says marked, and all that speaks for or against it.

import { get } from "../../core/api.js";
import { h } from "../../core/dom.js";
import { many, plain, share } from "../../core/format.js";
import { recordPlace, visit } from "../../core/router.js";
import { graph } from "../../parts/graph.js";
import { badge, confidence, facts, origin, recordLink, status, when, who } from "../../parts/marks.js";
import { later } from "../../parts/notices.js";
import { quoted, said, visible } from "../../parts/said.js";
import { sideOf } from "./words.js";

const DEPTH = 8;
const ASKED_MOST = 200;
const SHOWN = 8;
const DRAWN = 60;
const ALIKE_LEAST = 0.4;

/** A card for one side. `runs` are those of `compare(earlier, later)`. */
export function sideCard(conflict, side, runs, signal) {
  const { record, standing } = side;
  const { claim } = record;
  const earlier = record.id === conflict.a.record.id;
  const won = conflict.winner === record.id;
  const name = sideOf(conflict, record.id);
  const head = `side-${earlier ? "a" : "b"}`;
  return h("article.side.card", { class: won ? "stays" : "", "aria-labelledby": head },
    h("header", null, h("h2", { id: head }, `${name[4].toUpperCase()}${name.slice(5)}`), status(standing.status),
      won ? badge("stays", { tone: "good" }) : null, recordLink(record.id)),
    content(record, runs, earlier ? "out" : "in"),
    facts([
      ["Written by", [who(record.actor), h("small", null, ` ${plain(record.actor_type ?? "")}`)]],
      ["Authority", authority(record)],
      ["Written", when(record.created_at)],
      ["Origin", origin(standing.footing.label)],
      ["Confidence", confidence(claim.belief.score, standing.footing.effective)],
      ["Kind", plain(claim.nature.kind)],
      ["Holds from", claim.times.valid_from ? when(claim.times.valid_from) : null],
      ["Holds until", claim.times.valid_until ? when(claim.times.valid_until) : null],
      ["Happened", claim.times.event_time ? when(claim.times.event_time) : null],
      ["Source", claim.origin.source ? quoted(claim.origin.source) : null],
      ["Turned out", outcomes(standing.footing)],
    ]),
    claim.slot ? h("p.row-line", null, "It answers: ", quoted(claim.slot.subject), " / ", quoted(claim.slot.key), " = ", quoted(claim.slot.value)) : null,
    claim.belief.reasoning ? [h("h3", null, "Reasoning"), said(claim.belief.reasoning, { by: record.actor, short: true })] : null,
    h("h3", null, "Evidence"), evidence(claim.belief.evidence),
    h("h3", null, "What it stands on"), lineage(record, signal));
}

function content(record, runs, mine) {
  const own = runs.filter(([how]) => how === "same" || how === mine);
  if (alike(runs) < ALIKE_LEAST) return said(record.claim.content, { by: record.actor });
  const body = own.map(([how, text]) => (how === mine ? [h("mark", null, visible(text.trimEnd())), text.slice(text.trimEnd().length)] : visible(text)));
  return h("blockquote.said", { "aria-label": `written by ${record.actor}` }, h("bdi.said-text", null, body));
}

/** How much of two texts is the same, from 0 to 1: where it is little, marks would tell nothing. */
function alike(runs) {
  const length = (wanted) => runs.filter(([how]) => wanted.includes(how)).reduce((sum, [, text]) => sum + text.length, 0);
  return length(["same"]) / Math.max(1, length(["same", "in"]), length(["same", "out"]));
}

/** What the author had when it wrote, if that was noted; else the policy counts, which is told to nobody here. */
const authority = ({ authority: noted }) => String(noted ?? "as the policy gives");

function outcomes({ helpful, misleading }) {
  if (!helpful && !misleading) return "nobody told yet";
  return `helpful ${helpful}, misleading ${misleading}`;
}

function evidence(pieces) {
  if (!pieces.length) return h("p.none", null, "None was given.");
  const rest = pieces.length - SHOWN;
  return h("ul.grounds", null, pieces.slice(0, SHOWN).map((piece) => h("li", null, quoted(piece))),
    rest > 0 ? h("li.none", null, `and ${many(rest, "piece")} more`) : null);
}

function lineage(record, signal) {
  const place = h("div");
  const load = () => get(`/api/records/${encodeURIComponent(record.id)}/lineage`, { direction: "up", depth: DEPTH, limit: ASKED_MOST }, { signal });
  later(place, load, (found) => grounds(record, found));
  return place;
}

/** What it stands on, the nearest first; the weakest of it is what holds its own confidence down. */
function grounds(record, found) {
  const nodes = found.nodes.filter((node) => node.depth < 0);
  if (!nodes.length) return h("p.none", null, "On nothing else here: it was derived from no record.");
  const weakest = nodes.reduce((one, other) => (other.effective < one.effective ? other : one));
  const near = [...nodes].sort((one, other) => other.depth - one.depth);
  const shown = near.slice(0, SHOWN);
  if (!shown.includes(weakest)) shown[SHOWN - 1] = weakest;
  const rest = nodes.length - shown.length;
  return [h("ul.grounds", null, shown.map((node) => ground(node, node === weakest && nodes.length > 1)),
    rest > 0 ? h("li", null, h("a", { href: recordPlace(record.id, { tab: "lineage" }) }, `and ${many(rest, "record")} more`)) : null),
  nodes.length > 1 ? drawn(found, weakest) : null];
}

/** The same as a drawing, made when somebody wants it. */
function drawn({ nodes, edges }, weakest) {
  const shown = [...nodes].sort((one, other) => other.depth - one.depth).slice(0, DRAWN);
  const known = new Set(shown.map((node) => node.id));
  const box = (node) => ({ id: node.id, words: node.content, depth: node.depth, tone: tone(node, weakest), note: `${share(node.effective)} · ${plain(node.status)}` });
  const draw = () => details.open && !details.querySelector(".graph, svg") && details.append(graph({
    label: "What it stands on",
    nodes: shown.map(box),
    edges: edges.filter(({ source, target }) => known.has(source) && known.has(target)),
    onopen: (id) => visit(recordPlace(id)),
  }));
  const details = h("details", { ontoggle: draw }, h("summary", null, "Show it as a drawing"));
  return details;
}

function tone(node, weakest) {
  if (node.depth === 0) return "here";
  if (!["active", "contested"].includes(node.status)) return "bad";
  if (node.id === weakest.id) return "weak";
  return node.gate === "PASS" ? "plain" : "warn";
}

function ground(node, weakest) {
  return h("li", null, said(node.content, { by: node.actor, short: true }),
    h("div.row-line", null, recordLink(node.id), `${many(-node.depth, "step")} up`, who(node.actor), node.status === "active" ? null : status(node.status),
      confidence(node.confidence, node.effective), weakest ? badge("weakest link", { tone: "warn", title: "Nothing above it is believed more than this." }) : null));
}
