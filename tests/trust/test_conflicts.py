"""Conflicts: how disagreement is found, that both sides are told and neither asserted, and where nobody looks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from tests.trust.world import contents, kept, open_vault, sentence, standing, team_policy, together, told

from muniment import Memory
from muniment.engine.views import ConflictView
from muniment.model.claim_options import ClaimOptions
from muniment.model.curation import Verdict
from muniment.model.query import Presented
from muniment.model.status import Status
from muniment.model.vocabulary import ConflictStatus, ConflictType, Outcome
from muniment.policy.rules import DetectorEffect, Policy
from muniment.ports.judge import Opinion

EU: ClaimOptions = {"subject": "database", "key": "region", "value": "eu"}
US: ClaimOptions = {"subject": "database", "key": "region", "value": "us"}


def only(memory: Memory) -> ConflictView:
    """The one conflict there is."""
    (view,) = memory.review.conflicts()
    return view


def disputing(
    policy: Policy, *, detector: DetectorEffect = DetectorEffect.CONTEST, judge: DetectorEffect = DetectorEffect.NOTE
) -> Policy:
    return msgspec.structs.replace(
        policy, disputes=msgspec.structs.replace(policy.disputes, detector=detector, judge=judge)
    )


# How it is found.


def test_who_says_that_they_contradict_a_record_do(team: Memory) -> None:
    old = kept(team.remember(sentence(0)))
    verdict = team.remember(sentence(1), relations=[("contradicts", old)])
    view = only(team)
    assert (verdict.decision, verdict.conflict_ids) == ("conflict", (view.id,))
    assert (view.type, view.why, view.status, view.contests) == (
        ConflictType.CONTRADICTION,
        "contradicts",
        ConflictStatus.DETECTED,
        True,
    )
    assert (view.a.record.id, view.b.record.id) == (old, verdict.record_id)


def test_two_answers_to_one_question_disagree(team: Memory) -> None:
    old = kept(team.remember(sentence(0), **EU))
    new = team.remember(sentence(1), **US)
    view = only(team)
    assert (view.type, view.why) == (ConflictType.CONTRADICTION, "slot")
    assert (view.a.record.id, view.b.record.id) == (old, kept(new))


@pytest.mark.parametrize("said", [{"valid_from": "2026-02-01"}, {"event_time": "2026-02-01"}], ids=["valid", "event"])
def test_a_later_answer_to_the_same_question_is_an_update(team: Memory, said: ClaimOptions) -> None:
    team.remember(sentence(0), **EU)
    team.remember(sentence(1), **together(US, said))
    assert only(team).type is ConflictType.UPDATE


@pytest.mark.parametrize(
    ("old", "new", "why", "type_"),
    [
        ("The office is in Berlin", "The office is in Madrid", "exclusive", "contradiction"),
        ("Sessions expire after 30 minutes", "Sessions expire after 45 minutes", "number", "contradiction"),
        ("Login is enabled on staging", "Login is not enabled on staging", "negation", "contradiction"),
        ("The garden gate is unlocked", "The garden gate is locked", "antonym", "contradiction"),
        ("The renewal deadline is April 28", "The renewal deadline is May 3", "date", "contradiction"),
    ],
)
def test_words_that_cannot_both_be_so_are_a_conflict_of_their_type(
    team: Memory, old: str, new: str, why: str, type_: str
) -> None:
    first, second = kept(team.remember(old)), kept(team.remember(new))
    view = only(team)
    assert (view.type, view.why, view.contests) == (type_, why, True)
    assert [standing(team, name).status for name in (first, second)] == [Status.CONTESTED] * 2


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("The upload limit is 5 GB", "The upload limit is now 10 GB", "number"),
        ("The importer is maintained", "The importer is no longer maintained", "negation"),
        ("I live in Hamburg", "I moved to Bremen last week", "changed"),
        ("I use Neovim", "I switched from Neovim to Zed", "changed"),
    ],
)
def test_a_natural_update_is_suspected_and_contests_nothing(team: Memory, old: str, new: str, why: str) -> None:
    first, second = kept(team.remember(old)), kept(team.remember(new))
    view = only(team)
    assert (view.type, view.why, view.contests) == ("update", why, False)
    assert [standing(team, name).status for name in (first, second)] == [Status.ACTIVE] * 2


def test_what_one_says_of_oneself_is_no_update_of_what_another_said(team: Memory) -> None:
    team.as_actor("worker").remember("I use Neovim")
    team.as_actor("runner").remember("I switched from Neovim to Zed")
    assert team.review.conflicts() == ()


def test_the_same_said_twice_is_on_record_and_contests_nothing(team: Memory) -> None:
    first = kept(team.remember("Sessions expire after 30 minutes"))
    second = kept(team.remember("Please note that sessions expire after 30 minutes."))
    view = only(team)
    assert (view.type, view.contests) == (ConflictType.DUPLICATE, False)
    assert [standing(team, name).status for name in (first, second)] == [Status.ACTIVE] * 2
    assert {one.presented for one in team.recall("sessions expire").records} == {Presented.CLAIM}


def test_both_sides_are_contested_told_together_and_neither_is_asserted(team: Memory) -> None:
    first = kept(team.remember("The office is in Berlin"))
    second = kept(team.remember("The office is in Madrid"))
    for name in (first, second):
        assert standing(team, name).status is Status.CONTESTED
        assert team.get(name).conflicts == (only(team).id,)
    answer = team.recall("Berlin", limit=1)
    assert told(answer) == [first]
    assert [one.id for one in answer.records[0].disputed_by] == [second]
    assert {one.presented for one in answer.records} == {Presented.CONTESTED}
    assert answer.notices == (f"conflict {only(team).id} is open",)


def test_of_an_old_and_a_new_state_the_new_one_is_told_first(team: Memory) -> None:
    old = kept(team.remember("The upload limit is 5 GB"))
    new = kept(team.remember("The upload limit is now 10 GB for all who have asked the desk for more"))
    assert told(team.recall("upload limit 5 GB")) == [new, old]


def test_a_pair_that_disagrees_in_every_way_has_one_conflict(team: Memory) -> None:
    old = kept(team.remember("The database is in Dublin", **EU))
    verdict = team.remember("The database is in Boston", **together(US, relations=[("contradicts", old)]))
    assert len(verdict.conflict_ids) == len(team.review.conflicts()) == 1
    assert only(team).why == "contradicts"


def test_to_say_it_again_opens_no_second_conflict(team: Memory) -> None:
    team.remember("The office is in Berlin")
    team.remember("The office is in Madrid")
    assert team.remember("The office is in Madrid").rule == "redundant"
    assert len(team.review.conflicts()) == 1


def test_everything_that_is_contradicted_is_found_and_not_only_the_nearest(team: Memory) -> None:
    names = [kept(team.remember(f"{sentence(at)} in place {at}", **EU)) for at in range(3)]
    verdict = team.remember(sentence(9), **US)
    views = team.review.conflicts()
    assert len(verdict.conflict_ids) == len(views) == 3
    assert {view.a.record.id for view in views} == set(names)


# Where it is not looked for.

APART: dict[str, ClaimOptions] = {
    "another project": {"scope_id": "apollo"},
    "another scope": {"scope": "agent_repo"},
    "a session": {"scope": "session", "scope_id": "s1"},
}


@pytest.mark.parametrize("apart", APART)
def test_there_is_no_conflict_across_scopes(team: Memory, apart: str) -> None:
    first = kept(team.remember("The office is in Berlin", **EU))
    second = kept(team.remember("The office is in Madrid", **together(US, APART[apart])))
    third = kept(team.remember("Sessions expire after 30 minutes"))
    fourth = kept(team.remember("Sessions expire after 45 minutes", **APART[apart]))
    assert team.review.conflicts() == ()
    assert {standing(team, name).status for name in (first, second, third, fourth)} == {Status.ACTIVE}


def test_there_is_no_conflict_across_tenants(vault: Path) -> None:
    with open_vault(vault, tenant="acme") as acme, open_vault(vault, tenant="other") as other:
        acme.remember("The office is in Berlin", **EU)
        assert other.remember("The office is in Madrid", **US).decision == "append"
        assert (acme.review.conflicts(), other.review.conflicts()) == ((), ())


def test_there_is_no_conflict_across_time(team: Memory) -> None:
    team.remember("The office is in Berlin", **together(EU, valid_until="2025-12-31"))
    team.remember("The office is in Madrid", **together(US, valid_from="2026-01-02"))
    team.remember("Sessions expire after 30 minutes", valid_until="2025-12-31")
    team.remember("Sessions expire after 45 minutes", valid_from="2026-01-02")
    assert team.review.conflicts() == ()


@pytest.mark.parametrize("kind", ["question", "hypothesis", "assumption", "intention", "evidence"])
def test_what_asserts_nothing_contradicts_nothing_by_its_words(team: Memory, kind: str) -> None:
    team.remember("The office is in Berlin")
    team.remember("The office is in Madrid", kind=kind)
    assert team.review.conflicts() == ()


def test_what_no_longer_speaks_is_contradicted_by_nothing(team: Memory) -> None:
    old = kept(team.remember("The office is in Berlin"))
    team.review.retract(old, reason="wrong")
    team.remember("The office is in Madrid")
    assert team.review.conflicts() == ()


def test_who_takes_the_place_of_a_record_does_not_contradict_it(team: Memory) -> None:
    old = kept(team.remember("The office is in Berlin", **EU))
    team.remember("The office is in Madrid", **together(US, supersedes=old))
    kept(team.remember("Sessions expire after 30 minutes"))
    assert team.review.conflicts() == ()


@pytest.mark.parametrize(("detector", "conflicts"), [(DetectorEffect.NOTE, 1), (DetectorEffect.IGNORE, 0)])
def test_a_policy_may_have_words_only_noted_or_not_looked_at(
    vault: Path, detector: DetectorEffect, conflicts: int
) -> None:
    with open_vault(vault, policy=disputing(team_policy(), detector=detector)) as memory:
        first = kept(memory.remember("The office is in Berlin"))
        second = kept(memory.remember("The office is in Madrid"))
        assert [view.contests for view in memory.review.conflicts()] == [False] * conflicts
        assert {standing(memory, name).status for name in (first, second)} == {Status.ACTIVE}
        kept(memory.remember(sentence(0), **EU))
        memory.remember(sentence(1), **US)
        assert len(memory.review.conflicts()) == conflicts + 1  # a slot needs no detector


# A judge.


class SuspiciousJudge:
    """Finds every pair to be what it was told to find, and keeps what it was shown."""

    def __init__(self, type_: ConflictType | None) -> None:
        self.type = type_
        self.shown: list[tuple[str, str]] = []

    def compare(self, new: str, old: str) -> Opinion | None:
        self.shown.append((new, old))
        return Opinion(type=self.type, words="they do not go together") if self.type is not None else None


FIRST = "Gardeners water the roses at dawn"
SECOND = "Gardeners leave the roses to the rain"


def judged(vault: Path, rule: DetectorEffect, type_: ConflictType | None) -> tuple[Memory, SuspiciousJudge]:
    judge = SuspiciousJudge(type_)
    return open_vault(vault, policy=disputing(team_policy(), judge=rule), judge=judge), judge


def test_a_judge_only_notes_unless_the_policy_says_more(vault: Path) -> None:
    memory, judge = judged(vault, DetectorEffect.NOTE, ConflictType.CONTRADICTION)
    with memory:
        first, second = kept(memory.remember(FIRST)), kept(memory.remember(SECOND))
        view = only(memory)
        assert (view.why, view.contests, view.type) == ("judge", False, ConflictType.CONTRADICTION)
        assert judge.shown == [(SECOND, FIRST)]
        assert {standing(memory, name).status for name in (first, second)} == {Status.ACTIVE}
        assert {one.presented for one in memory.recall("roses").records} == {Presented.CLAIM}


@pytest.mark.parametrize("type_", ConflictType)
def test_a_judge_contests_when_the_policy_lets_it_and_never_for_a_repetition(vault: Path, type_: ConflictType) -> None:
    memory, _ = judged(vault, DetectorEffect.CONTEST, type_)
    with memory:
        first, second = kept(memory.remember(FIRST)), kept(memory.remember(SECOND))
        contests = type_ is not ConflictType.DUPLICATE
        assert (only(memory).contests, only(memory).type) == (contests, type_)
        expected = Status.CONTESTED if contests else Status.ACTIVE
        assert {standing(memory, name).status for name in (first, second)} == {expected}


def test_a_judge_changes_nothing_when_it_is_off_or_sees_nothing(tmp_path: Path) -> None:
    for number, (rule, type_) in enumerate(
        [
            (DetectorEffect.IGNORE, ConflictType.CONTRADICTION),
            (DetectorEffect.CONTEST, None),
            (DetectorEffect.NOTE, None),
        ]
    ):
        memory, judge = judged(tmp_path / f"vault{number}", rule, type_)
        with memory:
            memory.remember(FIRST)
            memory.remember(SECOND)
            assert memory.review.conflicts() == ()
            assert len(judge.shown) == (0 if rule is DetectorEffect.IGNORE else 1)


def test_a_judge_is_not_asked_about_what_the_proposer_may_not_see(vault: Path) -> None:
    memory, judge = judged(vault, DetectorEffect.NOTE, ConflictType.CONTRADICTION)
    with memory:
        memory.remember(FIRST, sensitivity="secret")
        judge.shown.clear()
        memory.as_actor("worker").remember(SECOND)
        assert memory.review.conflicts() == ()
        assert judge.shown == []


def test_a_judge_cannot_reach_across_projects(vault: Path) -> None:
    memory, _ = judged(vault, DetectorEffect.CONTEST, ConflictType.CONTRADICTION)
    with memory:
        memory.remember(FIRST, scope_id="apollo")
        memory.remember(SECOND)
        assert memory.review.conflicts() == ()


# How it ends by itself.

ENDINGS: dict[str, Callable[[Memory, str], Verdict]] = {
    "retracted": lambda memory, name: memory.review.retract(name, reason="wrong"),
    "revised": lambda memory, name: memory.revise(name, sentence(50)),
    "superseded": lambda memory, name: memory.remember(sentence(50), supersedes=name),
    "deprecated": lambda memory, name: memory.remember(sentence(50), supersedes=name, kind="deprecation"),
}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("side", [0, 1])
def test_a_conflict_is_over_when_a_side_is_and_the_other_is_free(team: Memory, ending: str, side: int) -> None:
    names = [kept(team.remember("The office is in Berlin")), kept(team.remember("The office is in Madrid"))]
    before = team.ledger.head().seq
    assert ENDINGS[ending](team, names[side]).committed
    assert only(team).status is ConflictStatus.RESOLVED
    assert standing(team, names[1 - side]).status is Status.ACTIVE
    assert team.ledger.head().seq == before + 1
    assert team.get(names[1 - side]).conflicts == ()
    assert team.ledger.verify().ok


def test_a_side_in_two_conflicts_is_free_after_both(team: Memory) -> None:
    middle = kept(team.remember(sentence(0), **EU))
    others = [kept(team.remember(sentence(at), relations=[("contradicts", middle)])) for at in (1, 2)]
    team.review.retract(others[0], reason="wrong")
    assert standing(team, middle).status is Status.CONTESTED
    team.review.retract(others[1], reason="wrong")
    assert standing(team, middle).status is Status.ACTIVE
    assert {view.status for view in team.review.conflicts()} == {ConflictStatus.RESOLVED}


# What is hidden.


def test_a_side_that_is_hidden_hides_the_conflict(team: Memory) -> None:
    seen = kept(team.remember(sentence(0), **EU))
    hidden = kept(team.remember(sentence(1), **together(US, sensitivity="secret")))
    conflict = only(team).id
    worker = team.as_actor("worker")
    everything = (
        f"{worker.review.conflicts()!r}{worker.get(seen)!r}{worker.recall(sentence(0))!r}{worker.history(seen)!r}"
    )
    assert worker.review.conflicts() == ()
    for secret in (hidden, conflict, sentence(1)):
        assert secret not in everything


def test_an_agent_that_contradicts_what_it_may_not_see_waits_for_a_curator(team: Memory) -> None:
    hidden = kept(team.remember(sentence(0), **together(EU, sensitivity="secret")))
    verdict = team.as_actor("worker").remember(sentence(1), **US)
    assert verdict.outcome is Outcome.HELD
    assert hidden not in repr(verdict)
    team.review.decide(verdict.proposal_id, accept=True, reason="both are of interest")
    assert (only(team).a.record.id, only(team).why) == (hidden, "slot")


def test_words_alone_betray_nothing_hidden(team: Memory) -> None:
    hidden = kept(team.remember("The office is in Berlin", sensitivity="secret"))
    verdict = team.as_actor("worker").remember("The office is in Madrid")
    assert (verdict.outcome, verdict.conflict_ids) == (Outcome.COMMITTED, ())
    assert hidden not in repr(verdict)
    assert standing(team, hidden).status is Status.ACTIVE


def test_conflicts_are_there_wherever_one_looks_and_after_a_restart(vault: Path) -> None:
    with open_vault(vault) as memory:
        first = kept(memory.remember("The office is in Berlin"))
        memory.remember("The office is in Madrid")
        views = memory.review.conflicts()
        assert memory.ledger.replay().identical
        assert memory.review.conflicts() == views
    with open_vault(vault) as memory:
        assert memory.review.conflicts() == views
        assert memory.get(first).conflicts == (views[0].id,)
        assert memory.insight.stats().open_conflicts == 1
        assert contents(memory.recall("office")) == {"The office is in Berlin", "The office is in Madrid"}
