"""Who may do what: the table of minimum authority, each row one below its limit and at it."""

from __future__ import annotations

from collections.abc import Callable

from akashik_conformance.bench import Agent, Bench, Subject, disputed
from akashik_conformance.binding import JsonObject
from akashik_conformance.coordinating import made
from akashik_conformance.registering import roster
from akashik_conformance.say import finding, holds, merge, part, refused, same, scope, went

Job = Callable[[Agent], JsonObject]
CODE = "INSUFFICIENT_AUTHORITY"
DISPUTES = {
    5: ("The harbour is deep", "Ships touch ground there"),
    6: ("The quarry is closed", "Stone was sold this morning"),
}
"""What two agents disagree about, for each who is to settle it."""


def akas_090(b: Bench) -> None:
    f = b.field()
    refused(f.register("scout", 4, authority_level=5), CODE, "a claim of authority 5 under a credential of 4")
    looker = f.join("looker")
    holds(f.name("scout") not in roster(looker), "an agent that claimed too much is on the roster")
    granted = went(f.register("scout", 4, authority_level=4), "registered", "a claim of what the credential gives")
    same(part(granted, "agent").get("authority_level"), 4, "the authority that was granted")
    low = went(f.register("humble", 8, authority_level=2), "registered", "a claim of less than the credential gives")
    same(part(low, "agent").get("authority_level"), 2, "the authority that was asked for")
    humble = Agent(f, f.name("humble"), 8)
    refused(humble.ask("RECORD", finding("The harbour is deep")), CODE, "a RECORD by who claimed less than it takes")


def akas_091(b: Bench) -> None:
    f = b.field()
    for name, least, job in _rows(f):
        if least > 0:
            below = f.join(f"{name}-below", least - 1)
            refused(job(below), CODE, f"{name} by authority {least - 1}")
        enough = f.join(f"{name}-at", least)
        answer = job(enough)
        holds("code" not in answer, f"{name} by authority {least} was refused: {answer}")
    _to_settle_what_was_escalated(b)


def _rows(f: Subject) -> list[tuple[str, int, Job]]:
    """Every row of the table: its name, the authority it takes, and something that takes it."""
    chief, scout = f.join("chief", 10), f.join("worker")
    session = f.meet(chief)

    def fresh(agent: Agent) -> str:
        return f.join(f"{agent.name}-leaver").name

    def conflict(agent: Agent) -> str:
        old, new = DISPUTES[agent.authority]
        older: JsonObject = {"content": old}
        newer: JsonObject = {"content": new}
        return disputed(f.join(f"{agent.name}-a"), f.join(f"{agent.name}-b"), older=older, newer=newer)[0]

    def task(agent: Agent) -> str:
        return made(agent if agent.authority >= 4 else scout, assignee=scout.name)

    return [
        ("register", 0, lambda agent: agent.view("status")),
        ("draft", 2, lambda agent: agent.ask("RECORD", finding("Perhaps it rains", mode="draft"))),
        ("record", 4, lambda agent: agent.ask("RECORD", finding(f"{agent.name} was at the harbour"))),
        ("attune", 2, lambda agent: agent.ask("ATTUNE", scope())),
        ("detect", 4, lambda agent: agent.ask("DETECT", {"mode": "list"})),
        ("merge", 6, lambda agent: agent.ask("MERGE", merge(conflict(agent), "last_write_wins"))),
        ("archive", 6, lambda agent: agent.ask("COMPACT", _nothing("archive"))),
        ("summarize", 6, lambda agent: agent.ask("COMPACT", _nothing("summarize"))),
        ("purge", 10, lambda agent: agent.ask("COMPACT", _nothing("purge"))),
        ("leave", 4, lambda agent: agent.ask("DEREGISTER", {"agent_id": agent.name})),
        ("dismiss", 8, lambda agent: agent.ask("DEREGISTER", {"agent_id": fresh(agent)})),
        ("subscribe", 2, lambda agent: agent.ask("SUBSCRIBE", {"action": "list"})),
        ("replay", 0, _replay_own(f, scout)),
        ("task", 4, lambda agent: agent.ask("COORDINATE", {"action": "create", "task": {"title": "t"}})),
        ("task-for-others", 6, lambda agent: agent.ask("COORDINATE", _for(scout))),
        ("cancel", 8, lambda agent: agent.ask("COORDINATE", {"action": "cancel", "task": {"id": made(scout)}})),
        ("hand-over", 6, lambda agent: agent.ask("HANDOFF", _offer(task(scout), chief))),
        ("lead", 8, lambda agent: agent.ask("SESSION", {"action": "create", "goal": "find out"})),
        ("take-part", 2, lambda agent: agent.ask("SESSION", {"action": "join", "session_id": session})),
    ]


def _nothing(strategy: str) -> JsonObject:
    return {"strategy": strategy, "filter": {"types": []}}


def _for(agent: Agent) -> JsonObject:
    return {"action": "create", "task": {"title": "t", "assignee": agent.name}}


def _offer(task: str, to: Agent) -> JsonObject:
    return {"action": "offer", "task_id": task, "to_agent": to.name}


def _replay_own(f: Subject, scout: Agent) -> Job:
    unit = scout.record("The orchard is large")
    return lambda agent: agent.ask("REPLAY", {"target_type": "memory_unit", "target_id": unit, "depth": "summary"})


def _to_settle_what_was_escalated(b: Bench) -> None:
    f = b.field()
    scout, analyst, ninth, human = f.join("scout"), f.join("analyst"), f.join("ninth", 9), f.join("human", 10)
    name, old, _ = disputed(scout, analyst)
    went(ninth.ask("MERGE", merge(name, "human_escalation")), "escalated", "an escalation")
    refused(ninth.ask("MERGE", merge(name, "last_write_wins")), None, "to settle what was escalated, by authority 9")
    settled = human.ask("MERGE", merge(name, "authority", winner_id=old))
    went(settled, "resolved", "to settle what was escalated, by authority 10")
