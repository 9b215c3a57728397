"""Scopes that ask for more: memory about people under a charter, and records that are to count more widely."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.cases import each
from tests.trust.world import (
    SetClock,
    contents,
    footing,
    kept,
    open_vault,
    sentence,
    standing,
    team_policy,
    together,
    told,
)

from muniment import Memory
from muniment.model.claim_options import ClaimOptions
from muniment.model.errors import Malformed, NotFound, NotPermitted, Stale
from muniment.model.status import Status
from muniment.model.times import DAY
from muniment.model.vocabulary import Outcome
from muniment.policy.rules import Action, PolicyMember, ReviewRule

EXTENSIONS = ("x_user_identity", "x_organization", "x_cross_organization")
CHARTER: ClaimOptions = {
    "owner": "steward-of-people",
    "lawful_basis": "consent given in writing",
    "access": ["reader"],
    "erasure": "on request, within a day",
    "retention_days": 30,
    "source_quality": "told by the person",
    "reviewer": "examiner",
    "barred_scopes": ["project", "agent_team"],
}
NEEDED = ("owner", "lawful_basis", "access", "erasure", "retention_days", "source_quality", "reviewer", "barred")
ABOUT = "Prefers to be called in the morning"


@pytest.fixture
def house(vault: Path, clock: SetClock) -> Iterator[Memory]:
    """A vault where the named readers have grants wide enough that only the charter can stop them."""
    names = ("reader", "examiner", "steward-of-people", "stranger")
    readers = {name: PolicyMember(roles=("auditor",), projects=("default",)) for name in names}
    policy = team_policy(
        members=readers,
        teammate=PolicyMember(roles=("agent",), teams=("platform",), projects=("default",)),
        promoter=PolicyMember(roles=("promoter",), teams=("platform",), projects=("default",)),
        accepter=PolicyMember(roles=("accepter",), teams=("platform",), projects=("default",)),
    )
    review = (
        *policy.review,
        ReviewRule(id="promoters", roles=("promoter",), actions=(Action.ACCEPT, Action.PROMOTE)),
        ReviewRule(id="accepters", roles=("accepter",), actions=(Action.ACCEPT,)),
    )
    with open_vault(vault, policy=msgspec.structs.replace(policy, review=review), clock=clock) as memory:
        yield memory


def without(part: str) -> ClaimOptions:
    name = {"barred": "barred_scopes"}.get(part, part)
    return {key: value for key, value in CHARTER.items() if key != name}  # type: ignore[return-value]  # one less


# Memory about people.


@each("scope", EXTENSIONS)
@each("actor", ["owner", "worker", "curator"])
def test_without_a_charter_it_is_refused_and_every_missing_part_is_named(house: Memory, scope: str, actor: str) -> None:
    verdict = house.as_actor(actor).remember(ABOUT, scope=scope, scope_id="subject-1")
    assert (verdict.outcome, verdict.rule) == (Outcome.REFUSED, "charter-incomplete")
    for part in NEEDED:
        assert part in verdict.reason


@each("scope", EXTENSIONS)
@each("part", NEEDED)
def test_each_part_of_a_charter_is_needed_and_named_alone(house: Memory, scope: str, part: str) -> None:
    verdict = house.remember(ABOUT, **together(without(part), scope=scope, scope_id="subject-1"))
    assert (verdict.outcome, verdict.rule) == (Outcome.REFUSED, "charter-incomplete")
    assert [name for name in NEEDED if name in verdict.reason.partition("needs")[2]] == [part]


@pytest.mark.parametrize("scope", EXTENSIONS)
@pytest.mark.parametrize("actor", ["owner", "worker"])
def test_a_whole_charter_waits_for_a_person_whoever_proposes(house: Memory, scope: str, actor: str) -> None:
    verdict = house.as_actor(actor).remember(ABOUT, **together(CHARTER, scope=scope, scope_id="subject-1"))
    assert (verdict.outcome, verdict.rule) == (Outcome.HELD, "people-decide-on-people")
    assert house.recall("called in the morning").records == ()


def accepted(house: Memory, scope: str = "x_organization", **changes: object) -> str:
    options = {**CHARTER, **changes}
    verdict = house.as_actor("worker").remember(ABOUT, scope=scope, scope_id="subject-1", **options)  # type: ignore[arg-type]
    return kept(house.review.decide(verdict.proposal_id, accept=True, reason="the consent is on file"))


@pytest.mark.parametrize("scope", EXTENSIONS)
def test_what_was_accepted_is_read_by_owner_reviewer_and_the_access_list_only(house: Memory, scope: str) -> None:
    name = accepted(house, scope)
    for reader in ("reader", "examiner", "steward-of-people"):
        assert told(house.as_actor(reader).recall("called in the morning")) == [name]
        assert house.as_actor(reader).get(name).record.content == ABOUT
    for other in ("stranger", "worker", "owner", "curator", "subject-1"):
        view = house.as_actor(other)
        answer = view.recall("called in the morning")
        assert (answer.records, answer.considered, answer.excluded) == ((), 0, {})
        with pytest.raises(NotFound):
            view.get(name)
        with pytest.raises(NotFound):
            view.insight.lineage(name)
        assert view.insight.directory().knowers == ()


def test_an_access_list_may_name_a_role(house: Memory) -> None:
    name = accepted(house, access=["auditor"])
    assert told(house.as_actor("stranger").recall("called in the morning")) == [name]
    assert house.as_actor("worker").recall("called in the morning").records == ()


def test_an_ordinary_scope_needs_no_charter_and_is_bound_by_none(house: Memory) -> None:
    assert contents(house.recall(sentence(0))) == set()
    kept(house.remember(sentence(0), access=["reader"]))
    assert contents(house.as_actor("worker").recall(sentence(0))) == {sentence(0)}


def test_retention_sets_when_it_ends_and_a_sweep_ends_it(house: Memory, clock: SetClock) -> None:
    name = accepted(house)
    reader = house.as_actor("reader")
    expiry = reader.get(name).record.claim.times.expires_at
    assert expiry == clock.now() + 30 * DAY
    clock.forward(30 * DAY)
    assert told(reader.recall("called in the morning")) == [name]
    clock.forward(1)
    assert reader.recall("called in the morning").records == ()
    assert house.review.sweep().expired == (name,)
    assert standing(reader, name).status is Status.EXPIRED


def test_a_time_to_end_that_is_said_cannot_outlast_retention(house: Memory, clock: SetClock) -> None:
    soon = accepted(house, expires_at="2026-01-05")
    assert house.as_actor("reader").get(soon).record.claim.times.expires_at == clock.now() + 4 * DAY
    long = accepted(house, scope="x_user_identity", expires_at="2090-01-01")
    assert house.as_actor("reader").get(long).record.claim.times.expires_at == clock.now() + 30 * DAY


@pytest.mark.parametrize("link", ["derived_from", "parent", "depends_on"])
def test_what_a_charter_bars_cannot_be_derived_from_it(house: Memory, link: str) -> None:
    name = accepted(house)
    reader = house.as_actor("reader")
    said: ClaimOptions = {"derived_from": [name]}
    if link == "parent":
        said = {"parent": name}
    elif link == "depends_on":
        said = {"relations": [("depends_on", name)]}
    verdict = reader.remember("Morning calls are welcome", **said)
    assert (verdict.outcome, verdict.rule) == (Outcome.REFUSED, "barred-scope")
    assert name in verdict.reason


def test_what_a_charter_does_not_bar_may_be_derived(house: Memory) -> None:
    name = accepted(house)
    verdict = house.as_actor("reader").remember("Calls go out at nine", scope="agent_repo", derived_from=[name])
    assert verdict.committed
    assert footing(house.as_actor("reader"), kept(verdict)).label == "agent"


def test_what_is_barred_is_barred_through_what_lies_between(house: Memory) -> None:
    """A step through a scope that is open does not wash what the charter bars."""
    name = accepted(house)
    reader = house.as_actor("reader")
    between = kept(reader.remember("Calls go out at nine", scope="agent_repo", derived_from=[name]))
    verdict = reader.remember("Phones ring early here", derived_from=[between])
    assert (verdict.outcome, verdict.rule) == (Outcome.REFUSED, "barred-scope")


def test_to_repeat_it_where_its_charter_bars_it_is_refused_too(house: Memory) -> None:
    accepted(house)
    reader = house.as_actor("reader")
    reader.recall("called in the morning")
    verdict = reader.remember(f"Note that {ABOUT.lower()}.")
    assert (verdict.outcome, verdict.rule) == (Outcome.REFUSED, "barred-scope")
    assert house.as_actor("worker").recall("called in the morning").records == ()


def test_a_reviewer_does_not_move_it_to_where_its_charter_bars_it(house: Memory) -> None:
    worker = house.as_actor("worker")
    verdict = worker.remember(ABOUT, **together(CHARTER, scope="x_organization", scope_id="subject-1"))
    moved = house.review.decide(verdict.proposal_id, accept=True, reason="fine", scope="project", scope_id="default")
    assert moved.outcome is Outcome.REFUSED
    assert worker.recall("called in the morning").records == ()


# Promotion.

ROUTES = {
    "session": {"project", "agent_repo"},
    "project": {"agent_team", "agent_repo"},
    "agent_repo": {"agent_team"},
    "agent_team": set(),
}
TARGETS = {"session": "s1", "project": "default", "agent_repo": "teammate", "agent_team": "platform"}


def ready(house: Memory, scope: str = "project") -> str:
    return kept(house.remember(sentence(0), scope=scope, scope_id=TARGETS[scope], confidence=0.8))


@pytest.mark.parametrize("start", ROUTES)
@pytest.mark.parametrize("target", [*ROUTES, *EXTENSIONS])
def test_promotion_goes_one_step_at_a_time_along_its_routes(house: Memory, start: str, target: str) -> None:
    name = ready(house, start)
    place = TARGETS.get(target, "subject-1")
    verdict = house.review.promote(name, scope=target, scope_id=place, evidence=["review:1"], owner="teammate")
    if target in ROUTES[start]:
        assert (verdict.outcome, verdict.rule) == (Outcome.HELD, "promotion")
    else:
        assert verdict.outcome is Outcome.REFUSED
        assert verdict.rule in ("promotion-route", "charter-incomplete")


@pytest.mark.parametrize(
    ("evidence", "owner", "missing"),
    [
        ([], "teammate", ["evidence"]),
        (["review:1"], None, ["owner"]),
        ([], None, ["evidence", "owner"]),
    ],
)
def test_a_promotion_needs_evidence_and_an_owner(
    house: Memory, evidence: list[str], owner: str | None, missing: list[str]
) -> None:
    name = ready(house)
    verdict = house.review.promote(name, scope="agent_team", scope_id="platform", evidence=evidence, owner=owner)
    assert (verdict.outcome, verdict.rule) == (Outcome.REFUSED, "promotion-grounds")
    assert [word for word in ("evidence", "owner") if word in verdict.reason] == missing


@pytest.mark.parametrize("actor", ["owner", "curator", "teammate", "promoter"])
def test_a_promotion_is_always_held_whoever_asks(house: Memory, actor: str) -> None:
    name = ready(house)
    verdict = house.as_actor(actor).review.promote(
        name, scope="agent_team", scope_id="platform", evidence=["review:1"], owner="teammate"
    )
    assert verdict.outcome is Outcome.HELD
    assert house.get(name).record.claim.place.scope == "project"


def promoted(house: Memory, actor: str = "teammate") -> tuple[str, str]:
    """A record, and the proposal to promote it to the team."""
    name = ready(house)
    verdict = house.as_actor(actor).review.promote(
        name,
        scope="agent_team",
        scope_id="platform",
        evidence=["review:1"],
        owner="teammate",
        reason="everybody asks for it",
    )
    return name, verdict.proposal_id


def test_to_accept_a_promotion_takes_the_right_to_promote(house: Memory) -> None:
    name, waiting = promoted(house)
    head = house.ledger.head()
    with pytest.raises(NotPermitted):
        house.as_actor("accepter").review.decide(waiting, accept=True, reason="fine")
    with pytest.raises(NotFound):
        house.as_actor("teammate").review.decide(waiting, accept=True, reason="fine")
    assert house.ledger.head() == head
    new = kept(house.as_actor("promoter").review.decide(waiting, accept=True, reason="checked"))
    record = house.get(new).record
    assert (record.claim.place.scope, record.claim.place.scope_id) == ("agent_team", "platform")
    assert (record.claim.belief.evidence, record.claim.handling.owner) == (("review:1",), "teammate")
    assert record.claim.lineage.derived_from == (name,)
    assert record.reviewer == "promoter"
    assert standing(house, name).status is Status.ACTIVE


def test_an_agent_does_not_accept_its_own_promotion(house: Memory) -> None:
    _, waiting = promoted(house, "promoter")
    with pytest.raises(NotPermitted):
        house.as_actor("promoter").review.decide(waiting, accept=True, reason="mine")
    assert house.review.decide(waiting, accept=True, reason="checked").committed


def test_what_is_promoted_is_worth_no_more_than_what_it_was(house: Memory) -> None:
    name = kept(house.as_actor("worker").remember(sentence(0), confidence=0.55, source_type="web"))
    verdict = house.review.promote(
        name, scope="agent_team", scope_id="platform", evidence=["review:1"], owner="teammate"
    )
    new = kept(house.review.decide(verdict.proposal_id, accept=True, reason="fine"))
    assert (footing(house, new).label, footing(house, new).effective) == ("external", 0.55)
    house.review.retract(name, reason="wrong")
    assert footing(house, new).support == "fallen"


def test_a_promotion_that_is_refused_leaves_everything_as_it_was(house: Memory) -> None:
    name, waiting = promoted(house)
    before = standing(house, name)
    house.review.decide(waiting, accept=False, reason="not yet")
    assert standing(house, name) == before
    assert house.review.queue() == ()
    with pytest.raises(Stale):
        house.review.decide(waiting, accept=True, reason="after all")


def test_what_no_longer_speaks_is_not_promoted(house: Memory) -> None:
    name = ready(house)
    house.review.retract(name, reason="wrong")
    verdict = house.review.promote(
        name, scope="agent_team", scope_id="platform", evidence=["review:1"], owner="teammate"
    )
    assert (verdict.outcome, verdict.rule) == (Outcome.REFUSED, "not-current")


def test_what_is_hidden_is_not_promoted(house: Memory) -> None:
    hidden = kept(house.remember(sentence(0), sensitivity="secret"))
    for name in (hidden, "rec_absent"):
        with pytest.raises(NotFound):
            house.as_actor("teammate").review.promote(
                name, scope="agent_team", scope_id="platform", evidence=["review:1"], owner="teammate"
            )


def test_a_promotion_with_wrong_words_is_refused_by_its_field(house: Memory) -> None:
    name = ready(house)
    with pytest.raises(Malformed) as evidence:
        house.review.promote(name, scope="agent_team", scope_id="platform", evidence="review:1", owner="teammate")
    with pytest.raises(Malformed) as scope:
        house.review.promote(name, scope="everywhere", scope_id="platform", evidence=["review:1"], owner="teammate")
    assert (evidence.value.field, scope.value.field) == ("evidence", "scope")
