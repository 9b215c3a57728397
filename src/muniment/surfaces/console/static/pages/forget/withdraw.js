// The milder way: take back all that one source, actor or session contributed, and keep the history.

import { post, token } from "../../core/api.js";
import { fill, h, speak } from "../../core/dom.js";
import { count, many } from "../../core/format.js";
import { to } from "../../core/router.js";
import { session } from "../../core/session.js";
import { button, field, form, input } from "../../parts/controls.js";
import { ask } from "../../parts/dialog.js";
import { recordLink, short, when, who } from "../../parts/marks.js";
import { later, nothing, told, trouble } from "../../parts/notices.js";
import { quoted } from "../../parts/said.js";
import { meant, target } from "./target.js";

const WAYS = ["source", "actor", "session"];
const SHOWN = 10;
const LISTS = [
  ["records", "record is retracted", "records are retracted", "It stays in its history and no longer answers."],
  ["judged", "record stands on them and is judged anew", "records stand on them and are judged anew", "It may be believed less."],
  ["followed", "record was made of it by others since: look at it", "records were made of it by others since: look at them", "It stays as it is."],
  ["replaced", "record had been replaced by it and stays so", "records had been replaced by it and stay so", "It does not come back by itself."],
  ["dismissed", "proposal no longer waits", "proposals no longer wait", "It is dismissed."],
];

/** The form, its preview, and the deed. */
export function withdrawal({ by, value, opened }, signal) {
  const stage = h("div");
  const clear = () => fill(stage);
  const which = target({ ways: WAYS, by, value: WAYS.includes(by) ? value : "", onchange: clear });
  const reason = input({ oninput: clear });
  const asked = () => ({ by: which.by, value: which.value, reason: reason.value.trim() });
  const look = () => {
    if (!which.value || !reason.value.trim()) return fill(stage, trouble(new Error("Name what is to be taken back, and why.")));
    const body = asked();
    return later(stage, () => foretold(body, signal), (plan) => shown(body, plan, stage, signal), "Looking what would be taken back …");
  };
  const barred = session.barred("withdraw");
  const inner = barred
    ? h("p.none", null, barred)
    : [form(look, h("div.step-form", null, which.element, field("Reason", reason, { hint: "Kept in the ledger." }), h("div.actions", null, h("button", { type: "submit" }, "Show what would be taken back")))), stage];
  const element = h("details.milder", { open: opened },
    h("summary", null, h("h2", null, "Take it back but keep the history")),
    h("p.lead", null, "For a source that turned out wrong or an agent that went astray: its records are retracted and answer nobody, what stands on them is judged anew, and everybody can still see that they were there. Nothing is erased."),
    inner);
  element.show = (way, words) => {
    if (WAYS.includes(way) && words) which.set(way, words);
    element.open = true;
    element.querySelector("summary").focus();
    element.scrollIntoView({ block: "start" });
  };
  return element;
}

const foretold = (body, signal) => post("/api/withdrawals", { ...body, dry_run: true }, { signal });

function shown(body, plan, stage, signal) {
  if (!plan.records.length && !plan.dismissed.length) return nothing("There is nothing to take back", ["Nothing that is current or waits came from ", quoted(body.value), "."]);
  const once = token();
  const go = async () => {
    const done = await ask("Take it back", [h("p", null, summary(plan), " All of it came from ", meant(body.by), " ", quoted(body.value), "."), h("p", null, "There is no undo: a record that should count after all is written again.")],
      { confirm: "Take it back", tone: "danger", act: () => carried(body, plan, once, signal) });
    if (!done) return;
    if (done.instead) return void fill(stage, h("p.news", { role: "alert" }, `Nothing was taken back. ${changed(plan, done.instead)} This is the plan now; look at it again.`), shown(body, done.instead, stage, signal));
    fill(stage, result(done));
    stage.querySelector("h3").focus();
    told(done.verdict?.outcome === "committed" ? `${summary(done)}` : "Nothing was taken back.", { tone: done.verdict?.outcome === "committed" ? "good" : "warn" });
  };
  speak(summary(plan));
  return [h("h3", null, "What would happen"), lists(plan), h("div.actions", null, button("Take it back …", go, { tone: "danger", right: "withdraw" }))];
}

/** Do what was shown. If it would be something else by now, nothing is done, and what it would be comes `instead`. */
async function carried(body, plan, once, signal) {
  try {
    return await post("/api/withdrawals", { ...body, expected: plan.digest }, { signal, once });
  } catch (error) {
    if (error.code !== "stale") throw error;
    return { instead: await foretold(body, signal) };
  }
}

/** What is otherwise in the plan `now` than in the one `before`, in a sentence. */
function changed(before, now) {
  const parts = LISTS.flatMap(([name, one, more]) => {
    const [came, went] = [less(now[name], before[name]), less(before[name], now[name])];
    return [came ? `${count(came)} more ${came === 1 ? one : more}` : null, went ? `${count(went)} fewer ${went === 1 ? one : more}` : null];
  }).filter(Boolean);
  return parts.length ? `Meanwhile it changed: ${parts.join("; ")}.` : "Meanwhile something that it reaches was revised.";
}

const less = (these, those) => these.filter((id) => !those.includes(id)).length;

const summary = (plan) => `${many(plan.records.length, "record")} retracted, ${count(plan.judged.length)} judged anew, ${many(plan.dismissed.length, "proposal")} dismissed.`;

function result(done) {
  const committed = done.verdict?.outcome === "committed";
  return [h("h3", { tabindex: "-1" }, committed ? "It was taken back" : "Nothing was taken back"), committed ? lists(done) : h("p", null, `${done.verdict?.reason ?? ""} (rule ${done.verdict?.rule ?? "none"})`)];
}

function lists(plan) {
  return [
    h("ul.grounds", null, LISTS.filter(([name]) => plan[name].length).map(([name, one, more, title]) => line(name, plan[name], one, more, title))),
    plan.receipts.length ? uses(plan.receipts) : h("p.none", null, "None of it was told to anybody yet."),
  ];
}

function line(name, ids, one, more, title) {
  const rest = ids.length - SHOWN;
  const link = (id) => (name === "dismissed" ? h("span.id", { title: id }, short(id)) : recordLink(id));
  return h("li", { title }, h("b", null, count(ids.length)), ` ${ids.length === 1 ? one : more}: `, ids.slice(0, SHOWN).map((id, place) => [place ? ", " : "", link(id)]), rest > 0 ? ` and ${count(rest)} more` : null);
}

function uses(receipts) {
  const rest = receipts.length - SHOWN;
  const open = session.barred("audit") === null;
  const name = (id) => (open ? h("a.id", { href: to(`/receipts/${encodeURIComponent(id)}`), title: id }, short(id)) : h("span.id", { title: id }, short(id)));
  return h("details", null, h("summary", null, `Told by ${many(receipts.length, "receipt")}`),
    h("ul.grounds", null, receipts.slice(0, SHOWN).map((use) => h("li.row-line", null, name(use.receipt), who(use.actor), when(use.at), `for ${use.purpose}`, many(use.records.length, "record"))),
      rest > 0 ? h("li", null, `and ${count(rest)} more`) : null));
}

