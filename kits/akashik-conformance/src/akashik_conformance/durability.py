"""What lasts: restarts, kills, a log that only grows, a state that can be made anew from it, and honest limits."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from akashik_conformance.bench import Agent, Bench, Subject, disputed
from akashik_conformance.binding import TRANSPORT_ERROR, JsonObject
from akashik_conformance.registering import roster
from akashik_conformance.replaying import events, replayed
from akashik_conformance.samples import asked, known_at
from akashik_conformance.say import finding, holds, merge, part, parts, refused, same, scope, went, whole, word

FAR = (2**53 - 1, 2**63 - 1)
"""Epochs at which a clock can be full: the last whole number that JSON readers agree on, and the last of 64 bits."""


def units(f: Subject, reader: Agent) -> dict[str, JsonObject]:
    """Every unit that is told, by id."""
    found = [part(one, "memory_unit") for one in f.told(reader.attune(1_000, include_archived=True))]
    return {word(one, "id"): one for one in found}


def akas_033(b: Bench) -> None:
    f = b.field(alone=True)
    scout, analyst, chief = f.join("scout"), f.join("analyst"), f.join("chief", 8)
    name, old, new = disputed(scout, analyst)
    conflict = chief.conflict(name)
    f.restart("stop")
    same(set(units(f, chief)), {old, new}, "units after a restart")
    same(sorted(roster(chief)), sorted([scout.name, analyst.name, chief.name]), "agents after a restart")
    same(chief.conflict(name), conflict, "the conflict after a restart")
    last = scout.record("The orchard is large")
    f.restart("kill")
    same(set(units(f, chief)), {old, new, last}, "units after a kill right behind an acknowledged RECORD")
    same(sorted(roster(chief)), sorted([scout.name, analyst.name, chief.name]), "agents after a kill")
    same(chief.conflict(name), conflict, "the conflict after a kill")


def akas_034(b: Bench) -> None:
    f = b.field(alone=True)
    writers, reader = [f.join(f"writer-{number}") for number in range(4)], f.join("reader")
    acknowledged: dict[str, str] = {}

    def write(writer: Agent) -> None:
        for number in range(100_000):
            text = f"Sounding {number} of {writer.name}"
            answer = writer.ask("RECORD", finding(text))
            if answer.get("code") == TRANSPORT_ERROR:
                return
            acknowledged[word(went(answer, "accepted", "a RECORD"), "memory_unit_id")] = text

    with ThreadPoolExecutor(len(writers)) as pool:
        jobs = [pool.submit(write, one) for one in writers]
        f.within(lambda: len(acknowledged) >= 40 or any(job.done() for job in jobs), "forty acknowledged writes")
        f.restart("kill")
        for job in jobs:
            job.result(timeout=30)
    f.ours.update(acknowledged)
    kept = {name: unit.get("content") for name, unit in units(f, reader).items()}
    lost = {name: text for name, text in acknowledged.items() if kept.get(name) != text}
    same(lost, {}, "acknowledged units that are gone after a kill in the middle of writes")
    after = writers[0].record("The orchard is large")
    holds(after in units(f, reader), "a write after the kill is not told")


def akas_035(b: Bench) -> None:
    f = b.field()
    human = f.join("human", 10)
    unit = human.record("The harbour is deep")
    past = events(replayed(human, "memory_unit", unit)) if b.level >= 2 else []
    for operation in known_at(f.level):
        if operation == "HANDOFF" and f.level < 3:
            continue  # there is nothing to hand over where no task can be made
        _leaves_an_event(f, human, operation)
    if b.level >= 2:
        later = events(replayed(human, "memory_unit", unit))
        same(later[: len(past)], past, "past events, asked for later")


def _leaves_an_event(f: Subject, agent: Agent, operation: str) -> None:
    payload = _real(f, operation)
    before = f.events(agent)
    answer = agent.ask(operation, payload)
    holds("status" in answer, f"{operation} was refused: {answer}")
    f.within(lambda: f.events(agent) > before, f"{operation} leaves an event")


def _real(f: Subject, operation: str) -> JsonObject:
    """Something that an operation can do here, not merely read."""
    scout = Agent(f, f.name("human"), 10)
    match operation:
        case "REGISTER":
            return {"id": f.name("latecomer"), "role": "researcher"}
        case "DEREGISTER":
            return {"agent_id": f.join("leaver").name}
        case "MERGE":
            return merge(disputed(f.join("one"), f.join("two"))[0], "last_write_wins")
        case "REPLAY":
            return {"target_type": "memory_unit", "target_id": scout.record("It rains"), "depth": "summary"}
        case "HANDOFF":
            return _handed(f, scout)
        case "COORDINATE":
            return {"action": "create", "task": {"title": "t"}}
        case "SESSION":
            return {"action": "create", "goal": "find out"}
        case "SUBSCRIBE":
            return {"action": "subscribe", "subscription": {"events": ["memory.recorded"]}}
        case "COMPACT":
            return {"strategy": "archive", "filter": {"types": ["finding"]}}
        case _:
            return asked(operation, scout.name)


def _handed(f: Subject, agent: Agent) -> JsonObject:
    other = f.join("taker")
    wish: JsonObject = {"action": "create", "task": {"title": "t", "assignee": agent.name}}
    task = word(part(agent.ask("COORDINATE", wish), "task"), "id")
    return {"action": "offer", "task_id": task, "to_agent": other.name}


def akas_036(b: Bench) -> None:
    f = b.field(alone=True)
    scout, analyst, chief = f.join("scout"), f.join("analyst"), f.join("chief", 8)
    name, *_ = disputed(scout, analyst)
    other = scout.record("The orchard is large")
    analyst.record("Trees are sold there", relations=[{"type": "supports", "target_id": other}])
    if b.level >= 2:
        went(chief.ask("MERGE", merge(name, "last_write_wins")), "resolved", "a MERGE")
        went(chief.ask("COMPACT", {"strategy": "archive", "filter": {"types": ["question"]}}), "ok", "a COMPACT")
    if b.level >= 3:
        f.meet(chief, scout)
        went(scout.ask("COORDINATE", {"action": "create", "task": {"title": "t"}}), "ok", "a task")

    def state() -> tuple[object, ...]:
        tasks = chief.ask("COORDINATE", {"action": "list"}).get("tasks") if b.level >= 3 else None
        sessions = chief.ask("SESSION", {"action": "list"}).get("sessions") if b.level >= 3 else None
        return units(f, chief), roster(chief), chief.conflicts(), tasks, sessions

    before = state()
    f.rebuild()
    for what, was, now in zip(("units", "agents", "conflicts", "tasks", "sessions"), before, state(), strict=True):
        same(now, was, f"{what}, made anew from the log")


def akas_102(b: Bench) -> None:
    f = b.tight()
    scout, reader = f.join("scout"), f.join("reader")
    kept = scout.record("The harbour is deep")
    for number in range(200):
        text = " ".join(f"w{number}x{place}" for place in range(4_000))
        answer = scout.ask("RECORD", finding(f"Chart {number} {text}", type="observation"))
        if answer.get("status") != "accepted":
            break
    refused(answer, "STORAGE_FULL", "a RECORD into a store without room")
    told = went(reader.ask("ATTUNE", scope(5, interests=["harbour"])), "ok", "an ATTUNE of a full store")
    contents = [word(part(one, "memory_unit"), "content") for one in parts(told, "record")]
    holds("The harbour is deep" in contents, f"what was there is not told by a full store ({kept})")
    whole(reader.view("status"), "epoch")


def akas_103(b: Bench) -> None:
    f = b.field()
    scout, reader = f.join("scout"), f.join("reader")
    first = whole(scout.recorded("The harbour is deep"), "epoch")
    codes = []
    for far in FAR:
        answer = scout.ask("RECORD", finding("The orchard is large"), epoch=far)
        if answer.get("status") == "accepted":
            holds(whole(answer, "epoch") > far, f"the clock began again after {far}: {answer}")
            continue
        codes.append(answer.get("code"))
    holds("EPOCH_OVERFLOW" in codes, f"no epoch is too far for the clock; the answers were {codes}")
    same(reader.contents(), ["The harbour is deep"], "what is kept of writes whose epoch is too far")
    after = whole(scout.recorded("The quarry is closed"), "epoch")
    holds(after > first, f"the epoch {after} follows {first}")
