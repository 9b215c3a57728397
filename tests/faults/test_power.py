"""The power goes: what was synced is there, and of the rest any part, sector by sector, in any order.

Each deed is done once under a watcher that keeps every call to SQLite's files. From that record the disk is made as it
may be found after a cut at any of them: the vault then verifies and holds all of the deed or nothing, and all of it if
its caller had been told.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from tests.faults.cutting import CUTTABLE, cut_at
from tests.faults.dying import Death, Rehearsal, check, look, prepare, rehearse
from tests.support.power import Disk
from tests.support.vfs import Act, Call

CUTS = 5
CUTS_LONG = 100


@pytest.mark.parametrize("deed", CUTTABLE)
def test_a_cut_of_the_power_leaves_all_of_a_deed_or_nothing(
    deed: str, template: Path, tmp_path: Path, seed: int, long: bool
) -> None:
    rng = random.Random(f"{seed} {deed} power")
    vault, found = tmp_path / "vault", tmp_path / "found"
    rehearsal = rehearse(deed, vault, template)
    left: Counter[str] = Counter()
    for number in [
        len(rehearsal.calls),
        *(rng.randrange(len(rehearsal.calls)) for _ in range(CUTS_LONG if long else CUTS)),
    ]:
        prepare(deed, vault, template)
        cut_at(number, rehearsal, vault, found, rng)
        death = Death(killed=True, acked=number == len(rehearsal.calls), failed=None)
        left[check(deed, found, rehearsal, death)] += 1
    print(f"{deed}: {len(rehearsal.calls)} calls, {sum(left.values())} cuts, {dict(left)}")


def test_a_write_that_was_not_synced_may_be_lost_and_one_that_was_is_not(tmp_path: Path) -> None:
    """The simulated disk does lose things: otherwise the test above would prove nothing."""
    start, name = tmp_path / "start", str(tmp_path / "start" / "a.sqlite")
    start.mkdir()
    disk = Disk(start)
    disk.ask(Call(act=Act.WRITE, file=name, offset=0, content=b"x" * 1024))
    disk.ask(Call(act=Act.SYNC, file=name))
    disk.ask(Call(act=Act.WRITE, file=name, offset=0, content=b"y" * 1024))
    ends = set()
    for seed in range(40):
        into = tmp_path / str(seed)
        into.mkdir()
        disk.cut(into, random.Random(seed))
        ends.add((into / "a.sqlite").read_bytes())
    x, y = b"x" * 512, b"y" * 512
    assert ends == {x + x, x + y, y + x, y + y}


def test_a_store_that_does_not_sync_would_be_caught(template: Path, tmp_path: Path) -> None:
    """Without its syncs the record of a write gives disks on which the acknowledged write is lost."""
    vault, found = tmp_path / "vault", tmp_path / "found"
    rehearsal = rehearse("propose", vault, template)
    careless = Rehearsal(
        before=rehearsal.before,
        after=rehearsal.after,
        opening=tuple(call for call in rehearsal.opening if call.act is not Act.SYNC),
        calls=tuple(call for call in rehearsal.calls if call.act is not Act.SYNC),
    )
    ends = set()
    for seed in range(8):
        prepare("propose", vault, template)
        cut_at(len(careless.calls), careless, vault, found, random.Random(seed))
        ends.add(look(found) == rehearsal.after)
    assert ends == {False, True}
