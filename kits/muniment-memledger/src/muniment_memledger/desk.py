"""What every part of the face shares: the memory, who asks, what they may, and what is noted of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cached_property
from typing import ParamSpec, TypeVar

import msgspec

from muniment.contracts.memledger.wire import CONTENT_SHOWN_MAX
from muniment.contracts.names import safe_id
from muniment.engine import ConflictView, Memory
from muniment.model import checks
from muniment.model.errors import ModelUnavailable, NotFound, StoreBusy
from muniment.model.query import Disclosure
from muniment.model.record import Record
from muniment_memledger.config import MemledgerConfig
from muniment_memledger.convert import namespace_of, record_of
from muniment_memledger.hooks import Hook, LifecycleHooks, tell
from muniment_memledger.policies.conflict_resolution import word_likeness
from muniment_memledger.policies.namespace_rbac import (
    DEFAULT_RULE,
    NOBODY,
    READ,
    AccessDecision,
    NamespaceAccessDenied,
    NamespaceRBAC,
)
from muniment_memledger.records import ConflictRef, MemoryRecord
from muniment_memledger.strategies.audit import AuditLog
from muniment_memledger.strategies.policies import Complete, MemledgerStrategies
from muniment_memledger.strategies.scoring import compute_mqs

P = ParamSpec("P")
T = TypeVar("T")


HIDDEN = "(hidden)"
"""Stands for a path whose name the caller is not told."""


SETTLE_SECONDS = 30.0


class Used(msgspec.Struct):
    """How often a record was handed out by this process, beyond what its card said at first; and to whom."""

    before: int
    count: int = 0
    last: datetime | None = None
    users: dict[str, tuple[int, datetime]] = msgspec.field(default_factory=dict)


class Desk:
    """One memory behind memledger's face. `identity` is who asks if a call does not say."""

    def __init__(
        self,
        memory: Memory,
        config: MemledgerConfig,
        strategies: MemledgerStrategies,
        *,
        rbac: NamespaceRBAC | None = None,
        identity: str | None = None,
        complete: Complete | None = None,
    ) -> None:
        self.memory = memory
        self.config = config
        self.strategies = strategies
        self.audit = AuditLog()
        self.hooks = LifecycleHooks()
        self.rbac = rbac
        self.identity = identity
        self.complete = complete
        self.demand_embedder: Callable[[], None] = lambda: None
        self._used: dict[str, Used] = {}

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call the engine without holding up the event loop."""
        return await asyncio.to_thread(call, *args, **kwargs)

    def seat(self, who: str | None) -> Memory:
        """The memory as somebody sees it; without a name as its owner, who opened it."""
        name = who or self.identity
        return self.memory.as_actor(safe_id(name)) if name else self.memory

    def settle(self) -> None:
        """Wait until what was written can be found by its meaning, as a program expects that embeds while it adds. If
        that cannot be had the search goes by words, and it is on record why."""
        self.demand_embedder()
        try:
            self.memory.flush(timeout=SETTLE_SECONDS)
        except (StoreBusy, ModelUnavailable) as error:
            self.audit.log("vectors_late", reason=str(error))

    def decide(self, who: str | None, namespace: str, operation: str) -> AccessDecision | None:
        """What the access rules say; None if there are none."""
        if self.rbac is None:
            return None
        return self.rbac.check_access(who or self.identity, namespace, operation)

    def require(self, who: str | None, namespace: str, operation: str) -> None:
        """Raise unless the access rules allow it."""
        decision = self.decide(who, namespace, operation)
        if decision is not None and not decision.allowed:
            self.audit.log("rbac_denied", agent_id=who or self.identity, namespace=namespace, wanted=operation)
            raise NamespaceAccessDenied(decision)

    def require_of(self, who: str | None, record: MemoryRecord, operation: str) -> None:
        """Raise unless the access rules allow it of a record. Whoever may not even read it is not told where it is."""
        if not self.may_read(who, record):
            name = who or self.identity or NOBODY
            self.audit.log("rbac_denied", record_id=record.id, agent_id=name, wanted=operation)
            raise NamespaceAccessDenied(AccessDecision(False, name, HIDDEN, operation, HIDDEN, "not theirs to see"))
        if operation != READ:
            self.require(who, record.namespace, operation)

    def readable(self, who: str | None) -> list[str] | None:
        """The namespaces the access rules let somebody read, for the search to keep to. None if they are too many to
        name: then each record is asked about afterwards, as it is in any case."""
        spaces = [space for space in self.memory.insight.namespaces() if self._opens(who, space)]
        return spaces if len(spaces) <= checks.LIST_LENGTH_MAX else None

    def _opens(self, who: str | None, namespace: str) -> bool:
        decision = self.decide(who, namespace, READ)
        if decision is None or decision.allowed:
            return True
        self.audit.log("rbac_filtered_read", agent_id=who or self.identity, namespace=namespace)
        return False

    def may_read(self, who: str | None, record: MemoryRecord) -> bool:
        decision = self.decide(who, record.namespace, READ)
        if decision is None or (decision.allowed and not self._too_unsure(decision, record)):
            return True
        self.audit.log(
            "rbac_filtered_read", record_id=record.id, agent_id=who or self.identity, namespace=record.namespace
        )
        return False

    def _too_unsure(self, decision: AccessDecision, record: MemoryRecord) -> bool:
        """Whether a namespace keeps what is as unsure as this from agents it has no rule for."""
        policies = self.rbac.governing(record.namespace) if self.rbac is not None else []
        least = max((policy.min_confidence_for_cross_read for policy in policies), default=0.0)
        return decision.matched_rule == DEFAULT_RULE and record.confidence < least

    async def find(self, record_id: str, who: str | None) -> MemoryRecord | None:
        """A record by its id, if there is one that the caller may know of."""
        found = await self.run(self.look, record_id, who)
        return found if found is not None and self.may_read(who, found) else None

    def look(self, record_id: str, who: str | None) -> MemoryRecord | None:
        """A record by its id as the engine lets somebody see it. The access rules are the caller's to ask."""
        try:
            return self.shown(self.seat(who).get(safe_id(record_id)), self.disputes(who))
        except NotFound:
            return None

    def own_look(self, record_id: str) -> MemoryRecord | None:
        """A record by its id as the owner sees it, for what the face itself must know."""
        try:
            return self.shown(self.memory.get(safe_id(record_id)), Disputes(self.memory, lambda _: True))
        except NotFound:
            return None

    def _first(self, found: Disclosure) -> Record | None:
        """The first revision of a record that was revised, of which only author and time are told."""
        if found.record.revision == 1:
            return None
        try:
            return self.memory.get(found.record.id, revision=1).record
        except NotFound:
            return None

    def disputes(self, who: str | None) -> Disputes:
        """The conflicts of records, as far as somebody may know of both sides. To be made once for many records."""
        return Disputes(self.seat(who), lambda other: self._may_know(who, other))

    def _may_know(self, who: str | None, other: Record) -> bool:
        decision = self.decide(who, namespace_of(other), READ)
        return decision is None or decision.allowed

    def shown(self, found: Disclosure, disputes: Disputes) -> MemoryRecord:
        """A disclosed record with its disputes and what this process knows of its use."""
        record = record_of(found, self._first(found))
        if found.conflicts:
            record.conflicts = disputes.of(found)
        used = self._used.get(record.id)
        if used is not None:
            record.access_count = max(record.access_count, used.before + used.count)
            record.last_accessed_at = max(filter(None, (used.last, record.last_accessed_at)), default=None)
            record.accessed_by = [*used.users]
        record.quality_score = compute_mqs(record, found.standing.footing.effective)
        return record

    def hand_out(self, record: MemoryRecord, who: str | None) -> None:
        """Take note that a record was handed out, and say so on it."""
        used = self._used.setdefault(record.id, Used(before=record.access_count))
        used.count, used.last = used.count + 1, datetime.now(UTC)
        name = who or self.identity
        if name:
            used.users[name] = (used.users.get(name, (0, used.last))[0] + 1, used.last)
        record.access_count, record.last_accessed_at = used.before + used.count, used.last
        record.accessed_by = [*used.users]

    def users(self, record_id: str) -> dict[str, tuple[int, datetime]]:
        """Who was handed a record by this process, how often, and when last."""
        used = self._used.get(record_id)
        return dict(used.users) if used is not None else {}

    async def tell(self, hooks: list[Hook], *words: object) -> None:
        """Tell hooks; those that fail are on record."""
        for raised in await tell(hooks, *words):
            self.audit.log("hook_failed", error=type(raised).__name__)


class Disputes:
    """The conflicts somebody may see, looked up when first asked for. `allowed` says of which other sides they may
    know."""

    def __init__(self, seat: Memory, allowed: Callable[[Record], bool]) -> None:
        self._seat = seat
        self._allowed = allowed

    @cached_property
    def _views(self) -> dict[str, ConflictView]:
        return {view.id: view for view in self._seat.review.conflicts()}

    def of(self, found: Disclosure) -> list[ConflictRef]:
        """The other side of every open conflict of a record."""
        views = [self._views[name] for name in found.conflicts if name in self._views]
        sides = [view.b if view.a.record.id == found.record.id else view.a for view in views]
        return [_reference(found.record.content, side.record) for side in sides if self._allowed(side.record)]


def _reference(content: str, other: Record) -> ConflictRef:
    return ConflictRef(
        existing_id=other.id,
        existing_content=other.content[:CONTENT_SHOWN_MAX],
        similarity=round(word_likeness(content, other.content), 6),
    )
