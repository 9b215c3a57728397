"""Every way in which text from outside becomes a value, tried with spoilt text: a value comes out, or our refusal.

Everything follows from a seed. `MUNIMENT_TEST_FUZZ` says how many spoilt texts each door is tried with.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.fuzz import doors_contracts, doors_kept, doors_proofs, doors_served
from tests.fuzz.door import Door, least, outcome, shown

SEED = os.environ.get("MUNIMENT_TEST_SEED", "20260301")
TEXTS = int(os.environ.get("MUNIMENT_TEST_FUZZ", "120"))
SLOW = {"strict yaml": 6, "file of yaml": 6, "policy yaml": 6}
"""Doors whose language is read slowly are tried with fewer texts: a part of them."""


class Fault(AssertionError):
    """What is wrong with a door: the text that shows it, and a shorter one that does."""


def tried(door: Door) -> set[str]:
    """Try a door with all texts, and say everything that came of them."""
    found = set()
    for number in range(TEXTS // SLOW.get(door.name, 1)):
        text = door.spoilt(SEED, number)
        try:
            found.add(outcome(door, text))
        except AssertionError as error:
            raise Fault(f"seed {SEED}, text {number}: {error}\nshorter: {shown(least(door, text))}") from None
    return found


def outcomes(doors: tuple[Door, ...]) -> dict[str, set[str]]:
    """What came of all texts at all doors. Every door is tried before anything is told of faults."""
    found: dict[str, set[str]] = {}
    faults: list[str] = []
    for door in doors:
        try:
            found[door.name] = tried(door)
        except Fault as fault:
            faults.append(str(fault))
    if faults:
        pytest.fail("\n\n".join([f"{len(faults)} of {len(doors)} doors", *faults]), pytrace=False)
    return found


def never_refused(found: dict[str, set[str]]) -> set[str]:
    return {name for name, said in found.items() if said == {"value"}}


def whole(doors: tuple[Door, ...]) -> set[str]:
    """The doors of which no sample passes as it is."""
    return {door.name for door in doors if all(outcome(door, text) != "value" for text in door.whole())}


def test_spoilt_documents_are_read_or_refused() -> None:
    doors = doors_contracts.doors()
    assert whole(doors) == set()
    assert never_refused(outcomes(doors)) == set()


def test_what_was_kept_and_was_spoilt_is_read_or_refused(tmp_path: Path) -> None:
    """A head or columns of vectors that are not whole are none, and a key that is not ours opens nothing: no error."""
    doors = doors_kept.doors(tmp_path)
    assert whole(doors) == set()
    assert never_refused(outcomes(doors)) == {"vector head", "vector columns", "key shown"}


def test_spoilt_proofs_are_read_or_refused(tmp_path: Path) -> None:
    doors = doors_proofs.doors(tmp_path)
    assert whole(doors) == set()
    assert never_refused(outcomes(doors)) == set()


def test_spoilt_requests_are_read_or_refused() -> None:
    """A field that was asked about what is not there has refused its sample already."""
    doors = doors_served.doors()
    gone = ("MERGE", "REPLAY", "HANDOFF", "merge", "replay", "handoff", "REGISTER")
    assert {name for name in whole(doors) if not name.endswith(gone)} == set()
    assert never_refused(outcomes(doors)) == set()
