"""The end of a process while a thread runs the model."""

from __future__ import annotations

import subprocess
import sys

from tests.patience import WAIT_S

ENDS_DURING_A_BATCH = """
import threading, time
from muniment.backends.embedders.session import _exit_gate
from muniment.model.errors import MindUnavailable

inside = threading.Event()

def run():
    with _exit_gate.inside():
        inside.set()
        while not _exit_gate._closed:
            time.sleep(0.01)
        try:
            with _exit_gate.inside():
                print("let in")
        except MindUnavailable:
            print("turned away")
        time.sleep(0.1)
        print("the batch is done", flush=True)

threading.Thread(target=run, daemon=True).start()
assert inside.wait(300)
"""


def test_the_process_ends_after_the_batch_at_hand_and_starts_no_other() -> None:
    done = subprocess.run([sys.executable, "-c", ENDS_DURING_A_BATCH], capture_output=True, text=True, timeout=WAIT_S)
    assert (done.returncode, done.stdout) == (0, "turned away\nthe batch is done\n"), done.stderr
