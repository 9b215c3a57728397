// What belongs to a record besides its words: where it stands, on what grounds, who answers for it, who disagrees.

import { get } from "../../core/api.js";
import { h } from "../../core/dom.js";
import { count, exact, plain, share } from "../../core/format.js";
import { to } from "../../core/router.js";
import { STEPS } from "../../core/words.js";
import { badge, confidence, facts, recordLink, status, when, who } from "../../parts/marks.js";
import { jsonBlock } from "../../parts/files.js";
import { later, nothing } from "../../parts/notices.js";
import { paged } from "../../parts/paged.js";
import { quoted, said } from "../../parts/said.js";
import { sentence, stateOf } from "./head.js";

/** The first tab. */
export function overview(about) {
  return h("div.record-overview", null,
    h("div", null, grounds(about), disputes(about), replaced(about), decided(about), more(about)),
    h("div", null, standing(about), place(about), handling(about)));
}

const section = (title, ...children) => h("section", null, h("h2", null, title), ...children);
const texts = (list) => h("ul.record-texts", null, list.map((text) => h("li", null, quoted(text))));
const word = (text) => (text ? quoted(text) : null);

function grounds({ record, told }) {
  const { belief, origin, intent } = record.claim;
  const { slot } = record.claim;
  const body = [
    slot ? facts([["Says of", quoted(slot.subject)], ["that its", quoted(slot.key)], ["is", quoted(slot.value)]]) : null,
    h("h3", null, "Evidence"), belief.evidence.length ? texts(belief.evidence) : h("p.none", null, "None was named: it stands on its author's word."),
    belief.reasoning ? [h("h3", null, "Reasoning"), said(belief.reasoning, { by: record.actor })] : null,
    belief.assumptions.length ? [h("h3", null, "Assumptions"), texts(belief.assumptions)] : null,
    told.notices.length ? [h("h3", null, "Notices"), texts(told.notices)] : null,
    facts([["Source", word(origin.source)], ["Kind of source", word(origin.source_type)], ["Credibility of the source", origin.credibility === null ? null : share(origin.credibility)],
      ["Id at the source", word(origin.external_id)], ["Triggered by", word(origin.triggered_by)], ["Purpose", word(intent.purpose)], ["Question", word(intent.question)]]),
  ];
  return section("Grounds", ...body);
}

function standing({ record, standing: { footing, vigour, since }, told }) {
  return section("Standing", facts([
    ["Declared, effective", confidence(record.claim.belief.score, footing.effective, record.claim.belief.unstated)],
    ["Own confidence", share(footing.own)],
    ["Outcomes told", footing.helpful || footing.misleading ? `${count(footing.helpful)} helpful, ${count(footing.misleading)} misleading` : null],
    ["What it stands on", sentence(footing.support)],
    ["Told as", sentence(told.presented)],
    ["Trust", sentence(record.trust)],
    ["Tier", sentence(vigour.tier)],
    ["Importance", `${share(record.claim.strength.importance)}${record.claim.strength.anchored ? ", anchored" : ""}`],
    ["Used", vigour.accesses ? [`${count(vigour.accesses)} times, last `, when(vigour.last_access)] : null],
    ["In this state since", `ledger position ${count(since)}`],
  ]));
}

function place({ record: { claim, tenant } }) {
  const { scope, scope_id, namespace, session_id, workflow_id, task_id } = claim.place;
  return section("Place", facts([["Scope", sentence(scope)], ["Of", quoted(scope_id)], ["Namespace", quoted(namespace)], ["Tenant", quoted(tenant)],
    ["Session", word(session_id)], ["Workflow", word(workflow_id)], ["Task", word(task_id)],
    ["Kind of memory", `${plain(claim.nature.memory_type)}, ${plain(claim.nature.memory_class)}`],
    ["Experience", word(claim.nature.experience)], ["Lifecycle", word(claim.nature.lifecycle)]]));
}

function handling({ record }) {
  const { sensitivity, owner } = record.claim.handling;
  const answers = owner ?? record.reviewer ?? record.actor;
  const named = [...new Set([...record.claim.lineage.entities, ...record.mentions.map(({ text }) => text)])];
  return [section("Handling", facts([["Sensitivity", sentence(sensitivity)], ["Answers for it", who(answers)], ["Reviewed by", record.reviewer ? who(record.reviewer) : null],
    ["To be looked at again", record.next_review_at ? h("time", { datetime: record.next_review_at, title: exact(record.next_review_at) }, exact(record.next_review_at).slice(0, 10)) : null],
    ["Barred from", record.barred.map(plain).join(", ")]]), charter(record.claim.charter)),
  named.length ? section("Names in it", h("ul.record-names", null, named.slice(0, 60).map((name) => h("li", null, quoted(name))))) : null];
}

function charter(kept) {
  if (!kept) return null;
  return [h("h3", null, "Charter"), facts([["Lawful basis", word(kept.lawful_basis)], ["May be read by", kept.access.map((name) => [quoted(name), " "])], ["Erasure", word(kept.erasure)],
    ["Kept for", kept.retention_days ? `${count(kept.retention_days)} days` : null], ["Quality of the source", word(kept.source_quality)], ["Reviewer", word(kept.reviewer)]])];
}

/** Who disagrees with it, the other side shortly. */
function disputes(about) {
  const load = async (cursor) => {
    const { conflicts, next } = await get("/api/conflicts", { record_id: about.id, cursor, limit: 10 }, { signal: about.signal });
    return { rows: conflicts, next };
  };
  const empty = h("p.none", null, "Nothing here disagrees with it.");
  return section("Conflicts", paged({ load, row: (conflict) => dispute(about, conflict), empty, label: "Conflicts of this record" }));
}

function dispute(about, conflict) {
  const other = conflict.a.record.id === about.id ? conflict.b : conflict.a;
  return h("li", null,
    h("div.row-line", null, badge(conflict.status), h("a", { href: to(`/conflicts/${encodeURIComponent(conflict.id)}`) }, `${sentence(conflict.type)}`), h("span", null, "with"), recordLink(other.record.id),
      h("span", null, "by ", who(other.record.actor)), status(stateOf(other.standing)), confidence(other.record.claim.belief.score, other.standing.footing.effective)),
    said(other.record.claim.content, { by: other.record.actor, short: true }));
}

/** What it replaced and what replaced it; nothing where nothing was. */
function replaced(about) {
  const space = h("section");
  const links = (ids) => ids.map((id) => [recordLink(id), " "]);
  later(space, about.history, ({ replaced: before, replaced_by: after }) => (before.length || after.length
    ? [h("h2", null, "In the place of"), facts([["It took the place of", links(before)], ["It was replaced by", links(after)]])]
    : null));
  return space;
}

/** Why it was kept, by the report of whoever decided: asked for only when somebody wants to know. */
function decided(about) {
  const space = h("div");
  const load = () => get(`/api/proposals/${encodeURIComponent(about.record.proposal)}`, {}, { signal: about.signal });
  const show = ({ report, actor, epoch, at }) => [
    facts([["Decision", sentence(report.decision)], ["Outcome", badge(report.outcome)], ["Rule", h("code", null, report.rule)], ["Proposed by", who(actor)], ["Decided", when(at)], ["Ledger position", count(epoch)]]),
    h("p", null, "Reason: ", quoted(report.reason)),
    report.steps?.length ? h("ol.record-steps", null, report.steps.map(stepLine)) : nothing("No steps", "This was decided by a person without the nine steps."),
  ];
  const open = (event) => event.target.open && !space.childNodes.length && later(space, load, show);
  return h("details", { ontoggle: open }, h("summary", null, "How this revision was decided"), space);
}

function stepLine({ step, result, note }) {
  return h("li", null, badge(result), " ", h("span", { title: STEPS[step] ?? null }, sentence(step)), note ? h("small", null, " ", quoted(note)) : null);
}

function more({ record }) {
  const { extensions } = record.claim;
  if (!extensions.length) return null;
  return h("details", null, h("summary", null, "What other contracts said besides"), jsonBlock(extensions, `${record.id}-extensions.json`));
}
