"""Requests are watched: each has an id, a line in the log and its place in the figures."""

from __future__ import annotations

import asyncio
import io
import re

import httpx
import msgspec
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.types import Message
from starlette.websockets import WebSocket

from muniment.model.actor import Actor
from muniment.surfaces.reception.principal import Principal
from muniment.surfaces.telemetry.requests import Watch
from muniment.surfaces.telemetry.settings import LogFormat, LogLevel, TelemetrySettings
from muniment.surfaces.telemetry.telemetry import Telemetry

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
ANA = Principal(actor=Actor(id="ana"), tenant="acme", credential="key:k1")


async def record(request: Request) -> Response:
    request.state.visitor = ANA
    return PlainTextResponse("found")


async def refuse(request: Request) -> Response:
    request.state.code = "not_permitted"
    return PlainTextResponse("no", status_code=403)


async def fail(request: Request) -> Response:
    raise RuntimeError("the launch code is swordfish")


async def events(request: Request) -> Response:
    return StreamingResponse(iter(["data: 1\n\n"]), media_type="text/event-stream")


async def talk(socket: WebSocket) -> None:
    await socket.accept()
    await socket.close()


class Watched:
    """An application under watch, and what was said of it."""

    def __init__(self, log_level: LogLevel = LogLevel.INFO) -> None:
        self.stream = io.StringIO()
        settings = TelemetrySettings(log_format=LogFormat.JSON, log_level=log_level)
        self.telemetry = Telemetry(settings, stream=self.stream)
        routes = [
            Route("/records/{record_id}", record),
            Route("/refused", refuse),
            Route("/broken", fail),
            Route("/events", events),
            Route("/healthz", record),
            WebSocketRoute("/talk", talk),
            Mount("/below", routes=[Route("/deep/{name}", record)]),
        ]
        self.app = Watch(Starlette(routes=routes), self.telemetry)

    def get(self, path: str, headers: dict[str, str] | None = None, method: str = "GET") -> httpx.Response:
        async def call() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                return await client.request(method, path, headers=headers)

        return asyncio.run(call())

    @property
    def lines(self) -> list[dict[str, str | int | float]]:
        found = self.stream.getvalue().splitlines()
        return [msgspec.json.decode(line, type=dict[str, str | int | float]) for line in found]


@pytest.fixture
def watched() -> Watched:
    return Watched()


def test_one_line_tells_a_request_and_who_made_it(watched: Watched) -> None:
    answer = watched.get("/records/rec_1?q=launch")

    (line,) = watched.lines
    assert float(line.pop("ms")) >= 0
    assert line.pop("time")
    assert line == {
        "level": "info",
        "event": "request",
        "method": "GET",
        "route": "/records/{record_id}",
        "status": 200,
        "tenant": "acme",
        "actor": "ana",
        "credential": "key:k1",
        "request_id": answer.headers["x-request-id"],
        "outcome": "ok",
    }


def test_an_id_the_caller_gives_is_kept(watched: Watched) -> None:
    answer = watched.get("/records/rec_1", {"X-Request-Id": "deploy-7.2"})

    assert answer.headers["x-request-id"] == "deploy-7.2"
    assert watched.lines[0]["request_id"] == "deploy-7.2"


@pytest.mark.parametrize("given", ["", "a b", "x" * 65, 'a"b'])
def test_an_id_that_is_no_plain_word_is_replaced(watched: Watched, given: str) -> None:
    answer = watched.get("/records/rec_1", {"X-Request-Id": given})

    assert re.fullmatch("[0-9a-f]{16}", answer.headers["x-request-id"])
    assert watched.lines[0]["request_id"] == answer.headers["x-request-id"]


@pytest.mark.parametrize(
    ("header", "found"),
    [
        (f"00-{TRACE}-00f067aa0ba902b7-01", TRACE),
        (f"00-{'0' * 32}-00f067aa0ba902b7-01", None),
        ("nonsense", None),
    ],
)
def test_the_trace_a_caller_names_is_logged(watched: Watched, header: str, found: str | None) -> None:
    watched.get("/records/rec_1", {"traceparent": header})

    assert watched.lines[0].get("trace_id") == found


def test_a_path_that_leads_nowhere_is_not_repeated(watched: Watched) -> None:
    watched.get("/the-launch-code-is-swordfish")

    assert watched.lines[0]["route"] == "unmatched"
    assert (watched.lines[0]["status"], watched.lines[0]["outcome"]) == (404, "refused")
    assert "swordfish" not in watched.stream.getvalue()
    assert "swordfish" not in watched.telemetry.page()


def test_a_method_nobody_knows_is_not_repeated(watched: Watched) -> None:
    watched.get("/records/rec_1", method="LAUNCH")

    assert watched.lines[0]["method"] == "OTHER"


def test_the_outcome_is_the_code_of_the_problem(watched: Watched) -> None:
    watched.get("/refused")

    assert (watched.lines[0]["status"], watched.lines[0]["outcome"]) == (403, "not_permitted")


def test_a_failure_is_an_error_in_the_log_and_its_words_are_not(watched: Watched) -> None:
    watched.get("/broken")

    assert (watched.lines[0]["level"], watched.lines[0]["status"]) == ("error", 500)
    assert "swordfish" not in watched.stream.getvalue()


def test_a_route_below_another_is_told_by_its_template(watched: Watched) -> None:
    watched.get("/below/deep/swordfish")

    assert watched.lines[0]["route"] == "/deep/{name}"


def test_requests_are_counted_by_route_and_status_and_none_is_left_in_flight(watched: Watched) -> None:
    watched.get("/records/rec_1")
    watched.get("/records/rec_2")
    watched.get("/broken")

    page = watched.telemetry.page().splitlines()
    assert 'muniment_http_requests_total{method="GET",route="/records/{record_id}",status="200"} 2' in page
    assert 'muniment_http_requests_total{method="GET",route="/broken",status="500"} 1' in page
    assert 'muniment_http_request_seconds_count{method="GET",route="/records/{record_id}"} 2' in page
    assert "muniment_http_requests_in_flight 0" in page


def test_a_stream_is_counted_and_its_length_is_no_latency(watched: Watched) -> None:
    watched.get("/events")

    page = watched.telemetry.page()
    assert 'route="/events",status="200"} 1' in page
    assert 'muniment_http_request_seconds_count{method="GET",route="/events"}' not in page
    assert watched.lines[0]["outcome"] == "ok"


def test_a_probe_is_no_news() -> None:
    watched, open_ = Watched(), Watched(log_level=LogLevel.DEBUG)
    watched.get("/healthz")
    open_.get("/healthz")

    assert watched.lines == []
    assert [line["level"] for line in open_.lines] == ["debug"]


def test_a_websocket_is_told_when_it_ends(watched: Watched) -> None:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "websocket", "path": "/talk", "headers": [], "query_string": b"", "subprotocols": []}
    asyncio.run(watched.app(scope, receive, send))

    (line,) = watched.lines
    assert (line["method"], line["route"], line["status"], line["outcome"]) == ("WS", "/talk", 101, "ok")
    assert (b"x-request-id", str(line["request_id"]).encode()) in sent[0]["headers"]


def test_a_caller_who_goes_away_before_the_answer_is_told_as_dropped(watched: Watched) -> None:
    async def gone(scope: object, receive: object, send: object) -> None:
        return

    watched.app = Watch(gone, watched.telemetry)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        raise AssertionError("nothing is sent to who is gone")

    scope = {"type": "http", "method": "POST", "path": "/", "headers": []}
    asyncio.run(watched.app(scope, receive, send))

    assert (watched.lines[0]["status"], watched.lines[0]["outcome"]) == (499, "dropped")
