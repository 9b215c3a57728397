"""A verification that tells how far it is: lines for those who ask for lines, one answer for everybody else."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import apsw
import httpx
import msgspec
import pytest
from starlette.requests import Request
from tests.operations.desk import Desk, opened

from muniment import Memory
from muniment.surfaces.http.api.verifying import Abandoned, VerifyRun, _told
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.principal import Grant
from muniment.surfaces.reception.server_context import system_now

PATH = "/api/ledger/verification"
BY_LINE = {"Accept": "application/x-ndjson"}


class Line(msgspec.Struct):
    """A line, as far as the tests look at it."""

    what: str
    entries: int | None
    of: int | None
    ok: bool | None
    findings: list[dict[str, object]]
    code: str | None


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with opened(vault) as found:
        yield found


def lines(answer: httpx.Response) -> list[Line]:
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/x-ndjson"), answer.text
    return [msgspec.json.decode(line, type=Line) for line in answer.content.splitlines()]


def test_lines_tell_how_far_it_is_and_last_what_came_of_it(desk: Desk) -> None:
    for number in range(3):
        desk.memory.remember(f"Build {number} took {number} minutes")

    *before, last = lines(desk.caller().post(PATH, json={}, headers=BY_LINE))

    assert {line.what for line in before} == {"progress"}
    assert (before[-1].entries, before[-1].of) == (5, 5)
    assert (last.what, last.ok, last.entries, last.findings) == ("result", True, 5, [])


def test_the_last_line_says_what_the_plain_answer_says(desk: Desk) -> None:
    desk.memory.remember("The mill stands still")
    plain = desk.caller().post(PATH, json={}).json()

    streamed = desk.caller().post(PATH, json={}, headers=BY_LINE).content.splitlines()[-1]

    last = msgspec.json.decode(streamed, type=dict[str, object])
    assert {name: last[name] for name in plain} == plain
    assert last["what"] == "result"


@pytest.mark.parametrize("accept", ["application/json", "*/*", "application/x-ndjson, application/json"])
def test_whoever_takes_json_gets_it_at_once(desk: Desk, accept: str) -> None:
    answer = desk.caller().post(PATH, json={}, headers={"Accept": accept})

    assert (answer.headers["content-type"], answer.json()["ok"]) == ("application/json", True)


def test_damage_is_a_result_and_no_failure(vault: Path, tmp_path: Path) -> None:
    with Memory.open(vault) as memory:
        memory.remember("The mill stands still")
        memory.remember("Carts arrive on Mondays")
    copy = tmp_path / "copy"
    shutil.copytree(vault, copy)
    with opened(copy) as desk:
        (file,) = copy.rglob("default.sqlite")
        connection = apsw.Connection(str(file))
        connection.execute("UPDATE entries SET body = CAST(replace(body, 'curated', 'curatef') AS BLOB) WHERE seq = 3")
        connection.close()

        *_, last = lines(desk.caller().post(PATH, json={}, headers=BY_LINE))

    assert (last.what, last.ok) == ("result", False)
    assert "entry_altered" in {finding["code"] for finding in last.findings}


def test_an_anchor_is_looked_for(desk: Desk) -> None:
    desk.memory.remember("The mill stands still")
    head = desk.caller().get("/api/ledger/head").json()

    *_, found = lines(desk.caller().post(PATH, json={"anchor": head}, headers=BY_LINE))
    *_, other = lines(desk.caller().post(PATH, json={"anchor": {**head, "hash": "00" * 32}}, headers=BY_LINE))

    assert (found.ok, other.ok) == (True, False)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [({"anchor": 7}, 400, "malformed"), ({"nonsense": 1}, 400, "malformed")],
)
def test_what_cannot_be_asked_is_refused_before_a_line_is_told(
    desk: Desk, body: dict[str, object], status: int, code: str
) -> None:
    answer = desk.caller().post(PATH, json=body, headers=BY_LINE)

    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_whoever_may_not_audit_is_refused_before_a_line_is_told(desk: Desk) -> None:
    desk.caller(KeyRequest.everything("ana"))
    by_key = desk.caller(KeyRequest(name="one", actor="owner", grants=(Grant.READ,)))
    by_policy = desk.caller(KeyRequest(name="two", actor="scout", grants=tuple(Grant)))

    for caller in (by_key, by_policy):
        answer = caller.post(PATH, json={}, headers=BY_LINE)
        assert (answer.status_code, answer.json()["code"]) == (403, "not_permitted")
    assert by_key.post(PATH, json={}, headers={"Accept": "text/html"}).status_code == 406


def begun(desk: Desk, authorization: str | None = None) -> VerifyRun:
    visitor = desk.reception.identify(authorization, peer="here")
    check = VerifyRun(desk.reception, visitor)
    check.begin(b"{}")
    return check


def asking() -> Request:
    return Request({"type": "http", "method": "POST", "path": PATH, "headers": [], "state": {}})


def test_a_credential_that_ends_on_the_way_is_told_no_result(vault: Path) -> None:
    with Memory.open(vault):
        made, key = keys.create(vault, KeyRequest(name="one", actor="owner", grants=tuple(Grant)), now=system_now())
        keys.create(vault, KeyRequest.everything("ben"), now=system_now())

    async def story(desk: Desk) -> list[Line]:
        check = begun(desk, f"Bearer {key}")
        keys.revoke(vault, made.id, now=system_now())
        return [msgspec.json.decode(line, type=Line) async for line in _told(asking(), check)]

    with opened(vault) as desk:
        *_, last = asyncio.run(story(desk))

    assert (last.what, last.code, last.ok) == ("failed", "unauthenticated", None)


def test_a_check_that_nobody_waits_for_ends_at_its_next_stop(desk: Desk) -> None:
    check = begun(desk)
    check.abandoned = True

    with pytest.raises(Abandoned):
        check.work()


def test_whoever_goes_away_abandons_the_check(desk: Desk) -> None:
    async def story() -> VerifyRun:
        check = begun(desk)
        told = _told(asking(), check)
        await anext(told)
        assert not check.abandoned
        await told.aclose()  # type: ignore[attr-defined]  # a generator, as every body of a stream is
        return check

    assert asyncio.run(story()).abandoned
