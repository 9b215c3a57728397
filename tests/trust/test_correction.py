"""Corrections hold: what was corrected and is then said again in its old words does not come back.

Two hundred trials from a seed, all in one store, so that each is tried among two hundred facts of the same shape.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.trust.world import contents, kept, open_vault, standing, together, word

from muniment import Memory
from muniment.model.claim import Claim
from muniment.model.claim_options import ClaimOptions
from muniment.model.curation import Verdict
from muniment.model.status import Status
from muniment.model.value import Value
from muniment.model.vocabulary import Outcome

TRIALS = 200
CORRECTIONS = ("revise", "supersedes", "relation")
REWORDINGS = {
    "same words": "{}",
    "full stop": "{}.",
    "capitals": "{upper}",
    "note that": "Note that {}.",
    "please note": "Please note: {}",
    "at the moment": "{} at the moment",
    "still": "It is still the case that {}",
    "reminder": "Reminder: {}!",
    "by the way": "By the way, {}",
    "actually": "Actually {}",
}
SHAPES: tuple[tuple[str, str], ...] = (
    ("The {thing} of {subject} is {value}", "name"),
    ("{subject} keeps its {thing} in {value}", "name"),
    ("The {thing} limit of {subject} is {value} requests per minute", "number"),
    ("The {thing} of {subject} takes {value} minutes", "number"),
    ("{subject} runs version {value} of the {thing}", "number"),
    ("The {thing} for {subject} is owned by {value}", "name"),
)
FREELY = "Correction: for {subject} the {thing} was changed and is {value} from here on"
THINGS = ("backup", "mirror", "gateway", "archive", "importer", "scheduler", "ledger", "portal")
OWNERS = ("owner", "worker", "runner", "gauge")


class Trial(Value):
    """One fact, its correction and its restatement: who says what, and in which form."""

    number: int
    subject: str
    thing: str
    old: str
    new: str
    old_value: str
    new_value: str
    correction: str
    slot: bool
    slot_again: bool
    elsewhere: bool
    rewording: str
    author: str
    corrector: str
    restater: str

    @property
    def form(self) -> str:
        slot = "slot" if self.slot else "no slot"
        who = "same" if self.restater == self.author else "other"
        where = "another namespace" if self.elsewhere else "the same place"
        return f"{self.correction}, {slot}, {self.rewording}, {who} actor, {where}"


def trials(seed: int = 20260101) -> list[Trial]:
    chance = random.Random(seed)
    found = []
    for number in range(TRIALS):
        subject, thing = word(1_000 + number).capitalize(), chance.choice(THINGS)
        shape, kind = chance.choice(SHAPES)
        pair = (word(5_000 + number).capitalize(), word(9_000 + number).capitalize())
        values = pair if kind == "name" else (str(10_000 + 2 * number), str(50_000 + 2 * number))
        author = chance.choice(OWNERS)
        corrector = chance.choice((author, *OWNERS))
        unaware = [one for one in OWNERS if one not in (corrector, "owner")]
        found.append(
            Trial(
                number=number,
                subject=subject,
                thing=thing,
                old=shape.format(subject=subject, thing=thing, value=values[0]),
                new=(shape if chance.random() < 0.5 else FREELY).format(subject=subject, thing=thing, value=values[1]),
                old_value=values[0],
                new_value=values[1],
                correction=CORRECTIONS[number % 3],
                slot=bool(number // 3 % 2),
                slot_again=chance.random() < 0.8,
                elsewhere=chance.random() < 0.3,
                rewording=chance.choice(tuple(REWORDINGS)),
                author=author,
                corrector=corrector,
                restater=chance.choice(unaware),
            )
        )
    return found


TRIED = trials()


def slot(trial: Trial, value: str) -> ClaimOptions:
    return {"subject": trial.subject, "key": trial.thing, "value": value}


def correct(memory: Memory, trial: Trial, old: str) -> Verdict:
    writer = memory.as_actor(trial.corrector)
    said = slot(trial, trial.new_value) if trial.slot else ClaimOptions()
    if trial.correction == "revise":
        return writer.revise(old, trial.new, **said)
    if trial.correction == "supersedes":
        return writer.remember(trial.new, **together(said, supersedes=old))
    return writer.remember(trial.new, **together(said, relations=[("supersedes", old)]))


def restate(memory: Memory, trial: Trial) -> Verdict:
    said_before = trial.old if trial.rewording in ("same words", "full stop") else trial.old.replace("The ", "the ")
    text = REWORDINGS[trial.rewording].format(said_before, upper=trial.old.upper())
    said = slot(trial, trial.old_value) if trial.slot and trial.slot_again else ClaimOptions()
    where = "/notes" if trial.elsewhere else "/"
    return memory.as_actor(trial.restater).remember(text, **together(said, namespace=where))


def failing(memory: Memory) -> list[str]:
    """The trials after which the old value is told, or the new one is not, by their form."""
    found = []
    for trial in TRIED:
        told = [one.record.content for one in memory.recall(f"{trial.thing} of {trial.subject}").records]
        about = [text for text in told if trial.subject.casefold() in text.casefold()]
        old = any(trial.old_value.casefold() in text.casefold() for text in about)
        new = any(trial.new_value in text for text in about)
        if old or not new:
            found.append(f"{trial.number}: {trial.form}: told {about}")
    return found


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Memory, list[Verdict]]]:
    """Every fact said, then every one corrected, then every one said again in its old words."""
    folder = tmp_path_factory.mktemp("corrections") / "vault"
    with open_vault(folder) as memory:
        said = [slot(trial, trial.old_value) if trial.slot else ClaimOptions() for trial in TRIED]
        olds = [
            kept(memory.as_actor(trial.author).remember(trial.old, **options))
            for trial, options in zip(TRIED, said, strict=True)
        ]
        for trial, old in zip(TRIED, olds, strict=True):
            kept(correct(memory, trial, old))
        again = [restate(memory, trial) for trial in TRIED]
        yield folder, memory, again


def test_every_form_is_tried() -> None:
    assert len(TRIED) == TRIALS
    forms = {(trial.correction, trial.slot, trial.restater == trial.author) for trial in TRIED}
    assert len(forms) == 12
    assert {trial.rewording for trial in TRIED} == set(REWORDINGS)


def test_what_was_corrected_is_told_and_what_was_said_again_is_not(
    history: tuple[Path, Memory, list[Verdict]],
) -> None:
    _, memory, _ = history
    assert failing(memory) == []


def test_whoever_says_the_old_again_is_told_what_took_its_place(history: tuple[Path, Memory, list[Verdict]]) -> None:
    _, _, again = history
    wrong = [
        f"{trial.number}: {trial.form}: {verdict.rule}"
        for trial, verdict in zip(TRIED, again, strict=True)
        if verdict.rule != "restated" or verdict.record_id is not None
    ]
    assert wrong == []


def test_it_is_the_same_after_replay_and_a_restart(history: tuple[Path, Memory, list[Verdict]]) -> None:
    folder, memory, _ = history
    assert memory.ledger.replay().identical
    assert failing(memory) == []
    with open_vault(folder) as reopened:
        assert failing(reopened) == []
        assert reopened.ledger.verify().ok


# One fact at a time, in a store of its own.

BERLIN, MADRID = "The office is in Berlin", "The office is in Madrid"


@pytest.fixture
def corrected(team: Memory) -> tuple[str, str]:
    """Where the office was said to be, and the record that put it right."""
    old = kept(team.as_actor("worker").remember(BERLIN))
    return old, kept(team.as_actor("runner").remember(MADRID, supersedes=old))


def known(memory: Memory) -> set[str]:
    return contents(memory.recall("where is the office"))


@pytest.mark.parametrize("way", CORRECTIONS)
def test_who_means_to_change_it_back_can(team: Memory, corrected: tuple[str, str], way: str) -> None:
    """By naming what now speaks: a correction can be wrong too."""
    now = corrected[1]
    if way == "revise":
        verdict = team.revise(now, BERLIN)
    elif way == "supersedes":
        verdict = team.remember(BERLIN, supersedes=now)
    else:
        verdict = team.remember(BERLIN, relations=[("supersedes", now)])
    assert verdict.committed
    assert known(team) == {BERLIN}


def test_who_contradicts_the_correction_openly_is_heard_beside_it(team: Memory, corrected: tuple[str, str]) -> None:
    verdict = team.remember(BERLIN, relations=[("contradicts", corrected[1])])
    assert verdict.decision == "conflict"
    assert known(team) == {BERLIN, MADRID}


def test_who_names_a_time_after_the_correction_says_something_new(team: Memory, corrected: tuple[str, str]) -> None:
    assert team.remember(BERLIN, valid_from="2090-01-01").committed


LINKS: dict[str, Callable[[str], ClaimOptions]] = {
    "derived_from": lambda name: {"derived_from": [name]},
    "parent": lambda name: {"parent": name},
    "depends_on": lambda name: {"relations": [("depends_on", name)]},
    "supports": lambda name: {"relations": [("supports", name)]},
    "informs": lambda name: {"relations": [("informs", name)]},
    "elaborates": lambda name: {"relations": [("elaborates", name)]},
}


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("side", [0, 1], ids=["the old record", "the correction"])
def test_a_link_is_no_way_to_bring_it_back(team: Memory, corrected: tuple[str, str], link: str, side: int) -> None:
    """An agent that kept the old id and goes on from there has not said that it means to undo anything."""
    verdict = team.as_actor("worker").remember(BERLIN, **LINKS[link](corrected[side]))
    assert (verdict.record_id, verdict.rule) == (None, "restated")
    assert known(team) == {MADRID}


def test_a_revision_of_something_else_is_no_way_to_bring_it_back(team: Memory, corrected: tuple[str, str]) -> None:
    other = kept(team.as_actor("worker").remember("The canteen opens at noon"))
    verdict = team.as_actor("worker").revise(other, BERLIN)
    assert (verdict.record_id, verdict.rule) == (None, "restated")
    assert known(team) == {MADRID}


def test_a_successor_of_something_else_is_no_way_to_bring_it_back(team: Memory, corrected: tuple[str, str]) -> None:
    other = kept(team.as_actor("worker").remember("The canteen opens at noon"))
    assert team.as_actor("worker").remember(BERLIN, supersedes=other).rule == "restated"
    assert known(team) == {MADRID}


def test_many_at_once_are_no_way_to_bring_it_back(team: Memory, corrected: tuple[str, str]) -> None:
    verdicts = team.as_actor("worker").propose([Claim(content=BERLIN), Claim(content=f"{BERLIN}!")])
    assert [verdict.rule for verdict in verdicts] == ["restated"] * 2
    assert known(team) == {MADRID}


def test_what_was_declared_over_is_not_brought_back_either(team: Memory) -> None:
    old = kept(team.remember(BERLIN))
    over = "There is no office in Berlin any more"
    kept(team.remember(over, supersedes=old, kind="deprecation"))
    assert team.as_actor("worker").remember(f"{BERLIN}.").rule == "restated"
    assert known(team) == {over}


def test_what_waits_with_the_old_words_is_a_reviewers_to_judge(team: Memory) -> None:
    old = kept(team.remember(BERLIN))
    waiting = team.as_actor("worker").remember(BERLIN, kind="decision")
    assert waiting.outcome is Outcome.HELD
    team.remember(MADRID, supersedes=old)
    assert team.review.decide(waiting.proposal_id, accept=True, reason="they are moving back").committed


def test_a_line_of_corrections_is_not_undone_by_any_of_its_steps(team: Memory) -> None:
    towns = ("Berlin", "Madrid", "Lisbon", "Oslo", "Vienna")
    name = None
    for town in towns:
        name = kept(team.remember(f"The office is in {town}", supersedes=name))
    for actor in OWNERS:
        for town in towns[:-1]:
            assert team.as_actor(actor).remember(f"The office is in {town}.").rule == "restated"
    assert known(team) == {"The office is in Vienna"}


@pytest.mark.parametrize("where", [{}, {"subject": "office", "key": "town"}], ids=["words", "slot"])
def test_going_back_is_a_change_of_its_own_and_history_shows_both_turns(team: Memory, where: ClaimOptions) -> None:
    def said(value: str) -> ClaimOptions:
        return together(where, value=value) if where else {}

    agent = team.as_actor("worker")
    green = kept(agent.remember("status green", **said("green")))
    red = kept(agent.remember("status red", **together(said("red"), supersedes=green)))
    back = agent.remember("status green", **said("green"))
    assert (back.outcome, back.decision) == (Outcome.COMMITTED, "update")
    assert standing(team, kept(back)).status is Status.ACTIVE
    assert standing(team, green).successor == red
    assert standing(team, red).successor == kept(back)
    assert team.ledger.verify().ok


def test_an_agent_that_was_told_only_the_old_echoes_it_and_does_not_go_back(team: Memory) -> None:
    old = kept(team.remember(BERLIN))
    reader = team.as_actor("runner")
    reader.recall("office Berlin")
    team.remember(MADRID, supersedes=old)
    assert reader.remember(BERLIN).rule == "restated"
    reader.recall("office Madrid")
    assert reader.remember(BERLIN).rule != "restated"


def test_what_is_of_an_older_time_does_not_go_back(team: Memory) -> None:
    old = kept(team.remember(BERLIN))
    team.remember(MADRID, supersedes=old)
    assert team.remember(BERLIN, event_time="2020-01-01").rule == "restated"
