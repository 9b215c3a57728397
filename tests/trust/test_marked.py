"""What a reviewer sees and no detector did: that a proposal contradicts a record, and at which step it fails."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import msgspec
import pytest
from tests.support.world import default_policy
from tests.trust.world import kept, open_vault, team_policy

from muniment import Memory
from muniment.model.claim_options import ClaimOptions
from muniment.model.errors import LimitExceeded, Malformed, NotFound, Stale
from muniment.model.proposal import Objection
from muniment.model.status import Status
from muniment.model.vocabulary import ConflictType, Outcome, Step, StepResult
from muniment.policy.rules import Action, ReviewRule

PLAN = "The team meets on Mondays"
RECORD = "Nobody works at the start of the week"


def known(memory: Memory, **more: Unpack[ClaimOptions]) -> str:
    return kept(memory.remember(RECORD, **more))


def waiting(memory: Memory, *, supersedes: str | None = None) -> str:
    held = memory.as_actor("worker").remember(PLAN, kind="decision", supersedes=supersedes)
    assert held.outcome is Outcome.HELD
    return held.proposal_id


def test_both_sides_stand_contested_and_the_conflict_names_who_saw_it(team: Memory) -> None:
    other, proposal = known(team), waiting(team)
    verdict = team.review.decide(proposal, accept=True, reason="they cannot both be", contradicts=[other])
    assert verdict.committed
    (view,) = team.review.conflicts()
    assert (view.id, view.why, view.type) == (verdict.conflict_ids[0], "reviewer", ConflictType.CONTRADICTION)
    assert {view.a.record.id, view.b.record.id} == {other, verdict.record_id}
    assert {view.a.standing.status, view.b.standing.status} == {Status.CONTESTED}
    assert team.review.report(proposal).report.contradicts == (other,)
    assert team.ledger.verify().ok


def test_a_rehearsal_tells_of_the_conflict_and_opens_none(team: Memory) -> None:
    other, proposal = known(team), waiting(team)
    foreseen = team.review.decide(proposal, accept=True, reason="looked at", contradicts=[other], dry_run=True)
    assert len(foreseen.conflict_ids) == 1
    assert team.review.conflicts() == ()
    assert team.get(other).standing.status is Status.ACTIVE


def test_a_record_that_is_named_twice_is_one_conflict(team: Memory) -> None:
    other, proposal = known(team), waiting(team)
    assert len(team.review.decide(proposal, accept=True, reason="r", contradicts=[other, other]).conflict_ids) == 1


def test_what_is_not_there_what_has_ended_and_too_many_are_refused_and_nothing_is_decided(team: Memory) -> None:
    other, proposal = known(team), waiting(team)
    with pytest.raises(NotFound):
        team.review.decide(proposal, accept=True, reason="r", contradicts=["rec_none"])
    with pytest.raises(Malformed, match="contradicts"):
        team.review.decide(proposal, accept=False, reason="r", contradicts=[other])
    with pytest.raises(LimitExceeded, match="contradicts"):
        team.review.decide(proposal, accept=True, reason="r", contradicts=[f"rec_{number}" for number in range(17)])
    team.review.retract(other, reason="it was wrong")
    with pytest.raises(Stale):
        team.review.decide(proposal, accept=True, reason="r", contradicts=[other])
    assert [item.proposal.id for item in team.review.queue()] == [proposal]


def test_a_record_that_the_reviewer_may_not_see_is_like_one_that_is_not_there(vault: Path) -> None:
    accepting = ReviewRule(id="seniors", actors=("senior",), actions=(Action.ACCEPT, Action.QUEUE))
    policy = team_policy(msgspec.structs.replace(default_policy(), review=(*default_policy().review, accepting)))
    with open_vault(vault, policy=policy) as team:
        hidden, seen = known(team, sensitivity="secret"), kept(team.remember("Fridays are quiet"))
        proposal, senior = waiting(team), team.as_actor("senior")
        with pytest.raises(NotFound):
            senior.get(hidden)
        with pytest.raises(NotFound):
            senior.review.decide(proposal, accept=True, reason="r", contradicts=[hidden])
        assert senior.review.decide(proposal, accept=True, reason="r", contradicts=[seen]).committed


def test_nobody_learns_from_a_report_which_record_they_may_not_see_it_disagrees_with(team: Memory) -> None:
    hidden, worker = known(team, sensitivity="secret"), team.as_actor("worker")
    held = worker.remember(PLAN, kind="decision", proposal_id="plan")
    assert held.outcome is Outcome.HELD
    foreseen = team.review.decide("plan", accept=True, reason="r", contradicts=[hidden], dry_run=True)
    assert team.review.decide("plan", accept=True, reason="r", contradicts=[hidden]).committed
    repeated = worker.remember(PLAN, kind="decision", proposal_id="plan")
    for told in (foreseen, repeated, worker.review.report("plan"), team.as_actor("senior").review.report("plan")):
        assert hidden not in msgspec.json.encode(told).decode()
    assert team.review.report("plan").report.contradicts == (hidden,)


def test_what_it_takes_the_place_of_is_no_rival(team: Memory) -> None:
    other = known(team)
    proposal = waiting(team, supersedes=other)
    with pytest.raises(Malformed, match="contradicts"):
        team.review.decide(proposal, accept=True, reason="r", contradicts=[other])


def test_a_discard_keeps_at_which_step_it_failed_and_why(team: Memory) -> None:
    other, proposal = known(team), waiting(team)
    said = Objection(step=Step.DEDUPE, rule="known", reason="we have it already", duplicate_of=other)
    verdict = team.review.decide(proposal, accept=False, reason="no news", objections=[said])
    steps = {one.step: (one.result, one.note) for one in verdict.steps}
    assert steps[Step.DEDUPE] == (StepResult.REFUSED, "we have it already")
    assert steps[Step.EVIDENCE] == (StepResult.NOT_RUN, "")
    assert (verdict.outcome, verdict.duplicate_of, verdict.reason) == (Outcome.REFUSED, other, "no news")


def test_secrets_in_an_objection_are_not_kept(team: Memory) -> None:
    proposal = waiting(team)
    said = Objection(step=Step.SAFETY, rule="secret", reason="it names AKIAIOSFODNN7EXAMPLE")
    verdict = team.review.decide(proposal, accept=False, reason="no", objections=[said])
    assert "AKIAIOSFODNN7EXAMPLE" not in str(verdict.steps)
