"""What the first bytes of a tenant's file tell without a key: whether it is ours, and whether it is encrypted."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import apsw

_MAGIC = b"SQLite format 3\x00"
_FRACTIONS = b"\x40\x20\x20"
"""Three bytes that every SQLite file has at the same place. The cipher leaves them as they are, and the sixteen before
the page size are random under it."""
_OURS = b"MUNI"
HEADER_BYTES = 100


class FileFormat(StrEnum):
    """How a file is kept. One that cannot be read, or is cut short, is `other`."""

    PLAIN = "plain"
    ENCRYPTED = "encrypted"
    OTHER = "other"


def form_of(path: Path) -> FileFormat:
    """Look at the header of a file. Opens nothing and changes nothing."""
    try:
        header = _header(path)
    except (apsw.Error, OSError):
        return FileFormat.OTHER
    if header.startswith(_MAGIC):
        return FileFormat.PLAIN if header[68:72] == _OURS else FileFormat.OTHER
    return FileFormat.ENCRYPTED if header[21:24] == _FRACTIONS and header[20] > 0 else FileFormat.OTHER


def _header(path: Path) -> bytes:
    """Read through SQLite's own file: a process that opens and closes a store in any other way drops the locks that its
    connections hold on it."""
    file = apsw.VFSFile("unix", str(path), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        return file.xRead(HEADER_BYTES, 0)
    finally:
        file.xClose()
