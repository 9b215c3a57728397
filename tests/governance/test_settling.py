"""Disputes that the policy settles, and the word of somebody of more authority, which waits for no dispute."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.governance.fleet import open_fleet

from muniment import Memory, Verdict
from muniment.model.claim_options import ClaimOptions, make_claim
from muniment.model.errors import PolicyInvalid, Stale

SETTLE = """
disputes:
  settle:
    - {id: by-rank, kinds: [fact], scopes: [agent_team], scope_ids: [field], by: [authority, evidence, last_write_wins]}
    - {id: wait, by: [hold]}
"""


def status(memory: Memory, verdict: Verdict) -> str:
    return memory.get(kept(verdict)).standing.status.value


def kept(verdict: Verdict) -> str:
    assert verdict.record_id is not None, verdict.reason
    return verdict.record_id


def test_a_dispute_is_settled_in_the_entry_that_finds_it_and_a_steward_can_take_that_back(vault: Path) -> None:
    with open_fleet(vault, SETTLE) as owner:
        lead, scout, pilot = (owner.as_actor(name) for name in ("lead", "scout", "pilot"))
        old = scout.remember(
            "The crane lifts 40 tonnes", evidence=["log:1"], kind="fact", scope="agent_team", scope_id="field"
        )
        new = pilot.remember(
            "The crane lifts 30 tonnes", evidence=["log:2", "log:3"], kind="fact", scope="agent_team", scope_id="field"
        )
        assert (status(owner, old), status(owner, new)) == ("superseded", "active")
        assert owner.ledger.head().seq == new.epoch
        (settled,) = owner.review.report(new.proposal_id).report.settled
        assert (settled.rule, settled.strategy, settled.winner) == ("by-rank", "evidence_count", kept(new))
        assert new.conflict_ids == (settled.conflict,)
        assert "by-rank" in new.reason

        ranked = lead.remember("The crane lifts 25 tonnes", kind="fact", scope="agent_team", scope_id="field")
        assert (status(owner, new), status(owner, ranked)) == ("superseded", "active")
        below = pilot.remember(
            "The crane lifts 45 tonnes", evidence=["log:4", "log:5"], kind="fact", scope="agent_team", scope_id="field"
        )
        assert (status(owner, ranked), status(owner, below)) == ("active", "superseded")
        assert owner.get(kept(below)).standing.successor == ranked.record_id
        assert [found.record.id for found in scout.recall("crane lifts tonnes").records] == [kept(ranked)]

        (conflict,) = below.conflict_ids
        owner.review.resolve(conflict, strategy="reopen", rationale="the plate on the crane says 45")
        assert (status(owner, ranked), status(owner, below)) == ("contested", "contested")
        owner.review.resolve(conflict, strategy="authority", winner=kept(below), rationale="the plate says so")
        assert (status(owner, ranked), status(owner, below)) == ("superseded", "active")
        with pytest.raises(Stale):
            owner.review.resolve(new.conflict_ids[0], strategy="reopen", rationale="it has moved on since")
        owner.ledger.replay()
        assert owner.ledger.verify().ok


def test_what_no_rule_covers_or_a_rule_leaves_waits_for_a_person(vault: Path) -> None:
    with open_fleet(vault, SETTLE) as owner:
        scout, pilot = owner.as_actor("scout"), owner.as_actor("pilot")
        place = ClaimOptions(scope="project", scope_id="harbour", kind="fact", confidence=0.7)
        surer = ClaimOptions(scope="project", scope_id="harbour", kind="fact", confidence=0.9)
        one = scout.remember("Pier 4 is open until 18:00", **place)
        other = pilot.remember("Pier 4 is open until 22:00", **place)
        assert other.decision == "conflict"
        assert (status(owner, one), status(owner, other)) == ("contested", "contested")
        third = pilot.remember("Pier 9 is open until 21:00", **place)
        fourth = scout.remember("Pier 9 is open until 19:00", **surer)
        planned = owner.review.resolve_all(strategy="confidence_weighted", dry_run=True)
        assert [told.status for told in planned] == ["undecided", "resolved"]
        assert {view.status for view in owner.review.conflicts()} == {"detected"}
        done = owner.review.resolve_all(strategy="confidence_weighted")
        assert [told.status for told in done] == ["undecided", "resolved"]
        assert (status(owner, third), status(owner, fourth)) == ("superseded", "active")
        assert [told.status for told in scout.review.resolve_all(strategy="last_write_wins")] == ["refused"]


def test_settling_many_disputes_does_not_trip_over_its_own_effects(vault: Path) -> None:
    with open_fleet(vault) as owner:
        agents = [owner.as_actor(name) for name in ("scout", "pilot", "lead")]
        said = [
            agent.remember(f"The pilot boat draws {depth} metres", kind="fact", scope="agent_team", scope_id="field")
            for agent, depth in zip(agents, (3, 4, 5), strict=True)
        ]
        assert len(owner.review.conflicts()) == 3
        settled = owner.review.resolve_all(strategy="last_write_wins", rationale="the newest survey")
        assert {told.status for told in settled} == {"resolved"}
        assert [status(owner, one) for one in said] == ["superseded", "superseded", "active"]
        assert {view.status for view in owner.review.conflicts()} == {"resolved"}
        assert owner.review.resolve_all() == ()


def test_an_agent_casts_no_doubt_on_an_owners_rule_by_writing_against_it(vault: Path) -> None:
    """By a statement, a stated contradiction, by taking its place, or by a look that comes later: the rule stands."""
    with open_fleet(vault, "disputes: {settle: [last_write_wins]}\n") as owner:
        scout, lead = owner.as_actor("scout"), owner.as_actor("lead")
        rule = owner.remember("The gate is locked at 22:00", kind="directive", scope="agent_team", scope_id="field")
        slot = owner.remember(
            "The harbour code is blue",
            subject="harbour",
            key="code",
            value="blue",
            scope="agent_team",
            scope_id="field",
        )
        against = scout.remember("The gate is locked at 23:00", kind="directive", scope="agent_team", scope_id="field")
        stated = scout.remember(
            "Nobody locks the gate any more",
            relations=[("contradicts", kept(rule))],
            kind="fact",
            scope="agent_team",
            scope_id="field",
        )
        answer = scout.remember(
            "The harbour code is red", subject="harbour", key="code", value="red", scope="agent_team", scope_id="field"
        )
        instead = scout.remember(
            "The gate is locked at 23:30", kind="directive", supersedes=kept(rule), scope="agent_team", scope_id="field"
        )
        claim = make_claim(
            "The gate is locked at 21:00", scout.actor, ClaimOptions(kind="fact", scope="agent_team", scope_id="field")
        )
        unseen = scout.propose(claim, detect=False)
        assert {one.outcome.value for one in (against, stated, answer, instead)} == {"held"}
        assert unseen.committed
        assert owner.review.detect(kept(unseen)) == ()
        assert status(owner, unseen) == "held"
        assert (status(owner, rule), status(owner, slot)) == ("active", "active")
        assert owner.review.conflicts() == ()
        assert [found.presented for found in scout.recall("when is the gate locked?").records] == ["claim"]
        accepted = owner.review.decide(answer.proposal_id, accept=True, reason="it was changed today")
        assert status(owner, slot) == status(owner, accepted) == "contested"
        assert (
            lead.remember(
                "The harbour code is green",
                scope="agent_team",
                scope_id="field",
                subject="harbour",
                key="code",
                value="green",
            ).outcome
            == "held"
        )


def test_a_rule_that_settles_lends_nobody_the_right_to_replace(vault: Path) -> None:
    """Who may see a record of another group and write in their own cannot win against what stands there."""
    with open_fleet(vault, "disputes: {settle: [last_write_wins]}\n") as owner:
        there = owner.as_actor("lead").remember("The tide table is right", scope="agent_team", scope_id="lead")
        pilot, scout = owner.as_actor("pilot"), owner.as_actor("scout")
        assert [one.record.id for one in pilot.recall("tide table").records] == [kept(there)]
        assert scout.recall("tide table").abstained == "no_match"
        rival = pilot.remember(
            "The tide table is wrong", relations=[("contradicts", kept(there))], scope="agent_team", scope_id="field"
        )
        assert rival.committed
        assert (status(owner, there), status(owner, rival)) == ("contested", "contested")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("disputes: {settle: [dice]}\n", "settle"),
        ("disputes: {settle: [{by: []}]}\n", "settle"),
        ("disputes: {settle: [{strength: suspected, by: [authority]}]}\n", "settle"),
        ("reading: {contested: oldest}\n", "contested"),
    ],
)
def test_a_policy_that_settles_by_what_is_no_rule_is_refused(vault: Path, more: str, says: str) -> None:
    with pytest.raises(PolicyInvalid, match=says):
        open_fleet(vault, more)
