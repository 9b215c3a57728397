"""Die at a call to the disk: a write, a sync, a truncation, a deletion or a renaming, of SQLite or of our own.

Each deed is done once in peace, which tells every call it makes. Then a process does it again and is killed at one of
them, or when half of the write is done. Afterwards all of the deed is there or none of it, all if its caller was told
so, and the vault opens, verifies, and takes a write.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from tests.faults.deeds import DEEDS, reopened
from tests.faults.dying import Rehearsal, Victims, check, prepare, rehearse
from tests.support.vfs import Act

CHOSEN = 3


def chosen(rehearsal: Rehearsal, rng: random.Random, *, long: bool) -> list[int]:
    """The numbers of the calls to die at: all of them, or the first, the last, a sync and a few more."""
    whole = range(1, len(rehearsal.calls) + 1)
    if long:
        return [*whole]
    syncs = [number for number in whole if rehearsal.calls[number - 1].act is Act.SYNC]
    some = {1, len(whole), *rng.sample(whole, min(CHOSEN, len(whole)))}
    return sorted(some | set(rng.sample(syncs, min(1, len(syncs)))))


@pytest.mark.parametrize("deed", DEEDS)
def test_a_death_at_any_call_to_the_disk_leaves_all_of_a_deed_or_nothing(
    deed: str, victims: Victims, template: Path, tmp_path: Path, seed: int, long: bool
) -> None:
    rehearsal = rehearse(deed, tmp_path / "rehearsed", template)
    assert len(rehearsal.calls) >= 4, "a deed writes, and makes sure of it"
    rng = random.Random(f"{seed} {deed}")
    left: Counter[str] = Counter()
    for at in chosen(rehearsal, rng, long=long):
        writes = rehearsal.calls[at - 1].act is Act.WRITE
        for torn in (False, True)[: 1 + writes] if long else (writes and rng.random() < 0.5,):
            prepare(deed, tmp_path / "vault", template)
            death = victims.kill(tmp_path / "vault", deed, at, torn=torn)
            left[check(deed, tmp_path / "vault", rehearsal, death)] += 1
            assert_writable(tmp_path / "vault")
    print(f"{deed}: {len(rehearsal.calls)} calls, {sum(left.values())} deaths, {dict(left)}")


def test_who_is_not_killed_comes_to_the_end_and_says_so(victims: Victims, template: Path, tmp_path: Path) -> None:
    """The net has no hole: without a death the deed is acknowledged and found done."""
    rehearsal = rehearse("propose", tmp_path / "rehearsed", template)
    prepare("propose", tmp_path / "vault", template)
    death = victims.kill(tmp_path / "vault", "propose", len(rehearsal.calls) + 1000, torn=False)
    assert (death.killed, death.acked) == (False, True)
    assert check("propose", tmp_path / "vault", rehearsal, death) == "done"


def test_a_deed_that_was_told_and_is_gone_would_be_noticed(victims: Victims, template: Path, tmp_path: Path) -> None:
    rehearsal = rehearse("propose", tmp_path / "rehearsed", template)
    prepare("propose", tmp_path / "vault", template)
    death = victims.kill(tmp_path / "vault", "propose", len(rehearsal.calls) + 1000, torn=False)
    prepare("propose", tmp_path / "vault", template)
    with pytest.raises(AssertionError, match="an acknowledged deed is lost"):
        check("propose", tmp_path / "vault", rehearsal, death)


def assert_writable(vault: Path) -> None:
    with reopened(vault, seed=4) as memory:
        assert memory.remember("life goes on", proposal_id="p-after").committed
        assert [one.record.content for one in memory.recall("life goes on", limit=1).records] == ["life goes on"]
