"""The ground: what every answer carries, what malformed requests get, and that no failure takes the server down."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket
from tests.patience import WAIT_S
from tests.surfaces.http.conftest import Serve, Served
from tests.surfaces.http.wire import Wire, exchange, head, status_in
from websockets.exceptions import ConnectionClosedError, InvalidStatus
from websockets.sync.client import connect

from muniment.model.errors import Malformed, NotFound, StoreBusy
from muniment.surfaces.http.doors import reception_of, visitor_of

SECRET = "the words of the exception"


async def fine(request: Request) -> Response:
    await visitor_of(request)
    return JSONResponse({"fine": True})


async def wrong(_: Request) -> Response:
    raise Malformed("limit", "a whole number")


async def absent(_: Request) -> Response:
    raise NotFound("record", "rec_1")


async def busy(request: Request) -> Response:
    def call() -> None:
        raise StoreBusy(SECRET)

    await reception_of(request).run(call)
    raise AssertionError


async def broken(_: Request) -> Response:
    raise RuntimeError(SECRET)


async def torn(_: Request) -> Response:
    async def body() -> AsyncIterator[bytes]:
        yield b"the beginning"
        await asyncio.sleep(0)
        raise RuntimeError(SECRET)

    return StreamingResponse(body())


async def socket_wrong(_: WebSocket) -> None:
    raise Malformed("after", "a whole number")


async def socket_torn(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.send_text("hello")
    raise RuntimeError(SECRET)


ROUTES: list[BaseRoute] = [
    Route("/fine", fine),
    Route("/wrong", wrong),
    Route("/absent", absent),
    Route("/busy", busy),
    Route("/broken", broken),
    Route("/v1/broken", broken),
    Route("/torn", torn),
    WebSocketRoute("/socket/wrong", socket_wrong),
    WebSocketRoute("/socket/torn", socket_torn),
]
PROMISED = {
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
}


@pytest.fixture
def ground(serve: Serve) -> Served:
    return serve(routes=ROUTES)


@pytest.mark.parametrize("path", ["/fine", "/wrong", "/absent", "/busy", "/broken", "/nowhere"])
def test_every_answer_carries_the_headers_that_protect_and_no_banner(ground: Served, path: str) -> None:
    answer = httpx.get(ground.url + path, timeout=WAIT_S)
    assert {name: answer.headers.get(name) for name in PROMISED} == PROMISED
    assert "server" not in answer.headers
    assert not [name for name in answer.headers if name.startswith("access-control-")]


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/wrong", 400, "malformed"),
        ("/absent", 404, "not_found"),
        ("/busy", 503, "store_busy"),
        ("/broken", 500, "internal"),
        ("/nowhere", 404, "not_found"),
        ("/fine/", 404, "not_found"),
        ("/fine//", 404, "not_found"),
    ],
)
def test_an_error_is_answered_as_a_problem_and_the_server_lives(
    ground: Served, path: str, status: int, code: str
) -> None:
    answer = httpx.get(ground.url + path, timeout=WAIT_S)
    assert (answer.status_code, answer.json()["code"], answer.json()["status"]) == (status, code, status)
    assert answer.headers["content-type"] == "application/problem+json"
    assert SECRET not in answer.text
    assert httpx.get(f"{ground.url}/fine", timeout=WAIT_S).json() == {"fine": True}


def test_a_failure_under_the_protocols_path_is_told_as_the_protocol_tells_it(ground: Served) -> None:
    answer = httpx.get(f"{ground.url}/v1/broken", timeout=WAIT_S)
    assert (answer.status_code, answer.json()["code"]) == (500, "INTERNAL_ERROR")
    assert SECRET not in answer.text


def test_no_failure_puts_its_words_into_the_log(ground: Served, capfd: pytest.CaptureFixture[str]) -> None:
    for path in ("/broken", "/busy", "/v1/broken"):
        httpx.get(ground.url + path, timeout=WAIT_S)
    with pytest.raises(httpx.RemoteProtocolError):
        httpx.get(f"{ground.url}/torn", timeout=WAIT_S)
    printed = capfd.readouterr()
    assert "RuntimeError" in printed.err
    assert SECRET not in printed.err + printed.out


def test_an_answer_that_breaks_in_the_middle_is_cut_off_and_never_looks_whole(ground: Served) -> None:
    answer = exchange(ground.address, head("GET /torn HTTP/1.1"))
    assert b"the beginning" in answer
    assert not answer.endswith(b"0\r\n\r\n")
    assert SECRET.encode() not in answer
    assert httpx.get(f"{ground.url}/fine", timeout=WAIT_S).status_code == 200


def test_methods_an_address_does_not_take_are_refused_with_those_it_takes(ground: Served) -> None:
    refused = httpx.post(f"{ground.url}/fine", timeout=WAIT_S)
    assert (refused.status_code, refused.json()["code"]) == (405, "method_not_allowed")
    assert set(refused.headers["allow"].split(", ")) == {"GET", "HEAD"}
    asked = httpx.options(f"{ground.url}/fine")
    assert (asked.status_code, asked.content) == (204, b"")
    assert set(asked.headers["allow"].split(", ")) == {"GET", "HEAD"}
    looked = httpx.head(f"{ground.url}/fine")
    assert (looked.status_code, looked.content) == (200, b"")


def test_requests_sent_in_one_breath_are_answered_in_order(ground: Served) -> None:
    first = b"GET /fine HTTP/1.1\r\nHost: localhost\r\n\r\n"
    second = b"GET /wrong HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answer = exchange(ground.address, first + second + head("GET /absent HTTP/1.1"))
    assert re.findall(rb"HTTP/1.1 (\d+)", answer) == [b"200", b"400", b"404"]


@pytest.mark.parametrize(
    "junk",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /fine HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /fine HTTP/1.1\r\nHost: localhost\r\nno colon here\r\n\r\n",
        b"POST /fine HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
        b"POST /fine HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /fi\xffne HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ],
)
def test_what_is_no_http_is_refused_and_the_server_lives(ground: Served, junk: bytes) -> None:
    wire = Wire(ground.address)
    wire.send(junk)
    answer = wire.read_until(b"\r\n\r\n")
    wire.close()
    assert answer == b"" or 400 <= status_in(answer) < 500
    assert httpx.get(f"{ground.url}/fine", timeout=WAIT_S).json() == {"fine": True}


def test_a_head_or_an_address_that_is_too_large_is_refused(serve: Serve) -> None:
    served = serve(routes=ROUTES, header_bytes_max=4_000, url_bytes_max=1_000)
    long = httpx.get(f"{served.url}/fine", headers={"X-Padding": "x" * 4_000}, timeout=WAIT_S)
    far = httpx.get(f"{served.url}/fine?q={'x' * 1_000}", timeout=WAIT_S)
    assert (long.status_code, long.json()["field"]) == (431, "headers")
    assert (far.status_code, far.json()["field"]) == (414, "url")
    assert httpx.get(f"{served.url}/fine", timeout=WAIT_S).status_code == 200


def test_a_head_without_end_is_cut_off(serve: Serve) -> None:
    served = serve(routes=ROUTES, header_bytes_max=4_000, url_bytes_max=1_000)
    wire = Wire(served.address)
    wire.send(b"GET /fine HTTP/1.1\r\nHost: localhost\r\n")
    sent = 0
    try:
        while sent < 50_000_000:
            wire.send(b"X-Padding: " + b"x" * 1_000 + b"\r\n")
            sent += 1_000
    except (BrokenPipeError, ConnectionResetError):
        sent += 1
    finally:
        wire.close()
    assert sent < 50_000_000
    assert httpx.get(f"{served.url}/fine", timeout=WAIT_S).status_code == 200


@pytest.mark.parametrize("begun", [b"", b"GET /fine HT", b"GET /fine HTTP/1.1\r\nHost: localhost\r\nX-Slow: "])
def test_a_head_that_does_not_come_is_not_waited_for(serve: Serve, begun: bytes) -> None:
    served = serve(routes=ROUTES, header_seconds=0.2)
    assert exchange(served.address, begun) == b""


def test_the_rest_of_a_body_nobody_reads_is_not_waited_for(serve: Serve) -> None:
    served = serve(routes=ROUTES, body_seconds=0.2)
    wire = Wire(served.address)
    wire.send(b"POST /fine HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n", b"12345")
    answer = wire.read()
    wire.close()
    assert status_in(answer) == 405


def test_an_error_before_a_websocket_is_accepted_is_answered_as_a_problem(ground: Served) -> None:
    with pytest.raises(InvalidStatus) as refusal:
        connect(f"ws{ground.url[4:]}/socket/wrong")
    assert refusal.value.response.status_code == 400
    assert b'"code":"malformed"' in (refusal.value.response.body or b"")
    assert refusal.value.response.headers["x-content-type-options"] == "nosniff"


def test_a_websocket_that_fails_is_closed_and_says_so_without_words(ground: Served) -> None:
    with connect(f"ws{ground.url[4:]}/socket/torn") as socket:
        assert socket.recv(timeout=WAIT_S) == "hello"
        with pytest.raises(ConnectionClosedError) as closed:
            socket.recv(timeout=WAIT_S)
    assert closed.value.rcvd is not None
    assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1011, "")


def test_the_surfaces_are_all_there(served: Served) -> None:
    with served.client() as client:
        found = {
            path: client.get(path).status_code for path in ("/healthz", "/readyz", "/metrics", "/openapi.json", "/api")
        }
        assert found == dict.fromkeys(found, 200)
        page = client.get(client.get("/api/nowhere").json()["type"])
        assert page.text.startswith("not_found\n\nNothing there that the caller may know of.")
        assert client.get("/problems/nothing").status_code == 404
        assert client.get("/v1/field/status").status_code == 200
        assert client.post("/mcp", json={}).status_code in (400, 406)
