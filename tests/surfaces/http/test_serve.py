"""`muniment serve` as a process: what it says, how it refuses, and that ending it loses nothing."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import msgspec
import pytest
from tests.patience import WAIT_S
from tests.surfaces.shell import outside

from muniment import Memory
from muniment.surfaces.reception.denials import denied_calls

WRITERS = 4


class Process:
    """A server in a process of its own."""

    def __init__(self, folder: Path, *words: str) -> None:
        ours = {name: value for name, value in os.environ.items() if not name.startswith("MUNIMENT_")}
        self._log = (folder / "server.log").open("wb")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "muniment", "serve", "--port", "0", *words],
            stdout=subprocess.PIPE,
            stderr=self._log,
            cwd=folder,
            env={**ours, "MUNIMENT_EMBEDDER": "none"},
        )
        assert self.process.stdout is not None
        self.greeting = [self.process.stdout.readline().decode() for _ in range(7)]
        found = re.search(r"http://\S+", self.greeting[0])
        assert found is not None, self.greeting
        self.url = found[0]

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout=WAIT_S)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(timeout=WAIT_S)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._log.close()


@contextmanager
def running(folder: Path, *words: str) -> Iterator[Process]:
    started = Process(folder, *words)
    try:
        yield started
    finally:
        started.close()


def test_it_says_where_it_is_and_who_may_call(tmp_path: Path) -> None:
    with running(tmp_path, "--level", "2", "--tenant", "acme") as server:
        said = "".join(server.greeting)
        assert f"muniment serves {server.url}\n" in said
        assert "vault    ./muniment-data, tenant acme\n" in said
        assert "up to level 2\n" in said
        assert "anyone on this machine, as the owner: no key is asked for" in said
        assert httpx.get(f"{server.url}/healthz", timeout=WAIT_S).status_code == 200
        made = outside("keys", "create", "planner", "--tenant", "acme", "--json", cwd=tmp_path)
        assert made.returncode == 0
        secret = msgspec.json.decode(made.stdout)["secret"]
        assert httpx.get(f"{server.url}/api/ledger/head", timeout=WAIT_S).status_code == 401
        key = {"Authorization": f"Bearer {secret}"}
        assert (
            httpx.post(f"{server.url}/api/recall", json={"query": "anything"}, headers=key, timeout=WAIT_S).status_code
            == 200
        )
        assert server.end(signal.SIGINT) == 0
        assert secret[17:].encode() not in (tmp_path / "server.log").read_bytes()
    with Memory.open(tmp_path / "muniment-data", tenant="acme") as memory:
        assert [(one.what, one.code) for one in denied_calls(memory)] == [("GET /api/ledger", "unauthenticated")]
    with running(tmp_path, "--tenant", "acme") as server:
        assert "callers  whoever has a key" in "".join(server.greeting)
        assert server.end(signal.SIGTERM) == 0


def test_ending_it_under_load_loses_no_write_it_has_acknowledged(tmp_path: Path) -> None:
    acknowledged: list[str] = []
    warm = threading.Semaphore(0)

    def write(number: int) -> None:
        with httpx.Client(base_url=server.url, timeout=WAIT_S) as client:
            for count in range(10_000):
                content = f"Sensor {number} counted {count} passers-by"
                body = {"claim": {"content": content, "nature": {"kind": "observation"}}}
                try:
                    answer = client.post("/api/proposals", json=body)
                except httpx.TransportError:
                    return
                if answer.status_code != 201:
                    return
                acknowledged.append(answer.json()["record_id"])
                warm.release()

    with running(tmp_path) as server:
        writers = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        for _ in range(40):
            assert warm.acquire(timeout=WAIT_S)
        assert server.end(signal.SIGTERM) == 0
        for writer in writers:
            writer.join(timeout=WAIT_S)
    assert len(acknowledged) >= 40
    with Memory.open(tmp_path / "muniment-data") as memory:
        assert [record for record in acknowledged if memory.get(record).record.id != record] == []
        found = memory.ledger.verify()
        assert (found.ok, found.findings) == (True, ())


def refused(folder: Path, *words: str, environment: dict[str, str] | None = None) -> tuple[int, str, str | None]:
    done = outside("serve", *words, "--json", cwd=folder, environment=environment)
    error = msgspec.json.decode(done.stderr)["error"]
    return done.returncode, error["code"], error.get("field")


def test_an_address_others_can_reach_is_refused_without_keys_and_leaves_no_vault(tmp_path: Path) -> None:
    assert refused(tmp_path, "--host", "0.0.0.0", "--port", "0") == (2, "configuration_error", "host")
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_taken_is_refused_in_plain_words(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        code, name, _ = refused(tmp_path, "--port", str(taken.getsockname()[1]))
    assert (code, name) == (3, "store_unavailable")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("words", "environment", "field"),
    [
        (("--port", "70000"), {}, "--port"),
        (("--level", "4"), {}, "--level"),
        (("--log-format", "xml"), {}, "--log-format"),
        (("--host", "no such host"), {}, "host"),
        ((), {"MUNIMENT_PORT": "many"}, "MUNIMENT_PORT"),
        ((), {"MUNIMENT_PROT": "1"}, "MUNIMENT_PROT"),
        ((), {"MUNIMENT_ACTOR": "planner"}, "MUNIMENT_ACTOR"),
        ((), {"MUNIMENT_JWT_ISSUER": "https://issuer.example"}, "jwt_audience"),
        (("--config", "nowhere.toml"), {}, "config"),
    ],
)
def test_a_setting_that_is_wrong_refuses_the_start_by_its_name(
    tmp_path: Path, words: tuple[str, ...], environment: dict[str, str], field: str
) -> None:
    assert refused(tmp_path, *words, environment=environment) == (2, "configuration_error", field)
    assert list(tmp_path.iterdir()) == []


def test_nobody_starts_a_server_as_somebody(tmp_path: Path) -> None:
    assert refused(tmp_path, "--as", "planner") == (2, "malformed", "actor")


def test_what_the_server_needs_is_named_when_it_is_missing(tmp_path: Path) -> None:
    """Run with the library hidden, as if only the core were installed."""
    code = (
        "import sys, importlib.util as u; real = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'uvicorn' else real(name, *rest)\n"
        "from muniment.surfaces.cli import run; sys.exit(run(['serve']))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, timeout=WAIT_S, check=False)
    assert done.returncode == 2
    assert b"pip install 'muniment[server]'" in done.stderr


def test_the_command_line_starts_without_the_servers_libraries(tmp_path: Path) -> None:
    names = "{'starlette', 'uvicorn', 'mcp', 'jwt', 'asyncio'}"
    code = f"import sys, muniment.surfaces.cli; print(sorted(name for name in sys.modules if name in {names}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=WAIT_S, check=True)
    assert done.stdout.strip() == "[]"
