"""Run machines, fuzzers, crash tests, walls and the fault campaign for a long time, seed after seed. Knows where they
are, not what they test. Where the usual run of a test takes a spread of its cases, this one takes them all.

python scripts/sim.py                         ten minutes, from a seed of its own choosing
python scripts/sim.py --minutes 60            an hour
python scripts/sim.py --seed 7                replay one seed
python scripts/sim.py --seed 7 --minutes 5    begin with seed 7 and go on
python scripts/sim.py --seed 7 --only fuzz    one part of a round: machine, fuzz, crash, walls or faults

Everything random follows from the seed, except the instants at which processes that run freely are killed.
"""

from __future__ import annotations

import argparse
import os
import secrets
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FAULTS = "faults"
PARTS: dict[str, tuple[str, ...]] = {
    "machine": ("tests/machine",),
    "fuzz": ("tests/fuzz/test_decoders.py", "tests/fuzz/test_work.py"),
    "crash": ("tests/crash/test_kill.py", "tests/crash/test_every_touch.py", "tests/crash/test_disk.py"),
    "walls": ("tests/walls",),
    "postgres": (
        *("tests/postgres/test_processes.py", "tests/postgres/test_failover.py", "tests/postgres/test_crash.py"),
        *("tests/postgres/test_every_touch.py", "tests/postgres/test_machine.py"),
    ),
    FAULTS: (),
}
LENGTHS = {"EXAMPLES": "150", "VAULTS": "6", "FUZZ": "3000", "LONG": "1"}
CAMPAIGN_MINUTES = 2.0
MINUTES = 10.0
SEED_MAX = 2**31


class Wish(NamedTuple):
    """What is asked for: where to begin, how long to go on, which parts, and tests that stand in for theirs."""

    seed: int
    minutes: float
    parts: tuple[str, ...]
    tests: tuple[str, ...]


def main() -> int:
    wish = read_wish()
    end = time.monotonic() + wish.minutes * 60
    seed, rounds = wish.seed, 0
    while True:
        say(f"seed {seed}")
        failed = next((part for part in wish.parts if not passes(part, seed, wish, end)), None)
        if failed is not None:
            say(f"failed with seed {seed} in {failed}; replay with: make sim SEED={seed}")
            return 1
        rounds += 1
        if time.monotonic() >= end:
            say(f"nothing found in {rounds} {'round' if rounds == 1 else 'rounds'}")
            return 0
        seed = (seed + 1) % SEED_MAX


def read_wish() -> Wish:
    parser = argparse.ArgumentParser(description="Long machine, fuzz, crash and fault runs.")
    parser.add_argument("--seed", type=int, help="the seed to begin with; alone, the only one")
    parser.add_argument(
        "--minutes", type=float, help=f"how long to go on (default: {MINUTES:g}; with --seed: one round)"
    )
    parser.add_argument("--only", choices=PARTS, action="append", help="one part of a round; may be said again")
    parser.add_argument("--tests", action="append", default=[], help="tests that stand in for those of the parts")
    given = parser.parse_args()
    usual = 0.0 if given.seed is not None else MINUTES
    return Wish(
        seed=given.seed if given.seed is not None else secrets.randbelow(SEED_MAX),
        minutes=given.minutes if given.minutes is not None else usual,
        parts=tuple(given.only or PARTS),
        tests=tuple(given.tests),
    )


def passes(part: str, seed: int, wish: Wish, end: float) -> bool:
    """One part of a round, with what it says shown as it says it."""
    begun = time.monotonic()
    left = max(0.0, end - begun) / 60
    say(f"seed {seed}: {part} ({left:.1f} minutes left)")
    code = campaign(seed, left) if part == FAULTS else tested(seed, wish.tests or PARTS[part])
    say(f"seed {seed}: {part} {'found nothing' if code == 0 else 'FAILED'} in {time.monotonic() - begun:.0f} s")
    return code == 0


def tested(seed: int, tests: tuple[str, ...]) -> int:
    """Tests under pytest, long, from this seed."""
    environment = {**os.environ, **{f"MUNIMENT_TEST_{name}": value for name, value in LENGTHS.items()}}
    environment["MUNIMENT_TEST_SEED"] = str(seed)
    options = ["-q", "-n", "0", "--maxfail=3", "-p", "no:cacheprovider", "--timeout=3600", f"--hypothesis-seed={seed}"]
    return subprocess.run([sys.executable, "-m", "pytest", *options, *tests], cwd=ROOT, env=environment).returncode


def campaign(seed: int, left: float) -> int:
    """The fault campaign, for a while of each round."""
    minutes = min(CAMPAIGN_MINUTES, max(0.5, left))
    command = [sys.executable, "-m", "tests.faults.campaign", str(seed), f"{minutes:g}"]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, "MUNIMENT_EMBEDDER": "none"}).returncode


def say(text: str) -> None:
    sys.stdout.write(f"sim: {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
