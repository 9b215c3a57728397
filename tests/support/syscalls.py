"""The system calls under SQLite, meddled with: interrupted, cut short, refused, or answered with other bytes.

SQLite's own VFS for unix looks its calls up in a table that can be changed while a program runs. A meddler is put
there, so that what SQLite does about an interruption or half a write is put to the test too.
"""

from __future__ import annotations

import ctypes
import errno as codes
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import apsw

Meddle = Callable[[str, int, int], int | None]
"""Told the name of a call, how many bytes and at which offset (or size, for a truncation). None lets it through, a
negative number fails it with that errno, any other does so many bytes of it and no more."""

_BYTES = ctypes.CFUNCTYPE(
    ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64, use_errno=True
)
_SIZE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int64, use_errno=True)
READ, WRITE, TRUNCATE = "pread64", "pwrite64", "ftruncate"
_DENIED = -1
SYSTEM = "unix"
"""The name of SQLite's own way to the files of a unix system."""


@contextmanager
def meddled(meddle: Meddle) -> Iterator[None]:
    """Let `meddle` decide on every read, write and truncation of SQLite while the block lasts."""
    system = apsw.VFS("muniment-system", SYSTEM)
    plain = {name: _address(system, name) for name in (READ, WRITE, TRUNCATE)}
    ours = (
        _mover(READ, plain[READ], meddle),
        _mover(WRITE, plain[WRITE], meddle),
        _sizer(TRUNCATE, plain[TRUNCATE], meddle),
    )
    for name, function in zip(plain, ours, strict=True):
        system.xSetSystemCall(name, ctypes.cast(function, ctypes.c_void_p).value or 0)
    try:
        yield
    finally:
        for name, address in plain.items():
            system.xSetSystemCall(name, address)
        system.unregister()


def _mover(name: str, address: int, meddle: Meddle) -> ctypes._CFunctionType:
    """What stands in the place of a call that moves bytes."""
    plain = _BYTES(address)

    def call(file: int, buffer: int, size: int, offset: int) -> int:
        told = meddle(name, size, offset)
        if told is not None and told < 0:
            ctypes.set_errno(-told)
            return _DENIED
        return int(plain(file, buffer, size if told is None else min(told, size), offset))

    return _BYTES(call)


def _sizer(name: str, address: int, meddle: Meddle) -> ctypes._CFunctionType:
    """What stands in the place of a call that sets a file's size."""
    plain = _SIZE(address)

    def call(file: int, size: int) -> int:
        told = meddle(name, 0, size)
        if told is not None and told < 0:
            ctypes.set_errno(-told)
            return _DENIED
        return int(plain(file, size))

    return _SIZE(call)


def _address(system: apsw.VFS, name: str) -> int:
    found = system.xGetSystemCall(name)
    assert found is not None, f"this system's SQLite does not call {name}"
    return found


def every_other_interrupted() -> Meddle:
    """Each call is interrupted once before it is let through."""
    seen = [0]

    def meddle(_name: str, _size: int, _offset: int) -> int | None:
        seen[0] += 1
        return -codes.EINTR if seen[0] % 2 else None

    return meddle


def halves(name: str) -> Meddle:
    """Calls of that name do at most half of what they are asked."""
    return lambda called, size, _: size // 2 if called == name and size > 1 else None


class Failing:
    """Fails calls of one name, from number `at` on, `times` of them or all; counts what it met."""

    def __init__(self, name: str, errno: int, *, at: int = 1, times: int | None = None) -> None:
        self._name, self._errno, self._at, self._times = name, errno, at, times
        self.met = 0
        self.failed = 0

    def __call__(self, name: str, _size: int, _offset: int) -> int | None:
        if name != self._name:
            return None
        self.met += 1
        if self.met < self._at or (self._times is not None and self.failed >= self._times):
            return None
        self.failed += 1
        return -self._errno
