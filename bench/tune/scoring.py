"""Score what was collected under any setting, by the product's formula, and say how good the order is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np

from bench.corpora import Ask
from bench.recall import BY_SESSION, DEPTH, Ranking, measure
from bench.tune.features import DECLARED, Floats, Numbers, Pool, Store, Truths, constants
from muniment.model.weights import USUAL_WEIGHTS, Weights
from muniment.read import carry, find, rank

TOLERANCE = 2e-5
"""Each of up to 13 parts is rounded to six places by the product."""

COMPARED = 50
"""So many of the best are held against the product's: which of the worst are still found hangs on next to nothing."""

FAR_OFF = 0.01
OFF_SHARE = 0.01
"""A large store is searched by meaning in a rough way first, so one question in a hundred may be off by a little."""


class Setting(msgspec.Struct, frozen=True):
    """Everything the order depends on. As it is made, it is what the product ships."""

    weights: Weights = USUAL_WEIGHTS
    close: float = find.CLOSE
    fair_words: float = find.FAIR_WORDS
    fair_meaning: float = find.FAIR_MEANING
    words_kept: int = find.WORDS_KEPT
    meaning_kept: int = find.MEANING_KEPT
    kept: int = max(find.KEPT, DEPTH + find.KEPT // 2)
    neighbours_of: int = carry.NEIGHBOURS_OF
    strangers_of: int = carry.STRANGERS_OF


def scored(pool: Pool, setting: Setting) -> tuple[Numbers, Floats]:
    """What is found under a setting, from the best down, and all scores."""
    weights = setting.weights
    words = np.where(pool.word_rank < setting.words_kept, pool.words + setting.close * pool.close, 0.0)
    meaning = pool.meaning if setting.meaning_kept else np.zeros_like(pool.meaning)
    own = (pool.word_rank < setting.words_kept) | (pool.near_rank < setting.meaning_kept)
    by_words = weights.words / max(setting.fair_words, float(words[own].max(initial=0.0)), 1e-9)
    by_meaning = weights.meaning / max(setting.fair_meaning, float(meaning[own].max(initial=0.0)), 1e-9)
    present = np.zeros_like(own)
    present[_sorted(pool, own, by_words * words + by_meaning * meaning)[: setting.kept]] = True
    fits = np.where(present, by_words * words, 0.0) + by_meaning * meaning
    best = _sorted(pool, present, fits)
    pairs = _beside(pool, best[: setting.neighbours_of if weights.nearby else 0])
    present[_beside(pool, best[: setting.strangers_of if weights.nearby else 0])[:, 1]] = True
    if weights.linked:
        present |= pool.linked > 0
    scores = (
        fits
        + weights.nearby * _nearby(pairs[present[pairs[:, 1]]], fits)
        + weights.session * _session(pool, np.where(present, fits, 0.0))
        + weights.linked * pool.linked
        + pool.declared @ np.array([getattr(weights, name) for name in DECLARED])
    )
    return _sorted(pool, present, scores), scores


def _sorted(pool: Pool, present: Truths, scores: Floats) -> Numbers:
    spots = np.flatnonzero(present)
    order: Numbers = spots[np.lexsort((-pool.rids[spots], -scores[spots]))]
    return order


def _beside(pool: Pool, best: Numbers) -> Numbers:
    """The pairs of which the first is among the best."""
    chosen = np.zeros(len(pool.rids), dtype=np.bool_)
    chosen[best] = True
    pairs: Numbers = pool.beside[chosen[pool.beside[:, 0]]]
    return pairs


def _nearby(pairs: Numbers, fits: Floats) -> Floats:
    nearby = np.zeros_like(fits)
    np.maximum.at(nearby, pairs[:, 0], fits[pairs[:, 1]])
    np.maximum.at(nearby, pairs[:, 1], fits[pairs[:, 0]])
    return nearby


def _session(pool: Pool, fits: Floats) -> Floats:
    whole: Floats = np.asarray(np.bincount(pool.session, weights=fits**4) ** 0.25, dtype=np.float64)[pool.session]
    return whole


def compare(pools: Sequence[Pool]) -> int:
    """Hold the formula here against the product: the same records with the same scores, or the run ends. Returns for
    how many questions they are the same."""
    off = {pool.ask.id: difference for pool in pools if (difference := _difference(pool)) > TOLERANCE}
    worst = max(off, key=lambda name: off[name], default="")
    if off and (off[worst] > FAR_OFF or len(off) > OFF_SHARE * len(pools)):
        raise SystemExit(
            f"{len(off)} of {len(pools)} questions score otherwise than in the product, {worst} by {off[worst]:.4f}: "
            f"the formula of bench/tune/scoring.py has drifted from that of muniment/read"
        )
    for pool in pools:
        if [spot for spot, _ in pool.told] != spread_out(pool, None):
            raise SystemExit(f"{pool.ask.id}: the product puts what it found in another order")
    return len(pools) - len(off)


def _difference(pool: Pool) -> float:
    """The most that the score of one of the best differs here and in the product. What only one of them has among the
    best is held against the last of these."""
    order, scores = scored(pool, Setting())
    told = dict(pool.told)
    least = min((told[spot] for spot in pool.best[:COMPARED]), default=0.0)
    found = {int(spot): float(scores[spot]) for spot in order}
    spots = {spot for which in (told, found) for spot, score in which.items() if score > least}
    return max((abs(found.get(spot, least) - told.get(spot, least)) for spot in spots), default=0.0)


def spread_out(pool: Pool, diversity: float | None) -> list[int]:
    """The product's order with another strength of the step that keeps likenesses apart; None leaves it as it is."""
    scores = dict(pool.told)
    if not pool.alike or len(pool.best) <= 2:
        return list(pool.best)
    with constants(rank, {"DIVERSITY": rank.DIVERSITY if diversity is None else diversity}):
        return rank.diverse(pool.best, scores, pool.alike)


class Bench:
    """The pools of all sets, and how well a setting does on each question of them."""

    def __init__(self, stores: Sequence[Store], pools: Mapping[tuple[str, str], Pool]) -> None:
        self.stores = stores
        self.pools = dict(pools)
        self.datasets = list(dict.fromkeys(store.dataset for store in stores))

    def settled(self, setting: Setting) -> dict[str, Floats]:
        """The figures of every answerable question under a setting, by set."""
        return self.ordered(lambda pool: scored(pool, setting)[0][:DEPTH].tolist())

    def ordered(self, order: Callable[[Pool], Sequence[int]]) -> dict[str, Floats]:
        """The same for any order: a row for a question, a column for each figure of `metrics`."""

        def ranking(store: Store) -> Ranking:
            def rank_(ask: Ask) -> tuple[list[str], float]:
                pool = self.pools[store.dataset, ask.id]
                return [pool.turns[spot] for spot in order(pool)], 0.0

            return rank_

        return self.measured(ranking)

    def measured(self, ranking: Callable[[Store], Ranking]) -> dict[str, Floats]:
        found: dict[str, list[list[float]]] = {dataset: [] for dataset in self.datasets}
        for store in self.stores:
            names = metrics(store.dataset)
            rows = measure(store.dataset, store.corpus, ranking(store))
            found[store.dataset] += [[figures[name] for name in names] for _, figures in rows]
        return {dataset: np.array(rows) for dataset, rows in found.items()}

    def types(self, dataset: str) -> list[str]:
        """The type of every answerable question, in the order of the figures."""
        stores = (store for store in self.stores if store.dataset == dataset)
        return [ask.type for store in stores for ask in store.corpus.asks if ask.answerable]


def metrics(dataset: str) -> tuple[str, ...]:
    """The figures a set is judged by: by session where answers are labelled by session, else by turn."""
    if dataset in BY_SESSION:
        return ("r@1", "r@5", "r@10", "mrr")
    return ("share@5", "share@10", "mrr", "session_share@5", "session_share@10")


def worth(dataset: str, figures: Floats) -> Floats:
    """What is maximised, for each question: the mean of its figures as fractions."""
    scale = np.array([0.01 if name.startswith("r@") else 1.0 for name in metrics(dataset)])
    value: Floats = (figures * scale).mean(axis=-1)
    return value
