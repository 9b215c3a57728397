"""Files of strangers: opened read-only, read in pieces, with bounds on everything, and never outside the source."""

from __future__ import annotations

import codecs
import gzip
import io
import json
import os
import re
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import BinaryIO, NoReturn, Protocol

import yaml

from muniment.config.files import open_file
from muniment.contracts.strict.values import Json, JsonObject
from muniment.contracts.strict.yaml_text import read_yaml
from muniment.importers.foreign import Item, Unread
from muniment.model.errors import LimitExceeded, SourceUnreadable, Unreadable

CHUNK = 1 << 20
ELEMENT_MAX = 16 << 20
"""The longest single entry of a file, in characters."""
DOCUMENT_MAX = 256 << 20
"""The largest file that has to be read as one value."""
NOTE_MAX = 8 << 20
HEAD_MAX = 65_536
"""Properties of a note that are longer are read as text: nobody wrote them by hand, and YAML is slow."""
FILES_MAX = 200_000
DEPTH_MAX = 100
ARCHIVE_MAX = 4 << 30
"""So much may come out of an archive altogether."""
RATIO_MAX = 200
"""So many times its size may a file of an archive become, once it is larger than a megabyte."""

_SPACE = re.compile(r"[ \t\r\n]*")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _fraction(text: str) -> float:
    return float(text) if len(text) < 400 else _refuse_constant("a number that long")


def _whole(text: str) -> int:
    return int(text) if len(text) < 400 else _refuse_constant("a number that long")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_fraction, parse_int=_whole)


def path_of(source: Path | str) -> Path:
    """The file or folder a source names; a named pipe or device is refused."""
    path = Path(source)
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        raise SourceUnreadable(_shown(path), "a file or folder that is there and may be read") from None
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise SourceUnreadable(_shown(path), "a regular file or a folder")
    return path


def _shown(path: Path) -> str:
    return str(path).encode("utf-8", "backslashreplace").decode()


def size_of(path: Path) -> int:
    return path.stat().st_size


def read_whole(path: Path, limit: int = DOCUMENT_MAX) -> bytes:
    if size_of(path) > limit:
        raise LimitExceeded("source", limit=limit, unit="bytes", sent=size_of(path))
    with open_file(path) as opened:
        return opened.read(limit + 1)[:limit]


def read_document(path: Path) -> Json:
    """A file that is one JSON value, such as an agent file."""
    return parse(path.name, read_whole(path).removeprefix(codecs.BOM_UTF8))


def parse(name: str, data: bytes) -> Json:
    try:
        value: Json = _DECODER.decode(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise SourceUnreadable(f"{name}: byte {error.start}", "text in UTF-8") from None
    except json.JSONDecodeError as error:
        raise SourceUnreadable(f"{name}:{error.lineno}", "JSON text") from None
    except (ValueError, RecursionError):
        raise SourceUnreadable(name, "JSON that is not nested too deeply and has no NaN in it") from None
    return value


def lines(path: Path, opened: BinaryIO | None = None) -> Iterator[tuple[int, str | Unread]]:
    """The lines of a text file and their numbers. One that is too long or no UTF-8 is told and left out."""
    with opened if opened is not None else open_file(path) as stream:
        number = 0
        while raw := stream.readline(ELEMENT_MAX + 1):
            number += 1
            if len(raw) > ELEMENT_MAX:
                while raw and not raw.endswith(b"\n"):
                    raw = stream.readline(CHUNK)
                yield number, Unread(place=f"{path.name}:{number}", code="too_long", message="a line of over 16 MiB")
                continue
            if number == 1:
                raw = raw.removeprefix(codecs.BOM_UTF8)
            try:
                yield number, raw.decode("utf-8")
            except UnicodeDecodeError:
                yield number, Unread(place=f"{path.name}:{number}", code="not_utf8", message="text that is no UTF-8")


def json_lines(path: Path, opened: BinaryIO | None = None) -> Iterator[tuple[str, JsonObject | Unread]]:
    """The objects of a file of JSON lines and their places. Two objects on one line, as an interrupted append leaves
    them, are both read."""
    for number, line in lines(path, opened):
        place = f"{path.name}:{number}"
        if isinstance(line, Unread):
            yield place, line
            continue
        at = 0
        text = line.strip()
        while at < len(text):
            try:
                value, end = _DECODER.raw_decode(text, at)
            except (ValueError, RecursionError):
                yield place, Unread(place=place, code="not_json", message="no JSON object, or one that was cut short")
                break
            if isinstance(value, dict):
                yield place, value
            else:
                yield place, Unread(place=place, code="no_object", message="a JSON value that is no object")
            found = _SPACE.match(text, end)
            at = found.end() if found is not None else len(text)


def json_entries(path: Path, *names: str, opened: BinaryIO | None = None) -> Iterator[tuple[str, Json]]:
    """The entries of one large JSON list: of the file itself, or of the first of these keys of its object. Read in
    pieces, so that memory does not grow with the file. Whatever else the object says is passed over."""
    with opened if opened is not None else open_file(path) as stream:
        yield from _Pieces(path.name, stream).entries(frozenset(names))


class _Pieces:
    """A JSON text that is read a piece at a time. `self._text` holds what is not used up yet."""

    def __init__(self, name: str, stream: BinaryIO) -> None:
        self._name, self._stream = name, stream
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text, self._at, self._line, self._ended = "", 0, 1, False

    def entries(self, names: frozenset[str]) -> Iterator[tuple[str, Json]]:
        first = self._peek(start=True)
        if first == "[":
            yield from self._list()
        elif first == "{":
            yield from self._object(names)
        else:
            raise self._broken("a JSON list or object")

    def _object(self, names: frozenset[str]) -> Iterator[tuple[str, Json]]:
        self._take("{")
        if self._peek() == "}":
            return
        while True:
            key = self._value()
            self._take(":")
            if key in names and self._peek() == "[":
                yield from self._list()
                return
            self._value()
            if self._peek() != ",":
                self._take("}")
                return
            self._take(",")

    def _list(self) -> Iterator[tuple[str, Json]]:
        self._take("[")
        if self._peek() == "]":
            return
        for number in count(1):
            self._peek()
            yield f"{self._name}:{self._line}, entry {number}", self._value()
            if self._peek() != ",":
                self._take("]")
                return
            self._take(",")

    def _peek(self, *, start: bool = False) -> str:
        """The next character that is no space, which stays where it is."""
        while True:
            found = _SPACE.match(self._text, self._at)
            self._skip_to(found.end() if found is not None else self._at)
            if self._at < len(self._text):
                if start and self._text[self._at] == "\ufeff":
                    self._at += 1
                    continue
                return self._text[self._at]
            if not self._more():
                raise self._broken("the text to go on; it ends too early")

    def _take(self, wanted: str) -> None:
        if self._peek() != wanted:
            raise self._broken(f"`{wanted}`")
        self._at += 1

    def _value(self) -> Json:
        """The next value. It counts as complete only if something follows it in what was read: a number could go on."""
        self._peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
                if end < len(self._text) or self._ended:
                    self._skip_to(end)
                    held: Json = value
                    return held
            except RecursionError:
                raise self._broken("JSON that is not nested too deeply") from None
            except ValueError:
                if self._ended:
                    raise self._broken("a JSON value") from None
            if len(self._text) - self._at > ELEMENT_MAX:
                raise self._broken("a value of at most 16 MiB, or JSON")
            self._more()

    def _skip_to(self, at: int) -> None:
        self._line += self._text.count("\n", self._at, at)
        self._at = at

    def _more(self) -> bool:
        if self._ended:
            return False
        # Twice what is there already: a long value is tried again only a few times.
        data = self._stream.read(max(CHUNK, len(self._text) - self._at))
        try:
            added = self._decoder.decode(data, final=not data)
        except UnicodeDecodeError:
            raise self._broken("text in UTF-8") from None
        self._text, self._at, self._ended = self._text[self._at :] + added, 0, not data
        return True

    def _broken(self, expected: str) -> SourceUnreadable:
        return SourceUnreadable(f"{self._name}:{self._line}", expected)


def walk(folder: Path, wanted: Callable[[Path], bool], *, hidden: bool = False) -> Iterator[Path]:
    """The files below a folder in a fixed order. No link is followed, so nothing outside the folder is read."""
    seen = 0
    for base, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(one for one in folders if hidden or not one.startswith("."))
        for name in sorted(names):
            path = Path(base) / name
            if path.is_symlink() or not path.is_file() or not wanted(path):
                continue
            seen += 1
            if seen > FILES_MAX:
                raise LimitExceeded("source", limit=FILES_MAX, unit="files", sent=seen)
            yield path


def note_text(path: Path, place: str) -> str | Unread:
    """The text of a note, or why it cannot be read."""
    try:
        if size_of(path) > NOTE_MAX:
            return Unread(place=place, code="too_long", message="a note of over 8 MiB")
        return read_whole(path, NOTE_MAX).removeprefix(codecs.BOM_UTF8).decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return Unread(place=place, code="not_utf8", message="text that is no UTF-8")
    except OSError as error:
        return Unread(place=place, code="not_readable", message=error.strerror or "the file cannot be read")


def front_matter(text: str) -> tuple[JsonObject, str, int]:
    """The properties at the top of a Markdown note, its body, and the line the body begins on. Properties that cannot
    be read strictly are read line by line: people write them by hand."""
    if not text.startswith("---\n"):
        return {}, text, 1
    end = text.find("\n---", 3)
    if end < 0:
        return {}, text, 1
    head = text[4 : end + 1]
    if len(head) > HEAD_MAX:
        return {}, text, 1
    rest = text.find("\n", end + 4)
    body = text[rest + 1 :] if rest >= 0 else ""
    line = text.count("\n", 0, rest + 1) + 1 if rest >= 0 else 1
    try:
        value = read_yaml(head.encode())
    except (Unreadable, LimitExceeded, yaml.YAMLError, RecursionError):
        value = {
            key.strip(): said.strip().strip("\"'")
            for key, colon, said in (one.partition(":") for one in head.splitlines())
            if colon and key.strip() and not key.startswith((" ", "\t", "-"))
        }
    return (value if isinstance(value, dict) else {}), body, line


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """A folder with the files of an archive in it, gone afterwards. Names that lead outside, links and devices are
    refused; so is what grows beyond all measure."""
    with TemporaryDirectory(prefix="muniment-source-") as folder:
        if zipfile.is_zipfile(path):
            _unzip(path, Path(folder))
        else:
            _untar(path, Path(folder))
        yield Path(folder)


def _unzip(path: Path, folder: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [one for one in archive.infolist() if not one.is_dir()]
            _refuse_many(path, len(members))
            budget = ARCHIVE_MAX
            for one in members:
                if one.file_size > max(CHUNK, RATIO_MAX * one.compress_size):
                    raise _bomb(path, one.filename)
                target = _inside(path, folder, one.filename)
                if stat.S_ISLNK(one.external_attr >> 16):
                    raise SourceUnreadable(f"{path.name}: {one.filename}", "a file and no link")
                with archive.open(one) as stream:
                    budget -= _copy(path, stream, target, min(budget, max(CHUNK, RATIO_MAX * one.compress_size)))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise SourceUnreadable(path.name, f"a whole zip archive without a password ({type(error).__name__})") from None


def _untar(path: Path, folder: Path) -> None:
    most = max(CHUNK, RATIO_MAX * size_of(path))
    budget = min(ARCHIVE_MAX, most)
    try:
        with tarfile.open(path, "r|*") as archive:
            for count, one in enumerate(archive, start=1):
                _refuse_many(path, count)
                if one.isdir():
                    continue
                stream = archive.extractfile(one) if one.isreg() else None
                if stream is None:
                    raise SourceUnreadable(f"{path.name}: {one.name}", "a file and no link or device")
                budget -= _copy(path, stream, _inside(path, folder, one.name), budget)
    except (tarfile.TarError, EOFError, OSError, ValueError) as error:
        raise SourceUnreadable(path.name, f"a whole tar archive ({type(error).__name__})") from None


def _refuse_many(path: Path, count: int) -> None:
    if count > FILES_MAX:
        raise LimitExceeded("source", limit=FILES_MAX, unit="files", sent=count)


def _inside(path: Path, folder: Path, name: str) -> Path:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or parts[0].startswith("/") or ".." in parts or ":" in parts[0] or "\0" in name or len(name) > 1_000:
        raise SourceUnreadable(f"{path.name}: {name[:80]!r}", "a name inside the archive")
    target = folder.joinpath(*parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def _copy(path: Path, stream: _Readable, target: Path, budget: int) -> int:
    written = 0
    with target.open("xb") as out:
        while data := stream.read(CHUNK):
            written += len(data)
            if written > budget:
                raise _bomb(path, target.name)
            out.write(data)
    return written


def _bomb(path: Path, name: str) -> SourceUnreadable:
    return SourceUnreadable(f"{path.name}: {name}", "an archive that does not grow to more than 200 times its size")


@contextmanager
def gunzipped(path: Path) -> Iterator[BinaryIO]:
    """A compressed file as a stream, which ends with an error where it grows beyond all measure."""
    with gzip.open(path, "rb") as stream:
        yield _Bounded(path, stream)  # type: ignore[misc]  # reads and reads lines, which is all that is asked of it


class _Bounded(io.RawIOBase):
    def __init__(self, path: Path, stream: gzip.GzipFile) -> None:
        self._path, self._stream = path, stream
        self._left = max(CHUNK, RATIO_MAX * size_of(path))

    def read(self, size: int = -1) -> bytes:
        return self._counted(self._stream.read(size if size >= 0 else CHUNK))

    def readline(self, size: int | None = -1) -> bytes:
        return self._counted(self._stream.readline(ELEMENT_MAX if size is None or size < 0 else size))

    def _counted(self, data: bytes) -> bytes:
        self._left -= len(data)
        if self._left < 0:
            raise _bomb(self._path, self._path.name)
        return data


def items_or_refusal(found: Iterator[Item]) -> Iterator[Item]:
    """The items of a reader; what the operating system refuses on the way is told as a source that cannot be read."""
    try:
        yield from found
    except (EOFError, gzip.BadGzipFile) as error:
        raise SourceUnreadable("source", f"a whole compressed file ({type(error).__name__})") from None
