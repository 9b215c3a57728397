"""Run the machine and the crash tests for a long time, seed after seed. Knows where the tests are, not what they test.

python scripts/sim.py                     ten minutes, from a seed of its own choosing
python scripts/sim.py --minutes 60        an hour
python scripts/sim.py --seed 7            replay one seed, exactly
python scripts/sim.py --seed 7 --minutes 5   begin with seed 7 and go on
"""

from __future__ import annotations

import argparse
import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ("tests/machine", "tests/crash/test_kill.py", "tests/crash/test_every_touch.py", "tests/crash/test_disk.py")
EXAMPLES = 150
VAULTS = 6
SEED_MAX = 2**31


def main() -> int:
    parser = argparse.ArgumentParser(description="Long machine and crash runs.")
    parser.add_argument("--seed", type=int, help="the seed to begin with; alone, the only one")
    parser.add_argument("--minutes", type=float, help="how long to go on (default: 10; with --seed: one round)")
    given = parser.parse_args()
    seed = given.seed if given.seed is not None else secrets.randbelow(SEED_MAX)
    minutes = given.minutes if given.minutes is not None else (0.0 if given.seed is not None else 10.0)
    end = time.monotonic() + minutes * 60
    while True:
        say(f"seed {seed}")
        if run(seed) != 0:
            say(f"failed with seed {seed}; replay with: make sim SEED={seed}")
            return 1
        if time.monotonic() >= end:
            say("nothing found")
            return 0
        seed = (seed + 1) % SEED_MAX


def run(seed: int) -> int:
    """One round. Everything random in it follows from the seed."""
    environment = {
        **os.environ,
        "MUNIMENT_TEST_LONG": "1",
        "MUNIMENT_TEST_EXAMPLES": str(EXAMPLES),
        "MUNIMENT_TEST_VAULTS": str(VAULTS),
        "MUNIMENT_TEST_SEED": str(seed),
    }
    options = ["-q", "-n", "0", "-x", "-p", "no:cacheprovider", "--timeout=3600", f"--hypothesis-seed={seed}"]
    return subprocess.run([sys.executable, "-m", "pytest", *options, *TESTS], cwd=ROOT, env=environment).returncode


def say(text: str) -> None:
    sys.stdout.write(f"sim: {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
