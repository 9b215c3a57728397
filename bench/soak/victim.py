"""A process that writes until it is killed, and goes on after Ctrl-C as an interactive session does.

Says a JSON list on a line: `["ack", record, entry, said]` for each write, `["stale", what]`, `["error", what]`.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import astuple

import msgspec

from bench.soak.talk import Talk
from muniment import Memory
from muniment.model.errors import MunimentError, StoreBusy

_PAUSE_S = 0.1


def say(*words: object) -> None:
    """One line in one write."""
    os.write(1, msgspec.json.encode(words) + b"\n")


def write_one(memory: Memory, talk: Talk) -> None:
    said = talk.say()
    told = memory.remember(said.text)
    if not told.committed:
        return
    say("ack", told.record_id, told.epoch, astuple(said))
    assert told.record_id is not None
    if (seen := memory.ledger.head().seq) < told.epoch:
        say("stale", f"its own read sees entry {seen}, {told.epoch} was acknowledged")
    if memory.get(told.record_id).record.content != said.text:
        say("stale", f"it does not see what it was acknowledged as {told.record_id}")


def write_for_ever(vault: str, talk: Talk) -> None:
    memory: Memory | None = None
    while True:
        try:
            if memory is None:
                memory = Memory.open(vault, embedder=None)
                say("open")
            write_one(memory, talk)
            time.sleep(_PAUSE_S)
        except KeyboardInterrupt:
            continue
        except StoreBusy:
            say("busy")
        except MunimentError as error:
            say("error", f"{error.code}: {error}")


def main() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a soak in the background inherits that it is ignored
    vault, seed = sys.argv[1:]
    talk = Talk(seed)
    while True:
        try:
            write_for_ever(vault, talk)
        except KeyboardInterrupt:  # while another was being answered
            continue


if __name__ == "__main__":
    main()
