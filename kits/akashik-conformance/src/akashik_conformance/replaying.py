"""The past, told from the log alone: whole, between or in short, and never in part."""

from __future__ import annotations

from akashik_conformance.bench import Agent, Bench, disputed
from akashik_conformance.binding import JsonObject
from akashik_conformance.say import (
    holds,
    link,
    merge,
    parts,
    refused,
    replay,
    same,
    valid,
    went,
    whole,
    word,
    words,
)

DEPTHS = ("summary", "detailed", "full_trace")


def replayed(
    agent: Agent, kind: str, target: str, depth: str = "full_trace", *, session: str | None = None
) -> JsonObject:
    """A replay that must be answered, with its shape and its order checked."""
    answer = went(agent.ask("REPLAY", replay(kind, target, depth), session=session), "ok", f"a REPLAY of a {kind}")
    valid("replay_response", answer)
    epochs = [whole(one, "epoch") for one in parts(answer, "timeline")]
    same(epochs, sorted(epochs), f"the order of a {depth} replay")
    return answer


def events(answer: JsonObject) -> list[tuple[str, str | None]]:
    """What happened, and to which unit."""
    return [(word(one, "event_type"), _unit(one)) for one in parts(answer, "timeline")]


def _unit(event: JsonObject) -> str | None:
    found = event.get("memory_unit_id")
    return found if isinstance(found, str) else None


def akas_073(b: Bench) -> None:
    f = b.field(alone=b.level < 3)
    scout, analyst, human = f.join("scout"), f.join("analyst"), f.join("human", 10)
    old = scout.record("The harbour is deep")
    new = analyst.record("The harbour silted up", relations=link("supersedes", old))
    scout.record("The orchard is large")
    first = replayed(human, "memory_unit", old)
    seen = events(first)
    for unit in (old, new):
        holds(any(name == unit and "record" in kind for kind, name in seen), f"the record of {unit} is missing: {seen}")
    holds(any(name == old and "supersed" in kind for kind, name in seen), f"the end of {old} is missing: {seen}")
    same({name for _, name in seen} - {None}, {old, new}, "the units of the chain")
    same(first.get("total_events"), len(seen), "total_events of a full trace")
    same(events(replayed(human, "memory_unit", new)), seen, "the chain, asked for from its other end")
    if b.level >= 3:
        went(human.ask("COMPACT", {"strategy": "purge"}), "ok", "a purge of everything")
    else:
        f.rebuild()
    later = events(replayed(human, "memory_unit", old))
    same(later[: len(seen)], seen, "the same past after the active store was emptied or made anew")


def akas_074(b: Bench) -> None:
    f = b.tight()
    scout, analyst, chief = f.join("scout"), f.join("analyst"), f.join("chief", 8)
    short = scout.record("The orchard is large")
    by_depth = {depth: replayed(chief, "memory_unit", short, depth) for depth in DEPTHS}
    same(by_depth["summary"].get("timeline"), [], "the timeline of a summary")
    word(by_depth["summary"], "summary")
    same(words(by_depth["summary"], "agents_involved"), [scout.name], "agents_involved")
    name, old, _ = disputed(scout, analyst)
    went(chief.ask("MERGE", merge(name, "last_write_wins")), "resolved", "a MERGE")
    too_large = chief.ask("REPLAY", replay("memory_unit", old))
    refused(too_large, "REPLAY_TOO_LARGE", "a replay over the limit")
    holds("timeline" not in too_large, "a part of what is too large was told")
    summary = replayed(chief, "memory_unit", old, "summary")
    same(sorted(words(summary, "agents_involved")), sorted({scout.name, analyst.name, chief.name}), "agents_involved")
    refused(chief.ask("REPLAY", replay("memory_unit", "no-unit")), "UNIT_NOT_FOUND", "a replay of nothing")
    _between(b)


def _between(b: Bench) -> None:
    """Detailed is no more than the whole and no less than nothing."""
    f = b.field()
    scout, analyst, chief = f.join("scout"), f.join("analyst"), f.join("chief", 8)
    name, old, _ = disputed(scout, analyst)
    went(chief.ask("MERGE", merge(name, "last_write_wins")), "resolved", "a MERGE")
    detailed, full = (events(replayed(chief, "memory_unit", old, depth)) for depth in DEPTHS[1:])
    holds(0 < len(detailed) <= len(full), f"{len(detailed)} events in detail, {len(full)} in all")
    holds(set(detailed) <= set(full), "the detailed replay tells what the whole does not")


def akas_075(b: Bench) -> None:
    f = b.field()
    scout, analyst, chief = f.join("scout"), f.join("analyst"), f.join("chief", 8)
    name, old, new = disputed(scout, analyst)
    went(chief.ask("MERGE", merge(name, "last_write_wins")), "resolved", "a MERGE")
    answer = replayed(chief, "conflict", name)
    seen = events(answer)
    holds({old, new} <= {unit for _, unit in seen}, f"a conflict without both its units: {seen}")
    holds(any("resolved" in kind for kind, _ in seen), f"a conflict without its merge: {seen}")
    same(sorted(words(answer, "agents_involved")), sorted({scout.name, analyst.name, chief.name}), "agents_involved")
    task = f.name("t-1")
    plan = scout.record("We enter", type="decision", intent={"purpose": "plan", "task_id": task})
    same({unit for _, unit in events(replayed(chief, "decision", plan))}, {plan}, "the replay of a decision")
    of_task = [one for one in parts(replayed(chief, "task", task), "timeline") if one.get("memory_unit_id") == plan]
    same([one.get("task_id") for one in of_task[:1]], [task], "the task of an event")
    if b.level >= 3:
        session = f.meet(chief, scout)
        noted = scout.record("The room is warm", session=session)
        inside = replayed(chief, "session", session, session=session)
        holds(noted in {unit for _, unit in events(inside)}, "the replay of a session without its unit")
    for kind in ("task", "session", "conflict", "decision"):
        refused(chief.ask("REPLAY", replay(kind, "nothing-at-all")), None, f"a replay of no {kind}")
