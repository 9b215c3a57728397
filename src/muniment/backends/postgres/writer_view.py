"""The halves of a store as its writer sees them: what it looked up ahead or wrote itself is not asked for again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from muniment.backends.postgres.catalogue import PostgresCatalogue
from muniment.backends.postgres.lexicon import PostgresLexicon
from muniment.backends.postgres.names import PostgresNames
from muniment.backends.postgres.prefetch_cache import CARDS_OF_ONE_MAX, MENTIONS_OF_ONE, Keys, PrefetchCache
from muniment.backends.postgres.tables import (
    PostgresDesk,
    PostgresDocuments,
    PostgresLedger,
    PostgresReceipts,
    document_from,
)
from muniment.backends.postgres.transaction import Question, Row, Transaction
from muniment.backends.postgres.writer_memory import PACE_MAX, WriterMemory
from muniment.model.card import Card
from muniment.model.entry import Document, LedgerHead
from muniment.model.rows import MentionRow, ProposalRow
from muniment.model.status import CURRENT, Status
from muniment.model.times import Instant
from muniment.ports.facts import FactsAsked, Hearing

_DOCUMENTS_MAX = 512
_TOGETHER_MAX = 64


class WriterLedger(PostgresLedger):
    """A ledger whose head is known, because nobody else can move it."""

    known: LedgerHead | None = None

    def head(self) -> LedgerHead | None:
        return self.known


class WriterReceipts(PostgresReceipts):
    """The same of the receipts; and of what was told the writer knows some."""

    last: tuple[int, bytes] = (0, bytes(32))

    def __init__(self, link: Transaction, known: PrefetchCache) -> None:
        super().__init__(link)
        self._known = known

    def head(self) -> tuple[int, bytes]:
        return self.last

    def told_to(self, actor: str, rids: Iterable[int]) -> frozenset[int]:
        known = {rid: self._known.was_told(actor, rid) for rid in rids}
        missing = [rid for rid, was_told in known.items() if was_told is None]
        found = super().told_to(actor, missing)
        self._known.learn_told(actor, missing, found)
        return found | {rid for rid, was_told in known.items() if was_told}


class WriterProposals(PostgresDesk):
    """A desk whose writer knows some proposals."""

    def __init__(self, link: Transaction, known: PrefetchCache) -> None:
        super().__init__(link)
        self._known = known

    def proposal(self, proposal: str) -> ProposalRow | None:
        known = self._known.proposal(proposal)
        return super().proposal(proposal) if known is None else known[0]


class WriterDocuments(PostgresDocuments):
    """Documents of which the writer knows some."""

    def __init__(self, link: Transaction, known: PrefetchCache) -> None:
        super().__init__(link)
        self._known = known

    def get(self, doc: int) -> Document | None:
        known = self._known.document(doc)
        return super().get(doc) if known is None else known

    def many(self, docs: Iterable[int]) -> dict[int, Document]:
        wanted = list(docs)
        known = {doc: found for doc in wanted if (found := self._known.document(doc)) is not None}
        more = super().many([doc for doc in wanted if doc not in known])
        self._known.learn_documents(more.values())
        return known | more


class WriterNames(PostgresNames):
    """Names whose writer knows who was about some subjects of late."""

    def __init__(self, link: Transaction, known: PrefetchCache) -> None:
        super().__init__(link)
        self._known = known

    def latest(self, entity: str, *, upto: int, keep: int) -> tuple[MentionRow, ...]:
        known = self._known.latest_about(entity, upto, keep)
        return super().latest(entity, upto=upto, keep=keep) if known is None else known


class WriterCatalogue(PostgresCatalogue):
    """A catalogue whose writer knows some cards, and remembers when whom wrote."""

    def __init__(self, link: Transaction, latest: WriterMemory, known: PrefetchCache) -> None:
        super().__init__(link)
        self._latest = latest
        self._known = known

    def card(self, rid: int) -> Card | None:
        known = self._known.card(rid)
        return super().card(rid) if known is None else known

    def cards(self, rids: Iterable[int]) -> dict[int, Card]:
        wanted = list(rids)
        known = {rid: card for rid in wanted if (card := self._known.card(rid)) is not None}
        missing = [rid for rid in wanted if rid not in known]
        if missing and self._known.looks_ahead and len(missing) <= _TOGETHER_MAX:
            return known | self._with_all(missing)
        return known | super().cards(missing)

    def _with_all(self, rids: list[int]) -> dict[int, Card]:
        """The cards of revisions; what they say, and whether it was told, is asked next and so brought along."""
        link, known, actors = self._link, self._known, self._known.actors
        told: list[Question] = [("told_to", (actor, rids)) for actor in actors]
        rows, documents, *answers = link.together([("many_cards", (rids,)), ("many_documents", (rids,)), *told])
        found = {card.rid: card for card in map(self.read, rows)}
        known.learn_more(found.values())
        known.learn_documents(document_from(link.seal, row) for row in documents)
        for actor, answer in zip(actors, answers, strict=True):
            known.learn_told(actor, rids, {rid for (rid,) in answer})
        return found

    def current(self, record: str) -> Card | None:
        known = self._known.revisions(record)
        if known is None:
            return super().current(record)
        return next((card for card in known if card.status in CURRENT), None)

    def revisions(self, record: str) -> tuple[Card, ...]:
        known = self._known.revisions(record)
        return super().revisions(record) if known is None else known

    def latest(self, records: Iterable[str]) -> dict[str, Card]:
        wanted = list(records)
        known = {record: cards for record in wanted if (cards := self._known.revisions(record)) is not None}
        found = {card.id: card for cards in known.values() for card in cards if not _followed(card)}
        return found | super().latest([record for record in wanted if record not in known])

    def occupants(self, slot: str) -> tuple[Card, ...]:
        known = self._known.occupants(slot)
        return super().occupants(slot) if known is None else known

    def past_answers(self, slot: str, *, limit: int) -> tuple[Card, ...]:
        known = self._known.past_answers(slot, limit)
        return super().past_answers(slot, limit=limit) if known is None else known

    def _alike(self, fingerprint: bytes) -> tuple[Card, ...]:
        known = self._known.alike(fingerprint)
        return super()._alike(fingerprint) if known is None else known

    def buried(self, record: str) -> bool:
        known = self._known.buried(record)
        return super().buried(record) if known is None else known

    def heard(self, actor: str, *, below: int, keep: int) -> tuple[Card, ...]:
        hearing = Hearing(actor=actor, below=below, keep=keep)
        known = self._known.heard(hearing)
        if known is None:
            known = super().heard(actor, below=below, keep=keep)
            self._known.learn_heard(hearing, known)
        return known

    def pace(self, actor: str, *, nth: int) -> Instant | None:
        if nth > PACE_MAX:
            return super().pace(actor, nth=nth)
        known = self._latest.pace(actor, nth)
        if known is None:
            known = self._latest.learn_pace(actor, nth, reversed(self._link.rows("paces", actor, nth)))
        return Instant(known[0][1]) if len(known) == nth else None


def _followed(card: Card) -> bool:
    """Whether another revision of the same record has followed this one."""
    return card.status == Status.SUPERSEDED and card.successor == card.id


class Halves(NamedTuple):
    """Those that read what was looked up ahead."""

    catalogue: WriterCatalogue
    desk: WriterProposals
    documents: WriterDocuments
    lexicon: PostgresLexicon
    names: WriterNames


def look_up(link: Transaction, asked_for: Sequence[FactsAsked], known: PrefetchCache, halves: Halves) -> None:
    """Ask for the facts of several proposals at once, and then for the documents of the cards that were found."""
    keys = Keys.of(asked_for)
    known.begin(keys)
    catalogue, lexicon, terms = halves.catalogue, halves.lexicon, halves.lexicon.unknown(keys.words)
    marks, slots = map(link.seal.mark, keys.fingerprints), map(link.seal.word, keys.slots)
    asked: list[tuple[Question, Callable[[list[Row]], None]]] = [
        ((name, (some, CARDS_OF_ONE_MAX + 1)), lambda rows: known.learn_cards(map(catalogue.read, rows)))
        for name, some in (
            ("cards_alike", list(marks)),
            ("cards_answering", list(slots)),
            ("cards_named", list(keys.records)),
        )
        if some
    ]
    asked += (
        (("heard", (one.actor, one.below, one.keep)), partial(_learn_heard, known, catalogue, one))
        for one in keys.heard
        if known.heard(one) is None
    )
    if keys.proposals:
        filed = ("some_proposals", (list(keys.proposals),))
        asked.append((filed, lambda rows: known.learn_proposals(map(halves.desk.read, rows))))
    if keys.subjects:
        about = ("latest_mentioning_each", (list(map(link.seal.word, keys.subjects)), MENTIONS_OF_ONE))
        asked.append((about, lambda rows: known.learn_mentions(map(halves.names.read, rows))))
    if keys.records:
        buried = ("some_buried", (list(keys.records),))
        asked.append((buried, lambda rows: known.learn_buried(name for (name,) in rows)))
    if terms:
        asked.append((lexicon.asking(terms), lambda rows: lexicon.learn(terms, rows)))
    for (_, learn), rows in zip(asked, link.together([question for question, _ in asked]), strict=True):
        learn(rows)
    halves.documents.many(known.bare()[:_DOCUMENTS_MAX])


def _learn_heard(known: PrefetchCache, catalogue: WriterCatalogue, hearing: Hearing, rows: list[Row]) -> None:
    known.learn_heard(hearing, tuple(map(catalogue.read, rows)))
