"""Disagreements as they are listed: all, of one record, in one state, a part at a time, and one by its id."""

from __future__ import annotations

import pytest
from tests.trust.world import SetClock, kept, sentence

from muniment import Memory
from muniment.model.errors import Malformed, NotFound
from muniment.model.times import DAY, parse
from muniment.model.vocabulary import ConflictStatus

REGIONS = ("eu", "us", "ap", "sa")


def disputed(memory: Memory, subject: str, **words: str) -> list[str]:
    """Records that disagree on one slot, each with all before it."""
    number = len(list(memory.insight.browse()))
    return [
        kept(
            memory.remember(
                sentence(number + place), subject=subject, key="region", value=region, sensitivity=words.get(region)
            )
        )
        for place, region in enumerate(REGIONS[:3])
    ]


def sides(memory: Memory, **wanted: str) -> list[set[str]]:
    found = memory.review.conflicts(record_id=wanted.get("record_id"), status=wanted.get("status"))
    return [{view.a.record.id, view.b.record.id} for view in found]


def test_the_disagreements_of_one_record_are_those_it_is_a_side_of(team: Memory) -> None:
    one, two, three = disputed(team, "db")
    disputed(team, "cache")

    assert sides(team, record_id=one) == [{one, two}, {one, three}]
    both = sides(team, record_id=three)
    assert both in ([{one, three}, {two, three}], [{two, three}, {one, three}]), "opened at once, in no order"
    assert len(team.review.conflicts()) == 6


def test_a_record_answers_for_the_disagreements_of_its_earlier_revisions(team: Memory) -> None:
    one, two, _ = disputed(team, "db")
    before = {view.id for view in team.review.conflicts(record_id=one)}
    revised = team.revise(one, sentence(7), subject="db", key="region", value="sa")
    assert revised.revision == 2

    found = team.review.conflicts(record_id=one)

    assert before < {view.id for view in found}
    assert {view.a.record.revision for view in found if view.a.record.id == one} >= {1}
    assert [(view.opened, view.id) for view in found] == sorted((view.opened, view.id) for view in found)
    assert team.review.conflicts(record_id=two)


def test_a_record_that_is_hidden_has_as_many_disagreements_as_none(team: Memory) -> None:
    hidden = disputed(team, "db", us="secret")[1]
    assert len(sides(team, record_id=hidden)) == 2
    stranger = team.as_actor("senior")
    assert stranger.review.conflicts(record_id=hidden) == stranger.review.conflicts(record_id="rec_absent") == ()
    assert len(stranger.review.conflicts()) == 1


def test_disagreements_are_told_by_state_and_a_part_at_a_time(team: Memory) -> None:
    disputed(team, "db")
    disputed(team, "cache")
    whole = team.review.conflicts()
    team.review.resolve(whole[0].id, strategy="last_write_wins", rationale="newer")
    over = [view.id for view in team.review.conflicts(status="resolved")]

    told, after = [], None
    while page := team.review.conflicts(after=after, limit=4):
        told += [view.id for view in page]
        after = f"{page[-1].opened}@{page[-1].id}"

    assert told == [view.id for view in whole]
    assert whole[0].id in over
    assert {view.status for view in team.review.conflicts(status="detected")} == {ConflictStatus.DETECTED}
    assert len(over) + len(team.review.conflicts(status="detected")) == 6


def test_a_part_is_full_though_some_are_hidden(team: Memory) -> None:
    disputed(team, "db", eu="secret")
    disputed(team, "cache")
    seen = team.as_actor("senior")
    whole = seen.review.conflicts()
    assert len(whole) == 4
    assert seen.review.conflicts(limit=2) == whole[:2]
    assert seen.review.conflicts(limit=2, after=f"{whole[1].opened}@{whole[1].id}") == whole[2:]


@pytest.mark.parametrize("after", ["cfl_1", "@cfl_1", "x@cfl_1", "-1@cfl_1", "1@", "9" * 20 + "@cfl_1", "²@cfl_1"])
def test_a_place_that_is_none_is_refused(team: Memory, after: str) -> None:
    with pytest.raises(Malformed) as refused:
        team.review.conflicts(after=after)
    assert refused.value.field == "after"


@pytest.mark.parametrize("limit", [0, -1, 100_001])
def test_no_part_is_empty_or_endless(team: Memory, limit: int) -> None:
    with pytest.raises(Malformed) as refused:
        team.review.conflicts(limit=limit)
    assert refused.value.field == "limit"


def test_a_state_that_is_none_is_refused(team: Memory) -> None:
    with pytest.raises(Malformed) as refused:
        team.review.conflicts(status="settled")
    assert refused.value.field == "status"


def test_one_disagreement_is_told_by_its_id(team: Memory) -> None:
    disputed(team, "db")
    for view in team.review.conflicts():
        assert team.review.conflict(view.id) == view
    team.review.resolve(view.id, strategy="last_write_wins", rationale="newer")
    assert (team.review.conflict(view.id).status, team.review.conflict(view.id).rationale) == (
        ConflictStatus.RESOLVED,
        "newer",
    )


def test_a_disagreement_with_a_hidden_side_is_none(team: Memory) -> None:
    one, two, _ = disputed(team, "db", eu="secret")
    half = next(view.id for view in team.review.conflicts() if {view.a.record.id, view.b.record.id} == {one, two})
    words = []
    for name in (half, "cfl_absent"):
        with pytest.raises(NotFound) as refused:
            team.as_actor("senior").review.conflict(name)
        words.append(str(refused.value))
    assert words[0] == words[1]


def test_a_disagreement_says_since_when_it_stands_and_when_it_was_settled(team: Memory, clock: SetClock) -> None:
    start = parse("2026-01-01", field="start")
    disputed(team, "db")
    clock.forward(DAY)
    disputed(team, "cache")
    whole = [view.id for view in team.review.conflicts()]
    clock.forward(DAY)
    team.review.resolve(whole[0], strategy="human_escalation", rationale="not mine to say")
    clock.forward(DAY)
    team.review.resolve(whole[3], strategy="last_write_wins", rationale="newer")
    told = {view.id: (view.at, view.settled_at) for view in team.review.conflicts()}
    assert told[whole[0]] == told[whole[1]] == (start, None)
    assert told[whole[3]] == (start + DAY, start + 3 * DAY)


def test_a_disagreement_that_ended_with_a_side_says_when(team: Memory, clock: SetClock) -> None:
    first = disputed(team, "db")[0]
    clock.forward(DAY)
    team.review.retract(first, reason="wrong")
    over = team.review.conflicts(status="resolved")
    assert [(view.strategy, view.settled_at) for view in over] == [(None, parse("2026-01-02", field="day"))] * 2


def test_a_synthesis_is_named_only_to_those_who_may_see_it(team: Memory) -> None:
    disputed(team, "db")
    conflict = team.review.conflicts()[0].id
    settled = team.review.resolve(
        conflict, strategy="synthesis", rationale="both", synthesis="There are two regions", sensitivity="secret"
    )
    assert settled.synthesis is not None
    assert team.review.conflict(conflict).winner == settled.synthesis

    told = team.as_actor("senior").review.conflict(conflict)

    assert (told.status, told.winner) == (ConflictStatus.RESOLVED, None)
    assert settled.synthesis not in repr(told)
