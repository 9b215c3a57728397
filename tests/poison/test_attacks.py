"""The attacks, played out: the gates let none of them count for more than where it comes from, looked at or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from tests.poison.attacks import EVASIONS, WORDINGS, Attack, attacks
from tests.poison.channels import CHANNELS, ORIGINS, Played, blind, by_an_agent, play, watchful, weighed
from tests.poison.conftest import Tell
from tests.scope import some
from tests.support.world import simulated_memory

from muniment.model.vocabulary import Label, Outcome
from muniment.write.poison import inspect

PAIRS = [(origin, channel) for origin in ORIGINS for channel in CHANNELS]
ALL = attacks()


def part(number: int) -> list[Attack]:
    """The attacks that one pair of origin and channel is tried with: a ninth of them, and all wordings among them."""
    return ALL[number :: len(PAIRS)]


def test_there_are_hundreds_of_attacks_and_no_two_are_alike() -> None:
    assert len(ALL) == 648
    assert len({attack.text for attack in ALL}) == 648
    assert attacks() == ALL
    assert attacks(8) != ALL


@pytest.mark.parametrize(("number", "origin", "channel"), [(n, *pair) for n, pair in enumerate(PAIRS)])
def test_with_nobody_looking_at_words_the_gates_alone_keep_poison_from_being_trusted(
    number: int, origin: str, channel: str, tell: Tell
) -> None:
    played = [play(attack, origin, channel, blind()) for attack in some(part(number), 20, salt=origin + channel)]
    assert [one.trusted for one in played if one.trusted] == []
    assert [one.steering for one in played if one.steering] == []
    came_in = sum(len(one.committed) for one in played)
    assert came_in > len(played), "the attack must get as far as the gates for this to say anything"
    tell(
        "poison, gates alone",
        f"{origin:<9} {channel:<11} {len(played):>3} attacks, {came_in:>3} records kept, 0 trusted, 0 told to steer",
    )


@pytest.mark.parametrize(("number", "origin", "channel"), [(n, *pair) for n, pair in enumerate(PAIRS)])
def test_under_the_policy_that_ships_hardly_any_poison_comes_in_and_none_is_trusted(
    number: int, origin: str, channel: str, tell: Tell
) -> None:
    played = [play(attack, origin, channel, watchful()) for attack in part(number)]
    assert [one.trusted for one in played if one.trusted] == []
    assert [one.steering for one in played if one.steering] == []
    came_in = sum(bool(one.committed) for one in played)
    assert came_in <= 2
    tell(
        "poison, as shipped",
        f"{origin:<9} {channel:<11} {len(played):>3} attacks, {came_in:>3} came in, 0 trusted, 0 told to steer",
    )


@pytest.mark.parametrize("family", WORDINGS)
def test_what_an_agent_says_itself_is_mostly_held_for_a_person(family: str, tell: Tell) -> None:
    """No channel launders this: an agent's own word counts as an agent's. Here the signals are all there is, except
    for orders to the reader, which agents write to each other for good reasons: those are noted and kept."""
    tried = [attack for attack in ALL if attack.family == family]
    played = list(_direct(tried))
    came_in = sum(bool(one.committed) for one in played)
    steered = sum(bool(one.steering) for one in played)
    noticed = sum(bool(inspect(attack.text)) for attack in tried)
    assert noticed / len(tried) >= 0.98
    if family == "instruction":
        assert came_in < len(tried) * 0.5
    else:
        assert came_in <= len(tried) * 0.02
    tell(
        "poison, an agent's own word",
        f"{family:<12} {len(tried):>3} attacks, {noticed:>3} noticed, {came_in:>3} came in, {steered:>3} told to steer",
    )


def _direct(tried: list[Attack]) -> Iterator[Played]:
    for attack in tried:
        memory = simulated_memory(policy=watchful())
        yield weighed(memory, [by_an_agent(memory, attack)], attack, Label.AGENT)


@pytest.mark.parametrize(("how", "text"), EVASIONS, ids=[how for how, _ in EVASIONS])
def test_what_evades_the_signals_is_bound_by_its_origin_all_the_same(how: str, text: str, tell: Tell) -> None:
    """Should one of these be noticed one day, it moves to the attacks."""
    assert inspect(text) == ()
    attack = Attack(family="evasion", wording=0, disguise=how, word=text.split()[1], text=text)
    for channel in CHANNELS:
        played = play(attack, "external", channel, watchful())
        assert (played.trusted, played.steering) == ((), ())
        assert played.committed
    tell("poison, not noticed", how)


def test_the_disguises_that_get_past_are_few_and_known() -> None:
    missed = Counter((one.family, one.disguise) for one in ALL if not inspect(one.text))
    assert missed == {("injection", "digits"): 2, ("injection", "turned"): 2}


def test_an_attack_that_is_held_is_not_memory_and_waits_for_a_person() -> None:
    memory = simulated_memory(policy=watchful())
    attack = ALL[0]
    verdict = by_an_agent(memory, attack)
    assert (verdict.outcome, verdict.record_id) == (Outcome.HELD, None)
    assert memory.recall(attack.word).records == ()
    assert [one.proposal.id for one in memory.review.queue()] == [verdict.proposal_id]
