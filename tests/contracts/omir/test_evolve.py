"""Memories evolve by rules that are named, lose nothing, and give the figures that are published."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.contracts.cites import cites

from muniment.contracts.finding import passes
from muniment.contracts.omir import CONTRACT
from muniment.contracts.strict.values import JsonObject
from muniment.model.times import parse
from omir_conformance import evolve
from omir_conformance.instants import DAY, HOUR, Instant, WrongValue
from omir_conformance.producers import comparable
from omir_conformance.rules import HALF_LIFE, RULE_SETS, VELD, Rules, calibrated, curve, rules_of, strengthen

MADE = parse("2026-01-01", field="made")
SECOND = 1_000_000
RECORD: JsonObject = {"resourceType": "MemoryRecord", "id": "m", "content": "Tea", "createdAt": "2026-01-01T00:00:00Z"}
RELATION: JsonObject = {
    "resourceType": "Relationship",
    "id": "r",
    "from": {"ref": "Entity/a"},
    "to": {"ref": "Entity/a"},
    "relationType": "is",
    "createdAt": "2026-01-01T00:00:00Z",
}
HOURS = st.integers(-1_000, 100_000).map(lambda hours: Instant(MADE + hours * HOUR))


def at(hours: float) -> Instant:
    return Instant(MADE + round(hours * HOUR))


def record(**fields: JsonObject | str | float) -> JsonObject:
    return {**RECORD, **fields}


def changed(before: JsonObject, after: JsonObject) -> set[str]:
    return {key for key in {*before, *after} if before.get(key) != after.get(key)}


def valid(*resources: JsonObject) -> bool:
    entity: JsonObject = {"resourceType": "Entity", "id": "a", "name": "A"}
    bundle = {"resourceType": "Bundle", "omirVersion": "R1", "entry": [entity, *resources]}
    return passes(CONTRACT.check(json.dumps(bundle).encode()))


@cites("OMIR-070")
@each(
    ("hours", "anchored", "present"),
    [
        (24, False, 0.5),
        (12, False, 0.7071),
        (72, False, 0.125),
        (0, False, 1.0),
        (-5, False, 1.0),
        (72, True, 0.5),
        (12, True, 0.7071),
    ],
)
def test_presence_halves_with_every_half_life(hours: float, anchored: bool, present: float) -> None:
    kept = record(decay={"halfLifeHours": 24, "anchored": anchored})
    assert evolve.retrievability(kept, at(hours)) == pytest.approx(present, abs=5e-5)


@cites("OMIR-070")
def test_presence_counts_from_the_last_use_and_takes_the_half_life_of_the_rules_where_none_is_said() -> None:
    used = record(decay={"lastAccess": "2026-01-11T00:00:00Z"})
    assert evolve.retrievability(used, at(240 + 720)) == 0.5
    assert evolve.retrievability(RECORD, at(720)) == 0.5


@each(
    ("days", "plain", "potentiated"),
    [
        (0.5, 0.7072, 0.8409),
        (1, 0.5001, 0.7072),
        (3, 0.1251, 0.3536),
        (7, 0.0772, 0.2586),
        (14, 0.0457, 0.1759),
        (30, 0.0401, 0.1799),
        (90, 0.0203, 0.1132),
        (365, 0.0145, 0.1074),
    ],
)
def test_the_curve_of_the_reference_engine_has_its_published_points(
    days: float, plain: float, potentiated: float
) -> None:
    assert curve(days) == pytest.approx(plain, abs=6e-5)
    assert curve(days, potentiated=True) == pytest.approx(potentiated, abs=6e-5)
    assert evolve.retrievability(RECORD, Instant(MADE + round(days * DAY)), VELD) == pytest.approx(plain, abs=6e-5)


@cites("OMIR-071")
@given(st.lists(HOURS, min_size=1, max_size=5))
def test_ageing_comes_to_the_same_by_any_way_and_twice(instants: list[Instant]) -> None:
    kept = record(decay={"halfLifeHours": 24}, meta={"omirVersion": "R1", "lastUpdated": "2026-01-01T00:00:00Z"})
    last = max(instants)
    there = kept
    for instant in instants:
        there = evolve.age(there, instant)
    assert there == evolve.age(kept, last) == evolve.age(there, last)
    assert evolve.retrievability(there, last) == evolve.retrievability(kept, last)
    assert changed(kept, there) <= {"meta"}


@cites("OMIR-071")
def test_a_clock_that_ran_backwards_changes_no_stamp() -> None:
    used = evolve.access(RECORD, at(48))
    again = evolve.access(used, at(24))
    assert again["decay"] == {"lastAccess": "2026-01-03T00:00:00Z", "accessCount": 2}
    assert again["meta"] == {"omirVersion": "R1", "lastUpdated": "2026-01-03T00:00:00Z"}


@cites("OMIR-066")
def test_an_access_touches_the_stamps_of_use_and_nothing_else() -> None:
    kept = record(version=4, eventTime="2025-12-31T00:00:00Z", decay={"halfLifeHours": 9, "anchored": True})
    used = evolve.access(kept, at(2))
    assert changed(kept, used) == {"decay", "meta"}
    assert used["decay"] == {
        "halfLifeHours": 9,
        "anchored": True,
        "lastAccess": "2026-01-01T02:00:00Z",
        "accessCount": 1,
    }
    assert valid(used)


@cites("OMIR-072")
@each(
    ("alpha", "beta", "veld", "ours"),
    [
        (1, 1, 0.5, 0.5),
        (2, 1, 0.5208, 0.6667),
        (4, 1, 0.6125, 0.8),
        (7, 2, 0.7431, 0.7778),
        (9, 1, 0.9, 0.9),
        (9, 2, 0.8182, 0.8182),
        (1, 9, 0.1, 0.1),
    ],
)
def test_counts_become_a_belief_by_either_rule(alpha: float, beta: float, veld: float, ours: float) -> None:
    assert calibrated(alpha, beta, VELD) == pytest.approx(veld, abs=5e-5)
    assert calibrated(alpha, beta, HALF_LIFE) == pytest.approx(ours, abs=5e-5)


@cites("OMIR-072")
@pytest.mark.parametrize(("rules", "belief"), [(VELD, 0.5208), (HALF_LIFE, 0.6667)])
def test_evidence_counts_and_says_by_which_rule(rules: Rules, belief: float) -> None:
    told = evolve.evidence(RECORD, confirms=True, at=at(1), rules=rules)
    against = evolve.evidence(told, confirms=False, at=at(2), weight=0.5, rules=rules)
    assert told["confidence"] == {"alpha": 2.0, "beta": 1.0, "calibrated": pytest.approx(belief, abs=5e-5)}
    assert told["extension"] == [{"url": "urn:muniment:omir:evolution", "valueJson": {"rules": rules.id}}]
    assert against["confidence"] == {"alpha": 2.0, "beta": 1.5, "calibrated": calibrated(2.0, 1.5, rules)}
    assert against["extension"] == told["extension"]
    assert rules_of(rules.id) is rules
    assert valid(against)


def test_evidence_weighs_something_and_no_more_than_one() -> None:
    for weight in (0.0, -1.0, 1.5):
        with pytest.raises(WrongValue, match="weight"):
            evolve.evidence(RECORD, confirms=True, at=at(1), weight=weight)
    with pytest.raises(WrongValue, match="rules"):
        rules_of("urn:nobody")
    assert list(RULE_SETS) == ["urn:muniment:omir:rules:half-life:1", "urn:muniment:omir:rules:veld:1"]


@cites("OMIR-073")
def test_independent_evidence_adds_up_with_one_prior_and_the_same_evidence_does_not() -> None:
    one = record(confidence={"alpha": 4, "beta": 2}, provenance={"externalId": "log:1"})
    two = record(confidence={"alpha": 3, "beta": 1}, provenance={"externalId": "log:2"})
    assert evolve.merge(one, two)["confidence"] == {"alpha": 6.0, "beta": 2.0, "calibrated": 0.75}
    same: JsonObject = {**two, "provenance": {"externalId": "log:1"}}
    assert evolve.merge(one, same)["confidence"] == {"alpha": 4.0, "beta": 2.0, "calibrated": pytest.approx(2 / 3)}
    assert evolve.merge(same, one)["confidence"] == evolve.merge(one, same)["confidence"]
    unsaid = record(confidence={"alpha": 4, "beta": 2})
    assert evolve.merge(unsaid, RECORD)["confidence"] == {"alpha": 4.0, "beta": 2.0, "calibrated": pytest.approx(2 / 3)}


@cites("OMIR-074")
@each("rules", [HALF_LIFE, VELD], ids=["half-life", "veld"])
@each(
    ("tier", "importance", "seconds", "after"),
    [
        ("working", 0.35, 1_800, "session"),
        ("working", 0.3499, 1_800, "working"),
        ("working", 0.35, 1_799, "working"),
        ("working", 0.9, 10 * 86_400, "session"),
        ("session", 0.5, 86_400, "longterm"),
        ("session", 0.4999, 86_400, "session"),
        ("session", 0.5, 86_399, "session"),
    ],
)
def test_a_tier_is_climbed_at_its_threshold_one_step_a_pass(
    rules: Rules, tier: str, importance: float, seconds: int, after: str
) -> None:
    now = Instant(MADE + seconds * SECOND)
    stepped = evolve.step_tier(record(tier=tier, importance=importance), now, rules)
    assert stepped["tier"] == after
    assert evolve.step_tier(stepped, now, rules) == stepped
    assert valid(stepped)


@cites("OMIR-074")
def test_the_next_pass_takes_the_next_step_and_a_record_without_a_tier_is_working() -> None:
    first = evolve.step_tier(record(importance=0.9), at(48))
    second = evolve.step_tier(first, at(49))
    assert (first["tier"], second["tier"]) == ("session", "longterm")
    assert evolve.step_tier(first, at(47)) == first


@cites("OMIR-074")
def test_what_nobody_asks_for_is_archived_unless_it_is_anchored() -> None:
    idle = record(tier="longterm", importance=0.2)
    assert evolve.step_tier(idle, at(90 * 24 - 1))["tier"] == "longterm"
    assert evolve.step_tier(idle, at(90 * 24))["tier"] == "archive"
    assert evolve.step_tier(idle, at(90 * 24), VELD)["tier"] == "longterm"
    assert evolve.step_tier({**idle, "decay": {"anchored": True}}, at(90 * 24))["tier"] == "longterm"


@cites("OMIR-075")
@given(
    st.floats(0, 1),
    st.lists(st.tuples(st.booleans(), HOURS), max_size=8),
    st.sampled_from([HALF_LIFE, VELD]),
)
def test_a_strength_stays_a_share_whatever_happens(
    start: float, events: list[tuple[bool, Instant]], rules: Rules
) -> None:
    relation = {**RELATION, "strength": start}
    for used, instant in events:
        relation = evolve.co_activate(relation, instant, rules) if used else evolve.age(relation, instant)
        assert 0.0 <= evolve.strength_at(relation, instant, rules) <= 1.0
    far = Instant(MADE + 100_000 * DAY)
    assert evolve.strength_at(relation, far, rules) == min(start if "validAt" not in relation else 1.0, 0.01)


@cites("OMIR-075")
def test_use_strengthens_and_disuse_fades() -> None:
    relation = {**RELATION, "strength": 0.5, "validAt": "2026-01-01T00:00:00Z"}
    assert evolve.strength_at(relation, at(720)) == pytest.approx(0.25)
    used = evolve.co_activate(relation, at(0))
    assert (used["strength"], used["validAt"]) == (0.625, "2026-01-01T00:00:00Z")
    assert strengthen(1.0) == 1.0
    assert valid(used)


@cites("OMIR-067")
def test_an_invalidated_relation_stays_and_is_used_no_more() -> None:
    relation = {**RELATION, "strength": 0.5}
    over = evolve.invalidate(relation, at(5))
    assert over == {**relation, "invalidatedAt": "2026-01-01T05:00:00Z", "meta": over["meta"]}
    assert evolve.co_activate(over, at(6)) == over
    assert evolve.invalidate(over, at(9)) == over


@cites("OMIR-067")
def test_a_superseded_record_names_its_successor_and_keeps_everything() -> None:
    over = evolve.supersede(RECORD, "m2", at(5))
    assert changed(RECORD, over) == {"validUntil", "extension", "meta"}
    assert over["validUntil"] == "2026-01-01T05:00:00Z"
    assert over["extension"] == [{"url": "urn:muniment:omir:successor", "valueJson": {"record": "m2"}}]
    assert valid(over)


@cites("OMIR-068")
def test_something_is_over_strictly_after_the_instant_it_names() -> None:
    over = record(validUntil="2026-01-01T05:00:00Z")
    assert [evolve.expired(over, Instant(at(5) + shift)) for shift in (-1, 0, 1)] == [False, False, True]
    relation = {**RELATION, "invalidatedAt": "2026-01-01T05:00:00Z"}
    assert [evolve.expired(relation, Instant(at(5) + shift)) for shift in (-1, 0, 1)] == [False, False, True]
    assert not evolve.expired(RECORD, at(1e5))


def test_another_meaning_is_another_version() -> None:
    revised = evolve.revise(evolve.revise(RECORD, "Mate", at(1)), "Water", at(2))
    assert (revised["content"], revised["version"]) == ("Water", 3)


@cites("OMIR-076")
def test_scores_are_compared_within_their_producer_and_kept_as_they_are() -> None:
    loud = [
        record(id=f"l{number}", importance=score, meta={"source": "loud/1"})
        for number, score in enumerate((0.9, 0.95, 1.0))
    ]
    soft = [
        record(id=f"s{number}", importance=score, meta={"source": "soft/1"})
        for number, score in enumerate((0.1, 0.2, 0.2))
    ]
    silent = record(id="n")
    before = json.dumps([*loud, *soft, silent])
    places = comparable([*loud, *soft, silent], "importance")
    assert {id_: place for (_, id_), place in places.items()} == {
        "l0": 0.0,
        "l1": 0.5,
        "l2": 1.0,
        "s0": 0.0,
        "s1": 0.75,
        "s2": 0.75,
    }
    assert json.dumps([*loud, *soft, silent]) == before
    assert comparable([record(importance=0.3)], "importance") == {("MemoryRecord", "m"): 0.5}
