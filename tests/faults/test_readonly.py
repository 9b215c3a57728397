"""The file system is read-only: what is there can be asked, verified, explained and copied; nothing is written, and
whatever would write is refused with a code. The mount is a real one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.faults.deeds import VAULT_KEY, aged, furnished
from tests.faults.disks import SmallDisk
from tests.patience import WAIT_S
from tests.recall.world import Toy

from muniment import Memory
from muniment.backends.sqlite import read_only_files
from muniment.engine.audit import verify_vault
from muniment.engine.copies.backup import back_up
from muniment.engine.copies.restore import RestoreRequest, restore
from muniment.engine.copies.transfer import export_archive
from muniment.engine.encryption import encrypt
from muniment.engine.signing import rotate
from muniment.model.errors import MunimentError, StoreUnavailable

NOBODY = 65_534

WAYS: dict[str, Callable[[Path], object]] = {
    "make": lambda disk: Memory.open(disk / "other", embedder=None),
    "change the key": lambda disk: rotate(disk / "vault", reason="it is time"),
    "back up beside it": lambda disk: back_up(disk / "vault", disk / "backup"),
    "encrypt": lambda disk: encrypt(disk / "vault", key=VAULT_KEY),
}
DEEDS: dict[str, Callable[[Memory], object]] = {
    "remember": lambda memory: memory.remember("something new"),
    "retract": lambda memory: memory.review.retract(_any(memory), reason="wrong"),
    "forget": lambda memory: memory.forget(_any(memory), reason="asked to"),
    "sweep": lambda memory: memory.review.sweep(),
    "trim": lambda memory: memory.ledger.trim(older_than_days=0),
    "checkpoint": lambda memory: memory.ledger.checkpoint(),
    "replay": lambda memory: memory.ledger.replay(),
}


def _any(memory: Memory) -> str:
    return next(iter(memory.insight.browse())).record.id


def everything(folder: Path) -> dict[str, tuple[bytes | None, int]]:
    """Every file and folder: what it holds, and when it was changed."""
    return {
        str(path): (path.read_bytes() if path.is_file() else None, path.stat().st_mtime_ns)
        for path in (folder, *folder.rglob("*"))
    }


@pytest.fixture
def disk(small_disk: SmallDisk) -> Iterator[SmallDisk]:
    """A read-only disk with a vault on it, of which not a byte has changed afterwards."""
    small_disk.resize("16m")
    furnished(small_disk.place / "vault")
    small_disk.make_read_only()
    before = everything(small_disk.place)
    yield small_disk
    assert everything(small_disk.place) == before


def test_what_would_write_is_refused_with_a_code(disk: SmallDisk, tmp_path: Path) -> None:
    for name, way in WAYS.items():
        with pytest.raises(MunimentError) as refused:
            way(disk.place)
        assert refused.value.code == "store_unavailable", name
    (tmp_path / "receipts").mkdir()
    with Memory.open(disk.place / "vault", embedder=None, receipts_folder=tmp_path / "receipts") as memory:
        for name, deed in DEEDS.items():
            with pytest.raises(StoreUnavailable, match="read-only place") as told:
                deed(memory)
            assert "MUNIMENT_RECEIPTS_FOLDER" in told.value.hint, name


def test_a_vault_on_a_read_only_disk_is_asked_explained_verified_and_copied(disk: SmallDisk, tmp_path: Path) -> None:
    folder = tmp_path / "receipts"
    folder.mkdir()
    with Memory.open(disk.place / "vault", embedder=Toy(), receipts_folder=folder) as memory:
        before = memory.ledger.verify()
        found = memory.recall("keeper")
        assert before.ok
        assert len(found.records) > 0
        assert (found.searched.model, found.searched.trailing) == (Toy().model, 0)
        explained = memory.explain(found.receipt_id)
        assert (explained.state, explained.consistent) == ("whole", True)
        assert memory.explain(found.receipt_id, replay=True).consistent
        assert memory.get(found.records[0].record.id).record == found.records[0].record
        memory.recall("door")
        anchor = memory.ledger.head()
        assert memory.ledger.verify(anchor=anchor) == before
    assert verify_vault(disk.place / "vault", "default", anchor=anchor).ok
    assert back_up(disk.place / "vault", tmp_path / "backup").tenants[0].seq == anchor.seq
    assert export_archive(disk.place / "vault", "default", tmp_path / "vault.archive").entries == anchor.seq
    restore(RestoreRequest(backup=tmp_path / "backup", vault=tmp_path / "back"))
    with Memory.open(tmp_path / "back", embedder=None) as memory:
        assert memory.ledger.verify(anchor=anchor).ok


def test_nothing_is_told_without_a_place_for_the_receipt(disk: SmallDisk, tmp_path: Path) -> None:
    with Memory.open(disk.place / "vault", embedder=None) as memory:
        with pytest.raises(StoreUnavailable, match="must leave a receipt") as refused:
            memory.recall("keeper")
        assert "MUNIMENT_RECEIPTS_FOLDER" in refused.value.hint
        assert memory.ledger.verify().ok


def test_receipts_in_a_folder_are_a_chain_of_their_own(disk: SmallDisk, tmp_path: Path) -> None:
    told = []
    for _ in range(2):
        with Memory.open(disk.place / "vault", embedder=None, receipts_folder=tmp_path) as memory:
            told += [memory.recall("keeper").receipt_id, memory.recall("door").receipt_id]
    file = tmp_path / "default.receipts"
    lines = file.read_bytes().splitlines(keepends=True)
    assert len(lines) == 4
    file.write_bytes(b"".join(lines) + b'{"half')
    with Memory.open(disk.place / "vault", embedder=None, receipts_folder=tmp_path) as memory:
        memory.recall("keeper")
        assert memory.ledger.verify().ok
        assert all(memory.explain(name).consistent for name in told)
    assert len(file.read_bytes().splitlines()) == 5
    file.write_bytes(b"".join(lines[:1] + lines[2:]))
    with Memory.open(disk.place / "vault", embedder=None, receipts_folder=tmp_path) as memory:
        assert {one.code for one in memory.ledger.verify().findings} == {"receipt_missing"}


def test_a_log_that_was_left_behind_is_read_from_a_copy(small_disk: SmallDisk, tmp_path: Path) -> None:
    """A process died, and what it had committed waits in the log: an immutable file would not have it."""
    small_disk.resize("16m")
    vault = small_disk.place / "vault"
    furnished(vault)
    script = (
        "import os, sys; from muniment import Memory; memory = Memory.open(sys.argv[1], embedder=None); "
        "memory.remember('the last word before the lights went out'); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", script, str(vault)], check=True, timeout=WAIT_S)
    assert (vault / "default.sqlite-wal").stat().st_size > 0
    small_disk.make_read_only()
    before = everything(small_disk.place)
    with Memory.open(vault, embedder=None, receipts_folder=tmp_path) as memory:
        found = {one.record.content for one in memory.recall("lights").records}
        assert "the last word before the lights went out" in found
        assert memory.ledger.verify().ok
    assert everything(small_disk.place) == before


def test_only_a_file_system_that_is_read_only_as_a_whole_is_taken_for_immutable(
    small_disk: SmallDisk, tmp_path: Path
) -> None:
    """Through a read-only view of a disk that others write to, a moment is read, and the next opening sees the next."""
    small_disk.resize("16m")
    vault, view = small_disk.place / "vault", tmp_path / "view"
    furnished(vault)
    view.mkdir()
    subprocess.run(["mount", "--bind", str(small_disk.place), str(view)], check=True, timeout=WAIT_S)
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", str(view)], check=True, timeout=WAIT_S)
        file = view / "vault" / "default.sqlite"
        assert read_only_files.read_only(file)
        assert "immutable" not in read_only_files.to_read(file)
        with Memory.open(view / "vault", embedder=None) as memory:
            ends = [memory.ledger.head().seq]
        with Memory.open(vault, embedder=None) as memory:
            memory.remember("written on the other side")
            ends.append(memory.ledger.head().seq)
        with Memory.open(view / "vault", embedder=None) as memory:
            ends.append(memory.ledger.head().seq)
            assert memory.ledger.verify().ok
        assert ends == [ends[0], ends[0] + 1, ends[0] + 1]
    finally:
        subprocess.run(["umount", str(view)], check=True, timeout=WAIT_S)
    small_disk.make_read_only()
    assert read_only_files.to_read(vault / "default.sqlite").endswith("?immutable=1")


def test_an_encrypted_vault_is_asked_there_too(small_disk: SmallDisk, tmp_path: Path) -> None:
    small_disk.resize("16m")
    vault = small_disk.place / "vault"
    with Memory.open(vault, embedder=None, encryption_key=VAULT_KEY) as memory:
        memory.remember("the door is red")
    small_disk.make_read_only()
    before = everything(small_disk.place)
    with Memory.open(vault, embedder=None, encryption_key=VAULT_KEY, receipts_folder=tmp_path) as memory:
        assert [one.record.content for one in memory.recall("door").records] == ["the door is red"]
        assert memory.ledger.verify().ok
    assert everything(small_disk.place) == before
    assert os.listdir(tmp_path) != []


def test_a_vault_of_an_earlier_release_is_brought_up_in_a_copy(small_disk: SmallDisk, tmp_path: Path) -> None:
    small_disk.resize("16m")
    vault = small_disk.place / "vault"
    furnished(vault)
    aged(vault)
    small_disk.make_read_only()
    before = everything(small_disk.place)
    with Memory.open(vault, embedder=None, receipts_folder=tmp_path) as memory:
        assert {one.record.content for one in memory.recall("door").records} == {"the door is red", "the door is blue"}
        assert memory.ledger.verify().ok
        with pytest.raises(StoreUnavailable, match="read-only place"):
            memory.remember("something new")
    assert everything(small_disk.place) == before


@pytest.fixture
def locked_up(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A vault that its user may read and not write to, without a mount: by rights alone. Root has no such bounds, so it
    goes on as somebody else meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        place, free, root = Path(folder) / "place", Path(folder) / "free", os.geteuid() == 0
        for made in (place, free):
            made.mkdir()
        furnished(place / "vault")
        with Memory.open(place / "vault", embedder=None) as memory:  # brings in what a stranger may not read
            memory.recall("keeper")
            assert memory.ledger.verify().ok
        paths = [place, *place.rglob("*")]
        for path in paths:
            if root:
                os.chown(path, NOBODY, NOBODY)
            path.chmod(path.stat().st_mode & 0o555)
        Path(folder).chmod(0o711)
        monkeypatch.setattr(tempfile, "tempdir", str(free))
        if root:
            os.chown(free, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            yield place
        finally:
            if root:
                os.seteuid(0)
            for path in paths:
                path.chmod(path.stat().st_mode | 0o200)


def test_a_vault_that_one_may_not_write_to_is_asked_as_well(locked_up: Path) -> None:
    before = everything(locked_up)
    with tempfile.TemporaryDirectory() as folder:
        with Memory.open(locked_up / "vault", embedder=None, receipts_folder=folder) as memory:
            assert len(memory.recall("keeper").records) > 0
            assert memory.ledger.verify().ok
            with pytest.raises(StoreUnavailable, match="read-only place"):
                memory.remember("something new")
        assert back_up(locked_up / "vault", Path(folder) / "backup").tenants[0].seq > 0
    assert everything(locked_up) == before
