"""What trust costs: the gate on a record with many ancestors, a cascade over many descendants, the conflict check as a
store grows, and many readers beside a few writers.

Whatever is compared takes turns in the same run. Fixed seed; the scale can be cut for a quick look.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from bench.report import OUT, Row, publish
from bench.spine import SEED, Load, note
from muniment import Memory
from muniment.model.actor import Actor
from muniment.model.claim import Claim
from muniment.model.claim_options import make_claim
from muniment.model.errors import MunimentError
from muniment.write.facts import FactsRequest, facts_now

ANCESTORS = 43
HITS = 5
ROUNDS = 9


def gate(folder: Path, details: dict[str, list[float]]) -> list[Row]:
    """Recall of five records that stand on 43 others each, and of five alike that stand on nothing."""
    with Memory.open(folder / "gate") as memory:
        for number in range(HITS):
            last = memory.remember(f"ground {number} of chain zero", confidence=0.9).record_id
            for link in range(ANCESTORS - 1):
                last = memory.remember(
                    f"step {link} of chain {number} leads on", confidence=0.9, derived_from=[last or ""]
                ).record_id
            memory.remember(f"heron number {number} was ringed", confidence=0.9, derived_from=[last or ""])
            memory.remember(f"egret number {number} was ringed", confidence=0.9)
        deep, flat = [], []
        for _ in range(60):
            flat.append(_milliseconds(lambda: memory.recall("egret ringed", limit=HITS)))
            deep.append(_milliseconds(lambda: memory.recall("heron ringed", limit=HITS)))
        assert len(memory.recall("heron ringed", limit=HITS).records) == HITS
    details["recall_ms_deep_flat"] = [statistics.median(deep), statistics.median(flat)]
    added = statistics.median(one - other for one, other in zip(deep, flat, strict=True))
    return [Row(f"gate: {ANCESTORS} ancestors a hit add to a recall", added, "ms", floor=0.5, most=True)]


def cascade(folder: Path, descendants: int, details: dict[str, list[float]]) -> list[Row]:
    """Take back one record on which all others stand, in ten layers."""
    with Memory.open(folder / "cascade") as memory:
        owner = memory.actor
        root = memory.remember("The whole theory rests on this measurement", confidence=0.9).record_id or ""
        above = [root]
        for layer in range(10):
            claims = [_derived(owner, layer, number, above) for number in range(descendants // 10)]
            above = [verdict.record_id or "" for verdict in memory.propose(claims)]
            note(f"layer {layer + 1} of 10")
        planned = _milliseconds(lambda: memory.insight.foresee(root)) / 1_000
        seconds = _milliseconds(lambda: memory.review.retract(root, reason="the instrument was broken")) / 1_000
        fallen = sum(memory.get(name).standing.footing.support == "fallen" for name in above)
        assert fallen == len(above), "every descendant is found"
    details["cascade_plan_seconds"] = [planned]
    return [Row(f"cascade over {descendants:,} descendants", seconds, "s", floor=2.0, most=True)]


def _derived(owner: Actor, layer: int, number: int, above: list[str]) -> Claim:
    parents = [above[number % len(above)]]
    return make_claim(f"layer{layer} item{number} follows", owner, {"confidence": 0.9, "derived_from": parents})


def checks(folder: Path, scale: int, details: dict[str, list[float]]) -> list[Row]:
    """The conflict check alone, and whole writes, on a store of a thousand and a grown one, turn by turn."""
    small, grown = Load(folder / "small", seed=SEED + 1), Load(folder / "grown")
    small.batches(1_000)
    while grown.written < scale:
        rate = grown.batches(min(10_000, scale - grown.written) // 100 * 100 or 100)
        note(f"{grown.written:,} records, {rate:,.0f} batched proposals/s")
    looked = [(_check(small), _check(grown)) for _ in range(ROUNDS)]
    rates = [(small.singles(200), grown.singles(200)) for _ in range(ROUNDS)]
    for load in (small, grown):
        load.memory.close()
    details["check_microseconds_small_grown"] = [statistics.median(pair[side] for pair in looked) for side in (0, 1)]
    return [
        Row("conflict check at a write, grown store", statistics.median(pair[1] for pair in looked), "µs"),
        Row(
            "conflict check, grown store against small",
            statistics.median(grown / small for small, grown in looked),
            "×",
            floor=1.3,
            most=True,
        ),
        Row("single writes, grown store against small", statistics.median(b / a for a, b in rates), "", floor=0.70),
    ]


def _check(load: Load, count: int = 300) -> float:
    """Microseconds to look at everything a decision depends on, neighbours and comparison included."""
    claims = [FactsRequest(claim=claim, actor="bench") for claim in load.claims(count)]
    load.written -= count
    bench = load.memory._session.tenant.bench
    with load.memory._session.tenant.store.read() as snapshot:
        started = time.perf_counter()
        for asked in claims:
            facts_now(snapshot, asked, pepper=bench.pepper)
        return (time.perf_counter() - started) / count * 1e6


def crowd(folder: Path, seconds: float) -> list[Row]:
    """Readers and writers at once. A failure of any of them counts."""
    load = Load(folder / "crowd")
    load.batches(2_000)
    failures: list[BaseException] = []
    counts = {"reads": 0, "writes": 0}
    questions = [load.texts.question() for _ in range(200)]
    shares = [load.claims(20_000) for _ in range(4)]
    until = time.monotonic() + seconds

    def read(number: int) -> None:
        mine = 0
        while time.monotonic() < until:
            load.memory.recall(questions[(number + mine) % len(questions)], limit=5)
            mine += 1
        counts["reads"] += mine

    def write(number: int) -> None:
        mine = 0
        while time.monotonic() < until:
            load.agent.propose(shares[number][mine])
            mine += 1
        counts["writes"] += mine

    workers = [threading.Thread(target=_guarded, args=(read, number, failures)) for number in range(64)]
    workers += [threading.Thread(target=_guarded, args=(write, number, failures)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(seconds * 4 + 60)
    stuck = sum(worker.is_alive() for worker in workers)
    sound = load.memory.ledger.verify().ok
    load.memory.close()
    return [
        Row("64 readers and 4 writers: failures", len(failures) + stuck + (not sound), "", floor=0, most=True),
        Row("64 readers and 4 writers: recalls", counts["reads"] / seconds, "/s"),
        Row("64 readers and 4 writers: writes", counts["writes"] / seconds, "/s"),
    ]


def _guarded(work: Callable[[int], None], number: int, failures: list[BaseException]) -> None:
    try:
        work(number)
    except MunimentError as error:
        failures.append(error)


def _milliseconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1_000


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--scale", type=int, default=100_000, help="records in the grown store (default 100,000)")
    options.add_argument("--descendants", type=int, default=10_000, help="records in the cascade (default 10,000)")
    options.add_argument("--seconds", type=float, default=30.0, help="how long readers and writers run (default 30)")
    options.add_argument("--folder", type=Path, default=OUT, help="where to put scratch stores (default: bench/out)")
    chosen = options.parse_args()
    details: dict[str, list[float]] = {}
    chosen.folder.mkdir(exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="bench-", dir=chosen.folder))
    try:
        rows = gate(scratch, details)
        rows += cascade(scratch, chosen.descendants, details)
        rows += crowd(scratch, chosen.seconds)
        rows += checks(scratch, chosen.scale, details)
    finally:
        shutil.rmtree(scratch)
    publish("trust", rows, seed=SEED, details=details)


if __name__ == "__main__":
    main()
