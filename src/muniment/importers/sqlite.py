"""SQLite files of strangers: read-only, with a schema that is not trusted; and what their free pages still hold."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO
from urllib.parse import quote

import apsw

from muniment.config.files import open_file
from muniment.importers.files import size_of
from muniment.importers.foreign import Residue
from muniment.model.errors import SourceUnreadable

Cell = str | int | float | bytes | None
MAGIC = b"SQLite format 3\x00"
COPIED_MAX = 8 << 30
"""The largest file with changes beside it (`-wal`) that is copied to be read."""
_LENGTH_MAX = 64 << 20
_SETTINGS = (
    (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
    (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
    (apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
    (apsw.SQLITE_DBCONFIG_DQS_DDL, 0),
    (apsw.SQLITE_DBCONFIG_DQS_DML, 0),
)
_ALLOWED = frozenset({apsw.SQLITE_SELECT, apsw.SQLITE_READ})


def is_sqlite(path: Path) -> bool:
    with open_file(path) as opened:
        return opened.read(16) == MAGIC


class ForeignDatabase:
    """A file of another program, opened so that nothing in it runs and nothing in it changes."""

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        try:
            uri = f"file:{quote(str(path.absolute()))}?immutable=1"
            self._connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
            for setting, value in _SETTINGS:
                self._connection.config(setting, value)
            self._connection.limit(apsw.SQLITE_LIMIT_LENGTH, _LENGTH_MAX)
            self._connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)
            self._connection.execute("PRAGMA cell_size_check = ON")
            self._connection.execute("PRAGMA mmap_size = 0")
            self._connection.authorizer = _authorize
            self._tables = self._columns()
        except apsw.Error as error:
            raise self._broken(error) from None

    def close(self) -> None:
        self._connection.close()

    def _columns(self) -> dict[str, frozenset[str]]:
        """The ordinary tables and their columns. Views and virtual tables are none: they run something."""
        found = {}
        listed = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' LIMIT 10000"
        for name, sql in self._connection.execute(listed).fetchall():
            if (
                isinstance(name, str)
                and isinstance(sql, str)
                and not re.match(r"\s*create\s+virtual", sql, re.IGNORECASE)
            ):
                described = self._connection.execute(f"PRAGMA table_info({_quoted(name)})").fetchall()
                found[name] = frozenset(str(row[1]) for row in described)
        return found

    def columns(self, table: str) -> frozenset[str]:
        """The columns of a table, none if there is no such table."""
        return self._tables.get(table, frozenset())

    def rows(self, table: str, columns: Iterable[str]) -> Iterator[tuple[int, list[Cell]]]:
        """The rows of a table, one at a time, counted from 1, with these columns; one that it lacks is None."""
        there = self.columns(table)
        chosen = ", ".join(_quoted(one) if one in there else "NULL" for one in columns)
        try:
            found = self._connection.execute(f"SELECT {chosen} FROM {_quoted(table)}")
            for number, row in enumerate(found, start=1):
                yield number, list(row)
        except apsw.Error as error:
            raise self._broken(error) from None

    def _broken(self, error: apsw.Error) -> SourceUnreadable:
        return SourceUnreadable(self.name, f"a whole SQLite file ({type(error).__name__})")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _authorize(action: int, one: str | None, two: str | None, three: str | None, four: str | None) -> int:
    described = action == apsw.SQLITE_PRAGMA and one == "table_info"
    return apsw.SQLITE_OK if action in _ALLOWED or described else apsw.SQLITE_DENY


@contextmanager
def opened(path: Path) -> Iterator[ForeignDatabase]:
    """A database, with what is written beside it and not yet in it. That is read from a copy: to read it in place
    would change it."""
    if not is_sqlite(path):
        raise SourceUnreadable(path.name, "a SQLite file")
    beside = [Path(f"{path}{end}") for end in ("-wal", "-journal")]
    waiting = [one for one in beside if one.is_file() and not one.is_symlink() and size_of(one) > 0]
    if not waiting:
        found = ForeignDatabase(path, path.name)
        try:
            yield found
        finally:
            found.close()
        return
    if size_of(path) + sum(map(size_of, waiting)) > COPIED_MAX:
        raise SourceUnreadable(path.name, "a store that nobody has open: close the program that writes it")
    with TemporaryDirectory(prefix="muniment-source-") as folder:
        copy = Path(folder) / "copy.db"
        shutil.copyfile(path, copy)
        for one in waiting:
            shutil.copyfile(one, f"{copy}{one.name.removeprefix(path.name)}")
        _settle(copy, path.name)
        found = ForeignDatabase(copy, path.name)
        try:
            yield found
        finally:
            found.close()


def _settle(copy: Path, name: str) -> None:
    """Bring what is beside our own copy into it."""
    try:
        connection = apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE)
        for setting, value in _SETTINGS:
            connection.config(setting, value)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        connection.close()
    except apsw.Error as error:
        raise SourceUnreadable(name, f"a whole SQLite file ({type(error).__name__})") from None


RESIDUE_MAX = 20_000
"""So many pieces of text are taken from the free parts of one file."""
_PIECE_MAX = 4_096
_RUN = re.compile(
    rb"(?:[\x20-\x7e\t\n]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}){10,}"
)
_OWN = re.compile(r"CREATE (?:TABLE|INDEX|UNIQUE|VIEW|TRIGGER)|sqlite_autoindex|qdrant_client\.")
_WORDS = re.compile(r"[^\W\d_]{2,}")
_LEAVES = frozenset({0x0D, 0x0A})


def residue(path: Path) -> Iterator[Residue]:
    """Text in parts of a SQLite file that hold no row: free pages, freed parts of pages, replaced pages of its log.
    It may be text of a row that moved; who asks compares it with the rows."""
    with open_file(path) as stream:
        count = 0
        for place, piece in _free_parts(path, stream):
            for text in runs(piece):
                count += 1
                if count > RESIDUE_MAX:
                    return
                yield Residue(place=f"{path.name}: {place}", text=text, why="free space of a database file")
    log = Path(f"{path}-wal")
    if log.is_file() and not log.is_symlink():
        for place, piece in _replaced(log):
            for text in runs(piece):
                count += 1
                if count > RESIDUE_MAX:
                    return
                yield Residue(place=f"{log.name}: {place}", text=text, why="replaced pages of a write-ahead log")


def runs(piece: bytes) -> Iterator[str]:
    """The readable texts of some bytes that are long enough to be somebody's words.

    >>> list(runs(b"\\x00\\x07The staging db moved\\x00\\x01ab"))
    ['The staging db moved']
    """
    for hit in _RUN.finditer(piece):
        text = hit[0][:_PIECE_MAX].decode("utf-8", "ignore")
        words = _WORDS.findall(text)
        if (len(words) > 2 or any(ord(word[0]) > 0x2E7F for word in words)) and _OWN.search(text) is None:
            yield text


def _free_parts(path: Path, stream: BinaryIO) -> Iterator[tuple[str, bytes]]:
    head = stream.read(100)
    size = int.from_bytes(head[16:18], "big")
    size = 65_536 if size == 1 else size
    if head[:16] != MAGIC or size < 512 or size & (size - 1):
        return
    pages = size_of(path) // size
    free = _free_pages(stream, head, size, pages)
    stream.seek(0)
    for number in range(1, pages + 1):
        page = stream.read(size)
        if len(page) < size:
            return
        for start, piece in [(0, page)] if number in free else _gaps(page, 100 if number == 1 else 0):
            yield f"page {number}, byte {start}", piece


def _free_pages(stream: BinaryIO, head: bytes, size: int, pages: int) -> set[int]:
    free: set[int] = set()
    trunk = int.from_bytes(head[32:36], "big")
    while 0 < trunk <= pages and trunk not in free:
        free.add(trunk)
        stream.seek((trunk - 1) * size)
        page = stream.read(size)
        leaves = min(int.from_bytes(page[4:8], "big"), size // 4 - 2)
        free.update(int.from_bytes(page[8 + 4 * at : 12 + 4 * at], "big") for at in range(leaves))
        trunk = int.from_bytes(page[:4], "big")
    return free


def _gaps(page: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    """The parts of a leaf that hold no cell: what lies between its pointers and its cells, and freed cells."""
    if page[start] not in _LEAVES:
        return
    cells = int.from_bytes(page[start + 3 : start + 5], "big")
    content = int.from_bytes(page[start + 5 : start + 7], "big") or 65_536
    pointers = start + 8 + 2 * cells
    if pointers < content <= len(page):
        yield pointers, page[pointers:content]
    block = int.from_bytes(page[start + 1 : start + 3], "big")
    for _ in range(len(page) // 4):
        if not 0 < block <= len(page) - 4:
            return
        length = int.from_bytes(page[block + 2 : block + 4], "big")
        yield block, page[block + 4 : block + length]
        following = int.from_bytes(page[block : block + 2], "big")
        if following <= block:
            return
        block = following


def _replaced(log: Path) -> Iterator[tuple[str, bytes]]:
    with open_file(log) as stream:
        head = stream.read(32)
        size = int.from_bytes(head[8:12], "big")
        if len(head) < 32 or size < 512 or size > 65_536:
            return
        frames = (size_of(log) - 32) // (size + 24)
        latest: dict[int, int] = {}
        for frame in range(frames):
            stream.seek(32 + frame * (size + 24))
            latest[int.from_bytes(stream.read(4), "big")] = frame
        for frame in range(frames):
            stream.seek(32 + frame * (size + 24))
            number = int.from_bytes(stream.read(24)[:4], "big")
            page = stream.read(size)
            if len(page) < size:
                return
            start = 100 if number == 1 else 0
            for at, piece in [(0, page)] if latest[number] != frame else _gaps(page, start):
                yield f"frame {frame + 1}, byte {at}", piece
