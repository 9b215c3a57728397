"""A disk whose power may go: from a record of what was asked of it, what it may hold at any moment.

What was synced is there. Of what was not, each sector may have reached the disk or not, in any order; a truncation or
a deletion may have or not; a new file may not even have its name. Files of SQLite only: renaming is not thought of.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.support.vfs import Act, Call

SECTOR = 512
Chance = Callable[[], bool]


class Disk:
    """What a disk holds for certain, and what was asked of it since."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        files = (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith("-shm"))
        self._certain: dict[str, bytes | None] = {str(path): path.read_bytes() for path in files}
        self._asked: list[Call] = []

    def ask(self, call: Call) -> None:
        """Take note of a call. A sync makes everything certain that was asked of its file."""
        if call.act is Act.SYNC:
            mine = [one for one in self._asked if one.file == call.file]
            self._asked = [one for one in self._asked if one.file != call.file]
            self._certain[call.file] = _held(self._certain.get(call.file), mine, lambda: True)
        else:
            self._asked.append(call)

    def cut(self, into: Path, rng: random.Random) -> None:
        """Write into a folder what may be found when the power comes back."""
        keep = rng.choice((0.0, 0.2, 0.5, 0.8, 1.0))
        for name in {*self._certain, *(call.file for call in self._asked)}:
            mine = [call for call in self._asked if call.file == name]
            held = _held(self._certain.get(name), mine, lambda: rng.random() < keep)
            if held is not None:
                path = into / Path(name).relative_to(self._folder)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch(mode=0o600)
                path.write_bytes(held)


def _held(certain: bytes | None, asked: list[Call], chance: Chance) -> bytes | None:
    """What a file holds when some of what was asked of it was done; None if it is not there."""
    held = None if certain is None else bytearray(certain)
    for call in asked:
        if call.act is Act.DELETE:
            held = None if chance() else held
        elif call.act is Act.TRUNCATE:
            if held is not None and chance():
                held = held[: call.offset].ljust(call.offset, b"\0")
        else:
            for offset, sector in _sectors(call):
                if chance():
                    held = held if held is not None else bytearray()
                    held.extend(bytes(max(0, offset - len(held))))
                    held[offset : offset + len(sector)] = sector
    return None if held is None else bytes(held)


def _sectors(call: Call) -> Iterator[tuple[int, bytes]]:
    """A write as the sectors it touches."""
    start, end = call.offset, call.offset + len(call.content)
    while start < end:
        stop = min(end, (start // SECTOR + 1) * SECTOR)
        yield start, call.content[start - call.offset : stop - call.offset]
        start = stop
