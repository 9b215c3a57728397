"""Rows to fill a store with: small, valid, and told apart by one number. Knows the model and no store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import msgspec

from muniment.ledger.chain import seal
from muniment.model.card import Card, card_of
from muniment.model.claim import Claim
from muniment.model.entry import Checkpoint, Document, Entry, EntryKind, LedgerHead, SignedCheckpoint, StoredEntry
from muniment.model.filter import EVERYTHING, Filter
from muniment.model.gate import Gates
from muniment.model.receipt import Plan, StoredReceipt, Terms
from muniment.model.record import Record, RecordState, TrustState, UsageState
from muniment.model.rows import (
    AliasRow,
    ConflictRow,
    EdgeRow,
    MentionRow,
    ProposalRow,
    Row,
    StandingRow,
    ToldRow,
    VectorCoverage,
)
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment.model.value import canonical
from muniment.model.vocabulary import ActorType, Label, TrustLevel
from muniment.ports.store import TenantStore, Unit

TENANT = "acme"
PEPPER = b"pepper"
Job = Callable[[Unit], None]
_NO_VECTORS = VectorCoverage()


class Made:
    """What the suite asks of whoever inherits from it."""

    def make(self, tenant: str) -> AbstractContextManager[TenantStore]:
        """An empty store, gone when the block ends."""
        raise NotImplementedError("a conformance class says how to make its store")


@contextmanager
def raises(kind: type[BaseException]) -> Iterator[None]:
    """Fail unless the block raises `kind`. Spelled out, so that the suite needs no test library to be imported."""
    try:
        yield
    except kind:
        return
    raise AssertionError(f"nothing was raised where {kind.__name__} was expected")


def make_record(number: int, content: str = "the build is green", *, record: str | None = None) -> Record:
    return Record(
        id=record or f"rec-{number}",
        tenant=TENANT,
        revision=1,
        claim=Claim(content=content),
        created_at=Instant(number),
        proposal=f"prp-{number}",
        actor="ana",
        actor_type=ActorType.PERSON,
        label=Label.PERSON,
        trust=TrustLevel.HIGH,
    )


def make_document(number: int, content: str = "the build is green") -> Document:
    return Document(doc=number, salt=number.to_bytes(16, "big"), body=canonical(make_record(number, content)))


def make_card(number: int, **changes: object) -> Card:
    """The card of record `rec-N`, born active in entry N; `changes` are fields that shall differ."""
    card = card_of(make_record(number), make_state(number), rid=number, pepper=PEPPER)
    return msgspec.structs.replace(card, **changes)


USUAL = TrustState(own=0.5, effective=0.5, label=Label.PERSON)
"""A person's word, at the usual confidence."""


def make_state(
    since: int,
    status: Status = Status.ACTIVE,
    successor: str | None = None,
    *,
    footing: TrustState = USUAL,
    vigour: UsageState | None = None,
) -> RecordState:
    return RecordState(status=status, since=since, successor=successor, footing=footing, vigour=vigour or UsageState())


def make_standing(
    rid: int,
    since: int,
    status: Status,
    successor: str | None = None,
    *,
    footing: TrustState = USUAL,
    vigour: UsageState | None = None,
) -> StandingRow:
    return StandingRow(rid=rid, standing=make_state(since, status, successor, footing=footing, vigour=vigour))


def make_edge(rid: int, target: str, type_: str = "derived_from") -> EdgeRow:
    return EdgeRow(rid=rid, type=type_, target=target)


def make_mention(rid: int, entity: str, kind: str = "name") -> MentionRow:
    return MentionRow(rid=rid, entity=entity, kind=kind)


def make_alias(alias: str, entity: str, seq: int, *, doc: int | None = None) -> AliasRow:
    """That `alias` is another name for `entity` from entry `seq` on."""
    return AliasRow(alias=alias, entity=entity, seq=seq, doc=seq if doc is None else doc)


def make_telling(rid: int, actor: str = "ana", *, count: int = 1, last: int = 1) -> ToldRow:
    return ToldRow(rid=rid, actor=actor, count=count, last=Instant(last))


def make_proposal(name: str, seq: int, *, outcome: str = "committed") -> ProposalRow:
    return ProposalRow(
        id=name,
        seq=seq,
        at=Instant(seq),
        actor="ana",
        outcome=outcome,
        disposition="append",
        digest="d" * 64,
        report=seq,
        held=seq if outcome == "held" else None,
        record=None,
        revision=None,
    )


def make_conflict(name: str, a: int, b: int, *, opened: int, status: str = "detected") -> ConflictRow:
    return ConflictRow(
        id=name,
        type="contradiction",
        status=status,
        a=a,
        b=b,
        why="slot",
        contests=True,
        opened=opened,
        changed=opened,
    )


def make_receipt(seq: int, *, name: str | None = None) -> StoredReceipt:
    return StoredReceipt(
        seq=seq,
        id=name or f"rcp-{seq}",
        body=b"body %d" % seq,
        hash=seq.to_bytes(32, "big"),
        salt=bytes(16),
        account=b"account %d" % seq,
    )


def make_checkpoint(seq: int, *, signature: str = "00") -> SignedCheckpoint:
    zero = bytes(32).hex()
    checkpoint = Checkpoint(
        tenant=TENANT, seq=seq, head=zero, root=zero, receipts=0, receipts_head=zero, at=Instant(seq), key="key"
    )
    return SignedCheckpoint(checkpoint=checkpoint, signature=signature, peaks=(zero,))


def next_entry(head: LedgerHead | None, *, at: int | None = None, actor: str = "ana") -> StoredEntry:
    """The entry that follows `head`."""
    seq = head.seq + 1 if head is not None else 1
    when = Instant(seq if at is None else at)
    entry = Entry(v=1, tenant=TENANT, seq=seq, at=when, kind=EntryKind.CURATED, actor=actor, last_doc=seq)
    return seal(entry, head)


def append_next(unit: Unit, *, at: int | None = None, actor: str = "ana") -> int:
    """Append one entry and return its position."""
    entry = next_entry(unit.ledger.head(), at=at, actor=actor)
    unit.append(entry)
    return entry.seq


def put_cards(*cards: Card, text: str = "the build is green") -> Job:
    """A job that puts cards in, all with the same text."""
    return lambda unit: unit.project(cards, {card.rid: text for card in cards})


def keep(document: Document) -> Job:
    return lambda unit: unit.keep(document)


def project(*rows: Row, texts: dict[int, str] | None = None) -> Job:
    return lambda unit: unit.project(rows, texts or {})


def log(receipt: StoredReceipt) -> Job:
    return lambda unit: unit.append_receipt(receipt)


def tell(*rows: ToldRow) -> Job:
    """A job that counts tellings."""
    return lambda unit: unit.tell(rows)


def sign(signed: SignedCheckpoint) -> Job:
    return lambda unit: unit.checkpoint(signed)


def put_texts(texts: dict[int, str]) -> Job:
    """A job that puts one plain card in for each text."""
    return lambda unit: unit.project(tuple(make_card(rid) for rid in texts), texts)


def make_plan(
    *words: str,
    phrases: tuple[tuple[str, ...], ...] = (),
    visible: Filter = EVERYTHING,
    wanted: tuple[tuple[str, Filter], ...] = (),
    as_of: int = 2**62,
    at_head: bool = True,
    reach: VectorCoverage = _NO_VECTORS,
) -> Plan:
    return Plan(
        terms=Terms(words=words, phrases=phrases),
        visible=visible,
        wanted=wanted,
        grants=("all",),
        now=Instant(0),
        as_of=as_of,
        at_head=at_head,
        limit=10,
        budget_tokens=None,
        gates=Gates(),
        reach=reach,
    )
