"""Processes that move a vault and die in the midst of it, at the call of a function that they are told by its number.

An order is `CALL SOURCE TARGET`, separated by tabs. Calls of our own functions are counted from one; zero is never met.
Says how many there were, if the move lived to its end, and then `end STATUS`.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from tests.postgres.moving import move

from muniment.engine.moving import follow_ledger

PLACES = ("/muniment/engine/moving/", "/muniment/write/following.py", "/muniment/backends/")


class Counted:
    """Counts the calls of functions, and ends the process at one of them."""

    def __init__(self, at: int) -> None:
        self._at = at
        self.count = 0

    def __call__(self, frame: FrameType, event: str, about: object) -> None:
        if event == "call" and any(place in frame.f_code.co_filename for place in PLACES):
            self.count += 1
            if self.count == self._at:
                os.kill(os.getpid(), signal.SIGKILL)


def run(at: int, source: str, target: str) -> None:
    follow_ledger.ENTRIES_AT_ONCE = follow_ledger.RECEIPTS_AT_ONCE = 6
    counted = Counted(at)
    sys.setprofile(counted)
    move(source, target)
    sys.setprofile(None)
    os.write(1, f"{counted.count}\n".encode())


def main() -> None:
    for order in sys.stdin:
        at, source, target = order.rstrip("\n").split("\t")
        child = os.fork()
        if child == 0:
            run(int(at), source, target)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        os.write(1, f"end {status}\n".encode())


if __name__ == "__main__":
    main()
