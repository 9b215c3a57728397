"""The endpoint under bad input, with clients that go away, and across restarts: the right answer, and alive."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio
import httpx
import pytest
from tests.docs.pages import ROOT
from tests.patience import WAIT_S
from tests.support.postgres import free_port
from tests.surfaces.http.conftest import Served, serving, settings_for
from tests.surfaces.mcp.talking import LEGACY, MODERN, talking_to

from muniment.contracts.strict import reader
from muniment.contracts.strict.reader import ReaderLimits
from muniment.surfaces.mcp import endpoint

HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
DEEP = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b'{"a":' * 200 + b"1" + b"}" * 201


def alive(server: Served) -> bool:
    with talking_to(f"{server.url}/mcp") as talk:
        return not talk.call("recall", query="anything").failed


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32700),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud800"}}', -32700),
        (DEEP, -32700),
        (b"[]", -32600),
        (b'"ping"', -32600),
        (b'{"id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1}', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
    ],
)
def test_a_body_that_is_no_message_gets_a_json_rpc_error(body: bytes, code: int, served: Served) -> None:
    with served.client() as client:
        answer = client.post("/mcp?tools=all", content=body, headers=HEADERS)

    assert (answer.status_code, answer.json()["error"]["code"], answer.json()["id"]) == (400, code, None)
    assert alive(served)


def test_a_large_body_is_read_beside_the_loop(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is dear to read holds up nobody else."""
    readers = set()

    def read(body: bytes, *, limits: ReaderLimits) -> object:
        readers.add((len(body) > endpoint.SMALL, threading.current_thread().name.startswith("muniment-call")))
        return reader.read_json(body, limits=limits)

    monkeypatch.setattr(endpoint, "read_json", read)
    with served.client() as client:
        for size in (10, 100_000):
            ping = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"_meta": {"x": "a" * size}}}
            assert client.post("/mcp?tools=all", json=ping, headers=HEADERS).json()["result"] == {}

    assert readers == {(False, False), (True, True)}


def test_a_message_that_is_wrong_is_not_quoted_back(served: Served) -> None:
    secret = "ghp_" + "a1B2" * 9
    sent = [
        {"jsonrpc": "2.0", "id": {secret: 1}, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": {"a": secret}}},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": secret}},
        {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": f"muniment://record/{secret}"}},
    ]
    with served.client() as client:
        told = [client.post("/mcp?tools=all", json=one, headers=HEADERS).text for one in sent]

    assert all('"error"' in one for one in told)
    assert not any(secret in one for one in told)


def test_a_body_that_is_too_large_is_refused(served: Served) -> None:
    with served.client() as client:
        answer = client.post("/mcp?tools=all", content=b" " * 1_048_577, headers=HEADERS)

    assert (answer.status_code, answer.json()["code"]) == (413, "limit_exceeded")
    assert alive(served)


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_only_messages_are_taken(method: str, served: Served) -> None:
    with served.client() as client:
        answer = client.request(method, "/mcp", headers=HEADERS)

    assert (answer.status_code, answer.json()["code"], answer.headers["allow"]) == (405, "method_not_allowed", "POST")


def test_an_unknown_method_is_told(served: Served) -> None:
    with served.client() as client:
        message = {"jsonrpc": "2.0", "id": 7, "method": "tools/destroy"}
        answer = client.post("/mcp?tools=all", json=message, headers=HEADERS).json()

    assert (answer["id"], answer["error"]["code"]) == (7, -32601)


def test_a_client_that_goes_away_leaves_the_server_alive(served: Served) -> None:
    message = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"queue","arguments":{}}}'
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: {httpx.URL(served.url).netloc.decode()}\r\nContent-Type: application/json\r\n"
        f"Accept: application/json, text/event-stream\r\nContent-Length: {len(message)}\r\n\r\n"
    ).encode()
    for sent in (head, head + message[:20], head + message):
        with socket.create_connection(served.address, timeout=WAIT_S) as wire:
            wire.sendall(sent)

    assert alive(served)


@pytest.mark.parametrize("mode", [MODERN, LEGACY])
def test_a_call_that_is_given_up_leaves_the_conversation_alive(mode: str, served: Served) -> None:
    served.memory.remember("The nightly build takes 40 minutes")
    with talking_to(f"{served.url}/mcp", mode=mode) as talk:

        async def give_up() -> bool:
            with anyio.move_on_after(0) as scope:
                await talk.client.call_tool("remember", {"content": "The build is green", "proposal_id": "prp-1"})
            return scope.cancelled_caught

        assert talk.run(give_up)
        again = talk.call("remember", content="The build is green", proposal_id="prp-1")

    assert again.document["outcome"] == "committed"
    assert served.memory.insight.stats().current == 2
    assert served.memory.ledger.verify().ok


@pytest.mark.parametrize("mode", [MODERN, LEGACY])
def test_a_restart_of_the_server_goes_unnoticed(mode: str, vault: Path) -> None:
    port = free_port()
    with serving(settings_for(vault, port=port)) as first, talking_to(f"{first.url}/mcp", mode=mode) as talk:
        talk.call("remember", content="The nightly build takes 40 minutes")
        first.stop()
        first.reception.close()
    with serving(settings_for(vault, port=port)) as second, talking_to(f"{second.url}/mcp", mode=mode) as talk:
        assert len(talk.call("recall", query="nightly build").document["records"]) == 1


def test_many_clients_at_once_lose_nothing(served: Served) -> None:
    def write(number: int) -> list[str]:
        with talking_to(f"{served.url}/mcp") as talk:
            said = [talk.call("remember", content=f"Writer {number} counted to {count}") for count in range(5)]
        return [one.document["record_id"] for one in said]

    with ThreadPoolExecutor(6) as pool:
        names = [name for many in pool.map(write, range(6)) for name in many]

    assert len(set(names)) == 30
    assert all(served.memory.get(name).record.content.startswith("Writer ") for name in names)
    assert served.memory.ledger.verify().ok


def test_a_server_without_the_sdk_says_so_and_does_everything_else(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    with served.client() as client:
        answer = client.post("/mcp?tools=all", json={"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers=HEADERS)
        health = client.get("/healthz")

    assert (answer.status_code, answer.json()["code"]) == (501, "not_offered")
    assert "muniment[mcp]" in answer.json()["hint"]
    assert health.status_code == 200


def test_starting_a_server_does_not_load_the_sdk(vault: Path) -> None:
    program = (
        "import sys\n"
        "from tests.surfaces.http.conftest import serving, settings_for\n"
        "from pathlib import Path\n"
        "with serving(settings_for(Path(sys.argv[1]))):\n"
        "    print('mcp' in sys.modules)\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", program, str(vault)], cwd=ROOT, capture_output=True, timeout=WAIT_S, check=True
    )

    assert found.stdout.split() == [b"False"]
