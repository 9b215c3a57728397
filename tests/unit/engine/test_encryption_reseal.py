"""Encrypting a vault, changing its key, decrypting it: all of it or nothing, whatever happens in between."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import msgspec
import pytest
from tests.patience import WAIT_S
from tests.scope import LONG
from tests.unit.engine.sealed import ACTOR, KEY, NEW, TEXT, embed, shown, vectors

from muniment import Memory
from muniment.backends.sqlite.reencryption import STAGE, finish
from muniment.engine import encryption
from muniment.engine.encryption import EncryptionResult, EncryptionStatus, KeyState
from muniment.model.errors import ConfigurationError, IntegrityError, MunimentError, StoreBusy, StoreUnavailable

ROOT = Path(__file__).parents[3]
TENANTS = ("acme", ".".join(["Ab"] * 40))
EVERY = 1 if LONG else 8
"""Of so many changes one is died at; in the nights at each."""


class Death(msgspec.Struct):
    at: int
    killed: bool
    opens: str
    wrong: list[str]


def made(vault: Path, key: str | None) -> Path:
    """A vault of two tenants, one whose name does not fit into a file name, with vectors and receipts."""
    for tenant in TENANTS:
        with Memory.open(vault, tenant=tenant, embedder=embed, encryption_key=key) as memory:
            memory.as_actor(ACTOR).remember(f"{TEXT} for {tenant[:4]}")
            memory.recall("marzipanettes")
            memory.flush(timeout=WAIT_S)
    return vault


def read(vault: Path, key: str | None) -> list[str]:
    """What both tenants tell, each verified, with all its vectors."""
    told = []
    for tenant in TENANTS:
        assert vectors(vault, tenant, key) == 1
        with Memory.open(vault, tenant=tenant, create=False, embedder=None, encryption_key=key) as memory:
            told += [one.record.content for one in memory.recall("marzipanettes").records]
            assert memory.ledger.verify().ok
    return told


WHOLE = [f"{TEXT} for acme", f"{TEXT} for Ab.A"]


def test_a_plain_vault_is_encrypted_and_shows_nothing_any_longer(vault: Path) -> None:
    made(vault, None)
    assert shown(vault) != set()

    done = encryption.encrypt(vault, key=KEY)

    assert (done.tenants, done.bytes > 0) == (2, True)
    assert shown(vault) == set()
    assert read(vault, KEY) == WHOLE
    with pytest.raises(ConfigurationError, match="no key is given"):
        read(vault, None)


def test_a_new_key_takes_the_place_of_the_old(vault: Path) -> None:
    made(vault, KEY)
    encryption.rekey(vault, NEW, key=KEY)
    assert read(vault, NEW) == WHOLE
    assert shown(vault) == set()
    with pytest.raises(ConfigurationError, match="not the key of this vault"):
        read(vault, KEY)


def test_a_vault_is_decrypted(vault: Path) -> None:
    made(vault, KEY)
    encryption.decrypt(vault, key=KEY)
    assert read(vault, None) == WHOLE
    assert shown(vault) != set()
    assert "encryption" not in (vault / "vault.toml").read_text()


def test_what_a_killed_process_left_in_the_log_is_encrypted_with_the_rest(vault: Path) -> None:
    with Memory.open(vault, embedder=None, encryption_key=KEY):
        pass
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.unit.engine.sealed_child", "write", str(vault), KEY],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "written\n"
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=WAIT_S)
    assert (vault / "default.sqlite-wal").stat().st_size > 0

    encryption.rekey(vault, NEW, key=KEY)

    with Memory.open(vault, embedder=None, encryption_key=NEW) as memory:
        assert memory.recall("marzipanettes").records[0].record.content == TEXT
        assert memory.ledger.verify().ok


def deaths(mode: str, folder: Path, every: int) -> list[Death]:
    """Every death of a run in a process of its own, and what was found after it."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.unit.engine.sealed_killer", mode, str(folder), str(every)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=True,
    )
    changes, *lines = done.stdout.splitlines()
    told = [msgspec.json.decode(line, type=Death) for line in lines]
    assert len(told) == len(range(0, int(changes), every))
    return told


@pytest.mark.parametrize("mode", ["encrypt", "rekey", "decrypt"])
def test_a_death_at_any_change_leaves_the_whole_vault_under_the_old_key_or_under_the_new(
    tmp_path: Path, mode: str
) -> None:
    told = deaths(mode, tmp_path, EVERY)
    assert all(death.killed for death in told)
    assert {(death.at, tuple(death.wrong)) for death in told if death.wrong} == set()
    turned = [death.opens for death in told]
    assert set(turned) == {"old", "new"}
    assert turned == sorted(turned, reverse=True), "once it is new it never was old again"


def test_a_death_while_a_cut_short_change_of_key_is_finished_loses_nothing_either(tmp_path: Path) -> None:
    told = deaths("again", tmp_path, EVERY)
    assert {(death.killed, death.opens, tuple(death.wrong)) for death in told} == {(True, "new", ())}


def test_a_vault_that_is_in_use_is_left_alone(vault: Path) -> None:
    made(vault, KEY)
    with Memory.open(vault, tenant="acme", embedder=None, encryption_key=KEY) as memory:
        with pytest.raises(StoreBusy, match="the vault is in use"):
            encryption.rekey(vault, NEW, key=KEY)
        with pytest.raises(StoreBusy, match="the vault is in use"):
            encryption.decrypt(vault, key=KEY)
        assert memory.recall("marzipanettes").records[0].record.content == WHOLE[0]
    assert read(vault, KEY) == WHOLE


def test_whoever_comes_meanwhile_waits_and_needs_the_new_key(vault: Path) -> None:
    made(vault, KEY)
    met: list[str] = []

    def enter() -> None:
        try:
            Memory.open(vault, tenant="acme", embedder=None, encryption_key=KEY).close()
        except MunimentError as error:
            met.append(str(error))

    comer = threading.Thread(target=enter)

    def progress(done: int, all_: int) -> None:
        if not done:
            comer.start()

    encryption.rekey(vault, NEW, key=KEY, progress=progress)
    comer.join(WAIT_S)
    assert met == ["encryption_key: not the key of this vault"]


def test_progress_is_told_in_bytes_and_comes_to_its_end(vault: Path) -> None:
    made(vault, None)
    told: list[tuple[int, int]] = []
    done = encryption.encrypt(vault, key=KEY, progress=lambda part, all_: told.append((part, all_)))
    assert told[0] == (0, done.bytes)
    assert told[-1] == (done.bytes, done.bytes)
    assert told == sorted(told)


def test_a_failure_in_between_leaves_the_vault_as_it_was(vault: Path) -> None:
    made(vault, KEY)
    damaged = vault / "acme.sqlite"
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:8192] + bytes(4096) + whole[12288:])
    with pytest.raises(IntegrityError):
        encryption.rekey(vault, NEW, key=KEY)
    assert not (vault / STAGE).exists()
    damaged.write_bytes(whole)
    assert read(vault, KEY) == WHOLE


def test_whoever_gives_up_in_between_leaves_the_vault_as_it_was(vault: Path) -> None:
    made(vault, KEY)

    def interrupt(done: int, _: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encryption.decrypt(vault, key=KEY, progress=interrupt)
    assert not (vault / STAGE).exists()
    assert shown(vault) == set()
    assert read(vault, KEY) == WHOLE


@pytest.mark.parametrize("wrong", [NEW, None], ids=["another", "none"])
def test_without_the_right_key_nothing_is_changed(vault: Path, wrong: str | None) -> None:
    made(vault, KEY)
    with pytest.raises(ConfigurationError):
        encryption.decrypt(vault, key=wrong)
    with pytest.raises(ConfigurationError):
        encryption.rekey(vault, "3d" * 32, key=wrong)
    with pytest.raises(ConfigurationError):
        encryption.encrypt(vault, key=wrong)
    assert read(vault, KEY) == WHOLE


def test_the_same_key_again_and_no_vault_at_all_are_refused(vault: Path) -> None:
    made(vault, KEY)
    with pytest.raises(ConfigurationError, match="another key than the present one"):
        encryption.rekey(vault, KEY, key=KEY)
    with pytest.raises(StoreUnavailable):
        encryption.encrypt(vault / "nowhere", key=KEY)
    assert not (vault / "nowhere").exists()


def test_the_status_says_whether_the_key_at_hand_fits(vault: Path) -> None:
    made(vault, None)
    plain = encryption.status(vault, key=None)
    assert plain == EncryptionStatus(encrypted=False, key=KeyState.NONE_NEEDED, tenants=2, bytes=plain.bytes)
    assert encryption.status(vault, key=KEY).key is KeyState.UNUSED
    assert encryption.encrypt(vault, key=KEY) == EncryptionResult(tenants=2, bytes=plain.bytes)
    assert [encryption.status(vault, key=key).key for key in (KEY, NEW, None)] == [
        KeyState.FITS,
        KeyState.OTHER,
        KeyState.MISSING,
    ]
    assert encryption.status(vault, key=None).encrypted


def test_what_was_staged_in_the_clear_is_gone_once_the_vault_is_opened(vault: Path) -> None:
    """A decryption that was cut short leaves copies that anybody can read; nobody works beside them."""
    made(vault, KEY)
    (vault / STAGE).mkdir()
    (vault / STAGE / "acme.sqlite").write_bytes(TEXT.encode())
    assert shown(vault) != set()
    assert read(vault, KEY) == WHOLE
    assert shown(vault) == set()
    assert STAGE not in os.listdir(vault)


def test_the_log_of_the_old_file_is_never_laid_over_the_new_one(vault: Path) -> None:
    made(vault, KEY)
    (vault / STAGE).mkdir()
    for name in ("acme.sqlite", "vault.toml"):
        (vault / STAGE / name).write_bytes((vault / name).read_bytes())
    (vault / STAGE / "ready").touch()
    for side in ("-wal", "-shm"):
        (vault / f"acme.sqlite{side}").write_bytes(b"of the old file")

    finish(vault, "vault.toml")

    assert sorted(file.name for file in vault.glob("acme.sqlite-*")) == ["acme.sqlite-door", "acme.sqlite-turns"]
    assert read(vault, KEY) == WHOLE
