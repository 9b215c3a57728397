"""A process that meets a broken disk on purpose, and says what it was told. Run with a vault and one of the plights."""

from __future__ import annotations

import os
import resource
import signal
import sys

from muniment.engine.memory import Memory
from muniment.model.errors import MunimentError

NOBODY = 65_534


def full(vault: str) -> None:
    """Write until no file may grow any more, then until it may again."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    memory = Memory.open(vault)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, limits[1]))
    failures = 0
    for number in range(2_000):
        try:
            memory.remember(f"note {number} " + "filler " * 400, proposal_id=f"p-{number}")
            print("ack", f"p-{number}", flush=True)
        except MunimentError as error:
            print("error", error.code, flush=True)
            failures += 1
        if failures == 3:
            break
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    memory.remember("room again", proposal_id="p-after")
    print("ack p-after", flush=True)
    memory.close()


def read_only(vault: str) -> None:
    """Open a vault whose files may be read and not written. Nobody in particular, for whom that holds."""
    if os.geteuid() == 0:
        os.setegid(NOBODY)
        os.seteuid(NOBODY)
    try:
        memory = Memory.open(vault, create=False)
        memory.remember("this cannot be kept")
    except MunimentError as error:
        print("error", error.code, flush=True)


if __name__ == "__main__":
    {"full": full, "read_only": read_only}[sys.argv[2]](sys.argv[1])
