"""What a client makes of servers that are newer, broken, busy, or no server of ours; and of its own end."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec
import pytest
from tests.cases import each
from tests.patience import WAIT_S
from tests.surfaces.http.conftest import Served

from muniment import AsyncClient, Client
from muniment.model import errors
from muniment.model.errors import MunimentError, NotFound, OperationalError, StoreUnavailable

HEAD = {"tenant": "default", "seq": 7, "hash": "00" * 32, "at": "2026-03-01T09:30:00Z", "last_doc": 7, "policy": 1}


@contextmanager
def answering(*answers: tuple[int, object]) -> Iterator[tuple[str, list[str]]]:
    """A server that gives these answers in turn, the last one for ever; yields its address and what it was asked."""
    asked: list[str] = []

    class Canned(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, body = answers[min(len(asked), len(answers) - 1)]
            asked.append(f"{self.command} {self.path}")
            content = body if isinstance(body, bytes) else msgspec.json.encode(body)
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Canned)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join(timeout=WAIT_S)
        server.server_close()


def test_fields_that_a_newer_server_adds_are_passed_over() -> None:
    with answering((200, {**HEAD, "mood": "serene"})) as (url, _), Client(url) as client:
        assert client.ledger.head().seq == 7


def test_values_within_values_are_passed_over_too(served: Served) -> None:
    record = served.memory.remember("The harbour is deep").record_id
    with served.client() as plain:
        told = plain.get(f"/api/records/{record}").json()
    told["record"]["claim"]["belief"]["mood"] = told["standing"]["mood"] = "serene"
    with answering((200, told)) as (url, _), Client(url) as client:
        assert client.get("rec-1").record.content == "The harbour is deep"


@each("body", [b"<html>Welcome</html>", b"[]", {"seq": 7}, {**HEAD, "seq": "seven"}, b""])
def test_what_is_no_answer_of_ours_is_not_the_callers_fault(body: object) -> None:
    with answering((200, body)) as (url, _), Client(url) as client, pytest.raises(OperationalError, match="cannot be"):
        client.ledger.head()


def test_whose_first_try_is_under_way_waits_for_its_answer() -> None:
    busy = {"code": "key_in_use", "detail": "it was begun"}
    found = {"names": ["audit log", "the ledger"]}
    with answering((409, busy), (200, found)) as (url, asked), Client(url) as client:
        assert client.review.alias("the ledger", "audit log") == ("audit log", "the ledger")
    assert asked == ["POST /api/aliases"] * 2


def leaves() -> list[type[MunimentError]]:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, MunimentError)]
    return [kind for kind in kinds if "code" in vars(kind)]


@each("kind", leaves(), ids=lambda kind: kind.code)
def test_every_error_of_the_tree_comes_back_as_itself(kind: type[MunimentError]) -> None:
    problem = {"code": kind.code, "detail": "so it is", "hint": "do this", "field": "limit", "status": 400}
    with answering((400, problem)) as (url, _), Client(url) as client, pytest.raises(kind) as caught:
        client.insight.stats()
    assert type(caught.value) is kind
    assert (caught.value.code, str(caught.value), caught.value.hint) == (kind.code, "so it is", "do this")


@each(
    ("status", "code", "kind"),
    [
        (428, "precondition_required", errors.CallerError),
        (409, "key_reused", errors.CallerError),
        (415, "unsupported_media_type", errors.CallerError),
        (412, "stale", errors.Stale),
        (500, "internal", errors.OperationalError),
    ],
)
def test_a_code_outside_the_tree_is_kept_on_the_error_of_its_branch(
    status: int, code: str, kind: type[MunimentError]
) -> None:
    with answering((status, {"code": code})) as (url, _), Client(url) as client, pytest.raises(kind) as caught:
        client.insight.stats()
    assert caught.value.code == code


def test_the_attributes_of_an_error_are_there_though_the_wire_does_not_tell_them() -> None:
    with answering((500, {"code": "ledger_broken"})) as (url, _), Client(url) as client:
        with pytest.raises(errors.LedgerBroken) as caught:
            client.insight.stats()
        assert caught.value.seq is None


@pytest.mark.parametrize("name", ["", "a/b", "é", "a b", "x" * 129])
def test_a_name_that_cannot_be_one_is_refused_as_at_home(served: Served, name: str) -> None:
    with Client(served.url) as client:
        for memory in (client, served.memory):
            with pytest.raises(errors.Malformed, match=r"^id: expected 1 to 128"):
                memory.get(name)


@pytest.mark.parametrize("name", [".", "..", "...", "a..b", "a:b"])
def test_a_name_of_dots_leads_nowhere_else(served: Served, name: str) -> None:
    with Client(served.url) as client:
        for ask in (client.get, client.history, client.explain, client.review.report, client.review.detect):
            with pytest.raises(NotFound):
                ask(name)


def test_a_closed_client_says_so_as_a_closed_memory_does(served: Served) -> None:
    with Client(served.url) as client:
        client.insight.stats()
    client.close()
    for again in (client.insight.stats, lambda: client.__enter__().insight.stats()):
        with pytest.raises(StoreUnavailable, match="closed"):
            again()

    async def later() -> None:
        async with AsyncClient(served.url) as memory:
            await memory.insight.stats()
        with pytest.raises(StoreUnavailable, match="closed"):
            await memory.insight.stats()

    asyncio.run(later())


def test_proxies_of_the_environment_are_not_told_the_key(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with Client(served.url) as client:
        assert client.insight.stats().current == 0


def test_one_client_serves_many_threads(served: Served) -> None:
    with Client(served.url) as client, ThreadPoolExecutor(32) as pool:
        made = list(pool.map(lambda number: client.remember(f"Parcel {number} has arrived").record_id, range(96)))
        read = list(pool.map(lambda name: client.get(name or "").record.content, made))

    assert len(set(made)) == 96
    assert sorted(read) == sorted(f"Parcel {number} has arrived" for number in range(96))


def test_a_call_that_is_cancelled_leaves_the_others_alone(served: Served) -> None:
    async def story() -> int:
        async with AsyncClient(served.url) as memory:
            tasks = [asyncio.create_task(memory.remember(f"Parcel {number}")) for number in range(80)]
            await asyncio.sleep(0)
            for task in tasks[::2]:
                task.cancel()
            done = await asyncio.gather(*tasks, return_exceptions=True)
            assert sum(isinstance(one, asyncio.CancelledError) for one in done) == 40
            await asyncio.gather(*(memory.insight.stats() for _ in range(70)))
            return sum(1 for one in done if not isinstance(one, BaseException))

    assert asyncio.run(story()) == 40
