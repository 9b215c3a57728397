"""The long run itself: a bug that is planted is found, and found again from the seed that was printed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SIM = ROOT / "scripts" / "sim.py"
WAIT_S = 400
PLANTED = """\
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fuzz import test_decoders
from tests.fuzz.door import Door


@settings(max_examples=100, derandomize=False, database=None)
@given(st.integers(0, 1_000_000_000))
def test_no_number_is_round(number: int) -> None:
    assert number < 1_000 or number % 20, f"found {number}."


def opened(text: bytes) -> None:
    assert not text.endswith(b"Infinity"), f"found {text!r}."


def test_no_text_ends_badly() -> None:
    test_decoders.tried(Door("planted", opened, ({"a": 1},)))
"""


def run(test: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SIM), "--only", "fuzz", "--tests", str(test), *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=WAIT_S, check=False)


def found_in(text: str) -> set[str]:
    return set(re.findall(r"found ([0-9]+|b'[^']*')\.", text))


@pytest.mark.slow
@pytest.mark.timeout(2 * WAIT_S + 60)
def test_planted_bugs_are_found_and_found_again_from_the_seed(tmp_path: Path) -> None:
    """One that Hypothesis finds, one that spoilt texts find."""
    test = tmp_path / "test_planted.py"
    test.write_text(PLANTED)

    first = run(test, "--seed", "101", "--minutes", "3")

    assert first.returncode == 1, first.stdout + first.stderr
    assert first.stdout.startswith("sim: seed 101\n")
    assert {text.isdigit() for text in found_in(first.stdout)} == {True, False}
    *_, last = first.stdout.strip().splitlines()
    told = re.fullmatch(r"sim: failed with seed (\d+) in fuzz; replay with: make sim SEED=(\d+)", last)
    assert told is not None, last
    again = run(test, "--seed", told[2])
    assert again.returncode == 1
    assert again.stdout.strip().splitlines()[-1] == last
    assert found_in(again.stdout) == found_in(first.stdout)


@pytest.mark.slow
def test_where_nothing_is_wrong_a_round_says_so(tmp_path: Path) -> None:
    test = tmp_path / "test_sound.py"
    test.write_text("def test_one_is_one() -> None:\n    assert 1 == 1\n")

    done = run(test, "--seed", "5")

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip().splitlines()[-1] == "sim: nothing found in 1 round"
