"""Copy the vectors of a tenant from one key to another. Columns are left behind: they are gathered again."""

from __future__ import annotations

from pathlib import Path

from muniment.backends.sealing import TenantKey
from muniment.backends.vectors.blocks import SUFFIXES, sheet_of
from muniment.backends.vectors.encrypted_file import BLOCK
from muniment.backends.vectors.index_head import head_file

_CHUNK = 1 << 20


def reseal(folder: Path, old: TenantKey | None, target: Path, new: TenantKey | None) -> None:
    """Copy what the head speaks of. Where there is no head that this key can read, there are no vectors."""
    head = head_file(folder, old).read()
    if head is None:
        return
    for suffix in SUFFIXES:
        name = f"{head.epoch}{suffix}"
        if (folder / name).exists():
            _copy(folder, old, target, new, name)
    head_file(target, new).write(head)


def _copy(folder: Path, old: TenantKey | None, target: Path, new: TenantKey | None, name: str) -> None:
    source, copy = sheet_of(folder, name, old), sheet_of(target, name, new)
    size = (folder / name).stat().st_size // BLOCK * BLOCK  # behind the last whole block nothing was written
    try:
        copy.reserve(size)
        for offset in range(0, size, _CHUNK):
            found = source.read(offset, min(_CHUNK, size - offset))
            assert found is not None, "nobody cuts a sheet while its vault is held alone"
            if any(found):
                copy.write(offset, found)
        copy.cut(size)
        copy.flush()
    finally:
        source.close()
        copy.close()
