"""A backup: taken while others write, whole or not there, and without what it was not asked for."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.copies.making import SECRET, furnish, names_in, opened, remembered, state
from tests.patience import WAIT_S
from tests.surfaces.traces import traces

from muniment import Memory
from muniment.backends.sqlite.store import SqliteVault
from muniment.engine.copies.backup import back_up
from muniment.engine.copies.manifest import BackupManifest, read_manifest
from muniment.engine.copies.restore import RestoreRequest, restore
from muniment.engine.keyholding import folder_keys
from muniment.engine.session import window
from muniment.engine.signing import rotate
from muniment.model.errors import ConfigurationError, IntegrityError, Malformed, NotFound, StoreBusy
from muniment.model.times import Instant

WRITER = Path(__file__).parent.parent / "backends" / "writer.py"
THREADS, PROCESSES, COPIES = 8, 2, 3
FAR_MORE = 100_000


class Busy:
    """Threads and processes that write to one vault, and what they were told is kept."""

    def __init__(self, vault: Path, memory: Memory) -> None:
        self.told: list[str] = []
        self._memory = memory
        self._enough = threading.Event()
        self._first = threading.Semaphore(0)
        self._more = threading.Condition()
        self._children = [
            subprocess.Popen(
                [sys.executable, str(WRITER), str(vault), f"child{number}", str(FAR_MORE)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                bufsize=1,
            )
            for number in range(PROCESSES)
        ]
        self._threads = [
            *(threading.Thread(target=self._write, args=(number,)) for number in range(THREADS)),
            *(threading.Thread(target=self._listen, args=(child,)) for child in self._children),
        ]

    def __enter__(self) -> Busy:
        for child in self._children:
            assert child.stdin is not None
            child.stdin.write("\n")
            child.stdin.flush()
        for thread in self._threads:
            thread.start()
        for _ in self._threads:
            assert self._first.acquire(timeout=WAIT_S), "a writer was never acknowledged"
        return self

    def __exit__(self, *_: object) -> None:
        self._enough.set()
        for child in self._children:
            child.kill()
        for thread in self._threads:
            thread.join(timeout=WAIT_S)
        for child in self._children:
            child.communicate(timeout=WAIT_S)

    def told_more_than(self, known: set[str]) -> set[str]:
        """All that they were told, once it is more than is known."""
        with self._more:
            assert self._more.wait_for(lambda: len(self.told) > len(known), timeout=WAIT_S), "nobody writes any more"
            return set(self.told)

    def _write(self, number: int) -> None:
        for count in range(FAR_MORE):
            if self._enough.is_set():
                return
            self._arrived(count, remembered(self._memory, f"Thread {number} has counted to {count}"))

    def _listen(self, child: subprocess.Popen[str]) -> None:
        assert child.stdout is not None
        for count, line in enumerate(child.stdout):
            self._arrived(count, line.strip())

    def _arrived(self, count: int, name: str) -> None:
        with self._more:
            self.told.append(name)
            self._more.notify_all()
        if count == 0:
            self._first.release()


def test_what_was_acknowledged_before_a_backup_began_is_in_it_and_its_head_is_one_the_ledger_had(
    vault: Path, tmp_path: Path
) -> None:
    made: list[tuple[BackupManifest, set[str]]] = []
    with opened(vault) as memory, Busy(vault, memory) as busy:
        before = busy.told_more_than(set())
        for number in range(COPIES):
            made.append((back_up(vault, tmp_path / f"copy{number}"), before))
            before = busy.told_more_than(before)
        assert before > made[-1][1], "they wrote on meanwhile"
    with opened(vault) as memory:
        hashes = _hashes(memory)
        for number, (manifest, before) in enumerate(made):
            (copy,) = manifest.tenants
            assert hashes[copy.seq - 1] == copy.hash
            assert before <= _records(tmp_path / f"copy{number}" / "vault")
        assert memory.ledger.verify().ok
    assert [len(before) for _, before in made] == sorted({len(before) for _, before in made})


def _hashes(memory: Memory) -> list[str]:
    with window(memory) as snapshot:
        return [stored.hash.hex() for stored in snapshot.ledger.entries(1, 2**62)]


def _records(folder: Path) -> set[str]:
    stores = SqliteVault(folder)
    with stores.open("default", create=False).read() as snapshot:
        found = {card.id for card in snapshot.catalogue.all()}
    stores.close()
    return found


def test_a_backup_tells_of_every_tenant_and_every_file(vault: Path, tmp_path: Path) -> None:
    furnish(vault)
    furnish(vault, 3, tenant="Acme.West")
    made = back_up(vault, tmp_path / "copy")
    assert [(copy.tenant, copy.seq, copy.receipts) for copy in made.tenants] == [
        ("Acme.West", 5, 1),
        ("default", 14, 1),
    ]
    assert [part.path for part in made.parts] == [
        "vault/%41cme%2E%57est.sqlite",
        "vault/default.sqlite",
        "vault/keys/signing.key",
        "vault/keys/signing.pub",
        "vault/policy.yaml",
        "vault/vault.toml",
    ]
    assert read_manifest(tmp_path / "copy") == made


def test_private_keys_are_in_a_backup_only_if_they_are_asked_for(vault: Path, tmp_path: Path) -> None:
    furnish(vault)
    (vault / "keys" / "api-keys.json").write_text("[]")
    secret = (vault / "keys" / "signing.key").read_bytes().strip()
    back_up(vault, tmp_path / "without", with_keys=False)
    back_up(vault, tmp_path / "with", with_keys=True)
    assert names_in(tmp_path / "without" / "vault" / "keys") == ["signing.pub"]
    assert names_in(tmp_path / "with" / "vault" / "keys") == ["api-keys.json", "signing.key", "signing.pub"]
    assert not any(secret in file.read_bytes() for file in (tmp_path / "without").rglob("*") if file.is_file())


def test_a_backup_is_for_its_owner_alone(vault: Path, tmp_path: Path) -> None:
    furnish(vault)
    before = os.umask(0)
    try:
        back_up(vault, tmp_path / "copy", with_keys=True)
    finally:
        os.umask(before)
    found = [tmp_path / "copy", *(tmp_path / "copy").rglob("*")]
    assert {oct(one.stat().st_mode & 0o777) for one in found if one.is_dir()} == {"0o700"}
    assert {oct(one.stat().st_mode & 0o777) for one in found if one.is_file()} == {"0o600"}


@pytest.mark.parametrize("sort", ["folder", "file", "link"])
def test_a_backup_takes_the_place_of_nothing(vault: Path, tmp_path: Path, sort: str) -> None:
    furnish(vault)
    place = tmp_path / "copy"
    if sort == "folder":
        place.mkdir()
    elif sort == "file":
        place.write_text("mine")
    else:
        place.symlink_to(tmp_path / "nowhere")
    before = names_in(tmp_path)
    with pytest.raises(Malformed, match="a name that is free"):
        back_up(vault, place)
    assert names_in(tmp_path) == before


def test_one_tenant_can_be_backed_up_alone_and_an_unknown_one_cannot(vault: Path, tmp_path: Path) -> None:
    furnish(vault)
    furnish(vault, 3, tenant="acme")
    made = back_up(vault, tmp_path / "copy", tenant="acme")
    assert [copy.tenant for copy in made.tenants] == ["acme"]
    assert not (tmp_path / "copy" / "vault" / "default.sqlite").exists()
    before = names_in(tmp_path)
    with pytest.raises(NotFound):
        back_up(vault, tmp_path / "other", tenant="acm")
    with pytest.raises(ConfigurationError, match="a folder that holds a vault"):
        back_up(tmp_path / "copy", tmp_path / "other")
    assert names_in(tmp_path) == before


def test_a_tenant_whose_making_was_cut_short_holds_no_backup_up(vault: Path, tmp_path: Path) -> None:
    furnish(vault)
    stores = SqliteVault(vault)
    stores.open("unborn", create=True)
    stores.close()
    assert (vault / "unborn.sqlite").exists()
    assert [copy.tenant for copy in back_up(vault, tmp_path / "copy").tenants] == ["default"]
    with pytest.raises(NotFound):
        back_up(vault, tmp_path / "other", tenant="unborn")


def test_a_store_that_does_not_verify_is_not_backed_up_and_nothing_is_left(vault: Path, tmp_path: Path) -> None:
    furnish(vault)
    file = vault / "default.sqlite"
    body = file.read_bytes()
    spoiled = body.replace(b"Shelf 5 holds box 35", b"Shelf 5 holds box 36")
    assert spoiled != body
    file.write_bytes(spoiled)
    before = names_in(tmp_path)
    with pytest.raises(IntegrityError, match="does not verify"):
        back_up(vault, tmp_path / "copy")
    assert names_in(tmp_path) == before


@pytest.mark.parametrize("during", ["checking a", "checking b"])
def test_a_backup_that_no_key_could_put_back_is_not_made(vault: Path, tmp_path: Path, during: str) -> None:
    """A ledger copied before its key was changed, with the keys of afterwards: the one it needs is destroyed."""
    for tenant in ("a", "b"):
        furnish(vault, 3, tenant)
    rotated: list[str] = []

    def change(what: str, done: int, whole: int) -> None:
        if what == during and not rotated:
            rotated.append(rotate(vault, reason="yearly").new)

    with pytest.raises(StoreBusy, match="signing key of the vault is being changed") as refused:
        back_up(vault, tmp_path / "copy", progress=change)
    assert "muniment signing rotate" in refused.value.hint
    assert names_in(tmp_path) == [vault.name]
    assert len(rotated) == 1
    back_up(vault, tmp_path / "copy")
    assert len(restore(RestoreRequest(backup=tmp_path / "copy", vault=tmp_path / "again")).tenants) == 2


def test_no_backup_is_made_while_a_change_of_keys_that_was_cut_short_waits_to_be_finished(
    vault: Path, tmp_path: Path
) -> None:
    furnish(vault, 3)
    folder_keys(vault).private.pair()
    with pytest.raises(StoreBusy, match="cut short"):
        back_up(vault, tmp_path / "copy")
    rotate(vault, reason="yearly")
    back_up(vault, tmp_path / "copy")
    assert len(restore(RestoreRequest(backup=tmp_path / "copy", vault=tmp_path / "again")).tenants) == 1


def test_nothing_erased_is_in_a_backup_made_afterwards(vault: Path, tmp_path: Path) -> None:
    furnish(vault)
    with opened(vault) as memory:
        name = remembered(memory, SECRET)
        back_up(vault, tmp_path / "before")
        memory.forget(name, reason="asked to")
        back_up(vault, tmp_path / "after")
    assert traces([SECRET], tmp_path / "before") != [], "what was taken before still has it"
    assert traces([SECRET], tmp_path / "after") == []


def test_a_backup_of_an_encrypted_vault_is_encrypted_under_the_same_key(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUNIMENT_ENCRYPTION_KEY", "7a" * 32)
    with opened(vault) as memory:
        remembered(memory, SECRET)
        back_up(vault, tmp_path / "copy", with_keys=True)
    assert traces([SECRET], tmp_path / "copy") == []
    restore(RestoreRequest(backup=tmp_path / "copy", vault=tmp_path / "again"))
    with opened(tmp_path / "again") as memory:
        assert [found.record.content for found in memory.recall("zebrafish").records] == [SECRET]
    monkeypatch.setenv("MUNIMENT_ENCRYPTION_KEY", "7b" * 32)
    with pytest.raises(ConfigurationError):
        restore(RestoreRequest(backup=tmp_path / "copy", vault=tmp_path / "third"))
    assert not (tmp_path / "third").exists()


def test_the_manifest_says_when_and_by_which_key(vault: Path, tmp_path: Path) -> None:
    furnish(vault)

    class Noon:
        def now(self) -> Instant:
            return Instant(1_800_000_000_000_000)

    made = back_up(vault, tmp_path / "copy", clock=Noon())
    assert made.made_at == 1_800_000_000_000_000
    assert made.key == (vault / "keys" / "signing.pub").read_text().strip()
    assert state(tmp_path / "copy" / "vault")["vault.toml"] == state(vault)["vault.toml"]
