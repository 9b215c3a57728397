"""The system below SQLite misbehaves: calls are interrupted, cut short, refused once or always, at every one in turn.

What SQLite can make good it makes good. What it cannot is a refusal with a code, nothing of the deed is there, what was
there is still told, and as soon as the system behaves again the same deed is done.
"""

from __future__ import annotations

import errno
import random
import shutil
from collections import Counter
from pathlib import Path

import pytest
from tests.faults.deeds import LATER, TOLD, opened, propose
from tests.faults.dying import look
from tests.support.syscalls import READ, WRITE, Failing, Meddle, every_other_interrupted, halves, meddled

from muniment import Memory
from muniment.model.errors import MunimentError
from muniment_store_conformance.contents import contents

CHOSEN = 6


def begun(template: Path, vault: Path) -> Memory:
    shutil.rmtree(vault, ignore_errors=True)
    shutil.copytree(template, vault)
    return opened(vault, seed=2, start=LATER, create=False)


def let_go(memory: Memory) -> None:
    memory._session.tenant.store.close()


@pytest.mark.parametrize(
    "meddle",
    [every_other_interrupted(), halves(READ), halves(WRITE)],
    ids=["every call is interrupted once", "reads come in halves", "writes come in halves"],
)
def test_what_the_system_does_in_pieces_is_put_together(meddle: Meddle, template: Path, tmp_path: Path) -> None:
    memory = begun(template, tmp_path / "vault")
    with meddled(meddle):
        propose(memory)
        assert memory.recall(TOLD).records
        memory.ledger.checkpoint()
        assert memory.ledger.verify().findings == ()
        let_go(memory)
    assert "p-deed" in {row.id for row in look(tmp_path / "vault").proposals}


def writes_of_a_proposal(template: Path, vault: Path) -> int:
    memory, counting = begun(template, vault), Failing(WRITE, errno.EIO, at=10**9)
    with meddled(counting):
        propose(memory)
    let_go(memory)
    return counting.met


@pytest.mark.parametrize(
    ("fails_with", "code"), [(errno.EIO, "store_unavailable"), (errno.ENOSPC, "store_full")], ids=["EIO", "ENOSPC"]
)
@pytest.mark.parametrize("times", [1, None], ids=["once", "always"])
def test_a_write_that_is_refused_is_refused_to_the_caller_and_can_be_made_again(
    fails_with: int, code: str, times: int | None, template: Path, tmp_path: Path, seed: int, long: bool
) -> None:
    """At every write of a proposal in turn, or a few of them."""
    count = writes_of_a_proposal(template, tmp_path / "vault")
    assert count > 8
    numbers = range(1, count + 1)
    at_once = numbers if long else random.Random(f"{seed} {fails_with} {times}").sample(numbers, CHOSEN)
    for at in at_once:
        memory = begun(template, tmp_path / "vault")
        before = contents(memory._session.tenant.store)
        with meddled(Failing(WRITE, fails_with, at=at, times=times)), pytest.raises(MunimentError) as refused:
            propose(memory)
        assert refused.value.code == code, f"at write {at} of {count}"
        assert contents(memory._session.tenant.store) == before, f"at write {at} of {count}"
        propose(memory)
        assert memory.ledger.verify().findings == ()
        let_go(memory)


def test_a_read_that_is_refused_is_named_and_leaves_the_memory_usable(
    template: Path, tmp_path: Path, seed: int
) -> None:
    """At one read after another, from the opening on: an error with a code, or an answer that is right."""
    told: Counter[str] = Counter()
    for at in [1, 2, 3, *random.Random(seed).sample(range(30, 50), 6)]:
        shutil.rmtree(tmp_path / "vault", ignore_errors=True)
        shutil.copytree(template, tmp_path / "vault")
        with meddled(Failing(READ, errno.EIO, at=at, times=1)):
            told[answered(tmp_path / "vault")] += 1
    assert set(told) <= {"right", "store_unavailable", "integrity_error"}, told
    assert told["store_unavailable"] + told["integrity_error"], (
        "some reads were refused"
    )  # which, is the driver's to say
    assert answered(tmp_path / "vault") == "right"


def answered(vault: Path) -> str:
    memory = None
    try:
        memory = opened(vault, seed=5, start=LATER, create=False)
        found = {one.record.content for one in memory.recall(TOLD, limit=20).records}
        assert {f"note {number} of a keeper" for number in range(6)} <= found
    except MunimentError as error:
        return error.code
    finally:
        if memory is not None:
            let_go(memory)
    return "right"
