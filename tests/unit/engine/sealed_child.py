"""A process beside a test: writes into an encrypted vault and waits to be killed, or writes many and ends."""

from __future__ import annotations

import sys

from tests.patience import WAIT_S
from tests.unit.engine.sealed import ACTOR, TEXT, embed

from muniment import Memory


def main(mode: str, vault: str, key: str) -> None:
    memory = Memory.open(vault, embedder=embed, encryption_key=key)
    if mode == "write":
        memory.as_actor(ACTOR).remember(TEXT)
        memory.flush(timeout=WAIT_S)
        memory.recall("marzipanettes")
        print("written", flush=True)
        sys.stdin.read()
        return
    for number in range(20):
        memory.remember(f"Number {number} of the child", proposal_id=f"child-{number}")
    memory.close()
    print("done", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
