"""Disagreement: how it is declared and found, how it is listed, and what it does to both sides."""

from __future__ import annotations

from akashik_conformance.bench import Bench, disputed, ids
from akashik_conformance.binding import Json, JsonObject
from akashik_conformance.say import (
    NEW,
    OLD,
    holds,
    link,
    merge,
    part,
    parts,
    refused,
    same,
    valid,
    went,
    whole,
    word,
    words,
)


def akas_043(b: Bench) -> None:
    f = b.field()
    scout, analyst = f.join("scout"), f.join("analyst")
    targets = [scout.record(text) for text in ("The harbour is deep", "The orchard is large", "The quarry is closed")]
    links: list[Json] = [{"type": "contradicts", "target_id": name} for name in targets]
    one = words(analyst.recorded("Ships touch ground here", relations=links[:1]), "conflicts_detected")
    two = words(analyst.recorded("Trees and stone are sold", relations=links[1:]), "conflicts_detected")
    same(len(set(one)), 1, "conflicts for one declared contradiction")
    same(len(set(two)), 2, "conflicts for two declared contradictions")
    holds(set(one).isdisjoint(two), "two contradictions share a conflict")


def akas_044(b: Bench) -> None:
    f = b.field()
    scout, analyst = f.join("scout"), f.join("analyst")
    name, old, new = disputed(scout, analyst)
    found = valid("conflict", analyst.conflict(name))
    same(found.get("status"), "detected", "the status of a fresh conflict")
    same(found.get("detected_by"), "explicit", "how a declared conflict was detected")
    same((found.get("unit_a"), found.get("unit_b")), (old, new), "the sides of a conflict, the older first")
    same(found.get("description"), "it was 23", "the description, which the relation gives")
    word(found, "type")


def akas_045(b: Bench) -> None:
    f = b.field()
    scout, analyst, clerk, chief = f.join("scout"), f.join("analyst"), f.join("clerk"), f.join("chief", 8)
    facts, *_ = disputed(scout, analyst)
    plan = scout.record("We enter the segment", type="decision")
    other = clerk.recorded("We stay out of it", type="decision", relations=link("contradicts", plan))
    (plans,) = words(other, "conflicts_detected")
    if f.level >= 2:
        went(chief.ask("MERGE", merge(facts, "human_escalation")), "escalated", "a MERGE")
    escalated = [facts] if f.level >= 2 else []
    kind = {one: word(chief.conflict(one), "type") for one in (facts, plans)}

    def chosen(**bounds: Json) -> list[str]:
        return sorted(one for one in ids(chief.conflicts(bounds)) if one in (facts, plans))

    both = sorted([facts, plans])
    same(sorted(one for one in ids(chief.conflicts()) if one in both), both, "all conflicts")
    same(chosen(status=["escalated"]), escalated, "conflicts that are escalated")
    same(chosen(status=["detected"]), sorted(set(both) - set(escalated)), "conflicts that are detected")
    same(chosen(types=[kind[facts]]), sorted(one for one in both if kind[one] == kind[facts]), "conflicts of a type")
    same(chosen(involving_agents=[analyst.name]), [facts], "conflicts that involve one agent")
    same(chosen(involving_agents=[scout.name]), both, "conflicts that involve an agent of both")
    together = chosen(involving_agents=[clerk.name], types=[kind[plans]], status=["detected"])
    same(together, [plans], "conflicts by agent, type and status")
    same(chosen(involving_agents=[clerk.name], status=["resolved"]), [], "conflicts that nothing fits")


def akas_046(b: Bench) -> None:
    f = b.field()
    scout, analyst, chief = f.join("scout"), f.join("analyst"), f.join("chief", 8)
    session = f.meet(chief, scout, analyst) if f.level >= 3 else None
    old = scout.record("The harbour is deep", session=session)
    answer = analyst.recorded("The harbour is shallow", relations=link("contradicts", old), session=session)
    (name,) = words(answer, "conflicts_detected")
    told = ids(parts(chief.attune(session=session), "conflicts"))
    same(told.count(name), 1, "how often an open conflict is told to who may see both sides")
    if session is not None:
        outside = ids(parts(f.join("stranger").attune(), "conflicts"))
        holds(name not in outside, "a conflict of a session is told outside it")
    if f.level >= 2:
        went(chief.ask("MERGE", merge(name, "last_write_wins"), session=session), "resolved", "a MERGE")
        after = ids(parts(chief.attune(session=session), "conflicts"))
        holds(name not in after, "a resolved conflict is still told")


def akas_052(b: Bench) -> None:
    f = b.field()
    scout, analyst, reader = f.join("scout"), f.join("analyst"), f.join("reader")
    _, old, new = disputed(scout, analyst)
    units = [part(one, "memory_unit") for one in f.told(reader.attune())]
    told = {word(unit, "id"): unit.get("status") for unit in units}
    same(told, {old: "contested", new: "contested"}, "both sides of an open conflict, as they are told")


def akas_061(b: Bench) -> None:
    f = b.field()
    scout, analyst = f.join("scout"), f.join("analyst")
    old, _ = scout.record(OLD), analyst.record(NEW)
    agreed = scout.record("The harbour is deep")
    analyst.record("The harbour master is called Ines")
    found = went(analyst.ask("DETECT", {"mode": "check", "target_id": old}), "ok", "a DETECT check")
    ways = [word(one, "detected_by") for one in parts(found, "conflicts")]
    same(len(ways), 1, "conflicts found for a planted contradiction")
    holds("explicit" not in ways, f"a contradiction that nobody declared is called explicit: {ways}")
    none = went(analyst.ask("DETECT", {"mode": "check", "target_id": agreed}), "ok", "a DETECT check")
    same(none.get("conflicts"), [], "conflicts found where there is agreement")
    refused(analyst.ask("DETECT", {"mode": "check", "target_id": "no-unit"}), "UNIT_NOT_FOUND", "a check of nothing")


def akas_062(b: Bench) -> None:
    f = b.field()
    scout, analyst, chief = f.join("scout"), f.join("analyst"), f.join("chief", 8)
    name, *_ = disputed(scout, analyst)
    scout.record("The harbour is deep")
    first, again = (went(chief.ask("DETECT", {"mode": "scan"}), "ok", "a DETECT scan") for _ in range(2))
    for answer in (first, again):
        valid("detect_response", answer)
        scanned = whole(part(answer, "scan_coverage"), "units_scanned")
        holds(scanned >= 3 if f.examined.shared else scanned == 3, f"3 units are there, {scanned} were scanned")
    same(part(again, "scan_coverage").get("new_conflicts_found"), 0, "what a second scan finds anew")
    holds(name in ids(parts(again, "conflicts")), "a scan leaves out a conflict that is there")


def akas_063(b: Bench) -> None:
    f = b.field()
    scout, analyst = f.join("scout"), f.join("analyst")
    scout.record(OLD)
    found = words(analyst.recorded(NEW), "conflicts_detected")
    same(len(found), 1, "conflicts for a contradiction that nobody declared")
    how = analyst.conflict(found[0]).get("detected_by")
    holds(how in ("semantic", "logical", "temporal"), f"an automatic conflict was detected by {how!r}")


def akas_064(b: Bench) -> None:
    f = b.tight()
    scout, analyst, chief = f.join("scout"), f.join("analyst"), f.join("chief", 8)
    scout.record(OLD)
    answer = analyst.recorded(NEW)
    same(answer.get("conflicts_detected"), [], "conflicts of a write whose detection took too long")
    same(answer.get("conflict_detection"), "deferred", "conflict_detection")
    unit = word(answer, "memory_unit_id")
    holds(unit in ids([part(one, "memory_unit") for one in f.told(chief.attune())]), "the unit was not kept")

    def appeared() -> bool:
        went(chief.ask("DETECT", {"mode": "scan"}), "ok", "a DETECT scan")
        return any(unit in (one.get("unit_a"), one.get("unit_b")) for one in chief.conflicts())

    f.within(appeared, "a conflict whose detection was deferred appears")
    sides: list[JsonObject] = [one for one in chief.conflicts() if unit in (one.get("unit_a"), one.get("unit_b"))]
    same(len(sides), 1, "conflicts over the pair, however often one looks")
