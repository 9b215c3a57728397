// The chain of a ledger, hashed again in this browser, and ways to spoil a copy of it. Nothing here asks the server.

const OPENING = new TextEncoder().encode("muniment entry 1\0");
const OTHER_LETTER = { a: "e", e: "a" };

/** Whether this page may hash at all: browsers allow it on https and on localhost. */
export const canHash = () => globalThis.crypto?.subtle !== undefined;

/** The hash of an entry, in hex: over the hash before it and its own bytes. */
async function linkHash(previous, body) {
  const words = new TextEncoder().encode(body);
  const all = new Uint8Array(OPENING.length + 32 + words.length);
  all.set(OPENING);
  all.set(unhex(previous), OPENING.length);
  all.set(words, OPENING.length + 32);
  return hex(await crypto.subtle.digest("SHA-256", all));
}

/** Check links that follow on `before` ({seq, hash}). Gives what is wrong, in order: `{seq, what, written, computed}`,
 *  where `what` is "order" (not the number that comes next), "hash" or "withheld" (no bytes to check). */
export async function checkLinks(before, links) {
  const found = await Promise.all(links.map((link, place) => checkLink(place ? links[place - 1] : before, link)));
  return found.flat();
}

async function checkLink(before, { seq, body, hash }) {
  const wrong = seq === before.seq + 1 ? [] : [{ seq, what: "order", written: seq, computed: before.seq + 1 }];
  if (body === null) return seq === 1 ? wrong : [...wrong, { seq, what: "withheld", written: hash, computed: null }];
  const computed = await linkHash(before.hash, body);
  return computed === hash ? wrong : [...wrong, { seq, what: "hash", written: hash, computed }];
}

/** Whether a checkpoint was signed by the key it names: true, false, or null where this browser cannot tell. */
export async function signatureHolds({ checkpoint, signature }) {
  let key;
  try {
    key = await crypto.subtle.importKey("raw", unhex(checkpoint.key), "Ed25519", false, ["verify"]);
  } catch (error) {
    return error.name === "NotSupportedError" ? null : false;
  }
  return crypto.subtle.verify("Ed25519", key, unhex(signature), new TextEncoder().encode(canonical(checkpoint)));
}

/** A checkpoint as it was signed: keys in order, no white space, instants in microseconds, a zero `previous` left out. */
function canonical({ at, head, key, previous, receipts, receipts_head, root, seq, tenant }) {
  const told = { at: micros(at), head, key, ...(previous ? { previous } : {}), receipts, receipts_head, root, seq, tenant };
  return JSON.stringify(told);
}

function micros(instant) {
  const [, whole, part = ""] = /^(.*?\d\d:\d\d:\d\d)(?:\.(\d+))?Z$/.exec(instant);
  return (Date.parse(`${whole}Z`) / 1000) * 1_000_000 + Number(part.padEnd(6, "0").slice(0, 6));
}

/** Ways to spoil a copy (`{before, links}`) at one place. Each gives another copy and says what was done; the first stays as it is. */
export const SPOILS = {
  alter: ["Change one letter", async (copy, place) => replaced(copy, place, { body: misspelt(copy.links[place].body) })],
  remove: ["Take the entry out", async (copy, place) => ({ ...copy, links: copy.links.toSpliced(place, 1) })],
  swap: ["Swap it with the next", async (copy, place) => ({ ...copy, links: swapped(copy.links, place) })],
  forge: ["Change it and make its hash anew", forge],
  rewrite: ["Change it and make every later hash anew", rewrite],
};

async function forge(copy, place) {
  const body = misspelt(copy.links[place].body);
  return replaced(copy, place, { body, hash: await linkHash(hashBefore(copy, place), body) });
}

async function rewrite(copy, place) {
  let made = await forge(copy, place);
  for (let next = place + 1; next < made.links.length; next += 1) {
    made = replaced(made, next, { hash: await linkHash(hashBefore(made, next), made.links[next].body) });
  }
  return made;
}

const hashBefore = ({ before, links }, place) => (place ? links[place - 1].hash : before.hash);

function replaced(copy, place, change) {
  return { ...copy, links: copy.links.with(place, { ...copy.links[place], ...change }) };
}

function swapped(links, place) {
  const other = place + 1 < links.length ? place + 1 : place - 1;
  return links.with(place, links[other]).with(other, links[place]);
}

/** The same words with one letter of the actor's name changed. */
function misspelt(body) {
  const place = body.indexOf('"actor":"') + '"actor":"'.length;
  return body.slice(0, place) + (OTHER_LETTER[body[place]] ?? "a") + body.slice(place + 1);
}

const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

function unhex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
