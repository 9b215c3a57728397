// What the kinds of entries mean, and what an entry did, in words.

import { h } from "../../core/dom.js";
import { many, plain } from "../../core/format.js";
import { to } from "../../core/router.js";
import { badge, recordLink, short, status } from "../../parts/marks.js";

export const ENTRY_KINDS = {
  genesis: "the ledger began",
  policy: "a policy came into force",
  curated: "a proposal was judged",
  ruled: "a person decided on one that waited",
  retracted: "a record was let go",
  undone: "a change was taken back",
  observed: "how a record turned out was told",
  vouched: "somebody answered for a source",
  resolved: "a conflict was taken up",
  swept: "time did its work",
  named: "a thing got another name",
  noted: "something beside the records was noted",
  forgotten: "something was erased",
  detected: "a conflict was found",
  quarantined: "a record was set apart",
  released: "a record that was set apart answers again",
  withdrawn: "everything of a source was withdrawn",
  keyed: "another key signs from here on",
};

const WAYS = {
  append: "as a new record",
  update: "as a change of",
  deprecate: "as the end of",
  conflict: "in conflict:",
  discard: "and not kept",
  hold: "for a person to decide",
};

/** What an entry changed, a line each. `known` tells the ids of revisions that the ledger names by number. */
export function deeds(entry, known) {
  const { filing, births } = entry;
  const born = births.filter(({ id, revision: number }) => !(filing?.record === id && filing.revision === number));
  return [
    ["curated", "ruled"].includes(entry.kind) ? filed(filing, births) : ENTRY_KINDS[entry.kind],
    ...born.map((birth) => [recordLink(birth.id), ` came to be, revision ${birth.revision}, `, status(birth.status)]),
    ...entry.changes.map((change) => [revision(change.rid, known), " is now ", status(change.status), change.successor ? [", followed by ", recordLink(change.successor)] : null]),
    ...entry.conflicts.map(disputed),
    ...entry.erased.map(({ id, revision: number }) => [h("span.id", { title: id }, short(id)), `, revision ${number}, was erased`]),
    entry.handover ? ["The key ", h("code", null, entry.handover.handover.new.slice(0, 16)), "… signs from here on"] : null,
    beside(entry),
  ].filter(Boolean);
}

/** What became of a proposal, and the revision that came of it. */
function filed(filing, births) {
  if (!filing) return null;
  const birth = births.find(({ id, revision: number }) => id === filing.record && number === filing.revision);
  const reached = filing.record ? [" ", recordLink(filing.record), filing.revision ? `, revision ${filing.revision}` : null] : null;
  const state = birth && birth.status !== "active" ? [", ", status(birth.status)] : null;
  const how = WAYS[filing.disposition] ?? plain(filing.disposition);
  return [badge(filing.outcome), h("span", { title: filing.proposal }, ` ${how}`), reached, state];
}

function revision(rid, known) {
  const id = known.get(rid);
  return id ? recordLink(id) : `the revision with document ${rid}`;
}

function disputed({ id, status: state, opened, why, strategy }) {
  const link = h("a.id", { href: to(`/conflicts/${encodeURIComponent(id)}`), title: id }, short(id));
  const how = strategy ? ` by ${plain(strategy)}` : why ? ` (${plain(why)})` : "";
  return opened ? ["Conflict ", link, " is now ", badge(state), how] : ["Conflict ", link, " was found", how];
}

/** What an entry did to documents beside the ledger, where that says more than the lines above. */
function beside({ kind, documents, dropped, amended, receipts }) {
  const notes = kind === "noted" ? documents.length : 0;
  const said = [
    notes > 1 && many(notes, "note"),
    dropped.length && `${many(dropped.length, "document")} taken away`,
    amended.length && `${many(amended.length, "document")} pinned anew`,
    receipts.length && `${many(receipts.length, "receipt")} pinned anew`,
  ].filter(Boolean);
  return said.length ? h("span.none", null, said.join("; ")) : null;
}
