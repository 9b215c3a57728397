"""Fit the model of how likely a record answers a question, and count what it tells of questions it was not fitted on.

Every case is a question put to a store, with the signs of the records found for it and which of them answer it. Stores
are the everyday situations and the public conversations, questions their own, those of each other, and those made so
that they have no answer. Chances are those of models that had not seen the situation, or for the large sets the
question.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from bench.corpora import Ask, Corpus, load
from bench.everyday.sets import FIRST_DAY, situations
from bench.report import OUT, machine
from bench.tune.features import Floats, Numbers, Store, asked, open_store
from bench.vectors_kept import Kept
from muniment import Memory
from muniment.backends.embedders.choose import choose
from muniment.config import read_environment
from muniment.model.receipt import Plan
from muniment.model.rows import VectorCoverage
from muniment.ports.embedder import Embedder
from muniment.ports.store import Snapshot
from muniment.read import find, fit
from muniment.read.named import names_of
from muniment.read.search import LESS_LIKELY

SEED = 4
FOLDS = 5
DEPTH = 10
"""So many of the best that were found are judged."""

EVERYDAY = "everyday"
FULL_GROUP = 100
"""A group of questions counts in full from so many on; a smaller one by its share of them."""

CONVERSATIONS_COUNT = 0.2
"""How much a group of questions about conversations counts beside one about everyday facts: there single turns are
labelled, and others answer too."""

UNANSWERABLE = "_abs"
"""How the name of a question ends that was made to have no answer; others without one only lack their labels."""

OWN_MOST = 250
STRANGERS = 80
KEPT = (0.995, 0.99, 0.98, 0.95)


class Case(msgspec.Struct, frozen=True):
    """A question put to a store: the group it is counted in, what it is left out with, and the records found for it."""

    question: str
    group: str
    fold: str
    answerable: bool
    signs: tuple[fit.Signs, ...]
    answers: tuple[bool, ...]
    said: bool


def cases(stores: Sequence[Store], rng: np.random.Generator) -> Iterator[Case]:
    """Questions put to the store they were made for, and to those of strangers who speak the same language."""
    for store in stores:
        everyday = store.dataset == EVERYDAY
        own = [ask for ask in store.corpus.asks if everyday or ask.answerable or ask.id.endswith(UNANSWERABLE)]
        for number in rng.permutation(len(own))[:OWN_MOST]:
            ask = own[int(number)]
            kind = "answerable" if ask.answerable else "unanswerable"
            for vectors in (True, False) if everyday else (True,):
                yield _case(store, ask, f"{store.dataset} {kind}", ask.answerable, vectors=vectors)
        strangers = [
            ask
            for other in stores
            if other is not store and _language(other) == _language(store)
            for ask in other.corpus.asks
            if ask.answerable
        ]
        for number in rng.permutation(len(strangers))[:STRANGERS]:
            yield _case(store, strangers[int(number)], f"{store.dataset} foreign", answerable=False, vectors=True)


def _language(store: Store) -> str:
    return store.corpus.asks[0].type if store.dataset == EVERYDAY else "English"


def _case(store: Store, ask: Ask, group: str, answerable: bool, *, vectors: bool) -> Case:
    with asked(store, ask) as (snapshot, plan, vector):
        if not vectors:
            plan, vector = msgspec.structs.replace(plan, reach=VectorCoverage()), None
        signs, answers = _judged(store, ask, snapshot, plan, vector)
    by_situation = store.dataset == EVERYDAY
    return Case(
        question=ask.text,
        group=group if vectors else f"{group}, by words",
        fold=store.corpus.name if by_situation else ask.id,
        answerable=answerable,
        signs=signs,
        answers=tuple(one and answerable for one in answers),
        said=not by_situation,
    )


def _judged(
    store: Store, ask: Ask, snapshot: Snapshot, plan: Plan, vector: bytes | None
) -> tuple[tuple[fit.Signs, ...], tuple[bool, ...]]:
    findings = find.find(snapshot, plan, vector)
    scores = findings.evidence()
    best = sorted(scores, key=lambda rid: (-scores[rid], -rid))[:DEPTH]
    signs = fit.signs_of(snapshot, plan, ask.text, findings, names_of(ask.text, plan), best)
    answers = (store.turn_of[findings.found[rid].card.id] in ask.turns for rid in signs)
    return tuple(signs.values()), tuple(answers)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A model, and the logits it gave to the records of each case when that was left out."""

    weights: dict[str, float]
    logits: list[Floats]
    cases: Sequence[Case]

    @property
    def best(self) -> Floats:
        return np.array([one.max(initial=-30.0) for one in self.logits])


def fitted(known: Sequence[Case], signs: Sequence[str], rng: np.random.Generator) -> Fitted:
    rows = np.array([[getattr(one, sign) for sign in signs] for case in known for one in case.signs])
    truth = np.array([one for case in known for one in case.answers], dtype=np.float64)
    of: Numbers = np.repeat(np.arange(len(known)), [len(case.signs) for case in known])
    counts = _counts(known)[of]
    names = sorted({case.fold for case in known})
    large = {case.fold for case in known if case.said}
    drawn = dict(zip(names, (rng.permutation(len(names)) % FOLDS).tolist(), strict=True))
    fold = np.array([str(drawn[case.fold]) if case.fold in large else case.fold for case in known])
    logits = np.zeros(len(rows))
    for left in sorted(set(fold.tolist())):
        out = (fold == left)[of]
        logits[out] = _with_bias(rows[out]) @ _newton(rows[~out], truth[~out], counts[~out])
    weights = _newton(rows, truth, counts)
    named = dict(zip((*signs, "bias"), (round(float(value), 2) for value in weights), strict=True))
    return Fitted(named, [logits[of == number] for number in range(len(known))], known)


def _counts(known: Sequence[Case]) -> Floats:
    """How much each case counts: every group alike unless it is small."""
    sizes: dict[str, int] = defaultdict(int)
    for case in known:
        sizes[case.group] += 1
    counts = np.array(
        [
            (CONVERSATIONS_COUNT if case.said else 1.0) * min(1.0, sizes[case.group] / FULL_GROUP) / sizes[case.group]
            for case in known
        ]
    )
    scaled: Floats = counts * len(known) / counts.sum()
    return scaled


def _with_bias(rows: Floats) -> Floats:
    return np.column_stack([rows, np.ones(len(rows))])


def _newton(rows: Floats, truth: Floats, counts: Floats, *, ridge: float = 1.0, steps: int = 50) -> Floats:
    """Logistic regression, the bias last; a little ridge keeps it finite where the two sides part cleanly."""
    signs = _with_bias(rows)
    penalty = np.diag([*[ridge] * rows.shape[1], 0.0])
    weights = np.zeros(signs.shape[1])
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-np.clip(signs @ weights, -60, 60)))
        slope = signs.T @ (counts * (truth - chance)) - penalty @ weights
        bend = (signs * (counts * chance * (1 - chance))[:, None]).T @ signs + penalty
        step = np.linalg.solve(bend, slope)
        weights += step
        if float(np.abs(step).max()) < 1e-8:
            return weights
    raise SystemExit("the model of when not to answer does not settle")


def quiet(model: Fitted) -> dict[str, dict[str, float]]:
    """Where so much of the answerable everyday questions is kept: how likely a record must be for that, and what is
    answered of each group."""
    answerable = np.array([case.group == f"{EVERYDAY} answerable" for case in model.cases])
    lowest = np.sort(model.best[answerable])
    groups = sorted({case.group for case in model.cases})
    found: dict[str, dict[str, float]] = {}
    for kept in KEPT:
        bound = lowest[int((1 - kept) * len(lowest))]
        row = {"floor": round(float(1 / (1 + np.exp(-bound))), 4)}
        for group in groups:
            member = np.array([case.group == group for case in model.cases])
            row[group] = round(float((model.best[member] >= bound).mean()), 3)
        found[f"{kept:g}"] = row
    return found


def beside(model: Fitted) -> dict[str, dict[str, list[float]]]:
    """By how much smaller odds may be than those of the best: precision, and how much of what answers is still told."""
    found: dict[str, dict[str, list[float]]] = defaultdict(dict)
    for group in sorted({case.group for case in model.cases if case.answerable}):
        for times in (2.0, 3.0, LESS_LIKELY, 7.0, 12.0, 20.0, 50.0, 1e9):
            rows = [
                (right[told].mean(), right[told].sum() / right.sum())
                for case, logits in zip(model.cases, model.logits, strict=True)
                if case.group == group and any(case.answers)
                for right, told in [(np.array(case.answers), logits >= logits.max() - np.log(times))]
            ]
            found[group][f"{times:g}"] = [round(float(value), 3) for value in np.mean(rows, axis=0)]
    return dict(found)


def _everyday(corpus: Corpus, folder: Path, embedder: Embedder) -> Store:
    memory = Memory.open(folder / corpus.name, embedder=embedder)
    turn_of = {str(memory.remember(turn.text).record_id): turn.id for turn in corpus.turns}
    memory.flush()
    asks = tuple(msgspec.structs.replace(ask, asker=memory.actor.id, at=FIRST_DAY) for ask in corpus.asks)
    return Store(EVERYDAY, msgspec.structs.replace(corpus, asks=asks), memory, turn_of)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, nargs="*", default=[], help="LongMemEval, LoCoMo or BEAM files")
    parser.add_argument("--stores", type=Path, help="keep the stores here and use those of an earlier run again")
    parser.add_argument("--out", type=Path, default=OUT / "silence.json")
    options = parser.parse_args()
    model = choose("minilm", models=read_environment().models_folder, key=None)
    if model is None:
        raise SystemExit("there is no model, and so nothing to fit: `muniment model install`")
    embedder = Kept(model, OUT / "vectors.sqlite")
    rng = np.random.default_rng(SEED)
    with tempfile.TemporaryDirectory(prefix="muniment-silence-") as folder, ExitStack() as stack:
        stores = [_everyday(corpus, Path(folder), embedder) for corpus in situations()]
        for path in options.data:
            dataset, corpora = load(path)
            stores += [open_store(options.stores or Path(folder), dataset, one, embedder) for one in corpora]
        for store in stores:
            stack.callback(store.memory.close)
        known = list(cases(stores, rng))
    found = fitted(known, list(fit.SIGNS), rng)
    report: dict[str, dict[str, object]] = {
        "weights": dict(found.weights),
        "quiet": dict(quiet(found)),
        "beside": dict(beside(found)),
        "shipped": {**fit.SIGNS, "bias": fit.BIAS},
    }
    for name, part in report.items():
        print(name, *(f"  {key}: {value}" for key, value in part.items()), sep="\n")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps({**report, "about": {**machine(), "model": embedder.model}}, indent=2) + "\n")


if __name__ == "__main__":
    main()
