"""After an erasure and the end of the process the erased words are in no file: by the command line, and served.

Every file of the vault, of the folder worked in, of the home and of the temporary folder is searched, the server's log
among them, for the words in every disguise that `tests.surfaces.traces` knows.
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
from typing import Any

import httpx
import msgspec
import pytest
from tests.patience import WAIT_S
from tests.surfaces.traces import traces

WHO = "Ottoline Quillfeather"
ALSO = ("Quillfeather", "Widdershins")
SAID = (
    "Ottoline Quillfeather moved to Åsgårdstrand and is treated for hyperthyroidism",
    "Ottoline Quillfeather now lives with Bartholomeus Snickersnee",
    "Parcels for Åsgårdstrand travel by the Snickersnee ferry",
    "Never telephone Widdershins before luncheon",
    "Perhaps Quillfeather prefers gooseberries",
)
KEPT = "The lighthouse was repainted in vermilion"
GONE = (WHO, "Widdershins", "Åsgårdstrand", "hyperthyroidism", "Bartholomeus Snickersnee", "luncheon", "gooseberries")
"""The words of it that no program says by itself; each is looked for alone."""
COMMANDS = """
import json, sys
from muniment.surfaces.cli import run
for line in sys.stdin:
    code = run([*json.loads(line), "--json"])
    sys.stdout.buffer.write(b"\\x01%d\\n" % code)
    sys.stdout.buffer.flush()
"""
Json = Any  # what a command answers is for the test to say


def _environment(folder: Path) -> dict[str, str]:
    for name in ("home", "temp"):
        (folder / name).mkdir(exist_ok=True)
    ours = {name: value for name, value in os.environ.items() if not name.startswith("MUNIMENT_")}
    homes = {"HOME": str(folder / "home"), "TMPDIR": str(folder / "temp"), "SQLITE_TMPDIR": str(folder / "temp")}
    return {**ours, **homes, "MUNIMENT_EMBEDDER": "none"}


class Lines:
    """Command lines, one after the other, in a process that ends with the block."""

    def __init__(self, folder: Path) -> None:
        self._running = subprocess.Popen(
            [sys.executable, "-c", COMMANDS],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
            env=_environment(folder),
        )

    def __call__(self, *words: str, code: int = 0) -> Json:
        """Run one command; what it answers."""
        assert self._running.stdin is not None
        assert self._running.stdout is not None
        self._running.stdin.write(msgspec.json.encode(words) + b"\n")
        self._running.stdin.flush()
        answer = b""
        while not (line := self._running.stdout.readline()).startswith(b"\x01"):
            assert line, "the process has ended"
            answer += line
        assert int(line[1:]) == code, words
        return msgspec.json.decode(answer) if answer else None

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        self._running.communicate(timeout=WAIT_S)


def _muniment(folder: Path, *words: str) -> Json:
    """One command in a process of its own."""
    with Lines(folder) as muniment:
        return muniment(*words)


@pytest.fixture
def told(tmp_path: Path) -> str:
    """A vault in which somebody is spoken of in every way there is; returns the first record."""
    with Lines(tmp_path) as muniment:
        muniment("init")
        made = muniment("remember", SAID[0], "--evidence", "letter of Ottoline Quillfeather", "--source", "Snickersnee")
        first = str(made["record_id"])
        muniment("revise", first, SAID[1])
        muniment("remember", SAID[2], "--derived-from", first, "--reasoning", "she lives in Åsgårdstrand now")
        muniment("remember", KEPT, "--subject", "lighthouse", "--key", "colour", "--value", "vermilion")
        for name in ALSO:
            muniment("alias", name, WHO)
        muniment("recall", "where does Ottoline Quillfeather live?")
        muniment("recall", "Snickersnee ferry Åsgårdstrand hyperthyroidism")
        muniment("attune", "--task", "write to Quillfeather", "--interest", "Åsgårdstrand")
        waiting = [
            muniment("remember", text, "--kind", "decision", "--as", "planner")["proposal_id"] for text in SAID[3:]
        ]
        muniment("decide", waiting[0], "accept", "--reason", "hyperthyroidism of Ottoline Quillfeather, as told")
        muniment("outcome", first, "helpful", "--evidence", "Quillfeather got the gooseberries")
        hold = muniment("hold", "add", "--subject", WHO, "--reason", "case 9")["id"]
        muniment("forget", "--subject", WHO, "--reason", "too early", "--yes", code=2)
        muniment("hold", "lift", hold, "--reason", "case 9 is closed")
    return first


def test_what_the_command_line_forgot_is_in_no_file(tmp_path: Path, told: str) -> None:
    found = traces(GONE, tmp_path)
    assert {one.split(":")[0] for one in found} == {"muniment-data/default.sqlite (within)"}, "the search finds it"
    assert {word for word in GONE if any(word in one for one in found)} == set(GONE)
    plan = _muniment(tmp_path, "forget", "--subject", WHO, "--reason", "ticket:PRIV-17", "--dry-run")

    signed = _muniment(tmp_path, "forget", "--subject", WHO, "--reason", "ticket:PRIV-17", "--yes")

    assert traces(GONE, tmp_path) == []
    assert (plan["erased"], plan["traces"]["proposals"], plan["traces"]["names"]) == (3, 1, 2)
    assert plan["traces"]["receipts"] >= 3
    assert signed["certificate"]["counts"]["records"] == 3
    assert told in signed["certificate"]["erased"]
    with Lines(tmp_path) as muniment:
        assert muniment("recall", "what colour is the lighthouse?")["records"][0]["content"] == KEPT
        assert muniment("ledger", "verify")["ok"] is True
        assert muniment("ledger", "replay")["identical"] is True
    assert traces(GONE, tmp_path) == []


@pytest.mark.slow
def test_one_record_that_is_forgotten_takes_its_words_along(tmp_path: Path, told: str) -> None:
    _muniment(tmp_path, "forget", told, "--reason", "ticket:PRIV-18", "--cascade", "erase", "--yes")

    assert traces(("Åsgårdstrand", "hyperthyroidism", "Bartholomeus Snickersnee"), tmp_path) == []


@pytest.mark.slow
def test_redaction_leaves_no_word_that_was_taken_over(tmp_path: Path, told: str) -> None:
    signed = _muniment(tmp_path, "forget", "--subject", WHO, "--reason", "t:1", "--cascade", "redact", "--yes")

    assert len(signed["certificate"]["redacted"]) == 1
    assert traces(GONE, tmp_path) == []


class Server:
    """A server in a process of its own that logs everything it may."""

    def __init__(self, folder: Path) -> None:
        self._log = (folder / "server.log").open("wb")
        self.running = subprocess.Popen(
            [sys.executable, "-m", "muniment", "serve", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=self._log,
            cwd=folder,
            env={**_environment(folder), "MUNIMENT_LOG_LEVEL": "debug", "MUNIMENT_LOG_FORMAT": "json"},
        )
        assert self.running.stdout is not None
        found = re.search(rb"http://\S+", self.running.stdout.readline())
        assert found is not None
        self.url = found[0].decode()

    def close(self) -> None:
        if self.running.poll() is None:
            self.running.kill()
            self.running.wait(timeout=WAIT_S)
        assert self.running.stdout is not None
        self.running.stdout.close()
        self._log.close()


@contextmanager
def _serving(folder: Path) -> Iterator[Server]:
    server = Server(folder)
    try:
        yield server
    finally:
        server.close()


def _spoken_of(client: httpx.Client, agent: httpx.Client) -> str:
    """Somebody is spoken of over HTTP, rightly and wrongly, under keys; returns the first record."""
    numbers = iter(range(1000))

    def post(path: str, status: int, **body: object) -> Json:
        answer = client.post(path, json=body, headers={"Idempotency-Key": f"k{next(numbers)}"})
        assert answer.status_code == status, answer.text
        return answer.json()

    first = post("/api/memories", 201, content=SAID[0], evidence=["letter of Ottoline Quillfeather"])["record_id"]
    post(f"/api/records/{first}/revisions", 201, content=SAID[1])
    other = post("/api/memories", 201, content=SAID[2], derived_from=[first])["record_id"]
    post("/api/memories", 201, content=KEPT)
    batch = [{"claim": {"content": SAID[4]}}, {"claim": {"content": "Widdershins paints"}}]
    post("/api/proposals/batch", 200, proposals=batch)
    waiting = agent.post("/api/memories", json={"content": f"Visit {WHO}", "kind": "decision"}).json()["proposal_id"]
    post(f"/api/proposals/{waiting}/decision", 200, accept=False, reason="hyperthyroidism keeps Quillfeather at home")
    post("/api/recall", 200, query="where does Ottoline Quillfeather live?")
    for name in ALSO:
        post("/api/aliases", 200, name=name, means=WHO)
    held = post("/api/memories", 201, content=SAID[3], kind="fact", evidence=["Widdershins said so"])["record_id"]
    post(f"/api/records/{held}/retraction", 200, reason="Widdershins does take calls before luncheon")
    post(f"/api/records/{first}/outcomes", 200, result="helpful", evidence="Snickersnee waved")
    post(f"/api/records/{other}/outcomes", 200, result="helpful", evidence="the Snickersnee ferry came")
    _in_the_field(client)
    client.post("/api/memories", json={"content": SAID[0], "kind": WHO})
    client.post("/api/recall", content=f'{{"query": "{WHO}', headers={"Content-Type": "application/json"})
    client.get("/api/records", params={"namespace": "/Quillfeather/../x"})
    client.get("/api/directory", params={"about": "hyperthyroidism"})
    client.get("/api/entities", params={"name": WHO})
    return str(first)


def _in_the_field(client: httpx.Client) -> None:
    """The same over Akashik: an agent's role and interests, a unit, a task."""
    said: list[tuple[str, dict[str, object]]] = [
        ("REGISTER", {"id": "ana", "role": f"nurse of {WHO}", "interests": ["hyperthyroidism"]}),
        (
            "RECORD",
            {
                "mode": "committed",
                "type": "finding",
                "content": f"{WHO} sleeps well",
                "intent": {"purpose": "care for Widdershins", "question": "gooseberries?"},
                "confidence": {"score": 0.8, "reasoning": "Snickersnee said so"},
            },
        ),
        ("COORDINATE", {"action": "create", "task": {"title": f"Visit {WHO} in Åsgårdstrand"}}),
    ]
    for number, (operation, payload) in enumerate(said):
        message = {"protocol": "akashik", "version": "0.1.0", "id": f"m{number}", "operation": operation}
        envelope = {**message, "agent_id": "ana", "session_id": None, "epoch": 0, "payload": payload}
        answer = client.post(f"/v1/{operation.lower()}", json=envelope)
        assert answer.status_code == 200, answer.text


def test_what_a_server_forgot_is_in_no_file_and_in_no_log(tmp_path: Path) -> None:
    with Lines(tmp_path) as muniment:
        muniment("init")
        owner = muniment(
            "keys", "create", "ana", "--actor", "owner", "--agent", "*", *_grants("read", "write", "review")
        )
        planner = muniment("keys", "create", "planner", *_grants("write"))
    with _serving(tmp_path) as server:
        with _client(server, owner) as client, _client(server, planner) as agent:
            denied = agent.get("/api/records/Ottoline-Quillfeather", params={"revision": "hyperthyroidism"})
            first = _spoken_of(client, agent)
            before = {one.split(":")[1].strip() for one in traces(GONE, tmp_path / "muniment-data")}
            wish = {"subject": WHO, "reason": "ticket:PRIV-19", "cascade": "erase"}
            plan = client.post("/api/erasures", json={**wish, "dry_run": True}, headers={"Idempotency-Key": "dry"})
            digest = plan.json()["plan"]["digest"]
            done = client.post("/api/erasures", json={**wish, "expected": digest}, headers={"Idempotency-Key": "wet"})
            agents = client.get("/v1/agents")
            again = client.post("/api/erasures", json={**wish, "expected": digest}, headers={"Idempotency-Key": "wet"})
        server.running.send_signal(signal.SIGTERM)
        assert server.running.wait(timeout=WAIT_S) == 0

    assert {"Widdershins", "gooseberries", "hyperthyroidism", "Snickersnee"} <= before, "the search finds it"
    assert (denied.status_code, plan.status_code, done.status_code) == (403, 200, 200)
    assert agents.json()["agents"][0]["id"] == "ana"
    assert not any(word.lower() in agents.text.lower() for word in GONE), "nor is it told from memory"
    assert again.json() == {**done.json(), "opening": None}
    assert first in done.json()["certificate"]["certificate"]["erased"]
    assert b"/api/erasures" in (tmp_path / "server.log").read_bytes()
    assert traces(GONE, tmp_path) == []
    assert traces([done.json()["opening"]], tmp_path) == [], "only who erased was told what opens the certificate"
    assert _muniment(tmp_path, "ledger", "verify")["ok"] is True


def _grants(*words: str) -> list[str]:
    return [part for word in words for part in ("--grant", word)]


def _client(server: Server, key: Json) -> httpx.Client:
    return httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {key['secret']}"}, timeout=WAIT_S)
