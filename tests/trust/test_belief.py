"""Belief over time: outcomes move it with their history, fading only ranks, and a sweep does what is due, once."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.trust.world import (
    SetClock,
    contents,
    entries_since,
    footing,
    kept,
    open_vault,
    sentence,
    standing,
    team_policy,
    told,
)

from muniment import Memory
from muniment.model.curation import MaintenanceResult
from muniment.model.errors import Malformed, NotFound, NotPermitted, Stale
from muniment.model.status import Status
from muniment.model.times import DAY, HOUR
from muniment.model.vocabulary import Outcome, Support, Tier
from muniment.policy.rules import PolicyMember

# Outcomes.


def test_an_outcome_moves_the_belief_and_tells_who_when_and_why(team: Memory, clock: SetClock) -> None:
    name = kept(team.remember(sentence(0), confidence=0.5))
    clock.forward(HOUR)
    verdict = team.as_actor("runner").review.outcome(name, "helpful", evidence="run:17")
    assert verdict.committed
    found = footing(team, name)
    assert (found.helpful, found.misleading, found.own) == (1.0, 0.0, 0.6)
    clock.forward(HOUR)
    team.as_actor("worker").review.outcome(name, "misleading", weight=0.5, evidence="run:18")
    found = footing(team, name)
    assert (found.helpful, found.misleading) == (1.0, 0.5)
    assert found.own == found.effective == pytest.approx(3.0 / 5.5)
    first, second = team.history(name).revisions[0].events[1:]
    assert (first.actor, first.reason, first.at) == ("runner", "run:17", clock.now() - HOUR)
    assert (second.actor, second.reason, second.at) == ("worker", "run:18", clock.now())
    assert "was helpful (+1)" in first.what
    assert "was misleading (+0.5)" in second.what
    assert "effective confidence 0.60 to 0.55" in second.what


def test_the_declared_confidence_is_not_rewritten(team: Memory) -> None:
    name = kept(team.remember(sentence(0), confidence=0.5))
    team.review.outcome(name, "misleading")
    assert team.get(name).record.claim.belief.score == 0.5
    assert team.get(name).record.revision == 1


def test_ten_bad_outcomes_take_a_record_below_the_gate(team: Memory) -> None:
    name = kept(team.remember(sentence(0), confidence=0.6))
    assert told(team.recall(sentence(0))) == [name]
    seen = [footing(team, name).own]
    for _ in range(10):
        team.as_actor("runner").review.outcome(name, "misleading")
        seen.append(footing(team, name).own)
    assert seen == sorted(seen, reverse=True)
    assert seen[-1] == pytest.approx(2.4 / 14)
    answer = team.recall(sentence(0))
    assert (answer.records, answer.excluded) == ((), {"gate": 1})
    assert len(team.history(name).revisions[0].events) == 11


def test_a_good_outcome_never_lowers_and_a_bad_one_never_raises(team: Memory) -> None:
    for number, score in enumerate((0.0, 0.01, 0.5, 0.99, 1.0)):
        for at, result in enumerate(("helpful", "misleading")):
            name = kept(team.remember(sentence(2 * number + at), confidence=score))
            team.review.outcome(name, result, weight=0.1)
            moved = footing(team, name).own
            assert moved >= score if result == "helpful" else moved <= score


@pytest.mark.parametrize("weight", [0, 0.0, -0.5, 1.000001, 7.5, float("nan"), float("inf"), True, "1", None])
def test_a_weight_is_above_nothing_and_at_most_one(team: Memory, weight: float) -> None:
    name = kept(team.remember(sentence(0)))
    head = team.ledger.head()
    with pytest.raises(Malformed) as refused:
        team.review.outcome(name, "helpful", weight=weight)
    assert refused.value.field == "weight"
    assert team.ledger.head() == head


@pytest.mark.parametrize("result", ["good", "HELPFUL", "", None, True])
def test_an_outcome_is_helpful_or_misleading(team: Memory, result: str) -> None:
    name = kept(team.remember(sentence(0)))
    head = team.ledger.head()
    with pytest.raises(Malformed) as refused:
        team.review.outcome(name, result)
    assert refused.value.field == "result"
    assert team.ledger.head() == head


def test_an_agents_praise_of_its_own_record_is_on_record_and_weighs_nothing(team: Memory) -> None:
    worker = team.as_actor("worker")
    name = kept(worker.remember(sentence(0), confidence=0.5))
    before, head = standing(team, name), team.ledger.head().seq
    for _ in range(5):
        assert worker.review.outcome(name, "helpful", evidence="I checked").committed
    assert standing(team, name) == before
    assert [(entry.kind, entry.actor, entry.changes) for entry in entries_since(team, head)] == [
        ("observed", "worker", ())
    ] * 5


def test_an_agents_doubt_of_its_own_record_counts(team: Memory) -> None:
    worker = team.as_actor("worker")
    name = kept(worker.remember(sentence(0), confidence=0.5))
    worker.review.outcome(name, "misleading")
    assert footing(team, name).own == 0.4


def test_the_praise_of_another_counts(team: Memory) -> None:
    name = kept(team.as_actor("worker").remember(sentence(0), confidence=0.5))
    team.as_actor("runner").review.outcome(name, "helpful")
    assert footing(team, name).own == 0.6


def test_who_has_no_voice_moves_nothing_and_the_attempt_is_on_record(vault: Path) -> None:
    policy = team_policy(intern=PolicyMember(roles=("agent",), projects=("default",), authority=1))
    with open_vault(vault, policy=policy) as memory:
        name = kept(memory.remember(sentence(0), confidence=0.6))
        before = standing(memory, name)
        verdict = memory.as_actor("intern").review.outcome(name, "misleading", evidence="I do not like it")
        assert (verdict.outcome, verdict.rule) == (Outcome.REFUSED, "no-rule")
        assert standing(memory, name) == before
        assert (memory.ledger.entries()[-1].kind, memory.ledger.entries()[-1].actor) == ("observed", "intern")


def test_an_outcome_of_what_is_hidden_or_over_is_refused(team: Memory) -> None:
    hidden = kept(team.remember(sentence(0), sensitivity="secret"))
    over = kept(team.remember(sentence(1)))
    team.review.retract(over, reason="wrong")
    head = team.ledger.head()
    with pytest.raises(NotFound):
        team.as_actor("worker").review.outcome(hidden, "misleading")
    with pytest.raises(NotFound):
        team.as_actor("worker").review.outcome("rec_absent", "misleading")
    with pytest.raises(Stale):
        team.review.outcome(over, "misleading")
    assert team.ledger.head() == head


def test_an_outcome_meant_for_another_revision_is_stale(team: Memory) -> None:
    name = kept(team.remember(sentence(0)))
    team.revise(name, sentence(1))
    with pytest.raises(Stale):
        team.review.outcome(name, "misleading", expected_revision=1)
    assert team.review.outcome(name, "misleading", expected_revision=2).committed


def test_a_new_revision_begins_with_its_own_declared_confidence(team: Memory) -> None:
    name = kept(team.remember(sentence(0), confidence=0.5))
    team.review.outcome(name, "misleading")
    team.revise(name, sentence(1), confidence=0.7)
    found = footing(team, name)
    assert (found.own, found.helpful, found.misleading) == (0.7, 0.0, 0.0)


def test_outcomes_survive_replay(team: Memory) -> None:
    name = kept(team.remember(sentence(0), confidence=0.6))
    for result in ("helpful", "misleading", "helpful"):
        team.review.outcome(name, result, weight=0.3)
    before, history = standing(team, name), team.history(name)
    assert team.ledger.replay().identical
    assert (standing(team, name), team.history(name)) == (before, history)


# Fading.


def test_fading_changes_the_order_and_never_who_is_told(team: Memory, clock: SetClock) -> None:
    lasting = kept(team.remember("alpha lasting"))
    fading = kept(team.remember("alpha fading", half_life_hours=24.0))
    assert told(team.recall("alpha")) == [fading, lasting]
    clock.forward(2 * DAY)
    assert told(team.recall("alpha")) == [lasting, fading]
    clock.forward(3_650 * DAY)
    answer = team.recall("alpha")
    assert (told(answer), answer.excluded) == ([lasting, fading], {})
    assert footing(team, fading).effective == 0.7


def test_a_good_match_that_has_faded_stays_ahead_of_a_poor_one(team: Memory, clock: SetClock) -> None:
    good = kept(team.remember("alpha beta gamma", half_life_hours=1.0))
    poor = kept(team.remember("alpha among a good many other words that were not asked for at all"))
    clock.forward(365 * DAY)
    assert told(team.recall("alpha beta gamma", floor=0.0)) == [good, poor]


def test_what_is_anchored_fades_no_further_than_half(team: Memory, clock: SetClock) -> None:
    anchored = kept(team.remember("alpha anchored", half_life_hours=1.0, anchored=True))
    adrift = kept(team.remember("alpha drifting", half_life_hours=1.0))
    assert told(team.recall("alpha")) == [adrift, anchored]
    clock.forward(365 * DAY)
    answer = team.recall("alpha")
    assert told(answer) == [anchored, adrift]
    assert answer.records[1].score == pytest.approx(0.7 / 0.85, abs=1e-5)


def test_being_told_makes_a_record_present_again_once_it_is_swept(team: Memory, clock: SetClock) -> None:
    asked = kept(team.remember("alpha asked for", half_life_hours=24.0))
    silent = kept(team.remember("alpha left alone", half_life_hours=24.0))
    clock.forward(5 * DAY)
    assert told(team.recall("asked")) == [asked]
    team.review.sweep()
    assert told(team.recall("alpha")) == [asked, silent]


# Sweeping.


def test_a_sweep_expires_what_is_past_its_time_and_nothing_else(team: Memory, clock: SetClock) -> None:
    over = kept(team.remember(sentence(0), expires_at="2026-01-02"))
    later = kept(team.remember(sentence(1), expires_at="2026-01-03"))
    never = kept(team.remember(sentence(2)))
    assert team.review.sweep().expired == ()
    clock.forward(DAY)
    assert team.review.sweep().expired == ()
    clock.forward(1)
    assert team.review.sweep().expired == (over,)
    states = [standing(team, name).status for name in (over, later, never)]
    assert states == [Status.EXPIRED, Status.ACTIVE, Status.ACTIVE]
    assert team.history(over).revisions[0].events[-1].what.startswith("became expired")


def test_what_stands_on_something_expired_falls_with_it_in_one_entry(team: Memory, clock: SetClock) -> None:
    root = kept(team.remember(sentence(0), expires_at="2026-01-02", confidence=0.9))
    child = kept(team.remember(sentence(1), derived_from=[root], confidence=0.9))
    grandchild = kept(team.remember(sentence(2), derived_from=[child], confidence=0.9))
    other = kept(team.remember(sentence(3), confidence=0.9))
    clock.forward(10 * 60_000_000)
    team.review.sweep()
    clock.forward(2 * DAY)
    head = team.ledger.head().seq
    swept = team.review.sweep()
    assert (swept.expired, set(swept.fallen)) == ((root,), {child, grandchild})
    expiry = next(entry for entry in entries_since(team, head) if any(c.status == "expired" for c in entry.changes))
    assert len(expiry.changes) == 3
    assert [footing(team, name).support for name in (child, grandchild, other)] == ["fallen", "fallen", "standing"]
    assert contents(team.recall(sentence(2))) & {sentence(1), sentence(2)} == set()


def test_a_sweep_moves_tiers_as_far_as_they_go(team: Memory, clock: SetClock) -> None:
    name = kept(team.remember(sentence(0), importance=0.6))
    idle = kept(team.remember(sentence(1), importance=0.1))
    assert (team.review.sweep().moved, standing(team, name).vigour.tier) == (0, Tier.WORKING)
    clock.forward(HOUR)
    assert (team.review.sweep().moved, standing(team, name).vigour.tier) == (1, Tier.SESSION)
    clock.forward(2 * DAY)
    assert (team.review.sweep().moved, standing(team, name).vigour.tier) == (1, Tier.LONGTERM)
    assert standing(team, idle).vigour.tier is Tier.WORKING
    assert "tier working to session" in team.history(name).revisions[0].events[1].what


def test_a_sweep_counts_what_was_told_and_to_nobodys_credit_but_its_own(team: Memory, clock: SetClock) -> None:
    name = kept(team.remember("alpha", confidence=0.9))
    weak = kept(team.remember("alpha weak", confidence=0.1))
    for actor in ("worker", "runner", "worker"):
        clock.forward(HOUR)
        team.as_actor(actor).recall("alpha")
    last = clock.now()
    clock.forward(HOUR)
    team.review.sweep()
    vigour = standing(team, name).vigour
    assert (vigour.accesses, vigour.last_access) == (3, last)
    assert (standing(team, weak).vigour.accesses, standing(team, weak).vigour.last_access) == (0, None)
    assert footing(team, name).own == 0.9


def test_a_sweep_names_what_is_due_for_review(team: Memory, clock: SetClock) -> None:
    due = kept(team.remember(sentence(0), next_review_at="2026-01-02"))
    kept(team.remember(sentence(1), next_review_at="2026-06-02"))
    assert team.review.sweep().due == ()
    clock.forward(2 * DAY)
    assert team.review.sweep().due == (due,)
    team.review.retract(due, reason="reviewed")
    assert team.review.sweep().due == ()


def test_a_second_sweep_at_the_same_instant_finds_nothing_to_do(team: Memory, clock: SetClock) -> None:
    root = kept(team.remember(sentence(0), expires_at="2026-01-02"))
    kept(team.remember(sentence(1), derived_from=[root]))
    due = kept(team.remember(sentence(2), next_review_at="2026-01-02"))
    team.recall(sentence(2))
    clock.forward(40 * DAY)
    first = team.review.sweep()
    assert first.expired
    assert first.moved
    head = team.ledger.head()
    for _ in range(3):
        assert team.review.sweep() == MaintenanceResult(due=(due,))
        assert team.ledger.head() == head
    assert team.ledger.verify().ok
    assert team.ledger.replay().identical


@pytest.mark.parametrize("actor", ["worker", "colleague", "senior"])
def test_a_sweep_needs_the_right_to(team: Memory, actor: str) -> None:
    with pytest.raises(NotPermitted):
        team.as_actor(actor).review.sweep()


def test_what_is_past_its_time_is_not_told_even_before_it_is_swept(team: Memory, clock: SetClock) -> None:
    name = kept(team.remember("alpha", expires_at="2026-01-02"))
    clock.forward(2 * DAY)
    assert team.recall("alpha").excluded == {"expiry": 1}
    team.review.sweep()
    assert team.recall("alpha").excluded == {"expired": 1}
    assert standing(team, name).footing.support is Support.STANDING


def test_a_record_whose_time_is_over_can_be_said_again(team: Memory, clock: SetClock) -> None:
    kept(team.remember("alpha", expires_at="2026-01-02"))
    clock.forward(2 * DAY)
    assert team.remember("alpha", expires_at="2026-02-02").outcome is Outcome.COMMITTED
    assert contents(team.recall("alpha")) == {"alpha"}
