"""The disk as it may be found when the power went in the middle of a deed."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

from tests.faults.deeds import ON_A_MEMORY
from tests.faults.dying import Rehearsal
from tests.support.power import Disk

CUTTABLE = ("migrate", *(deed for deed in ON_A_MEMORY if deed not in ("embed", "forget")))
"""Vectors are kept in files of their own, which are put in their places by renaming: their deeds are killed instead."""


def cut_at(number: int, rehearsal: Rehearsal, start: Path, into: Path, rng: random.Random) -> None:
    """Write what the disk may hold when the power goes before call `number` of a deed."""
    disk = Disk(start)
    for call in (*rehearsal.opening, *rehearsal.calls[:number]):
        if ".sqlite" in Path(call.file).name:
            disk.ask(call)
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir()
    disk.cut(into, rng)
