"""Cascades: when a record ends, everything that stands on it is judged again, at any depth, in the same entry."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.world import simulated_memory
from tests.trust.world import (
    SetClock,
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
from muniment.model.claim import Claim
from muniment.model.errors import Malformed, NotFound, Stale
from muniment.model.status import Status
from muniment.model.times import DAY
from muniment.model.value import Value
from muniment.model.vocabulary import Consequence, Support
from muniment.policy.rules import CascadePolicy

FLOOR = 0.2


class Family(Value):
    """A root; `only` stands on it alone and `half` on it and on another; `under_*` stand on those."""

    root: str
    other: str
    only: str
    half: str
    under_only: str
    under_half: str
    beside: str

    @property
    def below(self) -> tuple[str, ...]:
        return self.only, self.half, self.under_only, self.under_half


def family(memory: Memory) -> Family:
    root = kept(memory.remember(sentence(0), confidence=0.9, expires_at="2026-02-01"))
    other = kept(memory.remember(sentence(1), confidence=0.9))
    only = kept(memory.remember(sentence(2), confidence=0.9, derived_from=[root]))
    half = kept(memory.remember(sentence(3), confidence=0.9, derived_from=[root, other]))
    return Family(
        root=root,
        other=other,
        only=only,
        half=half,
        under_only=kept(memory.remember(sentence(4), confidence=0.9, parent=only)),
        under_half=kept(memory.remember(sentence(5), confidence=0.9, relations=[("depends_on", half)])),
        beside=kept(memory.remember(sentence(6), confidence=0.9, derived_from=[other])),
    )


def expire(memory: Memory, _: str) -> None:
    clock = memory._session.tenant.clock
    assert isinstance(clock, SetClock)
    clock.forward(60 * DAY)
    memory.review.sweep()


ENDINGS: dict[str, Callable[[Memory, str], object]] = {
    "retracted": lambda memory, name: memory.review.retract(name, reason="wrong"),
    "deprecated": lambda memory, name: memory.remember(sentence(90), supersedes=name, kind="deprecation"),
    "expired": expire,
    "superseded": lambda memory, name: memory.remember(sentence(90), supersedes=name),
    "superseded by a relation": lambda memory, name: memory.remember(
        sentence(90), relations=[("supersedes", name)]
    ),
    "revised": lambda memory, name: memory.revise(name, sentence(90)),
    "contested": lambda memory, name: memory.remember(sentence(90), relations=[("contradicts", name)]),
}  # fmt: skip
GONE = ("retracted", "deprecated", "expired")
SHAKEN = tuple(ending for ending in ENDINGS if ending not in GONE)


def supports(memory: Memory, found: Family) -> list[Support]:
    return [footing(memory, name).support for name in found.below]


# Every way to end.


@pytest.mark.parametrize("ending", GONE)
def test_what_stood_on_it_alone_falls_and_what_has_another_pillar_is_flagged(team: Memory, ending: str) -> None:
    found = family(team)
    ENDINGS[ending](team, found.root)
    assert supports(team, found) == [Support.FALLEN, Support.FLAGGED, Support.FALLEN, Support.FLAGGED]
    assert [footing(team, name).effective for name in found.below] == [FLOOR] * 4
    assert (footing(team, found.beside).support, footing(team, found.beside).effective) == (Support.STANDING, 0.9)
    assert {standing(team, name).status for name in found.below} == {Status.ACTIVE}
    for name in (found.only, found.under_only):
        assert team.get(name).gate == "FILTER"
        assert name not in told(team.recall(team.get(name).record.content))
    assert team.ledger.verify().ok


@pytest.mark.parametrize("ending", SHAKEN)
def test_what_stands_on_something_shaken_is_flagged_and_still_told(team: Memory, ending: str) -> None:
    found = family(team)
    ENDINGS[ending](team, found.root)
    assert supports(team, found) == [Support.FLAGGED] * 4
    assert footing(team, found.beside).support is Support.STANDING
    for name in found.below:
        assert team.get(name).gate == "FLAG"
        assert name in told(team.recall(team.get(name).record.content))
    assert team.ledger.verify().ok


@pytest.mark.parametrize("ending", ENDINGS)
def test_everything_below_is_judged_again_in_one_entry(team: Memory, ending: str) -> None:
    found = family(team)
    head = team.ledger.head().seq
    ENDINGS[ending](team, found.root)
    touched = [entry for entry in entries_since(team, head) if entry.changes and entry.kind != "swept"]
    swept = [
        entry
        for entry in entries_since(team, head)
        if entry.kind == "swept" and any(change.status is Status.EXPIRED for change in entry.changes)
    ]
    (entry,) = touched + swept
    assert len(entry.changes) == 5  # the root's revision and the four below it
    assert [change.footing.support for change in entry.changes].count(Support.STANDING) == 1


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_long_line_is_judged_again_to_its_end(team: Memory, ending: str) -> None:
    root = kept(team.remember(sentence(0), confidence=0.9, expires_at="2026-02-01"))
    names = [root]
    for number in range(1, 41):
        names.append(kept(team.remember(sentence(number), confidence=0.9, derived_from=names[-1:])))
    ENDINGS[ending](team, root)
    expected = Support.FALLEN if ending in GONE else Support.FLAGGED
    assert {footing(team, name).support for name in names[1:]} == {expected}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_cascade_gives_the_same_after_replay_and_a_restart(vault: Path, ending: str) -> None:
    with open_vault(vault, clock=SetClock()) as memory:
        found = family(memory)
        ENDINGS[ending](memory, found.root)
        before = [standing(memory, name) for name in found.below]
        assert memory.ledger.replay().identical
        assert [standing(memory, name) for name in found.below] == before
    with open_vault(vault) as memory:
        assert [standing(memory, name) for name in found.below] == before


@pytest.mark.parametrize("ending", GONE)
def test_what_was_revised_before_it_ended_takes_along_what_stood_on_it_before(team: Memory, ending: str) -> None:
    found = family(team)
    team.revise(found.root, sentence(80))
    assert supports(team, found) == [Support.FLAGGED] * 4
    ENDINGS[ending](team, found.root)
    assert supports(team, found) == [Support.FALLEN, Support.FLAGGED, Support.FALLEN, Support.FLAGGED]


def test_what_is_derived_from_something_that_is_gone_is_born_fallen(team: Memory) -> None:
    root = kept(team.remember(sentence(0), confidence=0.9))
    team.review.retract(root, reason="wrong")
    child = kept(team.remember(sentence(1), confidence=0.9, derived_from=[root]))
    assert (footing(team, child).support, footing(team, child).effective) == (Support.FALLEN, FLOOR)


def test_what_was_flagged_because_of_a_dispute_is_restored_when_the_dispute_ends(team: Memory) -> None:
    found = family(team)
    before = [standing(team, name).footing for name in found.below]
    rival = kept(team.remember(sentence(90), relations=[("contradicts", found.root)]))
    assert supports(team, found) == [Support.FLAGGED] * 4
    head = team.ledger.head().seq
    team.review.retract(rival, reason="wrong after all")
    assert [standing(team, name).footing for name in found.below] == before
    assert len(entries_since(team, head)) == 1


def test_what_fell_stands_again_once_it_stands_on_something_else(team: Memory) -> None:
    found = family(team)
    team.review.retract(found.root, reason="wrong")
    team.revise(found.only, sentence(80), derived_from=[found.other])
    assert (footing(team, found.only).support, footing(team, found.only).effective) == (Support.STANDING, 0.9)
    assert footing(team, found.under_only).support is Support.FLAGGED  # it was written on the revision before
    assert footing(team, found.under_only).effective == 0.9


def test_a_second_end_takes_what_had_another_pillar(team: Memory) -> None:
    found = family(team)
    team.review.retract(found.root, reason="wrong")
    team.review.retract(found.other, reason="wrong too")
    assert supports(team, found) == [Support.FALLEN] * 4


def test_what_only_relates_to_it_is_left_alone(team: Memory) -> None:
    root = kept(team.remember(sentence(0), confidence=0.9))
    names = [
        kept(team.remember(sentence(at + 1), confidence=0.9, relations=[(type_, root)]))
        for at, type_ in enumerate(("supports", "informs", "elaborates", "answers", "caused_by", "blocks"))
    ]
    team.review.retract(root, reason="wrong")
    assert {(footing(team, name).support, footing(team, name).effective) for name in names} == {(Support.STANDING, 0.9)}


def test_fifteen_hundred_newer_records_do_not_hide_a_descendant(team: Memory) -> None:
    found = family(team)
    team.propose([Claim(content=f"{sentence(1_000 + at)} in row {at}") for at in range(1_500)])
    assert {node.id for node in team.insight.lineage(found.root, direction="down").nodes} == {found.root, *found.below}
    team.review.retract(found.root, reason="wrong")
    assert supports(team, found) == [Support.FALLEN, Support.FLAGGED, Support.FALLEN, Support.FLAGGED]


def test_a_thousand_descendants_are_all_reached(team: Memory) -> None:
    root = kept(team.remember(sentence(0), confidence=0.9))
    claim = team.get(root).record.claim
    line = msgspec.structs.replace(claim.lineage, derived_from=(root,))
    claims = [
        msgspec.structs.replace(claim, content=f"{sentence(at + 10)} in row {at}", lineage=line) for at in range(1_000)
    ]
    names = [kept(verdict) for verdict in team.propose(claims)]
    head = team.ledger.head().seq
    team.review.retract(root, reason="wrong")
    (entry,) = entries_since(team, head)
    assert len(entry.changes) == 1_001
    assert {footing(team, name).support for name in names} == {Support.FALLEN}


# What the policy says.


def cascading(consequence: Consequence) -> CascadePolicy:
    return CascadePolicy(**dict.fromkeys(CascadePolicy.__struct_fields__, consequence))


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_policy_may_have_what_stands_on_it_deprecated(vault: Path, ending: str) -> None:
    policy = msgspec.structs.replace(team_policy(), cascade=cascading(Consequence.DEPRECATE))
    with open_vault(vault, policy=policy, clock=SetClock()) as memory:
        found = family(memory)
        head = memory.ledger.head().seq
        ENDINGS[ending](memory, found.root)
        assert supports(memory, found) == [
            Support.DEPRECATED,
            Support.FLAGGED,
            Support.DEPRECATED,
            Support.FLAGGED,
        ]
        assert [standing(memory, name).status for name in found.below] == [
            Status.DEPRECATED,
            Status.ACTIVE,
            Status.DEPRECATED,
            Status.ACTIVE,
        ]
        together = [entry for entry in entries_since(memory, head) if len(entry.changes) == 5]
        assert len(together) == 1
        assert told(memory.recall(sentence(2))).count(found.only) == 0
        assert memory.ledger.verify().ok


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_policy_may_have_what_stands_on_it_left(vault: Path, ending: str) -> None:
    policy = msgspec.structs.replace(team_policy(), cascade=cascading(Consequence.LEAVE))
    with open_vault(vault, policy=policy, clock=SetClock()) as memory:
        found = family(memory)
        before = [footing(memory, name) for name in (*found.below, found.beside)]
        if ending == "revised":
            memory.revise(found.root, sentence(90))  # the same confidence, so that only the support could change
        else:
            ENDINGS[ending](memory, found.root)
        assert [footing(memory, name) for name in (*found.below, found.beside)] == before


def test_each_way_to_end_has_a_rule_of_its_own(vault: Path) -> None:
    policy = msgspec.structs.replace(
        team_policy(), cascade=CascadePolicy(retracted=Consequence.DEPRECATE, superseded=Consequence.LEAVE)
    )
    with open_vault(vault, policy=policy) as memory:
        first, second = kept(memory.remember(sentence(0))), kept(memory.remember(sentence(1)))
        on_first = kept(memory.remember(sentence(2), derived_from=[first]))
        on_second = kept(memory.remember(sentence(3), derived_from=[second]))
        memory.review.retract(first, reason="wrong")
        memory.remember(sentence(4), supersedes=second)
        assert (standing(memory, on_first).status, footing(memory, on_second).support) == (
            Status.DEPRECATED,
            Support.STANDING,
        )


def test_what_is_deprecated_on_the_way_ends_its_own_disputes(vault: Path) -> None:
    policy = msgspec.structs.replace(team_policy(), cascade=CascadePolicy(retracted=Consequence.DEPRECATE))
    with open_vault(vault, policy=policy) as memory:
        root = kept(memory.remember(sentence(0)))
        child = kept(memory.remember(sentence(1), derived_from=[root]))
        rival = kept(memory.remember(sentence(2), relations=[("contradicts", child)]))
        on_rival = kept(memory.remember(sentence(3), derived_from=[rival]))
        memory.review.retract(root, reason="wrong")
        assert standing(memory, child).status is Status.DEPRECATED
        assert standing(memory, rival).status is Status.ACTIVE
        assert footing(memory, on_rival).support is Support.STANDING
        assert memory.insight.stats().open_conflicts == 0
        assert memory.ledger.verify().ok


# Foreseen.

FORESEEN = ("retracted", "deprecated", "expired", "superseded", "contested")


@pytest.mark.parametrize("ending", FORESEEN)
@pytest.mark.parametrize("consequence", Consequence)
def test_what_is_foreseen_is_what_then_happens(vault: Path, ending: str, consequence: Consequence) -> None:
    policy = msgspec.structs.replace(team_policy(), cascade=cascading(consequence))
    with open_vault(vault, policy=policy, clock=SetClock()) as memory:
        found = family(memory)
        everything = (*found.below, found.beside, found.other)
        before = {name: standing(memory, name) for name in everything}
        foreseen = memory.insight.foresee(found.root, becomes=ending)
        for fall in foreseen.falls:
            was = before[fall.id]
            assert (fall.before.status, fall.before.effective, fall.before.support) == (
                was.status,
                was.footing.effective,
                was.footing.support,
            )
        ENDINGS[ending](memory, found.root)
        after = {name: standing(memory, name) for name in everything}
        changed = {
            name: (now.status, now.footing.effective, now.footing.support)
            for name, now in after.items()
            if (now.status, now.footing) != (before[name].status, before[name].footing)
        }
        assert {
            fall.id: (fall.after.status, fall.after.effective, fall.after.support) for fall in foreseen.falls
        } == changed
        assert all(memory.get(fall.id).gate == fall.after.gate for fall in foreseen.falls)


def test_to_put_something_away_is_foreseen_to_leave_what_stands_on_it(team: Memory) -> None:
    found = family(team)
    before = [standing(team, name) for name in found.below]
    assert team.insight.foresee(found.root, becomes="archived").falls == ()
    team.review.retire(found.root, becomes="archived", reason="over")
    assert [standing(team, name) for name in found.below] == before


def test_to_put_a_contested_record_away_is_foreseen_to_take_the_doubt_from_what_stands_on_it(team: Memory) -> None:
    found = family(team)
    team.remember(sentence(90), relations=[("contradicts", found.root)])
    falls = team.insight.foresee(found.root, becomes="archived").falls
    assert {fall.id: (fall.before.support, fall.after.support) for fall in falls} == dict.fromkeys(
        found.below, (Support.FLAGGED, Support.STANDING)
    )
    team.review.retire(found.root, becomes="archived", reason="over")
    assert supports(team, found) == [Support.STANDING] * 4


def test_to_foresee_changes_nothing(team: Memory) -> None:
    found = family(team)
    before, head, stats = [standing(team, name) for name in found.below], team.ledger.head(), team.insight.stats()
    foreseen = team.insight.foresee(found.root)
    assert len(foreseen.falls) == 4
    assert [standing(team, name) for name in found.below] == before
    assert (team.ledger.head(), team.insight.stats().revisions, team.insight.stats().receipts) == (
        head,
        stats.revisions,
        stats.receipts,
    )


def test_a_plan_says_how_far_off_and_through_what(team: Memory) -> None:
    found = family(team)
    falls = {fall.id: (fall.depth, fall.under) for fall in team.insight.foresee(found.root).falls}
    assert falls == {
        found.only: (1, found.root),
        found.half: (1, found.root),
        found.under_only: (2, found.only),
        found.under_half: (2, found.half),
    }


def test_a_plan_hides_what_is_hidden_and_is_refused_for_what_is_over(team: Memory) -> None:
    found = family(team)
    hidden = kept(team.remember(sentence(70), derived_from=[found.root], sensitivity="secret"))
    worker = team.as_actor("worker")
    assert hidden in {fall.id for fall in team.insight.foresee(found.root).falls}
    assert hidden not in repr(worker.insight.foresee(found.root))
    with pytest.raises(NotFound):
        worker.insight.foresee(hidden)
    for becomes in ("active", "gone"):
        with pytest.raises(Malformed) as refused:
            team.insight.foresee(found.root, becomes=becomes)
        assert refused.value.field == "becomes"
    team.review.retract(found.root, reason="wrong")
    with pytest.raises(Stale):
        team.insight.foresee(found.root)


# What is hidden.


def test_a_plan_does_not_name_the_hidden_record_it_goes_through(team: Memory) -> None:
    root = kept(team.remember(sentence(0), confidence=0.9))
    hidden = kept(team.remember(sentence(1), confidence=0.9, derived_from=[root], sensitivity="secret"))
    child = kept(team.remember(sentence(2), confidence=0.9, derived_from=[hidden]))
    assert {fall.id for fall in team.insight.foresee(root).falls} == {hidden, child}
    assert hidden not in repr(team.as_actor("worker").insight.foresee(root))


def test_a_history_does_not_tell_why_a_hidden_record_ended(team: Memory) -> None:
    """What stands on it says that it fell. Who took the hidden one back, and why, is for those who may see it."""
    hidden = kept(team.remember(sentence(0), confidence=0.9, sensitivity="secret"))
    child = kept(team.remember(sentence(1), confidence=0.9, derived_from=[hidden]))
    team.review.retract(hidden, reason="the merger was called off")
    seen = team.as_actor("worker").history(child)
    assert "support standing to fallen" in seen.revisions[0].events[-1].what
    assert "merger" not in repr(seen)
    assert team.history(child).revisions[0].events[-1].reason == "the merger was called off"


@given(st.data())
def test_whatever_the_graph_what_is_foreseen_is_what_a_retraction_does(data: st.DataObject) -> None:
    consequence = data.draw(st.sampled_from(Consequence))
    memory = simulated_memory(policy=msgspec.structs.replace(team_policy(), cascade=cascading(consequence)))
    names: list[str] = []
    for number in range(data.draw(st.integers(2, 8))):
        above = data.draw(st.lists(st.sampled_from(names), unique=True, max_size=3)) if names else []
        score = data.draw(st.sampled_from([0.1, 0.5, 0.9]))
        names.append(kept(memory.remember(sentence(number), derived_from=above, confidence=score)))
    for _ in range(data.draw(st.integers(1, 3))):
        current = [name for name in names if standing(memory, name).status is Status.ACTIVE]
        if not current:
            break
        target = data.draw(st.sampled_from(current))
        before = {name: standing(memory, name) for name in names if name != target}
        foreseen = {fall.id: fall.after for fall in memory.insight.foresee(target).falls}
        memory.review.retract(target, reason="wrong")
        for name, was in before.items():
            now = standing(memory, name)
            if name in foreseen:
                after = foreseen[name]
                assert (now.status, now.footing.effective, now.footing.support) == (
                    after.status,
                    after.effective,
                    after.support,
                )
            else:
                assert (now.status, now.footing) == (was.status, was.footing)
    assert memory.ledger.verify().ok
