"""The server under load: mixed clients, rates of RECORD as the store grows, ATTUNE, recall, what HTTP adds, kill -9.

Every part runs against `muniment serve` in a process of its own; the load comes from one other process. Acknowledged
writes are counted on the client's side and looked for afterwards, one by one.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import TypeVar

import httpx
import uvloop

from bench.report import Row, publish
from bench.serve_load import Caller, Server, Timings, callers, drive, median_ms, scope, served, unit
from bench.texts import Texts
from muniment import Memory
from muniment.compat.akashik import Credential, Field
from muniment.contracts.strict.values import JsonObject
from muniment.model.errors import NotFound
from muniment.surfaces.reception.principal import ANYONE

T = TypeVar("T")
SEED = 20_261_116
MIX = ("record", "attune", "record", "recall", "get", "record", "attune", "recall", "record", "get")


class Campaign:
    """The parts of the campaign, and what they found."""

    def __init__(self, folder: Path, *, embedder: str) -> None:
        self._folder = folder
        self._embedder = embedder
        self.rows: list[Row] = []
        self.details: dict[str, list[float]] = {}

    def vault(self, name: str) -> Path:
        path = self._folder / name / "vault"
        path.parent.mkdir(parents=True)
        return path

    def mixed(self, clients: int, seconds: float) -> None:
        """Many clients, reads and writes mixed; afterwards every acknowledged write is looked for."""
        vault = self.vault("mixed")
        with served(vault, embedder=self._embedder) as server:
            told, acknowledged = _run(self._mixed(server, clients, seconds))
        calls = sum(len(one.seconds) for one in told.values())
        self.rows += [
            Row(f"mixed load, {clients} clients: calls", calls / seconds, "/s"),
            Row(
                "mixed load: answers of 500 and above", sum(one.failed for one in told.values()), "", floor=0, most=True
            ),
            Row("mixed load: other refusals", _refused(told), "", floor=0, most=True),
            Row("mixed load: acknowledged writes", len(acknowledged), ""),
            Row("mixed load: acknowledged writes lost", lost(vault, acknowledged), "", floor=0, most=True),
        ]
        for name, timings in sorted(told.items()):
            for share in (0.5, 0.95, 0.99):
                self.rows.append(Row(f"mixed load: {name} p{share * 100:g}", timings.at(share), "ms"))

    async def _mixed(self, server: Server, clients: int, seconds: float) -> tuple[dict[str, Timings], list[str]]:
        opened = await callers(server, clients, SEED)
        turns = {
            one.agent: cycle(MIX[number % len(MIX) :] + MIX[: number % len(MIX)]) for number, one in enumerate(opened)
        }

        def choose(client: Caller) -> tuple[str, Callable[[], Awaitable[int]]]:
            name = next(turns[client.agent])
            if name == "get" and not client.acknowledged:
                name = "record"
            return name, {"record": client.record, "attune": client.attune, "recall": client.recall, "get": client.get}[
                name
            ]

        told = await drive(opened, choose, seconds=seconds)
        return told, [name for one in opened for name in one.acknowledged]

    def growth(self, sizes: list[int], attune_at: int, clients: int = 16) -> None:
        """RECORD at ever larger sizes; ATTUNE and recall once the store has its size."""
        vault = self.vault("growth")
        with served(vault, embedder=self._embedder) as server:
            rates = _run(self._growth(server, sizes, attune_at, clients))
        self.details["record_sizes"] = [float(size) for size in sizes]
        self.details["record_rates"] = rates
        for size, rate in zip(sizes, rates, strict=True):
            self.rows.append(Row(f"RECORD over HTTP, {clients} clients, up to {size:,} units", rate, "/s", floor=1_000))
        costs = self.details["record_cpu_ms"]
        self.rows += [
            Row("RECORD: rate at the end over rate at the start", rates[-1] / rates[0], "×", floor=0.8),
            Row("RECORD: processor time of the server per call, at the start", costs[0], "ms"),
            Row("RECORD: processor time of the server per call, at the end", costs[-1], "ms"),
        ]

    async def _growth(self, server: Server, sizes: list[int], attune_at: int, clients: int) -> list[float]:
        opened = await callers(server, clients, SEED)
        rates, there, asked = list[float](), 0, False
        for size in sizes:
            began, spent = time.perf_counter(), server.cpu_seconds
            told = await drive(opened, lambda one: ("record", one.record), calls=size - there)
            took = time.perf_counter() - began
            done = len(told["record"].seconds)
            rates.append(done / took)
            self.details.setdefault("record_cpu_ms", []).append(1_000 * (server.cpu_seconds - spent) / done)
            print(
                f"  {size:>9,} units: {rates[-1]:7,.0f} RECORD/s, p99 {told['record'].at(0.99):6.1f} ms, "
                f"server {(server.cpu_seconds - spent) / took:4.0%} of a core, refused {_refused(told)}",
                flush=True,
            )
            there = size
            if not asked and size >= attune_at:
                asked = True
                await self._reading(opened, size)
        self._steps((await opened[0].call("GET", "/metrics"))[1].decode())
        return rates

    def _steps(self, page: str) -> None:
        """Where the time of operations went, by the server's own figures: the mean of each step."""
        found = re.findall(r'muniment_step_seconds_(sum|count)\{operation="(\w+)",step="(\w+)"\} (\S+)', page)
        sums = {(name, step): float(value) for kind, name, step, value in found if kind == "sum"}
        counts = {(name, step): float(value) for kind, name, step, value in found if kind == "count"}
        for name in sorted({name for name, _ in sums}):
            means = [
                f"{step} {1_000 * sums[key] / counts[key]:.2f}" for key in sums if key[0] == name for step in key[1:]
            ]
            print(f"  {name}: " + ", ".join(means) + " ms", flush=True)
        self.details |= {
            f"step_ms {name} {step}": [1_000 * sums[name, step] / counts[name, step]] for name, step in sums
        }

    async def _reading(self, opened: list[Caller], size: int) -> None:
        """ATTUNE and recall, one client and all of them."""
        alone, all_ = opened[:1], opened
        for name, call in (("ATTUNE", Caller.attune), ("recall", Caller.recall)):
            choose = partial(_always, call)
            await drive(alone, choose, calls=20)
            single = (await drive(alone, choose, calls=300))["call"]
            began = time.perf_counter()
            many = (await drive(all_, choose, seconds=10))["call"]
            rate = len(many.seconds) / (time.perf_counter() - began)
            bound = 25.0 if name == "ATTUNE" else None
            self.rows += [
                Row(f"{name} at {size:,} units, 1 client: p50", single.at(0.5), "ms"),
                Row(f"{name} at {size:,} units, 1 client: p95", single.at(0.95), "ms", floor=bound, most=True),
                Row(f"{name} at {size:,} units, {len(all_)} clients: p95", many.at(0.95), "ms"),
                Row(
                    f"{name} at {size:,} units, {len(all_)} clients",
                    rate,
                    "/s",
                    floor=500 if name == "recall" else None,
                ),
                Row(
                    f"{name} at {size:,} units: not answered 200",
                    _refused({"": single}) + _refused({"": many}),
                    "",
                    floor=0,
                    most=True,
                ),
            ]

    def workers(self, units: int, seconds: float, clients: int = 16) -> None:
        """The same load on one process and on two behind one address."""
        told = {number: self._with_workers(number, units, seconds, clients) for number in (1, 2)}
        for name in told[1]:
            rates = [told[number][name][0] for number in (1, 2)]
            for number, rate in zip((1, 2), rates, strict=True):
                cost = told[number][name][1]
                self.rows += [
                    Row(f"{name}, {clients} clients, {number} workers", rate, "/s"),
                    Row(f"{name}, {number} workers: processor time of the server per call", cost, "ms"),
                ]
            self.rows.append(Row(f"{name}: two workers over one", rates[1] / rates[0], "×"))

    def _with_workers(self, number: int, units: int, seconds: float, clients: int) -> dict[str, tuple[float, float]]:
        """Calls a second, and milliseconds of processor time for each, by the kind of call."""
        with served(self.vault(f"workers-{number}"), embedder=self._embedder, workers=number) as server:
            return _run(_each_kind(server, units, seconds, clients))

    def overhead(self, calls: int) -> None:
        """What HTTP adds to a call: the same calls natively and over the wire, on stores of the same content."""
        native = self._native(calls)
        with served(self.vault("wire"), embedder=self._embedder) as server:
            wire = _run(_alone(server, calls))
        for name in native:
            inside, outside = native[name], wire[name]
            self.rows += [
                Row(f"{name}: native p50", inside, "ms"),
                Row(f"{name}: over HTTP p50", outside, "ms"),
                Row(f"{name}: what HTTP adds, p50", outside - inside, "ms", floor=1.5, most=True),
            ]

    def _native(self, calls: int) -> dict[str, float]:
        with Memory.open(self.vault("native"), embedder=self._embedder) as memory:
            field = Field(memory, level=3)
            credential = Credential(actor=memory.actor, agents=(ANYONE,))
            texts, told = Texts(SEED), dict[str, list[float]]()
            for agent in ("bench-0", "bench-1"):
                field.send(_message("REGISTER", 0, {"id": agent, "role": "bench"}, agent), credential)
            for number in range(1, calls + 1):
                message = _message("RECORD", number, unit(texts))
                told.setdefault("RECORD", []).append(_timed(partial(field.send, message, credential)))
            for number in range(calls + 1, 2 * calls + 1):
                message = _message("ATTUNE", number, {"scope": scope(texts)}, "bench-1")
                told.setdefault("ATTUNE", []).append(_timed(partial(field.send, message, credential)))
            for _ in range(calls):
                question = texts.question()
                told.setdefault("recall", []).append(_timed(partial(memory.recall, question, limit=10)))
        return {name: median_ms(seconds) for name, seconds in told.items()}

    def killed(self, clients: int, seconds: float) -> None:
        """kill -9 while clients write; then the same vault again."""
        vault = self.vault("killed")
        server = Server(vault, embedder=self._embedder)
        acknowledged = _run(_until_killed(server, clients, seconds))
        began = time.perf_counter()
        again = Server(vault, embedder=self._embedder)
        started = time.perf_counter() - began
        went_on = _run(_goes_on(again))
        code = again.stop()
        self.rows += [
            Row("kill -9 under load: acknowledged writes", len(acknowledged), ""),
            Row("kill -9 under load: acknowledged writes lost", lost(vault, acknowledged), "", floor=0, most=True),
            Row("kill -9 under load: time to answer again", started, "s"),
            Row("kill -9 under load: writes accepted afterwards", went_on, "", floor=1),
            Row("clean stop afterwards: exit code", code, "", floor=0, most=True),
        ]

    def clients(self, calls: int) -> None:
        """What the load generator itself costs, beside a usual client, on the cheapest call there is."""
        with served(self.vault("clients"), embedder="none") as server:
            raw = _run(_raw_rate(server, calls))
            usual = _run(_httpx_rate(server, calls // 5))
        self.rows += [
            Row("load generator: raw sockets, 16 connections, /healthz", raw, "/s"),
            Row("load generator: httpx, 16 connections, /healthz", usual, "/s"),
        ]


def lost(vault: Path, acknowledged: list[str]) -> int:
    """How many of these are not in the store, which is opened anew and verified."""
    with Memory.open(vault, embedder=None, create=False) as memory:
        verified = memory.ledger.verify()
        if not verified.ok:
            raise RuntimeError(f"the ledger does not verify: {verified.findings[:3]}")
        return sum(1 for name in acknowledged if not _there(memory, name))


def _there(memory: Memory, name: str) -> bool:
    try:
        memory.get(name)
    except NotFound:
        return False
    return True


def _refused(told: dict[str, Timings]) -> int:
    """Answers that are neither 200 nor a failure."""
    return sum(
        count for one in told.values() for status, count in one.statuses.items() if status != 200 and status < 500
    )


def _message(operation: str, number: int, payload: JsonObject, agent: str = "bench-0") -> JsonObject:
    return {
        "protocol": "akashik",
        "version": "0.1.0",
        "id": f"native-{number}",
        "operation": operation,
        "agent_id": agent,
        "session_id": None,
        "epoch": 0,
        "payload": payload,
    }


def _timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


async def _alone(server: Server, calls: int) -> dict[str, float]:
    """The same calls in the same order as natively, one at a time; one agent writes, the other reads."""
    writer, reader = await callers(server, 2, SEED)
    kinds = (("RECORD", Caller.record, writer), ("ATTUNE", Caller.attune, reader), ("recall", Caller.recall, reader))
    return {
        name: (await drive([client], partial(_always, call), calls=calls))["call"].at(0.5)
        for name, call, client in kinds
    }


def _always(call: Callable[[Caller], Awaitable[int]], client: Caller) -> tuple[str, Callable[[], Awaitable[int]]]:
    return "call", partial(call, client)


async def _each_kind(server: Server, units: int, seconds: float, clients: int) -> dict[str, tuple[float, float]]:
    """So many units are recorded; then there is so much time for each kind of reading."""
    opened = await callers(server, clients, SEED)
    told: dict[str, tuple[float, float]] = {}
    kinds = (("RECORD", Caller.record), ("recall", Caller.recall), ("ATTUNE", Caller.attune))
    for name, call in kinds:
        began, spent, choose = time.perf_counter(), server.cpu_seconds, partial(_always, call)
        bound = {"calls": units} if name == "RECORD" else {"seconds": seconds}
        found = (await drive(opened, choose, **bound))["call"]
        if _refused({"": found}) or found.failed:
            raise RuntimeError(f"{name}: not all calls were answered 200: {found.statuses}")
        done, took = len(found.seconds), time.perf_counter() - began
        told[name] = (done / took, 1_000 * (server.cpu_seconds - spent) / done)
        print(f"  {name}: {told[name][0]:7,.0f}/s, {told[name][1]:5.2f} ms, p95 {found.at(0.95):6.1f} ms", flush=True)
    return told


async def _until_killed(server: Server, clients: int, seconds: float) -> list[str]:
    opened = await callers(server, clients, SEED, name="doomed")
    load = asyncio.create_task(drive(opened, lambda one: ("record", one.record), seconds=seconds * 4))
    await asyncio.sleep(seconds)
    await asyncio.to_thread(server.kill)
    await load
    return [name for one in opened for name in one.acknowledged]


async def _goes_on(server: Server) -> int:
    (client,) = await callers(server, 1, SEED + 999, name="survivor")
    await drive([client], lambda one: ("record", one.record), calls=10)
    return len(client.acknowledged)


async def _raw_rate(server: Server, calls: int) -> float:
    opened = await callers(server, 16, SEED)
    began = time.perf_counter()

    async def probe(one: Caller) -> int:
        return (await one.call("GET", "/healthz"))[0]

    await drive(opened, lambda one: ("probe", lambda: probe(one)), calls=calls)
    return calls / (time.perf_counter() - began)


async def _httpx_rate(server: Server, calls: int) -> float:
    limits = httpx.Limits(max_connections=16)
    async with httpx.AsyncClient(base_url=f"http://{server.host}:{server.port}", limits=limits) as client:
        began = time.perf_counter()
        gate = asyncio.Semaphore(16)

        async def probe() -> None:
            async with gate:
                await client.get("/healthz")

        await asyncio.gather(*(probe() for _ in range(calls)))
        return calls / (time.perf_counter() - began)


def _run(work: Coroutine[None, None, T]) -> T:
    return uvloop.run(work)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="a look in about a minute")
    parser.add_argument("--sizes", help="sizes of the store for RECORD, such as 10000,50000,100000")
    parser.add_argument("--attune-at", type=int, help="the size at which ATTUNE and recall are measured")
    parser.add_argument("--seconds", type=float, help="how long the mixed load lasts")
    parser.add_argument("--embedder", default="auto", help="auto (the installed model) or none")
    parser.add_argument("--only", nargs="*", choices=["clients", "overhead", "mixed", "killed", "workers", "growth"])
    parser.add_argument("--folder", type=Path, help="where the stores go; kept afterwards")
    said = parser.parse_args()
    sizes = [
        int(size) for size in (said.sizes or ("2000,5000" if said.short else "10000,25000,50000,100000")).split(",")
    ]
    attune_at = said.attune_at or (sizes[-1] if said.short else 50_000)
    seconds = said.seconds or (8.0 if said.short else 60.0)
    folder = said.folder or Path(tempfile.mkdtemp(prefix="muniment-serve-"))
    campaign = Campaign(folder, embedder=said.embedder)
    parts: dict[str, Callable[[], None]] = {
        "clients": lambda: campaign.clients(2_000 if said.short else 20_000),
        "overhead": lambda: campaign.overhead(150 if said.short else 1_000),
        "mixed": lambda: campaign.mixed(64, seconds),
        "killed": lambda: campaign.killed(16, 3.0 if said.short else 10.0),
        "workers": lambda: campaign.workers(3_000, 5.0 if said.short else 20.0),
        "growth": lambda: campaign.growth(sizes, attune_at),
    }
    try:
        for name in said.only or parts:
            print(f"{name} …", flush=True)
            parts[name]()
    finally:
        if said.folder is None:
            shutil.rmtree(folder)
    publish("serve", campaign.rows, seed=SEED, details=campaign.details)


if __name__ == "__main__":
    main()
