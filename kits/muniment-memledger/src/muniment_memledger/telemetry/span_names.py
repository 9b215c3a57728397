"""memledger's names for what we do, for dashboards that were made for it. Pure; off unless a setting asks for it."""

from __future__ import annotations

import msgspec

from muniment.engine import LineageView
from muniment.model.claim import Claim
from muniment.model.curation import Verdict
from muniment.model.query import Query
from muniment.model.recall import Recall
from muniment.surfaces.telemetry.attributes import Attributes, session_of
from muniment.surfaces.telemetry.watcher import Begun, Ended

NAMES = {
    "propose": "memledger.memory.add",
    "revise": "memledger.memory.add",
    "recall": "memledger.memory.search",
    "attune": "memledger.memory.search",
    "outcome": "memledger.record_outcome",
    "get": "memledger.get",
    "lineage": "memledger.get_lineage",
    "promote": "memledger.promote",
}
CONFLICT = "memledger.conflict_detected"
_QUERY_SHOWN = 100
_PARENTS_SHOWN = 5


def span_name(begun: Begun) -> str | None:
    """What memledger calls the operation, if it has a word for it."""
    return NAMES.get(begun.name)


def alias_of(begun: Begun, ended: Ended, *, content: bool) -> Attributes:
    """memledger's attributes of an operation that has a name there."""
    session = session_of(begun)
    said: dict[str, str | int | float | bool] = {"session.id": session} if session is not None else {}
    match begun.name:
        case "propose" | "revise":
            said |= _of_add(begun, ended)
        case "recall" | "attune":
            said |= _of_search(begun, ended, content=content)
        case "get":
            said |= {"memledger.found": ended.failure is None, **_record(begun)}
        case "promote":
            said |= _of_promotion(begun, ended)
        case "lineage":
            said |= {**_record(begun), **_of_lineage(ended)}
        case "outcome":
            said |= _record(begun)
    return said


def conflicts_of(begun: Begun, ended: Ended) -> tuple[Attributes, ...]:
    """One span's worth for each conflict a write opened."""
    if not isinstance(ended.answer, Verdict) or not isinstance(begun.about, Claim):
        return ()
    verdict, space = ended.answer, begun.about.place.namespace
    said = {"memledger.new_id": verdict.record_id or "", "memledger.namespace": space}
    return tuple({**said, "muniment.conflict_id": name} for name in verdict.conflict_ids)


def _record(begun: Begun) -> dict[str, str]:
    return {"memledger.memory_id": begun.about} if isinstance(begun.about, str) else {}


def _of_lineage(ended: Ended) -> Attributes:
    """How far the chain reaches above the record that was asked about."""
    if not isinstance(ended.answer, LineageView):
        return {}
    return {"memledger.chain_depth": -min((node.depth for node in ended.answer.nodes), default=0)}


def _of_promotion(begun: Begun, ended: Ended) -> Attributes:
    said: dict[str, str] = {"memledger.original_id": begun.about} if isinstance(begun.about, str) else {}
    if isinstance(ended.answer, Verdict) and ended.answer.record_id is not None:
        said["memledger.promoted_id"] = ended.answer.record_id
    return said


def _of_add(begun: Begun, ended: Ended) -> Attributes:
    said: dict[str, str | int | float | bool] = {
        "openinference.span.kind": "RETRIEVER",
        "memledger.memory.operation": "add",
        "memledger.memory.source_agent_id": begun.actor.id,
        "memledger.agent_id": begun.actor.id,
    }
    if isinstance(begun.about, Claim):
        said |= _of_claim(begun.about)
    if isinstance(ended.answer, Verdict) and ended.answer.record_id is not None:
        said |= {"memledger.memory.id": ended.answer.record_id, "memledger.record_id": ended.answer.record_id}
    return said


def _of_claim(claim: Claim) -> Attributes:
    said: dict[str, str | int | float | bool] = {
        "memledger.memory.type": claim.nature.kind.value,
        "memledger.record_type": claim.nature.kind.value,
        "memledger.memory.namespace": claim.place.namespace,
        "memledger.namespace": claim.place.namespace,
        "memledger.memory.hedged": claim.belief.hedged,
        "memledger.has_supersedes": claim.lineage.supersedes is not None,
        "memledger.memory.confidence": claim.belief.score,
        "memledger.memory.parent_ids": msgspec.json.encode(claim.lineage.derived_from[:_PARENTS_SHOWN]).decode(),
        "memledger.importance": claim.strength.importance,
    }
    if claim.place.session_id is not None:
        said["memledger.memory.session_id"] = claim.place.session_id
    return said


def _of_search(begun: Begun, ended: Ended, *, content: bool) -> Attributes:
    said: dict[str, str | int | float | bool] = {
        "openinference.span.kind": "RETRIEVER",
        "memledger.memory.operation": "search",
        "memledger.memory.source_agent_id": begun.actor.id,
        "memledger.search_time_ms": (ended.tick - begun.tick) / 1e6,
    }
    if isinstance(begun.about, Query):
        said["memledger.top_k"] = begun.about.limit
        if begun.about.namespace is not None:
            said |= {"memledger.namespace": begun.about.namespace, "memledger.memory.namespace": begun.about.namespace}
        if content:
            said["memledger.query"] = begun.about.text[:_QUERY_SHOWN]
    if isinstance(ended.answer, Recall):
        said["memledger.result_count"] = len(ended.answer.records)
    return said
