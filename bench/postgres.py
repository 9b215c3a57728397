"""PostgreSQL beside the embedded store: governed writes, batches and recall, the same load and records on both.

The server is a real one that waits for its disk at every commit. Governed writes take turns with a bare script that
writes the very same rows to the same tables; the embedded store takes its turn in the same minute. Stores are filled
through `propose_many` and moved to PostgreSQL by `migrate-store`, so that both hold the same and must answer the same.
Vectors come from a model that looks them up. Fixed seed.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.postgres import SMALL, started

from bench import raw
from bench.corpora import POLICY, load, remember
from bench.postgres_bare import Bare, connected, written_columns
from bench.report import OUT, Row, publish
from bench.scale import Filling, Topics, every_tenth, note, percentiles, progress, short, sizes
from bench.texts import Texts
from muniment import Memory
from muniment.backends.postgres.transaction import tenant_number
from muniment.engine.migrating import Migration
from muniment.engine.moving.endpoints import MoveEndpoint
from muniment.engine.moving.move import VaultMove
from muniment.engine.place import Database, place_of
from muniment.model.claim import Claim
from muniment.model.claim_options import make_claim
from muniment.ports.embedder import Embedder

SEED = 20_261_116
ROUNDS = 7
SINGLES = 60
THREADS = 8
PROCESSES = 4
BATCH = 1_000
BATCHES = 3
TENANTS = 100
EACH = 1_000
QUESTIONS = 200
SERVER = SMALL | {"shared_buffers": "512MB", "max_wal_size": "4GB", "maintenance_work_mem": "256MB"}
P95_MS = {EACH: 15.0, 100_000: 40.0}
_BYSTANDING = ("entries", "documents", "cards", "standings", "proposals", "postings", "vectors")

Details = dict[str, list[float]]


class Desk:
    """An agent that the policy lets commit, at one tenant of one store."""

    def __init__(self, place: str | Path, *, tenant: str = "default", seed: int = SEED) -> None:
        self.memory = Memory.open(place, tenant=tenant, embedder=None)
        self._agent = self.memory.as_actor("bench")
        self._texts = Texts(seed)
        self.position = 0

    def claims(self, count: int) -> list[Claim]:
        said = [self._texts.sentence() for _ in range(count)]
        return [make_claim(one, self._agent.actor, {"confidence": 0.8, "evidence": ["ticket:OPS-7"]}) for one in said]

    def singles(self, count: int) -> float:
        """Proposals one by one, each acknowledged when durable; per second."""
        claims = self.claims(count)
        return _rate(count, lambda: self._propose_all(claims))

    def batch(self, count: int) -> float:
        claims = self.claims(count)
        began = time.perf_counter()
        self.position = self._agent.propose(claims)[-1].epoch
        return count / (time.perf_counter() - began)

    def threads(self, count: int, clients: int) -> float:
        """Acknowledgements per second of clients that share commits."""
        shares = [self.claims(count // clients) for _ in range(clients)]
        workers = [threading.Thread(target=self._propose_all, args=(share,)) for share in shares]

        def run() -> None:
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()

        return _rate(count // clients * clients, run)

    def _propose_all(self, claims: list[Claim]) -> None:
        """The last entry is the one that `position` says, unless others propose meanwhile."""
        for claim in claims:
            self.position = self._agent.propose(claim).epoch


def _rate(count: int, work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return count / (time.perf_counter() - began)


class Turns:
    """Rates of several ways to do the same, taken in turns; what one is to another is the median of the turns."""

    def __init__(self) -> None:
        self._rates: dict[str, list[float]] = {}

    def note(self, name: str, rate: float) -> None:
        self._rates.setdefault(name, []).append(rate)

    def rate(self, name: str) -> float:
        return statistics.median(self._rates[name])

    def ratio(self, name: str, other: str) -> float:
        return statistics.median(
            one / against for one, against in zip(self._rates[name], self._rates[other], strict=True)
        )


def writes(dsn: Callable[[str], str], folder: Path, details: Details) -> list[Row]:
    """Singly, in batches, from threads and from processes: governed, bare, and embedded."""
    note("writes: governed, bare and embedded in turns")
    place = dsn("bench_writes")
    ours, embedded = Desk(place), Desk(folder / "writes")
    bare, plain = Bare(place, dsn("bench_bare")), raw.RawStore(folder / "raw.sqlite")
    turns, number = Turns(), tenant_number("default")
    for desk in (ours, embedded):
        desk.batch(BATCH)
        desk.singles(SINGLES)
    for turn in range(ROUNDS):
        _singly(turns, ours, embedded, turn)
        first = ours.position - SINGLES + 1
        rows = bare.rows(number, first, first + SINGLES - 1)
        half = SINGLES // 2
        turns.note("bare", bare.insert(rows[:half], pipelined=False))
        turns.note("bare, pipelined", bare.insert(rows[half:], pipelined=True))
        kept = raw.load(folder / "writes" / "default.sqlite", embedded.position - SINGLES + 1, embedded.position)
        turns.note("embedded, bare", plain.write(kept, batch=1))
        turns.note("threads", ours.threads(2 * SINGLES, THREADS))
        turns.note("embedded, threads", embedded.threads(2 * SINGLES, THREADS))
    for _ in range(BATCHES):
        turns.note("batch", ours.batch(BATCH))
        end = ours.position
        turns.note("copy", bare.copy(bare.rows(number, end - BATCH + 1, end)))
        turns.note("embedded, batch", embedded.batch(BATCH))
    processes = _processes(place)
    for desk in (ours, embedded):
        desk.memory.close()
    bare.close()
    plain.close()
    details |= {f"rate: {name}": rates for name, rates in turns._rates.items()}
    return [
        Row("single durable proposals", turns.rate("single"), "/s"),
        Row("single, of a bare INSERT transaction", turns.ratio("single", "bare"), "", floor=0.35),
        Row("single, of a bare one in one pipeline", turns.ratio("single", "bare, pipelined"), ""),
        Row("bare INSERT transactions", turns.rate("bare"), "/s"),
        Row("bare INSERT transactions, each one pipeline", turns.rate("bare, pipelined"), "/s"),
        Row(f"{THREADS} threads, acknowledged", turns.rate("threads"), "/s"),
        Row(f"{PROCESSES} processes at {PROCESSES} tenants, acknowledged", processes, "/s"),
        Row(f"batches of {BATCH:,}", turns.rate("batch"), "/s"),
        Row(f"batches of {BATCH:,}, of COPY", turns.ratio("batch", "copy"), "", floor=0.15),
        Row("COPY of the same rows", turns.rate("copy"), "/s"),
        Row("embedded: single durable proposals", turns.rate("embedded, single"), "/s"),
        Row("embedded: single, of its raw limit", turns.ratio("embedded, single", "embedded, bare"), ""),
        Row(f"embedded: {THREADS} threads, acknowledged", turns.rate("embedded, threads"), "/s"),
        Row(f"embedded: batches of {BATCH:,}", turns.rate("embedded, batch"), "/s"),
        Row("single, PostgreSQL against embedded", turns.ratio("single", "embedded, single"), "×"),
        Row("batches, PostgreSQL against embedded", turns.ratio("batch", "embedded, batch"), "×"),
    ]


def _singly(turns: Turns, ours: Desk, embedded: Desk, turn: int) -> None:
    """Now one first and now the other. PostgreSQL's rows are read back, so its proposals must be the last ones."""
    if turn % 2:
        turns.note("embedded, single", embedded.singles(SINGLES))
        turns.note("single", ours.singles(SINGLES))
    else:
        turns.note("single", ours.singles(SINGLES))
        turns.note("embedded, single", embedded.singles(SINGLES))


def _processes(place: str) -> float:
    """Processes that each write to a tenant of their own: from the first proposal of any to the last of all."""
    command = [sys.executable, "-m", "bench.postgres", "--writer"]
    running = [
        subprocess.Popen([*command, place, f"p{number}"], stdout=subprocess.PIPE, text=True)
        for number in range(PROCESSES)
    ]
    spans = [[float(word) for word in one.communicate(timeout=600)[0].split()] for one in running]
    return PROCESSES * SINGLES / (max(end for _, end in spans) - min(begin for begin, _ in spans))


def writer(place: str, tenant: str) -> None:
    """One of the processes: write, and print when it began and ended."""
    desk = Desk(place, tenant=tenant, seed=SEED + int(tenant[1:]))
    desk.singles(10)
    claims = desk.claims(SINGLES)
    began = time.time()
    desk._propose_all(claims)
    print(began, time.time())
    desk.memory.close()


def recalls(dsn: Callable[[str], str], folder: Path, size: int, details: Details, *, crowd: int) -> list[Row]:
    """One tenant on both stores, asked the same; on PostgreSQL among so many others of the same size."""
    name = f"{short(size)} in one tenant" if crowd == 1 else f"{size:,} in one tenant of {crowd}"
    vault, place = folder / short(size), dsn(f"bench_{short(size)}")
    _fill(vault, size)
    note(f"{name}: moving it to PostgreSQL")
    VaultMove(source=MoveEndpoint(place=place_of(str(vault))), target=MoveEndpoint(place=place_of(place))).run()
    if crowd > 1:
        _surround(place, crowd)
    Migration(place=Database(dsn=place)).run()
    with connected(place) as owner:
        owner.execute(b"ANALYZE")
    rows: list[Row] = []
    for way, model in (("by words", None), ("in full", Topics())):
        rows += _compared(place, vault, f"{name}, {way}", model, details, gate=P95_MS.get(size))
    return rows


def _fill(vault: Path, size: int) -> None:
    """A vault of so many records and their vectors, unless it is there."""
    if not (vault / "filled").exists() and not (vault / "filled.json").exists():
        note(f"{short(size)}: writing through propose_many")
        filling = Filling(vault, "default", SEED)
        filling.fill(size, progress(short(size), size))
        filling.embed(every_tenth(short(size)))
        (vault / "filled").touch()


def _surround(place: str, crowd: int) -> None:
    """Give a tenant neighbours that are copies of it under other numbers: as many rows in the same tables."""
    with connected(place) as owner, owner.transaction():
        for table in _BYSTANDING:
            columns = ", ".join(written_columns(owner, table)[1:])
            copied = f"INSERT INTO {table} (tenant_id, {columns}) SELECT $2::bigint, {columns} FROM {table}"
            for number in range(1, crowd):
                owner.execute(f"{copied} WHERE tenant_id = $1".encode(), (tenant_number("default"), number))


def _compared(
    place: str, vault: Path, name: str, model: Embedder | None, details: Details, *, gate: float | None
) -> list[Row]:
    """The times of both, question by question in turns, and whether they gave the same records."""
    texts = Texts(SEED + 99)
    questions = [texts.question() for _ in range(QUESTIONS + 10)]
    took: tuple[list[float], list[float]] = ([], [])
    same = 0
    with Memory.open(place, embedder=model) as ours, Memory.open(vault, embedder=model) as embedded:
        for number, question in enumerate(questions):
            found = []
            for memory, times in zip((ours, embedded), took, strict=True):
                began = time.perf_counter()
                answer = memory.recall(question)
                times.append((time.perf_counter() - began) * 1_000)
                found.append([one.record.id for one in answer.records])
            same += number >= 10 and found[0] == found[1]
    return [
        *percentiles(f"{name}: recall", took[0][10:], details, gate=gate),
        *percentiles(f"{name}: recall, embedded", took[1][10:], details, gate=None),
        Row(f"{name}: questions answered with the same records", same / QUESTIONS, "", floor=1.0),
    ]


def flatness(dsn: Callable[[str], str], small: int, large: int) -> list[Row]:
    """How fast tenants of two sizes are written to, in turns."""
    note(f"writing to tenants of {short(small)} and of {short(large)} in turns")
    desks = {size: Desk(dsn(f"bench_{short(size)}"), seed=SEED + 5) for size in (small, large)}
    turns = Turns()
    for desk in desks.values():
        desk.singles(SINGLES)
    for turn in range(2 * ROUNDS):
        for size in (small, large) if turn % 2 else (large, small):
            turns.note(short(size), desks[size].singles(SINGLES))
    for desk in desks.values():
        desk.memory.close()
    ratio = turns.ratio(short(large), short(small))
    return [Row(f"single proposals, tenant of {short(large)} against {short(small)}", ratio, "", floor=0.7)]


def conversations(dsn: Callable[[str], str], folder: Path, path: Path) -> list[Row]:
    """Public conversations on both stores: the same questions must find the same turns in the same order."""
    corpus = load(path)[1][0]
    note(f"{corpus.name}: {len(corpus.turns)} turns, {len(corpus.asks)} questions")
    policy, vault, place = folder / "conversations.yaml", folder / "conversations", dsn("bench_conversations")
    policy.write_text(POLICY)
    with Memory.open(vault, policy=policy, embedder=None) as memory:
        remember(memory, corpus)
    VaultMove(source=MoveEndpoint(place=place_of(str(vault))), target=MoveEndpoint(place=place_of(place))).run()
    same = 0
    with Memory.open(place, embedder=None) as ours, Memory.open(vault, embedder=None) as embedded:
        for ask in corpus.asks:
            answers = [
                [
                    (one.record.id, one.score)
                    for one in memory.as_actor(ask.asker).recall(ask.text, limit=100, asked_at=ask.at).records
                ]
                for memory in (ours, embedded)
            ]
            same += answers[0] == answers[1]
    share, name = same / len(corpus.asks), f"{corpus.name}: {len(corpus.asks):,} questions"
    return [Row(f"{name} with the same answers and scores", share, "", floor=1.0)]


@contextmanager
def schemas(dsn: str | None) -> Iterator[Callable[[str], str]]:
    """The addresses of schemas on a server: the one that is given, or one that lives as long as the run."""
    if dsn is not None:
        yield lambda name: f"{dsn}{'&' if '?' in dsn else '?'}schema={name}_{random.getrandbits(32):08x}"
        return
    with started(durable=True, settings=SERVER) as server:
        yield lambda name: server.dsn(schema=name)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--dsn", help="a server that runs; else one is started for the run")
    options.add_argument("--sizes", default="10k,100k", help="records in one tenant (default 10k,100k; up to 1M)")
    options.add_argument("--folder", type=Path, help="keep the embedded stores here, and use those that are there")
    options.add_argument("--data", type=Path, help="public conversations, to compare answers on")
    options.add_argument("--only", choices=("writes", "recalls"), help="one part of it")
    options.add_argument("--writer", nargs=2, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.writer is not None:
        writer(*chosen.writer)
        return
    OUT.mkdir(exist_ok=True)
    folder = chosen.folder or Path(tempfile.mkdtemp(prefix="bench-postgres-", dir=OUT))
    details, rows = Details(), list[Row]()
    try:
        with schemas(chosen.dsn) as dsn, tempfile.TemporaryDirectory(prefix="bench-", dir=OUT) as scratch:
            if chosen.only != "recalls":
                rows += writes(dsn, Path(scratch), details)
            if chosen.only != "writes":
                if chosen.data is not None:
                    rows += conversations(dsn, Path(scratch), chosen.data)
                rows += recalls(dsn, folder, EACH, details, crowd=TENANTS)
                asked = sizes(chosen.sizes)
                for size in asked:
                    rows += recalls(dsn, folder, size, details, crowd=1)
                rows += flatness(dsn, asked[0], asked[-1])
    finally:
        if chosen.folder is None:
            shutil.rmtree(folder)
    publish("postgres", rows, seed=SEED, details=details)


if __name__ == "__main__":
    main()
