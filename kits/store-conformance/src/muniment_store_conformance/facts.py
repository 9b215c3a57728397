"""What every store promises of the facts of a list of proposals: each is as it is when it is taken, whatever is
written meanwhile. Knows the ports and no store."""

from __future__ import annotations

import random
from typing import NamedTuple

from muniment.model.entry import Document
from muniment.model.record import TrustState
from muniment.model.rows import ProposalRow, StandingRow, ToldRow, TombstoneRow
from muniment.model.status import CURRENT, Status
from muniment.model.value import canonical
from muniment.model.vocabulary import Label
from muniment.ports.facts import FactsAsked, FactsFound, Hearing
from muniment.ports.store import Snapshot, Unit
from muniment_store_conformance.makers import (
    TENANT,
    Made,
    make_card,
    make_document,
    make_proposal,
    make_record,
    make_state,
    make_telling,
    raises,
)

MARKS = tuple(bytes([number]) * 16 for number in range(4))
SLOTS = ("door", "Door", "window", "stair")
RECORDS = ("rec-a", "rec-b", "rec-c", "rec-d")
PROPOSALS = tuple(f"prp-{number}" for number in range(6))
WORDS = (("staging", "database"), ("broken", "hinge", "door"), ("nobody",))
HEARINGS = tuple(Hearing(actor=actor, below=below, keep=4) for actor in ("ana", "ben") for below in (1, 3))
TEXTS = ("the staging database is down", "the hinge of the door is broken", "a door", "the database door")
EVERYTHING = tuple(
    FactsAsked(
        actor="ana",
        proposal=proposal,
        fingerprint=mark,
        slot=slot,
        answers_max=3,
        records=RECORDS[:3],
        subjects=("door",),
        subjects_max=4,
        words=words,
        near_max=8,
        burst=2,
        hearing=hearing,
    )
    for proposal, mark, slot, words, hearing in zip(PROPOSALS, MARKS[:3], SLOTS, WORDS, HEARINGS, strict=False)
)
_ENDED = (Status.SUPERSEDED, Status.DEPRECATED, Status.RETRACTED, Status.EXPIRED, Status.ARCHIVED)


class _Failed(Exception):
    """A job that ends badly."""


class _Born(NamedTuple):
    record: str
    revision: int
    text: str


class _Deeds:
    """Random deeds of a writer, such as a store may be asked for."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self._number = 0
        self._born: dict[int, _Born] = {}
        self._current: dict[str, int] = {}

    def some(self, unit: Unit, count: int) -> None:
        for _ in range(count):
            deeds = (self._bear, self._bear, self._bear, self._move, self._file, self._tell, self._amend, self._bury)
            self._draw.choice(deeds)(unit)
        if self._draw.random() < 0.2:
            self._erase(unit)

    def rids(self) -> list[int]:
        return list(self._born)

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _bear(self, unit: Unit) -> None:
        record = self._draw.choice(RECORDS)
        if (before := self._current.pop(record, None)) is not None:
            self._stand(unit, before, Status.SUPERSEDED, record)
        rid, text = self._next(), self._draw.choice(TEXTS)
        revision = 1 + sum(born.record == record for born in self._born.values())
        status = self._draw.choice((Status.ACTIVE, Status.ACTIVE, Status.CONTESTED, Status.DRAFT))
        card = make_card(
            rid,
            id=record,
            revision=100 * revision + rid,
            fingerprint=self._draw.choice(MARKS),
            slot=self._draw.choice((*SLOTS, None)),
            status=status.value,
            label=self._draw.randrange(3),
            actor=self._draw.choice(("ana", "ben")),
        )
        unit.keep(make_document(rid, text))
        unit.project((card,), {rid: text})
        self._born[rid] = _Born(record, card.revision, text)
        if status in CURRENT:
            self._current[record] = rid

    def _move(self, unit: Unit) -> None:
        if not self._born:
            return
        rid = self._draw.choice(list(self._born))
        record = self._born[rid].record
        free = self._current.get(record, rid) == rid
        status = self._draw.choice((*_ENDED, Status.ACTIVE, Status.CONTESTED) if free else _ENDED)
        if self._current.get(record) == rid:
            del self._current[record]
        if status in CURRENT:
            self._current[record] = rid
        self._stand(unit, rid, status, self._draw.choice((record, None)) if status in _ENDED else None)

    def _stand(self, unit: Unit, rid: int, status: Status, successor: str | None) -> None:
        footing = TrustState(own=0.5, effective=0.25, label=self._draw.choice(list(Label)))
        standing = make_state(10_000 + self._next(), status, successor, footing=footing)
        unit.project((StandingRow(rid=rid, standing=standing),), {})

    def _file(self, unit: Unit) -> None:
        outcome = self._draw.choice(("committed", "held"))
        unit.project((make_proposal(self._draw.choice(PROPOSALS), self._next(), outcome=outcome),), {})

    def _tell(self, unit: Unit) -> None:
        rids = self._draw.sample(sorted(self._born), min(3, len(self._born)))
        told: list[ToldRow] = [make_telling(rid, self._draw.choice(("ana", "ben"))) for rid in rids]
        unit.tell(told)

    def _amend(self, unit: Unit) -> None:
        if self._born:
            rid = self._draw.choice(list(self._born))
            body = canonical(make_record(self._next(), self._born[rid].text))
            unit.amend(Document(doc=rid, salt=bytes(16), body=body))

    def _bury(self, unit: Unit) -> None:
        number = 50_000 + self._next()
        unit.project((TombstoneRow(rid=number, id=self._draw.choice(RECORDS), revision=number, seq=number),), {})

    def _erase(self, unit: Unit) -> None:
        gone = self._draw.sample(sorted(self._born), min(2, len(self._born)))
        unit.erase(gone)
        for rid in gone:
            unit.drop(rid)
            if self._current.get(self._born[rid].record) == rid:
                del self._current[self._born[rid].record]
            del self._born[rid]


def _answers(snapshot: Snapshot, rids: list[int]) -> list[object]:
    catalogue, documents = snapshot.catalogue, snapshot.documents
    return [
        [snapshot.desk.proposal(name) for name in PROPOSALS],
        [(catalogue.twin(mark), catalogue.past_twins(mark)) for mark in MARKS],
        [(catalogue.occupants(slot), catalogue.past_answers(slot, limit=3)) for slot in SLOTS],
        [(catalogue.current(name), catalogue.revisions(name), catalogue.buried(name)) for name in RECORDS],
        sorted(catalogue.latest(RECORDS).items()),
        [(catalogue.card(rid), documents.get(rid)) for rid in rids],
        sorted(catalogue.cards(rids).items()),
        sorted(documents.many(rids).items()),
        [catalogue.heard(one.actor, below=one.below, keep=one.keep) for one in HEARINGS],
        [snapshot.receipts.told_to(actor, rids) for actor in ("ana", "ben")],
        [snapshot.lexicon.near(words, keep=8) for words in WORDS],
    ]


def _composed(snapshot: Snapshot, asked: FactsAsked) -> FactsFound:
    """The facts of one proposal by the store's own small questions."""
    catalogue, slot, hearing = snapshot.catalogue, asked.slot, asked.hearing
    assert slot is not None
    assert hearing is not None
    assert asked.burst is not None
    assert asked.proposal is not None
    about = (snapshot.names.latest(one, upto=2**62, keep=asked.subjects_max) for one in asked.subjects)
    return FactsFound(
        filed=snapshot.desk.proposal(asked.proposal),
        twin=catalogue.twin(asked.fingerprint),
        past_twins=catalogue.past_twins(asked.fingerprint),
        occupants=catalogue.occupants(slot),
        past_answers=catalogue.past_answers(slot, limit=asked.answers_max),
        revisions={name: catalogue.revisions(name) for name in asked.records},
        buried=frozenset(name for name in asked.records if catalogue.buried(name)),
        near=snapshot.lexicon.near(asked.words, keep=asked.near_max),
        about=tuple(row.rid for rows in about for row in rows),
        pace=catalogue.pace(asked.actor, nth=asked.burst),
        heard=catalogue.heard(hearing.actor, below=hearing.below, keep=hearing.keep),
    )


class FactsConformance(Made):
    """The facts of a list are those of its members, each when it is taken, and what is written meanwhile is in them."""

    def test_the_facts_of_each_are_what_single_questions_answer_at_that_moment(self) -> None:
        for seed in range(4):
            with self.make(TENANT) as store:
                deeds, draw = _Deeds(seed), random.Random(-seed)

                def job(unit: Unit, deeds: _Deeds = deeds, draw: random.Random = draw) -> None:
                    taken = zip(EVERYTHING, unit.facts(EVERYTHING), strict=True)
                    for asked, found in taken:
                        assert found == _composed(unit, asked)
                        deeds.some(unit, draw.randint(1, 4))

                for _ in range(6):
                    store.write(job)
                    with store.read() as snapshot:
                        for asked, found in zip(EVERYTHING, snapshot.facts(EVERYTHING), strict=True):
                            assert found == _composed(snapshot, asked)

    def test_what_was_looked_up_for_a_list_stays_true_whatever_is_written(self) -> None:
        for seed in range(4):
            with self.make(TENANT) as store:
                deeds, draw = _Deeds(seed), random.Random(-seed)

                def job(unit: Unit, deeds: _Deeds = deeds, draw: random.Random = draw) -> list[list[object]]:
                    answers = []
                    for _ in range(draw.randint(1, 3)):
                        next(iter(unit.facts(EVERYTHING)))
                        deeds.some(unit, draw.randint(1, 4))
                        answers.append(_answers(unit, deeds.rids()))
                    return answers

                for _ in range(6):
                    inside = store.write(job)[-1]
                    with store.read() as snapshot:
                        assert inside == _answers(snapshot, deeds.rids())

    def test_a_job_that_failed_leaves_nothing_of_what_it_looked_up(self) -> None:
        def doomed(unit: Unit) -> None:
            next(iter(unit.facts(EVERYTHING)))
            unit.project((make_card(1, id="rec-a", fingerprint=MARKS[0]),), {1: "a door"})
            assert unit.catalogue.twin(MARKS[0]) is not None
            raise _Failed

        with self.make(TENANT) as store:
            with raises(_Failed):
                store.write(doomed)
            assert store.write(lambda unit: unit.catalogue.twin(MARKS[0])) is None

    def test_a_key_with_very_many_cards_is_answered_in_full(self) -> None:
        ended = Status.RETRACTED.value
        cards = [
            make_card(rid, id="rec-a", revision=rid, fingerprint=MARKS[0], slot="door", status=ended)
            for rid in range(1, 151)
        ]

        def ask(unit: Unit) -> tuple[int, int, int]:
            next(iter(unit.facts(EVERYTHING)))
            more = make_card(200, id="rec-a", revision=200, fingerprint=MARKS[0], slot="door", status=ended)
            unit.project((more,), {200: "a door"})
            catalogue = unit.catalogue
            found = (
                catalogue.past_twins(MARKS[0]),
                catalogue.revisions("rec-a"),
                catalogue.past_answers("door", limit=200),
            )
            return len(found[0]), len(found[1]), len(found[2])

        with self.make(TENANT) as store:
            store.write(lambda unit: unit.project(tuple(cards), {card.rid: "a door" for card in cards}))
            assert store.write(ask) == (151, 151, 151)

    def test_the_same_proposal_filed_twice_in_one_job_is_filed_as_it_was_last(self) -> None:
        def job(unit: Unit) -> ProposalRow | None:
            next(iter(unit.facts(EVERYTHING)))
            unit.project((make_proposal("prp-0", 1, outcome="held"),), {})
            unit.project((make_proposal("prp-0", 2),), {})
            return unit.desk.proposal("prp-0")

        with self.make(TENANT) as store:
            inside = store.write(job)
            with store.read() as snapshot:
                assert inside == snapshot.desk.proposal("prp-0") == make_proposal("prp-0", 2)
