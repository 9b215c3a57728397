"""Searching through the face: our recall, ordered by memledger's formula, gated by its thresholds."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import msgspec

from muniment.contracts.names import safe_namespace
from muniment.contracts.strict.values import Json
from muniment.model import checks
from muniment.model.gate import Thresholds, gate_flag
from muniment.model.query import LIMIT_MAX, Disclosure
from muniment.model.recall import Recall
from muniment.model.vocabulary import GateFlag
from muniment.model.weights import Weights
from muniment_memledger.desk import Desk
from muniment_memledger.policies.confidence_policy import ConfidencePolicy, warn
from muniment_memledger.records import EpisodicRecord, MemoryRecord, RecordType, SearchResult
from muniment_memledger.strategies.retrieval import ContextualRecall
from muniment_memledger.strategies.scoring import compute_final_score

STEP = 0.1
"""Worth moves a hit among those that are as like as it is, to a tenth; it does not lift what is less like."""

SURE = 0.5
"""How like a record must be to be meant by a description."""

UNGATED = ConfidencePolicy(min_threshold=0.0, flag_threshold=0.0)
"""The gate of a search that asks for none: it keeps back only what has lost its support, as the engine always does."""

FAILED = frozenset({"failure", "failed", "fail", "error"})


class Wanted(msgspec.Struct, frozen=True):
    """What a hit must be, beyond fitting the question."""

    record_type: RecordType | None = None
    author: str | None = None
    user_id: str | None = None
    session_id: str | None = None
    filters: Mapping[str, object] = msgspec.field(default_factory=dict)
    failed: bool = False

    @property
    def anything(self) -> bool:
        return self == Wanted()

    def fits(self, record: MemoryRecord) -> bool:
        return (
            (self.record_type is None or record.record_type == self.record_type)
            and (self.author is None or self.author in (record.agent_id, record.created_by))
            and (self.user_id is None or record.user_id == self.user_id)
            and (self.session_id is None or record.session_id == self.session_id)
            and all(_value(record, name) == msgspec.to_builtins(value) for name, value in self.filters.items())
            and (not self.failed or (isinstance(record, EpisodicRecord) and str(record.outcome).lower() in FAILED))
        )


def _value(record: MemoryRecord, name: str) -> object:
    """What a filter looks at: a field of the record, else an entry of its metadata. Never a piece of a query."""
    if name in record.__struct_fields__:
        return msgspec.to_builtins(getattr(record, name))
    return record.metadata.get(name.removeprefix("metadata."))


class Hit(msgspec.Struct, frozen=True):
    """A record that was found, how like the question it is, and what the gate says of it."""

    record: MemoryRecord
    likeness: float
    gate: GateFlag
    effective: float


class Finding:
    """Searching, over one desk."""

    def __init__(self, desk: Desk, backend: str) -> None:
        self._desk = desk
        self._backend = backend

    async def search(
        self,
        query: str,
        wanted: Wanted,
        *,
        namespace: str | None,
        top_k: int,
        who: str | None,
        policy: ConfidencePolicy | None,
    ) -> SearchResult:
        checks.whole("top_k", top_k, least=0, most=2**31)
        begun = time.perf_counter()
        gate = policy or self._desk.config.confidence_policy
        recall, hits = await self._desk.run(self._hits, query, wanted, namespace, top_k, who, gate)
        ordered = [hit.record for hit in ranked([hit for hit in hits if hit.gate is not GateFlag.FILTER])]
        ordered = await self._desk.strategies.reranker.rerank(query, ordered)
        metadata: dict[str, object] = {"receipt_id": recall.receipt_id}
        if top_k > LIMIT_MAX:
            metadata["top_k_max"] = LIMIT_MAX
        if gate is not None:
            ordered, metadata["confidence_gating"] = _gated(
                ordered[:top_k], hits, gate, 0 if self._desk.rbac is not None else _kept_back(recall)
            )
        told = ordered[:top_k]
        for record in told:
            self._desk.hand_out(record, who)
        taken = round((time.perf_counter() - begun) * 1000, 3)
        self._desk.audit.log(
            "search", agent_id=who or self._desk.identity, namespace=namespace, found=len(told), milliseconds=taken
        )
        return SearchResult(records=told, query=query, backend=self._backend, search_time_ms=taken, metadata=metadata)

    def _hits(
        self,
        query: str,
        wanted: Wanted,
        namespace: str | None,
        top_k: int,
        who: str | None,
        gate: ConfidencePolicy | None,
    ) -> tuple[Recall, list[Hit]]:
        """What fits and may be read. The engine gates, unless there are access rules: then its count of what it kept
        back would tell of records that are not the caller's to know, and each record is judged here."""
        self._desk.settle()
        seat, open_ = self._desk.seat(who), self._desk.rbac is None
        inside = gate if gate is not None and open_ else UNGATED
        found = seat.recall(
            query,
            namespace=safe_namespace(namespace) if namespace else None,
            places=None if open_ else self._desk.readable(who),
            limit=min(top_k, LIMIT_MAX) if wanted.anything and open_ else LIMIT_MAX,
            floor=0.0,
            gate_min=inside.min_threshold,
            gate_flag=inside.flag_threshold,
        )
        hits, disputes = list[Hit](), self._desk.disputes(who)
        for one in found.records:
            record = self._desk.shown(one, disputes)
            if wanted.fits(record) and self._desk.may_read(who, record):
                hits.append(_hit(record, one, seat.insight.policy.recall.weights, gate or UNGATED))
        return found, hits

    async def nearest(self, description: str, namespace: str | None, who: str | None) -> MemoryRecord | None:
        """The record a description means. None if nothing is like enough: the nearest of strangers is not meant."""
        _, hits = await self._desk.run(self._hits, description, Wanted(), namespace, 1, who, None)
        best = next(iter(ranked(hits)), None)
        return best.record if best is not None and best.likeness >= SURE else None

    async def context(self, query: str, namespace: str | None, top_k: int, who: str | None) -> ContextualRecall:
        begun = time.perf_counter()
        parts = (
            Wanted(record_type=RecordType.EPISODIC),
            Wanted(record_type=RecordType.PROCEDURAL),
            Wanted(record_type=RecordType.EPISODIC, failed=True),
        )
        found = [
            await self.search(query, wanted, namespace=namespace, top_k=top_k, who=who, policy=None) for wanted in parts
        ]
        return ContextualRecall(
            similar_episodes=found[0].records,
            suggested_procedures=found[1].records,
            known_failures=found[2].records,
            query=query,
            search_time_ms=round((time.perf_counter() - begun) * 1000, 3),
        )


def _hit(record: MemoryRecord, found: Disclosure, weights: Weights, gate: ConfidencePolicy) -> Hit:
    parts = dict(found.parts)
    fits = [
        parts.get(name, 0.0) / weight
        for name, weight in (("words", weights.words), ("meaning", weights.meaning))
        if weight > 0
    ]
    likeness = min(1.0, max(0.0, *fits, 0.0))
    record.score = compute_final_score(
        likeness,
        record.access_count,
        record.success_count,
        record.failure_count,
        record.last_accessed_at,
        record.importance,
    )
    footing, limits = found.standing.footing, Thresholds(min=gate.min_threshold, flag=gate.flag_threshold)
    verdict = gate_flag(footing.effective, footing.support, limits)
    return Hit(record=record, likeness=likeness, gate=verdict, effective=footing.effective)


def ranked(hits: Sequence[Hit]) -> list[Hit]:
    """By likeness to a tenth below the best, then by likeness and worth together."""
    best = max((hit.likeness for hit in hits), default=0.0)
    return sorted(
        hits, key=lambda hit: (int((best - hit.likeness) / STEP + 1e-9), -(hit.record.score or 0.0), hit.record.id)
    )


def _kept_back(recall: Recall) -> int:
    """How many records the engine left out as too unsure or without support."""
    return recall.excluded.get("gate", 0) + recall.excluded.get("support", 0)


def _gated(
    records: list[MemoryRecord], hits: Sequence[Hit], gate: ConfidencePolicy, kept_back: int
) -> tuple[list[MemoryRecord], Json]:
    """What passes before what is flagged, each marked; and the account of it."""
    by_id = {hit.record.id: hit for hit in hits}
    for record in records:
        hit = by_id[record.id]
        record.confidence_flag = "PASS" if hit.gate is GateFlag.PASS else "FLAG"
        if record.confidence_flag == "FLAG":
            warn(record, gate, hit.effective)
    passed = [record for record in records if record.confidence_flag == "PASS"]
    flagged = [record for record in records if record.confidence_flag == "FLAG"]
    filtered = kept_back + sum(hit.gate is GateFlag.FILTER for hit in hits)
    account: Json = {
        "passed": len(passed),
        "flagged": len(flagged),
        "filtered": filtered,
        "policy": {"min": gate.min_threshold, "flag": gate.flag_threshold},
        "uses_effective_confidence": True,
    }
    return [*passed, *flagged], account
