"""The directory: who knows what, counted from nothing but what the caller may see."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.trust.world import SetClock, kept, open_vault, sentence, team_policy, word

from muniment import Memory
from muniment.engine.directory import KnownActor
from muniment.model.errors import Malformed
from muniment.model.times import DAY
from muniment.model.vocabulary import Outcome
from muniment.policy.rules import PolicyMember


@pytest.fixture
def crew(vault: Path, clock: SetClock) -> Iterator[Memory]:
    """A vault whose agents belong to teams and projects."""
    policy = team_policy(
        builder=PolicyMember(roles=("agent", "build"), teams=("platform", "oncall"), projects=("default",)),
        tester=PolicyMember(roles=("agent",), teams=("platform",), projects=("default",)),
        outsider=PolicyMember(roles=("agent",), projects=("apollo",)),
    )
    with open_vault(vault, policy=policy, clock=clock) as memory:
        yield memory


def knower(memory: Memory, actor: str, about: str | None = None) -> KnownActor | None:
    return next((one for one in memory.insight.directory(about).knowers if one.actor == actor), None)


def test_an_actor_is_counted_by_kind_topic_and_scope(crew: Memory) -> None:
    builder = crew.as_actor("builder")
    builder.remember(sentence(0), namespace="/ci", kind="risk", confidence=0.6)
    builder.remember(sentence(1), namespace="/ci", confidence=0.8)
    builder.remember(sentence(2), namespace="/ci/cache", confidence=0.7)
    builder.remember(sentence(3), scope="agent_repo", confidence=0.9)
    found = knower(crew, "builder")
    assert found is not None
    assert (found.records, found.teams, found.roles) == (4, ("platform", "oncall"), ("agent", "build"))
    assert found.kinds == {"observation": 3, "risk": 1}
    assert found.topics == {"/": 1, "/ci": 2, "/ci/cache": 1}
    assert found.scopes == {"agent_repo builder": 1, "project default": 3}
    assert found.confidence == pytest.approx(0.75)


def test_freshness_is_the_last_write_and_no_read(crew: Memory, clock: SetClock) -> None:
    crew.as_actor("builder").remember(sentence(0))
    first = clock.now()
    clock.forward(DAY)
    crew.recall(sentence(0))
    crew.as_actor("tester").remember(sentence(1))
    second = clock.now()
    clock.forward(DAY)
    found = {one.actor: one.last for one in crew.insight.directory().knowers}
    assert found == {"builder": first, "tester": second}
    crew.as_actor("builder").remember(sentence(2))
    assert knower(crew, "builder") is not None
    assert {one.actor: one.last for one in crew.insight.directory().knowers}["builder"] == clock.now()


def test_teams_sum_up_their_members(crew: Memory) -> None:
    for number in range(3):
        crew.as_actor("builder").remember(sentence(number))
    for number in range(3, 5):
        crew.as_actor("tester").remember(sentence(number))
    crew.remember(sentence(9))
    assert crew.insight.directory().teams == {"oncall": 3, "platform": 5}


def test_who_knows_most_comes_first_then_who_wrote_last(crew: Memory, clock: SetClock) -> None:
    for number, actor in enumerate(("tester", "builder", "tester", "worker")):
        clock.forward(DAY)
        crew.as_actor(actor).remember(sentence(number))
    assert [one.actor for one in crew.insight.directory().knowers] == ["tester", "worker", "builder"]
    assert [one.actor for one in crew.insight.directory(limit=1).knowers] == ["tester"]


def test_words_narrow_it_to_those_who_know_about_them(crew: Memory) -> None:
    crew.as_actor("builder").remember("The cache key holds the compiler version", namespace="/ci")
    crew.as_actor("builder").remember(sentence(0))
    crew.as_actor("tester").remember("Flaky tests hide in the browser suite")
    narrowed = crew.insight.directory("compiler cache")
    assert narrowed.about == "compiler cache"
    assert [(one.actor, one.records, one.topics) for one in narrowed.knowers] == [("builder", 1, {"/ci": 1})]
    assert crew.insight.directory("nobody wrote of this").knowers == ()


def test_how_records_turned_out_is_told_with_them(crew: Memory) -> None:
    name = kept(crew.as_actor("builder").remember(sentence(0), confidence=0.5))
    crew.review.outcome(name, "helpful")
    crew.as_actor("tester").review.outcome(name, "misleading", weight=0.5)
    found = knower(crew, "builder")
    assert found is not None
    assert (found.helpful, found.misleading) == (1.0, 0.5)


def test_what_was_refused_held_or_taken_back_is_not_counted(crew: Memory) -> None:
    builder = crew.as_actor("builder")
    name = kept(builder.remember(sentence(0)))
    assert builder.remember(sentence(0)).outcome is Outcome.REFUSED
    held = builder.remember(sentence(1), kind="decision")
    assert held.outcome is Outcome.HELD
    gone = kept(builder.remember(sentence(2)))
    crew.review.retract(gone, reason="wrong")
    old = kept(builder.remember(sentence(3)))
    crew.as_actor("tester").remember(sentence(4), supersedes=old)
    found = knower(crew, "builder")
    assert found is not None
    assert found.records == 1
    crew.review.decide(held.proposal_id, accept=False, reason="no")
    assert knower(crew, "builder") == found
    builder.revise(name, sentence(5))
    after = knower(crew, "builder")
    assert after is not None
    assert after.records == 1


def test_what_was_replaced_is_no_knowledge_of_its_old_words(crew: Memory) -> None:
    old = kept(crew.as_actor("builder").remember("The cache key holds the compiler version"))
    crew.as_actor("tester").remember("Nothing is cached any more", supersedes=old)
    gone = kept(crew.as_actor("builder").remember("The linker is cached for a week"))
    crew.review.retract(gone, reason="wrong")
    assert [one.actor for one in crew.insight.directory("compiler").knowers] == []
    assert [one.actor for one in crew.insight.directory("linker").knowers] == []
    assert [one.actor for one in crew.insight.directory("cached").knowers] == ["tester"]


def test_another_tenant_is_never_counted(vault: Path) -> None:
    with open_vault(vault, tenant="acme") as acme, open_vault(vault, tenant="other") as other:
        acme.as_actor("builder").remember(sentence(0))
        for number in range(5):
            other.as_actor("builder").remember(sentence(number))
        assert [(one.actor, one.records) for one in acme.insight.directory().knowers] == [("builder", 1)]
        assert acme.insight.directory(word(9)).knowers == ()


def test_only_what_the_caller_may_see_is_counted(crew: Memory) -> None:
    """Another project, a secret, somebody's own repository: not in the counts, the teams, the topics or the dates."""
    crew.as_actor("builder").remember(sentence(0))
    crew.remember(sentence(1), sensitivity="secret", namespace="/hidden")
    crew.remember(sentence(2), scope_id="apollo", namespace="/apollo")
    crew.as_actor("builder").remember(sentence(3), scope="agent_repo", namespace="/own")
    seen = crew.as_actor("tester").insight.directory()
    assert [(one.actor, one.records, one.topics) for one in seen.knowers] == [("builder", 1, {"/": 1})]
    assert seen.teams == {"platform": 1}
    for text in ("hidden", "apollo", "/own", "oncall"):
        assert text not in repr(seen)
    assert crew.as_actor("tester").insight.directory(word(3)).knowers == ()
    outside = crew.as_actor("outsider").insight.directory()
    assert [(one.actor, one.records, one.topics) for one in outside.knowers] == [("owner", 1, {"/apollo": 1})]
    assert sum(one.records for one in crew.insight.directory().knowers) == 4


def test_what_is_not_told_for_lack_of_belief_is_no_knowledge_of_these_words(crew: Memory) -> None:
    name = kept(crew.as_actor("builder").remember(sentence(0), confidence=0.5))
    for _ in range(10):
        crew.review.outcome(name, "misleading")
    assert crew.insight.directory(sentence(0)).knowers == ()


def test_an_empty_memory_has_an_empty_directory(crew: Memory) -> None:
    assert (
        crew.insight.directory().knowers,
        crew.insight.directory().teams,
        crew.insight.directory("anything").knowers,
    ) == ((), {}, ())


@pytest.mark.parametrize(
    ("about", "limit", "field"), [("", 50, "about"), (" ", 50, "about"), (None, 0, "limit"), (None, True, "limit")]
)
def test_a_wrong_question_is_refused(crew: Memory, about: str | None, limit: int, field: str) -> None:
    with pytest.raises(Malformed) as refused:
        crew.insight.directory(about, limit=limit)
    assert refused.value.field == field
