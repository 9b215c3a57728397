"""A process that writes to a vault while its vectors are made, until it is killed. A module with VAULT and MODE.

Says `ack ID` for each write, `embed N` before N passages are read and `flushed` when all vectors are there. In mode
`stuck` the first passages are never finished; in mode `busy` they are made two entries at a time; in mode `still` it
writes a little, makes the vectors, and waits.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence

from tests.recall.world import Toy

from muniment import Memory
from muniment.engine import vector_indexer

PASSAGE = "note"


def say(line: str) -> None:
    """One line in one write, so that the lines of threads do not mix."""
    os.write(1, line.encode() + b"\n")


class Telling(Toy):
    """Says what it is about to read, and reads nothing in mode `stuck`."""

    def __init__(self, mode: str) -> None:
        super().__init__()
        self._mode = mode

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        if texts[0].startswith(PASSAGE):
            say(f"embed {len(texts)}")
            if self._mode == "stuck":
                threading.Event().wait()
        return super().embed(texts)


def main(vault: str, mode: str) -> None:
    vector_indexer.ENTRIES_AT_ONCE = 2
    with Memory.open(vault, embedder=Telling(mode)) as memory:
        start = memory.ledger.head().seq
        for number in range(3 if mode == "still" else 1_000_000):
            verdict = memory.remember(f"{PASSAGE} {start + number} is about an automobile")
            say(f"ack {verdict.record_id}")
        memory.flush()
        say("flushed")
        sys.stdin.readline()


if __name__ == "__main__":
    main(*sys.argv[1:])
