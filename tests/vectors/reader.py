"""Another process at the same index: it does what it is told, a line at a time, and answers each with a line.

`count` how many vectors it sees · `model` of which model · `nearest` the revisions nearest to all quarters ·
`lock` whether it may add · `forget RID` overwrites.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.vectors.world import DIMENSIONS, born, packed, since

from muniment.backends.vectors.index import VectorIndex
from muniment.model.filter import EVERYTHING

UP = packed(*[0.25] * DIMENSIONS)


def answer(index: VectorIndex, word: str, *rest: str) -> str:
    if word == "count":
        return str(index.count)
    if word == "model":
        return str(index.reach().model)
    if word == "nearest":
        return " ".join(str(near.rid) for near in index.search(EVERYTHING, UP, as_of=100, upto=100, keep=9))
    if word == "lock":
        return "mine" if index.try_lock() else "somebody else embeds"
    return str(index.forget([int(rid) for rid in rest]))


def main() -> None:
    index = VectorIndex(Path(sys.argv[1]), exact_max=0)
    index.sync(100, since(born(*range(1, 50))))
    for line in sys.stdin:
        print(answer(index, *line.split()), flush=True)


if __name__ == "__main__":
    main()
