"""The spine under load: governed writes, recall, verify, open and memory, with everything switched on.

Everything on: policy, nine steps, ledger, documents, projections, full-text index, one fsync per acknowledged group.
Rates are held against the raw limit measured in the same run. Fixed seed; the scale can be cut for a quick look.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from bench import raw
from bench.report import OUT, Row, publish
from bench.texts import Texts
from muniment import Memory
from muniment.model.claim import Claim
from muniment.model.claim_options import make_claim

SEED = 20_261_115
SCALE_MIN = 10_000


class Load:
    """One tenant being filled by an agent that the policy lets commit."""

    def __init__(self, folder: Path, *, tenant: str = "default", seed: int = SEED) -> None:
        self.memory = Memory.open(folder, tenant=tenant)
        self.agent = self.memory.as_actor("bench")
        self.texts = Texts(seed)
        self.written = 0

    def claims(self, count: int) -> list[Claim]:
        made = [
            make_claim(self.texts.sentence(), self.agent.actor, {"confidence": 0.8, "evidence": ["ticket:OPS-7"]})
            for _ in range(count)
        ]
        self.written += count
        return made

    def singles(self, count: int) -> float:
        """Proposals one by one, each acknowledged when durable; per second."""
        claims = self.claims(count)
        return _rate(count, lambda: [self.agent.propose(claim) for claim in claims])

    def batches(self, count: int, size: int = 100) -> float:
        claims = self.claims(count)
        return _rate(count, lambda: [self.agent.propose(claims[at : at + size]) for at in range(0, count, size)])

    def threads(self, count: int, clients: int = 32) -> float:
        """Acknowledgements per second with many client threads sharing fsyncs."""
        shares = [self.claims(count // clients) for _ in range(clients)]
        workers = [
            threading.Thread(target=lambda share=share: [self.agent.propose(claim) for claim in share])
            for share in shares
        ]

        def run() -> None:
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()

        return _rate(count // clients * clients, run)

    def _propose_all(self, claims: list[Claim]) -> None:
        for claim in claims:
            self.agent.propose(claim)


def _rate(count: int, work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return count / (time.perf_counter() - started)


class Growth:
    """A governed and a raw store growing side by side, so that each is measured in the noise the other was."""

    def __init__(self, folder: Path) -> None:
        self.load = Load(folder / "grow")
        self._path = folder / "grow" / "default.sqlite"
        self._raw = raw.RawStore(folder / "raw.sqlite")
        self._copied = 2  # genesis and policy
        self._rounds: dict[int, list[tuple[float, float]]] = {}

    def step(self, count: int, *, batch: int) -> float:
        """Write `count` proposals, then the same rows raw; return the governed rate."""
        rate = self.load.singles(count) if batch == 1 else self.load.batches(count, batch)
        self._rounds.setdefault(batch, []).append((rate, self._copy(batch)))
        return rate

    def _copy(self, batch: int) -> float:
        rows = raw.load(self._path, self._copied + 1, self.load.written + 2)
        self._copied = self.load.written + 2
        return self._raw.write(rows, batch=batch)

    def threads(self, count: int) -> float:
        rate = self.load.threads(count)
        self._copy(100)
        return rate

    def medians(self, batch: int) -> tuple[float, float, float]:
        """Governed rate, raw rate, and the median of their ratios."""
        rounds = self._rounds[batch]
        ratio = statistics.median(rate / limit for rate, limit in rounds)
        return statistics.median(rate for rate, _ in rounds), statistics.median(limit for _, limit in rounds), ratio

    def close(self) -> None:
        self.load.memory.close()
        self._raw.close()


ROUNDS = 5


def writes(folder: Path, scale: int, details: dict[str, list[float]]) -> list[Row]:
    """Single, batched and threaded writes; then the grown store against a small one, turn by turn in the same noise."""
    sample = max(64, scale // 250)
    grown = Growth(folder)
    grown.step(1_000, batch=100)
    for _ in range(ROUNDS):
        grown.step(sample, batch=1)
    threads = [grown.threads(sample * 4) for _ in range(ROUNDS)]
    batched = []
    while grown.load.written < scale:
        batched.append(grown.step(min(scale // 10, scale - grown.load.written) // 100 * 100 or 100, batch=100))
        note(f"{grown.load.written:,} records, {batched[-1]:,.0f} batched proposals/s")
    flat = flatness(folder, grown.load, sample)
    grown.close()
    single, single_limit, single_ratio = grown.medians(1)
    batch, batch_limit, batch_ratio = grown.medians(100)
    details["batched_per_tenth"] = batched
    details["threads"] = threads
    return [
        Row("single durable proposals", single, "/s", floor=1_000),
        Row("single, raw limit with the same rows", single_limit, "/s"),
        Row("single, of the raw limit", single_ratio, "", floor=0.30),
        Row("single, grown store against small", flat["single"], "", floor=0.70),
        Row("batches of 100", batch, "/s", floor=5_000),
        Row("batches, raw limit with the same rows", batch_limit, "/s"),
        Row("batches, of the raw limit", batch_ratio, "", floor=0.15),
        Row("batches, grown store against small", flat["batch"], "", floor=0.70),
        Row("32 client threads, acknowledged", statistics.median(threads), "/s", floor=3_000),
        Row("threads, grown store against small", flat["threads"], "", floor=0.70),
    ]


def flatness(folder: Path, grown: Load, sample: int) -> dict[str, float]:
    """How fast a grown store is written to, against one of a thousand records that takes turns with it."""
    small = Load(folder / "small", seed=SEED + 1)
    small.batches(1_000)
    measures: dict[str, Callable[[Load], float]] = {
        "single": lambda load: load.singles(sample),
        "batch": lambda load: load.batches(sample // 100 * 100 or 100),
        "threads": lambda load: load.threads(sample * 2),
    }
    ratios = {
        name: [_turns(measure, grown, small, first=turn % 2 == 0) for turn in range(2 * ROUNDS)]
        for name, measure in measures.items()
    }
    small.memory.close()
    return {name: statistics.median(found) for name, found in ratios.items()}


def _turns(measure: Callable[[Load], float], grown: Load, small: Load, *, first: bool) -> float:
    """The ratio of one measurement on both, now one first and now the other: what comes first is often the faster."""
    rates = [measure(load) for load in ((grown, small) if first else (small, grown))]
    return rates[0] / rates[1] if first else rates[1] / rates[0]


def reads(folder: Path, scale: int, details: dict[str, list[float]]) -> list[Row]:
    """Lexical recall in one tenant of a tenth of all records, receipts durable."""
    for number in range(10):
        load = Load(folder / "tenants", tenant=f"tenant-{number}", seed=SEED + number)
        load.batches(scale // 10 - scale // 10 % 100, size=500)
        load.memory.close()
    memory = Memory.open(folder / "tenants", tenant="tenant-4")
    texts = Texts(SEED + 99)
    times = []
    for question in [texts.question() for _ in range(400)]:
        started = time.perf_counter()
        memory.recall(question)
        times.append((time.perf_counter() - started) * 1_000)
    memory.close()
    cuts = statistics.quantiles(times, n=100)
    details["recall_ms_percentiles_50_95_99"] = [cuts[49], cuts[94], cuts[98]]
    return [
        Row("recall p50", cuts[49], "ms"),
        Row("recall p95", cuts[94], "ms", floor=10, most=True),
        Row("recall p99", cuts[98], "ms"),
    ]


def upkeep(folder: Path) -> list[Row]:
    """Open, verify and memory of the grown store, each in a process of its own."""
    opened = min(_open_seconds(folder / "grow") for _ in range(5))
    memory = Memory.open(folder / "grow")
    started = time.perf_counter()
    result = memory.ledger.verify()
    elapsed = time.perf_counter() - started
    assert result.ok, result.findings
    memory.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [
        Row("verify", result.entries / elapsed, "entries/s", floor=20_000),
        Row("open the grown store", opened, "s", floor=0.5, most=True),
        Row(
            "memory of a process that opens, writes and recalls",
            _resident_mb(folder / "grow"),
            "MB",
            floor=200,
            most=True,
        ),
        Row("peak memory of this whole run", peak, "MB"),
    ]


_OPEN = """
import sys, time
from muniment import Memory
started = time.perf_counter()
memory = Memory.open(sys.argv[1])
memory.recall("anything at all")
print(time.perf_counter() - started)
memory.close()
"""

_USE = """
import resource, sys
from muniment import Memory
from bench.texts import Texts
texts = Texts(5)
with Memory.open(sys.argv[1]) as memory:
    agent = memory.as_actor("bench")
    for _ in range(200):
        agent.remember("kept for memory use " + texts.sentence(), confidence=0.8, evidence=["ticket:OPS-7"])
        memory.recall(texts.question())
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def _open_seconds(vault: Path) -> float:
    return _child(_OPEN, vault)


def _resident_mb(vault: Path) -> float:
    return _child(_USE, vault)


def _child(code: str, vault: Path) -> float:
    done = subprocess.run([sys.executable, "-c", code, str(vault)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def plain_loop() -> float:
    """Seconds a fixed loop of plain Python takes: how fast the machine is just now."""
    started = time.perf_counter()
    total = 0
    for number in range(5_000_000):
        total += number
    return time.perf_counter() - started


def note(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--scale", type=int, default=100_000, help="records in the grown store (default 100,000)")
    options.add_argument("--folder", type=Path, default=OUT, help="where to put scratch stores (default: bench/out)")
    chosen = options.parse_args()
    if chosen.scale < SCALE_MIN:
        options.error(f"--scale must be at least {SCALE_MIN}; below it there is nothing to compare")
    details: dict[str, list[float]] = {"plain_loop_seconds": [plain_loop()]}
    chosen.folder.mkdir(exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="bench-", dir=chosen.folder))
    try:
        note(f"writing {chosen.scale:,} records in one tenant")
        rows = writes(scratch, chosen.scale, details)
        details["plain_loop_seconds"].append(plain_loop())
        note("checking, opening, measuring memory")
        rows += upkeep(scratch)
        note(f"writing {chosen.scale:,} records over ten tenants")
        rows += reads(scratch, chosen.scale, details)
        details["plain_loop_seconds"].append(plain_loop())
    finally:
        shutil.rmtree(scratch)
    loops = details["plain_loop_seconds"]
    rows.append(Row("the machine: slowest plain loop against fastest", max(loops) / min(loops), "×"))
    publish("spine", rows, seed=SEED, details=details)


if __name__ == "__main__":
    main()
