"""Sessions: how they live, what may be written into them, and who sees what is in them."""

from __future__ import annotations

from akashik_conformance.bench import Agent, Bench, Subject
from akashik_conformance.binding import VIEWS, Json, JsonObject
from akashik_conformance.say import (
    finding,
    holds,
    link,
    part,
    parts,
    refused,
    replay,
    same,
    valid,
    went,
    word,
    words,
)

INSIDE = "The harbour is deep"


def act(agent: Agent, action: str, name: str | None = None, **more: Json) -> JsonObject:
    asked: JsonObject = {"action": action, **more}
    return agent.ask("SESSION", asked if name is None else {**asked, "session_id": name})


def state(answer: JsonObject) -> str:
    valid("session_response", went(answer, "ok", "a SESSION"))
    return word(part(answer, "session"), "status")


def members(answer: JsonObject) -> list[str]:
    return sorted(word(one, "agent_id") for one in parts(part(answer, "session"), "members"))


def akas_086(b: Bench) -> None:
    f = b.field()
    chief, scout, analyst = f.join("chief", 8), f.join("scout"), f.join("analyst")
    made = act(chief, "create", goal="chart the harbour")
    same(state(made), "active", "a session that was just made")
    name = word(part(made, "session"), "id")
    with f.following(scout, "session.paused", "session.ended") as feed:
        same(members(act(scout, "join", name)), sorted([chief.name, scout.name]), "members after a join")
        went(act(analyst, "join", name), "ok", "a join")
        same(members(act(analyst, "leave", name)), sorted([chief.name, scout.name]), "members after a leave")
        scout.record(INSIDE, session=name)
        same(state(act(chief, "pause", name)), "paused", "a session that was paused")
        _shut(f, scout, name, "paused")
        same(chief.contents(session=name), [INSIDE], "what is told in a paused session")
        same(state(act(chief, "resume", name)), "active", "a session that was resumed")
        scout.record("The quarry is closed", session=name)
        same(feed.names(), ["session.paused"], "what is announced of a pause")
        same(state(act(chief, "end", name)), "ended", "a session that ended")
        same(feed.names(), ["session.ended"], "what is announced of an end")
    _shut(f, scout, name, "ended")
    refused(act(chief, "resume", name), "INVALID_TRANSITION", "to resume what has ended")
    refused(act(analyst, "join", name), None, "to join what has ended")
    refused(act(scout, "join", "no-session"), None, "to join nothing")


def _shut(f: Subject, agent: Agent, session: str, how: str) -> None:
    """Nothing is written into a session that is not active."""
    task: JsonObject = {"action": "create", "task": {"title": "t"}}
    for operation, payload in (("RECORD", finding("The orchard is large")), ("COORDINATE", task)):
        answer = agent.ask(operation, payload, session=session)
        refused(answer, "INVALID_TRANSITION", f"{operation} into a session that is {how}")


def akas_087(b: Bench) -> None:
    f = b.field()
    chief, scout, analyst = f.join("chief", 8), f.join("scout"), f.join("analyst")
    name = f.meet(chief, scout)
    events = ("memory.recorded", "memory.contested", "conflict.detected")
    with f.following(analyst, *events) as outside, f.following(chief, *events) as inside:
        unit = scout.record(INSIDE, session=name)
        answer = scout.recorded("The harbour is shallow", relations=link("contradicts", unit), session=name)
        (conflict,) = words(answer, "conflicts_detected")
        same(outside.heard(), [], "what is pushed outside a session")
        holds(len(inside.heard()) >= 3, "a member heard too little of its session")
    same(analyst.contents(include_archived=True), [], "what is told outside a session")
    same(analyst.contents(interests=["harbour"], since_epoch=0), [], "what polling tells outside a session")
    same(analyst.conflicts(), [], "conflicts that are listed outside a session")
    check: JsonObject = {"mode": "check", "target_id": unit}
    refused(analyst.ask("DETECT", check), "UNIT_NOT_FOUND", "a check of what is in a session of others")
    for kind, target in (("memory_unit", unit), ("conflict", conflict), ("session", name)):
        refused(analyst.ask("REPLAY", replay(kind, target)), None, f"a replay of a {kind} of others")
        went(chief.ask("REPLAY", replay(kind, target), session=name), "ok", f"a member's replay of a {kind}")
    refused(analyst.ask("ATTUNE", {"scope": {"role": "r", "max_units": 5}}, session=name), None, "to act in it")
    for view in VIEWS:
        said = str(analyst.view(view))
        holds(conflict not in said and unit not in said and INSIDE not in said, f"the view {view} tells of a session")
    if not f.examined.shared:
        same(analyst.view("status").get("units"), 0, "units that the status counts outside a session")
    crossing(b)


def crossing(b: Bench) -> None:
    """A Field that allows it lets sessions be seen from outside."""
    f = b.tight()
    chief, scout, analyst = f.join("chief", 8), f.join("scout"), f.join("analyst")
    name = f.meet(chief, scout)
    scout.record(INSIDE, session=name)
    same(analyst.contents(), [INSIDE], "what is told across sessions where the Field allows it")


def akas_088(b: Bench) -> None:
    f = b.field()
    chief, scout, senior = f.join("chief", 8), f.join("scout"), f.join("senior", 9)
    guest = f.join("guest", role="guest")
    name = f.meet(chief, scout, senior, guest)
    rules: JsonObject = {"visibility_rules": [{"role": "guest", "types": ["decision"], "effect": "hide"}]}
    for other in (scout, senior, guest):
        refused(act(other, "set_policy", name, policies=rules), None, f"a rule set by {other.name}")
    went(act(chief, "set_policy", name, policies=rules), "ok", "a rule set by the creator")
    with f.following(guest, "memory.recorded") as feed:
        shown = scout.record(INSIDE, session=name)
        hidden = scout.record("We dredge it", type="decision", session=name)
        same([one.get("memory_unit_id") for one in feed.heard()], [shown], "what is pushed to a role with a rule")
    same(guest.contents(session=name), [INSIDE], "what a role is told from which decisions are hidden")
    same(len(senior.contents(session=name)), 2, "how much another role is told")
    refused(guest.ask("REPLAY", replay("memory_unit", hidden), session=name), None, "a replay of what is hidden")
    show: JsonObject = {"visibility_rules": [{"role": "guest", "types": ["decision"], "effect": "show"}]}
    went(act(chief, "set_policy", name, policies=show), "ok", "another rule")
    same(guest.contents(session=name), ["We dredge it"], "what a role is told that is shown decisions alone")


def akas_089(b: Bench) -> None:
    f = b.tight()
    human, scout, senior = f.join("human", 10), f.join("scout", 5), f.join("senior", 6)
    with f.following(scout, "memory.recorded") as feed:
        order = human.record("Close the harbour", type="human_directive")
        plain = human.record("The orchard is large")
        same([one.get("memory_unit_id") for one in feed.heard()], [plain], "what is pushed below the authority")
    same(scout.contents(), ["The orchard is large"], "what is told below the authority")
    same(sorted(senior.contents()), ["Close the harbour", "The orchard is large"], "what is told at the authority")
    refused(scout.ask("REPLAY", replay("memory_unit", order)), None, "a replay below the authority")
    went(senior.ask("REPLAY", replay("memory_unit", order)), "ok", "a replay at the authority")
    refused(scout.ask("DETECT", {"mode": "check", "target_id": order}), "UNIT_NOT_FOUND", "a check below the authority")
