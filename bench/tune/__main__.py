"""Choose the weights of recall, on the public conversation sets. When not to answer is chosen by `bench.tune.silence`.

What recall ranks by is collected once for every question through the product's own functions; settings are tried on
that. Choices are judged on questions they were not made on: five times five folds, and one set against the other.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from bench.corpora import load
from bench.recall import Ranking, plain_fts5
from bench.report import OUT, machine
from bench.tune import choice
from bench.tune.choice import Row, Tried
from bench.tune.features import Floats, Pool, Store, collect, constants, open_store, reads
from bench.tune.scoring import Bench, Setting, compare, metrics, spread_out
from bench.vectors_kept import Kept
from muniment.backends.embedders.choose import choose
from muniment.config import read_environment
from muniment.read import question

SEED = 4
WEAK = (0.3, 0.4, 0.45, 0.5, 0.6)
DIVERSITIES = (0.0, 0.05, 0.1, 0.15, 0.3)
BYNAMES = {"0.1": 0.1, "0.2": 0.2, "kept": 1.0}


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def table(title: str, rows: Mapping[str, Row], datasets: Sequence[str]) -> None:
    """Print a row for each setting: per cent for what is counted in per cent, fractions for the rest."""
    print(f"\n{title}\n{'':42}" + " | ".join(f"{name}: {' '.join(metrics(name))}" for name in datasets))
    for name, row in rows.items():
        told = [" ".join(f"{value:.1f}" if value > 1 else f"{value:.3f}" for value in row[one]) for one in datasets]
        rest = [f"{one} {value[0]:.0f}" for one, value in row.items() if one not in datasets]
        print(f"{name:42}" + " | ".join([*told, *rest]))


def collected(stores: Sequence[Store]) -> dict[tuple[str, str], Pool]:
    pools: dict[tuple[str, str], Pool] = {}
    for store in stores:
        asks = [ask for ask in store.corpus.asks if ask.answerable]
        for number, ask in enumerate(asks, start=1):
            pools[store.dataset, ask.id] = collect(store, ask)
            if number % 50 == 0 or number == len(asks):
                say(f"{store.dataset} {store.corpus.name}: {number}/{len(asks)} questions")
    return pools


def tried(bench: Bench, count: int, rng: np.random.Generator) -> Tried:
    found: Tried = []
    for setting in choice.drawn(count, rng):
        found.append((setting, bench.settled(setting)))
        if len(found) % 20 == 0:
            say(f"{len(found)}/{count + 1} settings")
    return found


def bynames(bench: Bench) -> dict[str, Row]:
    """What is shipped, with other bounds on how common a name may be to be put to the model."""
    rows: dict[str, Row] = {}
    asks = [(store, ask) for store in bench.stores for ask in store.corpus.asks if ask.answerable]
    usual = {(store.dataset, ask.id): reads(store, ask) for store, ask in asks}
    for name, share in BYNAMES.items():
        bound = math.log((1 - share) / share) if share < 1 else -math.inf
        with constants(question, {"_EVERYWHERE": bound}):
            changed = [one for one in asks if reads(*one) != usual[one[0].dataset, one[1].id]]
            say(f"names, {name}: {len(changed)} questions read otherwise")
            pools = {(store.dataset, ask.id): collect(store, ask) for store, ask in changed}
        rows[name] = choice.mean(Bench(bench.stores, {**bench.pools, **pools}).settled(Setting()))
    return rows


def by_type(bench: Bench, chosen: Mapping[str, Floats]) -> dict[str, dict[str, Row]]:
    """Plain FTS5, the product as it is, and what was chosen, for each type of question."""

    def plain(store: Store) -> Ranking:
        return stack.enter_context(plain_fts5(store.corpus))

    with ExitStack() as stack:
        rows = {"fts5": bench.measured(plain)}
    rows["shipped"] = bench.ordered(lambda pool: [spot for spot, _ in pool.told])
    rows["chosen"] = dict(chosen)
    found: dict[str, dict[str, Row]] = {}
    for dataset in bench.datasets:
        types = np.array(bench.types(dataset))
        for type_ in ("all", *sorted(set(types.tolist()))):
            here = np.ones(len(types), dtype=np.bool_) if type_ == "all" else types == type_
            means = {row: choice.mean({dataset: figures[dataset][here]}) for row, figures in rows.items()}
            found.setdefault(dataset, {}).update(
                {f"{type_} ({int(here.sum())}), {row}": one for row, one in means.items()}
            )
    return found


def weak(bench: Bench) -> dict[str, dict[str, list[float]]]:
    """Of the first ten, by how far they fall behind the best: the share of right ones lost, and of others dropped."""
    found: dict[str, dict[str, list[float]]] = {}
    for dataset in bench.datasets:
        pools = [pool for (name, _), pool in bench.pools.items() if name == dataset and pool.told]
        shares = [
            (score / max(one for _, one in pool.told), pool.turns[spot] in pool.ask.turns)
            for pool in pools
            for spot, score in pool.told[:10]
        ]
        share, right = np.array([one for one, _ in shares]), np.array([one for _, one in shares])
        found[dataset] = {
            f"{floor:g}": [round(float((share[side] < floor).mean()), 4) for side in (right, ~right)] for floor in WEAK
        }
    return found


def choices(bench: Bench, count: int, rng: np.random.Generator) -> dict[str, object]:
    """Everything about the weights: try, choose, judge, and print it."""
    datasets = bench.datasets
    found = tried(bench, count, rng)
    best = choice.best_on(found, datasets)
    whole = {"as shipped": choice.mean(found[0][1]), "best on all it was chosen on": choice.mean(found[best][1])}
    whole["held out, 5×5 folds"] = choice.held_out(found, datasets, rng)
    whole |= {f"chosen on {name} alone": row for name, row in choice.crossed(found, datasets).items()}
    whole |= {f"{way} of {count + 1} settings": row for way, row in choice.plateau(found, datasets).items()}
    table("the choice", whole, datasets)
    print(f"best: {msgspec.json.encode(found[best][0]).decode()}")
    marginals = choice.marginals(found, datasets)
    print("\nmean worth of each value over the settings that have it")
    for name, values in marginals.items():
        print(
            f"  {name:14}"
            + "   ".join(f"{value}: {' '.join(f'{w:.4f}' for w in one.values())}" for value, one in values.items())
        )
    parts, pools = choice.parts(bench), choice.pools(bench)
    table("without each part", parts, datasets)
    table("pools: by words/by meaning/closely/neighbours of/strangers with", pools, datasets)
    spread = {
        f"diversity {one:g}": choice.mean(bench.ordered(partial(spread_out, diversity=one))) for one in DIVERSITIES
    }
    table("likenesses kept apart", spread, datasets)
    types = by_type(bench, found[best][1])
    for dataset, rows in types.items():
        table(f"by type, {dataset}", rows, [dataset])
    return {
        "choice": whole,
        "best": msgspec.to_builtins(found[best][0]),
        "marginals": marginals,
        "parts": parts,
        "pools": pools,
        "diversity": spread,
        "by_type": types,
    }


def run(paths: Sequence[Path], folder: Path, count: int) -> dict[str, object]:
    rng = np.random.default_rng(SEED)
    model = choose("minilm", models=read_environment().models_folder, key=None)
    if model is None:
        raise SystemExit("there is no model, and so nothing to weigh words against: `muniment model install`")
    embedder = Kept(model, OUT / "vectors.sqlite")
    with ExitStack() as stack:
        stores: list[Store] = []
        for path in paths:
            dataset, corpora = load(path)
            for corpus in corpora:
                say(f"{dataset} {corpus.name}: {len(corpus.turns)} turns")
                stores.append(open_store(folder, dataset, corpus, embedder))
                stack.callback(stores[-1].memory.close)
        bench = Bench(stores, collected(stores))
        same = compare(list(bench.pools.values()))
        say(f"the product's own scores and order on {same} of {len(bench.pools)} questions")
        report = choices(bench, count, rng)
        report["names"] = names = bynames(bench)
        table("names left out of what the model reads, from a share of", names, bench.datasets)
        report["weak"] = weaker = weak(bench)
        print(f"\nbelow a share of the best score, among the first ten: right ones lost, others dropped\n{weaker}")
    report["about"] = {**machine(), "model": embedder.model, "seed": SEED, "settings": count}
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="LongMemEval, LoCoMo or BEAM files")
    parser.add_argument("--settings", type=int, default=120, help="how many settings to draw besides the one shipped")
    parser.add_argument("--stores", type=Path, help="keep the stores here and use those of an earlier run again")
    parser.add_argument("--out", type=Path, default=OUT / "tune.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="muniment-tune-") as folder:
        report = run(options.data, options.stores or Path(folder), options.settings)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(report, indent=2) + "\n")
    print(f"\nwritten to {options.out.name}")


if __name__ == "__main__":
    main()
