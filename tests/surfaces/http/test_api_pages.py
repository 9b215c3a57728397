"""Lists over the native surface: every page once, in order, and no way to wander off."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.operations.desk import Caller, Desk, opened

from muniment.operations import queries
from muniment.operations.cursor import seal
from muniment.surfaces.reception.keys import KeyRequest


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with opened(vault) as found:
        yield found


def everything(caller: Caller, path: str, field: str, **query: str) -> list[list[dict[str, object]]]:
    """Every page of a list, by following `next`."""
    pages: list[list[dict[str, object]]] = []
    cursor: str | None = None
    while len(pages) < 50:
        answer = caller.get(path, params={**query, **({"cursor": cursor} if cursor else {})})
        assert answer.status_code == 200, answer.text
        pages.append(answer.json()[field])
        cursor = answer.json()["next"]
        if cursor is None:
            return pages
    raise AssertionError("the list has no end")


def test_records_are_listed_once_each_in_the_order_they_were_written(desk: Desk) -> None:
    names = [desk.memory.remember(f"Build {number} took {number} minutes").record_id for number in range(7)]

    pages = everything(desk.caller(), "/api/records", "records", limit="3")

    assert [len(page) for page in pages] == [3, 3, 1]
    assert [one["record"]["id"] for page in pages for one in page] == names  # type: ignore[index]  # JSON


def test_a_list_goes_on_though_what_it_stood_at_is_gone(desk: Desk) -> None:
    names = [desk.memory.remember(f"Build {number} took {number} minutes").record_id or "" for number in range(4)]
    first = desk.caller().get("/api/records", params={"limit": "2"}).json()

    desk.memory.forget(names[1], reason="ticket:PRIV-1")
    second = desk.caller().get("/api/records", params={"limit": "2", "cursor": first["next"]}).json()

    assert [one["record"]["id"] for one in first["records"]] == names[:2]
    assert [one["record"]["id"] for one in second["records"]] == names[2:]


def test_bounds_hold_on_every_page_and_may_not_change(desk: Desk) -> None:
    for number in range(4):
        desk.memory.remember(f"Build {number} took {number} minutes", kind="fact")
        desk.memory.remember(f"Build {number} felt slow", kind="risk")
    caller = desk.caller()

    pages = everything(caller, "/api/records", "records", limit="3", kinds="fact")
    cursor = caller.get("/api/records", params={"limit": "3", "kinds": "fact"}).json()["next"]
    widened = caller.get("/api/records", params={"limit": "3", "cursor": cursor})
    resized = caller.get("/api/records", params={"limit": "1", "kinds": "fact", "cursor": cursor})

    kinds = {one["record"]["claim"]["nature"]["kind"] for page in pages for one in page}  # type: ignore[index]  # JSON
    assert (kinds, sum(map(len, pages))) == ({"fact"}, 4)
    assert (widened.status_code, widened.json()["field"]) == (409, "cursor")
    assert len(resized.json()["records"]) == 1


def test_what_changed_after_a_position_is_told_in_the_order_of_the_changes(desk: Desk) -> None:
    first = desk.memory.remember("The build took 9 minutes")
    desk.memory.remember("The build took 10 minutes in May")
    desk.memory.review.outcome(first.record_id or "", "helpful")

    answer = desk.caller().get("/api/records", params={"changed_after": str(first.epoch)}).json()

    assert [one["record"]["id"] for one in answer["records"]][-1] == first.record_id
    assert answer["next"] is None


def test_the_queue_is_told_a_page_at_a_time(desk: Desk) -> None:
    planner = desk.memory.as_actor("planner")
    names = [planner.remember(f"Deploy on day {number}", kind="decision").proposal_id for number in range(5)]

    pages = everything(desk.caller(), "/api/proposals", "proposals", limit="2")

    # The queue goes by the ids of its proposals, and two of one millisecond may stand either way.
    assert [one["proposal"]["id"] for page in pages for one in page] == sorted(names)  # type: ignore[index]  # JSON
    assert [len(page) for page in pages] == [2, 2, 1]


def test_conflicts_are_told_a_page_at_a_time_and_by_state(desk: Desk) -> None:
    memory = desk.memory
    for number in range(3):
        first = memory.remember(f"Server {number} is in Oslo", kind="fact").record_id or ""
        memory.remember(f"Server {number} is in Bergen", kind="fact", relations=[("contradicts", first)])
    settled = memory.review.conflicts()[0].id
    memory.review.resolve(settled, strategy="last_write_wins", rationale="the newer report")

    caller = desk.caller()
    pages = everything(caller, "/api/conflicts", "conflicts", limit="2")
    still = everything(caller, "/api/conflicts", "conflicts", limit="1", status="detected")

    assert [one["id"] for page in pages for one in page] == [one.id for one in memory.review.conflicts()]
    assert [len(page) for page in pages] == [2, 1]
    assert settled not in [one["id"] for page in still for one in page]
    assert sum(map(len, still)) == 2


def test_the_directory_is_told_a_page_at_a_time(desk: Desk) -> None:
    for name in ("ana", "ben", "cat"):
        desk.memory.as_actor(name).remember(f"{name} saw the build pass", kind="fact", evidence=["run:1"])

    pages = everything(desk.caller(), "/api/directory", "knowers", limit="2")

    assert [one["actor"] for page in pages for one in page] == [
        one.actor for one in desk.memory.insight.directory().knowers
    ]
    assert [len(page) for page in pages] == [2, 1]


def test_entries_and_receipts_are_told_a_stretch_at_a_time(desk: Desk) -> None:
    for number in range(4):
        desk.memory.remember(f"Build {number} took {number} minutes")
        desk.memory.recall("build")
    caller = desk.caller()

    entries = everything(caller, "/api/ledger/entries", "entries", limit="3", first="2")
    receipts = everything(caller, "/api/receipts", "receipts", limit="2", last="3")

    head = desk.memory.ledger.head().seq
    assert [one["seq"] for page in entries for one in page] == list(range(2, head + 1))
    assert [one["entry"]["seq"] for page in receipts for one in page] == [1, 2, 3]  # type: ignore[index]  # JSON


@pytest.mark.parametrize("path", ["/api/records", "/api/proposals", "/api/conflicts", "/api/directory", "/api/export"])
def test_a_cursor_of_another_list_is_refused(desk: Desk, path: str) -> None:
    for number in range(3):
        desk.memory.remember(f"Build {number} took {number} minutes")
    foreign = desk.caller().get("/api/ledger/entries", params={"limit": "1"}).json()["next"]

    named = {"contract": "omir"} if path == "/api/export" else {}
    answer = desk.caller().get(path, params={"limit": "1", "cursor": foreign, **named})

    assert (answer.status_code, answer.json()["code"], answer.json()["field"]) == (409, "malformed", "cursor")


def test_a_cursor_opens_no_door_and_tells_hidden_from_absent_to_nobody(desk: Desk) -> None:
    for number in range(3):
        desk.memory.remember(f"Salary {number} rises in May", sensitivity="confidential")
    cursor = desk.caller().get("/api/records", params={"limit": "1"}).json()["next"]
    forged = seal("insight.browse", queries.Browse(), "rec_nowhere@1")

    stranger = desk.caller(KeyRequest(name="planner", actor="planner"))
    hidden, absent = (stranger.get("/api/records", params={"limit": "1", "cursor": one}) for one in (cursor, forged))

    assert (hidden.status_code, hidden.json()["field"]) == (409, "cursor")
    assert hidden.content == absent.content
