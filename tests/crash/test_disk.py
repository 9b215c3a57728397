"""The disk fails: it is full, it is read-only, it loses the tail of the log, the power went during the making."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import apsw
import pytest
from tests.crash.disk import NOBODY
from tests.patience import WAIT_S
from tests.support.world import simulated_memory

from muniment.backends.sqlite.store import SqliteTenant
from muniment.engine.memory import Memory
from muniment.model.entry import LedgerHead
from muniment.model.errors import MunimentError
from muniment_store_conformance.contents import Contents, contents

PLIGHT = Path(__file__).with_name("disk.py")
CUTS = 60


def run(vault: Path, plight: str) -> list[list[str]]:
    done = subprocess.run(
        [sys.executable, str(PLIGHT), str(vault), plight], capture_output=True, text=True, timeout=WAIT_S
    )
    assert (done.returncode, done.stderr) == (0, "")
    return [line.split() for line in done.stdout.splitlines()]


def test_a_full_disk_loses_nothing_and_is_named(tmp_path: Path) -> None:
    Memory.open(tmp_path).close()
    told = run(tmp_path, "full")
    acknowledged = [name for word, name in told if word == "ack"]
    assert [code for word, code in told if word == "error"] == ["store_unavailable"] * 3
    assert len(acknowledged) > 10
    assert acknowledged[-1] == "p-after"
    with Memory.open(tmp_path, create=False) as memory:
        assert memory.ledger.verify().findings == ()
        with memory._session.tenant.store.read() as snapshot:
            assert {row.id for row in snapshot.desk.proposals()} == set(acknowledged)


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A folder everybody may look into."""
    folder = Path(mkdtemp(prefix="muniment-"))
    folder.chmod(0o755)
    yield folder
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
    shutil.rmtree(folder)


def test_a_read_only_vault_is_named_and_left_as_it_was(open_place: Path) -> None:
    vault = open_place / "vault"
    with Memory.open(vault) as memory:
        memory.remember("the build is green")
    for path in sorted(vault.rglob("*"), reverse=True):
        path.chmod(0o555 if path.is_dir() else 0o444)
    vault.chmod(0o555)
    key = vault / "keys" / "signing.key"
    key.chmod(0o400)
    if os.geteuid() == 0:  # who opens it then is nobody in particular, and a key is its owner's alone
        os.chown(key, NOBODY, NOBODY)
    before = {path.name: path.read_bytes() for path in vault.rglob("*") if path.is_file()}
    assert run(vault, "read_only") == [["error", "store_unavailable"]]
    assert {path.name: path.read_bytes() for path in vault.rglob("*") if path.is_file()} == before


def test_a_log_that_lost_its_tail_still_holds_a_committed_beginning(tmp_path: Path) -> None:
    """Cut the write-ahead log of a copy anywhere: what is left is the store as it was after some commit.

    Checkpoints are rows of the same log and go with their entries, so that verify has nothing to find; a head that was
    anchored elsewhere shows the loss, also that of a checkpoint alone.
    """
    path = tmp_path / "default.sqlite"
    store = SqliteTenant(path, "default", create=True)
    memory = simulated_memory(store)
    moments = [contents(store)]
    for number in range(12):
        memory.remember(f"note {number}", proposal_id=f"p-{number}")
        moments.append(contents(store))
        memory.ledger.checkpoint()
        moments.append(contents(store))
    anchor, log = memory.ledger.head(), Path(f"{path}-wal")
    whole, rng, seen = log.stat().st_size, random.Random(20260101), set()
    for cut in [0, 1, whole - 1, whole, *(rng.randrange(whole) for _ in range(CUTS))]:
        found = after_cut(path, tmp_path / "copy", cut, anchor)
        if found is not None:
            seen.add(moments.index(found))
    assert {len(moments) - 1} < seen, "the whole log gives the last moment, a cut one an earlier one"
    assert len(seen) > 8
    store.close()


def after_cut(path: Path, copy: Path, cut: int, anchor: LedgerHead) -> Contents | None:
    """What a copy holds whose log ends at `cut`; None when not even its making is left."""
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    shutil.copy(path, copy)
    tail = Path(f"{path}-wal").read_bytes()[:cut]
    (copy / f"{path.name}-wal").write_bytes(tail)
    survivor = SqliteTenant(copy / path.name, "default", create=True)
    held = contents(survivor)
    if not held.entries:
        survivor.close()
        return None
    memory = simulated_memory(survivor, seed=0)
    assert memory.ledger.verify().findings == ()
    against = {finding.code for finding in memory.ledger.verify(anchor=anchor).findings}
    signed = memory.ledger.head().checkpoint == anchor.checkpoint
    lost = {"ledger_rolled_back"} if len(held.entries) < anchor.seq else set() if signed else {"proof_rolled_back"}
    assert against == lost
    survivor.close()
    return held


def test_a_page_that_was_overwritten_is_reported_and_never_raised(tmp_path: Path) -> None:
    """Damage below SQLite: overwrite each page of a closed file in turn; verify or opening names the damage."""
    path = tmp_path / "default.sqlite"
    store = SqliteTenant(path, "default", create=True)
    memory = simulated_memory(store)
    for number in range(5):
        memory.remember(f"note {number}", subject="door", key="colour", value=f"colour {number}")
    memory.recall("note")
    memory.close()
    store.close()
    clean = path.read_bytes()
    size = int.from_bytes(clean[16:18], "big")
    free = unused_pages(path)
    for page in range(2, len(clean) // size + 1):
        damaged = tmp_path / "damaged.sqlite"
        damaged.write_bytes(clean[: (page - 1) * size] + bytes(size) + clean[page * size :])
        assert found_damage(damaged) or page in free, f"page {page} is blank and nobody noticed"


def unused_pages(path: Path) -> set[int]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    used = {page for (page,) in connection.execute("SELECT pageno FROM dbstat")}
    total = connection.pragma("page_count")
    assert isinstance(total, int)
    connection.close()
    return set(range(1, total + 1)) - used


def found_damage(path: Path) -> bool:
    try:
        store = SqliteTenant(path, "default", create=False)
    except MunimentError:
        return True
    try:
        return simulated_memory(store).ledger.verify().findings != ()
    except MunimentError:
        return True
    finally:
        store.close()


@pytest.mark.parametrize(
    "left", [[], ["keys"], ["keys", "keys/signing.key"], ["keys", "keys/signing.key", "policy.yaml"]], ids=str
)
def test_a_vault_whose_making_was_cut_short_can_be_made_again(tmp_path: Path, left: list[str]) -> None:
    """The power goes between the making of a file and the writing of it: the file is there and empty."""
    vault = tmp_path / "vault"
    vault.mkdir()
    for name in left:
        if "." in name:
            (vault / name).touch()
        else:
            (vault / name).mkdir()
    with Memory.open(vault) as memory:
        assert memory.remember("the build is green").committed
