"""The long fault campaign: every deed killed at every call to the disk, the power cut everywhere, every page spoiled.

`python -m tests.faults.campaign SEED MINUTES` goes round until the time is over and prints what it did as a table. What
it does follows from the seed; only the instants at which free-running writers are killed do not.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults.damaging import SPOILS, outcome, page_kinds, restore, spoiled
from tests.faults.deeds import DEEDS, furnished
from tests.faults.dying import Death, Rehearsal, Victims, check, look, prepare, rehearse
from tests.faults.power import CUTTABLE, cut_at
from tests.faults.writers import kill_one_of_two

Tally = Counter[tuple[str, str]]
CUTS_A_ROUND = 25
PAIRS_A_ROUND = 5


class Campaign:
    """One run: where it works, what it has seen, and when it ends."""

    def __init__(self, folder: Path, seed: int, minutes: float) -> None:
        self.folder = folder
        self.template = folder / "template"
        self.rng = random.Random(seed)
        self.ends = time.monotonic() + minutes * 60
        self.tally: Tally = Counter()
        self.victims = Victims()
        furnished(self.template)

    @property
    def over(self) -> bool:
        return time.monotonic() >= self.ends

    def run(self) -> None:
        """Go round, each thing in a small portion, so that a short run has seen something of everything."""
        rounds: list[Iterator[None]] = [
            self.deaths(), self.cuts(), self.pages(), self.pairs(),
        ]
        while rounds and not self.over:
            for one in [*rounds]:
                if self.over or next(one, StopIteration) is StopIteration:
                    rounds.remove(one)

    def deaths(self) -> Iterator[None]:
        """Every deed, killed at every call, before it and half way through it, in an order that chance gives."""
        rehearsed = {deed: rehearse(deed, self.folder / "rehearsed", self.template) for deed in DEEDS}
        points = [
            (deed, at, torn)
            for deed in DEEDS
            for at in range(1, len(rehearsed[deed].calls) + 1)
            for torn in (False, True)
        ]
        self.rng.shuffle(points)
        self.tally["death", "points there are"] = len(points)
        for deed, at, torn in points:
            self._die(deed, at, torn, rehearsed[deed])
            yield

    def _die(self, deed: str, at: int, torn: bool, rehearsal: Rehearsal) -> None:
        vault = self.folder / "vault"
        prepare(deed, vault, self.template)
        death = self.victims.kill(vault, deed, at, torn=torn)
        with told(f"{deed}, killed at call {at}{' by half' if torn else ''}"):
            self.tally[f"death in {deed}", check(deed, vault, rehearsal, death)] += 1
