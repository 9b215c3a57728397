// How values lie on a plot: round figures for the axes, times as short as their span allows, what a series says at an instant.

const MINUTE = 60_000;
const DAY = 86_400_000;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const CLOCKS = [1000, 5000, 15_000, MINUTE, 5 * MINUTE, 15 * MINUTE, 60 * MINUTE, 3 * 60 * MINUTE, 6 * 60 * MINUTE, 12 * 60 * MINUTE];
const DAYS = [1, 2, 5, 10, 15, 30, 60, 90, 180, 365, 730, 1825, 3650];
const STEPS = [...CLOCKS, ...DAYS.map((days) => days * DAY)];

/** Where something between two values lies between two places. */
export function scale([low, high], [first, last]) {
  const width = high - low || 1;
  return (value) => first + ((value - low) / width) * (last - first);
}

/** A few round figures from `low` to `high`, both covered; whole ones where only those make sense. */
export function roundFigures(low, high, { most = 3, whole = false } = {}) {
  const span = high - low || 1;
  const power = Math.max(10 ** Math.floor(Math.log10(span / most)), whole ? 1 : 0);
  const step = (whole ? [1, 2, 5, 10] : [1, 2, 2.5, 5, 10]).map((part) => part * power).find((one) => span / one <= most) ?? power * 10;
  const found = [];
  for (let place = Math.floor(low / step); place <= Math.ceil(high / step - 1e-9); place += 1) found.push(Number((place * step).toPrecision(12)));
  return found;
}

/** A few instants between two, on round hours or days. */
export function roundInstants(low, high, most) {
  const step = STEPS.find((one) => (high - low) / one <= most) ?? (high - low) / most;
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) found.push(at);
  return found;
}

/** An instant as short as a span allows: the clock within two days, then the day, then the month. */
export function instantWords(at, span) {
  const when = new Date(at);
  const clock = when.toISOString().slice(11, span < 5 * MINUTE ? 19 : 16);
  if (span < 2 * DAY) return clock;
  const month = MONTHS[when.getUTCMonth()];
  return span < 300 * DAY ? `${when.getUTCDate()} ${month}` : `${month} ${when.getUTCFullYear()}`;
}

/** The same for reading out: nothing left out that is not plain from the span. */
export function instantExact(at, bucketed) {
  const text = new Date(at).toISOString();
  const whole = bucketed && text.slice(11, 19) === "00:00:00";
  return whole ? text.slice(0, 10) : `${text.slice(0, 10)} ${text.slice(11, bucketed ? 16 : 19)} UTC`;
}

/** Every instant that any series speaks of, in order. */
export function instantsOf(series) {
  return [...new Set(series.flatMap(({ points }) => points.map(([at]) => at)))].sort((one, other) => one - other);
}

/** What a series says at an instant; one that holds until it changes says what it said last. */
export function valueAt({ points, step = false }, at) {
  if (!step) return points.find(([x]) => x === at)?.[1] ?? null;
  let found = null;
  for (const [x, y] of points) {
    if (x > at) break;
    found = y;
  }
  return found;
}

/** The lowest and highest value; what is stacked counts as its sum. */
export function reach(series, instants) {
  const stacked = series.filter(({ bars }) => bars);
  const sums = stacked.length ? instants.map((at) => stacked.reduce((sum, one) => sum + (valueAt(one, at) ?? 0), 0)) : [];
  const plain = series.filter(({ bars }) => !bars).flatMap(({ points }) => points.map(([, y]) => y).filter((y) => y !== null));
  const all = [...sums, ...plain];
  return all.length ? [Math.min(...all), Math.max(...all)] : [0, 1];
}
