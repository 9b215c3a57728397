"""The short form of all benches: one table of what was reached beside its floor and its aim, and bench/out/all.json.

Every ratio is taken in one run, lap by lap in turns, and is the median of five laps. The whole takes less than ten
minutes: a part that fails or that there is no time left for is told without a value. Importing is raced against other
memories by `make bench-peers`, which installs them. Fixed seed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import apsw
import numpy as np
import uvloop

from bench.erase import RECORDS, SUBJECT, _plant
from bench.postgres import Desk, Turns
from bench.postgres import schemas as postgres_schemas
from bench.postgres_bare import Bare
from bench.report import OUT
from bench.serve import _each_kind
from bench.serve_load import served
from bench.spine import _USE, SEED, Growth, _child
from bench.texts import Texts
from muniment import Memory
from muniment.backends.embedders.choose import choose
from muniment.backends.postgres.transaction import tenant_number
from muniment.config import read_environment
from muniment.engine.moving.endpoints import MoveEndpoint
from muniment.engine.moving.move import VaultMove
from muniment.engine.place import place_of
from muniment.model.claim_options import make_claim
from muniment.model.errors import StoreBusy
from muniment.ports.embedder import Embedder

LAPS = 5
TIME_S = 510.0
"""No part is begun later than this."""
SIZE = 10_000
"""So many records are asked, unless the machine is too busy to write them in time."""
FILLING_S = 40.0
NARROW = "/narrow"


class Goal(NamedTuple):
    """What is measured, in which unit, and what is wanted of it: at least, or with `most` at most."""

    what: str
    unit: str
    floor: float | None
    aim: float | None
    most: bool = False

    def reached(self, value: float | None) -> str:
        if value is None:
            return "no"
        for word, bound in (("aim", self.aim), ("floor", self.floor)):
            if bound is not None and (value <= bound if self.most else value >= bound):
                return word
        return "no"


SINGLE = Goal("single durable proposal, of raw SQLite with the same rows", "ratio", 0.50, 0.65)
BATCH_100 = Goal("batches of 100, of raw", "ratio", 0.20, 0.35)
BATCH_1000 = Goal("batches of 1,000, of raw", "ratio", 0.20, 0.35)
THREADS = Goal("32 threads, acknowledged, against one thread", "×", 4, 8)
WRITE_SQL = Goal("SQL statements per single write (SQLite)", "statements", 8, 5, most=True)
RECALL_SQL = Goal("SQL statements per recall with the model (SQLite)", "statements", 10, 6, most=True)
RECALL = Goal("recall p95, everything on, {size:,} records", "ms", 8, 5, most=True)
PLAIN = Goal("recall against plain FTS5 and exact vectors asked by a bare script", "×", 3, 2, most=True)
FILTERED = Goal("recall under a filter that 1 % pass, against unfiltered", "×", 1, None, most=True)
VERIFY = Goal("verify, of reading the same rows and hashing them", "ratio", 0.3, 0.5)
START_LIBRARY = Goal("import muniment, user time", "s", 0.25, 0.15, most=True)
START_VERSION = Goal("muniment --version, user time", "s", 0.15, 0.10, most=True)
START_RECALL = Goal("muniment recall, user time", "s", 0.4, 0.3, most=True)
START_MCP = Goal("muniment mcp to the list of tools, user time", "s", 1.0, 0.6, most=True)
SERVED_RECALL = Goal("server, processor time per recall at 5,000 units", "ms", 5, 3, most=True)
SERVED_ATTUNE = Goal("server, processor time per ATTUNE at 5,000 units", "ms", 8, 5, most=True)
SERVED_RECORD = Goal("server, processor time per RECORD", "ms", 2, 1.2, most=True)
WORKERS_RECALL = Goal("server, two workers over one: recall", "×", 1.7, None)
WORKERS_RECORD = Goal("server, two workers over one: RECORD", "×", 1.5, None)
FORGET = Goal(
    f"forget of a person with {2 * RECORDS:,} records, in a store of {{size:,}} others", "s", 3, 1.5, most=True
)
COPY = Goal("PostgreSQL: batches of 1,000, of COPY", "ratio", 0.20, None)
FAR_RECALL = Goal("PostgreSQL: recall p95 against the embedded store", "×", 3, None, most=True)
RESIDENT = Goal(
    "memory of a process that opens, writes and recalls, model loaded, {size:,} records", "MB", 200, 160, True
)
Found = dict[Goal, float | None]


def median_ratio(laps: list[tuple[float, float]]) -> float:
    return statistics.median(one / other for one, other in laps)


def p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[18] * 1_000


class Overview:
    """The parts in the order of what a user feels. Later ones use the store that the first has filled."""

    def __init__(self, folder: Path) -> None:
        config = read_environment()
        self._folder = folder
        model = choose("auto", models=config.models_folder, key=config.embedder_key)
        self._model = None if model is None else _Remembering(model)
        self._vault = folder / "grow"
        self.size = 0

    def parts(self) -> Iterator[tuple[tuple[Goal, ...], Callable[[], Found]]]:
        yield (SINGLE, BATCH_100, BATCH_1000, THREADS), self.writes
        yield (START_LIBRARY, START_VERSION, START_RECALL, START_MCP), self.starts
        yield (WRITE_SQL, RECALL_SQL), self.statements
        yield (VERIFY,), self.verifies
        yield (RECALL, PLAIN, FILTERED), self.recalls
        yield (RESIDENT,), self.resident
        yield (SERVED_RECALL, SERVED_ATTUNE, SERVED_RECORD, WORKERS_RECALL, WORKERS_RECORD), self.serves
        yield (COPY, FAR_RECALL), self.postgres
        yield (FORGET,), self.forgets

    def writes(self) -> Found:
        grown = Growth(self._folder)
        grown.step(500, batch=100)
        threads = []
        for _ in range(LAPS):
            grown.step(40, batch=1)
            grown.step(300, batch=100)
            grown.step(1_000, batch=1_000)
            alone = grown.load.singles(50)
            threads.append((grown.load.threads(160), alone))
            grown._copied = grown.load.written + 2  # not written raw
        until = time.monotonic() + FILLING_S
        while grown.load.written < SIZE and time.monotonic() < until:
            grown.load.batches(min(500, SIZE - grown.load.written), size=500)
        self.size = grown.load.written
        found: Found = {
            SINGLE: grown.medians(1)[2],
            BATCH_100: grown.medians(100)[2],
            BATCH_1000: grown.medians(1_000)[2],
        }
        agent = grown.load.memory
        for first in range(0, SIZE // 100, 50):
            agent.propose(
                [
                    make_claim(grown.load.texts.sentence(), agent.actor, {"namespace": NARROW})
                    for _ in range(first, first + 50)
                ]
            )
        grown.close()
        return found | {THREADS: median_ratio(threads)}

    def starts(self) -> Found:
        vault, program = str(self._folder / "start"), [sys.executable, "-m", "muniment"]
        subprocess.run(
            [*program, "--vault", vault, "remember", "Deploys freeze on Fridays"], capture_output=True, check=True
        )
        commands = {
            START_LIBRARY: [sys.executable, "-c", "import muniment"],
            START_VERSION: [*program, "--version"],
            START_RECALL: [*program, "--vault", vault, "recall", "when do deploys freeze?"],
        }
        found: Found = {
            goal: statistics.median(_user_seconds(command) for _ in range(LAPS)) for goal, command in commands.items()
        }
        said = _ASK_FOR_TOOLS.encode()
        return found | {
            START_MCP: statistics.median(_user_seconds([*program, "--vault", vault, "mcp"], said) for _ in range(LAPS))
        }

    def statements(self) -> Found:
        counted, own = list[str](), threading.get_ident()

        def note(_: apsw.Cursor, sql: str, __: object) -> bool:
            if threading.get_ident() == own:  # and not the thread that makes vectors
                counted.append(sql)
            return True

        def watch(connection: apsw.Connection) -> None:
            connection.exec_trace = note

        apsw.connection_hooks.append(watch)
        try:
            with Memory.open(self._folder / "counted", embedder=self._model) as memory:
                texts = Texts(SEED)
                for _ in range(100):
                    memory.remember(texts.sentence(), confidence=0.8)
                memory.flush()
                memory.recall(texts.question())
                found: Found = {}
                for goal, deed in (
                    (WRITE_SQL, lambda: memory.remember(texts.sentence(), confidence=0.8)),
                    (RECALL_SQL, lambda: memory.recall(texts.question())),
                ):
                    laps = []
                    for _ in range(LAPS):
                        counted.clear()
                        deed()
                        laps.append(len(counted))
                        memory.flush()
                    found[goal] = statistics.median(laps)
        finally:
            apsw.connection_hooks.remove(watch)
        return found if self._model is not None else found | {RECALL_SQL: None}

    def recalls(self) -> Found:
        with Memory.open(self._vault, embedder=self._model) as memory:
            try:
                memory.flush(timeout=100)
            except StoreBusy as late:
                note(str(late))
            bare = _Bare(memory, self._model)
            texts = Texts(SEED + 99)
            for _ in range(10):
                memory.recall(texts.question())
            ours, narrow, plain = list[float](), list[float](), list[float]()
            laps, bounded = list[tuple[float, float]](), list[tuple[float, float]]()
            for _ in range(LAPS):
                took: tuple[list[float], ...] = ([], [], [])
                for question in [texts.question() for _ in range(25)]:
                    took[0].append(_timed(partial(memory.recall, question)))
                    took[1].append(_timed(partial(memory.recall, question, namespace=NARROW)))
                    took[2].append(_timed(partial(bare.ask, question)))
                laps.append((statistics.median(took[0]), statistics.median(took[2])))
                bounded.append((statistics.median(took[1]), statistics.median(took[0])))
                for every, times in zip((ours, narrow, plain), took, strict=True):
                    every += times
        return {RECALL: p95(ours), PLAIN: median_ratio(laps), FILTERED: median_ratio(bounded)}

    def verifies(self) -> Found:
        path = self._vault / "default.sqlite"
        with Memory.open(self._vault, embedder=None) as memory:
            laps = []
            for _ in range(LAPS):
                ours = _timed(lambda: memory.ledger.verify())
                laps.append((_timed(lambda: _read_and_hash(path)), ours))
        return {VERIFY: median_ratio(laps)}

    def resident(self) -> Found:
        return {RESIDENT: _child(_USE, self._vault) if self._model is not None else None}

    def serves(self) -> Found:
        told = {}
        for workers in (1, 2):
            vault = self._folder / f"served-{workers}" / "vault"
            vault.parent.mkdir()
            with served(vault, embedder="none", workers=workers) as server:
                told[workers] = uvloop.run(_each_kind(server, 5_000, 4.0, 16))
        one, two = told[1], told[2]
        return {
            SERVED_RECALL: one["recall"][1],
            SERVED_ATTUNE: one["ATTUNE"][1],
            SERVED_RECORD: one["RECORD"][1],
            WORKERS_RECALL: two["recall"][0] / one["recall"][0],
            WORKERS_RECORD: two["RECORD"][0] / one["RECORD"][0],
        }

    def postgres(self) -> Found:
        with postgres_schemas(None) as dsn:
            place = dsn("overview")
            ours, bare, turns = Desk(place), Bare(place, dsn("overview_bare")), Turns()
            ours.batch(500)
            for _ in range(LAPS):
                turns.note("ours", ours.batch(1_000))
                end = ours.position
                turns.note("copy", bare.copy(bare.rows(tenant_number("default"), end - 999, end)))
            ours.memory.close()
            bare.close()
            there = dsn("overview_recall")
            VaultMove(
                source=MoveEndpoint(place=place_of(str(self._vault))), target=MoveEndpoint(place=place_of(there))
            ).run()
            texts, laps = Texts(SEED + 98), []
            with Memory.open(there, embedder=None) as far, Memory.open(self._vault, embedder=None) as near:
                for _ in range(LAPS):
                    questions = [texts.question() for _ in range(20)]
                    laps.append(
                        (
                            p95([_timed(partial(far.recall, one)) for one in questions]),
                            p95([_timed(partial(near.recall, one)) for one in questions]),
                        )
                    )
        return {COPY: turns.ratio("ours", "copy"), FAR_RECALL: median_ratio(laps)}

    def forgets(self) -> Found:
        with Memory.open(self._vault, embedder=None) as memory:
            _plant(memory)
            return {FORGET: _timed(lambda: memory.forget(subject=SUBJECT, reason="asked to by the person"))}


class _Remembering:
    """A model that keeps the vectors it made, so that the bare script need not make those of all records again."""

    def __init__(self, model: Embedder) -> None:
        self.model, self.dimensions = model.model, model.dimensions
        self._made: dict[str, bytes] = {}
        self._embed = model.embed

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        missing = [text for text in dict.fromkeys(texts) if text not in self._made]
        self._made.update(zip(missing, self._embed(missing), strict=True) if missing else ())
        return [self._made[text] for text in texts]


class _Bare:
    """What a bare script does: words by FTS5, vectors compared all with all, and the two lists put together."""

    def __init__(self, memory: Memory, model: Embedder | None) -> None:
        self._model = model
        self._index = apsw.Connection(":memory:")
        self._index.execute("CREATE VIRTUAL TABLE texts USING fts5 (text)")
        self._vectors = np.zeros((0, 1), dtype=np.float32)
        texts, batch = list[str](), 256
        for found in memory.insight.browse():
            texts.append(found.record.content)
        with self._index:
            self._index.executemany("INSERT INTO texts (text) VALUES (?)", ((text,) for text in texts))
        if model is not None:
            made = [model.embed(texts[first : first + batch]) for first in range(0, len(texts), batch)]
            self._vectors = np.concatenate([_matrix(part) for part in made])

    def ask(self, question: str) -> list[int]:
        words = " OR ".join(f'"{word}"' for word in question.split())
        asked = "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 20"
        ranks: dict[int, float] = {}
        rows = [int(str(row[0])) for row in self._index.execute(asked, (words,)).fetchall()]
        if self._model is not None:
            near = self._vectors @ _matrix(self._model.embed([question]))[0]
            rows += [int(at) + 1 for at in np.argpartition(-near, 20)[:20]]
        for place, rid in enumerate(rows):
            ranks[rid] = ranks.get(rid, 0.0) + 1 / (60 + place % 20)
        return sorted(ranks, key=lambda rid: -ranks[rid])[:10]


def _matrix(vectors: list[bytes]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(vectors), -1)


def _read_and_hash(path: Path) -> int:
    """Read the rows that a verification reads, and hash each: entries, documents, cards, receipts."""
    source, hashed = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY), 0
    for table in ("entries", "documents", "cards", "standings", "proposals", "receipts"):
        for row in source.execute(f"SELECT * FROM {table}"):
            hashlib.sha256(repr(row).encode()).digest()
            hashed += 1
    source.close()
    return hashed


def _timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


_ASK_FOR_TOOLS = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    '"clientInfo":{"name":"bench","version":"1"}}}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
    '{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n'
)


def _user_seconds(command: list[str], said: bytes | None = None) -> float:
    """User time of one process, from its start to its end. One that is spoken to is let go after two answers."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE if said else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    if said is not None:
        assert process.stdin is not None
        process.stdin.write(said)
        process.stdin.flush()
        for _ in range(2):
            process.stdout.readline()
        process.stdin.close()
    process.stdout.read()
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    process.stdout.close()
    return used.ru_utime


def note(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def main() -> None:
    OUT.mkdir(exist_ok=True)
    scratch, began = Path(tempfile.mkdtemp(prefix="bench-", dir=OUT)), time.monotonic()
    rows: list[dict[str, str | float | None]] = []
    try:
        overview = Overview(scratch)
        for goals, part in overview.parts():
            left = TIME_S - (time.monotonic() - began)
            found: Found = {}
            if left > 0:
                try:
                    found = part()
                except Exception as error:  # noqa: BLE001  # a part that fails is told without a value, the others go on
                    note(f"{part.__name__}: {type(error).__name__}: {error}")
            else:
                note(f"{part.__name__}: no time left")
            note(f"{part.__name__} ended after {time.monotonic() - began:,.0f} s")
            for goal in goals:
                value = found.get(goal)
                rows.append(
                    {
                        "what": goal.what.format(size=overview.size),
                        "value": None if value is None else round(value, 4),
                        "unit": goal.unit,
                        "floor": goal.floor,
                        "aim": goal.aim,
                        "reached": goal.reached(value),
                    }
                )
            (OUT / "all.json").write_text(json.dumps(rows, indent=2) + "\n")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    width = max(len(str(row["what"])) for row in rows)
    print(f"{'what':{width}}  {'value':>12}  {'floor':>6}  {'aim':>6}  reached")
    for row in rows:
        shown = "–" if row["value"] is None else f"{row['value']:,.3g} {row['unit']}"
        print(f"{row['what']:{width}}  {shown:>12}  {row['floor'] or '–':>6}  {row['aim'] or '–':>6}  {row['reached']}")
    print("\nwritten to bench/out/all.json", file=sys.stderr)


if __name__ == "__main__":
    main()
