"""A question knows what was told before it: by its words and its meaning if that is soon done, else by its words."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.patience import WAIT_S
from tests.recall.world import Stuck, Toy, contents, on_disk

from muniment import Memory
from muniment.backends.embedders.choose import choose
from muniment.config import read_environment
from muniment.engine import vector_indexer

TOLD, ASKED = "The nightly build takes 40 minutes", "how long does the build take?"
PUMP = "the pump is an automobile"


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question waits as long as it takes: this machine may be slow."""
    monkeypatch.setattr(vector_indexer, "CATCH_UP_S", float(WAIT_S))


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question waits for no vectors at all."""
    monkeypatch.setattr(vector_indexer, "CATCH_UP_S", 0.0)


@pytest.mark.parametrize("start", range(3))
def test_the_first_question_after_the_first_write_is_answered(vault: Path, start: int) -> None:
    with Memory.open(vault, embedder="minilm") as memory:
        memory.remember(TOLD)
        assert contents(memory.recall(ASKED)) == [TOLD]


def test_what_was_just_written_is_found_by_its_meaning(tmp_path: Path, patient: None) -> None:
    with on_disk(tmp_path, Toy()) as memory:
        for number in range(3):
            memory.remember(f"{PUMP} number {number}")
            answer = memory.recall("vehicle")
            assert (len(answer.records), answer.searched.trailing) == (number + 1, 0)


def test_what_another_process_just_wrote_is_found_by_its_meaning(vault: Path, patient: None) -> None:
    with Memory.open(vault, embedder=Toy()) as memory:
        memory.flush(timeout=WAIT_S)
        other = [sys.executable, "-m", "muniment", "--vault", str(vault), "remember", PUMP]
        subprocess.run(other, check=True, timeout=WAIT_S, env={**os.environ, "MUNIMENT_EMBEDDER": "none"})
        assert contents(memory.recall("vehicle")) == [PUMP]


def test_words_decide_for_what_has_no_vectors_yet(tmp_path: Path, hasty: None) -> None:
    """By vectors that do not exist nothing is judged: it is found, and as likely to fit as without a model."""
    model = Stuck("all-MiniLM-L6-v2@toy")
    with on_disk(tmp_path, model) as memory:
        memory.remember("ana likes her tea without sugar")
        memory.flush(timeout=WAIT_S)
        memory.remember("the slow pump takes 40 minutes")
        assert model.arrived.wait(WAIT_S)
        answer = memory.recall("how many minutes does the pump take?")
        model.free.set()
        assert (answer.searched.model, answer.searched.trailing) == ("all-MiniLM-L6-v2@toy", 1)
        assert contents(answer) == ["the slow pump takes 40 minutes"]
        assert answer.searched.fit is not None
        assert answer.searched.fit > 0.3


class Trailing:
    """The real model, which stops at texts that hold the word `slow` until it is let go."""

    def __init__(self) -> None:
        inner = choose("minilm", models=read_environment().models_folder)
        assert inner is not None
        self._inner, self.model, self.dimensions = inner, inner.model, inner.dimensions
        self.arrived, self.free = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        if any("slow" in text for text in texts):
            self.arrived.set()
            assert self.free.wait(WAIT_S), "nobody let the embedder go"
        return self._inner.embed(texts)


@pytest.mark.parametrize(
    ("read", "unread", "asked"),
    [
        (
            "I parked the van on the street in Leipzig",
            "I parked the bike behind the station",
            "where is the bike parked?",
        ),
        ("Jonas isst gern Nüsse und Mandeln", "Leonie ist gegen Nüsse allergisch", "Gegen was ist Leonie allergisch?"),
        ("Le fourgon est garé devant la gare", "Le vélo est garé derrière la mairie", "Où est garé le vélo ?"),
    ],
)
def test_a_vector_is_no_merit_of_its_own(tmp_path: Path, hasty: None, read: str, unread: str, asked: str) -> None:
    """While vectors trail, a poor match that has one does not outrank a good match that has none yet."""
    model = Trailing()
    with on_disk(tmp_path, model) as memory:
        for text in (read, "The landlord raised the rent to 1,150 euros a month", "My sister Ines works as a nurse"):
            memory.remember(text)
        memory.flush(timeout=WAIT_S)
        memory.remember("the slow lift is repaired on Monday")
        memory.remember(unread)
        assert model.arrived.wait(WAIT_S)
        before = contents(memory.recall(asked, floor=0.0))
        model.free.set()
        memory.flush(timeout=WAIT_S)
        after = contents(memory.recall(asked, floor=0.0))
    assert before[:2] == after[:2] == [unread, read]


def test_a_long_tail_is_not_waited_for(tmp_path: Path, patient: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_indexer, "CATCH_UP_MAX", 1)
    model = Stuck()
    with on_disk(tmp_path, model) as memory:
        memory.flush(timeout=WAIT_S)
        memory.remember("the slow pump")
        memory.remember("the other pump")
        answer = memory.recall("pump")  # it would wait for ever
        model.free.set()
        assert sorted(contents(answer)) == ["the other pump", "the slow pump"]
