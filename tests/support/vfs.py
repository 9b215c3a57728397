"""The way to the disk, watched: every write, sync, truncation, deletion and renaming is a call that can be counted,
recorded, refused, torn, or be the last thing a process does.

Two layers are watched with one watcher: SQLite's files, by a VFS in front of the system's own (write-ahead logging and
its shared memory go on as ever), and the files that are written from Python, by the functions of `os`.
"""

from __future__ import annotations

import os
import re
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path

import apsw

from muniment.model.value import Value

NAME = "muniment-watched"
_PATCHED = ("pwrite", "write", "fsync", "ftruncate", "unlink", "link", "rename", "replace")
_STREAMS = 2


class Act(StrEnum):
    WRITE = "write"
    SYNC = "sync"
    TRUNCATE = "truncate"
    DELETE = "delete"
    PLACE = "place"
    """A file gets its name: a link or a renaming."""


class Call(Value):
    """One thing asked of the disk. `offset` is where a write begins or where a truncation ends."""

    act: Act
    file: str
    offset: int = 0
    content: bytes = b""
    placed: str = ""


Do = Callable[[bytes], None]
"""Does what was asked. A write is given what it is to write, which may be less than was asked."""
Watch = Callable[[Call, Do], None]


def do_it(call: Call, do: Do) -> None:
    """The watcher that does what it is asked."""
    do(call.content)


class _WatchedFile(apsw.VFSFile):
    def __init__(self, name: apsw.URIFilename | str | None, flags: list[int], beneath: str, watch: Watch) -> None:
        super().__init__(beneath, name, flags)
        self._name = "" if name is None else name if isinstance(name, str) else name.filename()
        self._watch = watch

    def xWrite(self, content: bytes, offset: int) -> None:
        call = Call(act=Act.WRITE, file=self._name, offset=offset, content=bytes(content))
        self._watch(call, lambda part: super(_WatchedFile, self).xWrite(part, offset))

    def xSync(self, flags: int) -> None:
        self._watch(Call(act=Act.SYNC, file=self._name), lambda _: super(_WatchedFile, self).xSync(flags))

    def xTruncate(self, size: int) -> None:
        call = Call(act=Act.TRUNCATE, file=self._name, offset=size)
        self._watch(call, lambda _: super(_WatchedFile, self).xTruncate(size))


class _WatchedDisk(apsw.VFS):
    def __init__(self, beneath: str, watch: Watch) -> None:
        super().__init__(NAME, beneath)
        self._beneath = beneath
        self._watch = watch

    def xOpen(self, name: apsw.URIFilename | str | None, flags: list[int]) -> _WatchedFile:
        return _WatchedFile(name, flags, self._beneath, self._watch)

    def xDelete(self, name: str, sync: bool) -> None:
        self._watch(Call(act=Act.DELETE, file=name), lambda _: super(_WatchedDisk, self).xDelete(name, sync))


@contextmanager
def watched_disk(watch: Watch) -> Iterator[None]:
    """Let `watch` see everything that is asked of the disk while the block lasts. What is opened in it is closed in it.

    >>> from tempfile import TemporaryDirectory
    >>> seen = Recorder()
    >>> with TemporaryDirectory() as folder, watched_disk(seen):
    ...     apsw.Connection(f"{folder}/a").execute("CREATE TABLE t (x)").connection.close()
    >>> sorted({(str(call.act), Path(call.file).name) for call in seen.calls if "a" in Path(call.file).name})[:2]
    [('delete', 'a-journal'), ('sync', 'a')]
    """
    with ExitStack() as undo:
        undo.enter_context(_watched_sqlite(watch))
        undo.enter_context(watched_files(watch))
        yield


@contextmanager
def _watched_sqlite(watch: Watch) -> Iterator[None]:
    beneath = apsw.vfs_names()[0]
    disk = _WatchedDisk(beneath, watch)
    apsw.set_default_vfs(NAME)
    try:
        yield
    finally:
        apsw.set_default_vfs(beneath)
        disk.unregister()


@contextmanager
def watched_files(watch: Watch) -> Iterator[None]:
    """The same for files that are written from Python alone. Streams are let through."""
    plain = {name: getattr(os, name) for name in _PATCHED}
    layer = _Files(watch)
    for name in _PATCHED:
        setattr(os, name, getattr(layer, name))
    try:
        yield
    finally:
        for name, function in plain.items():
            setattr(os, name, function)


class _Files:
    """The functions of `os` that change files, each as a call. Takes the real ones when it is made."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._pwrite, self._write, self._fsync, self._ftruncate = os.pwrite, os.write, os.fsync, os.ftruncate
        self._unlink, self._link, self._rename, self._replace = os.unlink, os.link, os.rename, os.replace

    def pwrite(self, file: int, content: bytes | memoryview, offset: int) -> int:
        call = Call(act=Act.WRITE, file=_name(file), offset=offset, content=bytes(content))
        done: list[int] = []
        self._watch(call, lambda part: done.append(self._pwrite(file, part, offset)))
        return sum(done)

    def write(self, file: int, content: bytes | memoryview) -> int:
        name = _name(file)
        if file <= _STREAMS or not name.startswith("/") or name.startswith("/dev/"):
            return self._write(file, content)
        call = Call(act=Act.WRITE, file=name, offset=os.lseek(file, 0, os.SEEK_CUR), content=bytes(content))
        done: list[int] = []
        self._watch(call, lambda part: done.append(self._write(file, part)))
        return sum(done)

    def fsync(self, file: int) -> None:
        self._watch(Call(act=Act.SYNC, file=_name(file)), lambda _: self._fsync(file))

    def ftruncate(self, file: int, size: int) -> None:
        call = Call(act=Act.TRUNCATE, file=_name(file), offset=size)
        self._watch(call, lambda _: self._ftruncate(file, size))

    def unlink(self, path: str | Path, *, dir_fd: int | None = None) -> None:
        self._watch(Call(act=Act.DELETE, file=str(path)), lambda _: self._unlink(path, dir_fd=dir_fd))

    def link(self, source: str | Path, target: str | Path, *, follow_symlinks: bool = True) -> None:
        call = Call(act=Act.PLACE, file=str(source), placed=str(target))
        self._watch(call, lambda _: self._link(source, target, follow_symlinks=follow_symlinks))

    def rename(self, source: str | Path, target: str | Path) -> None:
        call = Call(act=Act.PLACE, file=str(source), placed=str(target))
        self._watch(call, lambda _: self._rename(source, target))

    def replace(self, source: str | Path, target: str | Path) -> None:
        call = Call(act=Act.PLACE, file=str(source), placed=str(target))
        self._watch(call, lambda _: self._replace(source, target))


def _name(file: int) -> str:
    """The path of an open file, as far as the system says."""
    try:
        return os.readlink(f"/proc/self/fd/{file}")
    except OSError:
        return f"/dev/fd/{file}"


class Recorder:
    """A watcher that does everything and keeps what it did."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def __call__(self, call: Call, do: Do) -> None:
        self.calls.append(call)
        do(call.content)


class Death:
    """A watcher that kills its own process at call number `at`, before it or, `torn`, when half of a write is done.

    Until it is armed nothing is counted.
    """

    def __init__(self, at: int, *, torn: bool = False) -> None:
        self._left = at
        self._torn = torn
        self._armed = False
        self._counting = threading.Lock()

    def arm(self) -> None:
        self._armed = True

    def __call__(self, call: Call, do: Do) -> None:
        with self._counting:
            self._left -= self._armed
            if self._armed and self._left == 0:
                if self._torn and call.act is Act.WRITE:
                    do(call.content[: len(call.content) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
        do(call.content)


class Refusal:
    """A watcher that refuses calls: those of these acts on files in whose path the expression `where` finds something,
    from number `at` on, `times` of them or all. SQLite is told a code of its own; whoever calls `os` is told the
    system's."""

    def __init__(
        self, acts: frozenset[Act], *, code: int, errno: int, where: str = "", at: int = 1, times: int | None = None
    ) -> None:
        self._acts, self._code, self._errno, self._where = acts, code, errno, re.compile(where)
        self._at, self._times = at, times
        self.met = 0
        self.refused = 0

    def __call__(self, call: Call, do: Do) -> None:
        if call.act in self._acts and self._where.search(call.file):
            self.met += 1
            if self.met >= self._at and (self._times is None or self.refused < self._times):
                self.refused += 1
                raise self._error(call)
        do(call.content)

    def _error(self, call: Call) -> Exception:
        if ".sqlite" in Path(call.file).name:
            return apsw.exception_for(self._code)
        return OSError(self._errno, os.strerror(self._errno), call.file)
