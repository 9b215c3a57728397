"""Erasure on a disk that fails: nothing is erased or all of it, and once the disk is well again no erased byte is left.

What was committed and could not be scrubbed at once is scrubbed at the next opening.
"""

from __future__ import annotations

import errno
import random
import shutil
from collections import Counter
from pathlib import Path

import pytest
from tests.faults.deeds import LATER, opened, record_of
from tests.faults.dying import look, traces
from tests.patience import WAIT_S
from tests.recall.world import Toy
from tests.support.syscalls import TRUNCATE, WRITE, Failing, meddled
from tests.support.vfs import Act, Refusal, watched_disk

from muniment import Memory
from muniment.model.errors import MunimentError

CHOSEN = 6
GONE = "the record was erased"
THERE = "nothing was erased"
ENDS = (("scrubbed", GONE), ("unscrubbed", GONE), ("store_full", THERE), ("store_unavailable", THERE))
"""What a caller may be told, and what is so. Who is refused may be sure that nothing happened."""


def attempt(memory: Memory) -> str:
    """Ask for the erasure; what the caller is told."""
    try:
        return "scrubbed" if memory.forget(record_of(memory, "p-doomed"), reason="asked to").scrubbed else "unscrubbed"
    except MunimentError as error:
        return error.code


def state(memory: Memory) -> str:
    """Whether the erasure happened: of the record, its revisions and what was derived from it, all or nothing."""
    with memory._session.tenant.store.read() as snapshot:
        documents = [document.body for document in snapshot.documents.all()]
        certified = [*snapshot.ledger.certificates()]
    holding = sum(b"Quetzalcoatlus" in body for body in documents)
    assert (holding == 0) == bool(certified), "some of it is erased and some is not"
    return GONE if certified else THERE


@pytest.mark.parametrize("fails_with", [errno.EIO, errno.ENOSPC], ids=["EIO", "ENOSPC"])
@pytest.mark.parametrize("call", [WRITE, TRUNCATE])
def test_an_erasure_that_meets_a_failing_disk_is_whole_or_not_at_all_and_ends_without_a_trace(
    fails_with: int, call: str, template: Path, tmp_path: Path, seed: int, long: bool
) -> None:
    """From one call on, everything of that sort fails; every call in turn, or a few of them."""
    rng, ends = random.Random(f"{seed} {call} {fails_with}"), Counter[tuple[str, str]]()
    whole = range(1, calls_of_an_erasure(call, template, tmp_path / "counted") + 1)
    for at in whole if long else sorted({1, whole[-1], *rng.sample(whole, min(CHOSEN, len(whole)))}):
        vault = shutil.copytree(template, tmp_path / "vault")
        memory = opened(vault, seed=2, start=LATER, create=False)
        with meddled(Failing(call, fails_with, at=at)):
            told = attempt(memory)
        found = state(memory)
        ends[told, found] += 1
        assert (told, found) in ENDS
        memory._session.tenant.store.close()
        if found == THERE:
            with opened(vault, seed=3, start=LATER, create=False) as again:
                assert attempt(again) == "scrubbed"
        look(vault)
        assert traces(vault) == [], f"{call} {at}: told {told}"
        shutil.rmtree(vault)
    print(f"{call} {errno.errorcode[fails_with]}: {len(whole)} calls, {dict(ends)}")


def calls_of_an_erasure(call: str, template: Path, vault: Path) -> int:
    shutil.copytree(template, vault)
    memory, counting = opened(vault, seed=2, start=LATER, create=False), Failing(call, errno.EIO, at=10**9)
    with meddled(counting):
        assert attempt(memory) == "scrubbed"
    memory._session.tenant.store.close()
    assert counting.met
    return counting.met


@pytest.mark.parametrize("act", [Act.WRITE, Act.SYNC], ids=str)
def test_vectors_that_cannot_be_overwritten_now_are_at_the_next_opening(
    act: Act, template: Path, tmp_path: Path
) -> None:
    vault = shutil.copytree(template, tmp_path / "vault")
    refusal = Refusal(frozenset({act}), code=0, errno=errno.EIO, where=r"\.vectors/")
    memory = opened(vault, seed=2, start=LATER, embedder=Toy(), create=False)
    memory.flush(timeout=WAIT_S)
    halves = next((vault / "default.vectors").glob("*.halves")).read_bytes()
    with watched_disk(refusal):
        told = attempt(memory)
    assert refusal.refused
    assert told == "unscrubbed"
    assert state(memory) == GONE
    memory._session.tenant.indexer.close()
    with opened(vault, seed=3, start=LATER, create=False) as again:
        assert again.ledger.verify().findings == ()
    assert traces(vault) == []
    after = next((vault / "default.vectors").glob("*.halves")).read_bytes()
    assert after != halves, "the vectors of what was erased are overwritten"


def test_a_reader_that_holds_on_delays_the_scrub_and_the_caller_is_told(
    template: Path, tmp_path: Path, long: bool
) -> None:
    if not long:
        pytest.skip("waits ten seconds for the reader, as it should")
    vault = shutil.copytree(template, tmp_path / "vault")
    memory = opened(vault, seed=2, start=LATER, create=False)
    other = opened(vault, seed=4, start=LATER, create=False)
    with other._session.tenant.store.read() as snapshot:
        assert snapshot.ledger.head() is not None
        assert attempt(memory) == "unscrubbed"
        assert state(memory) == GONE
    memory.close()
    other.close()
    assert traces(vault) == []
