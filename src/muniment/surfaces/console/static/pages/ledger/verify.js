// Whether the ledger still holds: by the server, by this browser, and what it looks like when it does not.

import { lines } from "../../core/api.js";
import { fill, h, speak } from "../../core/dom.js";
import { count, many } from "../../core/format.js";
import { to } from "../../core/router.js";
import { area, button, field, input } from "../../parts/controls.js";
import { recordLink } from "../../parts/marks.js";
import { progress, trouble } from "../../parts/notices.js";
import { browserCheck } from "./browser.js";
import { tampering } from "./tamper.js";

const FINDINGS_SHOWN = 100;

export function verifyTab(signal) {
  const kept = anchor();
  const copy = { taken: null, listeners: [] };
  return h("div.ledger-verify", null, kept.element, serverCheck(kept, signal), browserCheck(kept, copy, signal), tampering(copy, signal));
}

/** A head that was kept elsewhere: typed, pasted or from a file. `read()` gives it, null if there is none, or throws. */
function anchor() {
  const text = area({ rows: 3, spellcheck: "false", placeholder: '{"tenant": "…", "seq": 132, "hash": "…", "at": "…"}' });
  const file = input({ type: "file", accept: ".json,application/json", onchange: async () => file.files[0] && (text.value = await file.files[0].text()) });
  const element = h("details.anchor", null, h("summary", null, "Compare with a head that was kept elsewhere"),
    h("p", null, "A vault that was set back to an older copy is sound in itself. A head that you took before (Head and keys) and kept where the vault cannot be written from tells whether this is still the same history."),
    h("div.grid", null, field("The head, as it was downloaded", text, { wide: true }), field("Or from a file", file, { hint: "It is read in this tab and put into the field above." })));
  return { element, read: () => (text.value.trim() ? readHead(text.value) : null) };
}

function readHead(text) {
  let found = null;
  try {
    found = JSON.parse(text);
  } catch {
    found = null;
  }
  if (Number.isInteger(found?.seq) && /^[0-9a-f]{64}$/.test(found?.hash ?? "")) return found;
  throw Object.assign(new Error("The head that was kept elsewhere cannot be read."), { hint: "It is one line of JSON with tenant, seq, hash and at, as “Download the head” or `muniment ledger head` gives it." });
}

function serverCheck(kept, signal) {
  const place = h("div");
  return h("section.card", null, h("h2", null, "By the server"),
    h("p", null, "The server checks everything against everything: the chain, every document, every table that was built from it, every signature, every receipt. It changes nothing."),
    h("p.actions", null, button("Verify the ledger", () => verify(place, kept, signal), { right: "audit", tone: "main" })),
    place);
}

async function verify(place, kept, signal) {
  if (place.getAttribute("aria-busy")) return;
  const own = new AbortController();
  const both = AbortSignal.any([signal, own.signal]);
  place.setAttribute("aria-busy", "true");
  try {
    const head = kept.read();
    show(place, own, null);
    const options = { method: "POST", headers: { Accept: "application/x-ndjson", "Content-Type": "application/json" }, body: JSON.stringify(head ? { anchor: head } : {}), signal: both };
    let last = null;
    await lines("/api/ledger/verification", options, (line) => {
      if (line.what === "progress") show(place, own, line);
      else last = line;
    });
    fill(place, verdict(last, head));
  } catch (error) {
    fill(place, error.name === "AbortError" ? h("p", null, "Stopped. Nothing was changed.") : trouble(error));
  }
  place.removeAttribute("aria-busy");
}

function show(place, own, line) {
  const words = line ? `${count(line.entries)} of ${many(line.of, "entry", "entries")} checked …` : "Checking …";
  if (!place.querySelector("progress")) fill(place, progress(words, line?.entries ?? null, line?.of), button("Stop", () => own.abort()));
  else place.querySelector(".progress").replaceWith(progress(words, line?.entries ?? null, line?.of));
}

function verdict(found, head) {
  if (found === null || found.what === "failed") {
    return trouble(Object.assign(new Error(found?.detail ?? found?.message ?? "The check ended without a result."), { code: found?.code, hint: found?.hint }));
  }
  const words = found.ok
    ? `Sound: ${many(found.entries, "entry", "entries")} and ${many(found.receipts, "receipt")} checked, nothing wrong.`
    : `Not sound: ${many(found.findings.length, "finding")}.`;
  speak(words);
  const anchored = head && found.ok ? h("p", null, `The head that was kept elsewhere, entry ${count(head.seq)}, is still part of this history.`) : null;
  const shown = found.findings.slice(0, FINDINGS_SHOWN);
  return h(`div.verdict.${found.ok ? "good" : "bad"}`, null, h("p", null, h("b", null, words)), anchored,
    shown.length ? h("ul.rows", null, shown.map(finding)) : null,
    shown.length < found.findings.length ? h("p", null, `The first ${FINDINGS_SHOWN} are shown. All of them: `, h("code", null, "muniment ledger verify --json")) : null);
}

function finding({ code, message, seq, record }) {
  return h("li", null, h("p", null, message, " ", h("code", null, code)),
    h("p.row-line", null, seq ? h("a", { href: to("/ledger", { at: seq }) }, `entry ${count(seq)}`) : null, record ? recordLink(record) : null));
}
