// A small plot over time: lines, steps or stacked bars, read with the pointer or the arrow keys, or as a table.

import { fill, fresh, h, svg } from "../core/dom.js";
import { count } from "../core/format.js";
import { table } from "./paged.js";
import { instantExact, instantsOf, instantWords, reach, roundFigures, roundInstants, scale, valueAt } from "./plot_scales.js";

const EDGE = { top: 8, right: 10, bottom: 20 };
const SIGN_WIDTH = 6.6;
const ROWS_MOST = 500;
const TONES = 4;
const HOUR = 3_600_000;

/** `plot({label, series: [{name, points: [[millis, value|null], …], step?, bars?}], yMin?, yMax?, height?, total?, level?})`.
 *  `total`: at rest the legend tells sums, else what was last. `level`: which heading the label is, if one. */
export function plot({ label, series, yMin = null, yMax = null, height = 128, total = false, level = null }) {
  const instants = instantsOf(series);
  const head = h(level ? `h${level}.plot-label` : "span.plot-label", null, label);
  if (!instants.length) return h("figure.plot", null, h("figcaption", null, head), h("p.plot-empty", null, "Nothing in this time."));
  const bucketed = instants.every((at) => at % HOUR === 0);
  const barred = series.some(({ bars }) => bars);
  const seen = { label, series, instants, height, total, bucketed, barred, bounds: bounds(series, instants, yMin, yMax), at: null };
  const reading = h("span.plot-when");
  const legend = h("ul.plot-legend", { "aria-label": `${label}: what the lines are` });
  const ground = h("div.plot-ground", ruler(seen));
  const told = () => tell(seen, ground, reading, legend);
  listen(ground, seen, told);
  new ResizeObserver(() => draw(ground, seen)).observe(ground);
  told();
  return h("figure.plot", null, h("figcaption", null, head, reading), ground, legend, asTable(seen));
}

function bounds(series, instants, yMin, yMax) {
  const [low, high] = reach(series, instants);
  const whole = series.every(({ points }) => points.every(([, y]) => y === null || Number.isInteger(y)));
  const top = Math.max(high, low + (high === low ? 1 : 0), yMin ?? 0);
  return roundFigures(Math.min(yMin ?? 0, low), yMax ?? top, { whole });
}

function ruler({ label, instants }) {
  return {
    role: "slider", tabindex: "0", "aria-label": label, "aria-orientation": "horizontal",
    "aria-valuemin": 0, "aria-valuemax": instants.length - 1,
  };
}

/** What is read: at one instant if one is chosen, else the sums or the last. */
function tell(seen, ground, reading, legend) {
  const { series, instants, total, bucketed } = seen;
  const place = seen.at ?? instants.length - 1;
  const resting = seen.at === null;
  const at = instants[place];
  const values = series.map((one) => (resting && total ? sum(one) : valueAt(one, at)));
  const when = resting ? (total ? "in all" : "now") : instantExact(at, bucketed);
  fill(reading, when);
  fill(legend, series.map((one, index) => h("li", null, swatch(one, index), `${one.name} `, h("b", null, spelled(values[index])))));
  ground.setAttribute("aria-valuenow", place);
  ground.setAttribute("aria-valuetext", `${when}: ${series.map(({ name }, index) => `${name} ${spelled(values[index])}`).join(", ")}`);
  point(seen);
}

const sum = ({ points }) => points.reduce((found, [, y]) => found + (y ?? 0), 0);

function spelled(value) {
  if (value === null || value === undefined) return "–";
  return Number.isInteger(value) ? count(value) : value.toFixed(2);
}

function listen(ground, seen, told) {
  const choose = (place) => {
    seen.at = place === null ? null : Math.max(0, Math.min(seen.instants.length - 1, place));
    told();
  };
  ground.addEventListener("pointermove", (event) => choose(nearest(ground, seen, event.clientX)));
  ground.addEventListener("pointerdown", (event) => choose(nearest(ground, seen, event.clientX)));
  ground.addEventListener("pointerleave", () => choose(null));
  ground.addEventListener("blur", () => choose(null));
  ground.addEventListener("keydown", (event) => {
    const last = seen.instants.length - 1;
    const here = seen.at ?? last + (event.key === "ArrowLeft" ? 1 : 0);
    const next = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: last, PageUp: here - 7, PageDown: here + 7, Escape: null }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    choose(next);
  });
}

function nearest(ground, seen, clientX) {
  if (!seen.x) return null;
  const x = clientX - ground.getBoundingClientRect().left;
  let best = 0;
  for (let place = 1; place < seen.instants.length; place += 1) {
    if (Math.abs(seen.x(seen.instants[place]) - x) < Math.abs(seen.x(seen.instants[best]) - x)) best = place;
  }
  return best;
}

/** The drawing in the width there is. */
function draw(ground, seen) {
  const width = Math.floor(ground.clientWidth);
  if (!width || width === seen.width) return;
  seen.width = width;
  const { instants, bounds: figures, height, series } = seen;
  const left = Math.max(...figures.map((one) => spelledShort(one).length)) * SIGN_WIDTH + 8;
  const half = gap(instants) / 2;
  const span = [instants[0] - (seen.barred ? half : 0), instants.at(-1) + (seen.barred ? half : 0)];
  if (span[0] === span[1]) span.splice(0, 2, span[0] - 1, span[1] + 1);
  seen.x = scale(span, [left, width - EDGE.right]);
  seen.y = scale([figures[0], figures.at(-1)], [height - EDGE.bottom, EDGE.top]);
  seen.slot = Math.max(1.5, Math.min(28, seen.x(half * 1.5) - seen.x(0)));
  seen.cursor = svg("g.plot-cursor");
  fill(ground, svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", focusable: "false" },
    axes(seen, span, left, width), bars(seen), lines(seen, series), seen.cursor));
  point(seen);
}

function gap(instants) {
  let least = Infinity;
  for (let place = 1; place < instants.length; place += 1) least = Math.min(least, instants[place] - instants[place - 1]);
  return Number.isFinite(least) ? least : HOUR;
}

const spelledShort = (figure) => (Math.abs(figure) >= 10_000 ? `${Number((figure / 1000).toFixed(1))}k` : String(figure));

function axes({ x, y, bounds: figures, height }, [low, high], left, width) {
  const across = figures.map((one) => [
    svg("line.plot-rule", { x1: left, x2: width - EDGE.right, y1: y(one), y2: y(one) }),
    svg("text.plot-figure", { x: left - 6, y: y(one) + 4, "text-anchor": "end" }, spelledShort(one)),
  ]);
  const times = roundInstants(low, high, Math.max(2, Math.floor(width / 90)));
  const chosen = times.length ? times : [(low + high) / 2];
  const down = chosen.map((at) => {
    const words = instantWords(at, high - low);
    const room = (words.length * SIGN_WIDTH) / 2;
    const place = Math.min(Math.max(x(at), left + room - 6), width - room);
    return svg("text.plot-figure", { x: place, y: height - 4, "text-anchor": "middle" }, words);
  });
  return svg("g", null, across, down);
}

/** Bars at one instant stand on each other. Each has its own filling, so that they can be told apart without colour. */
function bars({ series, instants, x, y, slot }) {
  const stacked = series.map((one, index) => [one, index]).filter(([one]) => one.bars);
  const fillings = stacked.map(([, index]) => filling(index));
  const drawn = instants.map((at) => {
    let below = 0;
    return stacked.map(([one], place) => {
      const value = valueAt(one, at) ?? 0;
      if (!value) return null;
      const top = y(below + value);
      const bar = svg(`rect.plot-bar.tone-${(stacked[place][1] % TONES) + 1}`, { x: x(at) - slot / 2, y: top, width: slot, height: Math.max(1, y(below) - top), fill: `url(#${fillings[place].id})` });
      below += value;
      return bar;
    });
  });
  return svg("g", null, svg("defs", null, fillings), drawn);
}

function filling(index) {
  const tone = `tone-${(index % TONES) + 1}`;
  const marks = [
    svg(`rect.plot-fill.${tone}`, { width: 6, height: 6 }),
    svg(`path.plot-hatch.${tone}`, { d: "M-1 1l2-2M0 6l6-6M5 7l2-2" }),
    svg(`circle.plot-fill.${tone}`, { cx: 3, cy: 3, r: 1.4 }),
    svg(`path.plot-hatch.${tone}`, { d: "M0 3h6" }),
  ];
  return svg("pattern", { id: fresh("filling"), width: 6, height: 6, patternUnits: "userSpaceOnUse" }, marks[index % TONES]);
}

function lines({ x, y }, series) {
  return svg("g", null, series.map((one, index) => {
    if (one.bars) return null;
    const tone = `tone-${(index % TONES) + 1}`;
    const lone = one.points.filter(([, v], place) => v !== null && (one.points[place - 1]?.[1] ?? null) === null && (one.points[place + 1]?.[1] ?? null) === null);
    return [
      svg(`path.plot-line.${tone}.dash-${(index % TONES) + 1}`, { d: path(one, x, y) }),
      lone.map(([at, value]) => svg(`circle.plot-fill.${tone}`, { cx: x(at), cy: y(value), r: 3 })),
    ];
  }));
}

/** Where a value is missing the line breaks off. */
function path({ points, step = false }, x, y) {
  let drawing = "";
  let before = null;
  for (const [at, value] of points) {
    if (value !== null) {
      const [across, down] = [x(at).toFixed(1), y(value).toFixed(1)];
      drawing += before === null ? `M${across} ${down}` : step ? `H${across}V${down}` : `L${across} ${down}`;
    }
    before = value;
  }
  return drawing;
}

/** The line at the instant that is read, with a dot on every series there. */
function point(seen) {
  if (!seen.cursor) return;
  if (seen.at === null) return void fill(seen.cursor);
  const at = seen.instants[seen.at];
  const dots = seen.series.map((one, index) => {
    const value = one.bars ? null : valueAt(one, at);
    return value === null ? null : svg(`circle.plot-fill.tone-${(index % TONES) + 1}`, { cx: seen.x(at), cy: seen.y(value), r: 3.5 });
  });
  fill(seen.cursor, svg("line.plot-hair", { x1: seen.x(at), x2: seen.x(at), y1: EDGE.top, y2: seen.height - EDGE.bottom }), dots);
}

function swatch({ bars: barred }, index) {
  const tone = `tone-${(index % TONES) + 1}`;
  const inner = barred
    ? [svg("defs", null, filling(index)), svg(`rect.plot-bar.${tone}`, { x: 1, y: 1, width: 16, height: 10 })]
    : svg(`path.plot-line.${tone}.dash-${(index % TONES) + 1}`, { d: "M0 6h18" });
  const drawing = svg("svg.plot-swatch", { width: 18, height: 12, "aria-hidden": "true", focusable: "false" }, inner);
  if (barred) inner[1].setAttribute("fill", `url(#${inner[0].firstChild.id})`);
  return drawing;
}

/** The same as figures, made when somebody asks; what is oldest is left off where there is very much. */
function asTable({ label, series, instants, bucketed }) {
  const place = h("div");
  const build = () => {
    const shown = instants.slice(-ROWS_MOST).reverse();
    const rows = shown.map((at) => [instantExact(at, bucketed), ...series.map((one) => spelled(valueAt(one, at)))]);
    const left = instants.length - shown.length;
    fill(place, table(["When", ...series.map(({ name }) => name)], rows, { caption: left ? `${label}, the last ${ROWS_MOST}` : label }));
  };
  return h("details.plot-table", { ontoggle: (event) => event.target.open && !place.firstChild && build() }, h("summary", null, "Show as a table"), place);
}
