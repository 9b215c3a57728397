"""Encrypt the files of a vault anew: copies in a folder of their own, checked, and moved into place together.

Until the copies are all there and marked as ready the vault is as it was, and what is left of them is taken away by
whoever opens it next. Once they are marked they are moved into place, and whoever opens the vault next goes on where
that was cut short: it takes no key to move a file.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import cast
from urllib.parse import quote

import apsw

from muniment.backends.clock_and_ids import place_file, settle
from muniment.backends.sealing import TenantKey, VaultKey
from muniment.backends.sqlite.connection import CIPHER, connect, translated
from muniment.backends.sqlite.store import SUFFIX, VECTORS, tenant_key
from muniment.backends.sqlite.vault_lock import alone
from muniment.model.errors import IntegrityError, StoreFull, StoreUnavailable

STAGE = ".sealing"
READY = "ready"
_STEPS = 50_000
"""How many steps of SQLite's machine lie between two looks at how far a copy has got."""


def stage_tenant(path: Path, old: VaultKey | None, new: VaultKey | None, progress: Callable[[int], None]) -> None:
    """Make a copy of a tenant's file for another key, and see that it holds what the original holds. Says now and then
    how many bytes of it there are."""
    target = path.parent / STAGE / path.name
    with translated(path):
        source = connect(path, create=False, key=tenant_key(path, old), flags=apsw.SQLITE_OPEN_URI)
        try:
            source.set_progress_handler(lambda: _said(target, progress), _STEPS)
            _copy(source, path.name, target, tenant_key(path, new))
            before = _told(source)
        finally:
            source.close()
    with translated(target):
        copy = connect(target, create=False, key=tenant_key(path, new))
        try:
            sound = [str(row[0]) for row in copy.execute("PRAGMA integrity_check(1)").fetchall()] == ["ok"]
            after = _told(copy)
        finally:
            copy.close()
    if not sound or before != after:
        raise IntegrityError(f"the copy of {path.name} does not hold what the original holds; the vault is as it was")
    settle(target)


def stage_vectors(folder: Path, old: VaultKey | None, new: VaultKey | None) -> None:
    """Make a copy of a tenant's vectors for another key. What can be gathered again is left out."""
    from muniment.backends.vectors.reencryption import reseal  # brings in numpy

    stem = folder.name.removesuffix(VECTORS)
    target = folder.parent / STAGE / folder.name
    target.mkdir(mode=0o700)
    reseal(folder, _of(old, stem), target, _of(new, stem))
    for file in target.iterdir():
        settle(file)
    settle(target)


def mark_ready(folder: Path) -> None:
    """Say that every copy is there and whole. From here on the vault is what the copies make of it."""
    settle(folder / STAGE)
    settle(folder)
    place_file(folder / STAGE / READY, "", mode=0o600)


def finish(folder: Path, marker: str) -> None:
    """Bring to its end what was begun, or take back what was not ready. Only for whoever is in the vault alone."""
    stage = folder / STAGE
    # Whoever waits for the old marker comes to the new one as soon as it is in its place, and shall wait there too.
    fresh = alone(stage / marker) if (stage / READY).exists() and (stage / marker).exists() else nullcontext()
    try:
        with fresh:
            if (stage / READY).exists():
                _move_in(folder, stage)
                _exchange(folder, stage, marker)
            shutil.rmtree(stage)
            settle(folder)
    except OSError as error:
        raise StoreUnavailable(f"the vault's {STAGE} cannot be put in order: {error.strerror}") from None


def _move_in(folder: Path, stage: Path) -> None:
    for staged in sorted(stage.iterdir()):
        place = folder / staged.name
        if staged.name.endswith(VECTORS):
            if place.exists():
                shutil.rmtree(place)
            staged.rename(place)
        elif staged.name.endswith(SUFFIX):
            for side in ("-wal", "-shm", "-journal"):  # the old file's: laid over the new one they would ruin it
                place.with_name(place.name + side).unlink(missing_ok=True)
            staged.replace(place)
    settle(folder)


def _exchange(folder: Path, stage: Path, marker: str) -> None:
    if (stage / marker).exists():
        (stage / marker).replace(folder / marker)
    settle(folder)
    (stage / READY).unlink()


def _of(key: VaultKey | None, stem: str) -> TenantKey | None:
    return None if key is None else key.tenant(stem)


def _said(target: Path, progress: Callable[[int], None]) -> bool:
    progress(target.stat().st_size if target.exists() else 0)
    return False  # true would end the copy


def _copy(source: apsw.Connection, name: str, target: Path, key: TenantKey | None) -> None:
    """Write the whole store into a new file. The key is part of the address, so what SQLite says is not repeated."""
    sealed = f"cipher={CIPHER}&key=raw:{key.pages().hex()}" if key is not None else "key="
    try:
        source.execute("VACUUM INTO ?", (f"file:{quote(str(target.absolute()))}?{sealed}",))
    except apsw.FullError:
        raise StoreFull(f"{name} could not be copied: the disk is full; the vault is as it was") from None
    except (apsw.CorruptError, apsw.NotADBError):
        raise IntegrityError(f"{name} is damaged and was not copied; the vault is as it was") from None
    except apsw.Error:
        raise StoreUnavailable(f"{name} could not be copied; the vault is as it was") from None


def _told(connection: apsw.Connection) -> list[tuple[str, int]]:
    """What a store holds, in figures and by the last word of its ledger: the same before and after."""
    listed = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
    tables = [cast(str, row[0]) for row in connection.execute(listed).fetchall()]
    counts = [(name, cast(int, connection.execute(f'SELECT count(*) FROM "{name}"').get)) for name in tables]
    words = cast(int, connection.execute("SELECT coalesce(sum(octet_length(body)), 0) FROM documents").get)
    head = connection.execute("SELECT hex(hash) FROM entries ORDER BY seq DESC LIMIT 1").get
    return [*counts, ("words", words), (f"head {head}", 0)]
