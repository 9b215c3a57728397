"""Choose among settings, and say how much a choice is worth on questions it was not made on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from bench.tune.features import Floats
from bench.tune.scoring import Bench, Setting, scored, worth
from muniment.model.weights import Weights
from muniment.read import carry, find

FOLDS = 5
ROUNDS = 5
GRID: dict[str, tuple[float, ...]] = {
    "words": (0.55, 0.6, 0.65, 0.7, 0.75, 0.8),
    "nearby": (0.2, 0.3, 0.4, 0.5),
    "session": (0.0, 0.1, 0.2, 0.3),
    "linked": (0.0, 0.02, 0.05),
    "subject": (0.03, 0.06, 0.1, 0.15),
    "time": (0.2, 0.3, 0.4),
    "future": (0.2, 0.3, 0.4),
    "recency": (0.0, 0.01, 0.02),
    "close": (0.0, 0.15, 0.3, 0.5),
    "fair_words": (0.3, 0.4, 0.5, 0.6),
    "fair_meaning": (0.4, 0.5, 0.6),
}
"""What is tried of each. `meaning` is what `words` leaves of one: only proportions count."""

Tried = list[tuple[Setting, dict[str, Floats]]]
Row = dict[str, list[float]]
"""Figures of one setting: set → the mean of each of its metrics."""


def weighed(setting: Setting, **weights: float) -> Setting:
    """A setting with other weights."""
    return msgspec.structs.replace(setting, weights=msgspec.structs.replace(setting.weights, **weights))


def drawn(count: int, rng: np.random.Generator) -> list[Setting]:
    """What is shipped, and so many settings drawn at random from the grid."""
    return [Setting(), *(_drawn(rng) for _ in range(count))]


def _drawn(rng: np.random.Generator) -> Setting:
    values = {name: float(rng.choice(choices)) for name, choices in GRID.items()}
    close, fair_words, fair_meaning = (values.pop(name) for name in ("close", "fair_words", "fair_meaning"))
    weights = Weights(**values, meaning=round(1 - values["words"], 6))
    return Setting(weights=weights, close=close, fair_words=fair_words, fair_meaning=fair_meaning)


def mean(figures: Mapping[str, Floats]) -> Row:
    return {dataset: [round(float(value), 4) for value in rows.mean(axis=0)] for dataset, rows in figures.items()}


def best_on(tried: Tried, datasets: Sequence[str]) -> int:
    """Which setting does best on whole sets, each counting alike."""
    totals = [sum(worth(name, figures[name]).mean() for name in datasets) for _, figures in tried]
    return int(np.argmax(totals))


def held_out(tried: Tried, datasets: Sequence[str], rng: np.random.Generator) -> Row:
    """Choose on four fifths of the questions, measure on the fifth that was left out; all fifths, several times."""
    every = {name: np.stack([figures[name] for _, figures in tried]) for name in datasets}
    value = {name: worth(name, every[name]) for name in datasets}
    sums = {name: np.zeros_like(every[name][0]) for name in datasets}
    for _ in range(ROUNDS):
        fold = {name: rng.permutation(value[name].shape[1]) % FOLDS for name in datasets}
        for left in range(FOLDS):
            totals = sum((value[name][:, fold[name] != left].mean(axis=1) for name in datasets), np.zeros(len(tried)))
            chosen = int(np.argmax(totals))
            for name in datasets:
                out = fold[name] == left
                sums[name][out] += every[name][chosen][out]
    return mean({name: total / ROUNDS for name, total in sums.items()})


def crossed(tried: Tried, datasets: Sequence[str]) -> dict[str, Row]:
    """Chosen on one set alone, measured on all."""
    return {name: mean(tried[best_on(tried, [name])][1]) for name in datasets}


def plateau(tried: Tried, datasets: Sequence[str]) -> dict[str, Row]:
    """The least, the middle and the most of each figure over all settings, each figure by itself."""
    means = {name: np.stack([figures[name].mean(axis=0) for _, figures in tried]) for name in datasets}
    ways = {"least": 0.0, "middle": 0.5, "most": 1.0}
    return {
        way: {name: [round(float(value), 4) for value in np.quantile(means[name], part, axis=0)] for name in datasets}
        for way, part in ways.items()
    }


def marginals(tried: Tried, datasets: Sequence[str]) -> dict[str, dict[str, dict[str, float]]]:
    """For each value of each constant, the mean worth over the random settings that have it."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for name, choices in GRID.items():
        for choice in choices:
            having = [figures for setting, figures in tried[1:] if value_of(setting, name) == choice]
            if having:
                found.setdefault(name, {})[f"{choice:g}"] = {
                    dataset: round(float(np.mean([worth(dataset, one[dataset]).mean() for one in having])), 4)
                    for dataset in datasets
                }
    return found


def value_of(setting: Setting, name: str) -> float:
    place = setting if name in setting.__struct_fields__ else setting.weights
    return float(getattr(place, name))


def parts(bench: Bench) -> dict[str, Row]:
    """What is shipped without each of its parts in turn, and its plainest forms."""
    whole = Setting()
    rows = {"as shipped": whole}
    rows |= {
        f"without {name}": weighed(whole, **{name: 0.0})
        for name in Weights.__struct_fields__
        if name not in ("words", "meaning") and getattr(whole.weights, name)
    }
    rows["without any time"] = weighed(whole, time=0.0, future=0.0, recency=0.0)
    rows["without close words"] = msgspec.structs.replace(whole, close=0.0)
    rows["without fair matches"] = msgspec.structs.replace(whole, fair_words=0.0, fair_meaning=0.0)
    rows["words alone, all else"] = msgspec.structs.replace(weighed(whole, meaning=0.0), meaning_kept=0)
    bare = Weights(**{**dict.fromkeys(Weights.__struct_fields__, 0.0), "words": 0.7, "meaning": 0.3})
    rows["words and meaning, nothing else"] = Setting(weights=bare, close=0.0, fair_words=0.0, fair_meaning=0.0)
    return {name: mean(bench.settled(setting)) for name, setting in rows.items()}


SCORED = "scored"
POOLS = (
    (300, 200, 500, 100, 100),
    (300, 200, 132, 100, 100),
    (200, 200, 132, 32, 12),
    (200, 200, 100, 32, 12),
    (200, 200, 64, 64, 64),
    (200, 200, 64, 32, 32),
    (200, 200, 64, 32, 12),
    (150, 150, 64, 32, 12),
    (100, 100, 64, 32, 12),
    (100, 100, 40, 40, 40),
    (100, 100, 40, 24, 12),
    (60, 60, 40, 24, 12),
    (60, 60, 24, 16, 8),
    (find.WORDS_KEPT, find.MEANING_KEPT, find.KEPT, carry.NEIGHBOURS_OF, carry.STRANGERS_OF),
)
"""By words, by meaning, closely, neighbours of, strangers taken in with; the last as shipped, for ten records."""


def pools(bench: Bench) -> dict[str, Row]:
    """What narrower pools lose, and how many records then have to be scored."""
    found: dict[str, Row] = {}
    for words, meaning, kept, neighbours, strangers in POOLS:
        setting = Setting(
            words_kept=words, meaning_kept=meaning, kept=kept, neighbours_of=neighbours, strangers_of=strangers
        )
        counts = [len(scored(pool, setting)[0]) for pool in bench.pools.values()]
        name = f"{words}/{meaning}/{kept}/{neighbours}/{strangers}"
        found[name] = {**mean(bench.settled(setting)), SCORED: [float(np.mean(counts))]}
    return found
