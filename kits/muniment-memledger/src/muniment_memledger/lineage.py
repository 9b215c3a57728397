"""Where records come from and what comes of them, through the face: chains, what replaced what, and planned cascades.

Ways are walked by the engine, level by level and to any depth, so neither the order of parents nor the length of a
chain hides anybody. What the caller may not read is left out of every list, and still counts in every minimum.
"""

from __future__ import annotations

import msgspec

from muniment.contracts.names import safe_id
from muniment.contracts.strict.values import Json, JsonObject
from muniment.engine import LineageNode
from muniment.model import checks
from muniment.model.errors import Malformed, NotFound
from muniment_memledger.desk import Desk
from muniment_memledger.policies.namespace_rbac import WRITE
from muniment_memledger.provenance.models import MAX_ACTIVE_CHAIN_HOPS, AttributionChain, ChainHop
from muniment_memledger.records import MemoryRecord, MemoryStatus
from muniment_memledger.strategies.scoring import compute_confidence
from muniment_memledger.writing import Writing

UNKNOWN_AUTHOR = "unknown"
_WAYS = {"upstream": "up", "downstream": "down", "both": "both"}
_DERIVED = ("derived_from",)
HOPS_MAX = 2**16
"""How far a walk goes at most."""


class Lineage:
    """Walking, over one desk."""

    def __init__(self, desk: Desk, writing: Writing) -> None:
        self._desk = desk
        self._writing = writing

    async def chain(self, memory_id: str, direction: str, max_hops: int, who: str | None) -> AttributionChain:
        """The chain of a record. The minimum is over everything it stands on, however far; only the list is cut."""
        if direction not in _WAYS:
            raise Malformed("direction", "one of " + ", ".join(_WAYS))
        checks.whole("max_hops", max_hops, least=0, most=2**62)
        max_hops = min(max_hops, HOPS_MAX)
        root = await self._desk.find(memory_id, who)
        if root is None:
            return AttributionChain(root_memory_id=memory_id, min_confidence=0.0, full_chain_json="[]")
        nodes = await self._desk.run(self._nodes, root.id, _WAYS[direction], max_hops + 1, who)
        known = [(node, hop) for node in nodes if (hop := await self._hop(node, who)) is not None]
        near = [(node, hop) for node, hop in known if hop.hop_number <= max_hops]
        hops, depths = [hop for _, hop in near], [node.depth for node, _ in near]
        return AttributionChain(
            root_memory_id=memory_id,
            chain=hops[:MAX_ACTIVE_CHAIN_HOPS],
            chain_depth=1 + max(depths, default=0) - min(depths, default=0),
            min_confidence=min(node.effective for node in nodes),
            agents_involved=sorted({hop.agent_id for hop in hops}),
            truncated=len(near) < len(known) or len(hops) > MAX_ACTIVE_CHAIN_HOPS,
            full_chain_json=msgspec.json.encode(hops).decode(),
        )

    def _nodes(self, record_id: str, way: str, depth: int, who: str | None) -> list[LineageNode]:
        view = self._desk.seat(who).insight.lineage(safe_id(record_id), direction=way, depth=depth, types=_DERIVED)
        return sorted(view.nodes, key=lambda node: (abs(node.depth), node.depth, node.id))

    async def _hop(self, node: LineageNode, who: str | None) -> ChainHop | None:
        record = await self._desk.find(node.id, who)
        if record is None:
            return None
        return ChainHop(
            memory_id=record.id,
            agent_id=record.created_by or record.agent_id or UNKNOWN_AUTHOR,
            confidence=node.confidence,
            timestamp=record.created_at.isoformat(),
            hop_number=abs(node.depth),
            action="derived" if node.depth else "origin",
        )

    async def weakest(self, memory_id: str, who: str | None = None) -> float:
        """The lowest confidence of a record and all it stands on. What cannot be found bears nothing."""
        if await self._desk.find(memory_id, who) is None:
            return 0.0
        try:
            nodes = await self._desk.run(self._nodes, memory_id, "up", 0, who)
        except NotFound:
            return 0.0
        return min((node.effective for node in nodes), default=0.0)

    async def downstream(self, memory_id: str, max_depth: int, who: str | None) -> list[MemoryRecord]:
        """Everything derived from a record, each once, the nearest first."""
        checks.whole("max_depth", max_depth, least=0, most=2**62)
        if max_depth == 0 or await self._desk.find(memory_id, who) is None:
            return []
        nodes = await self._desk.run(self._nodes, memory_id, "down", min(max_depth, HOPS_MAX), who)
        found = [await self._desk.find(node.id, who) for node in nodes if node.depth]
        return [record for record in found if record is not None]

    async def tell(self, record: MemoryRecord, depth: int, who: str | None) -> JsonObject:
        """What a record replaced, newest to oldest, and what was derived from it."""
        replaced: list[Json] = []
        older = record.supersedes
        while older is not None and len(replaced) < depth:
            past = await self._desk.find(older, who)
            if past is None:
                break
            replaced.append(_short(past, "created_by"))
            older = past.supersedes
        children = await self.downstream(record.id, 1, who)
        return {
            "record": {**_short(record, "created_at"), "record_type": record.record_type.value},
            "created_by": record.created_by,
            "workflow_id": record.workflow_id,
            "triggered_by": record.triggered_by,
            "accessed_by": [str(name) for name in record.accessed_by],
            "supersedes_chain": replaced,
            "derived_records": [_short(child, "created_by") for child in children],
            "confidence": compute_confidence(
                record.created_at, record.last_accessed_at, record.success_count, record.failure_count
            ),
        }

    async def attribution(self, record: MemoryRecord) -> JsonObject:
        """Who wrote a record and whom this process handed it to."""
        return {
            "memory_id": record.id,
            "creator": record.created_by,
            "users": [
                {"agent_id": name, "count": count, "last_used": last.isoformat()}
                for name, (count, last) in sorted(self._desk.users(record.id).items())
            ],
            "total_accesses": record.access_count,
        }

    async def plan(self, memory_id: str, new_memory_id: str | None, who: str | None) -> JsonObject:
        """What would become of everything derived from a record. What stands on nothing else falls with it; what has
        another parent left, or stands on something that is only flagged, is for a person to look at."""
        records = await self.downstream(memory_id, HOPS_MAX, who)
        falling = {memory_id}
        actions: list[Json] = []
        for record in records:
            alone = set(record.derived_from) <= falling
            if alone:
                falling.add(record.id)
            actions.append(
                {
                    "memory_id": record.id,
                    "memory_type": record.record_type.value,
                    "action": "auto_deprecate" if alone else "flag_for_review",
                    "reason": "stands on nothing else" if alone else "stands on something else too",
                    "current_status": record.status.value,
                }
            )
        return {
            "source_memory_id": memory_id,
            "new_memory_id": new_memory_id,
            "downstream_count": len(records),
            "actions": actions,
        }

    async def execute(self, plan: JsonObject, who: str | None) -> dict[str, list[str]]:
        """Do what a plan says. Access is asked for each record before the first is touched."""
        steps = [step for step in _list(plan.get("actions")) if isinstance(step, dict)]
        known = [(step, await self._desk.find(str(step.get("memory_id")), who)) for step in steps]
        for _, record in known:
            if record is not None:
                self._desk.require(who, record.namespace, WRITE)
        done: dict[str, list[str]] = {"deprecated": [], "flagged": [], "skipped": []}
        for step, record in known:
            done[await self._carry_out(step, record, plan, who)].append(str(step.get("memory_id")))
        self._desk.audit.log(
            "cascade_executed", agent_id=who or self._desk.identity, record_id=str(plan.get("source_memory_id"))
        )
        return done

    async def _carry_out(self, step: JsonObject, record: MemoryRecord | None, plan: JsonObject, who: str | None) -> str:
        if record is None or record.status is not MemoryStatus.ACTIVE:
            return "skipped"
        if step.get("action") == "auto_deprecate":
            return "deprecated" if await self._writing.end(record, who, MemoryStatus.DEPRECATED) else "skipped"
        if step.get("action") != "flag_for_review":
            return "skipped"
        mark: dict[str, object] = {"needs_review": True, "cascade_source": plan.get("source_memory_id")}
        return "flagged" if await self._writing.update(record, who, {"metadata": mark}) else "skipped"


def _short(record: MemoryRecord, *more: str) -> JsonObject:
    """The few fields of a record that a lineage tells."""
    whole = record.to_dict()
    return {name: whole[name] for name in ("id", "content", "status", *more)}


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
