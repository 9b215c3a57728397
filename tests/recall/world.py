"""Doubles for the tests of recall: embedders that are exact, slow, broken or of another model, and memories over both
stores that live through the same history."""

from __future__ import annotations

import struct
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.patience import WAIT_S
from tests.support.memory_store.store import MemoryTenant
from tests.support.world import SeededIds, SeededSigner, TickingClock, default_policy

from muniment import Memory
from muniment.backends.sqlite.store import SqliteTenant
from muniment.engine.session import Session
from muniment.engine.tenant import Tenant
from muniment.model.actor import OWNER
from muniment.model.curation import Verdict
from muniment.model.errors import ModelUnavailable
from muniment.model.recall import Recall
from muniment.model.times import Instant
from muniment.policy.decide import resolve
from muniment.policy.parse import parse_policy
from muniment.policy.rules import Policy
from muniment.ports.embedder import Embedder
from muniment.ports.extractor import Extractor
from muniment.ports.store import TenantStore

SYNONYMS = {"car": "automobile", "vehicle": "automobile", "purchase": "buy", "acquire": "buy", "physician": "doctor"}
"""Words a toy takes for one another: what tells a search by meaning from a search by words."""

POLICY = """\
version: 1
name: test
actors:
  owner: {type: person, roles: [owner], authority: 10}
  ana: {type: person, roles: [hr], projects: [default], teams: [red]}
  bot: {type: agent, roles: [agent], projects: [default, apollo], sessions: [s1]}
  auditor: {type: person, roles: [auditor]}
  guest: {type: agent, roles: [guest]}
write:
  - {id: all, scopes: [session, project, agent_team, agent_repo], decision: commit, reason: may}
read:
  - {id: owner-reads, roles: [owner], member: false}
  - {id: members-read, roles: [hr, agent], member: true, sensitivity_max: internal}
  - {id: hr-reads, roles: [hr], member: true, namespaces: [/hr], kinds: [observation, risk], sensitivity_max: private}
  - {id: audit-reads, roles: [auditor], member: false, purposes: [audit], trust_min: high}
review:
  - {id: owner-reviews, roles: [owner], actions: [accept, discard, retract, queue, audit, observe, resolve, name]}
"""


def policy(text: str = POLICY) -> Policy:
    return parse_policy(text, place="test.yaml")


class Toy:
    """Counts words, synonyms as one word, into a few numbers: texts that share words are near, and so are synonyms."""

    dimensions = 512

    def __init__(self, model: str = "toy@1") -> None:
        self.model = model
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        self.asked += texts
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> bytes:
        numbers = [0.0] * self.dimensions
        for word in text.lower().split():
            plain = word.strip(".,;:!?()'\"")
            numbers[self._place(SYNONYMS.get(plain, plain))] += 1.0
        length = sum(number * number for number in numbers) ** 0.5 or 1.0
        return struct.pack(f"<{self.dimensions}f", *(number / length for number in numbers))

    def _place(self, word: str) -> int:
        return zlib.crc32(f"{self.model} {word}".encode()) % self.dimensions


class Quarters:
    """Sixteen quarters, plus or minus, by the text's checksum: of length one, and every cosine an eighth of a whole
    number, so that what is nearest can be worked out without rounding. Texts in `shut` are refused."""

    model = "quarters@1"
    dimensions = 16

    def __init__(self) -> None:
        self.shut: set[str] = set()

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        if self.shut.intersection(texts):
            raise ModelUnavailable("the model does not read these")
        return [self.vector(text) for text in texts]

    @staticmethod
    def vector(text: str) -> bytes:
        bits = zlib.crc32(text.encode())
        return struct.pack("<16f", *(0.25 if bits >> bit & 1 else -0.25 for bit in range(16)))


class Stuck(Toy):
    """Stops at texts that hold the word `slow` until it is let go, and says when it has stopped."""

    def __init__(self, model: str = "toy@1") -> None:
        super().__init__(model)
        self.arrived, self.free = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        if any("slow" in text for text in texts):
            self.arrived.set()
            assert self.free.wait(WAIT_S), "nobody let the embedder go"
        return super().embed(texts)


class Broken(Toy):
    """Fails as long as it is `down`."""

    def __init__(self, model: str = "toy@1") -> None:
        super().__init__(model)
        self.down = True

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        if self.down:
            raise ModelUnavailable("the model is down")
        return super().embed(texts)


def memory_over(
    store: TenantStore,
    embedder: Embedder | None = None,
    *,
    rules: Policy | None = None,
    extractor: Extractor | None = None,
    clock: TickingClock | None = None,
) -> Memory:
    """A memory in a world that follows from nothing but a seed, seen by its owner."""
    chosen = rules if rules is not None else default_policy()
    tenant = Tenant(
        store,
        chosen,
        signer=SeededSigner(),
        clock=clock or TickingClock(),
        ids=SeededIds(),
        embedder=embedder,
        extractor=extractor,
    )
    return Memory(Session(tenant, resolve(chosen, OWNER)))


@contextmanager
def both(folder: Path, make: Callable[[], Embedder], rules: Policy | None = None) -> Iterator[tuple[Memory, Memory]]:
    """The same memory over the reference store and over SQLite: what is done to both gives both the same ids."""
    disk = SqliteTenant(folder / "default.sqlite", "default", create=True)
    with disk.scratch() as sqlite:
        pair = tuple(memory_over(store, make(), rules=rules) for store in (MemoryTenant("default"), sqlite))
        try:
            yield pair[0], pair[1]
        finally:
            for memory in pair:
                memory.close()
    disk.close()


@contextmanager
def on_disk(
    folder: Path,
    embedder: Embedder | None = None,
    rules: Policy | None = None,
    *,
    extractor: Extractor | None = None,
) -> Iterator[Memory]:
    """A memory over a SQLite store that is gone afterwards, and need not be safe from power cuts."""
    disk = SqliteTenant(folder / "default.sqlite", "default", create=True)
    with disk.scratch() as store:
        memory = memory_over(store, embedder, rules=rules, extractor=extractor)
        try:
            yield memory
        finally:
            memory.close()
    disk.close()


def kept(verdict: Verdict) -> str:
    """The id of the record a proposal became."""
    assert verdict.record_id is not None, verdict.reason
    return verdict.record_id


def contents(answer: Recall) -> list[str]:
    return [one.record.content for one in answer.records]


def ids(answer: Recall) -> list[str]:
    return [one.record.id for one in answer.records]


def eventually(true: Callable[[], bool]) -> bool:
    """Wait, for a bounded number of turns, until something another thread does is done."""
    turn = threading.Event()
    return any(true() or turn.wait(0.01) for _ in range(100 * WAIT_S))


def instant(seconds: int) -> Instant:
    """So many ticks after a ticking clock was started."""
    clock = TickingClock()
    return Instant(clock.now() + seconds * 1_000_000)
