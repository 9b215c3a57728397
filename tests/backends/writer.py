"""A process of its own that writes to a vault beside others. Prints the ids it was given; knows no test."""

from __future__ import annotations

import sys

from muniment.engine.memory import Memory


def main(vault: str, name: str, count: int) -> None:
    with Memory.open(vault) as memory:
        sys.stdin.readline()  # all writers start together
        for number in range(count):
            verdict = memory.remember(f"note {number} of {name}", proposal_id=f"{name}-{number}")
            print(verdict.record_id, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
