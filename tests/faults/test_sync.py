"""A sync, a truncation or a write is refused, of SQLite's files or of our own: who was not told of success may send it
again, and what is made from the ledger is made later."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

import apsw
import pytest
from tests.faults.deeds import LATER, opened, propose
from tests.faults.dying import look
from tests.patience import WAIT_S
from tests.recall.world import Toy
from tests.recall.world import contents as told
from tests.support.syscalls import WRITE, Failing, meddled
from tests.support.vfs import Act, Call, Do, Recorder, Refusal, watched_disk

from muniment.model.errors import MunimentError
from muniment_store_conformance.contents import contents


class Switch:
    """A watcher that can be exchanged while files are open."""

    def __init__(self) -> None:
        self.now: Recorder | Refusal = Recorder()

    def __call__(self, call: Call, do: Do) -> None:
        self.now(call, do)


def refusal(act: Act, where: str, *, times: int | None = None) -> Refusal:
    return Refusal(frozenset({act}), code=apsw.SQLITE_IOERR, errno=errno.EIO, where=where, times=times)


@pytest.mark.parametrize("times", [1, None], ids=["once", "always"])
def test_a_commit_whose_sync_fails_is_not_acknowledged_and_the_next_one_holds(
    times: int | None, template: Path, tmp_path: Path
) -> None:
    vault, switch = shutil.copytree(template, tmp_path / "vault"), Switch()
    with watched_disk(switch):
        memory = opened(vault, seed=2, start=LATER, create=False)
        before = contents(memory._session.tenant.store)
        switch.now = refusal(Act.SYNC, "-wal$", times=times)
        with pytest.raises(MunimentError) as refused:
            propose(memory)
        assert refused.value.code == "store_unavailable"
        assert contents(memory._session.tenant.store) == before
        switch.now = Recorder()
        propose(memory)
        assert memory.ledger.verify().findings == ()
        memory._session.tenant.store.close()
    assert [row.id for row in look(vault).proposals].count("p-deed") == 1


@pytest.mark.parametrize("act", [Act.WRITE, Act.SYNC, Act.TRUNCATE], ids=str)
@pytest.mark.parametrize("times", [1, None], ids=["once", "always"])
def test_vectors_whose_files_are_refused_are_made_later_and_words_answer_meanwhile(
    act: Act, times: int | None, template: Path, tmp_path: Path
) -> None:
    vault, switch = shutil.copytree(template, tmp_path / "vault"), Switch()
    with watched_disk(switch):
        memory = opened(vault, seed=2, start=LATER, embedder=Toy(), create=False)
        memory.flush(timeout=WAIT_S)
        switch.now = refusal(act, r"\.vectors/", times=times)
        assert memory.remember("an automobile stands at the gate").committed
        with pytest.raises(MunimentError) as refused:
            memory.flush(timeout=WAIT_S)
        assert refused.value.code == "store_unavailable"
        answer = memory.recall("automobile")
        assert told(answer) == ["an automobile stands at the gate"]
        switch.now = Recorder()
        memory.flush(timeout=WAIT_S)
        assert told(memory.recall("car", limit=1)) == ["an automobile stands at the gate"]
        memory.close()
    with opened(vault, seed=3, start=LATER, embedder=Toy(), create=False) as again:
        again.flush(timeout=WAIT_S)
        assert told(again.recall("car", limit=1)) == ["an automobile stands at the gate"]
        assert again.ledger.verify().findings == ()


def test_a_log_that_cannot_be_moved_into_the_file_stays_where_it_is(template: Path, tmp_path: Path) -> None:
    """Closing moves the log into the file; if that is refused, nothing that was acknowledged is lost by it."""
    vault = shutil.copytree(template, tmp_path / "vault")
    memory = opened(vault, seed=2, start=LATER, create=False)
    propose(memory)
    held, failing = contents(memory._session.tenant.store), Failing(WRITE, errno.EIO)
    with meddled(failing):
        memory._session.tenant.store.close()
    assert failing.failed
    assert look(vault) == held
