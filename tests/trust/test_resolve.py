"""Settling a conflict: by a declared strategy, with a reason, by somebody who may; and never by chance."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.patience import WAIT_S
from tests.trust.world import entries_since, footing, kept, open_vault, sentence, standing, team_policy, told

from muniment import Memory
from muniment.model.claim_options import ClaimOptions
from muniment.model.curation import ConflictResult
from muniment.model.errors import Malformed, MunimentError, NotFound, NotPermitted, Stale, Undecided
from muniment.model.status import Status
from muniment.model.value import Value
from muniment.model.vocabulary import ConflictStatus, Outcome, Strategy, Support
from muniment.policy.rules import PolicyMember

BERLIN, MADRID = "The office is in Berlin", "The office is in Madrid"


class Quarrel(Value):
    """Two records that disagree, and the conflict between them."""

    first: str
    second: str
    conflict: str


def quarrel(
    memory: Memory,
    first: ClaimOptions | None = None,
    second: ClaimOptions | None = None,
    *,
    authors: tuple[str, str] = ("worker", "runner"),
) -> Quarrel:
    one = kept(memory.as_actor(authors[0]).remember(BERLIN, **(first or {})))
    other = memory.as_actor(authors[1]).remember(MADRID, **(second or {}))
    return Quarrel(first=one, second=kept(other), conflict=other.conflict_ids[0])


def status_of(memory: Memory, conflict: str) -> ConflictStatus:
    return next(view.status for view in memory.review.conflicts() if view.id == conflict)


def take_up(memory: Memory, found: Quarrel, strategy: str, rationale: str) -> ConflictResult:
    """Settle with everything a strategy needs: a ballot for a vote, words for a synthesis."""
    return memory.review.resolve(
        found.conflict,
        strategy=strategy,
        rationale=rationale,
        winner=found.first if strategy in ("vote", "authority") else None,
        synthesis="There are two offices" if strategy == "synthesis" else None,
    )


def won(memory: Memory, settled: ConflictResult, winner: str, loser: str) -> bool:
    """Whether one side stands alone, as the answer, the records, the conflict and a recall all say."""
    view = next(view for view in memory.review.conflicts() if view.id == settled.conflict)
    return (
        (settled.status, settled.winner, settled.superseded) == ("resolved", winner, (loser,))
        and (view.status, view.winner) == (ConflictStatus.RESOLVED, winner)
        and standing(memory, winner).status is Status.ACTIVE
        and (standing(memory, loser).status, standing(memory, loser).successor) == (Status.SUPERSEDED, winner)
        and told(memory.recall("office")) == [winner]
    )


# Strategies that compare.


def test_the_last_write_wins_if_that_is_the_rule(team: Memory) -> None:
    found = quarrel(team)
    head = team.ledger.head().seq
    settled = team.review.resolve(found.conflict, strategy="last_write_wins", rationale="the newer visit")
    assert won(team, settled, found.second, found.first)
    assert len(entries_since(team, head)) == 1
    view = team.review.conflicts()[0]
    assert (view.strategy, view.rationale, view.resolved_by, view.epoch_resolved) == (
        Strategy.LAST_WRITE_WINS,
        "the newer visit",
        "owner",
        settled.epoch,
    )


def test_the_better_believed_wins_by_effective_confidence(team: Memory) -> None:
    weak = kept(team.remember(sentence(0), confidence=0.45))
    found = quarrel(team, {"confidence": 0.6}, {"confidence": 0.99, "derived_from": [weak]})
    settled = team.review.resolve(found.conflict, strategy="confidence_weighted", rationale="what stands on more")
    assert won(team, settled, found.first, found.second)


def test_the_author_with_more_authority_wins(team: Memory) -> None:
    found = quarrel(team, authors=("senior", "runner"))
    settled = team.review.resolve(found.conflict, strategy="authority", rationale="the senior was there")
    assert won(team, settled, found.first, found.second)


def test_more_evidence_wins_and_support_that_still_speaks_is_evidence(team: Memory) -> None:
    found = quarrel(team, {"evidence": ["log:1", "log:2"]}, {"evidence": ["log:3"]})
    supports = [
        kept(team.remember(sentence(at), relations=[("supports", found.second)], evidence=[f"log:{at}"]))
        for at in (10, 11)
    ]
    team.review.retract(supports[0], reason="wrong")
    with pytest.raises(Undecided):
        team.review.resolve(found.conflict, strategy="evidence_count", rationale="count")
    kept(team.remember(sentence(12), relations=[("supports", found.second)]))
    settled = team.review.resolve(found.conflict, strategy="evidence_count", rationale="count")
    assert won(team, settled, found.second, found.first)


@pytest.mark.parametrize("strategy", ["confidence_weighted", "authority", "evidence_count"])
def test_a_tie_is_undecided_and_changes_nothing(team: Memory, strategy: str) -> None:
    found = quarrel(team)
    before, head = team.review.conflicts(), team.ledger.head()
    with pytest.raises(Undecided) as refused:
        team.review.resolve(found.conflict, strategy=strategy, rationale="as good as any")
    assert refused.value.code == "undecided"
    assert (team.review.conflicts(), team.ledger.head()) == (before, head)
    assert {standing(team, name).status for name in (found.first, found.second)} == {Status.CONTESTED}


@pytest.mark.parametrize("strategy", [strategy.value for strategy in Strategy])
@pytest.mark.parametrize("rationale", ["", " ", None])
def test_every_strategy_needs_a_rationale(team: Memory, strategy: str, rationale: str) -> None:
    found = quarrel(team)
    head = team.ledger.head()
    with pytest.raises(Malformed) as refused:
        take_up(team, found, strategy, rationale)
    assert refused.value.field == "rationale"
    assert team.ledger.head() == head


def test_a_strategy_that_is_none_is_refused(team: Memory) -> None:
    found = quarrel(team)
    with pytest.raises(Malformed) as refused:
        team.review.resolve(found.conflict, strategy="coin_toss", rationale="heads")
    assert refused.value.field == "strategy"


# Who may, and who may name the winner.


def test_who_may_not_settle_is_refused_on_record_and_changes_nothing(team: Memory) -> None:
    found = quarrel(team)
    before, head = team.review.conflicts(), team.ledger.head().seq
    settled = team.as_actor("worker").review.resolve(found.conflict, strategy="last_write_wins", rationale="mine")
    assert (settled.status, settled.rule, settled.winner) == ("refused", "no-rule", None)
    (entry,) = entries_since(team, head)
    assert (entry.kind, entry.actor, entry.changes, entry.conflicts) == ("resolved", "worker", (), ())
    assert team.review.conflicts() == before


def test_an_agent_with_authority_may_settle_by_a_rule(team: Memory) -> None:
    found = quarrel(team)
    settled = team.as_actor("senior").review.resolve(found.conflict, strategy="last_write_wins", rationale="newer")
    assert won(team, settled, found.second, found.first)


def test_to_name_the_winner_takes_more_authority_than_both_authors_have(team: Memory) -> None:
    found = quarrel(team, authors=("worker", "senior"))
    head = team.ledger.head()
    with pytest.raises(NotPermitted):
        team.as_actor("senior").review.resolve(
            found.conflict, strategy="authority", rationale="I say", winner=found.second
        )
    assert team.ledger.head() == head
    settled = team.review.resolve(found.conflict, strategy="authority", rationale="I was there", winner=found.first)
    assert won(team, settled, found.first, found.second)


@pytest.mark.parametrize("strategy", ["synthesis", "human_escalation"])
def test_a_winner_is_not_named_where_there_is_none(team: Memory, strategy: str) -> None:
    found = quarrel(team)
    text = "There are two offices" if strategy == "synthesis" else None
    with pytest.raises(Malformed) as refused:
        team.review.resolve(found.conflict, strategy=strategy, rationale="I say", winner=found.first, synthesis=text)
    assert refused.value.field == "winner"
    assert status_of(team, found.conflict) is ConflictStatus.DETECTED


def test_a_winner_is_one_of_the_two(team: Memory) -> None:
    found = quarrel(team)
    other = kept(team.remember(sentence(0)))
    for winner in (other, "rec_absent"):
        with pytest.raises(Malformed) as refused:
            team.review.resolve(found.conflict, strategy="authority", rationale="I say", winner=winner)
        assert refused.value.field == "winner"


def test_a_conflict_with_a_hidden_side_is_none(team: Memory) -> None:
    seen = kept(team.remember(sentence(0), subject="db", key="region", value="eu"))
    hidden = team.remember(sentence(1), subject="db", key="region", value="us", sensitivity="secret")
    words = []
    for conflict in (hidden.conflict_ids[0], "cfl_absent"):
        with pytest.raises(NotFound) as refused:
            team.as_actor("senior").review.resolve(conflict, strategy="last_write_wins", rationale="newer")
        words.append(str(refused.value))
    assert words[0] == words[1]
    assert standing(team, seen).status is Status.CONTESTED


# Votes.


def ballot(memory: Memory, actor: str, conflict: str, winner: str | None) -> ConflictResult:
    return memory.as_actor(actor).review.resolve(conflict, strategy="vote", rationale=f"{actor} says", winner=winner)


def test_a_vote_waits_for_its_quorum_and_then_the_most_voices_win(team: Memory) -> None:
    found = quarrel(team)
    first = ballot(team, "agent1", found.conflict, found.first)
    assert (first.status, first.winner, len(first.ballots)) == ("pending_vote", None, 1)
    assert ballot(team, "agent2", found.conflict, found.second).status == "pending_vote"
    assert status_of(team, found.conflict) is ConflictStatus.RESOLVING
    assert {standing(team, name).status for name in (found.first, found.second)} == {Status.CONTESTED}
    last = ballot(team, "agent3", found.conflict, found.first)
    assert won(team, last, found.first, found.second)
    assert [(one.actor, one.winner) for one in team.review.conflicts()[0].ballots] == [
        ("agent1", found.first),
        ("agent2", found.second),
        ("agent3", found.first),
    ]


def test_a_second_ballot_takes_the_place_of_the_first(team: Memory) -> None:
    found = quarrel(team)
    for _ in range(5):
        assert len(ballot(team, "agent1", found.conflict, found.first).ballots) == 1
    ballot(team, "agent1", found.conflict, found.second)
    ballot(team, "agent2", found.conflict, found.first)
    settled = ballot(team, "agent3", found.conflict, found.second)
    assert won(team, settled, found.second, found.first)


def test_a_tied_vote_goes_to_a_person(vault: Path) -> None:
    start = team_policy()
    policy = msgspec.structs.replace(start, disputes=msgspec.structs.replace(start.disputes, quorum=2))
    with open_vault(vault, policy=policy) as memory:
        found = quarrel(memory)
        ballot(memory, "agent1", found.conflict, found.first)
        settled = ballot(memory, "agent2", found.conflict, found.second)
        assert (settled.status, settled.winner) == ("escalated", None)
        assert {standing(memory, name).status for name in (found.first, found.second)} == {Status.CONTESTED}
        with pytest.raises(NotPermitted):
            ballot(memory, "agent3", found.conflict, found.first)
        assert status_of(memory, found.conflict) is ConflictStatus.ESCALATED


def test_a_ballot_names_a_side(team: Memory) -> None:
    found = quarrel(team)
    for winner in (None, "rec_absent"):
        with pytest.raises(Malformed) as refused:
            ballot(team, "agent1", found.conflict, winner)
        assert refused.value.field == "winner"


def test_who_has_no_voice_is_refused(vault: Path) -> None:
    policy = team_policy(intern=PolicyMember(roles=("agent",), projects=("default",), authority=1))
    with open_vault(vault, policy=policy) as memory:
        found = quarrel(memory)
        assert ballot(memory, "intern", found.conflict, found.first).status == "refused"
        assert memory.review.conflicts()[0].ballots == ()


# Synthesis.


def test_a_synthesis_takes_the_place_of_both_and_is_worth_no_more_than_they_were(team: Memory) -> None:
    found = quarrel(team, {"confidence": 0.6}, {"confidence": 0.8, "source_type": "web"})
    settled = team.review.resolve(
        found.conflict,
        strategy="synthesis",
        rationale="both are offices",
        synthesis="There is an office in Berlin and one in Madrid",
        confidence=0.95,
        evidence=["visit:1"],
    )
    assert settled.synthesis is not None
    assert (settled.status, settled.winner, set(settled.superseded)) == (
        "resolved",
        settled.synthesis,
        {found.first, found.second},
    )
    for name in (found.first, found.second):
        assert (standing(team, name).status, standing(team, name).successor) == (Status.SUPERSEDED, settled.synthesis)
    record = team.get(settled.synthesis).record
    assert (record.claim.nature.kind, record.claim.belief.evidence) == ("synthesis", ("visit:1",))
    found_ = footing(team, settled.synthesis)
    assert (found_.effective, found_.label, found_.support) == (0.6, "external", Support.STANDING)
    assert standing(team, settled.synthesis).status is Status.ACTIVE
    assert told(team.recall("office")) == [settled.synthesis]
    assert status_of(team, found.conflict) is ConflictStatus.RESOLVED
    assert team.review.conflicts()[0].rationale == "both are offices"
    assert team.ledger.verify().ok


def test_a_synthesis_without_words_is_none(team: Memory) -> None:
    found = quarrel(team)
    head = team.ledger.head()
    with pytest.raises(Malformed) as refused:
        team.review.resolve(found.conflict, strategy="synthesis", rationale="both")
    assert refused.value.field == "synthesis"
    assert team.ledger.head() == head


def test_a_synthesis_that_policy_holds_settles_nothing_until_a_person_accepts_it(team: Memory) -> None:
    found = quarrel(team)
    settled = team.as_actor("senior").review.resolve(
        found.conflict, strategy="synthesis", rationale="both", synthesis="There are two offices"
    )
    assert (settled.status, settled.synthesis) == ("held", None)
    assert status_of(team, found.conflict) is ConflictStatus.DETECTED
    assert {standing(team, name).status for name in (found.first, found.second)} == {Status.CONTESTED}
    (waiting,) = team.review.queue()
    new = kept(team.review.decide(waiting.proposal.id, accept=True, reason="well put"))
    assert {standing(team, name).successor for name in (found.first, found.second)} == {new}
    assert status_of(team, found.conflict) is ConflictStatus.RESOLVED


# Handed up, and taken up twice.


def test_what_was_escalated_takes_the_highest_authority(team: Memory) -> None:
    found = quarrel(team)
    settled = team.as_actor("senior").review.resolve(found.conflict, strategy="human_escalation", rationale="beyond me")
    assert (settled.status, settled.winner) == ("escalated", None)
    assert status_of(team, found.conflict) is ConflictStatus.ESCALATED
    assert {standing(team, name).status for name in (found.first, found.second)} == {Status.CONTESTED}
    head = team.ledger.head()
    for strategy in ("last_write_wins", "vote", "synthesis", "human_escalation"):
        with pytest.raises(NotPermitted):
            team.as_actor("senior").review.resolve(found.conflict, strategy=strategy, rationale="after all")
    assert team.ledger.head() == head
    done = team.as_actor("curator").review.resolve(
        found.conflict, strategy="authority", rationale="I called them", winner=found.first
    )
    assert won(team, done, found.first, found.second)


def test_what_is_settled_is_not_settled_again(team: Memory) -> None:
    found = quarrel(team)
    team.review.resolve(found.conflict, strategy="last_write_wins", rationale="newer")
    head = team.ledger.head()
    for strategy in set(Strategy) - {Strategy.REOPEN}:
        with pytest.raises(Stale):
            take_up(team, found, strategy.value, "again")
    assert team.ledger.head() == head


def test_a_winner_of_one_dispute_is_contested_while_another_is_open(team: Memory) -> None:
    middle = kept(team.remember(sentence(0)))
    others = [team.remember(sentence(at), relations=[("contradicts", middle)]) for at in (1, 2)]
    for number, other in enumerate(others):
        settled = team.review.resolve(other.conflict_ids[0], strategy="authority", rationale="seen", winner=middle)
        assert settled.winner == middle
        assert standing(team, middle).status is (Status.CONTESTED if number == 0 else Status.ACTIVE)


def test_the_loser_takes_its_other_disputes_with_it(team: Memory) -> None:
    loser = kept(team.remember(sentence(0)))
    one, other = (team.remember(sentence(at), relations=[("contradicts", loser)]) for at in (1, 2))
    team.review.resolve(one.conflict_ids[0], strategy="last_write_wins", rationale="newer")
    assert {view.status for view in team.review.conflicts()} == {ConflictStatus.RESOLVED}
    assert standing(team, kept(other)).status is Status.ACTIVE


def test_what_stands_on_the_winner_is_restored_and_what_stands_on_the_loser_is_flagged(team: Memory) -> None:
    found = quarrel(team)
    on_first = kept(team.remember(sentence(0), derived_from=[found.first]))
    on_second = kept(team.remember(sentence(1), derived_from=[found.second]))
    assert {footing(team, name).support for name in (on_first, on_second)} == {Support.FLAGGED}
    team.review.resolve(found.conflict, strategy="last_write_wins", rationale="newer")
    assert footing(team, on_second).support is Support.STANDING
    assert footing(team, on_first).support is Support.FLAGGED


def test_a_repetition_can_be_settled_too(team: Memory) -> None:
    first = kept(team.remember("Sessions expire after 30 minutes"))
    second = team.remember("Please note that sessions expire after 30 minutes.")
    settled = team.review.resolve(second.conflict_ids[0], strategy="authority", rationale="one is enough", winner=first)
    assert settled.superseded == (kept(second),)
    assert told(team.recall("sessions expire")) == [first]


@pytest.fixture
def views(vault: Path) -> Iterator[list[Memory]]:
    """The same vault opened eight times over, as eight programs would."""
    opened = [open_vault(vault) for _ in range(8)]
    yield opened
    for memory in opened:
        memory.close()


def test_of_many_who_settle_at_once_one_does_and_the_others_are_stale(views: list[Memory]) -> None:
    found = quarrel(views[0])
    start = threading.Barrier(len(views))
    results: list[ConflictResult | MunimentError] = []

    def settle(number: int, memory: Memory) -> None:
        start.wait(timeout=WAIT_S)
        winner = (found.first, found.second)[number % 2]
        try:
            results.append(
                memory.review.resolve(found.conflict, strategy="authority", rationale="I say", winner=winner)
            )
        except MunimentError as error:
            results.append(error)

    threads = [threading.Thread(target=settle, args=pair) for pair in enumerate(views)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=WAIT_S)
    done = [result for result in results if isinstance(result, ConflictResult)]
    assert len(results) == len(views)
    assert len(done) == 1
    assert all(isinstance(result, Stale) for result in results if result is not done[0])
    loser = found.second if done[0].winner == found.first else found.first
    assert done[0].winner is not None
    assert won(views[0], done[0], done[0].winner, loser)
    assert views[0].ledger.verify().ok


def test_a_held_side_is_no_side(team: Memory) -> None:
    """What waits for a person has not been said yet."""
    kept(team.remember(BERLIN))
    verdict = team.as_actor("worker").remember(MADRID, kind="decision")
    assert verdict.outcome is Outcome.HELD
    assert (verdict.conflict_ids, team.review.conflicts()) == ((), ())
