"""A simulated world: a clock that is set by hand, names and salt from a seed, a key in memory, and a memory over them.

Two worlds made with the same seed and asked the same things hold the same bytes.
"""

from __future__ import annotations

import random
import threading
from functools import cache

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tests.support.memory_store.store import MemoryTenant

from muniment.engine.memory import Memory
from muniment.engine.session import Session
from muniment.engine.tenant import Tenant
from muniment.engine.vault import default_policy_text
from muniment.model import times
from muniment.model.actor import OWNER, Actor
from muniment.model.times import Instant
from muniment.policy.decide import resolve
from muniment.policy.parse import parse_policy
from muniment.policy.rules import Policy
from muniment.ports.clock_and_ids import Clock, Ids, Signer
from muniment.ports.store import TenantStore

START = times.parse("2026-01-01", field="start")
SECOND = 1_000_000


class TickingClock:
    """A clock that goes on by one step each time it is read, and can be set, backwards too.

    >>> clock = TickingClock(Instant(10), step=5)
    >>> clock.now(), clock.now()
    (10, 15)
    """

    def __init__(self, start: Instant = START, *, step: int = SECOND) -> None:
        self._next = start
        self._step = step
        self._reading = threading.Lock()

    def now(self) -> Instant:
        with self._reading:
            instant = self._next
            self._next = Instant(instant + self._step)
            return instant

    def set(self, instant: Instant) -> None:
        """Make `instant` the next one that is read."""
        with self._reading:
            self._next = instant


class SeededIds:
    """Names and salt that follow from a seed alone. Names sort in the order they were made.

    >>> SeededIds(7).fresh("rec") == SeededIds(7).fresh("rec"), SeededIds(7).salt() == SeededIds(8).salt()
    (True, False)
    """

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)
        self._count = 0
        self._drawing = threading.Lock()

    def fresh(self, prefix: str) -> str:
        with self._drawing:
            self._count += 1
            return f"{prefix}_{self._count:09d}{self._random.getrandbits(64):016x}"

    def salt(self) -> bytes:
        with self._drawing:
            return self._random.randbytes(16)


_KEY_SEED = 0
"""Whatever else differs from one run to another: a ledger is gone on with by whoever has its key."""


class SeededSigner:
    """An Ed25519 key that follows from a seed. For tests only: whoever knows the seed can sign."""

    def __init__(self, seed: int = 0) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(random.Random(seed).randbytes(32))
        self.key_id = self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)


@cache
def default_policy() -> Policy:
    """The policy that a new vault is given."""
    return parse_policy(default_policy_text(), place="default.yaml")


def simulated_memory(
    store: TenantStore | None = None,
    *,
    seed: int = 0,
    actor: str | Actor = OWNER,
    policy: Policy | None = None,
    clock: Clock | None = None,
    ids: Ids | None = None,
    signer: Signer | None = None,
) -> Memory:
    """A memory in a simulated world, over `store` or else over a fresh reference store.

    >>> memory = simulated_memory()
    >>> verdict = memory.remember("The build is green")
    >>> [found.record.id for found in memory.recall("build").records] == [verdict.record_id]
    True
    """
    rules = policy if policy is not None else default_policy()
    tenant = Tenant(
        store if store is not None else MemoryTenant("default"),
        rules,
        signer=signer or SeededSigner(_KEY_SEED),
        clock=clock or TickingClock(),
        ids=ids or SeededIds(seed),
    )
    return Memory(Session(tenant, actor if isinstance(actor, Actor) else resolve(rules, actor)))
