"""Agents come and go: REGISTER, DEREGISTER, and what a Field says it can do."""

from __future__ import annotations

from akashik_conformance.bench import Agent, Bench
from akashik_conformance.binding import JsonObject
from akashik_conformance.samples import OPERATIONS, asked, known_at
from akashik_conformance.say import finding, holds, part, parts, refused, same, valid, went, whole, words

STRATEGIES = {0: 0, 1: 0, 2: 3, 3: 7}
"""How many merge strategies a Field of each level has at least."""


def roster(looker: Agent) -> dict[str, JsonObject]:
    """The agents that the view shows, by name."""
    return {str(one.get("id")): one for one in parts(looker.view("agents"), "agents")}


def akas_001(b: Bench) -> None:
    f = b.field()
    answer = went(f.register("scout", role="researcher"), "registered", "a first REGISTER")
    agent = part(answer, "agent")
    same((agent.get("id"), agent.get("role")), (f.name("scout"), "researcher"), "the agent that is echoed")
    same(agent.get("status"), "idle", "the status of an agent that just registered")
    valid("register_response", answer)


def akas_002(b: Bench) -> None:
    f = b.field()
    looker = f.join("looker")
    bad: list[JsonObject] = [{"id": "ghost"}, {"role": "r"}, {"id": "", "role": "r"}, {"id": "ghost", "role": ""}, {}]
    for payload in bad:
        answer = f.send(f.message("REGISTER", "ghost", payload), f.token(4))
        refused(answer, None, f"a REGISTER of {payload}")
    holds("ghost" not in roster(looker) and "" not in roster(looker), "an agent that was refused is on the roster")


def akas_003(b: Bench) -> None:
    f = b.field()
    scout = f.join("scout", role="researcher")
    refused(f.register("scout", role="cook"), "AGENT_ID_TAKEN", "a second REGISTER of an active id")
    same(roster(scout)[scout.name].get("role"), "researcher", "the role of the agent that was there first")
    scout.record("The harbour is deep")


def akas_004(b: Bench) -> None:
    f = b.field()
    went(f.register("scout", required_operations=["RECORD", "ATTUNE"]), "registered", "with operations that are there")
    answer = f.register("planner", required_operations=["RECORD", "TELEPORT"])
    went(answer, "rejected", "a REGISTER that needs an operation nobody knows")
    holds("TELEPORT" in str(answer.get("rejection_reason")), f"the missing operation is not named: {answer}")
    holds("RECORD" not in str(answer.get("rejection_reason")), f"an operation that is there is named: {answer}")
    scout = Agent(f, f.name("scout"), 4)
    holds(f.name("planner") not in roster(scout), "an agent that was rejected is on the roster")


def akas_005(b: Bench) -> None:
    f = b.field()
    for operation in known_at(f.level):
        if operation == "REGISTER":
            continue
        answer = f.send(f.message(operation, "ghost", asked(operation, "ghost")), f.token(10))
        refused(answer, "AGENT_NOT_REGISTERED", f"{operation} by an agent nobody registered")
    same(f.join("looker").contents(), [], "what an unregistered agent left behind")


def akas_041(b: Bench) -> None:
    f = b.field()
    scout, analyst = f.join("scout"), f.join("analyst")
    scout.record("The harbour is deep")
    scout.record("The quarry is closed")
    analyst.record("The orchard is large")
    answer = went(scout.ask("DEREGISTER", {"agent_id": scout.name}), "ok", "a DEREGISTER of oneself")
    same(part(answer, "cleanup").get("units_orphaned"), 2, "units_orphaned")
    holds(scout.name not in roster(analyst), "an agent that left is still on the roster")
    refused(scout.ask("RECORD", finding("Still here")), "AGENT_NOT_REGISTERED", "a RECORD by an agent that left")
    same(sorted(analyst.contents()), ["The harbour is deep", "The quarry is closed"], "the units of an agent that left")
    went(f.register("scout", role="cook"), "registered", "a REGISTER under an id that is free again")


def akas_042(b: Bench) -> None:
    f = b.field()
    chief = f.join("chief", 8)
    answer = went(chief.ask("DEREGISTER", {"agent_id": "nobody-at-all"}), "not_found", "a DEREGISTER of nobody")
    cleanup = part(answer, "cleanup")
    same((whole(cleanup, "units_orphaned"), whole(cleanup, "tasks_reassigned")), (0, 0), "the cleanup of nobody")


def akas_049(b: Bench) -> None:
    for level in range(b.level + 1):
        f = b.field(level=level)
        told = valid("field_capabilities", part(f.register("scout"), "field_capabilities"))
        same(told.get("conformance_level"), level, "conformance_level")
        same(told.get("protocol_version"), "0.1.0", "protocol_version")
        same(told.get("persistence"), True, "persistence")
        missing = set(known_at(level)) - set(words(told, "supported_operations")) - {"DEREGISTER"}
        same(missing, set(), f"operations of level {level} that are not named")
        strategies = len(words(told, "conflict_strategies"))
        holds(strategies >= STRATEGIES[level], f"level {level} names {strategies} strategies")


def akas_050(b: Bench) -> None:
    for level in range(min(b.level, 2) + 1):
        f = b.field(level=level)
        human = f.join("human", 10)
        above = [word for word in OPERATIONS if word not in known_at(level)]
        for operation in above:
            answer = human.ask(operation, asked(operation, human.name))
            refused(answer, "UNSUPPORTED_OPERATION", f"{operation} on a Field of level {level}")
        human.record("The harbour is deep")
