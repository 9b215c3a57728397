"""Echoes: what was told and comes back is known again, and is worth no more than what it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.trust.world import footing, kept, open_vault, sentence, standing, together, told, word

from muniment import Memory
from muniment.model.claim_options import ClaimOptions
from muniment.model.vocabulary import Outcome, Support

SAID = "The nightly export of the orders table takes 40 minutes"
AGAIN = {
    "the same words": SAID,
    "in capitals": SAID.upper(),
    "with a full stop": f"{SAID}.",
    "with small words": "Please note that the nightly export of the orders table takes 40 minutes.",
    "with another inflection": "The nightly exports of the orders table take 40 minutes",
    "with other white space": "The nightly  export of the orders table\ttakes 40 minutes",
}
OTHERWISE = {
    "another number": "The nightly export of the orders table takes 90 minutes",
    "a denial": "The nightly export of the orders table does not take 40 minutes",
    "another unit": "The nightly export of the orders table takes 40 seconds",
    "another thing": "The nightly export of the invoices table takes 40 minutes",
}
ELSEWHERE: ClaimOptions = {"namespace": "/elsewhere", "confidence": 0.95}


@pytest.fixture
def first(team: Memory) -> str:
    """What an agent found, at a confidence of 0.55."""
    return kept(team.as_actor("worker").remember(SAID, confidence=0.55, evidence=["log:1"]))


def tell(memory: Memory, actor: str, record: str) -> Memory:
    """The same memory as another actor sees it, after that actor was told of a record."""
    reader = memory.as_actor(actor)
    assert record in told(reader.recall("nightly export orders"))
    return reader


@pytest.mark.parametrize("form", AGAIN)
@pytest.mark.parametrize("evidence", [None, ["log:2", "log:3"]], ids=["no evidence", "new evidence"])
@pytest.mark.parametrize("actor", ["runner", "worker", "gauge"])
def test_what_was_told_and_comes_back_is_linked_and_worth_no_more(
    team: Memory, first: str, form: str, evidence: list[str] | None, actor: str
) -> None:
    verdict = tell(team, actor, first).remember(AGAIN[form], **together(ELSEWHERE, evidence=evidence))
    assert verdict.echoes == (first,)
    again = kept(verdict)
    found = footing(team, again)
    assert (found.label, found.own, found.effective) == ("agent", 0.95, 0.55)
    assert [(edge.source, edge.type, edge.target) for edge in team.insight.lineage(again).edges] == [
        (again, "echoes", first)
    ]
    assert team.get(again).record.echoes == (first,)


def test_a_person_who_was_told_echoes_too(team: Memory, first: str) -> None:
    reader = tell(team, "colleague", first)
    verdict = reader.remember(SAID, scope="session", scope_id="s1")
    if verdict.outcome is Outcome.HELD:
        verdict = team.review.decide(verdict.proposal_id, accept=True, reason="fine")
    assert verdict.echoes == (first,)
    assert (footing(team, kept(verdict)).label, footing(team, kept(verdict)).effective) == ("agent", 0.55)


def test_a_person_who_was_not_told_speaks_for_themselves(team: Memory, first: str) -> None:
    verdict = team.as_actor("curator").remember(SAID, **ELSEWHERE)
    assert verdict.echoes == ()
    found = footing(team, kept(verdict))
    assert (found.label, found.effective) == ("person", 0.95)


@pytest.mark.parametrize("evidence", [None, ["log:9"]], ids=["no evidence", "new evidence"])
@pytest.mark.parametrize("actor", ["runner", "gauge"])
def test_an_agent_that_says_the_same_is_an_echo_even_if_no_receipt_shows_that_it_was_told(
    team: Memory, first: str, actor: str, evidence: list[str] | None
) -> None:
    """It may have looked the record up, or been told by another agent; and the evidence it names may be made up."""
    verdict = team.as_actor(actor).remember(SAID, **together(ELSEWHERE, evidence=evidence))
    assert (verdict.echoes, footing(team, kept(verdict)).effective) == ((first,), 0.55)


def test_a_person_who_was_told_something_else_was_not_told_this(team: Memory, first: str) -> None:
    kept(team.remember(sentence(0)))
    curator = team.as_actor("curator")
    curator.recall(word(0))
    assert curator.remember(SAID, **ELSEWHERE).echoes == ()


def test_what_another_was_told_a_person_was_not(team: Memory, first: str) -> None:
    tell(team, "worker", first)
    tell(team, "colleague", first)
    assert team.as_actor("curator").remember(SAID, **ELSEWHERE).echoes == ()


@pytest.mark.parametrize("form", OTHERWISE)
def test_another_number_or_a_denial_is_no_echo(team: Memory, first: str, form: str) -> None:
    verdict = tell(team, "runner", first).remember(OTHERWISE[form], **ELSEWHERE)
    assert verdict.echoes == ()
    assert footing(team, kept(verdict)).effective == 0.95


def test_an_echo_of_an_echo_is_worth_what_the_first_was(team: Memory, first: str) -> None:
    second = kept(tell(team, "runner", first).remember(SAID, **ELSEWHERE))
    third = team.as_actor("other")
    third.recall("nightly export orders")
    verdict = third.remember(SAID, namespace="/third", confidence=0.99, evidence=["log:8"])
    assert set(verdict.echoes) == {first, second}
    assert footing(team, kept(verdict)).effective == 0.55


def test_an_echo_cannot_be_raised_above_what_it_echoes(team: Memory, first: str) -> None:
    again = kept(tell(team, "runner", first).remember(SAID, **ELSEWHERE))
    for _ in range(10):
        team.review.outcome(again, "helpful")
    assert footing(team, again).own > 0.95
    assert footing(team, again).effective == 0.55


def test_an_echo_goes_down_with_what_it_echoes(team: Memory, first: str) -> None:
    again = kept(tell(team, "runner", first).remember(SAID, **ELSEWHERE))
    team.review.outcome(first, "misleading")
    assert footing(team, again).effective == footing(team, first).effective < 0.55
    team.review.retract(first, reason="measured wrongly")
    assert footing(team, again).support is Support.FALLEN
    assert team.recall("nightly export orders").records == ()


@pytest.mark.parametrize("form", AGAIN)
@pytest.mark.parametrize("evidence", [None, ["log:7"]], ids=["no evidence", "new evidence"])
def test_what_was_taken_back_falls_when_an_agent_that_was_told_repeats_it(
    team: Memory, first: str, form: str, evidence: list[str] | None
) -> None:
    runner = tell(team, "runner", first)
    team.review.retract(first, reason="measured wrongly")
    verdict = runner.remember(AGAIN[form], evidence=evidence, confidence=0.95)
    assert verdict.echoes == (first,)
    again = kept(verdict)
    assert footing(team, again).support is Support.FALLEN
    answer = team.recall("nightly export orders")
    assert (answer.records, answer.excluded) == ((), {"retracted": 1, "support": 1})


def test_a_person_may_say_again_what_was_taken_back(team: Memory, first: str) -> None:
    curator = tell(team, "curator", first)
    team.review.retract(first, reason="measured wrongly")
    again = kept(curator.remember(SAID, confidence=0.9))
    assert standing(team, again).footing.support is Support.STANDING
    assert told(team.recall("nightly export orders")) == [again]


def test_what_the_proposer_may_not_see_is_not_named_as_an_echo(team: Memory) -> None:
    hidden = kept(team.remember(SAID, sensitivity="secret"))
    verdict = team.as_actor("runner").remember(SAID, **ELSEWHERE)
    assert verdict.echoes == ()
    assert hidden not in repr(verdict)


def test_what_was_told_is_remembered_through_replay_and_restart(vault: Path) -> None:
    with open_vault(vault) as memory:
        first = kept(memory.as_actor("worker").remember(SAID, confidence=0.55))
        tell(memory, "runner", first)
        memory.ledger.replay()
        assert memory.as_actor("runner").remember(SAID, **together(ELSEWHERE, evidence=["log:9"])).echoes == (first,)
    with open_vault(vault) as memory:
        verdict = memory.as_actor("runner").remember(SAID, namespace="/third", evidence=["log:9"])
        assert first in verdict.echoes


def test_an_echo_survives_replay(team: Memory, first: str) -> None:
    again = kept(tell(team, "runner", first).remember(SAID, **ELSEWHERE))
    before = standing(team, again)
    assert team.ledger.replay().identical
    assert standing(team, again) == before
    assert team.ledger.verify().ok
