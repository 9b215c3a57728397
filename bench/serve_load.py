"""Load on a server: raw HTTP/1.1 over keep-alive sockets, so that the caller costs less than what it measures.

A request is written as bytes and its answer read by length; nothing is decoded that is not asked for. `python -m
bench.serve --clients` measures this client beside httpx on the same server.
"""

from __future__ import annotations

import asyncio
import re
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from bench.texts import Texts
from muniment.contracts.strict.values import JsonObject

WAIT_S = 60.0
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_encode = msgspec.json.Encoder().encode


@dataclass
class Timings:
    """What became of the calls of one kind: how long each took, and how each was answered."""

    seconds: list[float] = field(default_factory=list)
    statuses: dict[int, int] = field(default_factory=dict)

    def add(self, seconds: float, status: int) -> None:
        self.seconds.append(seconds)
        self.statuses[status] = self.statuses.get(status, 0) + 1

    def at(self, share: float) -> float:
        """The time, in milliseconds, within which that share of the calls was answered."""
        ordered = sorted(self.seconds)
        return 1_000 * ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0

    @property
    def failed(self) -> int:
        return sum(count for status, count in self.statuses.items() if status >= 500)


class Server:
    """`muniment serve` in a process of its own."""

    def __init__(self, vault: Path, *, embedder: str, port: int = 0, workers: int = 1) -> None:
        command = [sys.executable, "-m", "muniment", "--vault", str(vault), "serve", "--port", str(port)]
        command += ["--workers", str(workers)]
        command += ["--embedder", embedder, "--log-level", "warning", "--config", str(_settings(vault))]
        self._log = (vault.parent / "server.log").open("a")
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._log, text=True)
        self.host, self.port = "127.0.0.1", self._listens()

    def _listens(self) -> int:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
            if found:
                return int(found[1])
        raise RuntimeError(f"the server did not start; see {self._log.name}")

    @property
    def cpu_seconds(self) -> float:
        """Time the server has spent on processors so far, its workers included."""
        own = self._process.pid
        workers = [int(one) for one in Path(f"/proc/{own}/task/{own}/children").read_text().split()]
        return sum(_cpu_seconds(one) for one in (own, *workers))

    def kill(self) -> None:
        """End it as a power cut would."""
        self._process.send_signal(signal.SIGKILL)
        self._end()

    def stop(self) -> int:
        """Ask it to end; its exit code."""
        self._process.send_signal(signal.SIGTERM)
        return self._end()

    def _end(self) -> int:
        code = self._process.wait(WAIT_S)
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._log.close()
        return code


def _cpu_seconds(process: int) -> float:
    parts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / 100


def _settings(vault: Path) -> Path:
    """No limit on how much one caller may ask for: all load comes from one."""
    path = vault.parent / "serve.toml"
    path.write_text("rate_per_second = 0\nconcurrent_per_actor = 1000\n")
    return path


@contextmanager
def served(vault: Path, *, embedder: str, workers: int = 1) -> Iterator[Server]:
    server = Server(vault, embedder=embedder, workers=workers)
    try:
        yield server
    finally:
        server.stop()


class Caller:
    """One connection that is used again and again, and the agent that speaks over it."""

    def __init__(self, server: Server, name: str, seed: int) -> None:
        self._server = server
        self.agent = name
        self.texts = Texts(seed)
        self.acknowledged: list[str] = []
        self._count = 0
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def open(self) -> Caller:
        self._reader, self._writer = await asyncio.open_connection(self._server.host, self._server.port)
        return self

    async def close(self) -> None:
        if self._writer is not None:
            self._writer.close()

    async def call(self, verb: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        """Send a request and read its whole answer."""
        assert self._reader is not None
        assert self._writer is not None
        head = f"{verb} {path} HTTP/1.1\r\nHost: {self._server.host}:{self._server.port}\r\n"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        self._writer.write(head.encode() + b"\r\n" + body)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        length = _LENGTH.search(answer)
        return int(answer[9:12]), await self._reader.readexactly(int(length[1])) if length else b""

    async def send(self, operation: str, payload: JsonObject) -> tuple[int, bytes]:
        self._count += 1
        message = {
            "protocol": "akashik",
            "version": "0.1.0",
            "id": f"{self.agent}-{self._count}",
            "operation": operation,
            "agent_id": self.agent,
            "session_id": None,
            "epoch": 0,
            "payload": payload,
        }
        return await self.call("POST", f"/v1/{operation.lower()}", _encode(message))

    async def register(self) -> None:
        status, body = await self.send("REGISTER", {"id": self.agent, "role": "bench"})
        if status != 200:
            raise RuntimeError(f"REGISTER was answered {status}: {body.decode()}")

    async def record(self) -> int:
        status, body = await self.send("RECORD", unit(self.texts))
        if status == 200:
            answer = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
            name = msgspec.json.decode(answer["memory_unit_id"], type=str | None)
            if name is not None:
                self.acknowledged.append(name)
        return status

    async def attune(self) -> int:
        return (await self.send("ATTUNE", {"scope": scope(self.texts)}))[0]

    async def recall(self) -> int:
        return (await self.call("POST", "/api/recall", _encode({"text": self.texts.question(), "limit": 10})))[0]

    async def get(self) -> int:
        name = self.acknowledged[-1] if self.acknowledged else "rec_nothing"
        return (await self.call("GET", f"/api/records/{name}"))[0]


def unit(texts: Texts) -> JsonObject:
    """What a RECORD says."""
    return {
        "mode": "committed",
        "type": "finding",
        "content": texts.sentence(),
        "intent": {"purpose": "measure"},
        "confidence": {"score": 0.8, "reasoning": "made for measuring"},
    }


def scope(texts: Texts) -> JsonObject:
    """What an ATTUNE asks for."""
    return {"role": "bench", "max_units": 10, "max_tokens": 2000, "interests": [*texts.question().split()[:3]]}


Choice = Callable[[Caller], tuple[str, Callable[[], Awaitable[int]]]]


async def callers(server: Server, count: int, seed: int, name: str = "bench") -> list[Caller]:
    """So many agents, each registered and on a connection of its own."""
    made = [Caller(server, f"{name}-{number}", seed + number) for number in range(count)]
    for one in made:
        await one.open()
        await one.register()
    return made


async def drive(
    clients: list[Caller], choose: Choice, *, seconds: float | None = None, calls: int | None = None
) -> dict[str, Timings]:
    """Every client calls as fast as it is answered, for so long or so often altogether. A connection that breaks ends
    its client's part: what was not acknowledged does not count."""
    told: dict[str, Timings] = {}
    ends = time.perf_counter() + seconds if seconds is not None else None
    left = [calls if calls is not None else -1]

    async def work(client: Caller) -> None:
        while (ends is None or time.perf_counter() < ends) and left[0] != 0:
            left[0] -= 1
            name, call = choose(client)
            began = time.perf_counter()
            try:
                status = await asyncio.wait_for(call(), WAIT_S)
            except (OSError, asyncio.IncompleteReadError):
                return
            told.setdefault(name, Timings()).add(time.perf_counter() - began, status)

    await asyncio.gather(*(work(client) for client in clients))
    return told


def median_ms(seconds: list[float]) -> float:
    return 1_000 * statistics.median(seconds)
