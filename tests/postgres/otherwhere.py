"""Another process that uses the same database: it reads from its input what to write where, and says when it has."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from muniment import Memory


class Elsewhere:
    """The other process, as seen from this one."""

    def __init__(self, child: subprocess.Popen[str]) -> None:
        self._child = child

    def remembers(self, dsn: str, tenant: str, words: str) -> None:
        """Have something written; it is kept when this returns."""
        self._tell(f"{dsn}\t{tenant}\t{words}")

    def leaves(self) -> None:
        """Have its memory closed: whoever closes signs, and the next test has the place for itself."""
        self._tell("")

    def _tell(self, line: str) -> None:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(f"{line}\n")
        self._child.stdin.flush()
        assert self._child.stdout.readline() == "done\n"


@contextmanager
def elsewhere() -> Iterator[Elsewhere]:
    command = [sys.executable, "-m", "tests.postgres.otherwhere"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        try:
            yield Elsewhere(child)
        finally:
            child.kill()


def _write() -> None:
    """A memory stays open until another is asked for, or none, so that nothing is told by its closing."""
    opened = ExitStack()
    here, memory = "", None
    for line in sys.stdin:
        place, _, words = line.rstrip("\n").rpartition("\t")
        if place != here:
            opened.close()
            here = place
            if place:
                dsn, tenant = place.split("\t")
                memory = opened.enter_context(Memory.open(dsn, tenant=tenant, embedder=None))
        if place:
            assert memory is not None
            assert memory.remember(words).record_id is not None
        print("done", flush=True)


if __name__ == "__main__":
    _write()
