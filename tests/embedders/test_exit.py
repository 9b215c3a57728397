"""The end of a process while a thread runs the model."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.patience import WAIT_S

from muniment.backends.embedders.choose import installed
from muniment.config import read_environment

ENDS_DURING_A_BATCH = """
import threading, time
from muniment.backends.embedders.exit_gate import exit_gate
from muniment.model.errors import ModelUnavailable

inside = threading.Event()

def run():
    with exit_gate.inside():
        inside.set()
        while not exit_gate._closed:
            time.sleep(0.01)
        try:
            with exit_gate.inside():
                print("let in")
        except ModelUnavailable:
            print("turned away")
        time.sleep(0.1)
        print("the batch is done", flush=True)

threading.Thread(target=run, daemon=True).start()
assert inside.wait(300)
"""


def test_the_process_ends_after_the_batch_at_hand_and_starts_no_other() -> None:
    done = subprocess.run([sys.executable, "-c", ENDS_DURING_A_BATCH], capture_output=True, text=True, timeout=WAIT_S)
    assert (done.returncode, done.stdout) == (0, "turned away\nthe batch is done\n"), done.stderr


LOADS_AND_ENDS = """
import os, sys, threading
from pathlib import Path
from muniment.backends.embedders.minilm import MiniLM

loading, folder = threading.Event(), Path(sys.argv[1])

class Slow(MiniLM):
    def _load(self):
        loading.set()
        threading.Event().wait(0.2)
        print("loaded", flush=True)
        os._exit(0)

if len(sys.argv) > 2 and (child := os.fork()):
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
threading.Thread(target=Slow(folder).embed, args=(["a"],), daemon=True).start()
assert loading.wait(60)
"""


@pytest.mark.parametrize("forked", [(), ("forked",)], ids=["the process", "its child"])
def test_the_process_ends_after_a_model_that_is_being_loaded(forked: tuple[str, ...], tmp_path: Path) -> None:
    command = [sys.executable, "-c", LOADS_AND_ENDS, str(tmp_path), *forked]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "loaded\n"), done.stderr


README = """
import sys, time
from muniment import Memory

memory = Memory.open(sys.argv[1], embedder=\"minilm\")
memory.remember("The staging database moved to eu-west-2", kind="fact", evidence=["ticket:OPS-7"], confidence=0.9)
if sys.argv[3] == "asks":
    memory.recall("where is the staging database?")
time.sleep(float(sys.argv[2]))
"""
MODEL = installed(read_environment().models_folder)


@pytest.mark.slow
@pytest.mark.skipif(not MODEL.present, reason="the model is not installed")
@pytest.mark.parametrize("asks", ["asks", "writes"])
@pytest.mark.parametrize("number", range(15))
def test_a_script_that_closes_nothing_ends_well(number: int, asks: str, tmp_path: Path) -> None:
    """Thirty ends, each a little later than the one before, so that some fall into the loading of the model."""
    command = [sys.executable, "-c", README, str(tmp_path), str(number / 8), asks]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
