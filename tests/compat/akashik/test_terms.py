"""On which terms a Field writes: while its message may still be taken up, and by what a session says of disputes."""

from __future__ import annotations

import pytest
from tests.cases import each
from tests.contracts.akashik.field import Field, a_list, an_object, contents, finding

from muniment.compat.akashik.context import MessageContext
from muniment.compat.akashik.field import _opened
from muniment.compat.akashik.settings import FieldSettings
from muniment.compat.akashik.terms import Closed
from muniment.contracts.akashik.words import FieldOperation
from muniment.contracts.strict.values import JsonObject


def led(**policies: object) -> Field:
    """A session S with rules on disputes, and agents in it."""
    field = Field().join("chief", "senior", "scout", "analyst", "keeper").meet("S", "chief", "senior", "scout")
    for agent in ("analyst", "keeper"):
        field.ask("SESSION", agent, {"action": "join", "session_id": "S"})
    wish: JsonObject = {"action": "set_policy", "session_id": "S", "policies": {**policies}}  # type: ignore[dict-item]  # plain JSON values
    assert field.ask("SESSION", "chief", wish)["status"] == "ok"
    return field


def disputed(field: Field, session: str | None = "S") -> JsonObject:
    field.ask("RECORD", "scout", finding("The harbour gate opens at nine"), session=session)
    return field.ask("RECORD", "analyst", finding("The harbour gate does not open at nine"), session=session)


def open_in(field: Field, session: str | None = "S") -> JsonObject:
    """The one conflict there is, as the chief sees it."""
    (one,) = a_list(field.ask("DETECT", "chief", {"mode": "list"}, session=session)["conflicts"])
    return an_object(one)


def taken_up(field: Field, message: JsonObject) -> MessageContext:
    """A message on the table, as it stood when it came in."""
    letter = _opened(message, field.credential(str(message["agent_id"])))
    return field.real._desk(letter, field.real._room.state())


def test_a_session_ballots_by_its_own_quorum() -> None:
    field = led(vote_quorum=2)
    conflict = str(a_list(disputed(field)["conflicts_detected"])[0])
    winner = str(open_in(field)["unit_a"])
    ballot: JsonObject = {
        "conflict_id": conflict,
        "strategy": "vote",
        "resolution": {"rationale": "seen", "winner_id": winner},
    }
    assert field.ask("MERGE", "scout", ballot, session="S")["status"] == "pending_vote"
    assert field.ask("MERGE", "keeper", ballot, session="S")["status"] == "resolved"


def test_outside_of_the_session_the_quorum_is_that_of_the_policy() -> None:
    field = led(vote_quorum=1)
    conflict = str(a_list(disputed(field, session=None)["conflicts_detected"])[0])
    winner = str(open_in(field, None)["unit_a"])
    ballot: JsonObject = {
        "conflict_id": conflict,
        "strategy": "vote",
        "resolution": {"rationale": "seen", "winner_id": winner},
    }
    assert field.ask("MERGE", "scout", ballot)["status"] == "pending_vote"
    assert field.ask("MERGE", "keeper", ballot)["status"] == "pending_vote"


@each(("sensitivity", "found", "status"), [(0, 0, "active"), (0.2, 1, "active"), (1, 1, "contested")])
def test_a_session_says_how_much_disagreement_counts(sensitivity: float, found: int, status: str) -> None:
    field = led(detection_sensitivity=sensitivity)
    answer = disputed(field)
    assert len(a_list(answer["conflicts_detected"])) == found
    assert field.unit(str(answer["memory_unit_id"]))["status"] == status
    assert len(a_list(disputed(field, session=None)["conflicts_detected"])) == 1


def test_what_contradicts_by_its_own_word_counts_in_every_session() -> None:
    field = led(detection_sensitivity=0)
    old = field.ask("RECORD", "scout", finding("It rains"), session="S")["memory_unit_id"]
    link: JsonObject = {"type": "contradicts", "target_id": old}
    answer = field.ask("RECORD", "analyst", finding("The sun is out", relations=[link]), session="S")
    assert len(a_list(answer["conflicts_detected"])) == 1


def test_a_unit_that_was_not_compared_at_once_is_compared_as_its_session_says() -> None:
    field = Field(settings=FieldSettings(detection_timeout_ms=0)).join("chief", "scout", "analyst")
    field.meet("S", "chief", "scout", "analyst")
    field.ask(
        "SESSION", "chief", {"action": "set_policy", "session_id": "S", "policies": {"detection_sensitivity": 0.2}}
    )
    answer = disputed(field)
    assert answer["conflict_detection"] == "deferred"
    assert field.real.sweep() == 1
    assert field.unit(str(answer["memory_unit_id"]))["status"] == "active"


def test_a_merge_without_a_strategy_goes_by_that_of_its_session() -> None:
    field = led(default_strategy="last_write_wins")
    answer = disputed(field)
    wish: JsonObject = {
        "conflict_id": a_list(answer["conflicts_detected"])[0],
        "resolution": {"rationale": "the newer one"},
    }
    assert field.ask("MERGE", "senior", wish)["code"] == "INVALID_PAYLOAD"
    merged = field.ask("MERGE", "senior", wish, session="S")
    assert an_object(an_object(merged["conflict"])["resolution"])["strategy"] == "last_write_wins"
    bare = Field().join("chief").meet("S", "chief")
    assert bare.ask("MERGE", "chief", wish, session="S")["code"] == "INVALID_PAYLOAD"


@pytest.mark.parametrize("action", ["pause", "end"])
def test_a_record_that_was_taken_up_before_its_session_closed_is_not_written_after(action: str) -> None:
    field = led()
    late = taken_up(field, field.message("RECORD", "scout", finding("Too late"), session="S"))
    field.ask("SESSION", "chief", {"action": action, "session_id": "S"})
    before = field.epoch
    with pytest.raises(Closed) as closed:
        field.real._operations[FieldOperation.RECORD](late)
    assert closed.value.answer["code"] == "INVALID_TRANSITION"
    assert field.epoch == before


def test_a_record_that_was_taken_up_before_its_agent_left_is_not_written_after() -> None:
    field = Field().join("scout", "analyst", "chief")
    late = taken_up(field, field.message("RECORD", "scout", finding("Too late")))
    field.ask("DEREGISTER", "chief", {"agent_id": "scout"})
    with pytest.raises(Closed) as closed:
        field.real._operations[FieldOperation.RECORD](late)
    assert closed.value.answer["code"] == "AGENT_NOT_REGISTERED"
    assert contents(field.ask("ATTUNE", "analyst", {"scope": {"role": "r", "max_units": 5}})) == []


def test_a_merge_that_was_taken_up_before_its_session_paused_settles_nothing() -> None:
    field = led()
    conflict = str(a_list(disputed(field)["conflicts_detected"])[0])
    wish: JsonObject = {"conflict_id": conflict, "strategy": "last_write_wins", "resolution": {"rationale": "r"}}
    late = taken_up(field, field.message("MERGE", "senior", wish, session="S"))
    field.ask("SESSION", "chief", {"action": "pause", "session_id": "S"})
    with pytest.raises(Closed):
        field.real._operations[FieldOperation.MERGE](late)
    assert open_in(field)["status"] == "detected"


def test_a_record_taken_up_while_others_come_and_go_is_written() -> None:
    field = led()
    message = field.message("RECORD", "scout", finding("In time"), session="S")
    late = taken_up(field, message)
    field.join("newcomer")
    assert field.real._operations[FieldOperation.RECORD](late)["status"] == "accepted"


@each("synthesis", [None, "", "  "])
def test_a_synthesis_that_says_nothing_fails_and_settles_nothing(synthesis: str | None) -> None:
    field = led()
    conflict = str(a_list(disputed(field)["conflicts_detected"])[0])
    wish: JsonObject = {
        "conflict_id": conflict,
        "strategy": "synthesis",
        "resolution": {"rationale": "r", "synthesis": synthesis},
    }
    assert field.ask("MERGE", "senior", wish, session="S")["code"] == "MERGE_FAILED"
    assert open_in(field)["status"] == "detected"
