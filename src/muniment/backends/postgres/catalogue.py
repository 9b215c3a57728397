"""The catalogue of one tenant: the cards of revisions, what they counted for, and what stands beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from muniment.backends.conditions import translate
from muniment.backends.postgres.content_encryption import PLAIN
from muniment.backends.postgres.transaction import Row, Transaction, numbered, statements
from muniment.backends.rows import card_from, standing_from, tally_from
from muniment.model.card import Card, moved, standing_of
from muniment.model.erasure import Target, TargetKind
from muniment.model.errors import IntegrityError
from muniment.model.filter import EVERYTHING, Filter
from muniment.model.receipt import Plan
from muniment.model.record import RecordState
from muniment.model.rows import StandingRow, Tally, TombstoneRow
from muniment.model.status import CURRENT
from muniment.model.times import Instant
from muniment.model.value import Value, read_canonical

_WIDTH = len(Card.__struct_fields__)
_SLOT, _MARK = Card.__struct_fields__.index("slot"), Card.__struct_fields__.index("fingerprint")
_BEFORE_ALL = -(2**63)
_KNOWN_MAX = 4_096
"""So many cards are remembered for as long as nothing is written."""


class _Origin(Value, forbid_unknown_fields=False):
    source: str | None = None


class _Claim(Value, forbid_unknown_fields=False):
    origin: _Origin = _Origin()


class _Sourced(Value, forbid_unknown_fields=False):
    """What is looked at of a record to tell where it comes from."""

    claim: _Claim = _Claim()


def _rid(card: Card) -> int:
    return card.rid


class PostgresCatalogue:
    def __init__(self, link: Transaction) -> None:
        self._link = link
        self._twins: tuple[bytes, int, tuple[Card, ...]] = (b"", -1, ())
        self._given: tuple[Card, ...] = ()
        self._seen: tuple[int, dict[int, Card | None]] = (-1, {})
        self._coming: list[int] = []

    def read(self, row: Row) -> Card:
        if self._link.seal is PLAIN:
            return card_from(row)
        columns = list(row)
        columns[_MARK] = self._link.seal.unmark(row[_MARK])
        if row[_SLOT] is not None:
            columns[_SLOT] = self._link.seal.read(row[_SLOT])
        return card_from(tuple(columns))

    def _one(self, name: str, *values: object) -> Card | None:
        row = self._link.row(name, *values)
        return None if row is None else self.read(row)

    def _many(self, name: str, *values: object) -> tuple[Card, ...]:
        return tuple(self.read(row) for row in self._link.rows(name, *values))

    def _stream(self, name: str, *values: object) -> Iterator[Card]:
        for row in self._link.stream(name, *values):
            yield self.read(row)

    def card(self, rid: int) -> Card | None:
        return self._one("card", rid)

    def current(self, record: str) -> Card | None:
        return self._one("current_card", record)

    def revisions(self, record: str) -> tuple[Card, ...]:
        return self._many("revisions", record)

    def twin(self, fingerprint: bytes) -> Card | None:
        return next((card for card in self._alike(fingerprint) if card.status in CURRENT), None)

    def occupants(self, slot: str) -> tuple[Card, ...]:
        return tuple(sorted(self._many("occupants", self._link.seal.word(slot)), key=_rid))

    def past_twins(self, fingerprint: bytes) -> tuple[Card, ...]:
        return tuple(card for card in self._alike(fingerprint) if card.status not in CURRENT)

    def _alike(self, fingerprint: bytes) -> tuple[Card, ...]:
        """Revisions with a fingerprint, oldest first. Who asks for those that speak asks for the others next."""
        mark, told, found = self._twins
        if (mark, told) != (fingerprint, self._link.told):
            found = self._many("twins", self._link.seal.mark(fingerprint))
            self._twins = (fingerprint, self._link.told, found)
        return found

    def past_answers(self, slot: str, *, limit: int) -> tuple[Card, ...]:
        return self._many("past_answers", self._link.seal.word(slot), limit)

    def cards(self, rids: Iterable[int]) -> dict[int, Card]:
        wanted, known = list(rids), self._lately()
        if any(rid in self._coming and rid not in known for rid in wanted):
            self._fetch(known, self._coming)  # asked ahead
        missing = [rid for rid in wanted if rid not in known]
        if missing:
            self._fetch(known, missing)
        found = {rid: card for rid in wanted if (card := known[rid]) is not None}
        self._given = tuple(found.values())
        return found

    def _lately(self) -> dict[int, Card | None]:
        """The cards that were given since anything was written, by number; None for one that is not there."""
        told, known = self._seen
        if told != self._link.told or len(known) > _KNOWN_MAX:
            known = {}
            self._seen, self._coming = (self._link.told, known), []
        return known

    def _fetch(self, known: dict[int, Card | None], rids: list[int]) -> None:
        self._coming = rids
        found = self._many("many_cards", rids)
        self._coming = []
        known.update(dict.fromkeys(rids))
        known.update((card.rid, card) for card in found)

    def brought_by(self) -> frozenset[int]:
        """The entries that brought the cards which were given last: whoever tells of those looks at these."""
        return frozenset(card.seq for card in self._given)

    def latest(self, records: Iterable[str]) -> dict[str, Card]:
        wanted = list(records)
        found = self._many("latest_cards", wanted) if wanted else ()
        return {card.id: card for card in found}

    def expired(self, now: int) -> tuple[Card, ...]:
        return self._many("expired_cards", now)

    def due(self, now: int) -> tuple[Card, ...]:
        return self._many("review_cards", now)

    def superseded_by(self, record: str) -> tuple[Card, ...]:
        return self._many("superseded_by", record)

    def standings(self, rid: int) -> tuple[StandingRow, ...]:
        return tuple(standing_from(row) for row in self._link.rows("standings", rid))

    def moves(self) -> Iterator[StandingRow]:
        unreadable = None
        for row in self._link.stream("all_standings"):
            try:
                standing = standing_from(row)
            except IntegrityError as error:
                unreadable = error  # the others are worth reading; whoever reads to the end is told
            else:
                yield standing
        if unreadable is not None:
            raise unreadable

    def standing_at(self, rid: int, seq: int) -> RecordState | None:
        row = self._link.row("standing_at", rid, seq)
        if row is None:
            return None
        card = self.read(row[:_WIDTH])
        return None if card.seq > seq else _standing_then(card, row[_WIDTH:], seq)

    def since(self, seq: int) -> Iterator[Card]:
        return self._stream("cards_since", seq)

    def changed(self, seq: int) -> Iterator[Card]:
        return self._stream("cards_changed", seq)

    def beside(self, cards: Iterable[Card], *, reach: int, visible: Filter = EVERYTHING) -> dict[int, tuple[int, ...]]:
        wanted = [card.rid for card in cards if card.session_id is not None]
        found: dict[int, tuple[int, ...]] = dict.fromkeys(wanted, ())
        if not wanted:
            return found
        condition, values = translate(visible)
        statement = statements()["beside"].replace("{visible}", numbered(condition, 4))
        for rid, earlier, later in self._link.ask(statement, (self._link.number, wanted, reach, *values)):
            found[rid] = _nearest(earlier, later)
        return found

    def newest(self, plan: Plan, *, keep: int, after: int = 0) -> tuple[Card, ...]:
        name, moving = ("newest", "c") if plan.at_head else ("newest_then", "s")
        conditions = [translate(condition, moving) for condition in (plan.visible, *(rule for _, rule in plan.wanted))]
        where = " AND ".join(f"({sql})" for sql, _ in conditions)
        statement = statements()[name].replace("{conditions}", numbered(where, 5))
        values = [value for _, bound in conditions for value in bound]
        rows = self._link.ask(statement, (self._link.number, plan.as_of, after, keep, *values))
        return tuple(self._as_of(row, plan) for row in rows)

    def _as_of(self, row: Row, plan: Plan) -> Card:
        card = self.read(row[:_WIDTH])
        return card if plan.at_head else moved(card, _standing_then(card, row[_WIDTH:], plan.as_of))

    def survey(self, visible: Filter) -> tuple[Tally, ...]:
        condition, values = translate(visible)
        statement = statements()["survey"].replace("{visible}", numbered(condition, 2))
        return tuple(tally_from(row) for row in self._link.ask(statement, (self._link.number, *values)))

    def pace(self, actor: str, *, nth: int) -> Instant | None:
        row = self._link.row("pace", actor, nth - 1)
        return None if row is None else Instant(row[0])

    def heard(self, actor: str, *, below: int, keep: int) -> tuple[Card, ...]:
        return self._many("heard", actor, below, keep)

    def ended_for(self, actor: str, *, after: int, keep: int) -> tuple[tuple[int, Instant], ...]:
        rows = self._link.rows("ended_for", actor, after, keep)
        return tuple((int(rid), Instant(last)) for rid, last in rows)

    def erased_for(self, actor: str, *, after: int, keep: int) -> tuple[tuple[TombstoneRow, Instant], ...]:
        rows = self._link.rows("erased_for", actor, after, keep)
        return tuple(
            (TombstoneRow(rid=rid, id=id_, revision=revision, seq=seq), Instant(last))
            for rid, id_, revision, seq, last in rows
        )

    def contributed(self, target: Target) -> tuple[Card, ...]:
        if target.by is not TargetKind.SOURCE:
            return self._many(f"contributed_by_{target.by}", target.value)
        found = self.cards(self._sourced(target.value))
        return tuple(found[rid] for rid in sorted(found))

    def _sourced(self, source: str) -> Iterator[int]:
        """The revisions that name a source. Only the record itself tells, and the server cannot read it."""
        for doc, written in self._link.stream("card_documents"):
            record = read_canonical(self._link.seal.open(written, b"documents:%d" % doc), _Sourced)
            if record.claim.origin.source == source:
                yield doc

    def buried(self, record: str) -> bool:
        return self._link.row("buried", record) is not None

    def tombstones(self) -> Iterator[TombstoneRow]:
        for rid, id_, revision, seq in self._link.stream("all_tombstones"):
            yield TombstoneRow(rid=rid, id=id_, revision=revision, seq=seq)

    def all(self, *, after: int | None = None) -> Iterator[Card]:
        return self._stream("all_cards", _BEFORE_ALL if after is None else after)

    def count(self, visible: Filter = EVERYTHING) -> dict[str, int]:
        condition, values = translate(visible)
        statement = statements()["count_cards"].replace("{visible}", numbered(condition, 2))
        rows = self._link.ask(statement, (self._link.number, *values))
        return {str(status): int(number) for status, number in rows}


def _standing_then(card: Card, row: Row, seq: int) -> RecordState:
    """What a card counted for after entry `seq`; `row` is the standing that was kept, if the card has moved since."""
    if card.since <= seq:
        return standing_of(card)
    if row[0] is None:
        raise IntegrityError(f"the standing of revision {card.rid} at entry {seq} is missing")
    return standing_from(row).standing


def _nearest(earlier: list[int], later: list[int]) -> tuple[int, ...]:
    """Both sides in one line, the nearest first and the earlier of two first.

    >>> _nearest([4, 3, 2], [6])
    (4, 6, 3, 2)
    """
    spots = [*enumerate(earlier), *enumerate(later)]
    return tuple(rid for _, rid in sorted(spots, key=lambda spot: spot[0]))
