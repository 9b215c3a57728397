"""Processes that write until they are killed. Forks one per line of orders, so that a start costs no imports.

An order is `VAULT MODE SEED`. Says `pid N`, then what each write was acknowledged as, then `end STATUS`.
"""

from __future__ import annotations

import os
import sys
import threading

from muniment.engine.memory import Memory
from muniment.model.claim import Claim

THREADS = 4
BATCH = 5


def say(line: str) -> None:
    """One line in one write, so that the lines of threads and processes do not mix."""
    os.write(1, line.encode() + b"\n")


def write_for_ever(vault: str, mode: str, seed: str) -> None:
    say("open")
    memory = Memory.open(vault)
    say("ready")
    if mode == "threads":
        threads = [threading.Thread(target=write_singly, args=(memory, f"{seed}-{n}")) for n in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    elif mode == "batches":
        write_batches(memory, seed)
    else:
        write_singly(memory, seed)


def write_singly(memory: Memory, seed: str) -> None:
    for number in range(1_000_000):
        name = f"p-{seed}-{number}"
        verdict = memory.remember(f"note {number} of {seed}", proposal_id=name)
        say(f"ack {name} {verdict.record_id}")
        if number % 7 == 3:
            memory.recall("note", limit=1)
        if number % 11 == 5:
            memory.ledger.checkpoint()


def write_batches(memory: Memory, seed: str) -> None:
    for number in range(1_000_000):
        names = [f"p-{seed}-{number}-{part}" for part in range(BATCH)]
        verdicts = memory.propose((name, Claim(content=f"note {name}")) for name in names)
        for verdict in verdicts:
            say(f"ack {verdict.proposal_id} {verdict.record_id}")


def main() -> None:
    for order in sys.stdin:
        child = os.fork()
        if child == 0:
            write_for_ever(*order.split())
            os._exit(0)
        say(f"pid {child}")
        _, status = os.waitpid(child, 0)
        say(f"end {status}")


if __name__ == "__main__":
    main()
