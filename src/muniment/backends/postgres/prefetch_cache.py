"""What a writer has looked up for a list of proposals, kept true while it writes. Knows no statement.

It is complete for the keys it knows: a key that is not known is asked about. What was undone or erased makes it forget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from typing import NamedTuple, TypeVar

from muniment.model.card import Card, moved
from muniment.model.entry import Document
from muniment.model.record import RecordState
from muniment.model.rows import MentionRow, ProposalRow
from muniment.model.status import CURRENT, Status
from muniment.ports.facts import FactsAsked, Hearing

CARDS_OF_ONE_MAX = 64
"""Of a key that has more cards than that nothing is known: it is asked about one by one."""
MENTIONS_OF_ONE = 16
"""So many of the latest that are about one subject are looked up keys."""
KEPT_MAX = 4_096
BYTES_MAX = 16 * 2**20
"""So many cards and so many bytes of documents are kept; a writer that comes to that starts over."""

_PAST = frozenset({Status.SUPERSEDED, Status.DEPRECATED, Status.RETRACTED})
_TELLING = CURRENT | _PAST
K = TypeVar("K")


class Keys(NamedTuple):
    """What the facts of several proposals are looked up by, each key once."""

    actors: tuple[str, ...]
    proposals: tuple[str, ...]
    fingerprints: tuple[bytes, ...]
    slots: tuple[str, ...]
    records: tuple[str, ...]
    subjects: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    heard: tuple[Hearing, ...]

    @staticmethod
    def of(asked: Sequence[FactsAsked]) -> Keys:
        return Keys(
            actors=tuple(dict.fromkeys(one.actor for one in asked)),
            proposals=tuple(dict.fromkeys(one.proposal for one in asked if one.proposal is not None)),
            fingerprints=tuple(dict.fromkeys(one.fingerprint for one in asked)),
            slots=tuple(dict.fromkeys(one.slot for one in asked if one.slot is not None)),
            records=tuple(sorted({name for one in asked for name in one.records})),
            subjects=tuple(dict.fromkeys(key for one in asked for key in one.subjects)),
            words=tuple(one.words for one in asked),
            heard=tuple(dict.fromkeys(one.hearing for one in asked if one.hearing is not None)),
        )


class PrefetchCache:
    """Proposals, cards by what they are looked up by, documents, and what actors were told."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self._proposals: dict[str, ProposalRow | None] = {}
        self._by_mark: dict[bytes, set[int]] = {}
        self._by_slot: dict[str, set[int]] = {}
        self._by_record: dict[str, set[int]] = {}
        self._about: dict[str, list[MentionRow]] = {}
        self._about_in_part: set[str] = set()
        self._cards: dict[int, Card] = {}
        self._documents: dict[int, Document] = {}
        self._bytes = 0
        self._buried: dict[str, bool] = {}
        self._heard: dict[Hearing, tuple[Card, ...]] = {}
        self._told: dict[tuple[str, int], bool] = {}
        self._born: set[int] = set()
        self.looks_ahead = False
        self.actors: tuple[str, ...] = ()

    def begin(self, keys: Keys) -> None:
        """Go on with these keys, as if nothing stood under any of them; what does is learnt next."""
        if 2 * len(self._cards) > KEPT_MAX or 2 * len(self._told) > KEPT_MAX or 2 * self._bytes > BYTES_MAX:
            self.forget()
        self.looks_ahead = True
        self.actors = keys.actors
        self._proposals = dict.fromkeys(keys.proposals)
        self._by_mark = {mark: set() for mark in keys.fingerprints}
        self._by_slot = {slot: set() for slot in keys.slots}
        self._by_record = {record: set() for record in keys.records}
        self._about = {subject: [] for subject in keys.subjects}
        self._about_in_part = set()
        self._buried = dict.fromkeys(keys.records, False)

    def learn_proposals(self, rows: Iterable[ProposalRow]) -> None:
        for row in rows:
            self._proposals[row.id] = row

    def learn_cards(self, cards: Iterable[Card]) -> None:
        """Take note of all cards of keys, or of one more than `CARDS_OF_ONE_MAX`."""
        for card in cards:
            self._note(card)
        _drop_crowded(self._by_mark)
        _drop_crowded(self._by_slot)
        _drop_crowded(self._by_record)

    def learn_mentions(self, rows: Iterable[MentionRow]) -> None:
        """Take note of the latest `MENTIONS_OF_ONE` that are about each subject, or of all."""
        for row in rows:
            self._about[row.entity].append(row)
        self._about_in_part = {subject for subject, rows in self._about.items() if len(rows) >= MENTIONS_OF_ONE}

    def learn_more(self, cards: Iterable[Card]) -> None:
        """Take note of cards that were asked for by their numbers."""
        if self.looks_ahead and len(self._cards) < KEPT_MAX:
            self._cards |= {card.rid: card for card in cards}

    def learn_documents(self, documents: Iterable[Document]) -> None:
        for document in documents:
            self.kept(document)

    def learn_buried(self, records: Iterable[str]) -> None:
        self._buried |= dict.fromkeys(records, True)

    def learn_heard(self, hearing: Hearing, cards: tuple[Card, ...]) -> None:
        self._heard[hearing] = cards

    def learn_told(self, actor: str, rids: Iterable[int], told: Set[int]) -> None:
        if self.looks_ahead and len(self._told) < KEPT_MAX:
            self._told |= {(actor, rid): rid in told for rid in rids}

    def bare(self) -> list[int]:
        """The revisions whose cards are known and whose documents are not."""
        return [rid for rid in self._cards if rid not in self._documents]

    def _note(self, card: Card) -> None:
        self._cards[card.rid] = card
        if card.fingerprint in self._by_mark:
            self._by_mark[card.fingerprint].add(card.rid)
        if card.slot is not None and card.slot in self._by_slot:
            self._by_slot[card.slot].add(card.rid)
        if card.id in self._by_record:
            self._by_record[card.id].add(card.rid)

    # What the writer does.

    def born(self, card: Card) -> None:
        if not self.looks_ahead:
            return
        if len(self._cards) >= KEPT_MAX:
            self.forget()
            return
        self._born.add(card.rid)
        self._note(card)

    def mentioned(self, row: MentionRow) -> None:
        if row.entity in self._about:
            self._about[row.entity].append(row)

    def moved(self, rid: int, standing: RecordState) -> None:
        card = self._cards.get(rid)
        if card is not None:
            self._cards[rid] = moved(card, standing)
        if rid not in self._born:  # of what was just born nobody was told
            self._heard.clear()

    def kept(self, document: Document) -> None:
        if self.looks_ahead and self._bytes < BYTES_MAX:
            self._documents[document.doc] = document
            self._bytes += len(document.body)

    def dropped(self, doc: int) -> None:
        self._documents.pop(doc, None)

    def filed(self, row: ProposalRow) -> None:
        if row.id in self._proposals:
            self._proposals[row.id] = row

    def bury(self, record: str) -> None:
        if record in self._buried:
            self._buried[record] = True

    def told(self) -> None:
        self._heard.clear()
        self._told.clear()
        self._born.clear()

    # What it is asked. None: not known.

    def is_new(self, proposal: str) -> bool:
        """Whether a proposal is known not to have been filed."""
        return self._proposals.get(proposal, self) is None

    def proposal(self, proposal: str) -> tuple[ProposalRow | None] | None:
        return (self._proposals[proposal],) if proposal in self._proposals else None

    def alike(self, fingerprint: bytes) -> tuple[Card, ...] | None:
        """The revisions with a fingerprint that speak or no longer do, oldest first."""
        return self._cards_of(self._by_mark.get(fingerprint), lambda card: card.status in _TELLING)

    def occupants(self, slot: str) -> tuple[Card, ...] | None:
        return self._cards_of(self._by_slot.get(slot), lambda card: card.status in CURRENT)

    def past_answers(self, slot: str, limit: int) -> tuple[Card, ...] | None:
        found = self._cards_of(self._by_slot.get(slot), lambda card: card.status in _PAST)
        return None if found is None else found[::-1][:limit]

    def revisions(self, record: str) -> tuple[Card, ...] | None:
        found = self._cards_of(self._by_record.get(record), lambda _: True)
        return None if found is None else tuple(sorted(found, key=lambda card: card.revision))

    def latest_about(self, subject: str, upto: int, keep: int) -> tuple[MentionRow, ...] | None:
        """The latest that are about a subject. Older ones than the oldest that is known may not be known."""
        rows = self._about.get(subject)
        if rows is None:
            return None
        found = sorted((row for row in rows if row.rid <= upto), key=lambda row: -row.rid)[:keep]
        return tuple(found) if len(found) == keep or subject not in self._about_in_part else None

    def card(self, rid: int) -> Card | None:
        return self._cards.get(rid)

    def document(self, doc: int) -> Document | None:
        return self._documents.get(doc)

    def buried(self, record: str) -> bool | None:
        return self._buried.get(record)

    def was_told(self, actor: str, rid: int) -> bool | None:
        """Whether an actor was told a revision. Of what was just born nobody was."""
        return False if rid in self._born else self._told.get((actor, rid))

    def heard(self, hearing: Hearing) -> tuple[Card, ...] | None:
        return self._heard.get(hearing)

    def _cards_of(self, rids: set[int] | None, wanted: Callable[[Card], bool]) -> tuple[Card, ...] | None:
        if rids is None:
            return None
        cards = [self._cards[rid] for rid in sorted(rids)]
        return tuple([card for card in cards if wanted(card)])


def _drop_crowded(known: dict[K, set[int]]) -> None:
    for key in [key for key, rids in known.items() if len(rids) > CARDS_OF_ONE_MAX]:
        del known[key]
