"""Whatever callers say, in good form or bad, to any surface: none of it is in the log, the figures or the spans."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import httpx
import pytest
from tests.surfaces.http.conftest import Served, serving, settings_for

from muniment import Memory
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.keys import KeyRequest
from muniment.surfaces.reception.server_context import system_now

SECRET_FROM = len("mnk_") + 12 + len("_")
"""Where the secret of a key begins. It may hold the sign that parts it from what is before."""


class Sayings:
    """Makes words nobody else uses, and remembers them."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self.all: list[str] = []

    def __call__(self, about: str = "thing") -> str:
        word = f"zq{next(self._numbers):04d}{about}"
        self.all.append(word)
        return word


@pytest.fixture
def libraries() -> Iterator[None]:
    """Puts the standard library's logging back as it was."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def envelope(operation: str, number: str, payload: dict[str, object]) -> dict[str, object]:
    return {
        "protocol": "akashik",
        "version": "0.1.0",
        "id": number,
        "operation": operation,
        "agent_id": "ana",
        "session_id": None,
        "epoch": 0,
        "payload": payload,
    }


def field_session(client: httpx.Client, say: Sayings) -> None:
    """An agent's day over Akashik."""

    def send(operation: str, number: str, payload: dict[str, object]) -> httpx.Response:
        answer = client.post(f"/v1/{operation.lower()}", json=envelope(operation, number, payload))
        assert answer.status_code == 200, answer.text
        return answer

    send("REGISTER", "m1", {"id": "ana", "role": say("role"), "interests": [say("interest")]})
    unit = send(
        "RECORD",
        "m2",
        {
            "mode": "committed",
            "type": "finding",
            "content": f"The {say('server')} runs {say('system')}",
            "intent": {"purpose": say("purpose"), "question": say("question")},
            "confidence": {"score": 0.8, "reasoning": say("reasoning"), "evidence": [say("evidence")]},
        },
    ).json()["memory_unit_id"]
    send("ATTUNE", "m3", {"scope": {"role": say("asked"), "max_units": 5, "interests": [say("cares")]}})
    send("REPLAY", "m4", {"target_type": "memory_unit", "target_id": unit, "depth": "summary"})
    client.post("/v1/x/retract", json={"agent_id": "ana", "memory_unit_id": unit, "reason": say("reason")})


def native_session(client: httpx.Client, say: Sayings) -> None:
    """The same over the native API, with a revision, an outcome and a retraction."""
    made = client.post(
        "/api/memories",
        json={"content": f"The {say('door')} is {say('colour')}", "evidence": [say("ticket")], "purpose": say("aim")},
    )
    assert made.status_code == 201, made.text
    record = made.json()["record_id"]
    asked = client.post("/api/recall", json={"query": f"what colour has the {say('query')}?"})
    assert asked.status_code == 200, asked.text
    client.post("/api/attune", json={"role": say("role"), "task": say("task")})
    client.post(
        f"/api/records/{record}/revisions",
        headers={"If-Match": client.get(f"/api/records/{record}").headers["etag"]},
        json={"content": f"The door is {say('repainted')}"},
    )
    client.post(f"/api/records/{record}/outcomes", json={"result": "helpful", "evidence": say("proof")})
    client.post(f"/api/records/{record}/retraction", json={"reason": say("because")})


def tools_session(client: httpx.Client, say: Sayings) -> None:
    """A tool called over MCP, rightly and wrongly."""
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    for number, arguments in enumerate(({"text": say("tool")}, {say("unknown"): say("value")}), start=1):
        call = {"name": "recall", "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}
        client.post("/mcp?tools=all", json=body, headers=headers)
    client.post("/mcp?tools=all", content=f'{{"jsonrpc": "{say("broken")}', headers=headers)


def bad_session(client: httpx.Client, say: Sayings) -> None:
    """Everything that can be said wrongly."""
    form = {"Content-Type": "application/json"}
    for path in ("/v1/record", "/v1/attune", "/api/recall", "/api/memories"):
        client.post(path, content=f'{{"content": "{say("cut")}', headers=form)
        client.post(path, content=f'["{say("list")}"]', headers=form)
        client.post(path, json={say("name"): say("value")})
        client.post(path, content=say("plain"), headers={"Content-Type": "text/plain"})
        client.get(path, params={say("param"): say("value")})
    client.get(f"/{say('path')}/{say('deeper')}", params={"q": say("search")})
    client.get(f"/api/records/{say('record')}")
    client.get("/api/records", headers={"Cookie": f"session={say('cookie')}", "User-Agent": say("agent")})
    client.request(say("method").upper(), "/api/records")
    client.get("/api/records", headers={"Authorization": f"Bearer {say('token')}"})
    client.get("/api/records", headers={"Authorization": f"Basic {say('basic')}"})
    client.get("/api/records", headers={"Host": f"{say('host')}.example"})
    client.get("/api/records", headers={"Origin": f"https://{say('origin')}.example"})
    client.post("/v1/record", headers={"Akashik-Agent": say("header"), **form}, content=b"{}")
    client.get("/healthz", headers={"X-Request-Id": f"{say('id')} with spaces", "traceparent": say("trace")})


@pytest.mark.usefixtures("libraries")
@pytest.mark.parametrize("form", ["json", "text"])
def test_nothing_a_caller_says_is_logged_or_counted(vault: Path, form: str, capfd: pytest.CaptureFixture[str]) -> None:
    with Memory.open(vault):
        _, key = keys.create(vault, KeyRequest.everything("ana"), now=system_now())
    say = Sayings()
    with serving(settings_for(vault, log_format=form, log_level="debug")) as served:
        served.reception.telemetry.log.install()
        _everything(served, key, say)
        with served.client() as client:
            page = client.get("/metrics").text
    log = capfd.readouterr().err

    assert len(say.all) > 50
    assert log.count("/v1/record") >= 5
    assert log.count("/api/memories") >= 5
    assert log.count("unauthenticated") >= 2
    assert [word for word in say.all if word.lower() in log.lower()] == []
    assert [word for word in say.all if word.lower() in page.lower()] == []
    assert key not in log
    assert key[SECRET_FROM:] not in log


def _everything(served: Served, key: str, say: Sayings) -> None:
    with served.client(key) as client:
        field_session(client, say)
        native_session(client, say)
        tools_session(client, say)
        bad_session(client, say)
