"""How far records are believed, as JSON: lineage, plans, disputes, sweeps, who knows what, quality. Decides nothing."""

from __future__ import annotations

from typing import TypedDict

from muniment.engine import (
    AttributionResult,
    ConflictView,
    Directory,
    FallView,
    Foreseen,
    KnownActor,
    LineageNode,
    LineageView,
    Quality,
    Standpoint,
)
from muniment.model.curation import ConflictResult, MaintenanceResult, Verdict
from muniment.model.entry import Vote
from muniment.model.form import DisclosureShape, disclosure_shape
from muniment.model.query import Disclosure
from muniment.model.times import show
from muniment.surfaces.cli.verdicts import VerdictShape, verdict_shape


class NodeShape(TypedDict):
    id: str
    revision: int
    citation: str
    depth: int
    content: str
    kind: str
    actor: str
    status: str
    confidence: float
    effective_confidence: float
    origin: str
    support: str
    gate: str


class EdgeShape(TypedDict):
    source: str
    target: str
    type: str


class LineageShape(TypedDict):
    id: str
    direction: str
    nodes: list[NodeShape]
    edges: list[EdgeShape]


def lineage_shape(view: LineageView) -> LineageShape:
    return {
        "id": view.id,
        "direction": view.direction.value,
        "nodes": [_node_shape(node) for node in view.nodes],
        "edges": [{"source": edge.source, "target": edge.target, "type": edge.type} for edge in view.edges],
    }


def _node_shape(node: LineageNode) -> NodeShape:
    return {
        "id": node.id,
        "revision": node.revision,
        "citation": f"{node.id}@{node.revision}",
        "depth": node.depth,
        "content": node.content,
        "kind": node.kind,
        "actor": node.actor,
        "status": node.status.value,
        "confidence": node.confidence,
        "effective_confidence": node.effective,
        "origin": node.origin.value,
        "support": node.support.value,
        "gate": node.gate.value,
    }


class JudgedShape(TypedDict):
    status: str
    effective_confidence: float
    support: str
    gate: str


class FallShape(TypedDict):
    id: str
    revision: int
    content: str
    depth: int
    under: str
    before: JudgedShape
    after: JudgedShape


class CascadeShape(TypedDict):
    id: str
    becomes: str
    reached: int
    falls: list[FallShape]


def cascade_shape(plan: Foreseen) -> CascadeShape:
    falls = [_fall_shape(fall) for fall in plan.falls]
    return {"id": plan.id, "becomes": plan.becomes.value, "reached": len(falls), "falls": falls}


def _fall_shape(fall: FallView) -> FallShape:
    return {
        "id": fall.id,
        "revision": fall.revision,
        "content": fall.content,
        "depth": fall.depth,
        "under": fall.under,
        "before": _judged_shape(fall.before),
        "after": _judged_shape(fall.after),
    }


def _judged_shape(judged: Standpoint) -> JudgedShape:
    return {
        "status": judged.status.value,
        "effective_confidence": judged.effective,
        "support": judged.support.value,
        "gate": judged.gate.value,
    }


class AfterShape(VerdictShape):
    origin: str | None
    own_confidence: float | None
    effective_confidence: float | None
    gate: str | None


def after_shape(verdict: Verdict, found: Disclosure | None) -> AfterShape:
    """A verdict with how far the record is believed after it; nothing of that to whoever may not read the record."""
    footing = None if found is None else found.standing.footing
    return {
        **verdict_shape(verdict),
        "origin": None if footing is None else footing.label.value,
        "own_confidence": None if footing is None else footing.own,
        "effective_confidence": None if footing is None else footing.effective,
        "gate": None if found is None else found.gate.value,
    }


class BallotShape(TypedDict):
    actor: str
    winner: str


def _ballots(ballots: tuple[Vote, ...]) -> list[BallotShape]:
    return [{"actor": ballot.actor, "winner": ballot.winner} for ballot in ballots]


class ConflictShape(TypedDict):
    id: str
    type: str
    status: str
    why: str
    strength: str
    opened: int
    strategy: str | None
    winner: str | None
    rationale: str | None
    resolved_by: str | None
    epoch_resolved: int | None
    ballots: list[BallotShape]
    a: DisclosureShape
    b: DisclosureShape


class ConflictsShape(TypedDict):
    conflicts: list[ConflictShape]
    next: str | None


def conflicts_shape(views: tuple[ConflictView, ...], *, following: str | None = None) -> ConflictsShape:
    return {"conflicts": [_conflict_shape(view) for view in views], "next": following}


def _conflict_shape(view: ConflictView) -> ConflictShape:
    return {
        "id": view.id,
        "type": view.type.value,
        "status": view.status.value,
        "why": view.why,
        "strength": view.strength.value,
        "opened": view.opened,
        "strategy": None if view.strategy is None else view.strategy.value,
        "winner": view.winner,
        "rationale": view.rationale,
        "resolved_by": view.resolved_by,
        "epoch_resolved": view.epoch_resolved,
        "ballots": _ballots(view.ballots),
        "a": disclosure_shape(view.a),
        "b": disclosure_shape(view.b),
    }


class SettledShape(TypedDict):
    conflict: str
    status: str
    winner: str | None
    superseded: list[str]
    synthesis: str | None
    ballots: list[BallotShape]
    epoch: int
    rule: str
    reason: str


def settled_shape(settled: ConflictResult) -> SettledShape:
    return {
        "conflict": settled.conflict,
        "status": settled.status,
        "winner": settled.winner,
        "superseded": list(settled.superseded),
        "synthesis": settled.synthesis,
        "ballots": _ballots(settled.ballots),
        "epoch": settled.epoch,
        "rule": settled.rule,
        "reason": settled.reason,
    }


class ForeseenShape(SettledShape):
    """Where a conflict would stand, and which records would be judged otherwise."""

    falls: list[str]
    rises: list[str]
    digest: str
    dry_run: bool


def foreseen_shape(settled: ConflictResult) -> ForeseenShape:
    return {
        **settled_shape(settled),
        "falls": list(settled.falls),
        "rises": list(settled.rises),
        "digest": settled.digest,
        "dry_run": True,
    }


class SweptCountsShape(TypedDict):
    expired: int
    fallen: int
    due: int


class SweptShape(TypedDict):
    expired: list[str]
    fallen: list[str]
    moved: int
    due: list[str]
    counts: SweptCountsShape


def swept_shape(swept: MaintenanceResult, *, limit: int | None = None) -> SweptShape:
    """What a sweep did, with at most so many names of each kind, and how many there are."""
    return {
        "expired": list(swept.expired[:limit]),
        "fallen": list(swept.fallen[:limit]),
        "moved": swept.moved,
        "due": list(swept.due[:limit]),
        "counts": {"expired": len(swept.expired), "fallen": len(swept.fallen), "due": len(swept.due)},
    }


class KnowerShape(TypedDict):
    actor: str
    teams: list[str]
    roles: list[str]
    records: int
    kinds: dict[str, int]
    topics: dict[str, int]
    scopes: dict[str, int]
    confidence: float
    helpful: float
    misleading: float
    last: str


class DirectoryShape(TypedDict):
    about: str | None
    knowers: list[KnowerShape]
    teams: dict[str, int]


def directory_shape(directory: Directory) -> DirectoryShape:
    return {
        "about": directory.about,
        "knowers": [_knower_shape(knower) for knower in directory.knowers],
        "teams": directory.teams,
    }


def _knower_shape(knower: KnownActor) -> KnowerShape:
    return {
        "actor": knower.actor,
        "teams": list(knower.teams),
        "roles": list(knower.roles),
        "records": knower.records,
        "kinds": knower.kinds,
        "topics": knower.topics,
        "scopes": knower.scopes,
        "confidence": knower.confidence,
        "helpful": knower.helpful,
        "misleading": knower.misleading,
        "last": show(knower.last),
    }


class ScoredShape(TypedDict):
    id: str
    content: str
    quality: int
    effective_confidence: float
    conflicts: int


class CountShape(TypedDict):
    what: str
    count: int


class IntegrityShape(TypedDict):
    score: float
    band: str
    passed: bool
    findings: list[CountShape]


class QualityShape(TypedDict):
    profile: str
    records: int
    mean: float | None
    bands: dict[str, int]
    worst: list[ScoredShape]
    integrity: IntegrityShape
    structure: IntegrityShape | None


def quality_shape(quality: Quality) -> QualityShape:
    return {
        "profile": quality.profile.value,
        "records": quality.records,
        "mean": quality.mean,
        "bands": quality.bands,
        "worst": [
            {
                "id": one.id,
                "content": one.content,
                "quality": one.quality,
                "effective_confidence": one.effective,
                "conflicts": one.conflicts,
            }
            for one in quality.worst
        ],
        "integrity": integrity_shape(quality.integrity),
        "structure": None if quality.structure is None else integrity_shape(quality.structure),
    }


def integrity_shape(integrity: AttributionResult) -> IntegrityShape:
    return {
        "score": integrity.score,
        "band": integrity.band.value,
        "passed": integrity.passed,
        "findings": [{"what": one.what, "count": one.count} for one in integrity.findings],
    }
