"""The lives of units, conflicts, agents, tasks and sessions as tables: which state may follow which.

The protocol gives the table of conflicts and only the words of the others; those are our extension.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from muniment.contracts.akashik.words import AgentStatus, DisputeStatus, SessionStatus, TaskStatus, UnitStatus

Table = Mapping[str, frozenset[str]]

UNIT: Table = {
    UnitStatus.DRAFT: frozenset({UnitStatus.ACTIVE, UnitStatus.RETRACTED}),
    UnitStatus.PENDING_ENRICHMENT: frozenset(
        {UnitStatus.ACTIVE, UnitStatus.CONTESTED, UnitStatus.SUPERSEDED, UnitStatus.RETRACTED}
    ),
    UnitStatus.ACTIVE: frozenset({UnitStatus.CONTESTED, UnitStatus.SUPERSEDED, UnitStatus.RETRACTED}),
    UnitStatus.CONTESTED: frozenset({UnitStatus.ACTIVE, UnitStatus.SUPERSEDED, UnitStatus.RETRACTED}),
    UnitStatus.SUPERSEDED: frozenset(),
    UnitStatus.RETRACTED: frozenset(),
}

CONFLICT: Table = {
    DisputeStatus.DETECTED: frozenset({DisputeStatus.RESOLVING, DisputeStatus.RESOLVED, DisputeStatus.ESCALATED}),
    DisputeStatus.RESOLVING: frozenset({DisputeStatus.RESOLVED, DisputeStatus.ESCALATED}),
    DisputeStatus.ESCALATED: frozenset({DisputeStatus.RESOLVED}),
    DisputeStatus.RESOLVED: frozenset(),
}
"""A strategy that decides at once goes from detected to resolved in one step, through resolving in the same moment."""

AGENT: Table = {
    AgentStatus.IDLE: frozenset({AgentStatus.WORKING, AgentStatus.OFFLINE, AgentStatus.FAILED}),
    AgentStatus.WORKING: frozenset({AgentStatus.WAITING, AgentStatus.IDLE, AgentStatus.OFFLINE, AgentStatus.FAILED}),
    AgentStatus.WAITING: frozenset({AgentStatus.WORKING, AgentStatus.IDLE, AgentStatus.OFFLINE, AgentStatus.FAILED}),
    AgentStatus.OFFLINE: frozenset({AgentStatus.IDLE, AgentStatus.FAILED}),
    AgentStatus.FAILED: frozenset({AgentStatus.IDLE, AgentStatus.OFFLINE}),
}

TASK: Table = {
    TaskStatus.PENDING: frozenset({TaskStatus.ASSIGNED, TaskStatus.CANCELLED}),
    TaskStatus.ASSIGNED: frozenset(
        {TaskStatus.IN_PROGRESS, TaskStatus.PENDING, TaskStatus.ASSIGNED, TaskStatus.CANCELLED}
    ),
    TaskStatus.IN_PROGRESS: frozenset(
        {TaskStatus.BLOCKED, TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.ASSIGNED, TaskStatus.CANCELLED}
    ),
    TaskStatus.BLOCKED: frozenset(
        {TaskStatus.IN_PROGRESS, TaskStatus.FAILED, TaskStatus.ASSIGNED, TaskStatus.CANCELLED}
    ),
    TaskStatus.FAILED: frozenset({TaskStatus.PENDING, TaskStatus.CANCELLED}),
    TaskStatus.COMPLETED: frozenset(),
    TaskStatus.CANCELLED: frozenset(),
}

SESSION: Table = {
    SessionStatus.ACTIVE: frozenset({SessionStatus.PAUSED, SessionStatus.ENDED}),
    SessionStatus.PAUSED: frozenset({SessionStatus.ACTIVE, SessionStatus.ENDED}),
    SessionStatus.ENDED: frozenset(),
}


def may_become(table: Table, before: StrEnum, after: StrEnum) -> bool:
    """Whether a table allows a step; what it does not is an `INVALID_TRANSITION`.

    >>> may_become(SESSION, SessionStatus.ENDED, SessionStatus.ACTIVE)
    False
    """
    return after in table[before]
