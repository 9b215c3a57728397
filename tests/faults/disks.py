"""A file system of its own, in memory, that can be made small, large and read-only. Needs the rights of root."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.patience import WAIT_S


class SmallDisk:
    """A file system that holds so much and no more."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def resize(self, size: str) -> None:
        self._mount(f"size={size}")

    def make_read_only(self) -> None:
        self._mount("ro")

    def free(self) -> int:
        found = os.statvfs(self.place)
        return found.f_bavail * found.f_bsize

    def _mount(self, option: str) -> None:
        subprocess.run(["mount", "-o", f"remount,{option}", str(self.place)], check=True, timeout=WAIT_S)


@contextmanager
def mounted(place: Path) -> Iterator[SmallDisk | None]:
    """A disk of a megabyte while the block lasts; None where none may be made."""
    mounting = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(mounting, capture_output=True, timeout=WAIT_S).returncode != 0:
        yield None
        return
    try:
        yield SmallDisk(place)
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True, timeout=WAIT_S)
