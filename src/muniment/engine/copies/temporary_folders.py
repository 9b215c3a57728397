"""Folders in which something is made ready beside the place it is for, and that do not outlive whoever makes it."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from muniment.backends.clock_and_ids import make_folder
from muniment.backends.sqlite.copying import sync
from muniment.engine.marker import MARKER
from muniment.model.errors import StoreBusy


@contextmanager
def draft_beside(place: Path, sort: str) -> Iterator[Path]:
    """A new folder beside `place`, for its owner alone. It is taken away at the end, unless it was given a name.

    While it is worked in it is locked. What a process that was killed has left behind, of any name, is known by being
    locked by nobody, and is taken away: it may hold what was to be erased.
    """
    folder = place.absolute().parent
    make_folder(folder)
    _sweep(folder, sort)
    draft = folder / f".{place.name}.{os.urandom(4).hex()}.{sort}"
    draft.mkdir(mode=0o700)
    opened = os.open(draft, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        if not draft.is_dir():
            raise StoreBusy(f"{draft.name} was taken away by another process; try again")
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        os.close(opened)


def near(vault: Path) -> Path:
    """A name on the vault's own disk beside which something for it can be made ready: the vault's, or, where the vault
    is a disk of its own or what lies around it is not ours to write to, one inside it."""
    if not vault.is_dir():
        return vault
    around = vault.parent
    beside = around.stat().st_dev == vault.stat().st_dev and os.access(around, os.W_OK)
    return vault if beside else vault / vault.name


def move_in(draft: Path, vault: Path) -> None:
    """Let a draft become the vault. Where the vault's folder is a disk of its own its files move in one by one, and the
    one by which a vault is known comes last."""
    if draft.parent != vault:
        draft.rename(vault)
        sync(vault.parent)
        return
    for file in sorted(draft.iterdir(), key=lambda one: one.name == MARKER):
        file.rename(vault / file.name)
    sync(vault)


def _sweep(folder: Path, sort: str) -> None:
    for left in folder.glob(f".*.{sort}"):
        if re.fullmatch(rf"\..+\.[0-9a-f]{{8}}\.{sort}", left.name) and left.is_dir() and not left.is_symlink():
            _take_away(left)


def _take_away(left: Path) -> None:
    opened = os.open(left, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return  # somebody works in it
    else:
        shutil.rmtree(left)
    finally:
        os.close(opened)
