"""Race ours against the peers that install and run offline: same texts, questions, embedder, machine and run.

One contestant at a time, each in a process and an environment of its own, in a fixed order, over the same course: warm
up on a store that is thrown away, write to each size, wait until everything can be found, put every question once.
Twice: embedding as it goes, then with every vector known, which leaves the work of the store alone.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from bench.peers.corpus import Corpus, NotACorpus, read_longmemeval
from bench.peers.figures import OURS, Figures, Ratios, goals, ratios, remarks, rows
from bench.peers.job import Job, Way, load_result, save
from bench.peers.planted import planted
from bench.peers.setup import HOME, ROOT, CannotInstall, ready
from bench.report import OUT, Figure, Row, machine
from bench.spine import SEED, note, plain_loop
from muniment.config import read_environment
from muniment.model.value import Value

SIZES = (1_000, 5_000, 10_000)
LIMIT_SECONDS = 1_200
GRACE_SECONDS = 300


class Entrant(Value):
    """A contestant, the ways it can be written to, and the size it is stopped at if the sizes go further."""

    name: str
    ways: tuple[Way, ...]
    most: int | None = None


BOTH = (Way.SINGLE, Way.BATCH)
ENTRANTS = (
    Entrant(name=OURS, ways=BOTH),
    Entrant(name="mem0", ways=(Way.SINGLE,)),
    Entrant(name="langgraph", ways=BOTH),
    Entrant(name="chroma", ways=BOTH),
    Entrant(name="memledger", ways=(Way.SINGLE,), most=5_000),
)


class Report(Value, omit_defaults=False):
    about: dict[str, Figure]
    rows: dict[str, Figures]
    ratios: dict[str, dict[str, Ratios]]
    goals: dict[str, dict[str, Figure]]
    remarks: dict[str, str]
    absent: dict[str, str]


class Race:
    """The rows so far, and who stopped early or could not start."""

    def __init__(self, corpus: Corpus, sizes: tuple[int, ...], limit_seconds: float) -> None:
        self._corpus = corpus
        self._sizes = sizes
        self._limit_seconds = limit_seconds
        self.rows: list[Figures] = []
        self.remarks: dict[str, str] = {}
        self.absent: dict[str, str] = {}
        self.loops: list[float] = []
        self.model = ""

    def enter(self, entrant: Entrant) -> None:
        try:
            python = Path(sys.executable) if entrant.name == OURS else ready(entrant.name)
        except CannotInstall as error:
            self.absent[entrant.name] = str(error)
            note(str(error))
            return
        sizes = tuple(size for size in self._sizes if entrant.most is None or size <= entrant.most)
        for way in entrant.ways if sizes else ():
            note(f"{entrant.name}, {way}")
            self.loops.append(plain_loop())
            self._run(entrant.name, python, way, sizes)

    def _run(self, name: str, python: Path, way: Way, sizes: tuple[int, ...]) -> None:
        scratch = Path(tempfile.mkdtemp(prefix=f"race-{name}-", dir=HOME))
        try:
            job = self._job(way, sizes, scratch)
            before = os.getloadavg()[0]
            failure = _run_child(python, name, job, scratch)
            if failure is not None:
                self.absent[f"{name}/{way}"] = failure
                note(failure)
                return
            result = load_result(scratch / "result.json")
            self.rows += rows(name, job, result, self._corpus, (before, os.getloadavg()[0]))
            self.remarks |= remarks(name, job, result)
            self.model = result.model
        finally:
            shutil.rmtree(scratch)

    def _job(self, way: Way, sizes: tuple[int, ...], scratch: Path) -> Job:
        return Job(
            way=way,
            folder=str(scratch),
            models=str(read_environment().models_folder),
            sizes=sizes,
            limit_seconds=self._limit_seconds,
            turns=self._corpus.turns[: max(sizes)],
            questions=tuple(question.text for question in self._corpus.questions),
        )


def _run_child(python: Path, name: str, job: Job, scratch: Path) -> str | None:
    """Run one contestant's script; say what went wrong, if anything."""
    save(scratch / "job.json", job)
    command = [
        str(python),
        "-m",
        f"bench.peers.runners.{name}",
        str(scratch / "job.json"),
        str(scratch / "result.json"),
    ]
    try:
        with (scratch / "said").open("w") as said:
            done = subprocess.run(
                command,
                cwd=ROOT,
                env=_surroundings(scratch),
                stdout=said,
                check=False,
                timeout=2 * job.limit_seconds + GRACE_SECONDS,
            )
    except subprocess.TimeoutExpired as error:
        return f"{name}: did not end within {error.timeout:,.0f} s"
    return None if done.returncode == 0 else f"{name}: ended with {done.returncode}; what it said is above"


def _surroundings(scratch: Path) -> dict[str, str]:
    """No network, no telemetry, no traces in the home folder; one key that a client wants to see and never uses."""
    return {
        **os.environ,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}",
        "PYTHONHASHSEED": "0",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "MEM0_TELEMETRY": "False",
        "MEM0_DIR": str(scratch / "mem0"),
        "ANONYMIZED_TELEMETRY": "False",
        "OPENAI_API_KEY": "unused",
    }


HEADINGS = ("who", "written", "texts", "in/s", "in/s given", "p50 ms", "p95 ms", "p95 given", "recall@10", "MB on disk")


def table(found: list[Figures]) -> None:
    """Rows by size, so that what may be compared stands together."""
    lines = [HEADINGS, *(_line(row) for row in sorted(found, key=lambda row: row.n))]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    for number, line in enumerate(lines):
        cells = [
            cell.ljust(width) if at < 2 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  ".join(cells))
        if number == 0:
            print("  ".join("-" * width for width in widths))


def _line(row: Figures) -> tuple[str, ...]:
    return (
        f"{row.peer} {row.version}",
        row.way,
        f"{row.n:,}",
        f"{row.ingest_per_s:,.1f}",
        _shown(row.given_ingest_per_s, 1),
        f"{row.search_p50_ms:,.2f}",
        f"{row.search_p95_ms:,.2f}",
        _shown(row.given_search_p95_ms, 2),
        f"{row.recall:.3f}",
        f"{row.disk_bytes / 1e6:,.1f}",
    )


def _shown(figure: float | None, digits: int) -> str:
    return "–" if figure is None else f"{figure:,.{digits}f}"


def publish(race: Race, corpus: Corpus) -> None:
    table(race.rows)
    judged = goals(race.rows)
    print()
    for row in judged:
        print("  ".join(row.line()).rstrip())
    for name, why in {**race.remarks, **race.absent}.items():
        print(f"{name}: {why}")
    about: dict[str, Figure] = {
        **machine(),
        "seed": SEED,
        "corpus": corpus.name,
        "corpus_sha256": corpus.digest,
        "model": race.model,
        "slowest_loop_against_fastest": max(race.loops) / min(race.loops) if race.loops else None,
    }
    report = Report(
        about=about,
        rows={row.name: row for row in race.rows},
        ratios=ratios(race.rows),
        goals={row.name: _judged(row) for row in judged},
        remarks=race.remarks,
        absent=race.absent,
    )
    (OUT / "peers.json").write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n")
    note("written to bench/out/peers.json")


def _judged(row: Row) -> dict[str, Figure]:
    return {"value": row.figure, "floor": row.floor, "passed": row.passed}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, help="LongMemEval, pooled (default: planted facts made from a seed)")
    options.add_argument(
        "--sizes", default=",".join(map(str, SIZES)), help="how many texts, rising (default %(default)s)"
    )
    options.add_argument("--only", default="", help="names of contestants, with commas between (default: all)")
    options.add_argument("--limit", type=float, default=LIMIT_SECONDS, help="seconds for one lap (default %(default)s)")
    chosen = options.parse_args()
    sizes = tuple(sorted(int(size) for size in chosen.sizes.split(",")))
    try:
        corpus = planted(max(sizes), seed=SEED) if chosen.data is None else read_longmemeval(chosen.data)
    except NotACorpus as error:
        options.error(str(error))
    if max(sizes) > len(corpus.turns):
        options.error(f"--sizes goes to {max(sizes):,} and the corpus holds {len(corpus.turns):,} texts")
    HOME.mkdir(parents=True, exist_ok=True)
    race = Race(corpus, sizes, chosen.limit)
    named = set(chosen.only.split(",")) if chosen.only else {entrant.name for entrant in ENTRANTS}
    for entrant in ENTRANTS:
        if entrant.name in named:
            race.enter(entrant)
    publish(race, corpus)
    return 1 if race.absent else 0


if __name__ == "__main__":
    raise SystemExit(main())
