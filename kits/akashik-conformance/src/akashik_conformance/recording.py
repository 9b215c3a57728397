"""Units come in: what RECORD takes and refuses, what the Field says of a unit, and when it says it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import datetime

from akashik_conformance.bench import Agent, Bench, Subject
from akashik_conformance.binding import Json, JsonObject
from akashik_conformance.say import (
    finding,
    holds,
    link,
    merge,
    part,
    parts,
    refused,
    rising,
    same,
    valid,
    went,
    whole,
    without,
    word,
    words,
)

TYPES = (
    *("finding", "decision", "observation", "question"),
    *("intention", "assumption", "constraint", "contradiction", "synthesis", "correction", "human_directive"),
)
"""The four that are mandatory, and the other seven."""
BARE: JsonObject = {"type": "finding", "content": "It rains", "intent": {"purpose": "plan the day"}}


def kept_nothing(f: Subject, author: Agent, looker: Agent) -> None:
    """Neither a reader nor the author itself is told anything."""
    same(looker.contents(), [], "what a reader is told after nothing but refusals")
    same(author.contents(include_own=True), [], "what the author is told of its own after nothing but refusals")


def unit_of(reader: Agent, name: str) -> JsonObject:
    found = reader.unit(name)
    if found is None:
        raise AssertionError(f"the unit {name} is not told to {reader.name}")
    return found


def all_refused(b: Bench, payloads: Iterable[JsonObject], codes: str | None, what: str) -> None:
    """Each of these is refused, and none leaves anything behind."""
    f = b.field()
    scout, looker = f.join("scout"), f.join("looker")
    for payload in payloads:
        refused(scout.ask("RECORD", payload), codes, f"{what}: a RECORD of {payload}")
    kept_nothing(f, scout, looker)


def akas_006(b: Bench) -> None:
    f = b.field()
    scout = f.join("scout")
    payload = BARE if f.level == 0 else finding("It rains")
    answer = went(scout.ask("RECORD", payload), "accepted", "a committed RECORD")
    valid("record_response", answer)
    word(answer, "memory_unit_id")
    holds(whole(answer, "epoch") >= 0, "an accepted RECORD has no epoch")
    same(answer.get("rejection_reason"), None, "the reason for rejecting what was accepted")


def akas_007(b: Bench) -> None:
    f = b.field()
    scout = f.join("scout")
    payload: JsonObject = {"mode": "draft", "type": "observation", "content": "Prices?", "intent": {"purpose": "later"}}
    answer = went(scout.ask("RECORD", payload), "accepted", "a draft with a type, content and a purpose")
    same(unit_of(scout, word(answer, "memory_unit_id")).get("content"), "Prices?", "the content of the draft")


def akas_008(b: Bench) -> None:
    f = b.field()
    scout = f.join("scout")
    draft, done = scout.record("Prices rise?", mode="draft"), scout.record("The harbour is deep", mode="committed")
    for name, mode, status in ((draft, "draft", "draft"), (done, "committed", "active")):
        unit = unit_of(scout, name)
        same((unit.get("mode"), unit.get("status")), (mode, status), f"mode and status of a {mode} unit")


def akas_009(b: Bench) -> None:
    wrong: list[Json] = [None, {}, {"purpose": ""}, {"purpose": " \n\t"}, {"purpose": None}]
    said: list[JsonObject] = [{**finding("It rains"), "intent": intent} for intent in wrong]
    said.append(without(finding("It rains"), "intent"))
    both: list[JsonObject] = [{**payload, "mode": mode} for payload in said for mode in ("draft", "committed")]
    all_refused(b, both, "MISSING_INTENT", "without a purpose")


def akas_010(b: Bench) -> None:
    full = finding("It rains")
    bad: list[JsonObject] = [without(full, "content"), {**full, "content": ""}, {**full, "content": None}]
    all_refused(b, bad, None, "without content")


def akas_011(b: Bench) -> None:
    all_refused(b, [finding("It rains", type="rumour")], "INVALID_TYPE", "of an unknown type")
    all_refused(b, [without(finding("It rains"), "type")], None, "without a type")


def akas_012(b: Bench) -> None:
    f = b.field()
    human, looker = f.join("human", 10), f.join("looker", 10)
    made = {kind: human.record(f"The {kind} is written down in the book of the harbour", type=kind) for kind in TYPES}
    told = {kind: unit_of(looker, name).get("type") for kind, name in made.items()}
    same(told, {kind: kind for kind in TYPES}, "the types that are told")


def akas_013(b: Bench) -> None:
    f = b.field()
    scout, looker = f.join("scout"), f.join("looker")
    forged: dict[str, Json] = {
        "id": "mem-forged",
        "epoch": 999_999,
        "source": {"agent_id": "somebody-else", "agent_role": "chief", "timestamp": "1999-01-01T00:00:00Z"},
        "status": "superseded",
    }
    for number, (name, value) in enumerate(forged.items()):
        answer = scout.ask("RECORD", finding(f"Sounding {number} at buoy {number * 7}", **{name: value}))
        if answer.get("status") != "accepted":
            refused(answer, None, f"a RECORD that brings its own {name}")
            continue
        told = unit_of(looker, word(answer, "memory_unit_id")).get(name)
        holds(told != value, f"the caller's own {name} was stored")


def akas_014(b: Bench) -> None:
    f = b.field()
    scout, looker = f.join("scout", role="researcher"), f.join("chief", 8)
    session = f.meet(looker, scout) if f.level >= 3 else None
    unit = scout.record("The harbour is deep", session=session)
    told = looker.attune(session=session)
    source = part(next(part(one, "memory_unit") for one in f.told(told)), "source")
    same((source.get("agent_id"), source.get("agent_role")), (scout.name, "researcher"), f"the source of {unit}")
    same(source.get("session_id"), session, "the session a unit was recorded in")
    try:
        moment = datetime.fromisoformat(word(source, "timestamp"))
    except ValueError as error:
        raise AssertionError(f"the timestamp is no ISO 8601 moment: {source.get('timestamp')!r}") from error
    holds(moment.tzinfo is not None, f"the timestamp names no time zone: {source.get('timestamp')!r}")
    chief = looker
    went(chief.ask("DEREGISTER", {"agent_id": scout.name}), "ok", "a DEREGISTER")
    cook = f.join("scout", role="cook")
    later = cook.record("The soup is hot")
    roles = [part(one, "source").get("agent_role") for one in (unit_of(chief, later),)]
    same(roles, ["cook"], "the role of an agent that came back as something else")
    told = chief.attune(session=session)
    again = {word(part(one, "memory_unit"), "id"): part(part(one, "memory_unit"), "source") for one in f.told(told)}
    same(again[unit].get("agent_role"), "researcher", "the role its author had when it recorded")


def akas_015(b: Bench) -> None:
    f = b.field()
    agents = [f.join("scout"), f.join("analyst")]
    made = [agents[number % 2].record(f"Measurement {number} of the tide table") for number in range(40)]
    same(len(set(made)), 40, "different ids of 40 units")


def akas_016(b: Bench) -> None:
    f = b.field()
    scout, looker = f.join("scout"), f.join("looker")
    wrong: list[Json] = [-0.01, 1.01, "0.5", None, True]
    for mode in ("draft", "committed"):
        for score in wrong:
            payload = finding("It rains", mode=mode, confidence={"score": score, "reasoning": "r"})
            refused(scout.ask("RECORD", payload), "INVALID_CONFIDENCE", f"a {mode} RECORD with the score {score!r}")
        nan = finding("It rains", mode=mode, confidence={"score": math.nan, "reasoning": "r"})
        refused(scout.ask("RECORD", nan), None, f"a {mode} RECORD with a score that is no number")
    kept_nothing(f, scout, looker)
    for score in (0.0, 1.0):
        scout.record(f"Sounding {score:.0f} at buoy {score * 7:.0f}", confidence={"score": score, "reasoning": "r"})


def akas_017(b: Bench) -> None:
    f = b.field()
    scout, looker = f.join("scout"), f.join("looker")
    target = scout.record("The harbour is deep")
    payload = finding("The orchard is large", relations=link("resembles", target))
    refused(scout.ask("RECORD", payload), None, "a relation of an unknown type")
    same(looker.contents(), ["The harbour is deep"], "what is told after a RECORD with an unknown relation")


def akas_032(b: Bench) -> None:
    f = b.field()
    scout, analyst, chief = f.join("scout"), f.join("analyst"), f.join("chief", 8)
    message = f.message("RECORD", scout.name, finding("The harbour is deep"))
    name = word(went(f.send(message, scout.token), "accepted", "a RECORD"), "memory_unit_id")
    f.ours.add(name)
    f.send({**message, "payload": finding("The harbour is shallow")}, scout.token)
    scout.ask("RECORD", finding("The harbour is gone", id=name))
    analyst.record("Ships draw six metres there", relations=link("elaborates", name))
    same(unit_of(chief, name).get("content"), "The harbour is deep", "content after other records spoke of it")
    if f.level >= 2:
        answer = analyst.recorded("Ships touch ground there", relations=link("contradicts", name))
        (conflict,) = words(answer, "conflicts_detected")
        went(chief.ask("MERGE", merge(conflict, "human_escalation")), "escalated", "a MERGE")
        chief.ask("DETECT", {"mode": "scan"})
        went(chief.ask("COMPACT", {"strategy": "archive"}), "ok", "a COMPACT")
    chief.ask("DEREGISTER", {"agent_id": scout.name})
    same(unit_of(chief, name).get("content"), "The harbour is deep", "content after every operation had its turn")


def akas_037(b: Bench) -> None:
    f = b.field()
    agents = [f.join("scout"), f.join("analyst")]
    epochs = [whole(agents[number % 2].recorded(f"Measurement {number} of the tide"), "epoch") for number in range(12)]
    holds(rising(epochs), f"epochs of successive writes do not rise: {epochs}")


def akas_038(b: Bench) -> None:
    f = b.field()
    scout = f.join("scout")
    first = whole(scout.recorded("The harbour is deep"), "epoch")
    far = first + 1_000
    jumped = went(scout.ask("RECORD", finding("The orchard is large"), epoch=far), "accepted", "a later epoch")
    holds(whole(jumped, "epoch") > far, f"a message of epoch {far} was answered with {jumped.get('epoch')}")
    low = went(scout.ask("RECORD", finding("The quarry is closed"), epoch=0), "accepted", "an earlier epoch")
    holds(whole(low, "epoch") > whole(jumped, "epoch"), f"a message of epoch 0 moved the clock back: {low}")
    read = went(scout.ask("ATTUNE", {"scope": {"role": "r", "max_units": 5}}), "ok", "an ATTUNE")
    holds(whole(read, "epoch") >= whole(low, "epoch"), "an ATTUNE tells an epoch before the last write")


def akas_040(b: Bench) -> None:
    f = b.field()
    scout = f.join("scout")
    bare = without(finding("The harbour is deep"), "confidence")
    wrong: list[Json] = [{}, {"score": 0.5}, {"reasoning": "seen"}, {"score": 0.5, "reasoning": ""}]
    for payload in (bare, *({**bare, "confidence": one} for one in wrong)):
        refused(scout.ask("RECORD", payload), "MISSING_CONFIDENCE", f"a committed RECORD: {payload}")
    went(scout.ask("RECORD", {**bare, "mode": "draft"}), "accepted", "a draft without confidence")


def akas_051(b: Bench) -> None:
    f = b.field()
    scout, analyst = f.join("scout"), f.join("analyst")
    message = f.message("RECORD", scout.name, finding("The harbour is deep"))
    first, again = f.send(message, scout.token), f.send(message, scout.token)
    f.ours.add(word(went(first, "accepted", "a RECORD"), "memory_unit_id"))
    same(again.get("memory_unit_id"), first.get("memory_unit_id"), "the unit of a message that came twice")
    same(again.get("epoch"), first.get("epoch"), "the epoch of a message that came twice")
    same(analyst.contents(), ["The harbour is deep"], "what is told of a message that came twice")
    other = f.send({**message, "agent_id": analyst.name, "payload": finding("The quarry is closed")}, analyst.token)
    went(other, "accepted", "the same message id from another agent")
    holds(other.get("memory_unit_id") != first.get("memory_unit_id"), "two agents' messages were taken for one")
    if f.level >= 1:
        _subscribed_twice(f, scout)


def _subscribed_twice(f: Subject, scout: Agent) -> None:
    """What is no record counts once, too."""
    wish: JsonObject = {"action": "subscribe", "subscription": {"events": ["memory.recorded"]}}
    message = f.message("SUBSCRIBE", scout.name, wish)
    first, again = f.send(message, scout.token), f.send(message, scout.token)
    same(again.get("subscription"), first.get("subscription"), "the subscription of a message that came twice")
    listed = parts(scout.ask("SUBSCRIBE", {"action": "list"}), "subscriptions")
    same(len(listed), 1, "subscriptions after a message that came twice")
