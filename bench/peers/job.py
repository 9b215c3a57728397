"""What a contestant is told and what it tells back, as files of JSON."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import msgspec

from muniment.model.value import Value

USER = "reader"
KEEP = 10
BATCH = 100


class Way(StrEnum):
    """How texts are written: one call each, or a hundred to a call."""

    SINGLE = "single"
    BATCH = "batch"


class Turn(Value):
    """One text to be remembered, with the conversation it belongs to and when it was said, where that is known."""

    text: str
    session: str
    said: str | None = None


class Job(Value):
    """One run: these texts, to these sizes, then these questions. It holds no answers."""

    way: Way
    folder: str
    models: str
    sizes: tuple[int, ...]
    limit_seconds: float
    turns: tuple[Turn, ...]
    questions: tuple[str, ...]


class Mark(Value):
    """What was measured when a store had reached one size. Sums run from the first text.

    `accepted_seconds` ends when the last write is acknowledged, `ingest_seconds` when everything written can be found
    by every way of searching; `disk_bytes` is taken then, `asked_disk_bytes` after the questions. Times of searches are
    in the order of the questions, and so is what was found: the numbers of the texts.
    """

    n: int
    kept: int
    accepted_seconds: float
    ingest_seconds: float
    embed_seconds: float
    embedded: int
    write_ms: tuple[float, ...]
    search_ms: tuple[float, ...]
    search_embed_seconds: float
    search_embedded: int
    found: tuple[tuple[int, ...], ...]
    disk_bytes: int
    asked_disk_bytes: int
    resident_mb: float


class Lap(Value):
    """One filling of a store. `stopped` says why it did not get to the end."""

    marks: tuple[Mark, ...]
    stopped: str | None = None


class Result(Value):
    """The two laps of a run: embedding as it goes, and with every vector known beforehand."""

    version: str
    settings: str
    model: str
    live: Lap
    given: Lap
    missed: int


def save(path: Path, value: Job | Result) -> None:
    path.write_bytes(msgspec.json.encode(value))


def load_job(path: Path) -> Job:
    return msgspec.json.decode(path.read_bytes(), type=Job)


def load_result(path: Path) -> Result:
    return msgspec.json.decode(path.read_bytes(), type=Result)
