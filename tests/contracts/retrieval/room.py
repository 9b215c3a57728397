"""A governed memory of one tenant with a clock set by hand, and a query to begin with. Knows no expected value."""

from __future__ import annotations

from tests.support.memory_store.store import MemoryTenant
from tests.support.world import START, TickingClock, simulated_memory

from muniment import Memory
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.claim import Belief, Claim, Nature, Origin, Times
from muniment.model.times import DAY, Instant
from muniment.model.vocabulary import Kind, MemoryClass

TENANT = "tenant-acme"
READER = "user-42"
WORDS = "the support queue takes tickets"
QUERY: JsonObject = {
    "kind": "retrieval_query",
    "trace_id": "trace-001",
    "session_id": "session-001",
    "tenant_id": TENANT,
    "principal_id": READER,
    "purpose": "answer_generation",
    "allowed_classes": ["profile", "long_term", "short_term"],
    "limit": 5,
    "query": WORDS,
}


def query(**changes: Json) -> JsonObject:
    """The query with some of it changed; None takes a field out."""
    return {name: value for name, value in {**QUERY, **changes}.items() if value is not None}


class Room:
    """A memory, its clock, and who reads it."""

    def __init__(self, tenant: str = TENANT) -> None:
        self.clock = TickingClock(step=0)
        self.memory: Memory = simulated_memory(MemoryTenant(tenant), clock=self.clock)
        self.reader: Memory = self.memory.as_actor(READER)

    def later(self, days: float) -> None:
        """Let time pass, counted from the beginning."""
        self.clock.set(Instant(int(START + days * DAY)))

    def keep(
        self,
        content: str,
        *,
        memory_class: str = "long_term",
        source: str | None = "validated_service_rule",
        by: str = "owner",
        confidence: float = 0.8,
        evidence: tuple[str, ...] = (),
        expires_at: Instant | None = None,
    ) -> str:
        """Remember something; what a person says is highly trusted, an agent's word with evidence a little."""
        claim = Claim(
            content=content,
            nature=Nature(kind=Kind.OBSERVATION, memory_class=MemoryClass(memory_class)),
            origin=Origin(source=source),
            belief=Belief(score=confidence, evidence=evidence),
            times=Times(expires_at=expires_at),
        )
        verdict = self.memory.as_actor(by).propose(claim)
        assert verdict.record_id is not None, verdict.reason
        return verdict.record_id
