"""Processes that do a deed and die at a call to the disk. Forks one per order, so that a start costs no imports.

An order is one line: vault, deed, the number of the call, and `torn` or `whole`. Says `ack` if the deed was
acknowledged, `done` if it came to its end alive, `failed CODE` if it was told an error, then `end STATUS`.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from tests.faults.deeds import perform
from tests.support.vfs import Death, watched_disk

from muniment.model.errors import MunimentError

LIFE_S = 600


def say(line: str) -> None:
    os.write(1, line.encode() + b"\n")


def live(vault: str, deed: str, at: str, how: str) -> None:
    signal.alarm(LIFE_S)  # who hangs is ended by another signal than who dies as ordered
    death = Death(int(at), torn=how == "torn")
    with watched_disk(death):
        try:
            perform(deed, Path(vault), death.arm, say)
        except MunimentError as error:
            say(f"failed {error.code}")
            return
    say("done")


def main() -> None:
    for order in sys.stdin:
        child = os.fork()
        if child == 0:
            live(*order.split())
            os._exit(0)
        _, status = os.waitpid(child, 0)
        say(f"end {status}")


if __name__ == "__main__":
    main()
