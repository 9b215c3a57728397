// News: the server says when the ledger has moved; whoever is interested looks again.

import { eachLine, headers, read } from "./api.js";

const RETRY_FIRST_MS = 1_000;
const RETRY_MOST_MS = 30_000;
const listeners = new Set();
let running = null;

/** Call `heard(epoch)` whenever something was written, until the signal says that the page was left. */
export function onChange(heard, signal) {
  listeners.add(heard);
  signal?.addEventListener("abort", () => listeners.delete(heard), { once: true });
}

/** Begin to listen, for as long as somebody is signed in. */
export function listen() {
  hush();
  running = new AbortController();
  stay(running.signal);
}

export function hush() {
  running?.abort();
  running = null;
}

async function stay(signal) {
  let wait = RETRY_FIRST_MS;
  while (!signal.aborted) {
    try {
      const response = await fetch("/api/changes", { headers: headers(), signal, cache: "no-store", credentials: "omit" });
      if (response.status === 403) return;
      if (response.status === 401) await read(response);
      if (response.ok) {
        wait = RETRY_FIRST_MS;
        await eachLine(response.body, tell);
      }
    } catch (error) {
      if (error.name === "AbortError") return;
    }
    await pause(wait, signal);
    wait = Math.min(wait * 2, RETRY_MOST_MS);
  }
}

function tell(line) {
  if (!line.startsWith("data:")) return;
  const { epoch } = JSON.parse(line.slice(5));
  if (epoch === undefined) return;
  for (const heard of [...listeners]) heard(epoch);
}

function pause(ms, signal) {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), done()), { once: true });
  });
}
