"""Recall at size: ten thousand to a million records in one tenant, and over a thousand tenants, everything switched on.

Stores are filled through `propose_many`, so every record has its decision, ledger entry, index terms and document;
vectors are made afterwards by the engine's own trail, from a model that looks its vectors up and costs next to nothing.
What is timed is the whole of `recall`: policy, both searches under the filter, gate, ranking, and the receipt on disk.
Fixed seed.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from bench.report import OUT, Row, publish
from bench.texts import Texts
from muniment import Memory
from muniment.backends.vectors import columns_file
from muniment.backends.vectors.index import VectorIndex
from muniment.engine.options import QueryOptions
from muniment.model.claim import Claim
from muniment.model.claim_options import make_claim
from muniment.model.filter import EVERYTHING, Filter, OneOf

SEED = 20_261_115
DIMENSIONS = 384
TOPICS = 2_000
TENANTS = 1_000
BATCH = 500
QUESTIONS = 300
COMPARED = 100
KINDS = ("observation", "fact", "evidence")
SPACES = ("/ops/deploy", "/ops/alerts", "/hr/pay", "/sales", "/sales/leads")
P95_MS = {10_000: 5.0, 100_000: 20.0, 1_000_000: 50.0}
LEXICAL_P95_MS = {1_000_000: 30.0}
NARROW: QueryOptions = {"namespace": "/ops", "kinds": ["fact"], "confidence_min": 0.5}


class Topics:
    """A model that knows every vector beforehand: each text lies near one of two thousand topics, as sentences do."""

    dimensions = DIMENSIONS

    def __init__(self, model: str = "topics@1") -> None:
        self.model = model
        self._centres = np.random.default_rng(SEED).standard_normal((TOPICS, DIMENSIONS)).astype(np.float32)

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> bytes:
        chance = np.random.default_rng(list(text.encode()[-24:]))
        noise = chance.standard_normal(DIMENSIONS).astype(np.float32)
        vector = 0.8 * self._centres[chance.integers(TOPICS)] + noise
        return bytes((vector / np.linalg.norm(vector)).astype(np.float32).tobytes())


class Filling:
    """A store being filled, without vectors; those come after."""

    def __init__(self, folder: Path, tenant: str, seed: int) -> None:
        self._folder, self._tenant = folder, tenant
        self._texts = Texts(seed)

    def fill(self, count: int, told: Callable[[int], None]) -> float:
        """Write so many records and return the seconds it took."""
        started = time.perf_counter()
        with Memory.open(self._folder, tenant=self._tenant, embedder=None) as memory:
            agent = memory.as_actor("bench")
            for first in range(0, count, BATCH):
                numbers = range(first, min(first + BATCH, count))
                verdicts = agent.propose([self._claim(agent, number) for number in numbers])
                assert all(verdict.record_id for verdict in verdicts), "every record is kept"
                told(numbers.stop)
        return time.perf_counter() - started

    def _claim(self, agent: Memory, number: int) -> Claim:
        place = {"session_id": f"s{number // 20}", "namespace": SPACES[number % len(SPACES)]}
        said = {"kind": KINDS[number % len(KINDS)], "confidence": 0.8, "evidence": ["ticket:OPS-7"]}
        return make_claim(self._texts.sentence(), agent.actor, {**place, **said})  # type: ignore[typeddict-item]  # joined

    def embed(self, told: Callable[[int, int], None] = lambda done, all_: None, model: str = "topics@1") -> float:
        """Make all vectors and return the seconds it took."""
        with Memory.open(self._folder, tenant=self._tenant, embedder=Topics(model)) as memory:
            started = time.perf_counter()
            memory.flush(progress=told)
            return time.perf_counter() - started


def one_tenant(folder: Path, size: int, details: dict[str, list[float]], *, rebuild: bool) -> list[Row]:
    """Fill one tenant, ask it, and look at what it takes."""
    name, filling = short(size), Filling(folder, "default", SEED)
    note(f"{name}: writing through propose_many, {BATCH} to a transaction")
    ready, rows = folder / "filled.json", list[Row]()
    if not ready.exists():
        written = filling.fill(size, progress(name, size))
        note(f"{name}: making vectors")
        ready.write_text(json.dumps([written, filling.embed(every_tenth(name))]))
    written, embedded = json.loads(ready.read_text())
    rows.append(Row(f"{name}: written through propose_many", size / written, "records/s"))
    rows.append(Row(f"{name}: vectors kept, the model's own time apart", size / embedded, "records/s"))
    rows += asked(folder, name, size, details)
    rows += resources(folder, name, size)
    rows += agreement(folder, name)
    return rows + (rebuilt(folder, name, filling) if rebuild else [])


def asked(folder: Path, name: str, size: int, details: dict[str, list[float]]) -> list[Row]:
    note(f"{name}: asking {QUESTIONS} questions, four ways")
    rows = list[Row]()
    with Memory.open(folder, embedder=Topics()) as memory:
        rows += _timed(memory, f"{name}: recall", {}, details, gate=P95_MS.get(size))
        rows += _timed(memory, f"{name}: recall, narrow filter", NARROW, details, gate=P95_MS.get(size))
    with Memory.open(folder, embedder=None) as memory:
        rows += _timed(memory, f"{name}: by words only", {}, details, gate=LEXICAL_P95_MS.get(size))
        rows += _timed(memory, f"{name}: by words only, narrow filter", NARROW, details, gate=LEXICAL_P95_MS.get(size))
    return rows


def _timed(
    memory: Memory, name: str, options: QueryOptions, details: dict[str, list[float]], *, gate: float | None
) -> list[Row]:
    texts = Texts(SEED + 99)
    questions = [texts.question() for _ in range(QUESTIONS + 10)]
    for question in questions[:10]:
        memory.recall(question, **options)
    return percentiles(name, [_ms(memory, question, options) for question in questions[10:]], details, gate=gate)


def _ms(memory: Memory, question: str, options: QueryOptions) -> float:
    started = time.perf_counter()
    memory.recall(question, **options)
    return (time.perf_counter() - started) * 1_000


def percentiles(name: str, times: list[float], details: dict[str, list[float]], *, gate: float | None) -> list[Row]:
    cuts = statistics.quantiles(times, n=100)
    details[f"{name}, ms at 50, 95, 99 of a hundred"] = [cuts[49], cuts[94], cuts[98]]
    return [
        Row(f"{name} p50", cuts[49], "ms"),
        Row(f"{name} p95", cuts[94], "ms", floor=gate, most=True),
        Row(f"{name} p99", cuts[98], "ms"),
    ]


def resources(folder: Path, name: str, size: int) -> list[Row]:
    """Disk, and the memory and the first answer of a process of its own."""
    command = [sys.executable, "-m", "bench.scale", "--probe", str(folder)]
    first, own, mapped = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    vectors = disk(folder / "default.vectors")
    return [
        Row(f"{name}: open and first recall, new process", first, "s"),
        Row(f"{name}: memory of its own", own, "MB"),
        Row(f"{name}: mapped files in memory", mapped, "MB"),
        Row(f"{name}: disk, records and ledger and words", (disk(folder) - vectors) / size, "bytes/record"),
        Row(f"{name}: disk, vectors", vectors / size, "bytes/record"),
    ]


def probe(folder: Path) -> None:
    """Open, recall, and print how long the first answer took and what memory is held after a hundred."""
    started = time.perf_counter()
    texts = Texts(SEED + 98)
    with Memory.open(folder, embedder=Topics()) as memory:
        memory.recall(texts.question())
        first = time.perf_counter() - started
        for _ in range(COMPARED):
            memory.recall(texts.question())
        own, mapped = resident_mb()
    print(json.dumps([first, own, mapped]))


def resident_mb() -> tuple[float, float]:
    """Memory of this process: its own, and pages of files that the system may take back at any time."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 0.0
    held = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(held["RssAnon"].split()[0]) / 1024, int(held["RssFile"].split()[0]) / 1024


def agreement(folder: Path, name: str) -> list[Row]:
    """How many of the true ten nearest the index finds, with and without a filter. The oracle compares every vector."""
    fast, exact = index_of(folder), index_of(folder, exact_max=1 << 40)
    third: Filter = OneOf(field="kind", words=(KINDS[1],))
    texts, model = Texts(SEED + 97), Topics()
    vectors = model.embed([texts.question() for _ in range(COMPARED)])
    rows = []
    for words, condition in (("", EVERYTHING), (", a third allowed", third)):
        shares = [_share(fast, exact, condition, vector) for vector in vectors]
        rows.append(Row(f"{name}: recall@10 against exact{words}", statistics.fmean(shares), "", floor=0.99))
    return rows


def _share(fast: VectorIndex, exact: VectorIndex, condition: Filter, vector: bytes) -> float:
    ends = fast.position
    true = {near.rid for near in exact.search(condition, vector, as_of=ends, upto=ends, keep=10)}
    found = {near.rid for near in fast.search(condition, vector, as_of=ends, upto=ends, keep=10)}
    return len(true & found) / max(len(true), 1)


def index_of(folder: Path, exact_max: int | None = None) -> VectorIndex:
    vectors = folder / "default.vectors"
    index = VectorIndex(vectors) if exact_max is None else VectorIndex(vectors, exact_max=exact_max)
    kept = columns_file.load(vectors / "columns")
    assert kept is not None, "what the index knows of the cards is saved when a store is closed"
    assert index.load(lambda position: kept[1])
    return index


def rebuilt(folder: Path, name: str, filling: Filling) -> list[Row]:
    """Every table from the ledger alone, and every vector anew for another model."""
    note(f"{name}: rebuilding tables, then vectors")
    with Memory.open(folder, embedder=None) as memory:
        started = time.perf_counter()
        memory.ledger.replay()
        tables = time.perf_counter() - started
    vectors = filling.embed(every_tenth(name), model="topics@2")
    filling.embed(model="topics@1")
    return [Row(f"{name}: tables rebuilt", tables, "s"), Row(f"{name}: vectors rebuilt, model apart", vectors, "s")]


def many_tenants(folder: Path, size: int, details: dict[str, list[float]]) -> list[Row]:
    """The same number of records over a thousand tenants: asked cold, each opened for one question, and warm."""
    name, each = f"{short(size)} over {TENANTS:,}", size // TENANTS
    note(f"{name}: writing {each} records to each of {TENANTS:,} tenants")
    told = progress(name, TENANTS)
    for number in range(TENANTS if not (folder / "filled").exists() else 0):
        filling = Filling(folder, f"t{number}", SEED + number)
        filling.fill(each, lambda done: None)
        filling.embed()
        told(number + 1)
    (folder / "filled").touch()
    chance, texts, model = random.Random(SEED), Texts(SEED + 96), Topics()
    chosen = [f"t{number}" for number in chance.sample(range(TENANTS), 100)]
    cold = [_cold_ms(folder, tenant, texts.question(), model) for tenant in chosen]
    held = [Memory.open(folder, tenant=tenant, embedder=model) for tenant in chosen[:50]]
    for memory in held:
        memory.recall(texts.question())
    warm = [_ms(memory, texts.question(), {}) for _ in range(QUESTIONS // 50) for memory in held]
    own, _ = resident_mb()
    for memory in held:
        memory.close()
    return [
        *percentiles(f"{name}: open, recall, close", cold, details, gate=None),
        *percentiles(f"{name}: recall, 50 tenants open", warm, details, gate=P95_MS[10_000]),
        Row(f"{name}: memory of its own, 50 tenants open", own, "MB"),
        Row(f"{name}: disk", disk(folder) / (each * TENANTS), "bytes/record"),
    ]


def _cold_ms(folder: Path, tenant: str, question: str, model: Topics) -> float:
    started = time.perf_counter()
    with Memory.open(folder, tenant=tenant, embedder=model) as memory:
        memory.recall(question)
    return (time.perf_counter() - started) * 1_000


def disk(folder: Path) -> int:
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


def short(size: int) -> str:
    return f"{size // 1_000_000}M" if size >= 1_000_000 else f"{size // 1_000}k"


def sizes(text: str) -> list[int]:
    """Read `10k,100k,1M`; nothing for none."""
    units = {"k": 1_000, "M": 1_000_000}
    return [int(word[:-1]) * units[word[-1]] if word[-1] in units else int(word) for word in text.split(",") if word]


def progress(name: str, all_: int) -> Callable[[int], None]:
    step, started = max(all_ // 10, 1), time.perf_counter()

    def told(done: int) -> None:
        if done % step == 0:
            note(f"{name}: {done:,} of {all_:,}, {done / (time.perf_counter() - started):,.0f}/s")

    return told


def every_tenth(name: str) -> Callable[[int, int], None]:
    seen = [0]

    def told(done: int, all_: int) -> None:
        if 10 * done // all_ > seen[0]:
            seen[0] = 10 * done // all_
            note(f"{name}: vectors reach entry {done:,} of {all_:,}")

    return told


def note(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sizes", default="10k,100k", help="records in one tenant (default 10k,100k; up to 1M)")
    options.add_argument("--spread", default="100k", help=f"records over {TENANTS:,} tenants (default 100k)")
    options.add_argument("--folder", type=Path, help="keep stores here, and use those that are there already")
    options.add_argument("--no-rebuild", action="store_true", help="leave out rebuilding, the longest part")
    options.add_argument("--probe", type=Path, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.probe is not None:
        probe(chosen.probe)
        return
    OUT.mkdir(exist_ok=True)
    scratch = chosen.folder or Path(tempfile.mkdtemp(prefix="bench-scale-", dir=OUT))
    scratch.mkdir(parents=True, exist_ok=True)
    details, rows = dict[str, list[float]](), list[Row]()
    try:
        for size in sizes(chosen.sizes):
            (scratch / short(size)).mkdir(exist_ok=True)
            rows += one_tenant(scratch / short(size), size, details, rebuild=not chosen.no_rebuild)
        for size in sizes(chosen.spread):
            (scratch / f"spread-{short(size)}").mkdir(exist_ok=True)
            rows += many_tenants(scratch / f"spread-{short(size)}", size, details)
    finally:
        if chosen.folder is None:
            shutil.rmtree(scratch)
    publish("scale", rows, seed=SEED, details=details)


if __name__ == "__main__":
    main()
