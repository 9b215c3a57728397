"""What the MATM commands answer in JSON, where it is no document of the profile itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import msgspec

from muniment.compat.matm.adoption import Batch
from muniment.contracts.strict.values import JsonObject
from muniment.model.decoding import convert

if TYPE_CHECKING:
    from matm_evaluation.example import Played
    from matm_evaluation.level import LevelReport


class ExampleShape(TypedDict):
    reports: list[JsonObject]
    response: JsonObject
    same_again: bool


class AdoptedShape(TypedDict):
    origin: str
    proposal: str
    would: str
    outcome: str
    reason: str
    duplicate_of: str | None


class BatchShape(TypedDict):
    batch: str
    preview: bool
    counts: dict[str, int]
    entries: list[AdoptedShape]


class MatmCheckShape(TypedDict):
    name: str
    met: bool
    evidence: str


class GradedShape(TypedDict):
    level: str
    title: str
    permits: str
    met: bool
    checks: list[MatmCheckShape]


class FigureShape(TypedDict):
    family: str
    name: str
    value: float | None
    unit: str
    how: str


class QuotedShape(TypedDict):
    setting: str
    name: str
    before: float | None
    after: float
    source: str


class ComputedShape(TypedDict):
    setting: str
    published: float
    formula: float
    entries: float


class EvaluationShape(TypedDict):
    paper: list[QuotedShape]
    simulation: list[ComputedShape]
    probe: list[FigureShape]
    field: list[FigureShape]


class LevelShape(TypedDict):
    report: str
    generated_at: str
    tenant: str
    level: str
    levels: list[GradedShape]
    missing: list[str]
    evaluation: EvaluationShape
    non_claims: list[str]


def example_shape(first: Played, second: Played) -> ExampleShape:
    return {
        "reports": [one.report for one in first.filed],
        "response": first.response,
        "same_again": second.reports == first.reports,
    }


def batch_shape(batch: Batch) -> BatchShape:
    return {
        "batch": batch.name,
        "preview": batch.preview,
        "counts": batch.counts,
        "entries": [
            {
                "origin": one.origin,
                "proposal": one.proposal,
                "would": one.would.value,
                "outcome": one.outcome.value,
                "reason": one.reason,
                "duplicate_of": one.duplicate_of,
            }
            for one in batch.entries
        ],
    }


def level_shape(report: LevelReport) -> LevelShape:
    return convert(msgspec.to_builtins(report), LevelShape)
