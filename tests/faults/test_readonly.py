"""The file system became read-only: every way in is refused with a code, and nothing is changed or half made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.faults.deeds import furnished
from tests.faults.disks import SmallDisk

from muniment import Memory
from muniment.engine.copies.backup import back_up
from muniment.engine.signing import rotate
from muniment.model.errors import MunimentError

WAYS: dict[str, Callable[[Path], object]] = {
    "open": lambda disk: Memory.open(disk / "vault", embedder=None, create=False),
    "open or make": lambda disk: Memory.open(disk / "vault", embedder=None),
    "make": lambda disk: Memory.open(disk / "other", embedder=None),
    "change the key": lambda disk: rotate(disk / "vault", reason="it is time"),
    "back up beside it": lambda disk: back_up(disk / "vault", disk / "backup"),
}


def test_every_way_into_a_vault_on_a_read_only_disk_is_refused_with_a_code(small_disk: SmallDisk) -> None:
    small_disk.resize("8m")
    furnished(small_disk.place / "vault")
    small_disk.make_read_only()
    before = {path: path.read_bytes() for path in small_disk.place.rglob("*") if path.is_file()}
    for name, way in WAYS.items():
        with pytest.raises(MunimentError) as refused:
            way(small_disk.place)
        assert refused.value.code == "store_unavailable", name
    assert {path: path.read_bytes() for path in small_disk.place.rglob("*") if path.is_file()} == before
