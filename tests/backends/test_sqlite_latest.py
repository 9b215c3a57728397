"""What the writer remembers of the word index is what the index says, whatever happened to it meanwhile."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment.backends.latest import TERMS_MAX, TEXT_LENGTH_MAX, Latest
from muniment.backends.sqlite.store import SqliteTenant
from muniment.ports.hits import Neighbour
from muniment.ports.store import Unit
from muniment_store_conformance.makers import make_card, make_document
from muniment_store_conformance.near import put_kept

WORDS = ("lantern", "lamp", "heron", "weir", "osprey", "gate", "staging", "database", "release", "disk")


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[SqliteTenant, SqliteTenant]]:
    """The same file opened twice, as two processes would."""
    path = tmp_path / "acme.sqlite"
    one, other = (SqliteTenant(path, "acme", create=True) for _ in range(2))
    yield one, other
    one.close()
    other.close()


def _writes(store: SqliteTenant, *words: str) -> list[int]:
    return [found.rid for found in store.write(lambda unit: unit.lexicon.near(words, keep=99))]


def _reads(store: SqliteTenant, *words: str) -> list[int]:
    with store.read() as snapshot:
        return [found.rid for found in snapshot.lexicon.near(words, keep=99)]


def test_the_writer_finds_what_a_reader_finds_while_the_store_grows(pair: tuple[SqliteTenant, SqliteTenant]) -> None:
    store, _ = pair
    chance = random.Random(7)
    for turn in range(30):
        texts = {turn * 5 + at: " ".join(chance.choices(WORDS, k=6)) + f" n{turn}" for at in range(1, 6)}
        store.write(put_kept(texts))
        asked = tuple(chance.sample(WORDS, 4))
        found = _writes(store, *asked)
        assert found == _reads(store, *asked)
        assert len(found) >= 3


def test_what_another_process_wrote_is_found_by_a_writer_who_had_looked_before(
    pair: tuple[SqliteTenant, SqliteTenant],
) -> None:
    one, other = pair
    one.write(put_kept({1: "a lantern"}))
    assert _writes(one, "lantern") == [1]
    other.write(put_kept({2: "a lantern"}))
    assert _writes(one, "lantern") == [2, 1]


def test_what_was_undone_is_not_remembered(pair: tuple[SqliteTenant, SqliteTenant]) -> None:
    store, _ = pair
    store.write(put_kept({1: "a lantern"}))
    assert _writes(store, "lantern") == [1]

    def failing(unit: Unit) -> None:
        put_kept({2: "a lantern"})(unit)
        assert [found.rid for found in unit.lexicon.near(("lantern",), keep=9)] == [2, 1]
        raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        store.write(failing)
    assert _writes(store, "lantern") == [1]
    store.write(put_kept({2: "a weir"}))
    assert _writes(store, "lantern") == [1]
    assert _writes(store, "weir") == [2]


def test_what_was_erased_is_not_remembered(pair: tuple[SqliteTenant, SqliteTenant]) -> None:
    store, _ = pair
    store.write(put_kept({1: "a lantern", 2: "a lantern"}))
    assert _writes(store, "lantern") == [2, 1]

    def erase(unit: Unit) -> None:
        unit.erase([2])
        unit.drop(2)

    store.write(erase)
    assert _writes(store, "lantern") == [1]


def test_a_neighbour_keeps_its_own_text_whether_it_is_remembered_or_read(
    pair: tuple[SqliteTenant, SqliteTenant],
) -> None:
    store, _ = pair
    long = "lantern " + "so it goes on " * TEXT_LENGTH_MAX

    def job(unit: Unit) -> tuple[Neighbour, ...]:
        for rid, text in ((1, "a lantern"), (2, long)):
            unit.keep(make_document(rid, text))
            unit.project((make_card(rid),), {rid: text})
        return unit.lexicon.near(("lantern",), keep=9)

    assert {found.rid: found.text for found in store.write(job)} == {1: "a lantern", 2: long}


def test_a_revision_that_is_not_the_latest_makes_a_term_unknown() -> None:
    latest = Latest(keep=3)
    latest.learn("lantern", [4, 7])
    latest.born(9, "a lantern", ["a", "lantern"])
    assert latest.holding("lantern") == [4, 7, 9]
    latest.born(12, "lantern lantern", ["lantern", "lantern"])
    assert latest.holding("lantern") == [7, 9, 12]
    latest.born(8, "a lantern", ["a", "lantern"])
    assert latest.holding("lantern") is None
    assert latest.holding("a") is None


def test_no_more_terms_are_remembered_than_there_is_room_for_and_those_asked_for_last_stay() -> None:
    latest = Latest(keep=3)
    latest.learn("first", [1])
    for number in range(TERMS_MAX - 1):
        latest.learn(f"t{number}", [1])
    assert latest.holding("first") == [1]
    latest.learn("last", [1])
    assert latest.holding("first") == [1]
    assert latest.holding("t0") is None
    assert latest.holding("last") == [1]
