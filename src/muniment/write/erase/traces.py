"""Where words of the erased stand beside its records: reports, receipts, notes, given names. What becomes of them."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import cache

import msgspec

from muniment.ledger.project import dismissed
from muniment.model.change import DocumentRedaction, ReceiptRedaction
from muniment.model.curation import CurationReport, StepOutcome
from muniment.model.decoding import json_decoder
from muniment.model.entry import DocumentRole
from muniment.model.erasure import ERASED, ErasedTraces, Target, TargetKind
from muniment.model.note import Note, NoteDraft
from muniment.model.packed_receipt import PackedAccount, read_account
from muniment.model.query import Query
from muniment.model.receipt import Account, Terms
from muniment.model.rows import ProposalRow
from muniment.model.value import Value, read_canonical
from muniment.ports.store import Snapshot
from muniment.write.erase.words import ForbiddenWords

KEPT_ANSWERS = frozenset({"requests", "answers"})
"""The topics under which answers to requests are kept so that asking twice is asking once."""
_NAMES = frozenset({"id", "agent", "actor", "status", "state", "type", "kind", "by", "key", "topic"})
_REPORT_MARK = b'"disposition":'
_plain = msgspec.json.Decoder()


class ErasureScope(Value):
    """What is being erased, as far as its traces go: its records and revisions, the proposals they came from, those of
    them that are `waiting`, the documents that speak of it. `forced` are documents, and `receipts` those in the log,
    that lose their words whatever they are found to say."""

    target: Target
    records: frozenset[str]
    rids: frozenset[int]
    proposals: frozenset[str]
    waiting: frozenset[str] = frozenset()
    documents: frozenset[int] = frozenset()
    forced: frozenset[int] = frozenset()
    receipts: frozenset[int] = frozenset()

    def files(self, row: ProposalRow) -> bool:
        """Whether a proposal, or an act, is one of what is erased: on its records, or by the actor who is."""
        own = self.target.by is TargetKind.ACTOR and row.actor == self.target.value
        return own or row.record in self.records

    def asked(self, account: Account | PackedAccount) -> bool:
        """Whether a question is: one that the actor put, or that was put in the session or for the
        user."""
        match self.target.by:
            case TargetKind.ACTOR:
                return account.actor.id == self.target.value
            case TargetKind.SESSION:
                return self.target.value in account.actor.sessions
            case TargetKind.USER:
                return account.actor.user == self.target.value
            case _:
                return False


class FoundTraces(Value):
    """Every trace, and what takes its place. `dropped` are the documents of names that were given."""

    amended: tuple[DocumentRedaction, ...]
    refiled: tuple[ProposalRow, ...]
    reworded: tuple[Note, ...]
    receipts: tuple[ReceiptRedaction, ...]
    dropped: tuple[int, ...]
    traces: ErasedTraces


def find_traces(snapshot: Snapshot, erasing: ErasureScope, lost: ForbiddenWords) -> FoundTraces:
    acts = {row.id for row in snapshot.desk.proposals() if erasing.files(row)}
    reports = dict(_reports(snapshot, erasing, erasing.proposals | acts, lost))
    rows = [
        dismissed(row) if row.id in erasing.waiting else msgspec.structs.replace(row, digest="")
        for row in snapshot.desk.proposals()
        if row.report in reports
    ]
    notes = list(_notes(snapshot, erasing, lost))
    spoken = erasing.documents | erasing.forced
    names = tuple(row.doc for row in snapshot.names.all_aliases() if row.doc in spoken)
    receipts = tuple(_receipts(snapshot, erasing, lost))
    amended = [DocumentRedaction(doc=doc, role=DocumentRole.REPORT, value=report) for doc, report in reports.items()]
    amended += (
        DocumentRedaction(
            doc=note.doc, role=DocumentRole.NOTE, value=NoteDraft(topic=note.topic, key=note.key, body=body)
        )
        for note, body in notes
    )
    return FoundTraces(
        amended=tuple(sorted(amended, key=lambda one: one.doc)),
        refiled=tuple(rows),
        reworded=tuple(msgspec.structs.replace(note, body=body) for note, body in notes),
        receipts=receipts,
        dropped=names,
        traces=ErasedTraces(reports=len(reports), receipts=len(receipts), notes=len(notes), names=len(names)),
    )


class _Evidence(Value, forbid_unknown_fields=False):
    evidence: str | None = None


class _Words(Value, forbid_unknown_fields=False):
    """The words of a report that a person may have written."""

    proposal: str
    disposition: str
    outcome: str
    digest: str
    reason: str
    observation: _Evidence | None = None


_words = json_decoder(_Words)


def _reports(
    snapshot: Snapshot, erasing: ErasureScope, proposals: AbstractSet[str], lost: ForbiddenWords
) -> Iterator[tuple[int, CurationReport]]:
    says = cache(lost.within)  # most reasons are the policy's own, again and again
    for document in snapshot.documents.all():
        if _REPORT_MARK not in document.body or document.doc in erasing.rids:
            continue
        try:
            said = _words.decode(document.body)
        except msgspec.DecodeError:
            continue  # a record or a note that speaks of dispositions
        evidence = said.observation.evidence if said.observation is not None else None
        concerned = said.proposal in proposals or document.doc in erasing.forced
        if concerned or says(said.reason) or (evidence is not None and says(evidence)):
            yield document.doc, blank_report(read_canonical(document.body, CurationReport))


def blank_report(report: CurationReport) -> CurationReport:
    """A report without a word that anybody wrote, and without a digest that a guess could be held against."""
    seen = report.observation
    if seen is not None and seen.evidence is not None:
        seen = msgspec.structs.replace(seen, evidence=ERASED)
    return msgspec.structs.replace(
        report,
        digest="",
        reason=ERASED,
        observation=seen,
        steps=tuple(StepOutcome(step=one.step, result=one.result) for one in report.steps),
    )


def _notes(snapshot: Snapshot, erasing: ErasureScope, lost: ForbiddenWords) -> Iterator[tuple[Note, str | None]]:
    for note in snapshot.notes.all():
        if note.body is None or not (note.doc in erasing.forced or lost.within(note.body)):
            continue
        whole = note.topic in KEPT_ANSWERS or note.doc in erasing.forced
        body = None if whole else _scrubbed_json(note.body, lost)
        if body != note.body:
            yield note, body


def _scrubbed_json(body: str, lost: ForbiddenWords) -> str:
    return msgspec.json.encode(_scrubbed(_plain.decode(body), lost, "")).decode()


def _scrubbed(value: object, lost: ForbiddenWords, key: str) -> object:
    """The same JSON with every text that says any of it struck out. What a thing is called stays: others refer to it
    by that."""
    match value:
        case str() if key not in _NAMES and not key.endswith("_id") and lost.within(value):
            return ERASED
        case list():
            return [_scrubbed(one, lost, key) for one in value]
        case dict():
            return {name: _scrubbed(one, lost, str(name)) for name, one in value.items()}
        case _:
            return value


def _receipts(snapshot: Snapshot, erasing: ErasureScope, lost: ForbiddenWords) -> Iterator[ReceiptRedaction]:
    for stored in snapshot.receipts.all():
        account = read_account(stored.account)
        if account.plan is None or account.query.text == ERASED:
            continue  # it has no words left
        named = stored.seq in erasing.receipts or erasing.asked(account)
        if named or _told_of(account, erasing.rids) or any(lost.within(text) for text in _asked(account)):
            blank = blank_account(account)
            if erasing.target.by is TargetKind.USER and blank.actor.user == erasing.target.value:
                nobody = msgspec.structs.replace(blank.actor, user="erased")
                blank = msgspec.structs.replace(blank, actor=nobody)
            yield ReceiptRedaction(id=stored.id, seq=stored.seq, account=blank)


def _told_of(account: Account | PackedAccount, rids: AbstractSet[int]) -> bool:
    if isinstance(account, PackedAccount):
        return not rids.isdisjoint(account.candidates.rids)
    return any(candidate.rid in rids for candidate in account.candidates)


def _asked(account: Account | PackedAccount) -> Iterator[str]:
    yield account.query.text
    if account.query.attuned is not None:
        yield from account.query.attuned.topics
    if account.plan is not None:
        yield " ".join((*account.plan.terms.words, *account.plan.terms.names))


def blank_account(account: Account | PackedAccount) -> Account | PackedAccount:
    """An account of who asked, why, under which rules and what was looked at, without the words of the question."""
    searched = msgspec.structs.replace(account.searched, words=(), left_out=(), names=())
    if isinstance(account, Account):
        query: Query = msgspec.structs.replace(account.query, text=ERASED, attuned=None)
        plan = msgspec.structs.replace(account.plan, terms=Terms())
        return msgspec.structs.replace(account, query=query, plan=plan, searched=searched)
    about = account.query.attuned
    if about is not None:  # that there was no question is part of what the rules were made of
        about = msgspec.structs.replace(about, role=None, task=None, interests=())
    aim = msgspec.structs.replace(account.plan, terms=Terms()) if account.plan is not None else None
    query = msgspec.structs.replace(account.query, text=ERASED, attuned=about)
    return msgspec.structs.replace(account, query=query, plan=aim, searched=searched)
