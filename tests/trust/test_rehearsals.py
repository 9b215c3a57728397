"""What an answer or a settlement would come to: said beforehand by the very path that would do it, and nothing done."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import msgspec
import pytest
from tests.trust.test_resolve import Quarrel, quarrel
from tests.trust.world import kept, open_vault, sentence, team_policy

from muniment import Memory
from muniment.engine.session import window
from muniment.model.curation import Verdict
from muniment.model.errors import NotFound, NotPermitted, Stale, Undecided
from muniment.model.proposal import Objection
from muniment.model.vocabulary import Consequence, Disposition, Outcome, Step
from muniment.policy.rules import CascadePolicy
from muniment_store_conformance.contents import Contents, contents_of

PLAN = "The team meets on Mondays"


def everything(memory: Memory) -> Contents:
    with window(memory) as snapshot:
        return contents_of(snapshot)


def waiting(memory: Memory, content: str = PLAN) -> str:
    held = memory.as_actor("worker").remember(content, kind="decision")
    assert held.outcome is Outcome.HELD
    return held.proposal_id


def judged(verdict: Verdict) -> tuple[object, ...]:
    """A verdict without what a rehearsal cannot know: ids that are yet to be given."""
    return (
        verdict.decision,
        verdict.outcome,
        verdict.proposal_id,
        verdict.revision,
        verdict.epoch,
        verdict.rule,
        verdict.reason,
        verdict.duplicate_of,
        len(verdict.conflict_ids),
        verdict.steps,
    )


# Answers.


@pytest.mark.parametrize("accept", [True, False])
def test_a_rehearsed_answer_says_what_the_answer_comes_to_and_leaves_no_trace(team: Memory, accept: bool) -> None:
    proposal = waiting(team)
    before = everything(team)

    rehearsed = team.review.decide(proposal, accept=accept, reason="looked at", dry_run=True)

    assert everything(team) == before
    assert [one.proposal.id for one in team.review.queue()] == [proposal]
    done = team.review.decide(proposal, accept=accept, reason="looked at")
    assert judged(rehearsed) == judged(done)
    assert (rehearsed.outcome is Outcome.COMMITTED) is accept


def test_a_rehearsed_answer_counts_the_conflicts_that_it_would_open(team: Memory) -> None:
    proposal = waiting(team)
    rival = kept(team.remember("The team meets on Tuesdays", kind="decision"))

    rehearsed = team.review.decide(proposal, accept=True, reason="agreed", dry_run=True)

    assert (rehearsed.outcome, len(rehearsed.conflict_ids)) == (Outcome.COMMITTED, 1)
    assert team.review.conflicts() == ()
    assert team.get(rival).standing.status == "active"


def test_a_rehearsed_answer_takes_corrections_and_objections(team: Memory) -> None:
    proposal = waiting(team)
    objection = Objection(step=Step.EVIDENCE, rule="seen", reason="nobody saw it")

    moved = team.review.decide(
        proposal, accept=True, reason="agreed", kind="intention", scope_id="default", dry_run=True
    )
    refused = team.review.decide(proposal, accept=True, reason="agreed", objections=[objection], dry_run=True)

    notes = {step.step: step.note for step in moved.steps}
    assert (moved.outcome, "intention" in notes[Step.KIND]) == (Outcome.COMMITTED, True)
    assert (refused.outcome, refused.decision) == (Outcome.REFUSED, Disposition.DISCARD)


def test_who_may_not_answer_may_not_rehearse_it_either(team: Memory) -> None:
    proposal = waiting(team)
    words = []
    for name in (proposal, "prp_absent"):
        with pytest.raises(NotFound) as refused:
            team.as_actor("runner").review.decide(name, accept=True, reason="mine", dry_run=True)
        words.append(str(refused.value))
    assert words[0] == words[1]


def test_what_was_decided_is_not_rehearsed_again(team: Memory) -> None:
    proposal = waiting(team)
    team.review.decide(proposal, accept=False, reason="no")
    with pytest.raises(Stale):
        team.review.decide(proposal, accept=True, reason="after all", dry_run=True)


def test_a_promotion_is_rehearsed_by_those_who_may_promote(team: Memory) -> None:
    record = kept(team.as_actor("worker").remember(sentence(0)))
    held = team.as_actor("worker").review.promote(
        record, scope="agent_team", scope_id="core", evidence=["run:1"], owner="curator"
    )
    assert held.outcome is Outcome.HELD
    with pytest.raises((NotFound, NotPermitted)):
        team.as_actor("worker").review.decide(held.proposal_id, accept=True, reason="mine", dry_run=True)
    assert team.review.decide(held.proposal_id, accept=True, reason="good", dry_run=True).outcome is Outcome.COMMITTED


# Settlements.


def on_both(memory: Memory, found: Quarrel) -> tuple[str, str]:
    """A record on each side."""
    first = kept(memory.remember(sentence(0), derived_from=[found.first]))
    return first, kept(memory.remember(sentence(1), derived_from=[found.second]))


def test_a_rehearsed_settlement_says_who_wins_and_what_rises_and_leaves_no_trace(team: Memory) -> None:
    found = quarrel(team)
    _, on_second = on_both(team, found)
    before = everything(team)

    rehearsed = team.review.resolve(found.conflict, strategy="last_write_wins", rationale="newer", dry_run=True)

    assert everything(team) == before
    assert (rehearsed.status, rehearsed.winner, rehearsed.superseded) == ("resolved", found.second, (found.first,))
    assert (rehearsed.falls, rehearsed.rises) == ((), (on_second,))
    done = team.review.resolve(found.conflict, strategy="last_write_wins", rationale="newer")
    assert done == msgspec.structs.replace(rehearsed, falls=(), rises=(), digest="")


def test_what_would_fall_is_told_at_any_depth(vault: Path) -> None:
    policy = msgspec.structs.replace(team_policy(), cascade=CascadePolicy(superseded=Consequence.DEPRECATE))
    with open_vault(vault, policy=policy) as memory:
        found = quarrel(memory)
        on_first, _ = on_both(memory, found)
        above = kept(memory.remember(sentence(2), derived_from=[on_first]))

        rehearsed = memory.review.resolve(found.conflict, strategy="last_write_wins", rationale="newer", dry_run=True)

        assert rehearsed.falls == (on_first, above)
        assert memory.get(above).standing.status == "active"
        memory.review.resolve(found.conflict, strategy="last_write_wins", rationale="newer")
        assert {memory.get(name).standing.status for name in (on_first, above)} == {"deprecated"}


def test_what_would_rise_out_of_sight_is_not_told(team: Memory) -> None:
    found = quarrel(team)
    hidden = kept(team.remember(sentence(0), derived_from=[found.second], sensitivity="secret"))
    beyond = kept(team.remember(sentence(1), derived_from=[hidden]))

    def rises(actor: str) -> tuple[str, ...]:
        seat = team.as_actor(actor)
        return seat.review.resolve(found.conflict, strategy="last_write_wins", rationale="newer", dry_run=True).rises

    assert rises("owner") == (hidden, beyond)
    assert rises("senior") == ()


def test_a_rehearsed_ballot_says_what_the_vote_would_come_to(team: Memory) -> None:
    found = quarrel(team)
    for actor in ("curator", "senior"):
        team.as_actor(actor).review.resolve(found.conflict, strategy="vote", rationale="measured", winner=found.first)
    before = everything(team)

    last = team.review.resolve(found.conflict, strategy="vote", rationale="measured", winner=found.second, dry_run=True)
    again = team.as_actor("senior").review.resolve(
        found.conflict, strategy="vote", rationale="thought again", winner=found.second, dry_run=True
    )

    assert everything(team) == before
    assert (last.status, last.winner, len(last.ballots)) == ("resolved", found.first, 3)
    assert (again.status, [one.winner for one in again.ballots]) == ("pending_vote", [found.first, found.second])


def test_a_rehearsed_synthesis_and_an_escalation_change_nothing(team: Memory) -> None:
    found = quarrel(team)
    before = everything(team)

    joined = team.review.resolve(
        found.conflict, strategy="synthesis", rationale="both", synthesis="There are two offices", dry_run=True
    )
    handed_up = team.review.resolve(found.conflict, strategy="human_escalation", rationale="too close", dry_run=True)

    assert everything(team) == before
    assert (joined.status, joined.superseded) == ("resolved", (found.first, found.second))
    assert (handed_up.status, handed_up.winner, handed_up.superseded) == ("escalated", None, ())


def test_a_strategy_that_cannot_tell_says_so_in_a_rehearsal_too(team: Memory) -> None:
    found = quarrel(team)
    with pytest.raises(Undecided):
        team.review.resolve(found.conflict, strategy="evidence_count", rationale="count", dry_run=True)


def test_who_may_not_settle_is_told_so_and_no_refusal_is_kept(team: Memory) -> None:
    found = quarrel(team)
    before = everything(team)

    said = team.as_actor("runner").review.resolve(
        found.conflict, strategy="last_write_wins", rationale="mine", dry_run=True
    )

    assert (said.status, said.winner, said.rises) == ("refused", None, ())
    assert everything(team) == before


def test_a_rehearsal_of_what_is_hidden_is_one_of_nothing(team: Memory) -> None:
    team.remember(sentence(0), subject="db", key="region", value="eu")
    hidden = team.remember(sentence(1), subject="db", key="region", value="us", sensitivity="secret")
    words = []
    for conflict in (hidden.conflict_ids[0], "cfl_absent"):
        with pytest.raises(NotFound) as refused:
            team.as_actor("senior").review.resolve(
                conflict, strategy="last_write_wins", rationale="newer", dry_run=True
            )
        words.append(str(refused.value))
    assert words[0] == words[1]


# What was shown is done, or nothing.


def test_a_settlement_that_would_come_out_otherwise_by_now_is_not_done(team: Memory) -> None:
    found = quarrel(team, {"confidence": 0.8}, {"confidence": 0.6})
    settle = partial(team.review.resolve, found.conflict, strategy="confidence_weighted", rationale="the surer one")
    shown = settle(dry_run=True)
    assert shown.winner == found.first
    for _ in range(8):
        team.review.outcome(found.first, "misleading")
    before = everything(team)

    with pytest.raises(Stale):
        settle(expected=shown.digest)

    assert everything(team) == before
    now = settle(dry_run=True)
    done = settle(expected=now.digest)
    assert (done, done.winner) == (now, found.second)


def test_a_record_that_came_to_stand_on_the_winner_meanwhile_stops_a_settlement(team: Memory) -> None:
    found = quarrel(team)
    settle = partial(team.review.resolve, found.conflict, strategy="last_write_wins", rationale="newer")
    shown = settle(dry_run=True)
    above = kept(team.remember(sentence(0), derived_from=[found.second]))
    with pytest.raises(Stale):
        settle(expected=shown.digest)
    assert settle(dry_run=True).rises == (above,)


def test_a_ballot_cast_meanwhile_stops_a_ballot_that_was_shown_without_it(team: Memory) -> None:
    found = quarrel(team)
    settle = partial(team.review.resolve, found.conflict, strategy="vote", rationale="measured", winner=found.first)
    shown = settle(dry_run=True)
    team.as_actor("senior").review.resolve(found.conflict, strategy="vote", rationale="measured", winner=found.first)
    with pytest.raises(Stale):
        settle(expected=shown.digest)


def test_a_synthesis_is_done_as_shown_although_its_id_is_another(team: Memory) -> None:
    found = quarrel(team)
    settle = partial(
        team.review.resolve, found.conflict, strategy="synthesis", rationale="both", synthesis="There are two offices"
    )
    shown = settle(dry_run=True)
    done = settle(expected=shown.digest)
    assert (done.status, done.superseded, done.digest) == ("resolved", (found.first, found.second), shown.digest)


def test_a_refusal_is_recorded_whatever_was_expected(team: Memory) -> None:
    found = quarrel(team)
    settle = partial(team.review.resolve, found.conflict, strategy="last_write_wins", rationale="mine")
    shown = settle(dry_run=True)
    head = team.ledger.head().seq
    runner = team.as_actor("runner")
    said = runner.review.resolve(found.conflict, strategy="last_write_wins", rationale="mine", expected=shown.digest)
    assert (said.status, team.ledger.head().seq) == ("refused", head + 1)
