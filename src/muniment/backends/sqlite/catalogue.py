"""The catalogue of one tenant's file: the cards of revisions, what they counted for, and what stands beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

import apsw

from muniment.backends.conditions import standing_at, translate
from muniment.backends.rows import card_from, standing_from, tally_from
from muniment.backends.sqlite.connection import listed, queries, translated
from muniment.backends.sqlite.reading import BEFORE_ALL, ROWS_MAX, paged
from muniment.backends.sqlite.tables import Kept
from muniment.model.card import Card, moved, standing_of
from muniment.model.decoding import decode_json
from muniment.model.erasure import Target
from muniment.model.errors import IntegrityError
from muniment.model.filter import EVERYTHING, Filter
from muniment.model.receipt import Plan
from muniment.model.record import RecordState
from muniment.model.rows import StandingRow, Tally, TombstoneRow
from muniment.model.times import Instant
from muniment.model.vocabulary import Label

_Q = queries()
_CARD = Card.__struct_fields__
_LABELS = tuple(Label)


def _rid(card: Card) -> int:
    # A handful of cards is put in order here: `ORDER BY rid LIMIT 1` makes SQLite fourteen times slower.
    return card.rid


_SINCE = _CARD.index("since")
_LAST = 2**63 - 1


class SqliteCatalogue:
    def __init__(self, connection: apsw.Connection, kept: Kept | None = None) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._kept = kept

    def _one(self, name: str, *values: object) -> Card | None:
        row = self._execute(_Q[name], values).fetchone()
        return None if row is None else card_from(row)

    def _many(self, name: str, *values: object) -> tuple[Card, ...]:
        return tuple(card_from(row) for row in self._execute(_Q[name], values).fetchall())

    def card(self, rid: int) -> Card | None:
        return self._one("card", rid)

    def current(self, record: str) -> Card | None:
        return self._one("current_card", record)

    def revisions(self, record: str) -> tuple[Card, ...]:
        return self._many("revisions", record)

    def twin(self, fingerprint: bytes) -> Card | None:
        return min(self._many("twin", fingerprint), key=_rid, default=None)

    def occupants(self, slot: str) -> tuple[Card, ...]:
        return tuple(sorted(self._many("occupants", slot), key=_rid))

    def past_twins(self, fingerprint: bytes) -> tuple[Card, ...]:
        return tuple(sorted(self._many("past_twins", fingerprint), key=_rid))

    def past_answers(self, slot: str, *, limit: int) -> tuple[Card, ...]:
        return self._many("past_answers", slot, limit)

    def cards(self, rids: Iterable[int]) -> dict[int, Card]:
        if self._kept is None:
            return self._cards(list(rids))
        found = self._kept.some(self._kept.cards, list(rids), self._cards)
        if found:
            self._kept.brought_by = {card.seq for card in found.values()}
        return found

    def _cards(self, rids: list[int]) -> dict[int, Card]:
        return {card.rid: card for card in self._many("many_cards", listed(rids))}

    def latest(self, records: Iterable[str]) -> dict[str, Card]:
        return {card.id: card for card in self._many("latest_cards", listed(records))}

    def expired(self, now: int) -> tuple[Card, ...]:
        return self._many("expired_cards", now)

    def due(self, now: int) -> tuple[Card, ...]:
        return self._many("review_cards", now)

    def superseded_by(self, record: str) -> tuple[Card, ...]:
        return self._many("superseded_by", record)

    def standings(self, rid: int) -> tuple[StandingRow, ...]:
        return tuple(standing_from(row) for row in self._execute(_Q["standings"], (rid,)).fetchall())

    def moves(self) -> Iterator[StandingRow]:
        unreadable = None
        for row in paged(self._connection, "all_standings", (0, 1), (BEFORE_ALL, BEFORE_ALL)):
            try:
                standing = standing_from(row)
            except IntegrityError as error:
                unreadable = error  # the others are worth reading; whoever reads to the end is told
            else:
                yield standing
        if unreadable is not None:
            raise unreadable

    def standing_at(self, rid: int, seq: int) -> RecordState | None:
        card = self.card(rid)
        if card is None or card.seq > seq:
            return None
        if card.since <= seq:
            return standing_of(card)
        row = self._execute(_Q["standing_at"], (rid, seq)).fetchone()
        if row is None:
            raise IntegrityError(f"the standing of revision {rid} at entry {seq} is missing")
        return standing_from(row).standing

    def since(self, seq: int) -> Iterator[Card]:
        with translated(self._connection):
            rids = [cast(int, rid) for (rid,) in self._execute(_Q["rids_since"], (seq,)).fetchall()]
            for first in range(0, len(rids), ROWS_MAX):
                yield from self._many("many_cards", listed(rids[first : first + ROWS_MAX]))

    def changed(self, seq: int) -> Iterator[Card]:
        return map(card_from, paged(self._connection, "cards_changed", (_SINCE, 0), (seq, _LAST)))

    def beside(self, cards: Iterable[Card], *, reach: int, visible: Filter = EVERYTHING) -> dict[int, tuple[int, ...]]:
        wanted = [card.rid for card in cards if card.session_id is not None]
        found: dict[int, list[int]] = {rid: [] for rid in wanted}
        condition, values = translate(visible)
        bindings = [*values, reach, *values, reach, listed(wanted)]
        rows = self._execute(_Q["beside"].replace("{visible}", condition), bindings).fetchall()
        for rid, earlier, later in rows:
            sides = [decode_json(cast(str, side), list[int]) for side in (earlier, later)]
            pairs = sorted((spot, side) for side in (0, 1) for spot in range(len(sides[side])))
            found[cast(int, rid)] = [sides[side][spot] for spot, side in pairs]
        return {rid: tuple(neighbours) for rid, neighbours in found.items()}

    def newest(self, plan: Plan, *, keep: int, after: int = 0) -> tuple[Card, ...]:
        moving, join, values = standing_at(plan)
        conditions = [translate(condition, moving) for condition in (plan.visible, *(rule for _, rule in plan.wanted))]
        where = " AND ".join(f"({sql})" for sql, _ in conditions)
        bindings = [*values, *(value for _, found in conditions for value in found), plan.as_of, after, keep]
        rows = self._execute(
            f"SELECT c.rid FROM cards c {join}WHERE {where} AND c.seq <= ? AND {moving}.since > ? "
            "ORDER BY c.rid DESC LIMIT ?",
            bindings,
        ).fetchall()
        found = self.cards(cast(int, row[0]) for row in rows)
        return tuple(self._as_of(found[rid], plan) for rid in sorted(found, reverse=True))

    def _as_of(self, card: Card, plan: Plan) -> Card:
        standing = None if plan.at_head else self.standing_at(card.rid, plan.as_of)
        return card if standing is None else moved(card, standing)

    def survey(self, visible: Filter) -> tuple[Tally, ...]:
        condition, bindings = translate(visible)
        return tuple(
            tally_from(row) for row in self._execute(_Q["survey"].replace("{visible}", condition), bindings).fetchall()
        )

    def pace(self, actor: str, *, nth: int) -> Instant | None:
        found = self._execute(_Q["pace"], (actor, nth - 1)).get
        return None if found is None else Instant(cast(int, found))

    def heard(self, actor: str, *, below: int, keep: int) -> tuple[Card, ...]:
        return self._many("heard", actor, below, keep)

    def ended_for(self, actor: str, *, after: int, keep: int) -> tuple[tuple[int, Instant], ...]:
        rows = self._execute(_Q["ended_for"], (actor, after, keep)).fetchall()
        return tuple((cast(int, rid), Instant(cast(int, last))) for rid, last in rows)

    def erased_for(self, actor: str, *, after: int, keep: int) -> tuple[tuple[TombstoneRow, Instant], ...]:
        rows = cast(
            "list[tuple[int, str, int, int, int]]", self._execute(_Q["erased_for"], (actor, after, keep)).fetchall()
        )
        return tuple(
            (TombstoneRow(rid=rid, id=id_, revision=revision, seq=seq), Instant(last))
            for rid, id_, revision, seq, last in rows
        )

    def contributed(self, target: Target) -> tuple[Card, ...]:
        return tuple(
            card_from(row) for row in self._execute(_Q[f"contributed_by_{target.by}"], (target.value,)).fetchall()
        )

    def buried(self, record: str) -> bool:
        return bool(self._execute(_Q["buried"], (record,)).get)

    def tombstones(self) -> Iterator[TombstoneRow]:
        rows = paged(self._connection, "all_tombstones", (0,), (BEFORE_ALL,))
        return (TombstoneRow(rid=rid, id=id_, revision=revision, seq=seq) for rid, id_, revision, seq in rows)

    def all(self, *, after: int | None = None) -> Iterator[Card]:
        return map(card_from, paged(self._connection, "all_cards", (0,), (BEFORE_ALL if after is None else after,)))

    def count(self, visible: Filter = EVERYTHING) -> dict[str, int]:
        condition, bindings = translate(visible)
        rows = self._execute(_Q["count_cards"].replace("{visible}", condition), bindings).fetchall()
        return {str(status): cast(int, number) for status, number in rows}
