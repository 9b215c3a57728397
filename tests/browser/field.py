"""The shared field of the console's world: agents, a session, tasks, a handoff. Knows no expected value."""

from __future__ import annotations

from muniment import Memory
from muniment.compat.akashik import Field, FieldAgentHandle
from muniment.contracts.strict.values import JsonObject


def meet(memory: Memory) -> None:
    """Agents meet in a session, take tasks, hand one over; one of them fails and one leaves."""
    field = Field(memory)
    lead = field.register("planner", "lead", interests=("loading", "lorries"), authority_level=8)
    hands = field.register("researcher", "analyst", interests=("tea",), authority_level=6)
    eyes = field.register("scout", "surveyor", authority_level=4)
    tired = field.register("night-watch", "watch", authority_level=4)
    opened = _well(lead.session("create", goal="Move the returns desk before the sale"))["session"]
    assert isinstance(opened, dict)
    for agent in (hands, eyes, tired):
        _well(agent.session("join", session_id=str(opened["id"])))
    _work(lead, hands, eyes)
    _well(
        eyes.record(
            "observation",
            "Hall 5 has two free sockets",
            purpose="place the desk",
            confidence=0.8,
            reasoning="seen today",
        )
    )
    _well(
        hands.record(
            "finding",
            "Moving the desk takes four hours",
            purpose="plan the day",
            confidence=0.7,
            reasoning="as last time",
        )
    )
    _well(lead.attune(5))
    _well(tired.fail("the lamp of the scanner went out"))


def _work(lead: FieldAgentHandle, hands: FieldAgentHandle, eyes: FieldAgentHandle) -> None:
    measured = _task(lead, "Measure hall 5", eyes.id)
    _well(eyes.coordinate("start", id=measured))
    _well(eyes.coordinate("complete", id=measured, summary="12 by 9 metres"))
    moved = _task(lead, "Move the desk", hands.id, depends_on=[measured])
    _well(hands.coordinate("start", id=moved))
    _well(hands.coordinate("block", id=moved))
    told = _task(lead, "Tell the drivers", hands.id)
    _well(hands.handoff("offer", told, to_agent=eyes.id, package={"summary": "the drivers know you"}))
    _well(lead.coordinate("create", title="Paint new signs"))


def _task(lead: FieldAgentHandle, title: str, assignee: str, *, depends_on: list[str] | None = None) -> str:
    more: JsonObject = {"depends_on": list(depends_on)} if depends_on else {}
    made = _well(lead.coordinate("create", title=title, assignee=assignee, **more))["task"]
    assert isinstance(made, dict)
    return str(made["id"])


def _well(answer: JsonObject) -> JsonObject:
    assert "code" not in answer, answer
    return answer
