"""A recall asks the server a bounded number of times, and gives what it would give if it asked one thing at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import pytest

from muniment import Memory
from muniment.backends.postgres.pipeline import Pipeline
from muniment.backends.postgres.transaction import Transaction

SAID = (
    "The staging database of Heron moved to Lisbon.",
    "Heron keeps its backups in the harbour vault.",
    "The harbour vault is opened by Marta on Mondays.",
    "Lisbon is where the staging servers of Heron stand.",
    *(f"Crate {number} was weighed on the quay." for number in range(20)),
)
"""More than so few that the words each holds are counted one by one."""

QUESTION = "Where is the staging database of Heron?"
PROPOSED = 6
EXCHANGES = 8
"""What a question points at and whose text it is are asked with the rest; what is told is read when all is in order."""


def _told(memory: Memory) -> list[tuple[str, float, tuple[str, ...]]]:
    """What a question is answered with."""
    return [(one.record.id, one.score, one.reasons) for one in memory.recall(QUESTION).records]


@pytest.fixture
def memory(dsn: str) -> Memory:
    memory = Memory.open(dsn, embedder=None)
    for said in SAID:
        memory.as_actor("marta").remember(said, session_id="s1", confidence=0.9, evidence=["ticket:1"])
    return memory


@pytest.fixture
def exchanged(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one whenever this thread waits for the server."""
    waits: list[int] = []
    heard, here = Pipeline._exchange, threading.get_ident()

    def counted(self: Pipeline) -> object:
        if threading.get_ident() == here:  # whoever listens for what others write asks beside it
            waits.append(1)
        return heard(self)

    monkeypatch.setattr(Pipeline, "_exchange", counted)
    return waits


def test_a_recall_by_words_asks_no_more_than_eight_times(memory: Memory, exchanged: list[int]) -> None:
    with memory:
        assert _told(memory)
        exchanged.clear()
        _told(memory)
        assert 0 < len(exchanged) <= EXCHANGES


WRITTEN = (
    "The quay of Lisbon is closed on Fridays.",
    "Heron moved the staging database to Porto.",
    "Heron moved the staging database to Porto.",
    "La llave del puerto la tiene Rui.",
    "哈尔滨的仓库周一开门。",
)
"""What is new, what disagrees with what is there, what was said before, and other languages."""


def test_a_proposal_asks_no_more_than_six_times(memory: Memory, exchanged: list[int]) -> None:
    with memory:
        agents = [memory, memory.as_actor("marta")]
        memory.remember("The first of a process looks some things up for all.")
        for agent in agents:
            for said in WRITTEN:
                exchanged.clear()
                agent.remember(said, evidence=["ticket:2"])
                assert 0 < len(exchanged) <= PROPOSED, said


def test_what_is_asked_together_is_answered_as_if_it_were_asked_singly(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unheard(self: Transaction, *asks: Callable[[], object]) -> None:
        """Take no note of what comes next."""

    with memory:
        together = _told(memory)
        monkeypatch.setattr(Transaction, "ahead", unheard)
        assert _told(memory) == together


def test_cards_that_were_asked_ahead_are_those_of_the_moment(memory: Memory) -> None:
    with memory, memory._session.tenant.store.read() as snapshot:
        cards = snapshot.catalogue.cards
        known = {card.rid: card for card in snapshot.catalogue.all()}
        first, second, *_ = known
        snapshot.ahead(partial(cards, [first, 10**9]))

        assert cards([second, first]) == {rid: known[rid] for rid in (first, second)}
        assert cards([10**9]) == {}
