"""How much of the suite a run takes: every case, or what fits into `make test`.

Two markers say what a short run leaves out: `slow` leaves a whole test to `make test-all`, `sampled(n)` runs n cases of
a parametrized test, drawn with a seed. `some` draws the same way from a list inside a test. Nothing is left out with
`MUNIMENT_TEST_LONG=1`, nor of a test that is named on the command line. `MUNIMENT_TEST_SEED` draws other cases.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from random import Random
from typing import TypeVar

import pytest

Thing = TypeVar("Thing")

LONG = os.environ.get("MUNIMENT_TEST_LONG", "0") not in ("", "0")
SEED = os.environ.get("MUNIMENT_TEST_SEED", "20260101")


def some(things: Sequence[Thing], most: int, *, salt: str = "") -> list[Thing]:
    """At most `most` of the things, in their order: the first, the last and a draw of the others; of a single one, any.
    All in a long run."""
    if LONG or len(things) <= most:
        return list(things)
    chance = Random(f"{SEED}:{salt}")
    if most == 1:
        return [chance.choice(things)]
    ends = [0, len(things) - 1]
    drawn = chance.sample(range(1, len(things) - 1), most - len(ends))
    return [things[number] for number in sorted([*ends, *drawn])]


def pytest_report_header() -> str:
    if LONG:
        return "scope: every case"
    return (
        f"scope: slow tests left out, large tables sampled (MUNIMENT_TEST_SEED={SEED}; MUNIMENT_TEST_LONG=1 runs all)"
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if LONG:
        return
    named = [argument.split("[")[0] for argument in config.args if "::" in argument]
    kept = {id(item) for item in items if any(item.nodeid.startswith(name) for name in named)}
    tables: dict[str, list[pytest.Item]] = {}
    for item in items:
        if id(item) in kept or item.get_closest_marker("slow"):
            continue
        if item.get_closest_marker("sampled"):
            tables.setdefault(item.nodeid.split("[")[0], []).append(item)
        else:
            kept.add(id(item))
    for name, cases in tables.items():
        mark = cases[0].get_closest_marker("sampled")
        assert mark is not None
        kept |= {id(case) for case in some(cases, mark.args[0], salt=name)}
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
    items[:] = [item for item in items if id(item) in kept]
