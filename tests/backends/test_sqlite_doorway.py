"""The door before a tenant's file: passed with its lock, or not at all unless nothing could be harmed."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

import pytest

from muniment.backends.sqlite.open_lock import passing, shut
from muniment.backends.sqlite.vault_lock import alone, enter
from muniment.model.errors import StoreBusy, StoreUnavailable


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "acme.sqlite"
    path.touch()
    return path


def broken(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Let the system refuse to open a door."""
    plain = os.open

    def refuse(path: str | Path, flags: int, mode: int = 0o777) -> int:
        if str(path).endswith("-door"):
            raise OSError(number, os.strerror(number))
        return plain(path, flags, mode)

    monkeypatch.setattr(os, "open", refuse)


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EIO, errno.EACCES])
def test_a_door_that_cannot_be_opened_is_not_passed(file: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    broken(monkeypatch, number)
    for way in (passing, shut):
        with pytest.raises(StoreUnavailable, match=r"acme\.sqlite-door cannot be opened"), way(file):
            pytest.fail("nobody knows whether the file is just being replaced")


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_who_may_write_nothing_in_the_folder_needs_no_door(
    file: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    broken(monkeypatch, number)
    monkeypatch.setattr(os, "access", lambda path, mode, **_: not (path == file.parent and mode == os.W_OK))
    with passing(file):
        assert not file.with_name("acme.sqlite-door").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_door_that_root_has_made_belongs_to_the_owner_of_the_folder(file: Path) -> None:
    os.chown(file.parent, 65_534, 65_534)
    with passing(file):
        made = file.with_name("acme.sqlite-door").stat()
    assert (made.st_uid, made.st_gid, made.st_mode & 0o777) == (65_534, 65_534, 0o600)


def test_a_file_system_without_locks_is_refused_and_nothing_stays_open(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(descriptor: int, how: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", none)
    before = len(os.listdir("/proc/self/fd"))
    for way in (passing, shut, alone):
        with pytest.raises(StoreUnavailable, match="cannot be locked") as refused, way(file):
            pytest.fail("it has no lock")
        assert "file system" in refused.value.hint
    with pytest.raises(StoreUnavailable, match="cannot be locked"):
        enter(file)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_door_that_is_shut_lets_nobody_shut_it_again(file: Path) -> None:
    with shut(file), pytest.raises(StoreBusy, match=r"acme\.sqlite is in use"), shut(file):
        pytest.fail("two would replace the file")
