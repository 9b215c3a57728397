"""Compare the projections a store holds with those its ledger gives rise to, in one pass and in order.

Fed with the expected rows entry by entry, it walks the stored rows alongside. What belongs to an entry that cannot
be read is passed over: that entry has been named already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import msgspec

from muniment.model.card import Card, moved, standing_of
from muniment.model.entry import VerifyFinding
from muniment.model.note import Note
from muniment.model.rows import AliasRow, ConflictRow, EdgeRow, MentionRow, ProposalRow, Row, StandingRow, TombstoneRow

_T = TypeVar("_T")
_Link = EdgeRow | MentionRow
Report = Callable[[VerifyFinding], None]


class StoredProjections:
    """The stored projections, each in its natural order: cards by `rid`, proposals by the entry that filed them last,
    standings by `rid` and then by entry, edges and mentions by `rid`, the others in any order."""

    def __init__(
        self,
        *,
        cards: Iterable[Card],
        proposals: Iterable[ProposalRow],
        standings: Iterable[StandingRow],
        conflicts: Iterable[ConflictRow],
        edges: Iterable[EdgeRow],
        mentions: Iterable[MentionRow],
        aliases: Iterable[AliasRow],
        notes: Iterable[Note],
        tombstones: Iterable[TombstoneRow],
    ) -> None:
        self.cards = iter(cards)
        self.proposals = iter(proposals)
        self.standings = iter(standings)
        self.conflicts = conflicts
        self.edges = iter(edges)
        self.mentions = iter(mentions)
        self.aliases = aliases
        self.notes = notes
        self.tombstones = tombstones


class ProjectionComparison:
    """One walk along the stored projections."""

    def __init__(self, stored: StoredProjections, report: Report) -> None:
        self.peppered = False
        """Whether the genesis could be read; without its pepper no fingerprint can be told from another."""
        self._stored = stored
        self._report = report
        self._card = next(stored.cards, None)
        self._proposal = next(stored.proposals, None)
        self._standing = next(stored.standings, None)
        self._edges = _Lane(stored.edges)
        self._mentions = _Lane(stored.mentions)
        self._unreadable: set[int] = set()
        self._unfiled: dict[str, int] = {}
        self._moved: dict[int, list[StandingRow]] = {}
        self._movements: dict[int, list[StandingRow]] = {}
        self._present: dict[int, Card] = {}
        self._conflicts: dict[str, ConflictRow] = {}
        self._aliases: set[AliasRow] = set()
        self._notes: set[Note] = set()
        self._tombstones: set[TombstoneRow] = set()

    def skip(self, seq: int) -> None:
        """Take note that entry `seq` cannot be read, so nothing can be expected of it."""
        self._unreadable.add(seq)

    def expect(self, row: Row) -> None:
        match row:
            case Card():
                self._compare_card(row)
            case ProposalRow():
                self._compare_proposal(row)
            case StandingRow():
                self._moved.setdefault(row.rid, []).append(row)
            case ConflictRow():
                self._conflicts[row.id] = row
            case EdgeRow():
                self._compare_links(self._edges, row)
            case MentionRow():
                self._compare_links(self._mentions, row)
            case AliasRow():
                self._aliases.add(row)
            case Note():
                self._notes.add(row)
            case TombstoneRow():
                self._tombstones.add(row)

    def finish(self) -> None:
        for card in rest(self._card, self._stored.cards):
            self._foreign_card(card)
        for proposal in rest(self._proposal, self._stored.proposals):
            self._foreign_proposal(proposal)
        for proposal_id, seq in self._unfiled.items():
            self._say("proposal_missing", f"proposal {proposal_id} of entry {seq} is not filed", seq=seq)
        self._compare_standings()
        self._compare_conflicts()
        self._compare_aliases()
        self._compare_notes()
        self._compare_tombstones()
        for link in (*self._edges.rest(), *self._mentions.rest()):
            self._foreign_link(link)

    def _say(self, code: str, message: str, *, seq: int | None = None, record: str | None = None) -> None:
        self._report(VerifyFinding(code=code, message=message, seq=seq, record=record))

    def _foreign_card(self, card: Card) -> None:
        if card.seq in self._unreadable:
            self._present[card.rid] = card
        else:
            self._say("card_unknown", f"card {card.rid} belongs to no entry", record=card.id)

    def _foreign_proposal(self, proposal: ProposalRow) -> None:
        if proposal.seq in self._unreadable:
            self._unfiled.pop(proposal.id, None)
        else:
            self._say("proposal_unknown", f"proposal {proposal.id} was filed by no entry", seq=proposal.seq)

    def _compare_birth(self, expected: Card) -> None:
        """A revision's first standing is that of its birth. Rows beyond it wait for the entries that tell of them."""
        rows: list[StandingRow] = []
        while self._standing is not None and self._standing.rid <= expected.rid:
            (rows if self._standing.rid == expected.rid else self._stray(self._standing.rid)).append(self._standing)
            self._standing = next(self._stored.standings, None)
        if not rows or moved(expected, rows[0].standing) != expected:
            message = f"the first standing of revision {expected.rid} is not what the ledger says"
            self._say("standing_differs", message, seq=expected.seq, record=expected.id)
        if rows[1:]:
            self._movements[expected.rid] = rows[1:]

    def _stray(self, rid: int) -> list[StandingRow]:
        return self._movements.setdefault(rid, [])

    def _compare_card(self, expected: Card) -> None:
        self._compare_birth(expected)
        while self._card is not None and self._card.rid < expected.rid:
            self._foreign_card(self._card)
            self._card = next(self._stored.cards, None)
        actual = self._card
        if actual is None or actual.rid != expected.rid:
            message = f"the card of {expected.id} revision {expected.revision} is missing"
            self._say("card_missing", message, seq=expected.seq, record=expected.id)
            return
        self._card = next(self._stored.cards, None)
        if not self.peppered:
            expected = msgspec.structs.replace(expected, fingerprint=actual.fingerprint)
        if actual == expected:
            return
        if actual.since == expected.since or not _same_record(actual, expected):
            message = f"the card of {expected.id} revision {expected.revision} differs from its entry"
            self._say("card_differs", message, seq=expected.seq, record=expected.id)
        if actual.since != expected.since:
            self._present[actual.rid] = actual

    def _compare_proposal(self, expected: ProposalRow) -> None:
        self._unfiled.pop(expected.id, None)
        actual = self._proposal
        while actual is not None and actual.seq < expected.seq:
            self._foreign_proposal(actual)
            self._proposal = actual = next(self._stored.proposals, None)
        if actual is None or actual.seq != expected.seq:
            self._unfiled[expected.id] = expected.seq
            return
        self._proposal = next(self._stored.proposals, None)
        if actual != expected:
            message = f"proposal {expected.id} is filed differently than entry {expected.seq} says"
            self._say("proposal_differs", message, seq=expected.seq)

    def _compare_standings(self) -> None:
        for row in rest(self._standing, self._stored.standings):
            self._stray(row.rid).append(row)
        actual = {
            rid: [row for row in rows if row.standing.since not in self._unreadable]
            for rid, rows in self._movements.items()
        }
        for rid in sorted(self._moved.keys() | self._present.keys() | actual.keys()):
            expected = self._moved.get(rid, [])
            card = self._present.get(rid)
            last = expected[-1].standing if expected else None
            unread = card is not None and card.since in self._unreadable
            shown = unread or (last is None) == (card is None)
            if card is not None and last is not None and not unread:
                shown = card == moved(card, last)
            if actual.get(rid, []) != expected or not shown:
                record, seq = card.id if card is not None else None, last.since if last is not None else None
                message = f"the standing of revision {rid} is not what the ledger says"
                self._say("standing_differs", message, seq=seq, record=record)

    def _compare_conflicts(self) -> None:
        actual = {row.id: row for row in self._stored.conflicts if row.changed not in self._unreadable}
        for conflict in sorted(actual.keys() | self._conflicts.keys()):
            if actual.get(conflict) != self._conflicts.get(conflict):
                self._say("conflict_differs", f"conflict {conflict} is not what the ledger says")

    def _compare_aliases(self) -> None:
        stored = {row for row in self._stored.aliases if row.seq not in self._unreadable}
        for row in sorted(stored ^ self._aliases, key=lambda row: (row.seq, row.alias)):
            self._say("alias_differs", f"a name given in entry {row.seq} is not what the ledger says", seq=row.seq)

    def _compare_notes(self) -> None:
        stored = {row for row in self._stored.notes if row.seq not in self._unreadable}
        for row in sorted(stored ^ self._notes, key=lambda row: (row.seq, row.doc)):
            self._say("note_differs", f"a note made in entry {row.seq} is not what the ledger says", seq=row.seq)

    def _compare_tombstones(self) -> None:
        stored = {row for row in self._stored.tombstones if row.seq not in self._unreadable}
        for row in sorted(stored ^ self._tombstones, key=lambda row: row.rid):
            message = f"the tombstone of revision {row.rid} is not what the ledger says"
            self._say("tombstone_differs", message, seq=row.seq, record=row.id)

    def _compare_links(self, lane: _Lane, expected: _Link) -> None:
        skipped, same = lane.meet(expected)
        for link in skipped:
            self._foreign_link(link)
        if not same:
            self._link_differs(expected)

    def _foreign_link(self, link: _Link) -> None:
        card = self._present.get(link.rid)
        if card is None or card.seq not in self._unreadable:  # else it may belong to an entry that cannot be read
            self._link_differs(link)

    def _link_differs(self, link: _Link) -> None:
        if isinstance(link, MentionRow):
            self._say("mention_differs", f"what revision {link.rid} speaks of is not what the ledger says")
        else:
            self._say("edge_differs", f"the link {link.type} of revision {link.rid} is not what the ledger says")


class _Lane:
    """A stored stream in order, walked beside what is expected of it."""

    def __init__(self, stored: Iterator[_Link]) -> None:
        self._stored = stored
        self._next = next(stored, None)

    def meet(self, expected: _Link) -> tuple[list[_Link], bool]:
        """Go on to where `expected` should stand; say what was passed over, and whether it stands there."""
        skipped: list[_Link] = []
        while self._next is not None and _order(self._next) < _order(expected):
            skipped.append(self._next)
            self._next = next(self._stored, None)
        same = self._next == expected
        if same:
            self._next = next(self._stored, None)
        return skipped, same

    def rest(self) -> Iterator[_Link]:
        return rest(self._next, self._stored)


def _order(link: _Link) -> tuple[int, str, str]:
    return (link.rid, link.entity, link.kind) if isinstance(link, MentionRow) else (link.rid, link.type, link.target)


def rest(first: _T | None, others: Iterator[_T]) -> Iterator[_T]:
    """What is left of a stream whose next one, `first`, was taken already."""
    if first is not None:
        yield first
        yield from others


def _same_record(actual: Card, expected: Card) -> bool:
    """Whether two cards differ at most in what became of the revision after its birth."""
    return moved(actual, standing_of(expected)) == expected
