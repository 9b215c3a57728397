"""A server of two processes: whatever one of them does, the other knows; and either of them may die."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import msgspec
import pytest
from tests.patience import WAIT_S
from tests.support.postgres import free_port
from tests.surfaces.http.agents import answered, attuned, message, record, register, socket, socket_url, subscribe
from tests.surfaces.shell import outside

from muniment import Memory
from muniment.surfaces.reception.denials import denied_calls

POLLS = 10 * WAIT_S
WRITERS = 4
LATE = """
import sys
from muniment.surfaces.cli import run
from muniment.surfaces.http import workers
workers.DEATHS_WITHIN_S = 3_600.0
sys.exit(run())
"""
"""A server for which even a busy machine starts workers one soon after the other."""


class Said(msgspec.Struct):
    """A line of the log."""

    event: str
    worker: int | None = None
    pid: int | None = None


class Key(msgspec.Struct):
    id: str


class Made(msgspec.Struct):
    """A key that was just made."""

    key: Key
    secret: str


class Server:
    """`muniment serve` with two workers, and what its log says of them."""

    def __init__(self, folder: Path, port: int = 0, program: tuple[str, str] = ("-m", "muniment")) -> None:
        ours = {name: value for name, value in os.environ.items() if not name.startswith("MUNIMENT_")}
        self._path = folder / "server.log"
        self._log = self._path.open("ab")
        words = ["serve", "--port", str(port), "--workers", "2", "--log-format", "json", "--embedder", "none"]
        command = [sys.executable, *program, "--vault", str(folder / "vault"), *words]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._log, env=ours)
        assert self.process.stdout is not None
        first = self.process.stdout.readline().decode()
        found = re.search(r"http://\S+", first)
        assert found is not None, (first, self._path.read_text())
        self.url = found[0]

    @property
    def log(self) -> list[Said]:
        lines = self._path.read_bytes().splitlines()
        return [msgspec.json.decode(line, type=Said) for line in lines if line.startswith(b"{")]

    @property
    def workers(self) -> dict[int, int]:
        """The process of each worker, as of its last start."""
        started = [one for one in self.log if one.event == "worker_started"]
        return {one.worker: one.pid for one in started if one.worker is not None and one.pid is not None}

    @contextmanager
    def client(self, worker: int) -> Iterator[httpx.Client]:
        """A connection to this worker: while it was made the other one was stopped."""
        other = self.workers[1 - worker]
        with httpx.Client(base_url=self.url, timeout=WAIT_S) as client:
            os.kill(other, signal.SIGSTOP)
            try:
                stands_still(other)
                assert client.get("/healthz").status_code == 200
            finally:
                os.kill(other, signal.SIGCONT)
            yield client

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout=WAIT_S)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(timeout=WAIT_S)
        for worker in self.workers.values():
            assert gone(worker), "a worker outlived its server"
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._log.close()


@contextmanager
def running(folder: Path, port: int = 0, program: tuple[str, str] = ("-m", "muniment")) -> Iterator[Server]:
    server = Server(folder, port, program)
    try:
        yield server
    finally:
        server.close()


def stands_still(process: int) -> None:
    """Wait until a process that was stopped does nothing any more; until then it could take a connection."""
    never, told = threading.Event(), Path(f"/proc/{process}/stat")
    for _ in range(POLLS):
        if not told.exists() or told.read_text().rpartition(") ")[2].startswith("T"):
            return
        never.wait(WAIT_S / POLLS)
    raise AssertionError("it could not be stopped")


def gone(process: int) -> bool:
    """Whether a process ends within a bounded time."""
    never = threading.Event()
    for _ in range(POLLS):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        never.wait(WAIT_S / POLLS)
    return False


def is_ready(client: httpx.Client) -> bool:
    """Whether a server comes to be ready: one whose store a busy machine keeps waiting says that it is not, for now."""
    never = threading.Event()
    return any(client.get("/readyz").status_code == 200 or never.wait(WAIT_S / POLLS) for _ in range(POLLS))


def replaced(server: Server, worker: int, process: int) -> None:
    """Wait until a worker is another process than this."""
    never = threading.Event()
    for _ in range(POLLS):
        if server.workers[worker] != process:
            return
        never.wait(WAIT_S / POLLS)
    raise AssertionError("nobody took its place")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with running(tmp_path) as found:
        yield found


@pytest.fixture
def both(server: Server) -> Iterator[tuple[httpx.Client, httpx.Client]]:
    """A connection to each of the two workers."""
    with ExitStack() as stack:
        yield stack.enter_context(server.client(0)), stack.enter_context(server.client(1))


@pytest.mark.slow
def test_what_one_worker_is_told_the_other_knows(server: Server, both: tuple[httpx.Client, httpx.Client]) -> None:
    one, other = both
    register(one, "ana")
    register(other, "ben")
    subscribe(one, "ben")
    with socket(socket_url(server.url, agent_id="ben", after=0)) as (line, _):
        units = [record(client, "ana", f"The pump at gate {number} leaks") for number, client in enumerate(both * 2)]
        assert line.units(4) == units
    for client in both:
        assert set(units) <= set(attuned(client, "ben"))
    again = message("REGISTER", "cy", {"id": "cy", "role": "scout"}, name="m-once")
    assert answered(one, again) == answered(other, again)
    figures = one.get("/metrics").text
    answers = dict(re.findall(r'route="/v1/record",status="200",worker="(\d)"} (\d+)', figures))
    assert answers["0"] == "2", figures
    assert server.end(signal.SIGTERM) == 0


@pytest.mark.slow
def test_a_ticket_opens_one_stream_whichever_workers_are_asked(
    server: Server, both: tuple[httpx.Client, httpx.Client]
) -> None:
    one, _ = both
    register(one, "ana")
    subscribe(one, "ana")
    issued = one.post("/v1/stream/ticket", json={"agent_id": "ana"}).json()["ticket"]

    def listen(client: httpx.Client) -> int:
        with client.stream("GET", "/v1/events", params={"ticket": issued}) as response:
            return response.status_code

    with ExitStack() as stack, ThreadPoolExecutor(4) as pool:
        clients = [stack.enter_context(server.client(number % 2)) for number in range(4)]
        assert sorted(pool.map(listen, clients)) == [200, 401, 401, 401]


def test_a_key_that_is_revoked_opens_no_worker(tmp_path: Path, server: Server) -> None:
    vault = str(tmp_path / "vault")
    made = outside("--vault", vault, "keys", "create", "planner", "--json", cwd=tmp_path)
    key = msgspec.json.decode(made.stdout, type=Made)
    headers = {"Authorization": f"Bearer {key.secret}"}

    def asked(client: httpx.Client, *, headers: dict[str, str] | None = None) -> int:
        return client.post("/api/recall", json={"query": "anything"}, headers=headers).status_code

    with server.client(0) as one, server.client(1) as other:
        assert (asked(one), asked(other)) == (401, 401)
        assert (asked(one, headers=headers), asked(other, headers=headers)) == (200, 200)
        assert outside("--vault", vault, "keys", "revoke", key.key.id, cwd=tmp_path).returncode == 0
        assert (asked(one, headers=headers), asked(other, headers=headers)) == (401, 401)
    assert server.end(signal.SIGINT) == 0
    with Memory.open(vault) as memory:
        assert sum(one.count for one in denied_calls(memory)) == 4


class Writers:
    """Callers that write without pause, on one connection after the other, and what was acknowledged to them."""

    def __init__(self, url: str) -> None:
        self.acknowledged: list[str] = []
        self.written = threading.Semaphore(0)
        self._url = url
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._write, args=(number,)) for number in range(WRITERS)]
        for thread in self._threads:
            thread.start()

    def wait_for(self, number: int) -> None:
        for _ in range(number):
            assert self.written.acquire(timeout=WAIT_S)

    def end(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(timeout=WAIT_S)
            assert not thread.is_alive()

    def _write(self, number: int) -> None:
        count = 0
        while not self._over.is_set():
            try:
                with httpx.Client(base_url=self._url, timeout=WAIT_S) as client:
                    for _ in range(5):
                        count += 1
                        content = f"Sensor {number} counted {count} passers-by"
                        body = {"claim": {"content": content, "nature": {"kind": "observation"}}}
                        answer = client.post("/api/proposals", json=body)
                        assert answer.status_code == 201, answer.text
                        self.acknowledged.append(answer.json()["record_id"])
                        self.written.release()
            except httpx.TransportError:
                if self._over.is_set():
                    return


def missing(vault: Path, acknowledged: list[str]) -> list[str]:
    """Which of these are not in the store; its ledger must verify."""
    with Memory.open(vault, embedder=None, create=False) as memory:
        found = memory.ledger.verify()
        assert (found.ok, found.findings) == (True, ())
        return [name for name in acknowledged if memory.get(name).record.id != name]


def test_a_worker_that_is_killed_under_load_loses_nothing_and_is_replaced(tmp_path: Path, server: Server) -> None:
    writers = Writers(server.url)
    try:
        writers.wait_for(20)
        first = server.workers[0]
        os.kill(first, signal.SIGKILL)
        writers.wait_for(20)
        replaced(server, 0, first)
    finally:
        writers.end()
    with server.client(0) as client:
        assert is_ready(client)
    assert [one.worker for one in server.log if one.event == "worker_died"] == [0]
    assert server.end(signal.SIGTERM) == 0
    assert len(writers.acknowledged) >= 40
    assert missing(tmp_path / "vault", writers.acknowledged) == []


@pytest.mark.slow
def test_a_server_that_is_killed_takes_its_workers_along_and_loses_nothing(tmp_path: Path) -> None:
    port = free_port()
    with running(tmp_path, port) as server:
        writers = Writers(server.url)
        try:
            writers.wait_for(20)
            server.process.kill()
            server.process.wait(timeout=WAIT_S)
            assert all(gone(worker) for worker in server.workers.values())
        finally:
            writers.end()
    assert missing(tmp_path / "vault", writers.acknowledged) == []
    with running(tmp_path, port) as again, again.client(1) as client:
        assert client.get(f"/api/records/{writers.acknowledged[-1]}").status_code == 200
        assert again.end(signal.SIGTERM) == 0


@pytest.mark.slow
def test_workers_that_die_one_after_the_other_end_the_server_with_a_clear_error(tmp_path: Path) -> None:
    with running(tmp_path, program=("-c", LATE)) as server:
        for _ in range(4):
            process = server.workers[1]
            os.kill(process, signal.SIGKILL)
            replaced(server, 1, process)
        os.kill(server.workers[1], signal.SIGKILL)
        assert server.process.wait(timeout=WAIT_S) == 3
    assert b"the server gave up: its workers died one after the other" in (tmp_path / "server.log").read_bytes()


def test_a_server_that_is_told_to_end_before_its_workers_listen_ends_well(tmp_path: Path) -> None:
    ours = {name: value for name, value in os.environ.items() if not name.startswith("MUNIMENT_")}
    words = ["serve", "--port", "0", "--workers", "2", "--log-format", "json", "--embedder", "none"]
    command = [sys.executable, "-m", "muniment", "--vault", str(tmp_path / "vault"), *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ours) as process:
        assert process.stderr is not None
        started = list[int]()
        while len(started) < 2:
            line = process.stderr.readline()
            assert line, "it ended before it had workers"
            if b"worker_started" in line:
                started.append(msgspec.json.decode(line, type=Said).pid or 0)
        os.kill(started[0], signal.SIGTERM)  # as a supervisor does that tells each process of a group
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=WAIT_S)
    assert process.returncode == 0
    assert all(gone(worker) for worker in started)
