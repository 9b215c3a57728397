"""LangGraph's InMemoryStore: a dictionary and a list of vectors, nothing on disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

from langgraph.store.base import PutOp
from langgraph.store.memory import InMemoryStore

from bench.peers.course import run
from bench.peers.job import USER, Turn
from bench.peers.vectors import Vectors

_PLACE = ("race", USER)
_Pair = tuple[str, dict[str, str]]


class _Hit(Protocol):
    key: str


class _Memory(Protocol):
    """What we use of LangGraph."""

    def put(self, namespace: tuple[str, ...], key: str, value: dict[str, str]) -> None: ...

    def batch(self, ops: list[object]) -> object: ...

    def search(self, namespace: tuple[str, ...], *, query: str, limit: int) -> list[_Hit]: ...


class _Store:
    def __init__(self, memory: _Memory) -> None:
        self._memory = memory

    def add(self, first: int, turns: Sequence[Turn]) -> int:
        values = [(str(number), _value(turn)) for number, turn in enumerate(turns, first)]
        if len(values) == 1:
            self._memory.put(_PLACE, *values[0])
        else:
            for calls in _distinct(values):
                self._memory.batch([PutOp(_PLACE, key, value) for key, value in calls])
        return len(values)

    def settle(self) -> None:
        """Nothing trails: `put` returns when the text can be found."""

    def search(self, question: str, keep: int) -> list[int]:
        return [int(hit.key) for hit in self._memory.search(_PLACE, query=question, limit=keep)]

    def close(self) -> None:
        """Nothing is held open."""


def _distinct(values: list[_Pair]) -> list[list[_Pair]]:
    """The texts of a batch in as many calls as the most repeated one needs: `batch` fails on a text it holds twice."""
    calls: list[list[_Pair]] = []
    times: Counter[str] = Counter()
    for pair in values:
        at = times[pair[1]["text"]]
        times[pair[1]["text"]] += 1
        if at == len(calls):
            calls.append([])
        calls[at].append(pair)
    return calls


def _value(turn: Turn) -> dict[str, str]:
    return {"text": turn.text, "session": turn.session, "said": turn.said or ""}


class LangGraph:
    version = version("langgraph")
    settings = (
        "InMemoryStore with an index on the text, one namespace per user; nothing is durable; "
        "a text repeated within a batch goes in a call of its own, since `batch` fails on it"
    )

    def open(self, folder: Path, vectors: Vectors) -> _Store:
        index = {"dims": vectors.dimensions, "embed": vectors.numbers, "fields": ["text"]}
        return _Store(InMemoryStore(index=index))


if __name__ == "__main__":
    run(LangGraph())
