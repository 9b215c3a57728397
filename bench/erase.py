"""What forgetting costs: one subject with a thousand records and a thousand derived ones in a grown store, and what it
costs every write that deleted bytes are overwritten.

The two ways of writing take turns in the same run, on stores that grow alike. Fixed seed; the scale can be cut.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import apsw

from bench.report import OUT, Row, publish
from bench.spine import SEED, Load, note
from muniment import Memory
from muniment.model.claim_options import make_claim

SUBJECT = "Ottoline Brackenridge"
RECORDS = 1_000
BATCH = 100
ROUNDS = 10


def erasure(folder: Path, scale: int, details: dict[str, list[float]]) -> list[Row]:
    """Everything of one subject, and everything derived from it, gone and certified."""
    load = Load(folder / "erase")
    memory = load.memory
    for written in range(0, scale - 2 * RECORDS, BATCH):
        load.batches(BATCH)
        if written % 10_000 == 0:
            note(f"{written:,} of {scale:,} records")
    _plant(memory)
    for number in range(200):
        memory.recall(f"what does {SUBJECT} order on day {number}" if number % 4 == 0 else f"ticket {number}")
    began = time.perf_counter()
    plan = memory.forget(subject=SUBJECT, reason="asked to by the person", dry_run=True).plan
    planned = time.perf_counter() - began
    began = time.perf_counter()
    done = memory.forget(subject=SUBJECT, reason="asked to by the person")
    took = time.perf_counter() - began
    assert done.certificate is not None
    assert done.scrubbed
    assert done.certificate.certificate.counts.records == 2 * RECORDS == len(plan.nodes)
    began = time.perf_counter()
    one = next(iter(memory.insight.browse())).record.id
    memory.forget(one, reason="one more")
    single = time.perf_counter() - began
    memory.close()
    left = [file.name for file in (folder / "erase").rglob("*") if file.is_file() and _holds(file)]
    assert left == [], f"the name is still in {left}"
    details["erase_s"] = [planned, took, single]
    return [
        Row(f"forget one subject: {2 * RECORDS:,} of {scale:,} records", took, "s", floor=5.0, most=True),
        Row("the plan of it", planned, "s"),
        Row("forget one record in the same store", single, "s"),
    ]


def _plant(memory: Memory) -> None:
    owner = memory.actor
    for first in range(0, RECORDS, BATCH):
        numbers = range(first, first + BATCH)
        claims = [
            make_claim(f"{SUBJECT} ordered parcel {number} on day {number % 300}", owner, {"confidence": 0.8})
            for number in numbers
        ]
        names = [verdict.record_id or "" for verdict in memory.propose(claims)]
        derived = [
            make_claim(f"parcel {number} goes to the same house", owner, {"confidence": 0.8, "derived_from": [name]})
            for number, name in zip(numbers, names, strict=True)
        ]
        assert all(verdict.committed for verdict in memory.propose(derived))


def _holds(file: Path) -> bool:
    raw = file.read_bytes().lower()
    return any(word.lower().encode() in raw for word in SUBJECT.split())


def overwriting(folder: Path, details: dict[str, list[float]]) -> list[Row]:
    """Writes with and without the bytes of what is deleted being overwritten, taking turns."""
    loads = {switched: Load(folder / f"overwriting-{switched}") for switched in (True, False)}
    _leave_bytes(loads[False].memory)
    rates: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(ROUNDS):
        for switched, load in loads.items():
            rates[switched].append(load.batches(1_000))
    for load in loads.values():
        load.memory.close()
    details["batches_per_s_overwriting_or_not"] = [statistics.median(rates[True]), statistics.median(rates[False])]
    ratio = statistics.median(one / other for one, other in zip(rates[True], rates[False], strict=True))
    return [Row("write throughput with overwriting, of that without", ratio, "", floor=0.7)]


def _leave_bytes(memory: Memory) -> None:
    """Switch overwriting off in the writer of a store. No setting does this: it is for measuring only."""
    connection: apsw.Connection = memory._tenant.store._connection  # type: ignore[attr-defined]  # see above
    connection.pragma("secure_delete", False)
    connection.execute("INSERT INTO lexicon (lexicon, rank) VALUES ('secure-delete', 0)")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--scale", type=int, default=100_000, help="records in the grown store (default 100,000)")
    options.add_argument("--folder", type=Path, default=OUT, help="where to put scratch stores (default: bench/out)")
    chosen = options.parse_args()
    details: dict[str, list[float]] = {}
    chosen.folder.mkdir(exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="bench-", dir=chosen.folder))
    try:
        rows = erasure(scratch, chosen.scale, details) + overwriting(scratch, details)
    finally:
        shutil.rmtree(scratch)
    publish("erase", rows, seed=SEED, details=details)


if __name__ == "__main__":
    main()
