"""Agents of a field over the wire: messages they send, streams they listen to. Knows no expected value."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import httpx
import msgspec
from tests.patience import WAIT_S
from websockets.sync.client import ClientConnection, connect

from muniment.contracts.strict.reader import read_json
from muniment.contracts.strict.values import Json, JsonObject

EVENTS = ("memory.recorded",)
_NUMBERS = count(1)


def message(
    operation: str, agent: str, payload: JsonObject, *, name: str | None = None, session: str | None = None
) -> JsonObject:
    """An envelope. Each has a name of its own unless one is given."""
    return {
        "protocol": "akashik",
        "version": "0.1.0",
        "id": name or f"m-{next(_NUMBERS)}",
        "operation": operation,
        "agent_id": agent,
        "session_id": session,
        "epoch": 0,
        "payload": payload,
    }


def unit(content: str, *, mode: str = "committed") -> JsonObject:
    """The payload of a RECORD."""
    return {
        "mode": mode,
        "type": "observation",
        "content": content,
        "intent": {"purpose": "keep the team informed"},
        "confidence": {"score": 0.8, "reasoning": "seen with my own eyes"},
    }


def sent(client: httpx.Client, said: JsonObject) -> httpx.Response:
    """Send an envelope to the path of its operation."""
    return client.post(f"/v1/{str(said['operation']).lower()}", json=said)


def answered(client: httpx.Client, said: JsonObject) -> JsonObject:
    """The same where nothing goes wrong."""
    response = sent(client, said)
    assert response.status_code == 200, response.text
    answer = read_json(response.content)
    assert isinstance(answer, dict)
    return answer


def register(client: httpx.Client, *agents: str) -> None:
    for agent in agents:
        answered(client, message("REGISTER", agent, {"id": agent, "role": "scout"}))


def record(client: httpx.Client, agent: str, content: str, *, session: str | None = None) -> str:
    """Record a unit; its id."""
    found = answered(client, message("RECORD", agent, unit(content), session=session))
    return str(found["memory_unit_id"])


class _Unit(msgspec.Struct):
    id: str
    content: str


class _Scoped(msgspec.Struct):
    memory_unit: _Unit


class _Attuned(msgspec.Struct):
    record: list[_Scoped]


def attuned(client: httpx.Client, agent: str) -> dict[str, str]:
    """What an agent sees: units by id, and what they say."""
    response = sent(client, message("ATTUNE", agent, {"scope": {"role": "scout", "max_units": 50}}))
    found = msgspec.json.decode(response.content, type=_Attuned)
    return {one.memory_unit.id: one.memory_unit.content for one in found.record}


def subscribe(client: httpx.Client, agent: str, *events: str, **wish: Json) -> JsonObject:
    """Subscribe; the whole answer."""
    subscription: JsonObject = {"events": list(events or EVENTS), **wish}
    return answered(client, message("SUBSCRIBE", agent, {"action": "subscribe", "subscription": subscription}))


def at(document: Json, *path: str) -> Json:
    """What stands at a place of a document."""
    for name in path:
        assert isinstance(document, dict)
        document = document[name]
    return document


def text_at(document: Json, *path: str) -> str:
    found = at(document, *path)
    assert isinstance(found, str)
    return found


def number_at(document: Json, *path: str) -> int:
    found = at(document, *path)
    assert isinstance(found, int)
    return found


def contradicting(target: str, content: str) -> JsonObject:
    """The payload of a RECORD that contradicts another unit."""
    against: JsonObject = {"type": "contradicts", "target_id": target, "description": "it is otherwise"}
    return {**unit(content), "relations": [against]}


class Notice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A notification: the eight fields that the protocol gives it, and no other."""

    subscription_id: str
    event: str
    epoch: int
    relevance_score: float
    summary: str
    memory_unit_id: str | None
    conflict_id: str | None
    requires_action: bool


class Frame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A frame as it arrives."""

    epoch: int
    notices: tuple[Notice, ...]


class Line:
    """What one listener hears, whichever way it comes."""

    def __init__(self, frames: Iterator[Frame]) -> None:
        self._frames = frames
        self._ends = time.monotonic() + WAIT_S
        self.heard: list[Frame] = []

    def next(self) -> Frame:
        """The next frame, a heartbeat too."""
        assert time.monotonic() < self._ends, "nothing but heartbeats"
        self.heard.append(next(self._frames))
        return self.heard[-1]

    def units(self, number: int) -> list[str]:
        """Listen until so many notices were heard on this line; the units they speak of."""
        while len(self.notices) < number:
            self.next()
        return [str(one.memory_unit_id) for one in self.notices]

    def until(self, epoch: int) -> list[str]:
        """Listen until a frame tells everything up to an epoch; the units that notices speak of."""
        while not self.heard or self.heard[-1].epoch < epoch:
            self.next()
        return [str(one.memory_unit_id) for one in self.notices]

    @property
    def cursor(self) -> int:
        return self.heard[-1].epoch

    @property
    def notices(self) -> list[Notice]:
        return [notice for frame in self.heard for notice in frame.notices]


def socket_url(url: str, **query: str | int) -> str:
    """Where frames are heard, which say up to which epoch they tell everything."""
    return str(httpx.URL(url.replace("http", "ws", 1) + "/v1/stream", params={"frames": "true", **query}))


@contextmanager
def socket(url: str, *, key: str | None = None) -> Iterator[tuple[Line, ClientConnection]]:
    """Listen over a WebSocket."""
    headers = {"Authorization": f"Bearer {key}"} if key is not None else {}
    with connect(url, additional_headers=headers, open_timeout=WAIT_S, close_timeout=WAIT_S) as open_socket:
        yield Line(_messages(open_socket)), open_socket


def _messages(open_socket: ClientConnection) -> Iterator[Frame]:
    while True:
        yield msgspec.json.decode(open_socket.recv(timeout=WAIT_S), type=Frame)


@contextmanager
def events(client: httpx.Client, url: str = "/v1/events", *, last: int | None = None) -> Iterator[Line]:
    """Listen to Server-Sent Events."""
    headers = {"Last-Event-ID": str(last)} if last is not None else {}
    with client.stream("GET", url, headers=headers, timeout=WAIT_S) as response:
        assert response.status_code == 200, response.read()
        yield Line(_dispatched(response.iter_lines()))


def _dispatched(lines: Iterator[str]) -> Iterator[Frame]:
    """Events as a browser would dispatch them; one with an id alone moves the cursor and is told as a silent frame."""
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(": ")
        if line and name:
            fields[name] = value
        elif not line and fields.get("event") == "notices":
            frame = msgspec.json.decode(fields["data"], type=Frame)
            assert fields["id"] == str(frame.epoch)
            yield frame
        elif not line and "id" in fields:
            yield Frame(epoch=int(fields["id"]), notices=())
        if not line:
            fields = {}
