// Values as people read them.

const SECOND = 1000;
const STEPS = [
  [60 * SECOND, SECOND, "second"],
  [3600 * SECOND, 60 * SECOND, "minute"],
  [86_400 * SECOND, 3600 * SECOND, "hour"],
  [30 * 86_400 * SECOND, 86_400 * SECOND, "day"],
  [365 * 86_400 * SECOND, 30 * 86_400 * SECOND, "month"],
  [Infinity, 365 * 86_400 * SECOND, "year"],
];
const ago = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const whole = new Intl.NumberFormat("en");

/** “3 hours ago”, “in 2 days”. */
export function relative(instant, now = Date.now()) {
  const away = Date.parse(instant) - now;
  const [, unit, name] = STEPS.find(([below]) => Math.abs(away) < below);
  return ago.format(Math.trunc(away / unit), name);
}

/** “2026-11-16 09:30:12 UTC”: exact, and the same for everybody. */
export function exact(instant) {
  const found = new Date(instant);
  if (Number.isNaN(found.getTime())) return String(instant);
  return `${found.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

export const day = (instant) => exact(instant).slice(0, 10);

export const count = (number) => whole.format(number);

/** “1 record”, “3 records”. */
export function many(number, one, more = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : more}`;
}

/** 0.8312 as “0.83”. */
export const share = (number) => (number === null || number === undefined ? "–" : number.toFixed(2));

export function bytes(number) {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let place = 0;
  while (number >= 1000 && place < units.length - 1) [number, place] = [number / 1000, place + 1];
  return `${place ? number.toFixed(1) : number} ${units[place]}`;
}

/** A word of the vocabulary as it is read: “evidence_sufficiency” as “evidence sufficiency”. */
export const plain = (word) => String(word).replace(/^x_/, "").replaceAll("_", " ");

export function shorten(text, most) {
  const signs = [...text];
  return signs.length > most ? `${signs.slice(0, most - 1).join("")}…` : text;
}
