"""How well everyday questions are answered: ours as a user asks, beside FTS5 and cosine over the same vectors.

Recall is asked with `limit=5` and nothing else, so that what it leaves out as weak counts against it. The others give
their first five whatever the question. An update is answered by the newer fact only.
"""

from __future__ import annotations

import json
import statistics
import tempfile
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path

import numpy as np

from bench.corpora import Ask, Corpus
from bench.everyday.sets import FIRST_DAY, situations
from bench.recall import plain_fts5
from bench.report import OUT, machine
from muniment import Memory
from muniment.backends.embedders.choose import choose
from muniment.config import read_environment
from muniment.engine.options import QueryOptions
from muniment.model.times import DAY, Instant, from_datetime
from muniment.ports.embedder import Embedder

LIMIT = 5
Figures = dict[str, float]
Rank = Callable[[Ask], list[str]]


class Days:
    """A clock that stands still until the next day begins."""

    def __init__(self, first: datetime) -> None:
        self._now = from_datetime(first, field="first")

    def now(self) -> Instant:
        return self._now

    def next_day(self) -> None:
        self._now = Instant(self._now + DAY)


KNOBS: dict[str, QueryOptions] = {
    "as shipped": {},
    "floor=0": {"floor": 0.0},
    "floor=0.03": {"floor": 0.03},
    "floor=0.05": {"floor": 0.05},
    "min_fit=0.05": {"min_fit": 0.05},
    "min_fit=0.1": {"min_fit": 0.1},
    "min_fit=0.3": {"min_fit": 0.3},
    "precise": {"precise": True},
    "precise, min_fit=0.1": {"precise": True, "min_fit": 0.1},
}


def ours(memory: Memory, corpus: Corpus, clock: Days) -> Callable[[Ask, QueryOptions], list[str]]:
    """Everything recall tells, from the best down."""
    facts: dict[str, str] = {}
    for turn in corpus.turns:
        verdict = memory.remember(turn.text)
        assert verdict.record_id is not None, f"{turn.id} was not remembered: {verdict.reason}"
        facts[verdict.record_id] = turn.id
        clock.next_day()
    memory.flush()

    def rank(ask: Ask, options: QueryOptions) -> list[str]:
        bounds: QueryOptions = {**options, "limit": LIMIT}
        return [facts[one.record.id] for one in memory.recall(ask.text, **bounds).records]

    return rank


def cosine(corpus: Corpus, embedder: Embedder) -> Rank:
    vectors = _read(embedder.embed([turn.text for turn in corpus.turns]))

    def rank(ask: Ask) -> list[str]:
        near = vectors @ _read(embedder.embed([ask.text]))[0]
        return [corpus.turns[place].id for place in np.argsort(-near, kind="stable")[:LIMIT].tolist()]

    return rank


def _read(vectors: Iterable[bytes]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.stack([np.frombuffer(vector, "<f4") for vector in vectors])


def measure(corpus: Corpus, embedder: Embedder) -> tuple[Figures, dict[str, Figures]]:
    full_days, words_days = Days(FIRST_DAY), Days(FIRST_DAY)
    with (
        tempfile.TemporaryDirectory(prefix="muniment-bench-") as folder,
        plain_fts5(corpus) as fts5,
        Memory.open(Path(folder) / "full", embedder=embedder, clock=full_days) as with_vectors,
        Memory.open(Path(folder) / "words", embedder=None, clock=words_days) as without,
    ):
        full = ours(with_vectors, corpus, full_days)
        words = ours(without, corpus, words_days)
        rows: dict[str, Rank] = {
            "": lambda ask: full(ask, {}),
            "words_": lambda ask: words(ask, {}),
            "fts5_": lambda ask: fts5(ask)[0][:LIMIT],
            "cosine_": cosine(corpus, embedder),
        }
        told = {name: [(ask, rank(ask)) for ask in corpus.asks] for name, rank in rows.items()}
        turned = {name: [(ask, full(ask, knob)) for ask in corpus.asks] for name, knob in KNOBS.items()}
    found: Figures = {}
    for name, answers in told.items():
        known = [(ask.turns, ranking) for ask, ranking in answers if ask.answerable]
        found[f"{name}top1"] = _share(bool(gold & set(ranking[:1])) for gold, ranking in known)
        found[f"{name}top5"] = _share(bool(gold & set(ranking)) for gold, ranking in known)
    for name in ("", "words_"):
        found[f"{name}silent"] = _share(not ranking for ask, ranking in told[name] if not ask.answerable)
        found[f"{name}kept"] = _share(bool(ranking) for ask, ranking in told[name] if ask.answerable)
    return found, {name: _told_by(answers) for name, answers in turned.items()}


def _told_by(answers: list[tuple[Ask, list[str]]]) -> Figures:
    """What a choice of knobs costs and brings: of what was told to questions that have an answer, how much is it."""
    known = [(ask.turns, ranking) for ask, ranking in answers if ask.answerable]
    return {
        "top5": _share(bool(gold & set(ranking)) for gold, ranking in known),
        "precision": _mean(len(gold & set(ranking)) / len(ranking) for gold, ranking in known if ranking),
        "kept": _share(bool(ranking) for _, ranking in known),
        "silent": _share(not ranking for ask, ranking in answers if not ask.answerable),
    }


def _share(true: Iterable[bool]) -> float:
    return _mean(map(float, true))


def _mean(shares: Iterable[float]) -> float:
    return round(100 * statistics.fmean(shares), 2)


def together(many: Iterable[Figures]) -> Figures:
    """The means over situations: each has as many questions as the others."""
    rows = list(many)
    return {name: round(statistics.fmean(row[name] for row in rows), 2) for name in rows[0]}


def main() -> None:
    embedder = choose("minilm", models=read_environment().models_folder, key=None)
    assert embedder is not None, "the figures are about the model we ship"
    found: dict[str, Figures] = {}
    turned: list[dict[str, Figures]] = []
    for corpus in situations():
        found[corpus.name], knobs = measure(corpus, embedder)
        turned.append(knobs)
        _print(corpus.name, found[corpus.name])
    groups = {"all": together(found.values())}
    for name, row in groups.items():
        _print(name, row)
    knobs = {name: together(one[name] for one in turned) for name in KNOBS}
    for name, row in knobs.items():
        _print(name, row)
    OUT.mkdir(parents=True, exist_ok=True)
    told = {"situations": found, "together": groups, "knobs": knobs, "about": {**machine(), "model": embedder.model}}
    (OUT / "everyday.json").write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n")
    print("written to everyday.json")


def _print(name: str, row: Figures) -> None:
    print(f"{name:22}" + "  ".join(f"{key} {value:5.1f}" for key, value in row.items()), flush=True)


if __name__ == "__main__":
    main()
