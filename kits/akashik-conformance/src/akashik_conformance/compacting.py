"""The past put away: archived, summed up or purged, and the log as long as before."""

from __future__ import annotations

from akashik_conformance.bench import Agent, Bench, Subject
from akashik_conformance.binding import Json, JsonObject
from akashik_conformance.replaying import events, replayed
from akashik_conformance.say import (
    holds,
    link,
    part,
    parts,
    refused,
    replay,
    same,
    scope,
    valid,
    went,
    whole,
    word,
)

SECRET = "The code of the vault is heron"


def compacted(agent: Agent, strategy: str, **bounds: Json) -> JsonObject:
    """A COMPACT that must be answered."""
    payload: JsonObject = {"strategy": strategy, "filter": bounds} if bounds else {"strategy": strategy}
    return valid("compact_response", went(agent.ask("COMPACT", payload), "ok", f"a COMPACT {strategy}"))


def akas_076(b: Bench) -> None:
    f = b.field()
    scout, analyst, senior = f.join("scout"), f.join("analyst"), f.join("senior", 6)
    name = scout.record("The harbour is deep")
    answer = compacted(senior, "archive")
    same((answer.get("units_affected"), answer.get("synthesis_units_created")), (1, 0), "what an archive did")
    same(analyst.contents(), [], "what is told after an archive")
    same(analyst.contents(include_archived=True), ["The harbour is deep"], "what is told when the archive is asked for")
    holds(
        (name in {unit for _, unit in events(replayed(senior, "memory_unit", name))}),
        "an archived unit is not replayed",
    )


def akas_077(b: Bench) -> None:
    f = b.field()
    scout, analyst, senior = f.join("scout"), f.join("analyst"), f.join("senior", 6)
    made = {scout.record("The harbour is deep"), scout.record("The quarry is closed")}
    answer = compacted(senior, "summarize")
    same((answer.get("units_affected"), answer.get("synthesis_units_created")), (2, 1), "what a summary did")
    told = [part(one, "memory_unit") for one in parts(analyst.attune(), "record")]
    same([one.get("type") for one in told], ["synthesis"], "the types that are told after a summary")
    links = {(word(one, "type"), word(one, "target_id")) for one in parts(told[0], "relations")}
    same(links, {("elaborates", name) for name in made}, "the relations of a summary")
    old = [part(one, "memory_unit") for one in parts(analyst.attune(include_archived=True), "record")]
    holds(made <= {word(one, "id") for one in old}, "the originals are not in the archive")


def akas_078(b: Bench) -> None:
    f = b.field()
    scout, chief = f.join("scout"), f.join("chief", 8)
    session = f.meet(chief, scout) if f.level >= 3 else None
    old = scout.record("The harbour is deep")
    question = scout.record("Who sweeps here?", type="question")
    inside = scout.record("It is warm", session=session)
    young = scout.record("The quarry is closed")
    left = {old, question, inside, young}

    def now() -> set[str]:
        found = [part(one, "memory_unit") for one in f.told(chief.attune())]
        if session is not None:
            found += [part(one, "memory_unit") for one in f.told(chief.attune(session=session))]
        return {word(one, "id") for one in found}

    same(now(), left, "what is told before anything is compacted")
    head = whole(chief.view("status"), "epoch")
    nothing: list[JsonObject] = [{"types": []}, {"status": ["superseded"]}, {"session_id": "nobody's"}]
    nothing.append({"max_age_epochs": 10_000})
    for bounds in nothing:
        answer = compacted(chief, "archive", **bounds)
        same(answer.get("units_affected"), 0, f"what the filter {bounds} touches")
    same(now(), left, "what is told after filters that mean nothing")
    holds(whole(chief.view("status"), "epoch") >= head, "the clock went back")
    chosen: list[tuple[JsonObject, str]] = [({"types": ["question"]}, question)]
    if session is not None:
        chosen.append(({"session_id": session}, inside))
    for bounds, gone in chosen:
        same(compacted(chief, "archive", **bounds).get("units_affected"), 1, f"what the filter {bounds} touches")
        left.discard(gone)
        same(now(), left, f"what is told after the filter {bounds}")
    _by_age(f, scout, chief, old, left)


def _by_age(f: Subject, scout: Agent, chief: Agent, old: str, left: set[str]) -> None:
    """By age in epochs: what is younger than the bound stays."""
    fresh = scout.record("The brewery is new")
    epochs = {
        word(part(one, "memory_unit"), "id"): whole(part(one, "memory_unit"), "epoch") for one in f.told(chief.attune())
    }
    age = whole(chief.view("status"), "epoch") - epochs[old] - 1
    compacted(chief, "archive", max_age_epochs=age)
    told = {word(part(one, "memory_unit"), "id") for one in f.told(chief.attune())}
    holds(old not in told, "a unit older than the bound is still told")
    holds(fresh in told, "a unit younger than the bound was put away")
    holds(told <= left | {fresh}, "something came back")


def akas_079(b: Bench) -> None:
    f = b.field()
    scout, human = f.join("scout"), f.join("human", 10)
    name = scout.record("The harbour is deep")
    scout.record("The harbour silted up", relations=link("supersedes", name))
    before, length = events(replayed(human, "memory_unit", name)), f.events(human)
    for strategy in ("summarize", "archive") if b.level < 3 else ("summarize", "archive", "purge"):
        compacted(human, strategy)
        after = events(replayed(human, "memory_unit", name))
        same(after[: len(before)], before, f"the past after a COMPACT {strategy}")
        longer = f.events(human)
        holds(longer >= length, f"the log had {length} events and has {longer} after a COMPACT {strategy}")
        length = longer


def akas_097(b: Bench) -> None:
    f = b.field()
    scout, chief, human = f.join("scout"), f.join("chief", 9), f.join("human", 10)
    analyst = f.join("analyst")
    name = scout.record(SECRET)
    kept = scout.record("The orchard is large", type="observation")
    only: JsonObject = {"strategy": "purge", "filter": {"types": ["finding"]}}
    refused(chief.ask("COMPACT", only), "INSUFFICIENT_AUTHORITY", "a purge by authority 9")
    holds(SECRET in analyst.contents(), "a purge that was refused took something away")
    answer = valid("compact_response", went(human.ask("COMPACT", only), "ok", "a purge by authority 10"))
    same(answer.get("units_affected"), 1, "units_affected of a purge")
    for agent in (scout, analyst, human):
        same(agent.unit(name), None, f"the purged unit, as {agent.name} is told")
        holds(agent.unit(kept) is not None, f"a unit that was not meant is gone for {agent.name}")
        said = [
            agent.ask("ATTUNE", scope(50, include_own=True, include_archived=True, interests=["heron"])),
            agent.ask("DETECT", {"mode": "scan"}),
            agent.ask("REPLAY", replay("memory_unit", name)),
            agent.view("status"),
            agent.view("conflicts"),
        ]
        holds("heron" not in str(said), f"the purged content is still read by {agent.name}")
    told = replayed(human, "memory_unit", name)
    seen = events(told)
    same(seen[0][1], name, "the unit of the first event of a purged unit")
    last = parts(told, "timeline")[-1]
    holds("record" not in word(last, "event_type"), f"no tombstone in the log: {seen}")
    same(last.get("memory_unit_id"), name, "the id in the tombstone")
    holds(whole(last, "epoch") > whole(parts(told, "timeline")[0], "epoch"), "the time of the tombstone")
    word(last, "description")
