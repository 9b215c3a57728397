"""Answers, and how they were sought, as the JSON the command line promises. Decides nothing."""

from __future__ import annotations

from typing import TypedDict

from muniment.engine.entities import EntityView
from muniment.model.form import DisclosureShape, disclosure_shape
from muniment.model.query import Attunement, Disclosure, Searched, Withdrawn
from muniment.model.recall import Recall
from muniment.model.render import Context
from muniment.model.rows import VectorCoverage
from muniment.model.times import Instant, show


class SpanShape(TypedDict):
    first: str
    last: str


def span_shape(span: tuple[Instant, Instant] | None) -> SpanShape | None:
    return None if span is None else {"first": show(span[0]), "last": show(span[1])}


class SearchedShape(TypedDict):
    words: list[str]
    left_out: list[str]
    names: list[str]
    span: SpanShape | None
    model: str | None
    trailing: int
    fit: float | None
    floor: float | None
    why: str | None


def searched_shape(searched: Searched, floor: float | None) -> SearchedShape:
    return {
        "words": list(searched.words),
        "left_out": list(searched.left_out),
        "names": list(searched.names),
        "span": span_shape(searched.span),
        "model": searched.model,
        "trailing": searched.trailing,
        "fit": searched.fit,
        "floor": floor,
        "why": searched.why,
    }


class WithdrawnShape(TypedDict):
    id: str
    why: str
    since: int


class RecallShape(TypedDict):
    records: list[DisclosureShape]
    excluded: dict[str, int]
    considered: int
    abstained: str | None
    receipt_id: str
    epoch: int
    notices: list[str]
    searched: SearchedShape
    withdrawn: list[WithdrawnShape]


def recall_shape(recall: Recall, *, floor: float | None = None) -> RecallShape:
    """An answer. `floor` is how likely something had to fit, None where nothing had to."""
    return {
        "records": [disclosure_shape(one) for one in recall.records],
        "excluded": dict(sorted(recall.excluded.items())),
        "considered": recall.considered,
        "abstained": None if recall.abstained is None else recall.abstained.value,
        "receipt_id": recall.receipt_id,
        "epoch": recall.epoch,
        "notices": list(recall.notices),
        "searched": searched_shape(recall.searched, floor),
        "withdrawn": [withdrawn_shape(one) for one in recall.withdrawn],
    }


def withdrawn_shape(one: Withdrawn) -> WithdrawnShape:
    return {"id": one.id, "why": one.why, "since": one.since}


class AttunementShape(TypedDict):
    role: str | None
    task: str | None
    interests: list[str]
    since: int


def attunement_shape(about: Attunement) -> AttunementShape:
    return {"role": about.role, "task": about.task, "interests": list(about.interests), "since": about.since}


class CitationShape(TypedDict):
    marker: str
    id: str
    revision: int


class ContextShape(TypedDict):
    text: str
    citations: list[CitationShape]
    left_out: list[str]
    tokens: int
    receipt_id: str


def context_shape(context: Context, receipt_id: str) -> ContextShape:
    return {
        "text": context.text,
        "citations": [{"marker": one.marker, "id": one.record, "revision": one.revision} for one in context.citations],
        "left_out": list(context.left_out),
        "tokens": context.tokens,
        "receipt_id": receipt_id,
    }


class AliasShape(TypedDict):
    entity: str
    names: list[str]


def alias_shape(names: tuple[str, ...]) -> AliasShape:
    return {"entity": names[0], "names": list(names)}


class MentionShape(TypedDict):
    id: str
    citation: str
    kind: str
    content: str


class RelatedShape(TypedDict):
    entity: str
    records: int
    salience: float


class EntityShape(TypedDict):
    asked: str
    entity: str
    names: list[str]
    records: list[MentionShape]
    related: list[RelatedShape]


def entity_shape(asked: str, view: EntityView, records: list[Disclosure]) -> EntityShape:
    return {
        "asked": asked,
        "entity": view.entity,
        "names": list(view.names),
        "records": [_mention_shape(one) for one in records],
        "related": [{"entity": one.entity, "records": one.records, "salience": one.salience} for one in view.related],
    }


def _mention_shape(found: Disclosure) -> MentionShape:
    record = found.record
    return {
        "id": record.id,
        "citation": f"{record.id}@{record.revision}",
        "kind": record.claim.nature.kind.value,
        "content": record.content,
    }


class ReachShape(TypedDict):
    model: str | None
    upto: int
    trailing: int
    why: str | None


def reach_shape(reach: VectorCoverage, state: Searched) -> ReachShape:
    """How far vectors reach, and with which model; without one `why` says why, and what was made before is no use."""
    usable = state.model is not None and reach.model == state.model
    return {
        "model": state.model,
        "upto": reach.upto if usable else 0,
        "trailing": state.trailing,
        "why": state.why,
    }
