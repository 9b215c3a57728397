"""The tables of states, each in full: what may follow what, and nothing else."""

from __future__ import annotations

from enum import StrEnum

from tests.cases import each

from muniment.contracts.akashik.states import AGENT, CONFLICT, SESSION, TASK, UNIT, Table, may_become
from muniment.contracts.akashik.words import AgentStatus, DisputeStatus, SessionStatus, TaskStatus, UnitStatus

LIVES = {
    "unit": (
        UNIT,
        UnitStatus,
        """draft active, draft retracted, pending_enrichment active, pending_enrichment contested,
        pending_enrichment superseded, pending_enrichment retracted, active contested, active superseded,
        active retracted, contested active, contested superseded, contested retracted""",
    ),
    "conflict": (
        CONFLICT,
        DisputeStatus,
        """detected resolving, detected resolved, detected escalated, resolving resolved, resolving escalated,
        escalated resolved""",
    ),
    "agent": (
        AGENT,
        AgentStatus,
        """idle working, working waiting, waiting working, working idle, waiting idle, idle offline, working offline,
        waiting offline, failed offline, offline idle, idle failed, working failed, waiting failed, offline failed,
        failed idle""",
    ),
    "task": (
        TASK,
        TaskStatus,
        """pending assigned, assigned in_progress, assigned pending, in_progress blocked, blocked in_progress,
        in_progress completed, in_progress failed, blocked failed, failed pending, assigned assigned,
        in_progress assigned, blocked assigned, pending cancelled, assigned cancelled, in_progress cancelled,
        blocked cancelled, failed cancelled""",
    ),
    "session": (SESSION, SessionStatus, "active paused, active ended, paused active, paused ended"),
}


@each("name", list(LIVES))
def test_a_life_has_these_steps_and_no_others(name: str) -> None:
    table, words, steps = LIVES[name]
    assert _steps(table, words) == {tuple(step.split()) for step in steps.split(",")}


def _steps(table: Table, words: type[StrEnum]) -> set[tuple[str, ...]]:
    assert set(table) == set(words)
    return {(before.value, after.value) for before in words for after in words if may_become(table, before, after)}
