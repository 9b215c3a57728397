"""Every figure equals what a hand computes, and figures of different origin never meet."""

from __future__ import annotations

import msgspec
import pytest
from tests.cases import each
from tests.contracts.cites import cites
from tests.contracts.matm.at_work import NOON, World

from matm_evaluation.evaluation import FAMILIES, PAPER, Evaluation, field_section, simulation_section
from matm_evaluation.figures import (
    Errors,
    Figure,
    Matched,
    Retrieved,
    curator_errors,
    evidence_sufficiency,
    leak_rate,
    matched,
    percentile,
    redundancy,
    routing_accuracy,
)
from matm_evaluation.simulation import SETTINGS, Curation, expected
from muniment.model.errors import Malformed
from muniment.model.times import DAY, Instant, parse

LABELLED = [
    ("append", "append"),
    ("discard", "discard"),
    ("append", "discard"),
    ("conflict", "conflict"),
    ("discard", "append"),
]


@cites("MATM-067")
def test_routing_accuracy_is_the_share_of_events_decided_as_labelled() -> None:
    assert routing_accuracy(LABELLED) == 3 / 5
    assert routing_accuracy([]) is None


@cites("MATM-067")
def test_the_leak_rate_is_the_share_of_events_found_outside_their_own_scope() -> None:
    events = [
        Retrieved(event="e1", own="project a", found_in=("project a",)),
        Retrieved(event="e2", own="project a", found_in=("project a", "project b")),
        Retrieved(event="e3", own="session s", found_in=()),
        Retrieved(event="e4", own="team t", found_in=("project a",)),
    ]
    assert leak_rate(events) == 2 / 4


@cites("MATM-067")
def test_evidence_sufficiency_is_the_share_of_durable_entries_with_enough() -> None:
    assert evidence_sufficiency([True, True, False, True]) == 3 / 4
    assert evidence_sufficiency([]) is None


@cites("MATM-067")
def test_redundancy_is_the_share_of_entries_equivalent_to_an_earlier_one() -> None:
    assert redundancy(["a", "b", "a", "a", "c"]) == 2 / 5
    assert redundancy(["a", "b"]) == 0.0


def test_conflict_precision_and_recall_are_counted_on_pairs() -> None:
    pairs = {name: frozenset(name) for name in ("ab", "cd", "ef", "gh")}
    found = matched({pairs["ab"], pairs["cd"], pairs["ef"]}, {pairs["ab"], pairs["gh"]})
    assert found == Matched(precision=1 / 3, recall=1 / 2)
    assert found.f1 == pytest.approx(0.4)
    assert matched(set(), {pairs["ab"]}).f1 is None


@cites("MATM-069")
def test_false_admission_and_false_rejection_are_shares_of_the_bad_and_of_the_good() -> None:
    assert curator_errors(LABELLED) == Errors(false_admission=1 / 2, false_rejection=1 / 3)
    assert curator_errors([]) == Errors(false_admission=None, false_rejection=None)


@each(("percent", "value"), [(1, 1.0), (50, 3.0), (80, 4.0), (81, 5.0), (100, 5.0)])
def test_a_percentile_is_one_of_the_values(percent: float, value: float) -> None:
    assert percentile([5.0, 1.0, 4.0, 2.0, 3.0], percent) == value


@cites("MATM-071")
@each(
    ("setting", "chance", "entries"),
    [
        (SETTINGS[0], 0.98, 3_650),
        (SETTINGS[1], 0.70, 1_698),
        (SETTINGS[2], 0.31, 998),
        (SETTINGS[3], 0.18, 1_653),
    ],
)
def test_the_formula_reproduces_the_published_simulation(setting: Curation, chance: float, entries: int) -> None:
    found = expected(setting)
    assert found.contaminated == pytest.approx(chance, abs=0.02)
    assert found.entries == pytest.approx(entries, abs=3)


def test_the_formula_by_hand_for_a_small_run() -> None:
    """Of 100 events half are bad and half of those are stopped: 75 entries, a third of them bad."""
    found = expected(Curation(name="hand", admission=1.0, stopping=0.5), events=100, bad=0.5)
    assert found.entries == 75.0
    assert found.bad_share == pytest.approx(1 / 3)
    assert found.contaminated == pytest.approx(1 - (2 / 3) ** (5 * 4.31748811353631))
    assert expected(Curation(name="none", admission=0.0, stopping=0.5)).contaminated == 0.0
    with pytest.raises(Malformed):
        Curation(name="impossible", admission=1.5, stopping=0.0)


@cites("MATM-070")
def test_paper_simulation_probe_and_field_are_sections_of_their_own() -> None:
    world = World()
    world.keep("Checkout has three regions")
    whole = Evaluation(
        paper=PAPER, simulation=simulation_section(), probe=(), field=field_section(world.memory, now=world.clock.now())
    )
    told = msgspec.to_builtins(whole)
    assert set(told) == {"paper", "simulation", "probe", "field"}
    assert {key for one in told["paper"] for key in one} == {"setting", "name", "before", "after", "source"}
    assert {key for one in told["simulation"] for key in one} == {"setting", "published", "formula", "entries"}
    assert {key for one in told["field"] for key in one} == {"family", "name", "value", "unit", "how"}
    assert all("second-hand" in one["source"] for one in told["paper"])


def figures(found: tuple[Figure, ...]) -> dict[str, float | None]:
    return {one.name: one.value for one in found}


def test_the_field_figures_of_a_small_store_by_hand() -> None:
    world = World()
    kept = [world.keep(text) for text in ("Checkout has three regions", "The build is green", "The queue is long")]
    world.keep("The contract ends in May", sensitivity="confidential")
    world.emit(world.event("Forget this", suggested_scope="discard"))
    world.emit(world.event("The font cache may be slow", memory_kind="hypothesis", suggested_scope="session"))
    world.desk.curate()
    world.memory.review.outcome(kept[0], "helpful")
    world.memory.review.outcome(kept[1], "misleading")
    world.memory.review.outcome(kept[1], "misleading")
    found = figures(field_section(world.memory, now=world.clock.now()))
    assert found["evidence sufficiency"] == 1.0
    assert found["redundancy"] == 0.0
    assert found["helpful outcomes"] == pytest.approx(1 / 3)
    assert found["guarded records"] == 1 / 5
    assert found["answered by a person"] == 4 / 6
    assert found["refused"] == 1 / 6
    assert found["overdue reviews"] == 0.0
    later = Instant(parse(NOON, field="now") + 2 * DAY)
    assert figures(field_section(world.memory, now=later))["overdue reviews"] == 1 / 5


def test_an_empty_store_measures_nothing_and_says_so() -> None:
    found = figures(field_section(World().memory, now=World().clock.now()))
    assert found["evidence sufficiency"] is None
    assert found["answered by a person"] is None
    assert found["listing, per record"] is None


def test_every_family_is_one_of_the_eleven() -> None:
    world = World()
    assert len(FAMILIES) == len(set(FAMILIES)) == 11
    assert {one.family for one in field_section(world.memory, now=world.clock.now())} <= set(FAMILIES)
