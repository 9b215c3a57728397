"""Files of memories taken in and given out: how fast, against plain batch writes of the same claims in the same run.

Fixed seed; each contract's file holds the same memories, some of which stand on others.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial

from bench.report import Row, publish
from bench.texts import Texts
from muniment import Memory
from muniment.compat.exchange import read_in, write_out
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.registry import ContractName, contract
from muniment.model.claim import Belief, Claim, Lineage
from muniment.model.times import Instant

SEED = 20_261_115
CODEC_ROUNDS = 300
PLAIN = "propose_many, one batch"


def memories(count: int, *, linked: bool) -> list[InterchangeRecord]:
    """Memories as another system would send them; every tenth stands on the one before it if they are linked."""
    texts = Texts(SEED)
    return [
        InterchangeRecord(
            id=f"mem-{number:06}",
            claim=Claim(
                content=texts.sentence(),
                belief=Belief(score=0.8, evidence=("ticket:OPS-7",)),
                lineage=Lineage(derived_from=(f"mem-{number - 1:06}",) if linked and number % 10 == 9 else ()),
            ),
            actor="planner",
            created_at=Instant(1_760_000_000_000_000 + number * 1_000_000),
        )
        for number in range(count)
    ]


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _in_fresh(work: Callable[[Memory], object]) -> float:
    with tempfile.TemporaryDirectory() as folder, Memory.open(folder, embedder=None) as memory:
        return _seconds(lambda: work(memory))


def _taken(name: ContractName, data: bytes, memory: Memory) -> None:
    read_in(memory, name, data)


def _codec(name: ContractName, one: InterchangeRecord) -> float:
    """Microseconds to decode and encode one document: the best of several rounds."""
    speaks = contract(name)
    data = speaks.encode([one]).data
    rounds = [_seconds(lambda: speaks.encode(speaks.decode(data))) for _ in range(CODEC_ROUNDS)]
    return min(rounds) * 1e6


def _proposed(sent: Sequence[InterchangeRecord], memory: Memory) -> None:
    memory.propose([one.claim for one in sent])


def _rates(count: int, rounds: int) -> dict[str, float]:
    """The best rate of each way in over several rounds, so that what else the machine does weighs on all alike."""
    sent, linked = memories(count, linked=False), memories(count, linked=True)
    ways = {PLAIN: partial(_proposed, sent)}
    ways |= {f"import {name}": partial(_taken, name, contract(name).encode(sent).data) for name in ContractName}
    tenth = contract(ContractName.OMIR).encode(linked).data
    ways["import omir, a tenth linked"] = partial(_taken, ContractName.OMIR, tenth)
    found = dict.fromkeys(ways, 0.0)
    for _ in range(rounds):
        found = {name: max(found[name], count / _in_fresh(way)) for name, way in ways.items()}
    return found


def measure(count: int, rounds: int) -> list[Row]:
    rates = _rates(count, rounds)
    floor = round(rates[PLAIN] / 2)
    rows = [Row(name, rate, "/s", floor=None if name == PLAIN else floor) for name, rate in rates.items()]
    sent = memories(count, linked=False)
    rows += [
        Row(f"decode and encode a memory from elsewhere, {name}", _codec(name, sent[0]), "µs") for name in ContractName
    ]
    with tempfile.TemporaryDirectory() as folder, Memory.open(folder, embedder=None) as memory:
        read_in(memory, ContractName.OMIR, contract(ContractName.OMIR).encode(sent).data)
        for name in ContractName:
            rows.append(Row(f"export {name}", count / _seconds(partial(write_out, memory, name)), "/s"))
    return rows


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description="Measure import and export.")
    parser.add_argument("--count", type=int, default=10_000, help="how many memories in a file")
    parser.add_argument("--rounds", type=int, default=2, help="how often each way in is tried; the best counts")
    given = parser.parse_args(arguments)
    rows = measure(given.count, given.rounds)
    publish("exchange", rows, seed=SEED, details={})
    return 0 if all(row.passed is not False for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
