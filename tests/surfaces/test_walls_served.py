"""The walls of a running server: what a caller who means ill sends, and what it learns from it."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import httpx
import msgspec
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send
from tests.patience import WAIT_S
from tests.surfaces.http.agents import contradicting, message, record, register, sent, text_at, unit
from tests.surfaces.http.conftest import Served, serving, settings_for
from tests.surfaces.http.wire import Wire, exchange, head, status_in
from tests.surfaces.reception import issuer

from muniment import Memory
from muniment.contracts.strict.values import JsonObject
from muniment.model.actor import Actor
from muniment.model.errors import Malformed
from muniment.model.times import Instant
from muniment.surfaces.http.akashik_doors import credential_of
from muniment.surfaces.reception import denials, keys
from muniment.surfaces.reception.denials import FLOOD_AFTER, NAMES_MAX, SUMS_MAX, Denial, DenialLog, denied_calls
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.principal import Grant, Principal
from muniment.surfaces.reception.server_context import system_now
from muniment.surfaces.reception.tokens import BadToken, Tokens

CHUNKED = "Transfer-Encoding: chunked"
SENT_MAX = 100_000_000
"""More than any buffer between two ends of a line holds."""


async def _echo(request: Request) -> Response:
    """How much came, and what the head said once all had come."""
    body = await request.body()
    return PlainTextResponse(f"{len(body)} {Request(request.scope).headers.get('x-late', 'nothing')}")


@pytest.fixture
def echoing(vault: Path) -> Iterator[Served]:
    routes: list[BaseRoute] = [Route("/echo", _echo, methods=["POST"])]
    with serving(settings_for(vault, header_bytes_max=4_000, url_bytes_max=1_000), routes=routes) as served:
        yield served


@pytest.fixture
def team(vault: Path) -> Iterator[tuple[Served, str, str]]:
    """A server with a key of ana, who may do everything, and one of bob, who speaks for any agent."""
    with Memory.open(vault):
        made = [
            KeyRequest.everything("ana"),
            KeyRequest(name="b", actor="bob", authority=7, grants=tuple(Grant), agents=("*",)),
        ]
        ana, bob = (key for _, key in keys.create_many(vault, made, now=system_now()))
    with serving(settings_for(vault)) as served:
        yield served, ana, bob


def _cut_off(wire: Wire, piece: bytes) -> bool:
    """Whether the server ends a line on which the same is said again and again."""
    sent_bytes = 0
    try:
        while sent_bytes < SENT_MAX:
            wire.send(piece)
            sent_bytes += len(piece)
    except (BrokenPipeError, ConnectionResetError):
        return True
    finally:
        wire.close()
    return False


@pytest.mark.parametrize(
    ("begun", "again"),
    [
        (b"2\r\n{}\r\n0\r\nX-Late: ", b"x" * 1_000),
        (b"2;x=", b"x" * 1_000),
        (b"", b"1;" + b"x" * 1_000 + b"\r\na\r\n"),
    ],
    ids=["one trailer", "one extension", "many extensions"],
)
def test_what_is_put_around_the_pieces_of_a_body_is_bounded(echoing: Served, begun: bytes, again: bytes) -> None:
    wire = Wire(echoing.address)
    wire.send(head("POST /echo HTTP/1.1", [CHUNKED]), begun)
    assert _cut_off(wire, again)


def test_a_body_in_the_smallest_pieces_is_taken_whole(echoing: Served) -> None:
    pieces = b"1\r\na\r\n" * 20_000 + b"0\r\n\r\n"
    answer = exchange(echoing.address, head("POST /echo HTTP/1.1", [CHUNKED]), pieces)
    assert (status_in(answer), answer.rpartition(b"\r\n\r\n")[2]) == (200, b"20000 nothing")


def test_what_is_said_after_the_body_is_no_header(echoing: Served) -> None:
    late = b"2\r\n{}\r\n0\r\nX-Late: here\r\nAuthorization: Bearer x\r\n\r\n"
    answer = exchange(echoing.address, head("POST /echo HTTP/1.1", [CHUNKED]), late)
    assert answer.rpartition(b"\r\n\r\n")[2] == b"2 nothing"


@pytest.mark.parametrize(
    "headers",
    [
        ["Content-Length: 2", "Content-Length: 44"],
        ["Content-Length: 2", CHUNKED],
        ["Transfer-Encoding: xchunked", "Content-Length: 2"],
        ["Transfer-Encoding: chunked, identity"],
        ["Transfer-Encoding : chunked"],
        ["Content-Length: +2"],
        ["Content-Length: 2", " folded: on"],
    ],
)
def test_a_request_whose_end_is_in_doubt_is_refused_with_all_that_follows(echoing: Served, headers: list[str]) -> None:
    second = head("POST /echo HTTP/1.1", ["Content-Length: 0"])
    answer = exchange(echoing.address, head("POST /echo HTTP/1.1", headers) + b"{}" + second)
    assert status_in(answer) == 400
    assert answer.count(b"HTTP/1.1 ") == 1


class _Pour:
    """Answers without end, until the caller is gone."""

    def __init__(self) -> None:
        self.ended = threading.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        gone = asyncio.ensure_future(_gone(receive))
        while not gone.done():
            await send({"type": "http.response.body", "body": b"x" * 65_536, "more_body": True})
            await asyncio.sleep(0)
        self.ended.set()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue


def test_an_answer_that_nobody_reads_is_given_up(vault: Path) -> None:
    pour = _Pour()
    settings = settings_for(vault, stall_seconds=0.2, heartbeat_seconds=0.2)
    with serving(settings, routes=[Route("/pour", pour)]) as served, socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        line.connect(served.address)
        line.sendall(head("GET /pour HTTP/1.1"))
        assert pour.ended.wait(WAIT_S)


def test_a_slash_that_is_spelled_out_parts_no_path(team: tuple[Served, str, str]) -> None:
    served, ana, _ = team
    for path, status in (("/api%2fcaller", 404), ("/api%2Fcaller", 404), ("/%61pi/caller", 200), ("/v1%2fagents", 404)):
        answer = exchange(served.address, head(f"GET {path} HTTP/1.1", [f"Authorization: Bearer {ana}"]))
        assert status_in(answer) == status, path


@pytest.mark.parametrize("name", ["owner", "muniment"])
def test_nobody_takes_a_name_that_the_vault_gives(team: tuple[Served, str, str], name: str) -> None:
    """What is recorded under such a name would be read as the owner's or the engine's own."""
    served, _, bob = team
    with served.client(bob) as client:
        before = served.memory.ledger.head().seq
        for said in (
            message("REGISTER", name, {"id": name, "role": "scout"}),
            message("RECORD", name, unit("Believe me")),
        ):
            refused = sent(client, said)
            assert (refused.status_code, refused.json()["code"]) == (401, "UNAUTHENTICATED")
        other = sent(client, message("REGISTER", "bob", {"id": name, "role": "scout"}))
        assert (other.status_code, other.json()["code"]) == (401, "UNAUTHENTICATED")
    actors = {entry.actor for entry in served.memory.ledger.entries(before + 1, before + 100)}
    assert actors <= {"muniment"}, "nothing but the record of denials"
    assert not [one for one in served.memory.insight.browse() if one.record.actor == name]


def test_every_answer_about_what_is_hidden_is_the_answer_about_what_is_not_there(team: tuple[Served, str, str]) -> None:
    served, ana, bob = team
    with served.client(ana) as hers, served.client(bob) as his:
        register(hers, "ana")
        register(his, "bob")
        session = text_at(
            sent(hers, message("SESSION", "ana", {"action": "create", "goal": "g"})).json(), "session", "id"
        )
        unit_id = record(hers, "ana", "The vault opens at noon", session=session)
        rival = sent(hers, message("RECORD", "ana", contradicting(unit_id, "The vault opens at one"), session=session))
        (conflict,) = rival.json()["conflicts_detected"]
        draft = sent(hers, message("RECORD", "ana", unit("Not yet said", mode="draft"))).json()["memory_unit_id"]
        task = sent(hers, message("COORDINATE", "ana", {"action": "create", "task": {"title": "t"}}, session=session))
        for hidden in (unit_id, draft):
            _same_as_absent(his, hidden, _about_unit)
        _same_as_absent(his, conflict, _about_conflict)
        _same_as_absent(his, text_at(task.json(), "task", "id"), _about_task)
        _same_as_absent(his, session, _about_session)


def _same_as_absent(client: httpx.Client, hidden: str, ask: object) -> None:
    assert callable(ask)
    absent = hidden[:-2] + ("zz" if not hidden.endswith("zz") else "yy")
    told = [[_told(one, name) for one in ask(client, name)] for name in (hidden, absent)]
    assert told[0] == told[1]
    assert all(status in (404, 409) for status, _ in told[0]), told[0]


def _told(answer: httpx.Response, name: str) -> tuple[int, str]:
    return answer.status_code, answer.text.replace(name, "ID")


def _about_unit(client: httpx.Client, name: str) -> Iterator[httpx.Response]:
    for relation in ("contradicts", "supports", "supersedes", "elaborates"):
        said: JsonObject = {"type": relation, "target_id": name, "description": "d"}
        yield sent(client, message("RECORD", "bob", {**unit("The sky is blue today"), "relations": [said]}))
    yield sent(client, message("DETECT", "bob", {"mode": "check", "target_id": name}))
    for kind in ("memory_unit", "decision"):
        yield _replayed(client, kind, name)
    yield client.post("/v1/x/retract", json={"agent_id": "bob", "memory_unit_id": name, "reason": "r"})
    for part in ("", "/history", "/lineage", "/foresight"):
        yield client.get(f"/api/records/{name}{part}")
    yield client.delete(f"/api/records/{name}?reason=r")
    yield client.delete(f"/api/records/{name}?reason=r&dry_run=true")
    yield client.post(f"/api/records/{name}/retraction", json={"reason": "r"})
    yield client.post(f"/api/records/{name}/revisions", json={"content": "c"}, headers={"If-Match": "*"})
    yield client.post(f"/api/records/{name}/detection")


def _about_conflict(client: httpx.Client, name: str) -> Iterator[httpx.Response]:
    settled: JsonObject = {"conflict_id": name, "strategy": "last_write_wins", "resolution": {"rationale": "r"}}
    yield sent(client, message("MERGE", "bob", settled))
    yield _replayed(client, "conflict", name)
    yield client.post(f"/api/conflicts/{name}/resolution", json={"strategy": "last_write_wins", "rationale": "r"})


def _about_task(client: httpx.Client, name: str) -> Iterator[httpx.Response]:
    for action in ("get", "start", "complete"):
        yield sent(client, message("COORDINATE", "bob", {"action": action, "task": {"id": name}}))
    yield sent(client, message("HANDOFF", "bob", {"action": "offer", "task_id": name, "to_agent": "ana"}))
    yield _replayed(client, "task", name)


def _about_session(client: httpx.Client, name: str) -> Iterator[httpx.Response]:
    yield _replayed(client, "session", name)
    yield client.get("/v1/field/status", params={"session_id": name})


def _replayed(client: httpx.Client, kind: str, name: str) -> httpx.Response:
    asked: JsonObject = {"target_type": kind, "target_id": name, "depth": "summary"}
    return sent(client, message("REPLAY", "bob", asked))


def test_whoever_left_a_session_sees_and_hears_nothing_of_it_any_more(team: tuple[Served, str, str]) -> None:
    served, ana, bob = team
    with served.client(ana) as hers, served.client(bob) as his:
        register(hers, "ana")
        register(his, "bob")
        session = text_at(
            sent(hers, message("SESSION", "ana", {"action": "create", "goal": "g"})).json(), "session", "id"
        )
        sent(his, message("SESSION", "bob", {"action": "join", "session_id": session}))
        unit_id = record(hers, "ana", "The vault opens at noon", session=session)
        assert _replayed_in(his, session, unit_id).status_code == 200
        sent(his, message("SESSION", "bob", {"action": "leave", "session_id": session}))
        assert _replayed_in(his, session, unit_id).status_code == 403
        assert _replayed(his, "memory_unit", unit_id).status_code == 404
        assert _replayed(his, "session", session).status_code == 404
        assert his.get(f"/api/records/{unit_id}").status_code == 404
        assert his.get("/v1/field/status").json()["units"] == 0


def _replayed_in(client: httpx.Client, session: str, name: str) -> httpx.Response:
    asked: JsonObject = {"target_type": "memory_unit", "target_id": name, "depth": "summary"}
    return sent(client, message("REPLAY", "bob", asked, session=session))


def test_the_key_of_one_tenant_is_good_for_nothing_in_another_and_no_answer_tells_of_it(vault: Path) -> None:
    with Memory.open(vault) as memory, Memory.open(vault, tenant="other"):
        theirs = memory.remember("The vault opens at noon", evidence=["e:1"]).record_id
        _, key = keys.create(vault, KeyRequest.everything("eve", tenant="other"), now=system_now())
    with serving(settings_for(vault)) as served, served.client(key) as eve:
        assert theirs is not None
        _same_as_absent(eve, theirs, lambda client, name: [client.get(f"/api/records/{name}")])
        assert eve.get("/api/records").json()["records"] == []
        assert eve.get("/api/stats").json()["current"] == 0
        assert "default" not in eve.get("/metrics", headers={"X-Forwarded-For": "192.0.2.1"}).text
        assert not denied_calls(served.memory)


@pytest.mark.parametrize("named", [["scout", "owner"], ["muniment"]])
def test_an_issuer_lets_nobody_speak_in_a_name_that_the_vault_gives(tmp_path: Path, named: list[str]) -> None:
    (tmp_path / "jwks.json").write_bytes(issuer.jwks())
    said = {"jwt_issuer": issuer.ISSUER, "jwt_audience": issuer.AUDIENCE, "jwt_jwks": str(tmp_path / "jwks.json")}
    tokens = Tokens(settings_for(tmp_path / "vault", **said))
    claims: issuer.Claims = {"iss": issuer.ISSUER, "aud": issuer.AUDIENCE, "sub": "planner", "tenant": "acme"}
    claims["exp"] = system_now() // 1_000_000 + 60
    assert tokens.read(issuer.token({**claims, "agents": ["scout"]})).agents == ("scout",)
    with pytest.raises(BadToken):
        tokens.read(issuer.token({**claims, "agents": named}))


def test_no_key_speaks_for_the_engine() -> None:
    with pytest.raises(Malformed) as refused:
        KeyRequest(name="n", actor="planner", agents=("scout", "muniment"))
    assert refused.value.field == "agent"


def test_leave_to_speak_for_anybody_is_no_leave_to_speak_for_the_owner_or_the_engine() -> None:
    anybody = Principal(actor=Actor(id="planner"), tenant="default", agents=("*",))
    assert [credential_of(anybody).speaks_for(name) for name in ("scout", "owner", "muniment")] == [True, False, False]
    owner = Principal(actor=Actor(id="owner"), tenant="default", agents=("*",))
    assert [credential_of(owner).speaks_for(name) for name in ("scout", "owner", "muniment")] == [True, True, False]


def _denial(number: int = 0, *, what: str = "GET /api", peer: str = "192.0.2.1") -> Denial:
    at = Instant(1_780_000_000_000_000 + number)
    return Denial(what=what, code="unauthenticated", peer=peer, first=at, last=at)


def _as_many_as(memory: Memory, number: int) -> bool:
    return len(denied_calls(memory)) == number


def _eventually(seen: Callable[[], bool]) -> bool:
    """Wait, within a bound, until something is seen."""
    deadline, pause = time.monotonic() + WAIT_S, threading.Event()
    while not seen() and time.monotonic() < deadline:
        pause.wait(0.005)
    return seen()


def test_a_flood_of_strangers_does_not_hide_who_else_was_denied(memory: Memory) -> None:
    kept = DenialLog(lambda _: memory)
    for number in range(5 * SUMS_MAX):
        kept.add("default", _denial(number, peer=f"2001:db8::{number:x}"))
    kept.add("default", msgspec.structs.replace(_denial(), who="eve", credential="key:a", code="not_permitted"))
    kept.close()
    (found,) = (one for one in denied_calls(memory) if one.who is not None)
    assert (found.who, found.credential, found.what, found.peer) == ("eve", "key:a", "GET /api", "192.0.2.1")


def test_somebody_known_who_is_denied_in_every_way_is_still_named(memory: Memory) -> None:
    kept = DenialLog(lambda _: memory)
    for number in range(2 * NAMES_MAX):
        kept.add("default", msgspec.structs.replace(_denial(what=f"GET /{number}"), who="eve", credential="key:a"))
    kept.close()
    found = denied_calls(memory)
    assert {one.who for one in found} == {"eve"}
    assert sum(one.count for one in found) == 2 * NAMES_MAX
    assert len(found) <= 2 * NAMES_MAX


def test_a_flood_of_strangers_that_goes_on_is_written_now_and_then_and_others_at_once(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock of the limit stands still: after so many writes strangers wait until the end."""
    monkeypatch.setattr(denials, "SUM_EVERY_S", 0.0)
    before = memory.ledger.head().seq
    kept = DenialLog(lambda _: memory, clock=lambda: 0.0)
    for number in range(FLOOD_AFTER):
        kept.add("default", _denial(number, what=f"GET /{number}"))
        assert _eventually(partial(_as_many_as, memory, number + 1))
    for number in range(100):
        kept.add("default", _denial(number, what="GET /late"))
    kept.add("default", msgspec.structs.replace(_denial(), who="eve"))
    assert _eventually(lambda: denied_calls(memory)[-1].who == "eve")
    assert memory.ledger.head().seq - before == FLOOD_AFTER + 1
    kept.close()
    late = denied_calls(memory)[-1]
    assert (late.what, late.count) == ("GET /late", 100)
