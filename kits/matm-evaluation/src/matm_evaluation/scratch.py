"""A vault for one run: made in a temporary folder, with a clock set by hand and numbered names, and gone afterwards.

Two runs that ask the same things are given the same names and times.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from muniment.compat.matm.desk import POLICY_FILE, matm_policy
from muniment.engine import Memory
from muniment.model.times import Instant, parse
from muniment.policy.rules import Policy, PolicyMember

START = parse("2026-06-23T08:00:00Z", field="start")


class StillClock:
    """A clock that stands until it is moved."""

    def __init__(self, start: Instant = START) -> None:
        self._instant = start

    def now(self) -> Instant:
        return self._instant

    def forward(self, micros: int) -> None:
        self._instant = Instant(self._instant + micros)

    def reach(self, instant: Instant) -> None:
        """Go on to an instant; one that is past changes nothing."""
        self._instant = max(self._instant, instant)


class NumberedIds:
    """Names by number and salt by digest, so that a run can be repeated to the byte."""

    def __init__(self) -> None:
        self._count = 0

    def fresh(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}_{self._count:06d}"

    def salt(self) -> bytes:
        self._count += 1
        return hashlib.sha256(str(self._count).encode()).digest()[:16]


@contextmanager
def scratch_memory(
    clock: StillClock | None = None, cast: Mapping[str, PolicyMember] | None = None, policy: Policy | None = None
) -> Iterator[Memory]:
    """An empty memory under the profile's policy, or another, which also knows this cast; seen by its owner."""
    rules_ = policy if policy is not None else matm_policy()
    whole = msgspec.structs.replace(rules_, actors={**rules_.actors, **(cast or {})})
    with TemporaryDirectory(prefix="muniment-matm-") as folder:
        rules = Path(folder) / POLICY_FILE
        rules.write_bytes(msgspec.json.encode(whole))  # every JSON text is a YAML text
        vault = Path(folder) / "vault"
        memory = Memory.open(vault, policy=rules, clock=clock or StillClock(), ids=NumberedIds(), embedder=None)
        with memory:
            yield memory
