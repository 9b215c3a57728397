"""The course every contestant runs, step by step the same: warm up, write, wait until it can be found, ask."""

from __future__ import annotations

import resource
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from bench.peers.job import BATCH, KEEP, Job, Lap, Mark, Result, Turn, Way, load_job, save
from bench.peers.vectors import Vectors, packaged

WARM_TEXTS = 20
WARM_QUESTIONS = 5
WARM_LETTERS = 80


class Store(Protocol):
    """A contestant's store, open on a folder of its own."""

    def add(self, first: int, turns: Sequence[Turn]) -> int:
        """Write texts, numbered from `first`, and return when they are acknowledged: how many were kept."""

    def settle(self) -> None:
        """Return when everything written can be found."""

    def search(self, question: str, keep: int) -> list[int]:
        """The numbers of the texts found, best first."""

    def close(self) -> None: ...


class Contestant(Protocol):
    @property
    def version(self) -> str: ...

    @property
    def settings(self) -> str: ...

    def open(self, folder: Path, vectors: Vectors) -> Store: ...


class _Filling:
    """One lap: a store being filled to each size in turn and asked at each."""

    def __init__(self, store: Store, job: Job, vectors: Vectors, folder: Path) -> None:
        self._store = store
        self._job = job
        self._vectors = vectors
        self._folder = folder
        self._step = BATCH if job.way is Way.BATCH else 1
        self._deadline = time.monotonic() + job.limit_seconds
        self._at = 0
        self._kept = 0
        self._accepted = 0.0
        self._ingest = 0.0
        self._embed = 0.0
        self._embedded = 0
        self._write_ms: list[float] = []

    def run(self) -> Lap:
        marks: list[Mark] = []
        for size in self._job.sizes:
            if not self._fill(size):
                return Lap(marks=tuple(marks), stopped=self._late(f"{self._at:,} texts"))
            mark = self._ask(len(marks))
            if mark is None:
                return Lap(marks=tuple(marks), stopped=self._late(f"{self._at:,} texts, while asking"))
            marks.append(mark)
            note(f"{size:,} texts, {size / self._ingest:,.1f}/s, {sum(mark.search_ms) / len(mark.search_ms):,.2f} ms")
        return Lap(marks=tuple(marks))

    def _fill(self, size: int) -> bool:
        """Write up to `size` texts; false if the time ran out first."""
        seconds, texts = self._vectors.seconds, self._vectors.texts
        started = time.perf_counter()
        for first in range(self._at, size, self._step):
            if time.monotonic() > self._deadline:
                return False
            begun = time.perf_counter()
            turns = self._job.turns[first : min(first + self._step, size)]
            self._kept += self._store.add(first, turns)
            self._write_ms.append((time.perf_counter() - begun) * 1_000)
            self._at = first + len(turns)
        self._accepted += time.perf_counter() - started
        self._store.settle()
        self._ingest += time.perf_counter() - started
        self._embed += self._vectors.seconds - seconds
        self._embedded += self._vectors.texts - texts
        return True

    def _ask(self, before: int) -> Mark | None:
        """Put every question once, after a few others to warm up; none if the time ran out.

        A store may remember the vectors of questions. At each size the questions end in one more blank, which means
        nothing to the model and keeps every store from answering with what it remembers of a smaller size.
        """
        written_bytes = disk_bytes(self._folder)
        for turn in self._job.turns[:WARM_QUESTIONS]:
            self._store.search(turn.text[:WARM_LETTERS], KEEP)
        seconds, texts = self._vectors.seconds, self._vectors.texts
        times: list[float] = []
        found: list[tuple[int, ...]] = []
        for question in (text + " " * before for text in self._job.questions):
            if time.monotonic() > self._deadline:
                return None
            begun = time.perf_counter()
            numbers = self._store.search(question, KEEP)
            times.append((time.perf_counter() - begun) * 1_000)
            found.append(tuple(numbers))
        return Mark(
            n=self._at,
            kept=self._kept,
            accepted_seconds=self._accepted,
            ingest_seconds=self._ingest,
            embed_seconds=self._embed,
            embedded=self._embedded,
            write_ms=tuple(self._write_ms),
            search_ms=tuple(times),
            search_embed_seconds=self._vectors.seconds - seconds,
            search_embedded=self._vectors.texts - texts,
            found=tuple(found),
            disk_bytes=written_bytes,
            asked_disk_bytes=disk_bytes(self._folder),
            resident_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        )

    def _late(self, at: str) -> str:
        return f"stopped after {self._job.limit_seconds:,.0f} s at {at}"


def disk_bytes(folder: Path) -> int:
    """Bytes the files below a folder take up, as they stand while the store is open."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


def note(text: str) -> None:
    print(f"    {text}", file=sys.stderr, flush=True)


def run(contestant: Contestant) -> None:
    """Read the job named first on the command line, run it, and write the result to the file named second."""
    job, out = load_job(Path(sys.argv[1])), Path(sys.argv[2])
    vectors = packaged(Path(job.models))
    for _ in _laps(contestant, _rehearsal(job), vectors, name="rehearsal"):
        pass
    live, given = _laps(contestant, job, vectors, name="race")
    result = Result(
        version=contestant.version,
        settings=contestant.settings,
        model=vectors.model,
        live=live,
        given=given,
        missed=vectors.missed,
    )
    save(out, result)


def _rehearsal(job: Job) -> Job:
    """A small job for warming up, on a store that is thrown away."""
    return Job(
        way=job.way,
        folder=job.folder,
        models=job.models,
        sizes=(WARM_TEXTS,),
        limit_seconds=job.limit_seconds,
        turns=job.turns[:WARM_TEXTS],
        questions=job.questions[:WARM_QUESTIONS],
    )


def _laps(contestant: Contestant, job: Job, vectors: Vectors, *, name: str) -> Iterator[Lap]:
    """Fill a fresh store while embedding, then another one with the vectors known."""
    for given in (False, True):
        vectors.given = given
        folder = Path(job.folder) / f"{name}-{'given' if given else 'live'}"
        folder.mkdir(parents=True)
        store = contestant.open(folder, vectors)
        try:
            yield _Filling(store, job, vectors, folder).run()
        finally:
            store.close()
            shutil.rmtree(folder)
