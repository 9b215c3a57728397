"""The power goes: what was synced is there, and of the rest any part, sector by sector, in any order.

Each deed is done once under a watcher that keeps every call to SQLite's files. From that record the disk is made as it
may be found after a cut at any of them: the vault then verifies and holds all of the deed or nothing, and all of it if
its caller had been told.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from tests.faults.deeds import ON_A_MEMORY
from tests.faults.dying import ERASING, Death, Rehearsal, check, prepare, rehearse

from muniment.testing.power import SECTOR, Disk
from muniment.testing.vfs import Act, Call

CUTS = 4
CUTS_LONG = 40
DEEDS = tuple(deed for deed in ON_A_MEMORY if deed not in ("embed", *ERASING))
"""Vectors and erasure go by files beside SQLite's, which are put in their places by renaming: they are killed instead."""


def cut_at(number: int, rehearsal: Rehearsal, start: Path, into: Path, rng: random.Random) -> None:
    """Write what the disk may hold when the power goes before call `number`."""
    disk = Disk(start)
    for call in rehearsal.calls[:number]:
        disk.ask(call)
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir()
    disk.cut(into, rng)


@pytest.mark.parametrize("deed", DEEDS)
def test_a_cut_of_the_power_leaves_all_of_a_deed_or_nothing(
    deed: str, template: Path, tmp_path: Path, seed: int, long: bool
) -> None:
    rng = random.Random(f"{seed} {deed} power")
    vault, found = tmp_path / "vault", tmp_path / "found"
    rehearsal = rehearse(deed, vault, template)
    for _ in range(CUTS_LONG if long else CUTS):
        number = rng.randrange(len(rehearsal.calls) + 1)
        prepare(deed, vault, template)
        acked = number == len(rehearsal.calls)
        cut_at(number, _since_opening(rehearsal), vault, found, rng)
        check(deed, found, rehearsal, Death(killed=True, acked=acked, failed=None))


def _since_opening(rehearsal: Rehearsal) -> Rehearsal:
    return rehearsal
