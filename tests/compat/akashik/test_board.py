"""The board of a Field: members see what they work on, auditors that there is work, and nobody else anything of it."""

from __future__ import annotations

import msgspec
from tests.contracts.akashik.field import Field, a_list, an_object

from muniment.compat.akashik import board
from muniment.contracts.strict.values import JsonObject


def at_work() -> Field:
    field = Field().join("scout", "analyst", "chief").meet("S", "chief", "scout")
    field.ask("COORDINATE", "chief", {"action": "create", "task": {"id": "dig", "title": "Dig here"}}, session="S")
    field.ask("COORDINATE", "analyst", {"action": "create", "task": {"id": "sum", "title": "Sum up"}})
    return field


def seen(field: Field, who: str) -> JsonObject:
    answer = field.real.work(field.credential(who))
    assert answer["status"] == "ok", answer
    return answer


def titles(answer: JsonObject) -> list[object]:
    return [an_object(one)["title"] for one in a_list(answer["tasks"])]


def test_a_member_sees_its_sessions_and_their_tasks_the_latest_first() -> None:
    field = at_work()
    told = seen(field, "scout")
    assert titles(told) == ["Sum up", "Dig here"]
    session = an_object(a_list(told["sessions"])[0])
    assert (session["id"], session["goal"], session["tasks"]) == (field.names["S"], "find out", 1)
    assert session["members"] == ["chief", "scout"]


def test_who_takes_no_part_in_a_session_sees_nothing_of_it() -> None:
    told = seen(at_work(), "analyst")
    assert titles(told) == ["Sum up"]
    assert told["sessions"] == []


def test_an_auditor_sees_that_there_is_work_and_neither_the_invitation_nor_what_it_is_about() -> None:
    field = at_work()
    told = seen(field, "owner")
    assert titles(told) == ["Sum up", None]
    session = an_object(a_list(told["sessions"])[0])
    assert (session["id"], session["goal"], session["members"]) == (None, None, ["chief", "scout"])
    assert an_object(a_list(told["tasks"])[1])["session"] == session["name"]
    said = msgspec.json.encode(told).decode()
    assert field.names["S"] not in said
    assert "Dig here" not in said
    assert '"dig"' not in said


def test_an_offer_and_a_task_that_lost_its_agent_are_marked() -> None:
    field = at_work()
    field.ask("COORDINATE", "analyst", {"action": "assign", "task": {"id": "sum", "assignee": "analyst"}})
    field.ask("HANDOFF", "analyst", {"action": "offer", "task_id": "sum", "to_agent": "scout"})
    assert an_object(a_list(seen(field, "scout")["tasks"])[0])["offered_to"] == "scout"
    field.ask("DEREGISTER", "analyst", {"agent_id": "analyst"})
    assert an_object(a_list(seen(field, "scout")["tasks"])[0])["flagged"] is True


def test_a_long_board_says_how_much_it_leaves_off() -> None:
    field = Field().join("analyst")
    for number in range(board.SHOWN_MAX + 3):
        field.ask("COORDINATE", "analyst", {"action": "create", "task": {"title": f"T{number}"}})
    told = seen(field, "analyst")
    assert (len(a_list(told["tasks"])), told["left_off"]) == (200, 3)
