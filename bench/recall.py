"""How well recall finds what answers a question, on public conversations: plain FTS5, ours by words, ours in full.

All rows get the same turns and the same questions. Ranking is measured with abstention off, as plain search never
abstains; how often recall rightly stays silent is a table of its own.

The row `at_once` is asked as a user asks: right after the last write was acknowledged, while vectors are being made.
Every answer of ours says at which ledger position it was given; one from before the last acknowledged write is stale,
is counted, and ends the run.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from bench.corpora import POLICY, Ask, Corpus, load, remember
from bench.report import OUT, machine
from bench.vectors_kept import Kept
from muniment import Memory
from muniment.backends.embedders.choose import choose
from muniment.config import read_environment
from muniment.model.recall import Recall
from muniment.ports.embedder import Embedder

DEPTH = 100
FOREIGN = 100
QUOTED = 2_000
AT_ONCE = "at_once"
Ranking = Callable[[Ask], tuple[list[str], float]]
"""Turn ids from the best down, and how long it took in milliseconds."""

Figures = dict[str, float]


class Stale(Exception):
    """An answer did not know of a write that had been acknowledged."""


BY_SESSION = {"longmemeval"}
"""Sets whose answers are labelled by session; the others are by turn."""


@contextmanager
def plain_fts5(corpus: Corpus) -> Iterator[Ranking]:
    """SQLite's own search as one would set it up in a minute: Porter stemming, any word, bm25."""
    file = apsw.Connection(":memory:")
    file.execute("CREATE VIRTUAL TABLE turns USING fts5 (text, tokenize = 'porter unicode61')")
    file.executemany("INSERT INTO turns (rowid, text) VALUES (?, ?)", ((n, t.text) for n, t in enumerate(corpus.turns)))

    def rank(ask: Ask) -> tuple[list[str], float]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", ask.text))
        began = time.perf_counter()
        rows = file.execute(
            "SELECT rowid FROM turns WHERE turns MATCH ? ORDER BY rank LIMIT ?", (words, DEPTH)
        ).fetchall()
        return [corpus.turns[int(str(row[0]))].id for row in rows], (time.perf_counter() - began) * 1000

    yield rank
    file.close()


@contextmanager
def ours(corpus: Corpus, embedder: Embedder | None) -> Iterator[tuple[Ranking, Memory]]:
    """The memory as it is, receipts and gates on. Ranked deep for the figures, timed at the usual ten."""
    with tempfile.TemporaryDirectory(prefix="muniment-bench-") as folder:
        policy = Path(folder) / "conversations.yaml"
        policy.write_text(POLICY)
        with Memory.open(Path(folder) / "vault", policy=policy, embedder=embedder) as memory:
            turn_of, written = remember(memory, corpus)

            def rank(ask: Ask) -> tuple[list[str], float]:
                asker = memory.as_actor(ask.asker)
                began = time.perf_counter()
                first = asker.recall(ask.text, limit=10, asked_at=ask.at, floor=0.0)
                took = (time.perf_counter() - began) * 1000
                found = asker.recall(ask.text, limit=DEPTH, asked_at=ask.at, floor=0.0)
                for answer in (first, found):
                    _check_fresh(answer, written)
                return [turn_of[one.record.id] for one in found.records], took

            last = corpus.turns[-1]
            _check_fresh(memory.as_actor(last.speaker).recall(last.text[:QUOTED], floor=0.0), written)
            yield rank, memory


def _check_fresh(answer: Recall, written: int) -> None:
    if answer.epoch < written:
        raise Stale(f"position {written} was acknowledged, and an answer knew of {answer.epoch}")


def _progress(name: str) -> Callable[[int, int], None]:
    def show(done: int, all_: int) -> None:
        if sys.stderr.isatty() and (done % 256 == 0 or done == all_):
            print(f"\r{name}: vectors {done}/{all_}", end="\n" if done == all_ else "", file=sys.stderr, flush=True)

    return show


def measure(dataset: str, corpus: Corpus, rank: Ranking) -> Iterator[tuple[Ask, Figures]]:
    """The figures of each answerable question."""
    sessions = {turn.id: turn.session for turn in corpus.turns}
    for ask in corpus.asks:
        if not ask.answerable:
            continue
        turns, took = rank(ask)
        grouped = list(dict.fromkeys(sessions[turn] for turn in turns))
        ranking, gold = (grouped, ask.sessions) if dataset in BY_SESSION else (turns, ask.turns)
        first = next((place for place, one in enumerate(ranking, start=1) if one in gold), 0)
        yield (
            ask,
            {
                **{f"r@{k}": 100.0 * (0 < first <= k) for k in (1, 5, 10)},
                "mrr": 1 / first if first else 0.0,
                **{f"share@{k}": _share(ranking, gold, k) for k in (5, 10)},
                **{f"session_share@{k}": _share(grouped, ask.sessions, k) for k in (5, 10)},
                "ms": took,
            },
        )


def _share(ranking: list[str], gold: frozenset[str], k: int) -> float:
    return len(gold & set(ranking[:k])) / len(gold)


def summed(found: list[tuple[Ask, Figures]]) -> Figures:
    names = [name for name in found[0][1] if name != "ms"]
    took = sorted(figures["ms"] for _, figures in found)
    return {
        **{name: round(statistics.fmean(figures[name] for _, figures in found), 4) for name in names},
        "p50_ms": round(took[len(took) // 2], 2),
        "p95_ms": round(took[int(len(took) * 0.95)], 2),
        "questions": len(found),
    }


def abstentions(corpora: list[Corpus], memories: list[Memory], foreign: list[Ask]) -> Figures:
    """Answered or not, against the truth, at the usual floor: questions that have an answer in the store, those made so
    that they have none, and those of other people's conversations."""
    told: dict[str, list[bool]] = defaultdict(list)
    for corpus, memory in zip(corpora, memories, strict=True):
        for ask in corpus.asks:
            told["answerable" if ask.answerable else "unanswerable"].append(_answered(memory, ask))
        for ask in foreign:
            if all(ask.id != own.id for own in corpus.asks):
                told["foreign"].append(_answered(memory, ask))
    return {
        key: value
        for name, answers in told.items()
        for key, value in (
            (f"{name}", float(len(answers))),
            (f"{name} answered", round(sum(answers) / len(answers), 4)),
        )
    }


def _answered(memory: Memory, ask: Ask) -> bool:
    return bool(memory.as_actor(ask.asker).recall(ask.text, limit=10, asked_at=ask.at).records)


def run(path: Path, foreign: list[Ask], embedder: Embedder | None, rows: list[str]) -> tuple[str, dict[str, object]]:
    dataset, corpora = load(path)
    shown = {row: (AT_ONCE, row) if row == "full" else (row,) for row in rows}
    found: dict[str, list[tuple[Ask, Figures]]] = {one: [] for row in rows for one in shown[row]}
    silence: dict[str, Figures] = {}
    for row in rows:
        memories: list[tuple[Corpus, Figures]] = []
        for corpus in corpora:
            if row == "fts5":
                with plain_fts5(corpus) as rank:
                    found[row] += measure(dataset, corpus, rank)
                continue
            with ours(corpus, embedder if row == "full" else None) as (rank, memory):
                if row == "full":
                    found[AT_ONCE] += measure(dataset, corpus, rank)
                    memory.flush(progress=_progress(corpus.name))
                found[row] += measure(dataset, corpus, rank)
                memories.append((corpus, abstentions([corpus], [memory], foreign)))
        if memories:
            silence[row] = _together([figures for _, figures in memories])
        for one in shown[row]:
            print(
                f"{dataset:12} {one:8} " + "  ".join(f"{k} {v:.3f}" for k, v in summed(found[one]).items()), flush=True
            )
    types = sorted({ask.type for ask, _ in found[rows[0]]})
    by_type = {
        row: {type_: summed([one for one in found[row] if one[0].type == type_]) for type_ in types} for row in found
    }
    return dataset, {**{row: summed(found[row]) for row in found}, "by_type": by_type, "abstention": silence}


def _together(many: list[Figures]) -> Figures:
    """The counts of several stores, and the shares weighed by them."""
    names = sorted({name for figures in many for name in figures if not name.endswith("answered")})
    summed_: Figures = {}
    for name in names:
        count = sum(figures.get(name, 0.0) for figures in many)
        answered = sum(figures.get(name, 0.0) * figures.get(f"{name} answered", 0.0) for figures in many)
        summed_ |= {name: count, f"{name} answered": round(answered / count, 4) if count else 0.0}
    return summed_


def _strangers(paths: list[Path]) -> list[Ask]:
    """Some questions of every file: foreign to each store they were not asked about."""
    found: list[Ask] = []
    for path in paths:
        asks = [ask for corpus in load(path)[1] for ask in corpus.asks if ask.answerable]
        found += asks[:: max(1, len(asks) // FOREIGN)][:FOREIGN]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="LongMemEval, LoCoMo or BEAM files")
    parser.add_argument("--rows", default="fts5,lexical,full")
    parser.add_argument(
        "--kept",
        action="store_true",
        help="take vectors of earlier runs; then nothing trails, and `at_once` says little",
    )
    parser.add_argument("--out", type=Path, default=OUT / "recall.json")
    options = parser.parse_args()
    config = read_environment()
    model = choose("minilm", models=config.models_folder, key=None)
    embedder = Kept(model, OUT / "vectors.sqlite") if model is not None and options.kept else model
    results: dict[str, object] = {}
    if options.out.exists():
        results = json.loads(options.out.read_text())
    foreign = _strangers(options.data)
    for path in options.data:
        dataset, figures = run(path, foreign, embedder, options.rows.split(","))
        results[dataset] = figures
    results["about"] = {**machine(), "model": embedder.model if embedder is not None else None}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(results, indent=2) + "\n")
    print(f"written to {options.out.name}")


if __name__ == "__main__":
    main()
