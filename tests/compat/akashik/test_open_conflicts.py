"""Which conflicts an ATTUNE tells: those of its units, of the caller's own, and the newest others it may see."""

from __future__ import annotations

import pytest
from tests.contracts.akashik.field import Field, a_list, an_object, attune, finding

from muniment.compat.akashik import open_conflicts
from muniment.contracts.strict.values import JsonObject


def contradicted(field: Field, by: str, text: str, *, session: str | None = None) -> str:
    """A unit of the scout's that somebody contradicts; the id of the conflict."""
    old = field.ask("RECORD", "scout", finding(f"{text} is so"), session=session)["memory_unit_id"]
    link: JsonObject = {"type": "contradicts", "target_id": old}
    answer = field.ask("RECORD", by, finding(f"Against {text}", relations=[link]), session=session)
    (conflict,) = a_list(answer["conflicts_detected"])
    return str(conflict)


def told_conflicts(field: Field, agent: str, payload: JsonObject, *, session: str | None = None) -> dict[str, str]:
    answer = field.ask("ATTUNE", agent, payload, session=session)
    return {str(an_object(one)["id"]): str(an_object(one)["status"]) for one in a_list(answer["conflicts"])}


def test_a_conflict_is_told_however_little_its_units_matter_to_the_question() -> None:
    field = Field().join("scout", "analyst", "keeper")
    conflict = contradicted(field, "keeper", "The old lighthouse")
    for number in range(60):
        field.ask("RECORD", "scout", finding(f"Researcher note {number} on soundings at buoy {number * 7}"))
    assert told_conflicts(field, "analyst", attune(1)) == {conflict: "detected"}


def test_an_author_is_told_of_the_conflict_between_its_own_units() -> None:
    field = Field().join("scout", "analyst")
    assert told_conflicts(field, "scout", attune(5)) == {}
    conflict = contradicted(field, "scout", "The tide")
    assert told_conflicts(field, "scout", attune(5)) == {conflict: "detected"}


def test_a_follower_is_told_that_a_conflict_was_handed_up_though_no_unit_changed() -> None:
    field = Field().join("scout", "analyst", "senior")
    conflict = contradicted(field, "analyst", "The tide")
    since = field.ask("ATTUNE", "scout", attune(50, since_epoch=0))["epoch"]
    escalate: JsonObject = {
        "conflict_id": conflict,
        "strategy": "human_escalation",
        "resolution": {"rationale": "beyond us"},
    }
    assert field.ask("MERGE", "senior", escalate)["status"] == "escalated"
    assert told_conflicts(field, "scout", attune(50, since_epoch=since)) == {conflict: "escalated"}


def test_what_is_over_is_told_no_more_and_what_comes_up_again_is() -> None:
    field = Field().join("scout", "analyst", "senior")
    first = contradicted(field, "analyst", "The tide")
    assert told_conflicts(field, "analyst", attune(5)) == {first: "detected"}
    wish: JsonObject = {"conflict_id": first, "strategy": "last_write_wins", "resolution": {"rationale": "r"}}
    field.ask("MERGE", "senior", wish)
    second = contradicted(field, "analyst", "The current")
    assert told_conflicts(field, "analyst", attune(5)) == {second: "detected"}


def test_what_is_over_or_hidden_takes_no_place_from_what_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_conflicts, "LOOKED_AT", 2)
    monkeypatch.setattr(open_conflicts, "TOLD", 1)
    field = Field().join("chief", "scout", "senior").meet("S", "chief", "scout")
    assert told_conflicts(field, "scout", attune(5)) == {}
    first, *others = [contradicted(field, "scout", text) for text in ("The tide", "The current", "The wind")]
    for conflict in others:
        wish: JsonObject = {"conflict_id": conflict, "strategy": "last_write_wins", "resolution": {"rationale": "r"}}
        assert field.ask("MERGE", "senior", wish)["status"] == "resolved"
    contradicted(field, "scout", "The gate", session="S")
    assert told_conflicts(field, "scout", attune(5)) == {first: "detected"}


def test_a_conflict_is_told_to_those_alone_who_may_see_both_sides() -> None:
    field = Field().join("chief", "scout", "analyst", "keeper").meet("S", "chief", "scout", "analyst")
    conflict = contradicted(field, "analyst", "The tide", session="S")
    assert told_conflicts(field, "keeper", attune(5)) == {}
    assert told_conflicts(field, "scout", attune(5)) == {}
    assert told_conflicts(field, "scout", attune(5), session="S") == {conflict: "detected"}


def test_two_fields_on_one_memory_know_of_each_others_conflicts() -> None:
    field = Field().join("scout", "analyst", "senior")
    other = Field(field.memory, prefix="other")
    assert told_conflicts(other, "analyst", attune(5)) == {}
    conflict = contradicted(field, "analyst", "The tide")
    assert told_conflicts(other, "analyst", attune(5)) == {conflict: "detected"}
    wish: JsonObject = {"conflict_id": conflict, "strategy": "last_write_wins", "resolution": {"rationale": "r"}}
    assert field.ask("MERGE", "senior", wish)["status"] == "resolved"
    assert told_conflicts(other, "analyst", attune(5)) == {}


def test_after_a_long_absence_the_conflicts_themselves_are_read() -> None:
    field = Field().join("scout", "analyst")
    assert told_conflicts(field, "analyst", attune(5)) == {}
    conflict = contradicted(field, "analyst", "The tide")
    for _ in range(open_conflicts.AFAR):
        field.ask("SUBSCRIBE", "scout", {"action": "list"})
    assert told_conflicts(field, "analyst", attune(5)) == {conflict: "detected"}
