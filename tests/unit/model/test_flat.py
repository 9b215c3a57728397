"""Flat words become a claim, or are refused by the name they were given under. No store here."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from tests.cases import each

from muniment.model.actor import Actor
from muniment.model.claim import Belief, Claim, Place, Relation, Slot
from muniment.model.claim_options import OPTIONS, ClaimOptions, make_claim
from muniment.model.errors import LimitExceeded, Malformed
from muniment.model.times import Instant, show
from muniment.model.vocabulary import Kind, RelationType, Scope

ANA = Actor(id="ana", teams=("north",), sessions=("s1",))
LONER = Actor(id="loner")


def _made(**options: object) -> Claim:
    return make_claim("the build is green", LONER, options)  # type: ignore[arg-type]  # wrong options are the point


def test_what_is_not_said_has_its_quiet_default() -> None:
    assert make_claim("the build is green", LONER, {}) == Claim(
        content="the build is green", belief=Belief(unstated=True)
    )


@each(
    ("options", "place"),
    [
        ({}, Place(scope=Scope.PROJECT, scope_id="default", session_id="s1")),
        ({"scope": "session"}, Place(scope=Scope.SESSION, scope_id="s1", session_id="s1")),
        ({"scope": "agent_repo"}, Place(scope=Scope.AGENT_REPO, scope_id="ana", session_id="s1")),
        ({"scope": "agent_team"}, Place(scope=Scope.AGENT_TEAM, scope_id="north", session_id="s1")),
        ({"scope": "agent_team", "scope_id": "x"}, Place(scope=Scope.AGENT_TEAM, scope_id="x", session_id="s1")),
    ],
)
def test_a_scope_implies_whose_it_is(options: ClaimOptions, place: Place) -> None:
    assert make_claim("x", ANA, options).place == place


@pytest.mark.parametrize("scope", ["session", "agent_team"])
def test_a_scope_that_implies_nobody_asks_for_its_id(scope: str) -> None:
    with pytest.raises(Malformed) as refused:
        _made(scope=scope)
    assert refused.value.field == "scope_id"


def test_everything_said_is_in_the_claim() -> None:
    claim = _made(
        kind="fact",
        confidence=0.9,
        evidence=["ticket:1"],
        reasoning="seen in the log",
        valid_from="2026-01-01",
        expires_at=datetime(2027, 1, 1, tzinfo=UTC),
        event_time=5,
        subject="build",
        key="colour",
        value="green",
        relations=[("supports", "rec_1")],
        namespace="/ci",
    )
    assert claim.nature.kind is Kind.FACT
    assert claim.belief == Belief(score=0.9, evidence=("ticket:1",), reasoning="seen in the log")
    assert claim.times.valid_from is not None
    assert claim.times.expires_at is not None
    assert (show(claim.times.valid_from), show(claim.times.expires_at)) == (
        "2026-01-01T00:00:00Z",
        "2027-01-01T00:00:00Z",
    )
    assert claim.times.event_time == Instant(5)
    assert claim.slot == Slot(subject="build", key="colour", value="green")
    assert claim.lineage.relations == (Relation(type=RelationType.SUPPORTS, target="rec_1"),)
    assert claim.place.namespace == "/ci"


@each("name", ["colour", "Kind", "content", "__class__", "actor", "status", "trust", "label"])
@each("value", ["x", None])
def test_an_unknown_word_is_refused_by_name_even_when_it_says_nothing(name: str, value: str | None) -> None:
    with pytest.raises(Malformed) as refused:
        _made(**{name: value})
    assert refused.value.field == name


WRONG: dict[str, tuple[object, ...]] = {
    "kind": ("gossip", "", 5, True),
    "memory_type": ("vague", 5),
    "memory_class": ("medium_term", 5),
    "scope": ("world", "", 5),
    "scope_id": ("", "../x", "a/b", 5, "x" * 129),
    "namespace": ("", "a", "/a/", "/../x", 5),
    "session_id": ("", "a b", 5),
    "workflow_id": ("", "../x", 5),
    "task_id": ("", "a\x00", 5),
    "purpose": ("", "\x00", 5),
    "question": ("", "\ud800", 5),
    "source": ("", 5),
    "source_type": ("", 5),
    "external_id": ("", 5),
    "triggered_by": ("", 5),
    "confidence": (True, "0.5", float("nan"), float("inf"), -1, 2),
    "reasoning": ("", 5),
    "evidence": ("one text", 5, {"a": 1}, {"a", "b"}),
    "assumptions": ("one text", 5),
    "hedged": (1, "yes", 0),
    "event_time": ("yesterday", True, 1.5, datetime(2026, 1, 1)),
    "valid_from": ("2026-01-01T00:00:00", 10**400),
    "valid_until": ("10000-01-01", []),
    "expires_at": ("0000-01-01", {}),
    "derived_from": ("rec_1", 5),
    "supersedes": ("", "../x", 5),
    "parent": ("", "../x", 5),
    "relations": ("supports", 5, {"a": "b"}),
    "entities": ("one text", 5),
    "sensitivity": ("classified", 5),
    "owner": ("", "a/b", 5),
    "next_review_at": ("soon", True, 1.5),
    "importance": (True, "1", float("nan"), 1.5),
    "half_life_hours": (0, 0.0, -1, True, "1", float("nan"), float("inf")),
    "anchored": (1, "yes", 0),
    "lawful_basis": ("", 5),
    "access": ("ana", 5, {"a": 1}),
    "erasure": ("", 5),
    "retention_days": (0, -1, 1.5, True, "30", 36_501),
    "source_quality": ("", 5),
    "reviewer": ("", "a/b", 5),
    "barred_scopes": ("session", 5),
}


@each(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_a_wrong_word_is_refused_by_its_own_name(name: str, value: object) -> None:
    with pytest.raises((Malformed, LimitExceeded)) as refused:
        _made(**{name: value})
    assert getattr(refused.value, "field", None) == name


def test_the_table_above_knows_every_option() -> None:
    assert OPTIONS - WRONG.keys() == {"subject", "key", "value", "user"}


@each(
    ("given", "missing"),
    [({"subject": "a"}, "key"), ({"key": "a", "value": "b"}, "subject"), ({"subject": "a", "key": "b"}, "value")],
)
def test_a_slot_is_given_whole_or_not_at_all(given: ClaimOptions, missing: str) -> None:
    with pytest.raises(Malformed) as refused:
        make_claim("x", LONER, given)
    assert refused.value.field == missing


@each("name", ["subject", "key", "value"])
@each("bad", ["", " ", "\x00", 5, True])
def test_a_wrong_part_of_a_slot_is_refused_by_its_name(name: str, bad: object) -> None:
    with pytest.raises(Malformed) as refused:
        _made(**{"subject": "a", "key": "b", "value": "c", name: bad})
    assert refused.value.field == name


@each(
    "pair",
    ["supports", (), ("supports",), ("supports", "rec_1", "x"), ("gossip", "rec_1"), (5, "rec_1"), ("supports", None),
     ("supports", 5), ("supports", "../x"), ("supports", ""), None, 5],
)  # fmt: skip
def test_a_relation_that_is_no_pair_of_type_and_id_is_refused(pair: object) -> None:
    with pytest.raises(Malformed) as refused:
        _made(relations=[("supports", "rec_0"), pair])
    assert refused.value.field in {"relations[1]", "relation.target"}


@each("content", [None, 5, b"x", "", "\n", "\x00", "\ud800", ["x"]])
def test_content_that_is_no_text_is_refused(content: object) -> None:
    with pytest.raises(Malformed) as refused:
        make_claim(content, LONER, {})  # type: ignore[arg-type]  # the wrong type is the point
    assert refused.value.field == "content"
