"""Derive the projections of one entry from it and its documents. Commit, replay and verify all go through here,
so what replay rebuilds and verify expects is what was committed."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import TypeVar

import msgspec

from muniment.model.alias import Alias
from muniment.model.card import SUBJECT, card_of, identity_keys
from muniment.model.curation import CurationReport
from muniment.model.entry import DocumentRole, Entry, StateChange
from muniment.model.errors import LedgerBroken
from muniment.model.note import Note, NoteDraft
from muniment.model.record import Record, RecordState
from muniment.model.rows import AliasRow, ConflictRow, EdgeRow, MentionRow, ProposalRow, Row, StandingRow, TombstoneRow
from muniment.model.status import CURRENT
from muniment.model.value import Value, read_canonical
from muniment.model.vocabulary import Disposition, Outcome

_V = TypeVar("_V", bound=Value)


class Projection(Value):
    """The rows of one entry, and the texts to index for the cards among them."""

    rows: tuple[Row, ...]
    texts: dict[int, str]


def project(
    entry: Entry, documents: Mapping[int, Value], *, pepper: bytes, gone: AbstractSet[int] = frozenset()
) -> Projection:
    """Say what `entry` makes of the projections.

    `documents` are those the entry refers to, as `read_document` reads them. One that is absent must be among
    `gone`, the documents a later entry dropped: the row it carried is dropped with it.
    """
    rows: list[Row] = []
    texts: dict[int, str] = {}
    for change in sorted(entry.changes, key=_begins):  # first what ends: two revisions never speak at once
        if change.rid in gone:
            continue
        standing = RecordState(
            status=change.status,
            since=entry.seq,
            footing=change.footing,
            successor=change.successor,
            vigour=change.vigour,
        )
        rows.append(StandingRow(rid=change.rid, standing=standing))
    for birth in entry.births:
        if birth.rid in gone and birth.rid not in documents:
            continue
        record = _document(entry, documents, birth.rid, Record)
        standing = RecordState(
            status=birth.status,
            since=entry.seq,
            footing=birth.footing,
            successor=birth.successor,
            vigour=birth.vigour,
        )
        rows.append(card_of(record, standing, rid=birth.rid, pepper=pepper))
        rows.extend(EdgeRow(rid=birth.rid, type=type_, target=target) for type_, target in record.links)
        rows.extend(_mentions(birth.rid, record, pepper))
        texts[birth.rid] = record.content
    rows.extend(
        ConflictRow(
            id=conflict.id,
            type=conflict.type.value,
            status=conflict.status.value,
            a=conflict.a,
            b=conflict.b,
            why=conflict.why,
            contests=conflict.contests,
            opened=conflict.opened or entry.seq,
            changed=entry.seq,
            strategy=conflict.strategy.value if conflict.strategy is not None else None,
            winner=conflict.winner,
            ballots=conflict.ballots,
        )
        for conflict in entry.conflicts
    )
    rows.extend(
        TombstoneRow(rid=stone.rid, id=stone.id, revision=stone.revision, seq=entry.seq) for stone in entry.erased
    )
    rows.extend(_aliases(entry, documents, gone))
    rows.extend(_notes(entry, documents, gone))
    if entry.filing is not None:
        rows.append(_proposal_row(entry, documents, gone))
    return Projection(rows=tuple(rows), texts=texts)


def _begins(change: StateChange) -> bool:
    return change.status in CURRENT


def _mentions(rid: int, record: Record, pepper: bytes) -> list[MentionRow]:
    """What a revision speaks of and is about, each once, in the order of the keys."""
    kinds = {entity.key: entity.kind.value for entity in reversed(record.mentions)}
    kinds |= dict.fromkeys(identity_keys(record.claim, record.about or (), pepper=pepper), SUBJECT)
    return [MentionRow(rid=rid, entity=key, kind=kind) for key, kind in sorted(kinds.items())]


def _aliases(entry: Entry, documents: Mapping[int, Value], gone: AbstractSet[int]) -> list[AliasRow]:
    found = (
        (doc, _document(entry, documents, doc, Alias)) for doc in _present(entry, DocumentRole.ALIAS, documents, gone)
    )
    return [AliasRow(alias=alias.alias, entity=alias.entity, seq=entry.seq, doc=doc) for doc, alias in found]


def _notes(entry: Entry, documents: Mapping[int, Value], gone: AbstractSet[int]) -> list[Note]:
    found = (
        (doc, _document(entry, documents, doc, NoteDraft))
        for doc in _present(entry, DocumentRole.NOTE, documents, gone)
    )
    return [
        Note(topic=jot.topic, key=jot.key, seq=entry.seq, doc=doc, at=entry.at, actor=entry.actor, body=jot.body)
        for doc, jot in found
    ]


def _present(entry: Entry, role: DocumentRole, documents: Mapping[int, Value], gone: AbstractSet[int]) -> list[int]:
    """The documents of one sort that an entry refers to and that nobody has taken away since."""
    return [ref.doc for ref in entry.documents if ref.role is role and (ref.doc in documents or ref.doc not in gone)]


class Conclusion(Value, forbid_unknown_fields=False):
    """The two fields of a report that a proposal's row repeats. Reading only these keeps replay and verify fast."""

    digest: str
    actor: str


def read_document(role: DocumentRole, body: bytes) -> Value | None:
    """Read a document as far as projections need it; None for a sort they do not need."""
    match role:
        case DocumentRole.RECORD:
            return read_canonical(body, Record)
        case DocumentRole.REPORT:
            return read_canonical(body, Conclusion)
        case DocumentRole.ALIAS:
            return read_canonical(body, Alias)
        case DocumentRole.NOTE:
            return read_canonical(body, NoteDraft)
        case DocumentRole.HELD | DocumentRole.POLICY:
            return None


def dismissed(row: ProposalRow) -> ProposalRow:
    """The row of a proposal whose document an erasure took away: it waits no longer, and says nothing to compare
    with."""
    return msgspec.structs.replace(
        row, outcome=Outcome.REFUSED.value, disposition=Disposition.DISCARD.value, digest="", held=None
    )


def _proposal_row(entry: Entry, documents: Mapping[int, Value], gone: AbstractSet[int]) -> ProposalRow:
    filing = entry.filing
    assert filing is not None
    by_role = {ref.role: ref.doc for ref in entry.documents}
    report = documents.get(by_role.get(DocumentRole.REPORT, 0))
    if not isinstance(report, (CurationReport, Conclusion)):
        raise LedgerBroken(f"entry {entry.seq} files a proposal without its report", seq=entry.seq)
    row = ProposalRow(
        id=filing.proposal,
        seq=entry.seq,
        at=entry.at,
        actor=report.actor,
        outcome=filing.outcome.value,
        disposition=filing.disposition.value,
        digest=report.digest,
        report=by_role[DocumentRole.REPORT],
        held=by_role.get(DocumentRole.HELD),
        record=filing.record,
        revision=filing.revision,
    )
    return dismissed(row) if row.held in gone else row  # a ruling, if that took it away, files it anew


def _document(entry: Entry, documents: Mapping[int, Value], doc: int, kind: type[_V]) -> _V:
    found = documents.get(doc)
    if not isinstance(found, kind):
        raise LedgerBroken(f"entry {entry.seq} refers to document {doc}, which is missing", seq=entry.seq)
    return found
