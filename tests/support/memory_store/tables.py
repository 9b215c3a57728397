"""One tenant's memory as plain dictionaries, each behind the protocol it serves. Knows no file, no SQL, no lock.

Everything here is looked up by scanning: slow, and obviously right. Other stores are compared with this one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from muniment.model.card import Card, moved
from muniment.model.entry import Document, Entry, LedgerHead, SignedCheckpoint, StoredEntry
from muniment.model.erasure import SignedCertificate, Target, TargetKind
from muniment.model.filter import EVERYTHING, Filter, matches
from muniment.model.note import Note
from muniment.model.receipt import Plan, StoredReceipt
from muniment.model.record import Record, RecordState
from muniment.model.rows import (
    AliasRow,
    ConflictRow,
    EdgeRow,
    MentionRow,
    ProposalRow,
    StandingRow,
    Tally,
    ToldRow,
    TombstoneRow,
)
from muniment.model.status import CURRENT, Status
from muniment.model.times import Instant
from muniment.model.value import read_canonical
from muniment.model.vocabulary import Scope
from muniment.ports.lexicon import Places

_PAST = (Status.SUPERSEDED, Status.DEPRECATED, Status.RETRACTED)


@dataclass(slots=True)
class Tables:
    """Everything one tenant holds. The values are frozen, so a copy of the dictionaries is a copy of the store."""

    entries: dict[int, StoredEntry] = field(default_factory=dict)
    documents: dict[int, Document] = field(default_factory=dict)
    receipts: dict[int, StoredReceipt] = field(default_factory=dict)
    checkpoints: dict[int, SignedCheckpoint] = field(default_factory=dict)
    cards: dict[int, Card] = field(default_factory=dict)
    standings: dict[tuple[int, int], StandingRow] = field(default_factory=dict)
    proposals: dict[str, ProposalRow] = field(default_factory=dict)
    conflicts: dict[str, ConflictRow] = field(default_factory=dict)
    edges: set[EdgeRow] = field(default_factory=set)
    mentions: set[MentionRow] = field(default_factory=set)
    aliases: set[AliasRow] = field(default_factory=set)
    notes: dict[int, Note] = field(default_factory=dict)
    certificates: dict[int, SignedCertificate] = field(default_factory=dict)
    tombstones: dict[int, TombstoneRow] = field(default_factory=dict)
    told: dict[tuple[int, str], ToldRow] = field(default_factory=dict)
    terms: dict[int, Places] = field(default_factory=dict)

    def copy(self) -> Tables:
        return Tables(
            entries=dict(self.entries),
            documents=dict(self.documents),
            receipts=dict(self.receipts),
            checkpoints=dict(self.checkpoints),
            cards=dict(self.cards),
            standings=dict(self.standings),
            proposals=dict(self.proposals),
            conflicts=dict(self.conflicts),
            edges=set(self.edges),
            mentions=set(self.mentions),
            aliases=set(self.aliases),
            notes=dict(self.notes),
            certificates=dict(self.certificates),
            tombstones=dict(self.tombstones),
            told=dict(self.told),
            terms=dict(self.terms),
        )


class MemoryLedger:
    def __init__(self, tables: Tables, tenant: str) -> None:
        self._tables = tables
        self._tenant = tenant

    def head(self) -> LedgerHead | None:
        if not self._tables.entries:
            return None
        stored = self._tables.entries[max(self._tables.entries)]
        entry = read_canonical(stored.body, Entry)
        return LedgerHead(
            tenant=self._tenant,
            seq=stored.seq,
            hash=stored.hash,
            at=entry.at,
            last_doc=entry.last_doc,
            policy=entry.policy,
            checkpoint=max(self._tables.checkpoints, default=0),
        )

    def entry(self, seq: int) -> StoredEntry | None:
        return self._tables.entries.get(seq)

    def entries(self, first: int, last: int) -> Iterator[StoredEntry]:
        return iter([self._tables.entries[seq] for seq in sorted(self._tables.entries) if first <= seq <= last])

    def position_at(self, instant: int) -> int:
        recorded = (stored.seq for stored in self._tables.entries.values() if _at(stored) <= instant)
        return max(recorded, default=0)

    def checkpoints(self) -> Iterator[SignedCheckpoint]:
        return iter([self._tables.checkpoints[seq] for seq in sorted(self._tables.checkpoints)])

    def checkpoints_before(self, seq: int, *, limit: int) -> tuple[SignedCheckpoint, ...]:
        below = sorted((one for one in self._tables.checkpoints if one < seq), reverse=True)
        return tuple(self._tables.checkpoints[one] for one in below[:limit])

    def certificates(self) -> Iterator[SignedCertificate]:
        return iter([self._tables.certificates[seq] for seq in sorted(self._tables.certificates)])

    def last_erasure(self) -> int:
        return max(self._tables.certificates, default=0)

    def last_checkpoint(self) -> SignedCheckpoint | None:
        return self._tables.checkpoints[max(self._tables.checkpoints)] if self._tables.checkpoints else None


def _at(stored: StoredEntry) -> int:
    return read_canonical(stored.body, Entry).at


class MemoryDocuments:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def many(self, docs: Iterable[int]) -> dict[int, Document]:
        return {doc: found for doc in docs if (found := self.get(doc)) is not None}

    def get(self, doc: int) -> Document | None:
        return self._tables.documents.get(doc)

    def all(self) -> Iterator[Document]:
        return iter([self._tables.documents[doc] for doc in sorted(self._tables.documents)])


class MemoryCatalogue:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def _sorted(self) -> list[Card]:
        return [self._tables.cards[rid] for rid in sorted(self._tables.cards)]

    def _current(self) -> list[Card]:
        return [card for card in self._sorted() if card.status in CURRENT]

    def card(self, rid: int) -> Card | None:
        return self._tables.cards.get(rid)

    def current(self, record: str) -> Card | None:
        return next((card for card in self._current() if card.id == record), None)

    def revisions(self, record: str) -> tuple[Card, ...]:
        found = [card for card in self._tables.cards.values() if card.id == record]
        return tuple(sorted(found, key=lambda card: card.revision))

    def twin(self, fingerprint: bytes) -> Card | None:
        return next((card for card in self._current() if card.fingerprint == fingerprint), None)

    def occupants(self, slot: str) -> tuple[Card, ...]:
        return tuple(card for card in self._current() if card.slot == slot)

    def past_twins(self, fingerprint: bytes) -> tuple[Card, ...]:
        return tuple(card for card in self._sorted() if card.fingerprint == fingerprint and card.status in _PAST)

    def past_answers(self, slot: str, *, limit: int) -> tuple[Card, ...]:
        found = [card for card in self._sorted() if card.slot == slot and card.status in _PAST]
        return tuple(reversed(found))[:limit]

    def cards(self, rids: Iterable[int]) -> dict[int, Card]:
        return {rid: self._tables.cards[rid] for rid in rids if rid in self._tables.cards}

    def latest(self, records: Iterable[str]) -> dict[str, Card]:
        wanted = set(records)
        return {card.id: card for card in self._sorted() if card.id in wanted and not _followed(card)}

    def expired(self, now: int) -> tuple[Card, ...]:
        return tuple(card for card in self._current() if card.expires_at is not None and card.expires_at < now)

    def due(self, now: int) -> tuple[Card, ...]:
        found = [card for card in self._current() if card.review_at is not None and card.review_at <= now]
        return tuple(sorted(found, key=lambda card: (card.review_at, card.rid)))

    def standings(self, rid: int) -> tuple[StandingRow, ...]:
        return tuple(self._tables.standings[key] for key in sorted(self._tables.standings) if key[0] == rid)

    def moves(self) -> Iterator[StandingRow]:
        return iter([self._tables.standings[key] for key in sorted(self._tables.standings)])

    def standing_at(self, rid: int, seq: int) -> RecordState | None:
        card = self.card(rid)
        return None if card is None or card.seq > seq else standing_at(self._tables, card, seq)

    def superseded_by(self, record: str) -> tuple[Card, ...]:
        return tuple(card for card in self._sorted() if card.successor == record)

    def since(self, seq: int) -> Iterator[Card]:
        return iter([card for card in self._sorted() if card.since > seq])

    def changed(self, seq: int) -> Iterator[Card]:
        return iter(sorted(self.since(seq), key=lambda card: (card.since, card.rid)))

    def beside(self, cards: Iterable[Card], *, reach: int, visible: Filter = EVERYTHING) -> dict[int, tuple[int, ...]]:
        return {card.rid: self._beside(card, reach, visible) for card in cards if card.session_id is not None}

    def _beside(self, card: Card, reach: int, visible: Filter) -> tuple[int, ...]:
        others = [other for other in self._sorted() if other.session_id == card.session_id]
        session = [other.rid for other in others if other.rid == card.rid or matches(visible, other)]
        here = session.index(card.rid)
        spots = [here + side * distance for distance in range(1, reach + 1) for side in (-1, 1)]
        return tuple(session[spot] for spot in spots if 0 <= spot < len(session))

    def newest(self, plan: Plan, *, keep: int, after: int = 0) -> tuple[Card, ...]:
        born = [card for card in reversed(self._sorted()) if card.seq <= plan.as_of]
        cards = [moved(card, standing_at(self._tables, card, plan.as_of)) for card in born]
        rules = (plan.visible, *(rule for _, rule in plan.wanted))
        passing = [card for card in cards if card.since > after and all(matches(rule, card) for rule in rules)]
        return tuple(passing[:keep])

    def survey(self, visible: Filter) -> tuple[Tally, ...]:
        found: dict[tuple[str, ...], list[Card]] = {}
        for card in self._current():
            if matches(visible, card):
                group = (card.actor, card.kind, card.scope, card.scope_id, card.namespace)
                found.setdefault(group, []).append(card)
        return tuple(
            Tally(
                actor=group[0],
                kind=group[1],
                scope=group[2],
                scope_id=group[3],
                namespace=group[4],
                records=len(cards),
                effective=sum(card.effective for card in cards),
                helpful=sum(card.helpful for card in cards),
                misleading=sum(card.misleading for card in cards),
                last=max(card.created_at for card in cards),
            )
            for group, cards in sorted(found.items())
        )

    def pace(self, actor: str, *, nth: int) -> Instant | None:
        own = [card for card in self._sorted() if card.actor == actor]
        return own[-nth].created_at if len(own) >= nth else None

    def heard(self, actor: str, *, below: int, keep: int) -> tuple[Card, ...]:
        last = {rid: row.last for (rid, whom), row in self._tables.told.items() if whom == actor}
        found = [card for card in self._sorted() if card.rid in last and card.label < below]
        return tuple(sorted(found, key=lambda card: (-last[card.rid], -card.rid))[:keep])

    def ended_for(self, actor: str, *, after: int, keep: int) -> tuple[tuple[int, Instant], ...]:
        last = {rid: row.last for (rid, whom), row in self._tables.told.items() if whom == actor}
        ended = [card for card in self._sorted() if card.rid in last and card.since > after and _has_ended(card)]
        ended.sort(key=lambda card: (-card.since, -card.rid))
        return tuple((card.rid, last[card.rid]) for card in ended[:keep])

    def erased_for(self, actor: str, *, after: int, keep: int) -> tuple[tuple[TombstoneRow, Instant], ...]:
        last = {rid: row.last for (rid, whom), row in self._tables.told.items() if whom == actor}
        stones = [stone for stone in self._tables.tombstones.values() if stone.rid in last and stone.seq > after]
        stones.sort(key=lambda stone: (-stone.seq, -stone.rid))
        return tuple((stone, last[stone.rid]) for stone in stones[:keep])

    def contributed(self, target: Target) -> tuple[Card, ...]:
        return tuple(card for card in self._sorted() if self._contributor(card, target.by) == target.value)

    def _contributor(self, card: Card, by: TargetKind) -> str | None:
        match by:
            case TargetKind.ACTOR:
                return card.actor
            case TargetKind.SESSION:
                return card.session_id
            case TargetKind.USER:
                return card.scope_id if card.scope == Scope.USER else None
            case TargetKind.SOURCE:
                return read_canonical(self._tables.documents[card.rid].body, Record).claim.origin.source
            case TargetKind.RECORD | TargetKind.SUBJECT:
                raise AssertionError(f"a {by} contributes nothing")

    def buried(self, record: str) -> bool:
        return any(stone.id == record for stone in self._tables.tombstones.values())

    def tombstones(self) -> Iterator[TombstoneRow]:
        return iter([self._tables.tombstones[rid] for rid in sorted(self._tables.tombstones)])

    def all(self, *, after: int | None = None) -> Iterator[Card]:
        return iter([card for card in self._sorted() if after is None or card.rid > after])

    def count(self, visible: Filter = EVERYTHING) -> dict[str, int]:
        passing = (card.status for card in self._tables.cards.values() if matches(visible, card))
        return dict(sorted(Counter(passing).items()))


def standing_at(tables: Tables, card: Card, seq: int) -> RecordState:
    """What a revision counted for after entry `seq`: the last row up to there."""
    rows = [tables.standings[key] for key in sorted(tables.standings) if key[0] == card.rid and key[1] <= seq]
    return rows[-1].standing


def _has_ended(card: Card) -> bool:
    return card.status in ("retracted", "deprecated", "superseded") or card.support in ("fallen", "deprecated")


def _followed(card: Card) -> bool:
    """Whether a newer revision of the same record has taken its place."""
    return card.status == Status.SUPERSEDED and card.successor == card.id


class MemoryLinks:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def of(self, rids: Iterable[int]) -> tuple[EdgeRow, ...]:
        wanted = set(rids)
        return tuple(edge for edge in self._sorted() if edge.rid in wanted)

    def to(self, records: Iterable[str]) -> tuple[EdgeRow, ...]:
        wanted = set(records)
        cards = self._tables.cards
        return tuple(edge for edge in self._sorted() if edge.target in wanted and not _followed(cards[edge.rid]))

    def all(self) -> Iterator[EdgeRow]:
        return iter(self._sorted())

    def _sorted(self) -> list[EdgeRow]:
        return sorted(self._tables.edges, key=lambda edge: (edge.rid, edge.type, edge.target))


class MemoryDesk:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def proposal(self, proposal: str) -> ProposalRow | None:
        return self._tables.proposals.get(proposal)

    def held(self, *, after: str | None, limit: int) -> tuple[ProposalRow, ...]:
        rows = sorted(self._tables.proposals.values(), key=lambda row: row.id)
        return tuple([row for row in rows if row.outcome == "held" and row.id > (after or "")][:limit])

    def proposals(self) -> Iterator[ProposalRow]:
        return iter(sorted(self._tables.proposals.values(), key=lambda row: row.seq))

    def conflict(self, conflict: str) -> ConflictRow | None:
        return self._tables.conflicts.get(conflict)

    def conflicts(self) -> Iterator[ConflictRow]:
        return iter(sorted(self._tables.conflicts.values(), key=lambda row: (row.opened, row.id)))

    def conflicts_of(self, rid: int) -> tuple[ConflictRow, ...]:
        return tuple(row for row in self.conflicts() if rid in (row.a, row.b))

    def conflicts_about(self, rids: Iterable[int]) -> dict[int, tuple[ConflictRow, ...]]:
        return {rid: self.conflicts_of(rid) for rid in rids}


class MemoryNotes:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def get(self, topic: str, key: str) -> Note | None:
        return next((note for note in self.present(topic) if note.key == key), None)

    def present(self, topic: str) -> tuple[Note, ...]:
        standing = {note.key: note for note in self.all() if note.topic == topic}
        return tuple(note for note in standing.values() if note.body is not None)

    def since(self, seq: int) -> tuple[Note, ...]:
        return tuple(note for note in self.all() if note.seq > seq)

    def all(self) -> Iterator[Note]:
        return iter([self._tables.notes[doc] for doc in sorted(self._tables.notes)])


class MemoryReceipts:
    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def head(self) -> tuple[int, bytes]:
        if not self._tables.receipts:
            return 0, bytes(32)
        last = self._tables.receipts[max(self._tables.receipts)]
        return last.seq, last.hash

    def get(self, receipt: str) -> StoredReceipt | None:
        return next((stored for stored in self._tables.receipts.values() if stored.id == receipt), None)

    def all(self) -> Iterator[StoredReceipt]:
        return self.since(-1)

    def since(self, seq: int) -> Iterator[StoredReceipt]:
        return iter([self._tables.receipts[one] for one in sorted(self._tables.receipts) if one > seq])

    def told(self, rid: int) -> tuple[ToldRow, ...]:
        return tuple(self._tables.told[key] for key in sorted(self._tables.told) if key[0] == rid)

    def told_to(self, actor: str, rids: Iterable[int]) -> frozenset[int]:
        return frozenset(rid for rid in rids if (rid, actor) in self._tables.told)

    def told_since(self, actor: str, rids: Iterable[int], since: Instant) -> frozenset[int]:
        return frozenset(rid for rid in self.told_to(actor, rids) if self._tables.told[rid, actor].last >= since)

    def all_told(self) -> Iterator[ToldRow]:
        return iter([self._tables.told[key] for key in sorted(self._tables.told)])
