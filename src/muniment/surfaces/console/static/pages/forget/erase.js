// The way to an erasure, step by step: what is meant, what would go, the confirmation, the certificate.

import { post, token } from "../../core/api.js";
import { fill, fresh, h, speak } from "../../core/dom.js";
import { count, many } from "../../core/format.js";
import { field, form, input } from "../../parts/controls.js";
import { nothing, told, trouble, waiting } from "../../parts/notices.js";
import { quoted } from "../../parts/said.js";
import { certified, keep, keepOpening } from "./certificate.js";
import { finder } from "./find.js";
import { empty, planTree, reached, unsure } from "./plan.js";
import { target } from "./target.js";

const CASCADES = [
  ["", "As the policy says", "It has a rule for this."],
  ["erase", "It goes too", "Whatever was derived from it, at any depth."],
  ["redact", "It loses what it took over", "The sentences that say any of it go, in a new revision that takes the place of all old ones."],
  ["review", "It is kept apart for review", "It answers nobody until somebody has looked. For conclusions that are worth more than the trace."],
];
const TYPED_MOST = 60;
const TYPEABLE = /^[\p{L}\p{N}\p{P}\p{S} ]+$/u;
const NOT_REACHED = [
  ["Backups taken before", "a copy holds what it held."],
  ["What left the store", "exports, prompts, other systems. The receipts say who was told; look there before you erase."],
  ["What was typed", "the name in a ticket, in a mail, in a shell’s history."],
  ["That it was there", "the ledger keeps ids, times and who acted, never the content; actors stay named in it."],
];

/** The four steps. `heard.held(id)` is called for a hold in the way, `heard.erased()` when something was erased. */
export function erasure({ by, value }, signal, heard) {
  const stage = h("div.stage");
  const clear = () => fill(stage);
  const which = target({ by, value, onchange: clear });
  const reason = input({ oninput: clear });
  const cascade = cascades(clear);
  const choose = (way, words) => {
    which.set(way, words);
    speak("Filled in.");
    reason.focus();
  };
  const find = finder(choose, signal);
  const look = () => plan(stage, { which, reason, cascade, signal, heard, done: () => (which.set(which.by, ""), (reason.value = ""), find.clear()) });
  return h("section", { "aria-labelledby": "step-1" }, h("h2#step-1", null, "1 · What is to be forgotten"),
    h("div.step-one", null,
      form(look, h("div.step-form", null, which.element, field("Reason", reason, { hint: "Kept for good in the ledger and on the certificate. Name a ticket, never the person." }), cascade,
        h("div.actions", null, h("button.main", { type: "submit" }, "Show what would go"), h("small", null, "Nothing is changed yet.")),
        h("p", null, h("small", null, "Did a source turn out wrong, or an agent? ", h("button.pick", { type: "button", onclick: () => heard.milder(which.by, which.value) }, "Take it back but keep the history"), " instead.")))),
      find),
    stage);
}

function cascades(onchange) {
  const name = fresh("cascade");
  return h("fieldset.choices", null, h("legend", null, "What becomes of what was derived from it"), CASCADES.map(([value, words, meaning], place) =>
    h("label", null, h("input", { type: "radio", name, value, checked: place === 0, onchange }), h("span", null, words, " ", h("small", null, meaning)))));
}

/** Ask for the plan of what is in the form, and show it with the way on. */
async function plan(stage, work, news = null) {
  const { which, reason, cascade, signal, heard } = work;
  const chosen = which.read();
  const why = reason.value.trim();
  if (!chosen) return (fill(stage, trouble(new Error("Say what is to be forgotten first."))), which.focus());
  if (!why) return (fill(stage, trouble(new Error("Give a reason first: it stands on the certificate."))), reason.focus());
  if (which.by === "subject" && why.toLowerCase().includes(which.value.toLowerCase())) {
    return (fill(stage, trouble(new Error("The reason is kept for good, so it must not name whom this is about. Name a ticket instead."))), reason.focus());
  }
  const asked = { ...chosen, reason: why, cascade: cascade.querySelector("input:checked").value || null, include_probable: work.wide || null };
  stage.setAttribute("aria-busy", "true");
  fill(stage, waiting("Looking what would go …"));
  try {
    const found = await post("/api/erasures", { ...asked, dry_run: true }, { signal });
    fill(stage, news, steps(stage, { ...work, asked, by: which.by, value: which.value }, found.plan));
    speak(`${many(reached(found.plan), "record")} would be changed.`);
  } catch (error) {
    if (error.name !== "AbortError") fill(stage, stopped(error, heard));
  }
  return stage.removeAttribute("aria-busy");
}

/** Why there is no plan. A hold is shown, since somebody may have to lift it. */
function stopped(error, heard) {
  const hold = error.code === "on_hold" ? /hld_\w+/.exec(error.message)?.[0] : null;
  if (!hold) return trouble(error);
  return h("div", null, trouble(error), h("p", null, "It must be kept until that hold is lifted. Nothing was changed. ", h("button", { type: "button", onclick: () => heard.held(hold) }, "Show the hold")));
}

function steps(stage, work, found) {
  if (empty(found)) {
    const alias = h("code", null, "muniment alias NAME MEANS");
    return nothing("Nothing here would go", ["Nothing that you may erase is of ", quoted(work.value), ". Somebody may go by another name here: look for it in the search, or give names with ", alias, " first."]);
  }
  return [
    h("section", { "aria-labelledby": "step-2" }, h("h2#step-2", null, "2 · What would go"), planTree(found, work.signal), unsure(found) ? probable(stage, work, found) : null),
    !reached(found) && !work.wide && unsure(found) ? null : found.holds?.length ? found.holds.map((one) => onHold(one, work.heard)) : confirmation(stage, work, found),
  ];
}

/** What only may be meant stays unless it is ticked; then the plan is another. */
function probable(stage, work, found) {
  const words = `Erase too what only may be meant (${unsure(found)}): the letters of the name stand in it, in a longer word or without their accents.`;
  const tick = h("input", { type: "checkbox", checked: Boolean(work.wide), onchange: () => plan(stage, { ...work, wide: tick.checked }) });
  return h("label", null, tick, " ", words);
}

/** A hold that stands against a plan: nothing of the plan can be done until it is lifted. */
function onHold(one, heard) {
  const kept = one.records?.length ? ` It keeps ${many(one.records.length, "record")} of the plan.` : "";
  return h("div.trouble", { role: "alert" }, h("p", null, h("b", null, "On hold: "), quoted(one.reason), kept, " Nothing of the plan can be done until the hold is lifted. ",
    h("button", { type: "button", onclick: () => heard.held(one.hold) }, "Show the hold")));
}

/** Typing is the confirmation: the value itself, or how many records if the value cannot well be typed. */
function confirmation(stage, work, found) {
  const number = reached(found);
  const phrase = work.value.length <= TYPED_MOST && TYPEABLE.test(work.value) ? work.value : String(number);
  const typed = input({ oninput: () => (yes.disabled = typed.value.trim() !== phrase) });
  const yes = h("button.danger", { type: "submit", disabled: true }, `Erase ${many(number, "record")} for good`);
  const failed = h("div");
  const once = token();
  const send = async () => {
    if (typed.value.trim() !== phrase) return;
    yes.disabled = true;
    fill(failed, waiting("Erasing, down to the files …"));
    try {
      const done = await erased({ ...work.asked, expected: found.digest }, once);
      work.signal.aborted ? rescued(done) : finished(stage, work, done);
    } catch (error) {
      if (error.code === "stale") await plan(stage, work, changed());
      else if (error.name !== "AbortError") fill(failed, stopped(error, work.heard));
      yes.disabled = typed.value.trim() !== phrase;
    }
  };
  return h("section.confirming", { "aria-labelledby": "step-3" }, h("h2#step-3", null, "3 · Confirm"),
    h("p", null, h("b", null, "This cannot be undone."), ` The content of ${many(number, "record")} leaves the store and its files; nobody can bring it back, and neither can we.`),
    h("details", null, h("summary", null, "What is not reached"), h("ul.grounds", null, NOT_REACHED.map(([what, words]) => h("li", null, h("b", null, what), ": ", words)))),
    form(send, field(["Type ", h("b.phrase", null, phrase === work.value ? quoted(phrase) : count(Number(phrase)).replaceAll(",", "")), " to confirm"], typed), h("div.actions", null, yes)), failed);
}

/** Erase. Leaving the page does not end it, for the opening comes with the answer and is told once; the browser asks
 *  before the tab is closed. */
async function erased(asked, once) {
  const stay = (event) => event.preventDefault();
  addEventListener("beforeunload", stay);
  try {
    return await post("/api/erasures", asked, { once });
  } finally {
    removeEventListener("beforeunload", stay);
  }
}

/** Whoever left the page meanwhile still gets what is told once: as files. */
function rescued(done) {
  if (!done.certificate) return told("Nothing was erased.", { tone: "warn" });
  keep(done.certificate);
  if (done.opening) keepOpening(done.certificate.certificate, done.opening);
  return told("It is erased. You had left the page, so the certificate and its opening were saved as files.");
}

const changed = () => h("p.news", { role: "alert" }, "Something was written since the plan was shown, so nothing was erased. This is the plan now; look at it again.");

function finished(stage, work, done) {
  work.done();
  const committed = done.verdict?.outcome === "committed" && done.certificate;
  const head = h("h2#step-4", { tabindex: "-1" }, committed ? "4 · Certificate" : "Nothing was erased");
  const inner = committed ? certified(done) : h("p", null, `${done.verdict?.reason ?? "The server gave no reason."} (rule ${done.verdict?.rule ?? "none"})`);
  fill(stage, h("section.card", { "aria-labelledby": "step-4" }, head, inner));
  head.focus();
  if (!committed) return told("Nothing was erased.", { tone: "warn" });
  told(`Erased: ${many(done.certificate.certificate.counts.records, "record")}. The certificate is on the page.`);
  return work.heard.erased();
}
