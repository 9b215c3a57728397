"""Fit the model of when not to answer, and count what it would keep and refuse on questions it was not fitted on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from bench.corpora import Ask, Corpus
from bench.tune.features import Floats, Numbers, Sensed, Store, Truths, open_store, sense
from muniment.ports.embedder import Embedder

FOLDS = 5
FLOORS = (0.05, 0.1, 0.14, 0.2, 0.25, 0.3, 0.4, 0.5)
STRANGERS = 100
SIBLINGS = 40
SLICES = {10: 5, 30: 4, 100: 3}
"""How long a slice of a conversation is that makes a small store, and how many of each."""

SLICE_STRANGERS = 8
FULL_GROUP = 100
"""A group of questions counts in full from so many on; a smaller one by its share of them."""

UNANSWERABLE = "_abs"
"""How the name of a question ends that was made to have no answer; others without one only lack their labels."""

MODELS: dict[str, tuple[bool, tuple[str, ...]]] = {
    "with vectors, as shipped": (True, ()),
    "with vectors": (True, ("cosine", "coverage", "ahead", "size")),
    "with vectors, without size": (True, ("cosine", "coverage", "ahead")),
    "by words alone, as shipped": (False, ()),
    "by words alone": (False, ("coverage", "size")),
}
"""Whether there are vectors, and the signs that count; without any it is the product's own model."""


class Case(msgspec.Struct, frozen=True):
    """A question put to a store: which group it is counted in, whether the store answers it, and the signs of it."""

    question: str
    group: str
    answerable: bool
    vectors: Sensed | None
    words: Sensed | None


@dataclass(frozen=True, slots=True)
class Fitted:
    """A model, and the chance it gave to each case in the folds that case was left out of."""

    weights: dict[str, float]
    chances: Floats
    cases: Sequence[Case]


def cases(stores: Sequence[Store], folder: Path, embedder: Embedder | None, rng: np.random.Generator) -> Iterator[Case]:
    """Questions put to the store they were made for, to stores of strangers, and to small stores."""
    for store in stores:
        for ask in store.corpus.asks:
            if ask.answerable or ask.id.endswith(UNANSWERABLE):
                group = store.dataset if ask.answerable else f"{store.dataset} unanswerable"
                yield _case(store, ask, group, ask.answerable)
        for dataset, ask in _strangers(stores, store, rng, STRANGERS, SIBLINGS):
            yield _case(store, ask, f"{dataset} asked of {store.dataset}", answerable=False)
    for store in stores:
        for small in _slices(store, folder, embedder):
            for ask in small.corpus.asks:
                yield _case(small, ask, f"of {len(small.corpus.turns)} turns", answerable=True)
            for _, ask in _strangers(stores, store, rng, SLICE_STRANGERS, SLICE_STRANGERS):
                yield _case(small, ask, f"asked of {len(small.corpus.turns)} turns", answerable=False)
            small.memory.close()


def _case(store: Store, ask: Ask, group: str, answerable: bool) -> Case:
    return Case(
        question=f"{ask.id} {ask.text}",
        group=group,
        answerable=answerable,
        vectors=sense(store, ask, vectors=True),
        words=sense(store, ask, vectors=False),
    )


def _strangers(
    stores: Sequence[Store], here: Store, rng: np.random.Generator, others: int, siblings: int
) -> Iterator[tuple[str, Ask]]:
    """Questions about other people's conversations: of every other set, and of the other stores of the same."""
    by_set: dict[str, list[Ask]] = defaultdict(list)
    for store in stores:
        if store is not here:
            by_set[store.dataset] += [ask for ask in store.corpus.asks if ask.answerable]
    for dataset, asks in by_set.items():
        count = min(len(asks), siblings if dataset == here.dataset else others)
        for number in rng.choice(len(asks), size=count, replace=False):
            yield dataset, asks[int(number)]


def _slices(store: Store, folder: Path, embedder: Embedder | None) -> Iterator[Store]:
    """Stretches of a conversation as stores of their own: those that answer the most questions."""
    turns = store.corpus.turns
    for length, count in SLICES.items():
        stretches = [turns[start : start + length] for start in range(0, len(turns) - length + 1, length)]
        held = [(_within(store.corpus.asks, {turn.id for turn in part}), part) for part in stretches]
        held.sort(key=lambda one: -len(one[0]))
        for number, (asks, part) in enumerate(held[:count]):
            if asks:
                corpus = Corpus(name=f"{store.corpus.name}-{length}-{number}", turns=part, asks=asks)
                yield open_store(folder, store.dataset, corpus, embedder)


def _within(asks: Sequence[Ask], turns: set[str]) -> tuple[Ask, ...]:
    return tuple(ask for ask in asks if ask.turns and ask.turns <= turns)


def fitted(found: Sequence[Case], name: str, rng: np.random.Generator) -> Fitted:
    """Fit a model on all cases; the chances are those of models that had not seen the question."""
    vectors, signs_ = MODELS[name]
    sensed = [(case, one) for case in found if (one := case.vectors if vectors else case.words) is not None]
    known = [case for case, _ in sensed]
    if not signs_:
        return Fitted(weights={}, chances=np.array([one.chance for _, one in sensed]), cases=known)
    rows = np.array([[getattr(one.signs, sign) for sign in signs_] for _, one in sensed])
    truth = np.array([case.answerable for case in known])
    counts = _counts(known, truth)
    questions = list(dict.fromkeys(case.question for case in known))
    fold_of = dict(zip(questions, (rng.permutation(len(questions)) % FOLDS).tolist(), strict=True))
    fold: Numbers = np.array([fold_of[case.question] for case in known])
    chances = np.zeros(len(known))
    for left in range(FOLDS):
        out = fold == left
        chances[out] = _chances(rows[out], _newton(rows[~out], truth[~out], counts[~out]))
    weights = _newton(rows, truth, counts)
    named = dict(zip((*signs_, "bias"), (round(float(value), 2) for value in weights), strict=True))
    return Fitted(weights=named, chances=chances, cases=known)


def _counts(known: Sequence[Case], truth: Truths) -> Floats:
    """How much each case counts: every group alike unless it is small, and both answers alike in sum."""
    sizes: dict[str, int] = defaultdict(int)
    for case in known:
        sizes[case.group] += 1
    counts = np.array([min(1.0, sizes[case.group] / FULL_GROUP) / sizes[case.group] for case in known])
    counts[truth] *= counts[~truth].sum() / counts[truth].sum()
    counts *= len(known) / counts.sum()
    return counts


def _newton(rows: Floats, truth: Truths, counts: Floats, *, ridge: float = 1e-2, steps: int = 50) -> Floats:
    """Logistic regression, the bias last; a little ridge keeps it finite where the two sides part cleanly."""
    signs_ = np.column_stack([rows, np.ones(len(rows))])
    penalty = np.diag([*[ridge] * rows.shape[1], 0.0])
    weights = np.zeros(signs_.shape[1])
    for _ in range(steps):
        chance = 1 / (1 + np.exp(-np.clip(signs_ @ weights, -60, 60)))
        slope = signs_.T @ (counts * (truth - chance)) - penalty @ weights
        bend = (signs_ * (counts * chance * (1 - chance))[:, None]).T @ signs_ + penalty
        step = np.linalg.solve(bend, slope)
        weights += step
        if float(np.abs(step).max()) < 1e-8:
            return weights
    raise SystemExit("the model of when not to answer does not settle")


def _chances(rows: Floats, weights: Floats) -> Floats:
    chances: Floats = 1 / (1 + np.exp(-np.clip(rows @ weights[:-1] + weights[-1], -60, 60)))
    return chances


def at_floors(model: Fitted) -> dict[str, dict[str, float]]:
    """Of each group, the share that is answered at each floor."""
    groups = sorted({case.group for case in model.cases}, key=lambda name: (name.startswith(("of", "asked")), name))
    member = {name: np.array([case.group == name for case in model.cases]) for name in groups}
    return {
        f"{floor:g}": {name: round(float((model.chances[member[name]] >= floor).mean()), 3) for name in groups}
        for floor in FLOORS
    }


def calibration(model: Fitted) -> list[tuple[float, float, int]]:
    """In each fifth of the chances: the mean chance, the share that was answerable, and how many cases."""
    truth = np.array([case.answerable for case in model.cases])
    counts = _counts(model.cases, truth)
    bins: list[tuple[float, float, int]] = []
    for least in (0.0, 0.2, 0.4, 0.6, 0.8):
        here = (model.chances >= least) & (model.chances < least + 0.2 + 1e-12)
        if here.any():
            said = float(np.average(model.chances[here], weights=counts[here]))
            bins.append(
                (round(said, 3), round(float(np.average(truth[here], weights=counts[here])), 3), int(here.sum()))
            )
    return bins


def area(model: Fitted, against: str | None = None) -> float:
    """How often an answerable question has the higher chance of two: the area under the curve. `against` names the one
    group it is held against; else all that have no answer, each counting as it does in the fit."""
    truth = np.array([case.answerable for case in model.cases])
    counts = _counts(model.cases, truth)
    no = ~truth if against is None else np.array([case.group == against for case in model.cases])
    higher = (model.chances[truth][:, None] > model.chances[no]) + 0.5 * (
        model.chances[truth][:, None] == model.chances[no]
    )
    return round(float(np.average(np.average(higher, axis=1, weights=counts[no]), weights=counts[truth])), 3)
