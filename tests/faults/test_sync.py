"""A sync, a truncation or a write of our own files is refused: who was not told of success may send it again."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

import apsw
import pytest
from tests.faults.deeds import LATER, opened, propose
from tests.faults.dying import look

from muniment.model.errors import MunimentError
from muniment.testing.contents import contents
from muniment.testing.vfs import Act, Call, Do, Recorder, Refusal, watched_disk


class Switch:
    """A watcher that can be exchanged while files are open."""

    def __init__(self) -> None:
        self.now: Recorder | Refusal = Recorder()

    def __call__(self, call: Call, do: Do) -> None:
        self.now(call, do)


def refused_sync(within: str, *, times: int | None) -> Refusal:
    return Refusal(frozenset({Act.SYNC}), code=apsw.SQLITE_IOERR_FSYNC, errno=errno.EIO, within=within, times=times)


@pytest.mark.parametrize("times", [1, None], ids=["once", "always"])
def test_a_commit_whose_sync_fails_is_not_acknowledged_and_the_next_one_holds(
    times: int | None, template: Path, tmp_path: Path
) -> None:
    vault, switch = tmp_path / "vault", Switch()
    shutil.copytree(template, vault)
    with watched_disk(switch):
        memory = opened(vault, seed=2, start=LATER, create=False)
        before = contents(memory._tenant.store)
        switch.now = refused_sync("-wal", times=times)
        with pytest.raises(MunimentError) as refused:
            propose(memory)
        assert refused.value.code == "store_unavailable"
        assert contents(memory._tenant.store) == before
        switch.now = Recorder()
        propose(memory)
        assert memory.ledger.verify().findings == ()
        memory._tenant.store.close()
    assert [row.id for row in look(vault).proposals].count("p-deed") == 1
