"""Tasks, sessions and handoffs on the wire: our Coordination Extension 1, since the protocol only names them."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from muniment.contracts.akashik.nouns import Count, Epoch, Fraction, Name, Said
from muniment.contracts.akashik.words import (
    EventName,
    HandoffAction,
    MergeStrategy,
    SessionAction,
    SessionStatus,
    TaskAction,
    TaskStatus,
    UnitType,
)
from muniment.contracts.shape import Wire

EXTENSION = 1
"""The number of this extension. A change that a reader could trip over gets a new one."""
Weight = Annotated[float, Meta(ge=0.0)]
"""How much a task matters, on whatever scale those who share it use."""


class Handoff(Wire):
    """One change of hands in the life of a task."""

    from_agent: Name
    to_agent: Name
    epoch: Epoch


class FieldTask(Wire):
    """`flagged` is told of a task whose agent left or failed: it waits for another."""

    id: Name
    title: Said
    goal: str
    status: TaskStatus
    assignee: str | None
    created_by: Name
    session_id: str | None
    depends_on: list[str]
    priority: Weight
    result_unit_ids: list[str]
    handoffs: list[Handoff]
    epoch_created: Epoch
    epoch_updated: Epoch
    flagged: bool | UnsetType = UNSET


class TaskInput(Wire):
    """What a COORDINATE says of a task; which of it is needed depends on the action."""

    id: str | UnsetType = UNSET
    title: str | UnsetType = UNSET
    goal: str | UnsetType = UNSET
    assignee: str | UnsetType | None = UNSET
    session_id: str | UnsetType | None = UNSET
    depends_on: list[str] | UnsetType = UNSET
    priority: Weight | UnsetType = UNSET
    result_unit_ids: list[str] | UnsetType = UNSET
    summary: str | UnsetType = UNSET


class CoordinateRequest(Wire):
    action: TaskAction
    task: TaskInput | UnsetType = UNSET


class TaskEffects(Wire):
    """What else a COORDINATE brought about: what was announced, and whom it concerns."""

    events: list[EventName]
    notified_agents: list[str]


class CoordinateResponse(Wire):
    status: Literal["ok"]
    side_effects: TaskEffects
    task: FieldTask | UnsetType = UNSET
    tasks: list[FieldTask] | UnsetType = UNSET


class RelevantUnit(Wire):
    memory_unit_id: Name
    relevance_score: Fraction


class HandoffPackage(Wire):
    """What a receiver needs to go on with a task."""

    task: FieldTask
    summary: str
    open_questions: list[str]
    decisions: list[str]
    assumptions: list[str]
    unresolved_conflicts: list[str]
    relevant_units: list[RelevantUnit]
    token_budget: Count | None


class PackageInput(Wire):
    """What the giver adds to a package; the Field finds the rest."""

    summary: str | UnsetType = UNSET
    open_questions: list[str] | UnsetType = UNSET
    token_budget: Count | UnsetType | None = UNSET


class HandoffRequest(Wire):
    action: HandoffAction
    task_id: Name
    to_agent: str | UnsetType | None = UNSET
    to_role: str | UnsetType | None = UNSET
    package: PackageInput | UnsetType | None = UNSET


class HandoffResponse(Wire):
    status: Literal["offered", "accepted", "rejected", "cancelled"]
    task: FieldTask
    package: HandoffPackage | None


class Membership(Wire):
    agent_id: Name
    role: Name


class VisibilityRule(Wire):
    """Which types a role of a session is shown: these alone, or, with the effect `hide`, all but these."""

    role: Name
    types: list[UnitType]
    effect: Literal["show", "hide"] | UnsetType = UNSET


class SessionPolicies(Wire):
    visibility_rules: list[VisibilityRule] | UnsetType = UNSET
    detection_sensitivity: Fraction | UnsetType = UNSET
    default_strategy: MergeStrategy | UnsetType = UNSET
    vote_quorum: Count | UnsetType = UNSET


class FieldSession(Wire):
    id: Name
    goal: Said
    status: SessionStatus
    creator: Name
    members: list[Membership]
    policies: SessionPolicies
    epoch_started: Epoch
    epoch_ended: Epoch | None


class SessionRequest(Wire):
    action: SessionAction
    session_id: str | UnsetType | None = UNSET
    goal: str | UnsetType = UNSET
    policies: SessionPolicies | UnsetType = UNSET


class SessionResponse(Wire):
    status: Literal["ok"]
    session: FieldSession | UnsetType = UNSET
    sessions: list[FieldSession] | UnsetType = UNSET
