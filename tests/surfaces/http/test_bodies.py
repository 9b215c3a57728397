"""Bodies: of the right kind, within their size, in their time; and nothing is done before they are all there."""

from __future__ import annotations

import threading

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from tests.surfaces.http.conftest import Serve, Served
from tests.surfaces.http.wire import Wire, exchange, head, status_in

from muniment.surfaces.http.bodies import read_body, stream_body

LIMIT = 1_000
SEEN: list[int] = []


async def whole(request: Request) -> Response:
    body = await read_body(request, LIMIT)
    SEEN.append(len(body))
    return PlainTextResponse(str(len(body)))


async def pieces(request: Request) -> Response:
    size = 0
    async for piece in stream_body(request, LIMIT, kinds=("application/x-ndjson",)):
        size += len(piece)
    SEEN.append(size)
    return PlainTextResponse(str(size))


ROUTES = [Route("/whole", whole, methods=["POST"]), Route("/pieces", pieces, methods=["POST"])]


@pytest.fixture
def counting(serve: Serve) -> Served:
    SEEN.clear()
    return serve(routes=ROUTES)


@pytest.fixture
def hasty(serve: Serve) -> Served:
    """A server that waits for a body for a short time."""
    SEEN.clear()
    return serve(routes=ROUTES, body_seconds=1.0)


@pytest.mark.parametrize(
    "kind",
    ["application/json", "Application/JSON", "application/json; charset=utf-8", 'application/json;charset="UTF-8"'],
)
def test_a_body_of_the_right_kind_is_read(counting: Served, kind: str) -> None:
    with counting.client() as client:
        answer = client.post("/whole", content=b"[1, 2]", headers={"Content-Type": kind})
    assert (answer.status_code, answer.text) == (200, "6")


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/json; charset=utf-16", ""],
)
def test_a_body_of_another_kind_is_refused_unread(counting: Served, kind: str) -> None:
    with counting.client() as client:
        answer = client.post("/whole", content=b"[1, 2]", headers={"Content-Type": kind})
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")
    assert answer.json()["field"] == "content-type"
    assert SEEN == []


def test_a_compressed_body_is_refused(counting: Served) -> None:
    with counting.client() as client:
        answer = client.post(
            "/whole", content=b"[]", headers={"Content-Type": "application/json", "Content-Encoding": "gzip"}
        )
    assert (answer.status_code, answer.json()["field"]) == (415, "content-encoding")


@pytest.mark.parametrize("path", ["/whole", "/pieces"])
def test_a_body_is_read_up_to_its_limit_and_not_a_byte_further(counting: Served, path: str) -> None:
    kind = {"Content-Type": "application/json" if path == "/whole" else "application/x-ndjson"}
    with counting.client() as client:
        full = client.post(path, content=b"x" * LIMIT, headers=kind)
        over = client.post(path, content=b"x" * (LIMIT + 1), headers=kind)
        unsaid = client.post(path, content=iter([b"x" * 600, b"x" * 600]), headers=kind)
    assert (full.status_code, full.text) == (200, "1000")
    for refused in (over, unsaid):
        assert (refused.status_code, refused.json()["code"], refused.json()["field"]) == (413, "limit_exceeded", "body")
    assert SEEN == [LIMIT]


def test_a_body_announced_as_too_large_is_refused_before_it_is_sent(counting: Served) -> None:
    request = head("POST /whole HTTP/1.1", ["Content-Type: application/json", "Content-Length: 5000"])
    wire = Wire(counting.address)
    wire.send(request)
    assert b" 413 " in wire.read_until(b"limit_exceeded")
    wire.close()


def test_whoever_asks_before_sending_is_told_at_once(counting: Served) -> None:
    said = ["Content-Type: application/json", "Expect: 100-continue"]
    wire = Wire(counting.address)
    wire.send(head("POST /whole HTTP/1.1", [*said, "Content-Length: 5000"]))
    assert status_in(wire.read_until(b"limit_exceeded")) == 413
    wire.close()
    other = Wire(counting.address)
    other.send(head("POST /whole HTTP/1.1", [*said, "Content-Length: 2"]))
    assert status_in(other.read_until(b"\r\n\r\n")) == 100
    other.send(b"[]")
    assert status_in(other.read()) == 200
    other.close()


@pytest.mark.parametrize("path", ["/whole", "/pieces"])
def test_a_body_that_does_not_arrive_in_time_is_given_up_and_the_server_goes_on(hasty: Served, path: str) -> None:
    kind = "application/json" if path == "/whole" else "application/x-ndjson"
    answer = exchange(
        hasty.address, head(f"POST {path} HTTP/1.1", [f"Content-Type: {kind}", "Content-Length: 10"]), b"12345"
    )
    assert status_in(answer) == 408
    assert b"request_timeout" in answer
    assert SEEN == []
    with hasty.client() as client:
        assert client.post("/whole", content=b"[]", headers={"Content-Type": "application/json"}).status_code == 200


def test_a_body_that_drips_is_given_up_however_long_it_could_go_on(hasty: Served) -> None:
    wire = Wire(hasty.address)
    wire.send(head("POST /pieces HTTP/1.1", ["Content-Type: application/x-ndjson", "Content-Length: 900"]))
    pause, dripped = threading.Event(), 0
    try:
        while dripped < 900 and not wire.answered():
            wire.send(b"x")
            dripped += 1
            pause.wait(0.02)
    except (BrokenPipeError, ConnectionResetError):
        dripped += 1
    assert dripped < 200
    assert status_in(wire.read()) == 408
    assert SEEN == []
    wire.close()


def test_a_caller_who_leaves_in_the_middle_of_a_body_has_done_nothing(counting: Served) -> None:
    wire = Wire(counting.address)
    wire.send(head("POST /whole HTTP/1.1", ["Content-Type: application/json", "Content-Length: 10"]), b"12345")
    wire.close()
    with counting.client() as client:
        assert client.post("/whole", content=b"[1]", headers={"Content-Type": "application/json"}).text == "3"
    assert SEEN == [3]


@pytest.mark.parametrize("length", ["-1", "x", "1e3", "0x10", "1, 2"])
def test_a_length_that_is_no_number_is_refused(counting: Served, length: str) -> None:
    request = head("POST /whole HTTP/1.1", ["Content-Type: application/json", f"Content-Length: {length}"])
    assert status_in(exchange(counting.address, request, b"[]")) == 400
    assert SEEN == []
