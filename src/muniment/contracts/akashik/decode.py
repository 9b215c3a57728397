"""From the payload of an operation to the command it asks for. Payloads were found valid by `levels` before."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeVar

from msgspec import UNSET, UnsetType, structs

from muniment.contracts.akashik.commands import (
    AttuneCommand,
    CompactCommand,
    DetectCommand,
    FieldCaller,
    RecordCommand,
    ReplayCommand,
)
from muniment.contracts.akashik.extra_fields import kept
from muniment.contracts.akashik.nouns import UnitConfidence
from muniment.contracts.akashik.nouns import UnitRelation as Link
from muniment.contracts.akashik.payloads import (
    AttuneRequest,
    CompactFilter,
    CompactRequest,
    DetectFilter,
    DetectRequest,
    MergeRequest,
    RecordRequest,
    ReplayRequest,
)
from muniment.contracts.akashik.tables import KIND_OF
from muniment.contracts.akashik.units import place_of
from muniment.contracts.akashik.words import AttuneFormat, Mode
from muniment.contracts.names import safe_id
from muniment.contracts.strict.values import Json
from muniment.model.claim import Belief, Claim, Extension, Intent, Lineage, Nature, Place, Relation
from muniment.model.decoding import convert
from muniment.model.proposal import ResolveRequest
from muniment.model.query import Attunement
from muniment.model.value import Value
from muniment.model.vocabulary import Kind, RelationType, Strategy

_T = TypeVar("_T")
NAMESPACE = "/field"
"""Where the units of a Field are kept, apart from what is remembered otherwise."""
SESSION, TASK, DRAFT = "session", "task", "draft"
_NATURES = {word: Nature(kind=kind) for word, kind in KIND_OF.items()}


def decode_record(payload: Json, caller: FieldCaller, *, message: str | None = None) -> RecordCommand:
    """What a RECORD wants remembered. It belongs to the caller's session, if it has one; that session, its task, and
    whose draft it is are named in it as things it speaks of, so that all of either can be found."""
    asked = convert(payload, RecordRequest)
    task = _given(asked.intent.task_id)
    draft = asked.mode is Mode.DRAFT
    frame = _framed(caller.role, caller.session or None, task or None, caller.id if draft else None)
    links = _given(asked.relations) or []
    claim = Claim(
        content=asked.content,
        nature=_NATURES[asked.type],
        place=frame.place,
        intent=Intent(purpose=asked.intent.purpose, question=_given(asked.intent.question) or None),
        belief=_belief(_given(asked.confidence)),
        lineage=_lineage(links, frame) if links else frame.lineage,
        extensions=frame.extensions,
    )
    proposal = proposal_name(caller.id, message) if message is not None else None
    return RecordCommand(claim=claim, draft=draft, proposal=proposal)


class _Frame(Value):
    """What all units have in common that one role records for one task in one session."""

    place: Place
    lineage: Lineage
    extensions: tuple[Extension, ...]


@lru_cache(maxsize=1_024)
def _framed(role: str, session: str | None, task: str | None, drafter: str | None) -> _Frame:
    held = _named(session), _named(task)
    pairs = zip((SESSION, TASK, DRAFT), (*held, drafter), strict=True)
    named = tuple(name(sort, one) for sort, one in pairs if one is not None)
    extensions = kept(
        role,
        session=(held[0], session) if held[0] is not None and session is not None else None,
        task=(held[1], task) if held[1] is not None and task is not None else None,
    )
    return _Frame(place=in_field(*held), lineage=Lineage(entities=named), extensions=extensions)


def _lineage(links: list[Link], frame: _Frame) -> Lineage:
    relations = tuple(
        Relation(
            type=RelationType(link.type.value),
            target=safe_id(link.target_id),
            description=_given(link.description) or None,
        )
        for link in links
    )
    return Lineage(relations=relations, entities=frame.lineage.entities)


def in_field(session: str | None, task: str | None) -> Place:
    """Where a Field keeps a unit: in its own namespace of the session, or of the project."""
    return structs.replace(place_of(session, task), namespace=NAMESPACE)


def name(sort: str, one: str) -> str:
    """How a unit names its session or its task among the things it speaks of.

    >>> name(TASK, "T-1")
    'task t-1'
    """
    return f"{sort} {one.lower()}".rstrip(".")


def proposal_name(agent: str, message: str) -> str:
    """The name of the proposal a message makes: the same message of the same agent is the same proposal.

    >>> proposal_name("scout", "msg 1") == proposal_name("scout", "msg 1") != proposal_name("scout", "msg 2")
    True
    """
    return safe_id(f"{agent} {message}")


def _belief(given: UnitConfidence | None) -> Belief:
    if given is None:
        return Belief()
    score = _given(given.score)
    return Belief(
        score=score if score is not None else 0.5,
        reasoning=_given(given.reasoning),
        evidence=_told(given.evidence),
        assumptions=_told(given.assumptions),
    )


def decode_attune(payload: Json, caller: FieldCaller) -> AttuneCommand:
    """What an ATTUNE wants told. A hint counts as an interest; `since_epoch` means at or after, and our positions are
    known up to and including, so one is taken off."""
    asked = convert(payload, AttuneRequest)
    scope = asked.scope
    since = _given(scope.since_epoch)
    since = since if since is not None else _given(asked.since_epoch)
    hint, task = _given(asked.context_hint), _named(_given(scope.active_task_id))
    interests = (*(_given(scope.interests) or ()), *([hint] if hint else []))
    threshold = _given(scope.relevance_threshold)
    return AttuneCommand(
        about=Attunement(
            role=scope.role, interests=tuple(text for text in interests if text.strip()), since=max(0, (since or 0) - 1)
        ),
        limit=scope.max_units,
        since=since,
        task=task,
        budget=_given(scope.max_tokens),
        threshold=threshold if threshold is not None else 0.0,
        recency=_given(scope.recency_weight),
        format=_given(asked.format) or AttuneFormat.FULL,
        own=_given(scope.include_own) or False,
        archived=_given(scope.include_archived) or False,
    )


def decode_detect(payload: Json) -> DetectCommand:
    asked = convert(payload, DetectRequest)
    bounds = _given(asked.filter) or DetectFilter()
    return DetectCommand(
        mode=asked.mode,
        target=_named(_given(asked.target_id)),
        statuses=_listed(bounds.status),
        types=_listed(bounds.types),
        agents=_listed(bounds.involving_agents),
    )


def decode_merge(payload: Json, caller: FieldCaller) -> ResolveRequest:
    """How a MERGE wants a conflict settled. A synthesis is a claim of the caller's; without text it is none."""
    asked = convert(payload, MergeRequest)
    text = _given(asked.resolution.synthesis)
    synthesis = (
        Claim(
            content=text,
            nature=Nature(kind=Kind.SYNTHESIS),
            place=in_field(_named(caller.session), None),
            intent=Intent(purpose=asked.resolution.rationale),
            belief=Belief(reasoning=asked.resolution.rationale),
        )
        if text is not None and text.strip()
        else None
    )
    return ResolveRequest(
        conflict=safe_id(asked.conflict_id),
        strategy=Strategy(asked.strategy.value),
        rationale=asked.resolution.rationale,
        winner=_named(_given(asked.resolution.winner_id)),
        synthesis=synthesis,
    )


def decode_replay(payload: Json) -> ReplayCommand:
    asked = convert(payload, ReplayRequest)
    return ReplayCommand(target_type=asked.target_type, target=safe_id(asked.target_id), depth=asked.depth)


def decode_compact(payload: Json) -> CompactCommand:
    asked = convert(payload, CompactRequest)
    bounds = _given(asked.filter) or CompactFilter()
    return CompactCommand(
        strategy=asked.strategy,
        max_age=_given(bounds.max_age_epochs),
        session=_named(_given(bounds.session_id)),
        types=_listed(bounds.types),
        statuses=_listed(bounds.status),
    )


def _given(value: _T | UnsetType | None) -> _T | None:
    return None if value is UNSET or isinstance(value, UnsetType) else value


def _told(texts: list[str] | UnsetType) -> tuple[str, ...]:
    """Those that say something."""
    return tuple(text for text in _given(texts) or () if text.strip())


def _named(name: str | None) -> str | None:
    """A foreign name as one a record can hold, the same for the same; an empty one names nothing."""
    return safe_id(name) if name else None


def _listed(value: list[_T] | UnsetType) -> tuple[_T, ...] | None:
    return None if isinstance(value, UnsetType) else tuple(value)
