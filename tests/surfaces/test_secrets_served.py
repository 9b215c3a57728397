"""Whatever sort of secret is sent to a server, in good form or bad: no file, log, span, figure or refusal has it.

The server runs in a process of its own, logs everything, traces with content, and is killed in the end.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import msgspec
import pytest
from tests.contracts.samples import sample
from tests.patience import WAIT_S
from tests.unit.world import all_bytes
from tests.unit.write.planted import STRICT, Planted, found_in, planted, spellings

from muniment import Memory
from muniment.compat.exchange import read_in
from muniment.contracts.registry import ContractName
from muniment.model.errors import MunimentError

POLICY = (
    """\
version: 1
name: served
actors: {owner: {type: person, roles: [owner], authority: 10}, "*": {projects: [default], authority: 6}}
write: [{id: all, decision: commit, reason: may}]
read: [{id: all-read, member: false}]
review: [{id: all-review, actions: [accept, discard, retract, queue, audit, forget, observe, import, name]}]
"""
    + STRICT
)
SETTINGS = 'traces = "console"\ntrace_content = true\nlog_format = "json"\nlog_level = "debug"\n'
GREETING = 7
CONTACTS = ("email", "phone", "ip address", "birth date")
"""Sorts that are allowed where no policy is at hand: before a caller is known, and in the words of a refusal."""


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """A server in a process of its own; in the end it is killed, as by a crash."""
    (folder / "policy.yaml").write_text(POLICY)
    (folder / "settings.toml").write_text(SETTINGS)
    ours = {name: value for name, value in os.environ.items() if not name.startswith("MUNIMENT_")}
    words = ("--policy", "policy.yaml", "serve", "--port", "0", "--config", "settings.toml")
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "muniment", *words],
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=folder,
            env={**ours, "MUNIMENT_EMBEDDER": "none", "MUNIMENT_VAULT": str(folder / "vault")},
        )
        assert server.stdout is not None
        try:
            said = "".join(server.stdout.readline().decode() for _ in range(GREETING))
            found = re.search(r"http://\S+", said)
            assert found is not None, said
            yield found[0]
        finally:
            server.send_signal(signal.SIGKILL)
            server.wait(timeout=WAIT_S)
            server.stdout.close()


def _native(client: httpx.Client, text: str, number: int) -> Iterator[httpx.Response]:
    made = client.post(
        "/api/memories",
        json={
            "content": f"It is {text} here",
            "evidence": [text],
            "reasoning": text,
            "purpose": text,
            "entities": [text],
        },
        headers={"Idempotency-Key": f"key-{number}"},
    )
    yield made
    record = made.json()["record_id"] if made.status_code == 201 else "rec_1"
    yield client.post("/api/memories", json={"content": "x", "slot": {"subject": text, "key": text, "value": text}})
    yield client.post("/api/recall", json={"query": f"where is {text}?"})
    yield client.post("/api/attune", json={"role": text, "task": text})
    yield client.post(f"/api/records/{record}/outcomes", json={"result": "helpful", "evidence": text})
    yield client.post(f"/api/records/{record}/retraction", json={"reason": text})
    yield client.post(
        "/api/memories", json={"content": "x", "namespace": f"/{text}", "owner": text, "session_id": text}
    )


def _wrong(client: httpx.Client, one: Planted) -> Iterator[httpx.Response]:
    text = one.text
    plain = text.encode("ascii", "backslashreplace").decode().replace("\n", " ")
    word = re.sub(r"[^!-~]+", "-", text)
    yield client.post("/api/memories", content=f'{{"content": "{plain}'.encode())
    yield client.post("/api/memories", json={text: text})
    yield client.post("/api/memories", json={"content": {"x": text}, "kind": text, "confidence": text})
    yield client.post("/api/memories", json={"content": "x"}, headers={"Idempotency-Key": word[:255]})
    yield client.post("/api/recall", json=[text])
    yield client.get("/api/records", params={"status": text, text: text})
    yield client.get(f"/api/records/{httpx.URL('', params={'q': text}).query.decode()}")
    yield client.get("/api/records", headers={"Authorization": f"Bearer {word}"})
    if one.sort not in CONTACTS:
        yield client.get("/api/records", headers={"X-Request-Id": word[:64]})
    yield client.get("/api/records", headers={"Cookie": f"session={word}", "User-Agent": word, "traceparent": word})


def _field(client: httpx.Client, text: str, number: int) -> Iterator[httpx.Response]:
    def send(operation: str, payload: dict[str, object], name: str) -> httpx.Response:
        envelope = {"protocol": "akashik", "version": "0.1.0", "id": name, "operation": operation}
        whole = {**envelope, "agent_id": "ana", "session_id": None, "epoch": 0, "payload": payload}
        return client.post(f"/v1/{operation.lower()}", json=whole)

    yield send("REGISTER", {"id": "ana", "role": "scout", "interests": ["doors"]}, f"m{number}-1")
    yield send("REGISTER", {"id": "ana", "role": text, "interests": [text]}, f"m{number}-2")
    unit: dict[str, object] = {
        "mode": "committed",
        "type": "finding",
        "content": f"It is {text}",
        "intent": {"purpose": text},
    }
    yield send("RECORD", {**unit, "confidence": {"score": 0.8, "reasoning": text, "evidence": [text]}}, f"m{number}-3")
    yield send("RECORD", {"type": text, "content": [text]}, f"m{number}-4")
    yield send("ATTUNE", {"scope": {"role": text, "max_units": 5, "interests": [text]}}, f"m{number}-5")
    yield send("REPLAY", {"target_type": "memory_unit", "target_id": text, "depth": "summary"}, f"m{number}-6")
    yield send("RECORD", unit, text)


def _tools(client: httpx.Client, text: str, number: int) -> Iterator[httpx.Response]:
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    calls: list[tuple[str, dict[str, object]]] = [
        ("remember", {"content": f"It is {text}", "evidence": [text]}),
        ("recall", {"query": f"what is {text}?"}),
        ("recall", {text: text}),
        (text, {"text": text}),
        ("get", {"record_id": text}),
    ]
    for place, (name, arguments) in enumerate(calls):
        params = {"name": name, "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 10 * number + place, "method": "tools/call", "params": params}
        yield client.post("/mcp?tools=all", json=body, headers=headers)


def _said(one: Planted, sought: dict[bytes, str], answers: Iterator[httpx.Response]) -> tuple[int, list[str]]:
    """How many of the answers were good, and where a refusal repeats what was sent."""
    good, told = 0, []
    for answer in answers:
        good += answer.is_success
        found = found_in(answer.content, sought) if not answer.is_success and one.sort not in CONTACTS else []
        told += [f"{one.sort}: {answer.request.url.path} {answer.status_code}: {name}" for name in found]
    return good, told


@pytest.mark.slow
def test_no_sort_of_secret_is_kept_logged_traced_or_repeated_by_a_server(tmp_path: Path) -> None:
    values = planted("served")
    sought = spellings(values)
    good = 0
    told: list[str] = []
    with running(tmp_path) as url, httpx.Client(base_url=url, timeout=WAIT_S) as client:
        for number, one in enumerate(values):
            parts = (
                _native(client, one.text, number),
                _field(client, one.text, number),
                _tools(client, one.text, number),
            )
            for answers in (*parts, _wrong(client, one)):
                fine, repeated = _said(one, sought, answers)
                good, told = good + fine, told + repeated
        told += found_in(client.get("/metrics").content, sought)
    log = (tmp_path / "server.log").read_bytes()
    assert good > 8 * len(values)
    assert (log.count(b"/api/memories") > 50, log.count(b"muniment.propose") > 50, b"It is" in log) == (
        True,
        True,
        True,
    )
    assert told == []
    assert found_in(log, sought) == []
    assert found_in(all_bytes(tmp_path), sought) == []


def _swapped(data: bytes, text: str) -> Iterator[bytes]:
    """A contract's sample with a text in the place of each of its longer texts, one at a time."""
    said = msgspec.json.encode(text)
    for hit in re.finditer(rb'(?<=: )"[^"\\]{12,}"|(?<=:)"[^"\\]{12,}"', data):
        yield data[: hit.start()] + said + data[hit.end() :]


@pytest.mark.parametrize("name", list(ContractName))
def test_no_sort_of_secret_comes_in_with_a_file(tmp_path: Path, name: ContractName) -> None:
    values = planted(f"file {name}")
    sought = spellings(values)
    (tmp_path / "policy.yaml").write_text(POLICY)
    taken, told = 0, []
    with Memory.open(tmp_path / "vault", policy=tmp_path / "policy.yaml") as memory:
        for number, data in enumerate(_swapped(sample(name), "PLACE")):
            one = values[number % len(values)]
            changed = data.replace(b'"PLACE"', msgspec.json.encode(f"see {one.text}"))
            try:
                told.append(repr(read_in(memory, name, changed)))
                taken += 1
            except MunimentError as error:
                told.append(f"{error!r} {error.hint}")
    assert taken >= 1
    assert found_in("\n".join(told).encode(), sought) == []
    assert found_in(all_bytes(tmp_path), sought) == []


def test_the_command_line_repeats_no_secret(tmp_path: Path) -> None:
    values = planted("line")
    (tmp_path / "policy.yaml").write_text(POLICY)
    sought, said = spellings(values), b""
    for one in values[::9]:
        for words in (
            ["remember", one.text, "--evidence", one.text],
            ["recall", one.text],
            ["get", one.text],
            ["retract", one.text, "--reason", one.text],
            ["remember", "x", "--kind", one.text],
            ["--as", one.text, "recall", "x"],
        ):
            ran = subprocess.run(
                [sys.executable, "-m", "muniment", "--vault", "vault", "--policy", "policy.yaml", "--debug", *words],
                cwd=tmp_path,
                capture_output=True,
                timeout=WAIT_S,
                check=False,
                env={**os.environ, "MUNIMENT_EMBEDDER": "none"},
            )
            said += ran.stdout + ran.stderr
    assert b"redacted:" in all_bytes(tmp_path)
    assert found_in(said, spellings(one for one in values if one.sort not in CONTACTS)) == []
    assert found_in(all_bytes(tmp_path), sought) == []
