"""Two processes write and erase in one vault, and one of them is killed, again and again: the other goes on."""

from __future__ import annotations

import random
from pathlib import Path

from tests.faults.writers import MORE, kill_some

KILLS = 3
KILLS_LONG = 40


def test_one_of_two_writers_is_killed_and_the_other_goes_on(tmp_path: Path, seed: int, long: bool) -> None:
    kills = KILLS_LONG if long else KILLS
    assert kill_some(tmp_path / "vault", kills, random.Random(f"{seed} two")) > (kills + 1) * MORE
