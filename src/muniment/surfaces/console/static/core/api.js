// Calls of the HTTP API, as any other caller makes them.

const KEY = "muniment.key";
let refused = () => {};

/** What the server said instead of an answer, in its own words. */
export class Problem extends Error {
  constructor(status, document) {
    super(document.detail || document.title || "The server gave no answer that can be read.");
    this.status = status;
    this.code = document.code || "unreadable";
    this.hint = document.hint || "";
    this.field = document.field || "";
  }
}

/** The credential of this tab. It is kept for as long as the tab is open, and nowhere else. */
export const credential = {
  get: () => sessionStorage.getItem(KEY),
  set: (key) => (key ? sessionStorage.setItem(KEY, key) : sessionStorage.removeItem(KEY)),
};

/** Call this when a credential no longer counts. */
export function whenRefused(call) {
  refused = call;
}

export function headers(more = {}) {
  const key = credential.get();
  const said = { "Muniment-Form": "values", ...more };
  return key ? { ...said, Authorization: `Bearer ${key}` } : said;
}

/** `get("/api/records", {limit: 5, kinds: ["fact"]}, {signal})` */
export async function get(path, query = {}, options = {}) {
  return read(await call(path + spelled(query), { method: "GET", headers: headers(), signal: options.signal }));
}

/** The same with the answer's tag: `{body, tag}`. Sent back as `match`, a change counts only for what was read. */
export async function getTagged(path, query = {}, options = {}) {
  const response = await call(path + spelled(query), { method: "GET", headers: headers(), signal: options.signal });
  return { tag: response.headers.get("ETag"), body: await read(response) };
}

/** `post("/api/recall", {query})`. What changes something is sent under a key, so that it counts once; `once` is that key
 *  where the caller may have to send the same again. */
export async function post(path, body = null, options = {}) {
  const said = headers({ "Idempotency-Key": options.once ?? token() });
  if (body !== null) said["Content-Type"] = "application/json";
  if (options.match) said["If-Match"] = options.match;
  const text = body === null ? undefined : JSON.stringify(without(body));
  return read(await call(path, { method: "POST", headers: said, body: text, signal: options.signal }));
}

/** Lines of a stream as they come: calls `line` with each; `options` are those of fetch. */
export async function lines(path, options, line) {
  const response = await call(path, { ...options, headers: headers(options.headers) });
  if (!response.ok) await read(response);
  await eachLine(response.body, (text) => text.trim() && line(JSON.parse(text)));
}

/** Read a body as text, line by line. */
export async function eachLine(body, line) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    for (const part of parts) line(part);
  }
  if (rest) line(rest);
}

/** A name for one request, from the browser's own randomness. */
export function token() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function spelled(query) {
  const said = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== "") said.append(name, one);
    }
  }
  const text = said.toString();
  return text && `?${text}`;
}

function without(body) {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== undefined));
}

async function call(path, options) {
  try {
    return await fetch(path, { ...options, cache: "no-store", credentials: "omit", redirect: "error" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    const hint = "See whether `muniment serve` still runs, then try again. Nothing is lost: what was not answered can be sent again.";
    throw new Problem(0, { code: "unreachable", detail: "The server cannot be reached.", hint });
  }
}

/** The document of an answer; what is none becomes a `Problem`, and a credential that no longer counts is reported. */
export async function read(response) {
  const text = await response.text();
  let document = {};
  try {
    document = text ? JSON.parse(text) : {};
  } catch {
    throw new Problem(response.status, {});
  }
  if (response.ok) return document;
  const problem = new Problem(response.status, document);
  if (response.status === 401) refused(problem);
  throw problem;
}
