"""Akashik over HTTP: what each answer looks like, and that what is refused leaves nothing behind."""

from __future__ import annotations

import socket as sockets
from collections.abc import Iterator

import httpx
import msgspec
import pytest
from tests.cases import each
from tests.patience import WAIT_S
from tests.surfaces.http.agents import answered, attuned, message, record, register, sent, unit
from tests.surfaces.http.conftest import Serve, Served, serving, settings_for

from muniment.contracts.akashik.words import FieldOperation
from muniment.contracts.strict.values import JsonObject

ERROR_KEYS = {"code", "message", "operation", "recoverable", "suggested_action"}


def refused(response: httpx.Response) -> tuple[int, str]:
    """Status and code of an error object."""
    document = response.json()
    assert document.keys() == ERROR_KEYS
    assert response.headers["content-type"] == "application/json"
    return response.status_code, document["code"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server for tests that leave it as they found it: an agent is registered, and nothing is recorded."""
    with serving(settings_for(tmp_path_factory.mktemp("shared") / "vault")) as found:
        with found.client() as client:
            register(client, "ana")
        yield found


def head_of(path: str, length: int) -> bytes:
    """The head of a request that is written by hand."""
    lines = (f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json", f"Content-Length: {length}")
    return "\r\n".join((*lines, "", "")).encode()


def epoch(client: httpx.Client) -> int:
    response = client.get("/v1/field/status")
    assert response.status_code == 200, response.text
    return int(response.json()["epoch"])


def test_an_agent_registers_records_and_another_attunes(served: Served) -> None:
    with served.client() as client:
        register(client, "ana", "ben")
        unit_id = record(client, "ana", "The north gate is closed on Sundays")

        assert attuned(client, "ben") == {unit_id: "The north gate is closed on Sundays"}


@each("operation", [one for one in FieldOperation if one is not FieldOperation.REGISTER])
def test_every_operation_has_a_path_and_asks_who_is_registered(shared: Served, operation: FieldOperation) -> None:
    payloads: dict[FieldOperation, JsonObject] = {
        FieldOperation.DEREGISTER: {"agent_id": "nobody"},
        FieldOperation.RECORD: unit("anything"),
        FieldOperation.ATTUNE: {"scope": {"role": "scout", "max_units": 1}},
        FieldOperation.DETECT: {"mode": "list"},
        FieldOperation.MERGE: {"conflict_id": "c", "strategy": "last_write_wins", "resolution": {"rationale": "newer"}},
        FieldOperation.SUBSCRIBE: {"action": "list"},
        FieldOperation.REPLAY: {"target_type": "memory_unit", "target_id": "u", "depth": "summary"},
        FieldOperation.COMPACT: {"strategy": "archive"},
        FieldOperation.COORDINATE: {"action": "list"},
        FieldOperation.HANDOFF: {"action": "accept", "task_id": "t"},
        FieldOperation.SESSION: {"action": "list"},
    }
    with shared.client() as client:
        response = sent(client, message(operation, "nobody", payloads[operation]))

    assert refused(response) == (400, "AGENT_NOT_REGISTERED")
    assert response.json()["operation"] == operation


NO_PURPOSE: JsonObject = {"intent": {"purpose": " "}}
TOO_SURE: JsonObject = {"confidence": {"score": 2, "reasoning": "r"}}


@each(
    ("operation", "payload", "expected"),
    [
        ("RECORD", unit("x") | NO_PURPOSE, (400, "MISSING_INTENT")),
        ("RECORD", unit("x") | TOO_SURE, (400, "INVALID_CONFIDENCE")),
        ("RECORD", unit("x") | {"type": "gossip"}, (400, "INVALID_TYPE")),
        ("RECORD", unit("x") | {"status": "active"}, (400, "INVALID_PAYLOAD")),
        ("REGISTER", {"id": "ana", "role": "scout"}, (409, "AGENT_ID_TAKEN")),
        ("DETECT", {"mode": "check", "target_id": "nothing"}, (404, "UNIT_NOT_FOUND")),
        (
            "MERGE",
            {"conflict_id": "nothing", "strategy": "last_write_wins", "resolution": {"rationale": "newer"}},
            (404, "CONFLICT_NOT_FOUND"),
        ),
        ("SESSION", {"action": "join", "session_id": "nothing"}, (404, "SESSION_NOT_FOUND")),
        ("SUBSCRIBE", {"action": "unsubscribe", "subscription": {"id": "s"}}, (404, "SUBSCRIPTION_NOT_FOUND")),
    ],
)
def test_each_code_has_its_status(
    shared: Served, operation: str, payload: JsonObject, expected: tuple[int, str]
) -> None:
    with shared.client() as client:
        before = epoch(client)

        response = sent(client, message(operation, "ana", payload))

        assert refused(response) == expected
        assert epoch(client) == before


def test_an_operation_above_the_level_is_not_offered(serve: Serve) -> None:
    with serve(level=0).client() as client:
        register(client, "ana")
        merge: JsonObject = {"conflict_id": "c", "strategy": "last_write_wins", "resolution": {"rationale": "r"}}
        assert refused(sent(client, message("MERGE", "ana", merge))) == (501, "UNSUPPORTED_OPERATION")
        assert refused(client.get("/v1/events", params={"agent_id": "ana"})) == (501, "UNSUPPORTED_OPERATION")


@each(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"RECORD"',
        b"\xef\xbb\xbf{}",
        b'{"a": NaN}',
        b'{"id": "1", "id": "2"}',
        b'{"a": "\\ud800"}',
        b'{"a": "\xff"}',
        b"[" * 40 + b"]" * 40,
        b'{"a": ' + b"[" * 40 + b"]" * 40 + b"}",
    ],
)
def test_what_is_no_strict_json_object_is_refused_and_changes_nothing(shared: Served, body: bytes) -> None:
    with shared.client() as client:
        before = epoch(client)

        response = client.post("/v1/record", content=body, headers={"Content-Type": "application/json"})

        status, code = refused(response)
        assert (status, code) in ((400, "INVALID_ENVELOPE"), (400, "INVALID_PAYLOAD"))
        assert epoch(client) == before


@each(
    ("changes", "expected"),
    [
        ({"protocol": "akasha"}, "INVALID_ENVELOPE"),
        ({"version": "0.2.0"}, "INVALID_ENVELOPE"),
        ({"operation": "ATTUNE"}, "INVALID_ENVELOPE"),
        ({"operation": "RETRACT"}, "INVALID_ENVELOPE"),
        ({"operation": ["RECORD"]}, "INVALID_ENVELOPE"),
        ({"epoch": -1}, "INVALID_ENVELOPE"),
        ({"epoch": 0.5}, "INVALID_ENVELOPE"),
        ({"token": "secret"}, "INVALID_ENVELOPE"),
        ({"payload": []}, "INVALID_ENVELOPE"),
        ({"id": ""}, "INVALID_ENVELOPE"),
    ],
)
def test_an_envelope_that_is_wrong_is_refused_before_any_effect(
    shared: Served, changes: JsonObject, expected: str
) -> None:
    with shared.client() as client:
        before = epoch(client)

        response = client.post("/v1/record", json=message("RECORD", "ana", unit("x")) | changes)

        assert refused(response) == (400, expected)
        assert epoch(client) == before


def test_other_content_types_are_refused(shared: Served) -> None:
    body = msgspec.json.encode(message("REGISTER", "eve", {"id": "eve", "role": "scout"}))
    with shared.client() as client:
        before = epoch(client)
        for kind in ("text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1"):
            response = client.post("/v1/register", content=body, headers={"Content-Type": kind})
            assert refused(response) == (415, "INVALID_ENVELOPE")
        assert epoch(client) == before


def test_a_body_beyond_the_limit_is_refused(serve: Serve) -> None:
    with serve(body_bytes_max=2_000).client() as client:
        register(client, "ana")
        before = epoch(client)
        assert refused(sent(client, message("RECORD", "ana", unit("x" * 2_000)))) == (413, "INVALID_PAYLOAD")
        assert epoch(client) == before


def test_a_body_that_dribbles_in_is_given_up_and_changes_nothing(serve: Serve) -> None:
    served = serve(body_seconds=0.2)
    with sockets.create_connection(served.address, timeout=WAIT_S) as line:
        line.sendall(head_of("/v1/register", 500) + b"{")
        assert line.recv(4096).startswith(b"HTTP/1.1 408 ")
    with served.client() as client:
        assert client.get("/v1/agents").json()["agents"] == []


def test_a_path_that_takes_posts_takes_nothing_else(shared: Served) -> None:
    with shared.client() as client:
        response = client.get("/v1/record")
        assert refused(response) == (405, "INVALID_ENVELOPE")
        assert response.headers["allow"] == "POST"
        assert refused(client.post("/v1/agents", json={})) == (405, "INVALID_ENVELOPE")


def test_an_operation_the_protocol_does_not_have_is_told_so(shared: Served) -> None:
    with shared.client() as client:
        response = client.post("/v1/forget", json=message("FORGET", "ana", {}))
        assert refused(response) == (501, "UNSUPPORTED_OPERATION")


def test_the_same_message_twice_is_one_unit_and_one_answer(served: Served) -> None:
    with served.client() as client:
        register(client, "ana")
        said = message("RECORD", "ana", unit("The well is dry"), name="once")

        first, second = answered(client, said), answered(client, said)

        assert first == second
        assert epoch(client) == first["epoch"]


def test_a_message_whose_answer_was_lost_is_answered_as_the_first_time(served: Served) -> None:
    """The caller hangs up without reading. Whether the first one was carried out by then or not, there is one unit."""
    said = message("RECORD", "ana", unit("The ford is passable"), name="lost")
    body = msgspec.json.encode(said)
    with served.client() as client:
        register(client, "ana", "ben")
        for _ in range(5):
            with sockets.create_connection(served.address, timeout=WAIT_S) as line:
                line.sendall(head_of("/v1/record", len(body)) + body)

        answer = answered(client, said)

        assert attuned(client, "ben") == {answer["memory_unit_id"]: "The ford is passable"}


def test_half_a_message_leaves_nothing(shared: Served) -> None:
    body = msgspec.json.encode(message("REGISTER", "eve", {"id": "eve", "role": "scout"}))
    with shared.client() as client:
        before = epoch(client)
        with sockets.create_connection(shared.address, timeout=WAIT_S) as line:
            line.sendall(head_of("/v1/register", len(body)) + body[:-1])
        assert epoch(client) == before


@each("score", ["NaN", "Infinity", "1e400", '"high"'])
def test_a_score_that_is_no_number_is_a_wrong_score(shared: Served, score: str) -> None:
    said = message("RECORD", "ana", unit("The north gate is closed"))
    body = msgspec.json.encode(said).replace(b'"score":0.8', f'"score":{score}'.encode())
    assert score.encode() in body
    with shared.client() as client:
        response = client.post("/v1/record", content=body, headers={"Content-Type": "application/json"})
        assert refused(response) == (400, "INVALID_CONFIDENCE")


def test_an_envelope_without_its_operation_is_refused_under_that_of_the_path(shared: Served) -> None:
    said = message("ATTUNE", "ana", {"scope": {"role": "r", "max_units": 1}})
    del said["operation"]
    with shared.client() as client:
        response = client.post("/v1/attune", json=said)
    assert refused(response) == (400, "INVALID_ENVELOPE")
    assert response.json()["operation"] == "ATTUNE"
