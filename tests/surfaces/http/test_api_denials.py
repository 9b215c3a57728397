"""Denied calls over HTTP: for those who may audit, page by page, and for nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.operations.desk import Desk, opened

from muniment.model.times import Instant
from muniment.surfaces.reception.denials import Denial, note
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.principal import Grant

NOON = 1_790_000_000_000_000
PLACE = "/api/denials"


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with opened(vault) as found:
        yield found


def turned_away(number: int) -> Denial:
    return Denial(
        what=f"GET /api/{number}",
        code="not_permitted",
        peer="10.0.0.9",
        first=Instant(NOON + number),
        last=Instant(NOON + number),
        who="eve",
    )


def listed(desk: Desk, limit: int = 2, cursor: str | None = None) -> tuple[list[str], str | None]:
    said = {"limit": str(limit)} | ({"cursor": cursor} if cursor is not None else {})
    page = desk.caller().get(PLACE, params=said).json()
    return [one["what"].rpartition("/")[2] for one in page["denials"]], page["next"]


def test_denied_calls_are_told_newest_first_and_none_twice_although_more_come(desk: Desk) -> None:
    for number in range(5):
        note(desk.memory, [turned_away(number)])

    first, onward = listed(desk)
    note(desk.memory, [turned_away(5)])
    second, last = listed(desk, cursor=onward)
    third, end = listed(desk, cursor=last)

    assert (first, second, third, end) == (["4", "3"], ["2", "1"], ["0"], None)
    assert listed(desk, limit=6) == (["5", "4", "3", "2", "1", "0"], None)


def test_a_denied_call_is_told_with_who_asked_from_where_and_why_not(desk: Desk) -> None:
    note(desk.memory, [msgspec.structs.replace(turned_away(1), count=7, credential="key:k_1")])

    (told,) = desk.caller().get(PLACE).json()["denials"]

    assert (told["who"], told["credential"], told["peer"], told["count"]) == ("eve", "key:k_1", "10.0.0.9", 7)
    assert (told["what"], told["code"], told["first"]) == ("GET /api/1", "not_permitted", told["last"])


@pytest.mark.parametrize("grants", [(Grant.READ,), (Grant.READ, Grant.WRITE, Grant.REVIEW)])
def test_who_has_no_grant_to_audit_is_told_of_none(desk: Desk, grants: tuple[Grant, ...]) -> None:
    note(desk.memory, [turned_away(1)])
    answer = desk.caller(KeyRequest(name="k", actor="owner", grants=grants)).get(PLACE)
    assert (answer.status_code, "eve" in answer.text) == (403, False)


def test_a_grant_to_audit_is_not_enough_without_the_policy(desk: Desk) -> None:
    note(desk.memory, [turned_away(1)])
    answer = desk.caller(KeyRequest(name="k", actor="planner", grants=(Grant.READ, Grant.AUDIT))).get(PLACE)
    assert (answer.status_code, "eve" in answer.text) == (403, False)
