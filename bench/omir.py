"""How fast an OMIR bundle is validated, and in how much memory: 10,000 and 100,000 entries, clean and with 2,000 lost
references, by both verdicts. `python -m bench.omir`."""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.report import Row, publish
from muniment.contracts.omir.report import ReportVerdict
from muniment.contracts.omir.validate import validate
from muniment.contracts.strict.values import Json, JsonObject

SEED = 7
LOST = 2_000
MOST_MS = 100
MOST_MB = 60
MOST_LOST_MS = 300
TIMES = 15
META: JsonObject = {"omirVersion": "R1", "source": "bench/1", "maturity": 4}


def document(size: int, *, lost: int = 0) -> bytes:
    """A bundle of about 350 bytes an entry whose entries refer to each other, `lost` of them to nothing."""
    chance = random.Random(SEED)
    entities, episodes, edges = size // 4, size // 20, size // 4
    entries: list[Json] = [_entity(number, chance) for number in range(entities)]
    entries += [_episode(number, chance, entities) for number in range(episodes)]
    entries += [_edge(number, chance, entities, episodes) for number in range(edges)]
    entries += [
        _record(number, chance, entities, lost=number < lost) for number in range(size - entities - episodes - edges)
    ]
    chance.shuffle(entries)
    return json.dumps({"resourceType": "Bundle", "omirVersion": "R1", "entry": entries}).encode()


def _at(chance: random.Random) -> str:
    return (
        f"2026-0{chance.randint(1, 9)}-{chance.randint(10, 28)}T{chance.randint(10, 23)}:{chance.randint(10, 59)}:05Z"
    )


def _ref(kind: str, letter: str, chance: random.Random, count: int) -> Json:
    return {"ref": f"{kind}/{letter}-{chance.randrange(count):06}"}


def _entity(number: int, chance: random.Random) -> JsonObject:
    return {
        "resourceType": "Entity",
        "id": f"ent-{number:06}",
        "meta": {**META, "maturity": 3},
        "name": f"Thing {number}",
        "labels": ["project"],
        "summary": "Something that is spoken of in many places.",
        "mentionCount": chance.randrange(50),
        "salience": round(chance.random(), 3),
        "createdAt": _at(chance),
    }


def _episode(number: int, chance: random.Random, entities: int) -> JsonObject:
    return {
        "resourceType": "Episode",
        "id": f"epi-{number:06}",
        "meta": {**META, "maturity": 3},
        "content": f'Turn {number} of a long conversation about the next release, with a line\nand a "quoted" word.',
        "source": "message",
        "createdAt": _at(chance),
        "entityRefs": [_ref("Entity", "ent", chance, entities)],
    }


def _edge(number: int, chance: random.Random, entities: int, episodes: int) -> JsonObject:
    return {
        "resourceType": "Relationship",
        "id": f"rel-{number:06}",
        "meta": {**META, "maturity": 3},
        "from": _ref("Entity", "ent", chance, entities),
        "to": _ref("Entity", "ent", chance, entities),
        "relationType": "works_with",
        "strength": round(chance.random(), 3),
        "createdAt": _at(chance),
        "sourceEpisode": _ref("Episode", "epi", chance, episodes),
    }


def _record(number: int, chance: random.Random, entities: int, *, lost: bool) -> JsonObject:
    ref: Json = {"ref": f"Entity/ent-{entities + number:06}x"} if lost else _ref("Entity", "ent", chance, entities)
    return {
        "resourceType": "MemoryRecord",
        "id": f"mem-{number:06}",
        "meta": META,
        "content": f"Release {number} was approved after the second review of the build.",
        "kind": "learning",
        "createdAt": _at(chance),
        "importance": round(chance.random(), 3),
        "confidence": {"alpha": 9.0, "beta": 1.0, "calibrated": 0.9},
        "entityRefs": [ref],
        "version": 1,
    }


def milliseconds(data: bytes, verdict: ReportVerdict, times: int = TIMES) -> float:
    """The best of several runs, in time of the processor, which others at work on the machine do not take away."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        validate(data, verdict=verdict)
        best = min(best, time.process_time() - start)
    return best * 1_000


def megabytes(data: bytes, verdict: ReportVerdict) -> float:
    """How far a fresh process grows while it validates a file, above the interpreter with the code; the text counts."""
    if not Path("/proc/self/status").exists():
        return float("nan")
    with tempfile.NamedTemporaryFile(suffix=".omir") as file:
        file.write(data)
        file.flush()
        done = subprocess.run(
            [sys.executable, "-m", "bench.omir", "--grow", file.name, "--verdict", verdict],
            capture_output=True,
            check=True,
            text=True,
            timeout=600,
        )
    return float(done.stdout)


def _grow(file: Path, verdict: ReportVerdict) -> None:
    validate(document(40), verdict=verdict)
    start = _peak()
    validate(file.read_bytes(), verdict=verdict)
    print((_peak() - start) / 1_024)


def _peak() -> int:
    """The most memory this process has had, in KiB. The usual call would count what its parent had."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1])


def measure() -> tuple[list[Row], dict[str, list[float]]]:
    rows: list[Row] = []
    details: dict[str, list[float]] = {}
    for verdict in ReportVerdict:
        took = {}
        for size in (10_000, 100_000):
            for lost in (0, LOST):
                data = document(size, lost=lost)
                took[size, lost] = milliseconds(data, verdict, TIMES if size == 10_000 else 4)
                name = f"{verdict}, {size:,} entries" + (f", {lost:,} lost" if lost else "")
                bound = MOST_MS if size == 10_000 else None
                rows.append(Row(name, took[size, lost], "ms", floor=bound, most=True))
                details[name] = [took[size, lost], len(data) / size]
        crowd = milliseconds(document(20_000, lost=LOST), verdict)
        rows.append(Row(f"{verdict}, 20,000 entries, {LOST:,} lost", crowd, "ms", floor=MOST_LOST_MS, most=True))
        grown = took[100_000, 0] / took[10_000, 0]
        rows.append(Row(f"{verdict}, ten times the entries", grown, "times the time", floor=13, most=True))
        for size, most in ((10_000, MOST_MB), (100_000, None)):
            used = megabytes(document(size), verdict)
            rows.append(Row(f"{verdict}, {size:,} entries, memory", used, "MB", floor=most, most=True))
    return rows, details


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--grow", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--verdict", type=ReportVerdict, default=ReportVerdict.SPEC, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.grow is not None:
        _grow(asked.grow, asked.verdict)
        return
    rows, details = measure()
    publish("omir", rows, seed=SEED, details=details)


if __name__ == "__main__":
    main()
