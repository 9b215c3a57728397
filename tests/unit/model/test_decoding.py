"""Typed decoding: what threads may do at once."""

from __future__ import annotations

import subprocess
import sys

from tests.patience import WAIT_S

TWO_THREADS = """
import threading
from muniment.model.decoding import convert, decode_json
from muniment.model.value import Value

class Slow:
    second = None
    @property
    def kind(self):  # evaluated while the first thread is in the middle of describing Outer
        if Slow.second is None:
            Slow.second = threading.Thread(target=lambda: found.append(convert({"inner": {"number": 2}}, Outer)))
            Slow.second.start()
            Slow.second.join(0.3)
        return int

slow, found = Slow(), []

class Inner(Value):
    number: "slow.kind"

class Outer(Value):
    inner: Inner

found.append(decode_json(b'{"inner": {"number": 1}}', Outer))
Slow.second.join()
print(sorted(one.inner.number for one in found))
"""


def test_a_type_that_one_thread_is_describing_can_be_used_by_another() -> None:
    done = subprocess.run([sys.executable, "-c", TWO_THREADS], capture_output=True, text=True, timeout=WAIT_S)
    assert (done.returncode, done.stdout) == (0, "[1, 2]\n"), done.stderr


def test_a_forked_child_can_describe_types() -> None:
    script = (
        "import os\n"
        "from muniment.model.decoding import decode_json\n"
        "child = os.fork()\n"
        "print(decode_json('[1]', list[int]), flush=True)\n"
        "if child: raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=WAIT_S)
    assert (done.returncode, done.stdout.replace("\n", "")) == (0, "[1][1]"), done.stderr  # both write at once
