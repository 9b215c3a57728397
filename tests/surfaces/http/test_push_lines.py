"""The lines that push goes over: who may open one, how it shows that it lives, and how it ends."""

from __future__ import annotations

import socket as sockets
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import msgspec
import pytest
from tests.patience import WAIT_S
from tests.surfaces.http.agents import (
    Frame,
    Line,
    answered,
    events,
    message,
    number_at,
    record,
    register,
    socket,
    socket_url,
    subscribe,
    unit,
)
from tests.surfaces.http.conftest import Serve, Served, serving, settings_for
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from muniment.compat.akashik import Credential, Field
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.principal import Grant
from muniment.surfaces.reception.server_context import system_now

Keyed = tuple[Served, str]


def began(client: httpx.Client) -> int:
    register(client, "ana", "ben")
    return number_at(subscribe(client, "ben"), "epoch")


def closed_with(line: ClientConnection) -> tuple[int, str]:
    """Listen to the end; how it ended."""
    for _ in messages(line):
        continue
    return line.close_code or 0, line.close_reason or ""


def messages(line: ClientConnection) -> Iterator[str | bytes]:
    """Everything that is sent until the line is closed."""
    ends = time.monotonic() + WAIT_S
    while time.monotonic() < ends:
        try:
            yield line.recv(timeout=WAIT_S)
        except ConnectionClosed:
            return


def turned_away(url: str, **headers: str) -> tuple[int, str]:
    """Status and code with which a WebSocket is refused."""
    with pytest.raises(InvalidStatus) as caught:
        connect(url, additional_headers=headers, open_timeout=WAIT_S)
    body = caught.value.response.body
    return caught.value.response.status_code, msgspec.json.decode(body or b"{}")["code"]


def test_a_silent_socket_shows_that_it_lives(serve: Serve) -> None:
    served = serve(heartbeat_seconds=0.1)
    with served.client() as client:
        after = began(client)
        with socket(socket_url(served.url, agent_id="ben", after=after)) as (line, _):
            assert [line.next() for _ in range(3)] == [Frame(epoch=after, notices=())] * 3


def test_silent_events_show_that_they_live_and_move_the_cursor(serve: Serve) -> None:
    served = serve(heartbeat_seconds=0.1)
    with served.client() as client:
        after = began(client)
        with events(client, f"/v1/events?agent_id=ben&after={after}") as line:
            assert line.next() == Frame(epoch=after, notices=())
            own = answered(client, message("RECORD", "ben", unit("Said by the listener")))
            assert line.until(number_at(own, "epoch")) == []


def test_events_say_when_to_come_again(served: Served) -> None:
    with served.client() as client:
        began(client)
        with client.stream("GET", "/v1/events", params={"agent_id": "ben"}) as response:
            assert response.headers["content-type"].startswith("text/event-stream")
            assert response.headers["cache-control"] == "no-store"
            assert next(response.iter_lines()) == "retry: 1000"


@pytest.mark.parametrize("key", [None, "nonsense", "mnk_aaaaaaaaaaaa_" + "A" * 43])
def test_no_stream_is_open_to_strangers(keyed: Keyed, key: str | None) -> None:
    served, _ = keyed
    headers = {"Authorization": f"Bearer {key}"} if key is not None else {}
    assert turned_away(socket_url(served.url, agent_id="ben"), **headers) == (401, "UNAUTHENTICATED")


def test_a_page_of_another_origin_opens_no_socket(served: Served) -> None:
    with pytest.raises(InvalidStatus) as caught:
        connect(socket_url(served.url), additional_headers={"Origin": "https://evil.example"}, open_timeout=WAIT_S)
    assert caught.value.response.status_code == 403


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"agent_id": "nobody"}, (400, "AGENT_NOT_REGISTERED")),
        ({"agent_id": "ben", "after": "x"}, (400, "INVALID_PAYLOAD")),
        ({"agent_id": "ben", "after": "-1"}, (400, "INVALID_PAYLOAD")),
        ({"agent_id": "ben", "after": "1000000"}, (400, "INVALID_PAYLOAD")),
        ({"agent_id": "ben", "key": "mnk"}, (400, "INVALID_PAYLOAD")),
        ({"ticket": "none"}, (401, "UNAUTHENTICATED")),
    ],
)
def test_a_stream_that_cannot_be_opened_says_why(
    served: Served, query: dict[str, str], expected: tuple[int, str]
) -> None:
    with served.client() as client:
        began(client)
        response = client.get("/v1/events", params=query)
    assert (response.status_code, response.json()["code"]) == expected
    assert turned_away(socket_url(served.url, **query)) == expected


def test_whoever_calls_the_socket_without_asking_for_one_is_told(served: Served) -> None:
    with served.client() as client:
        response = client.get("/v1/stream", params={"agent_id": "ben"})
    assert (response.status_code, response.headers["upgrade"]) == (426, "websocket")


def test_a_ticket_opens_one_stream_once_without_a_header(keyed: Keyed) -> None:
    served, key = keyed
    with served.client(key) as client:
        began(client)
        ticket = client.post("/v1/stream/ticket", json={"agent_id": "ben"}).json()["ticket"]
        url = socket_url(served.url, ticket=ticket)
        with socket(url) as (line, _):
            line.next()
            heard = record(client, "ana", "For the holder of a ticket")
            assert line.units(1) == [heard]
    assert turned_away(url) == (401, "UNAUTHENTICATED")


def test_a_ticket_is_for_one_agent_and_for_a_short_time(serve: Serve, keyed: Keyed) -> None:
    served, key = keyed
    with served.client(key) as client:
        began(client)
        ticket = client.post("/v1/stream/ticket", json={"agent_id": "ben"}).json()["ticket"]
        assert turned_away(socket_url(served.url, ticket=ticket, agent_id="ana")) == (401, "UNAUTHENTICATED")
    brief = serve(ticket_seconds=0.000001)
    with brief.client(key) as client:
        ticket = client.post("/v1/stream/ticket", json={"agent_id": "ben"}).json()["ticket"]
        assert turned_away(socket_url(brief.url, ticket=ticket)) == (401, "UNAUTHENTICATED")


def test_a_ticket_is_given_to_nobody_who_may_not_listen(keyed: Keyed) -> None:
    served, _ = keyed
    key = served.key(KeyRequest(name="writer", actor="ben", authority=4, grants=(Grant.WRITE,)))
    with served.client() as stranger, served.client(key) as writer:
        assert stranger.post("/v1/stream/ticket", json={"agent_id": "ben"}).status_code == 401
        assert writer.post("/v1/stream/ticket", json={"agent_id": "ben"}).status_code == 403
        assert writer.get("/v1/events", params={"agent_id": "ben"}).status_code == 403


def test_a_key_that_is_revoked_ends_its_streams(vault: Path, serve: Serve, keyed: Keyed) -> None:
    served = serve(recheck_seconds=0.1)
    found, secret = keys.create(vault, KeyRequest(name="b", actor="ben", authority=4), now=system_now())
    with served.client(keyed[1]) as owner, served.client(secret) as client:
        register(client, "ben")
        register(owner, "ana")
        subscribe(client, "ben")
        with socket(socket_url(served.url, agent_id="ben"), key=secret) as (line, open_socket):
            line.next()
            with events(client, "/v1/events?agent_id=ben") as other:
                other.next()
                keys.revoke(vault, found.id, now=system_now())
                record(owner, "ana", "Not for a revoked key")
                assert closed_with(open_socket) == (1008, "UNAUTHENTICATED")
                with pytest.raises(StopIteration):
                    other.until(2**53)
    assert line.notices + other.notices == []


def test_a_listener_who_leaves_the_field_hears_no_more(serve: Serve) -> None:
    served = serve(recheck_seconds=0.1)
    with served.client() as client:
        after = began(client)
        with socket(socket_url(served.url, agent_id="ben", after=after)) as (line, open_socket):
            line.next()
            answered(client, message("DEREGISTER", "ben", {"agent_id": "ben"}))
            record(client, "ana", "Said when nobody listened")
            assert closed_with(open_socket) == (1008, "AGENT_NOT_REGISTERED")


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("hello", 1007),
        ('{"ack": "1"}', 1007),
        ('{"ack": true}', 1007),
        ('{"ack": 1000000}', 1007),
        ('{"ack": 1, "more": 2}', 1007),
        (b'{"ack": 1}', 1003),
    ],
)
def test_a_client_says_how_far_it_has_read_and_nothing_else(served: Served, said: str | bytes, code: int) -> None:
    with served.client() as client:
        after = began(client)
        with socket(socket_url(served.url, agent_id="ben", after=after)) as (line, open_socket):
            line.next()
            open_socket.send(said)
            assert closed_with(open_socket)[0] == code


def test_an_ack_of_what_was_sent_is_taken_once(served: Served) -> None:
    with served.client() as client:
        after = began(client)
        with socket(socket_url(served.url, agent_id="ben", after=after)) as (line, open_socket):
            open_socket.send(msgspec.json.encode({"ack": line.next().epoch}).decode())
            heard = record(client, "ana", "After an ack")
            assert line.units(1) == [heard]
            open_socket.send(msgspec.json.encode({"ack": after}).decode())
            assert closed_with(open_socket)[0] == 1007


def test_one_actor_has_so_many_streams_and_gets_places_back(serve: Serve) -> None:
    served = serve(streams_per_actor=2)
    with served.client() as client:
        began(client)
        url = socket_url(served.url, agent_id="ben")
        with ExitStack() as stack:
            for _ in range(2):
                line, _ = stack.enter_context(socket(url))
                line.next()
            assert turned_away(url) == (429, "TOO_MANY_REQUESTS")
            response = client.get("/v1/events", params={"agent_id": "ben"})
            assert (response.status_code, response.headers["retry-after"]) == (429, "1")
        _opened_at_last(url)


def _opened_at_last(url: str) -> Line:
    """A place is free as soon as the server has seen that a listener left."""
    deadline = time.monotonic() + WAIT_S
    while True:
        try:
            with socket(url) as (line, _):
                line.next()
                return line
        except InvalidStatus:
            assert time.monotonic() < deadline, "the place was never given back"


def test_streams_end_with_a_word_when_the_server_closes(tmp_path: Path) -> None:
    with serving(settings_for(tmp_path / "vault")) as served, served.client() as client:
        began(client)
        with (
            socket(socket_url(served.url, agent_id="ben")) as (line, open_socket),
            client.stream("GET", "/v1/events", params={"agent_id": "ben"}) as response,
        ):
            line.next()
            lines = response.iter_lines()
            next(lines)
            served.stop()
            assert closed_with(open_socket)[0] == 1001
            assert [one for one in lines if one][-1] == ": the server closes; resume from the last id"


def test_a_listener_that_drops_off_gives_its_place_back_and_resumes(serve: Serve) -> None:
    served = serve(streams_per_actor=1)
    with served.client() as client:
        after = began(client)
        with socket(socket_url(served.url, agent_id="ben", after=after)) as (line, open_socket):
            heard = [record(client, "ana", "Heard before the line broke")]
            assert line.units(1) == heard
            open_socket.socket.shutdown(sockets.SHUT_RDWR)
        missed = record(client, "ana", "Said while nobody listened")
        assert _opened_at_last(socket_url(served.url, agent_id="ben", after=line.cursor)).units(1) == [missed]


def test_what_others_write_into_the_vault_is_heard_too(served: Served) -> None:
    """The server is not told of it; it looks."""
    with served.client() as client:
        after = began(client)
        with socket(socket_url(served.url, agent_id="ben", after=after)) as (line, _):
            line.next()
            elsewhere = Field(served.memory)
            owner = Credential(actor=served.memory.actor, agents=("*",))
            answer = elsewhere.send(message("RECORD", "ana", unit("Written behind the server's back")), owner)
            assert line.units(1) == [answer["memory_unit_id"]]


def test_a_reader_that_does_not_read_is_paused_then_closed_and_can_resume(serve: Serve) -> None:
    """Nothing is read while much more happens than the lines hold. The server keeps none of it for these readers: what
    was on a line is read later, then the line ends; the rest is told to whoever resumes."""
    served = serve(stall_seconds=0.2)
    with served.client() as client:
        register(client, "ana", "ben")
        after = max(number_at(subscribe(client, "ben"), "epoch") for _ in range(SUBSCRIPTIONS))
        url = socket_url(served.url, agent_id="ben", after=after)
        with connect(url, sock=_narrow(served), max_queue=1, ping_interval=None) as slow, _narrow(served) as other:
            other.sendall(f"GET /v1/events?agent_id=ben&after={after} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            recorded = [record(client, "ana", f"Cart {number} has arrived") for number in range(RECORDS)]
            frames = [msgspec.json.decode(text, type=Frame) for text in messages(slow)]
            events_read = _read_to_the_end(other)
        assert slow.close_code == 1013
        assert events_read.endswith(b": nothing was read for too long; resume from the last id\n\n\r\n0\r\n\r\n")
        heard = _units(frames)
        assert len(heard) < RECORDS
        patient = serve()
        with socket(socket_url(patient.url, agent_id="ben", after=frames[-1].epoch)) as (line, _):
            line.units(SUBSCRIPTIONS * (RECORDS - len(heard)))
            assert heard + _units(line.heard) == recorded


SUBSCRIPTIONS, RECORDS = 100, 300


def _narrow(served: Served) -> sockets.socket:
    """A line that holds little."""
    line = sockets.socket()
    line.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
    line.settimeout(WAIT_S)
    line.connect(served.address)
    return line


def _read_to_the_end(line: sockets.socket) -> bytes:
    """Everything that comes until the last piece of a chunked body."""
    found = bytearray()
    while not found.endswith(b"0\r\n\r\n"):
        piece = line.recv(65_536)
        assert piece, "it broke off without a word"
        found += piece
    return bytes(found)


def _units(frames: list[Frame]) -> list[str]:
    """The units in the order in which they were told, each subscription telling of each once."""
    told = [(str(one.memory_unit_id), one.subscription_id) for frame in frames for one in frame.notices]
    assert len(set(told)) == len(told)
    found = list(dict.fromkeys(unit_id for unit_id, _ in told))
    assert len(told) == SUBSCRIPTIONS * len(found)
    return found
