"""The long run itself: a bug that is planted is found, and found again from the seed that was printed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SIM = ROOT / "scripts" / "sim.py"
WAIT_S = 200
PLANTED = {
    "a property": """
        from hypothesis import given, settings, strategies as st

        @settings(max_examples=20, derandomize=False, database=None)
        @given(st.integers(0, 100_000))
        def test_no_number_is_round(number: int) -> None:
            assert number % 60, f"found {number}"
        """,
    "a decoder": """
        from tests.fuzz.door import Door
        from tests.fuzz import test_decoders

        def opened(text: bytes) -> None:
            assert not text.endswith(b"Infinity"), f"found {text!r}"

        def test_no_text_ends_badly(monkeypatch) -> None:
            monkeypatch.setattr(test_decoders, "TEXTS", 60)
            test_decoders.tried(Door("planted", opened, ({"a": 1},)))
        """,
}


def run(test: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SIM), "--only", "fuzz", "--tests", str(test), *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=WAIT_S, check=False)


def found_in(text: str) -> list[str]:
    return re.findall(r"found ([0-9]+|b'[^']*')", text)


@pytest.mark.parametrize("bug", PLANTED)
def test_a_planted_bug_is_found_and_found_again_from_its_seed(tmp_path: Path, bug: str) -> None:
    test = tmp_path / "test_planted.py"
    lines = PLANTED[bug].strip("\n").split("\n")
    test.write_text("\n".join(line.removeprefix(" " * 8) for line in lines))

    first = run(test, "--seed", "100", "--minutes", "3")

    assert first.returncode == 1, first.stdout + first.stderr
    assert first.stdout.startswith("sim: seed 100\n")
    *_, last = first.stdout.strip().splitlines()
    told = re.fullmatch(r"sim: failed with seed (\d+) in fuzz; replay with: make sim SEED=(\d+)", last)
    assert told is not None, last
    again = run(test, "--seed", told[2])
    assert again.returncode == 1
    assert again.stdout.strip().splitlines()[-1] == last
    assert found_in(again.stdout)[0] in found_in(first.stdout)


def test_where_nothing_is_wrong_a_round_says_so(tmp_path: Path) -> None:
    test = tmp_path / "test_sound.py"
    test.write_text("def test_one_is_one() -> None:\n    assert 1 == 1\n")

    done = run(test, "--seed", "5")

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip().splitlines()[-1] == "sim: nothing found in 1 round"
