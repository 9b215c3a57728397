"""Bad input over the native surface: the right status, a stable code, the field by name, and nothing stored."""

from __future__ import annotations

from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import httpx
import pytest
from tests.operations.desk import Caller, Desk, opened
from tests.patience import WAIT_S
from tests.surfaces.http.conftest import Served

from muniment import Memory
from muniment.engine.notebook import Notebook
from muniment.operations import OPERATIONS, Grant, OperationSpec
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.principal import Grant as Held


@pytest.fixture
def desk(vault: Path) -> Iterator[Desk]:
    with opened(vault) as found:
        yield found


@pytest.fixture
def guarded(vault: Path) -> Iterator[Desk]:
    """A server that asks for keys: there is one."""
    with opened(vault) as found:
        found.caller(KeyRequest.everything("ana"))
        yield found


GOOD = b'{"content": "The staging database moved to eu-west-2"}'


def told(answer: httpx.Response) -> tuple[int, str, str | None]:
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.status_code, answer.json()["code"], answer.json().get("field")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", (400, "unreadable", "/")),
        (b"{", (400, "unreadable", "/")),
        (b'{"content": "x", "content": "y"}', (400, "unreadable", "/content")),
        (b'{"content": NaN}', (400, "unreadable", "/content")),
        (b'{"content": "\xff"}', (400, "unreadable", "/")),
        (b'{"content": ' + b"[" * 90 + b"]" * 90 + b"}", None),
        (b"[]", (400, "malformed", "body")),
        (b'"content"', (400, "malformed", "body")),
        (b"{}", (400, "malformed", "content")),
        (b'{"content": 7}', (400, "malformed", "content")),
        (b'{"content": " "}', (400, "malformed", "content")),
        (b'{"content": "a\\u0007b"}', (400, "malformed", "content")),
        (b'{"content": "x", "kind": "rumour"}', (400, "malformed", "kind")),
        (b'{"content": "x", "confidence": 1.5}', (400, "malformed", "confidence")),
        (b'{"content": "x", "event_time": "yesterday"}', (400, "malformed", "event_time")),
        (b'{"content": "x", "event_time": 1772352000}', (400, "malformed", "event_time")),
        (b'{"content": "x", "tenant": "other"}', (400, "malformed", "tenant")),
        (b'{"content": "x", "actor": "owner"}', (400, "malformed", "actor")),
        (b'{"content": "x", "namespace": "/a/../b"}', (409, "malformed", "namespace")),
        (
            b'{"content": "x", "valid_from": "2026-03-02T00:00:00Z", "valid_until": "2026-03-01T00:00:00Z"}',
            (409, "malformed", "valid_until"),
        ),
        (b'{"content": "x", "subject": "tea"}', (409, "malformed", "key")),
    ],
)
def test_a_body_that_is_wrong_stores_nothing(
    desk: Desk, body: bytes, expected: tuple[int, str, str | None] | None
) -> None:
    head = desk.memory.ledger.head()

    answer = desk.caller().post("/api/memories", content=body, headers={"Content-Type": "application/json"})

    found = told(answer)
    assert found == expected or (expected is None and found[:2] == (400, "unreadable"))
    assert desk.memory.ledger.head() == head


def test_no_refusal_repeats_what_was_sent(desk: Desk) -> None:
    secret = "sk-live-4242424242424242"
    client = desk.caller()

    answers = [
        client.post("/api/memories", json={"content": "x", "kind": secret}),
        client.post("/api/memories", json={"content": "x", "confidence": secret}),
        client.post("/api/memories", json={"content": "x", "event_time": secret}),
        client.get("/api/records", params={"statuses": secret}),
        client.get("/api/records", params={"cursor": secret}),
        client.get("/api/records", params={"limit": secret}),
        client.get(f"/api/records/{secret}"),
    ]

    assert [one.status_code for one in answers] == [400, 400, 400, 400, 409, 400, 404]
    assert all(secret not in one.text for one in answers)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/api/stats?verbose=true", (400, "malformed", "query")),
        ("/api/records?tenant=other", (400, "malformed", "tenant")),
        ("/api/records?limit=0", (400, "malformed", "limit")),
        ("/api/records?limit=501", (400, "malformed", "limit")),
        ("/api/records?limit=ten", (400, "malformed", "limit")),
        ("/api/records?limit=1&limit=2", (400, "malformed", "limit")),
        ("/api/records?require_provenance=yes", (400, "malformed", "require_provenance")),
        ("/api/records?kinds=rumour", (400, "malformed", "kinds[0]")),
        ("/api/records?kinds=", (400, "malformed", "kinds[0]")),
        ("/api/records?session=%FF", (400, "malformed", "query")),
        ("/api/records?session", (400, "malformed", "query")),
        ("/api/records/a%20b", (409, "malformed", "id")),
        ("/api/records/rec-1/lineage?types=friend_of", (400, "malformed", "types[0]")),
        ("/api/records/rec-1", (404, "not_found", None)),
        ("/api/records/rec-1/friends", (404, "not_found", None)),
        ("/api/nothing", (404, "not_found", None)),
    ],
)
def test_an_address_that_is_wrong_is_told_by_its_field(
    desk: Desk, path: str, expected: tuple[int, str, str | None]
) -> None:
    assert told(desk.caller().get(path)) == expected


def test_other_kinds_methods_and_languages_are_refused(desk: Desk) -> None:
    client = desk.caller()

    form = client.post(
        "/api/memories", content=b"content=x", headers={"Content-Type": "application/x-www-form-urlencoded"}
    )
    untyped = client.post("/api/memories", content=GOOD)
    picky = client.get("/api/stats", headers={"Accept": "text/html, application/json;q=0"})
    easy = client.get("/api/stats", headers={"Accept": "text/html, application/*;q=0.5"})
    method = client.request("PUT", "/api/proposals", content=GOOD)
    bodied = client.request("POST", "/api/sweep", content=GOOD, headers={"Content-Type": "application/json"})

    assert told(form) == told(untyped) == (415, "unsupported_media_type", "content-type")
    assert told(picky) == (406, "not_acceptable", "accept")
    assert easy.status_code == 200
    assert (method.status_code, set(method.headers["allow"].split(", "))) == (405, {"GET", "HEAD", "POST"})
    assert told(bodied) == (400, "malformed", "body")


def test_what_is_too_large_is_refused_before_it_is_read(desk: Desk) -> None:
    answer = desk.caller().post("/api/memories", content=b" " * 1_048_577, headers={"Content-Type": "application/json"})

    assert told(answer) == (413, "limit_exceeded", "body")


def test_a_condition_that_nobody_would_check_is_refused_and_a_key_that_nobody_needs_is_not(desk: Desk) -> None:
    client = desk.caller()

    matched = client.post("/api/memories", content=GOOD, headers={"If-Match": "*", "Content-Type": "application/json"})
    keyed = client.post("/api/recall", json={"query": "x"}, headers={"Idempotency-Key": "a"})

    assert told(matched) == (409, "malformed", "If-Match")
    assert keyed.status_code == 200
    assert desk.memory.insight.stats().current == 0


def test_a_header_that_is_said_twice_is_refused(served: Served) -> None:
    connection = HTTPConnection(*served.address, timeout=WAIT_S)
    try:
        connection.putrequest("POST", "/api/memories")
        for name, value in (
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(GOOD))),
            ("Idempotency-Key", "a"),
            ("Idempotency-Key", "b"),
        ):
            connection.putheader(name, value)
        connection.endheaders(GOOD)
        answer = connection.getresponse()
        body = answer.read()
    finally:
        connection.close()

    assert (answer.status, b'"field":"idempotency-key"' in body) == (400, True)
    assert served.memory.insight.stats().current == 0


@pytest.mark.parametrize("held", list(Held))
def test_a_credential_opens_the_doors_it_is_good_for_and_no_other(guarded: Desk, held: Held) -> None:
    client = guarded.caller(KeyRequest(name="one", actor="owner", grants=(held,)))

    barred = {one.name for one in OPERATIONS if _asked(client, one) == (403, "not_permitted")}

    assert barred == {one.name for one in OPERATIONS if one.grant is not Grant(held.value)}


def _asked(client: Caller, one: OperationSpec) -> tuple[int, str | None]:
    """Ask an operation for something that it would refuse after the door."""
    path = one.path.format(**dict.fromkeys(one.places, "nothing-of-that-id"))
    bodied = one.body is not None or one.name == "import"
    answer = client.request(
        one.verb.value,
        path,
        params={"nonsense": "1"},
        content=b"\xff" if bodied else None,
        headers={"Content-Type": "application/json"} if bodied else {},
    )
    return answer.status_code, answer.json().get("code")


def test_a_call_at_a_closed_door_is_in_the_audit(vault: Path) -> None:
    with opened(vault) as guarded:
        reader = guarded.caller(KeyRequest(name="reader", actor="planner", grants=(Held.READ,)))
        answer = reader.post("/api/sweep")

    assert told(answer) == (403, "not_permitted", None)
    with Memory.open(vault) as memory:
        notes = [note.body or "" for note in Notebook.of(memory).read("denied")]
    assert any('"what":"POST /api/sweep"' in body and '"who":"planner"' in body for body in notes)


def test_nobody_is_served_without_a_credential_where_one_is_asked_for(guarded: Desk) -> None:

    assert told(guarded.caller().get("/api/stats")) == (401, "unauthenticated", "authorization")
    assert told(guarded.bearer("mnk_nothing").get("/api/stats"))[:2] == (401, "unauthenticated")


def test_hidden_and_absent_are_told_in_the_same_words(guarded: Desk) -> None:
    verdict = guarded.memory.remember("Salaries rise in May", sensitivity="confidential", evidence=["mail:1"])
    client = guarded.caller(KeyRequest(name="planner", actor="planner", grants=(Held.READ, Held.WRITE)))

    hidden = [client.get(f"/api/records/{verdict.record_id}{tail}") for tail in ("", "/history", "/lineage")]
    absent = [client.get(f"/api/records/rec_nothing{tail}") for tail in ("", "/history", "/lineage")]

    assert [one.status_code for one in hidden] == [404, 404, 404]
    assert [one.content for one in hidden] == [one.content for one in absent]
    assert client.get("/api/records").json()["records"] == []
    assert client.post("/api/recall", json={"query": "salaries in May"}).json()["records"] == []


def test_a_replay_of_a_receipt_is_an_auditors_business(guarded: Desk) -> None:
    client = guarded.caller(KeyRequest(name="reader", actor="owner", grants=(Held.READ,)))
    receipt = client.post("/api/recall", json={"query": "anything"}).json()["receipt_id"]

    assert client.get(f"/api/receipts/{receipt}").status_code == 200
    assert told(client.get(f"/api/receipts/{receipt}", params={"replay": "true"}))[:2] == (403, "not_permitted")
