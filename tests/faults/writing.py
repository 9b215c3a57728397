"""A process that writes to a vault until it is killed, and says each write that was acknowledged.

Run with a vault, a name, and `freely` or `asked`: one write for each line it is given.
"""

from __future__ import annotations

import os
import signal
import sys

from muniment import Memory

LIFE_S = 600


def main(vault: str, name: str, pace: str) -> None:
    signal.alarm(LIFE_S)
    with Memory.open(vault, embedder=None) as memory:
        for number in range(1_000_000):
            if pace == "asked" and not sys.stdin.readline():
                return
            verdict = memory.remember(f"note {number} of {name}", proposal_id=f"{name}-{number}")
            os.write(1, f"ack {name}-{number} {verdict.record_id}\n".encode())
            if number % 5 == 4:
                memory.recall(f"note of {name}", limit=1)
            if number % 7 == 6:
                memory.forget(str(verdict.record_id), reason="asked to")
                os.write(1, f"gone {verdict.record_id}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
