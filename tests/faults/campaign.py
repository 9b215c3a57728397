"""The long fault campaign: every deed killed at every call to the disk, the power cut everywhere, every page spoiled.

`python -m tests.faults.campaign SEED MINUTES` goes on until the time is over and prints what it did as a table. What it
does follows from the seed; only the instants at which writers that run freely are killed do not.
"""

from __future__ import annotations

import random
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.faults.cutting import CUTTABLE, cut_at
from tests.faults.damaging import FILE, SPOILS, outcome, page_kinds, restore, spoil_page
from tests.faults.deeds import DEEDS, furnished
from tests.faults.dying import Death, Victims, check, look, prepare, rehearse
from tests.faults.writers import kill_some
from tests.support.vfs import Act

KILLS_A_PAIR = 5


class Campaign:
    """One run: where it works, what it has seen, and when it ends. `now` is what it is doing."""

    def __init__(self, folder: Path, seed: int, minutes: float) -> None:
        self.now = "furnishing a vault"
        self.tally: Counter[tuple[str, str]] = Counter()
        self._ends = time.monotonic() + minutes * 60
        self._folder, self._template, self._vault = folder, folder / "template", folder / "vault"
        self._seed = seed
        self._victims = Victims()
        furnished(self._template)
        self._rehearsed = {deed: rehearse(deed, folder / "rehearsed", self._template) for deed in DEEDS}

    def run(self) -> None:
        """Take turns between what there is to do, so that a short run has seen something of everything."""
        waiting = [self._deaths(), self._cuts(), self._pages(), self._pairs()]
        while time.monotonic() < self._ends:
            for work in waiting:
                if time.monotonic() < self._ends:
                    next(work)

    def close(self) -> None:
        self._victims.end()

    def _chance(self, what: str) -> random.Random:
        return random.Random(f"{self._seed} {what}")

    def _deaths(self) -> Iterator[None]:
        """Every deed, killed at every call, before it and half way through it, in an order that chance gives."""
        rng = self._chance("deaths")
        points = [
            (deed, at, torn)
            for deed, rehearsal in self._rehearsed.items()
            for at, call in enumerate(rehearsal.calls, start=1)
            for torn in ((False, True) if call.act is Act.WRITE else (False,))
        ]
        while True:
            rng.shuffle(points)
            for deed, at, torn in points:
                self.now = f"{deed} killed at call {at} of {len(self._rehearsed[deed].calls)}, torn: {torn}"
                prepare(deed, self._vault, self._template)
                death = self._victims.kill(self._vault, deed, at, torn=torn)
                self.tally[f"death in {deed}", check(deed, self._vault, self._rehearsed[deed], death)] += 1
                yield

    def _cuts(self) -> Iterator[None]:
        """The power goes somewhere in a deed."""
        rng, found = self._chance("cuts"), self._folder / "found"
        while True:
            deed = rng.choice(CUTTABLE)
            calls = len(self._rehearsed[deed].calls)
            number = rng.randrange(calls + 1)
            self.now = f"{deed} with the power cut at call {number} of {calls}"
            prepare(deed, self._folder / "rehearsed", self._template)
            cut_at(number, self._rehearsed[deed], self._folder / "rehearsed", found, rng)
            death = Death(killed=True, acked=number == calls, failed=None)
            self.tally[f"cut in {deed}", check(deed, found, self._rehearsed[deed], death)] += 1
            yield

    def _pages(self) -> Iterator[None]:
        """Every page spoiled in every way."""
        rng, vault = self._chance("pages"), self._folder / "spoiled"
        truth = look(shutil.copytree(self._template, self._folder / "truth"))
        clean, kinds = (self._template / FILE).read_bytes(), page_kinds(self._template / FILE)
        shutil.copytree(self._template, vault)
        while True:
            for page, kind in kinds.items():
                for spoil in SPOILS:
                    self.now = f"page {page} ({kind}) {spoil.__name__}"
                    restore(vault, self._template)
                    spoil_page(vault, clean, page, spoil, rng)
                    came_to = outcome(vault, truth)
                    assert came_to in ("refused", "reported", "harmless"), came_to
                    self.tally[f"page {spoil.__name__}", came_to] += 1
                    yield

    def _pairs(self) -> Iterator[None]:
        """Two writers, one of which is killed: seldom, for each takes as long as many of the others."""
        rng, number = self._chance("pairs"), 0
        while True:
            number += 1
            if number % 40 == 1:
                self.now = "two writers of which one is killed"
                shutil.rmtree(self._folder / "pair", ignore_errors=True)
                self.tally["two writers", "acknowledged"] += kill_some(self._folder / "pair", KILLS_A_PAIR, rng)
                self.tally["two writers", "killed"] += KILLS_A_PAIR + 1
            yield


def table(tally: Counter[tuple[str, str]]) -> str:
    """What was done and what came of it, a line for each sort."""
    lines = []
    for what in sorted({what for what, _ in tally}):
        ends = {end: count for (one, end), count in sorted(tally.items()) if one == what}
        lines.append(f"{what:<24}{sum(ends.values()):>7}  " + ", ".join(f"{end} {ends[end]}" for end in ends))
    return "\n".join(lines)


def main(seed: int, minutes: float) -> int:
    """Run for so long, print the table, and return 0 if nothing was found."""
    with TemporaryDirectory(prefix="muniment-faults-") as folder:
        campaign = Campaign(Path(folder), seed, minutes)
        try:
            campaign.run()
        except AssertionError as error:
            print(f"seed {seed}: {campaign.now}: {error}")
            return 1
        finally:
            campaign.close()
            print(table(campaign.tally))
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), float(sys.argv[2])))
