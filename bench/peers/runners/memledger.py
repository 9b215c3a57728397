"""memledger on SQLite: its governed `add`, with the conflict check and the audit log, and its `search`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

from memledger import Memledger, MemledgerConfig  # type: ignore[import-not-found]  # only in this peer's environment
from memledger.backends.sqlite import SQLiteBackend  # type: ignore[import-not-found]  # as above

from bench.peers.course import run
from bench.peers.job import USER, Turn
from bench.peers.vectors import Vectors

_PLACE = f"/users/{USER}"


class _Record(Protocol):
    id: str


class _Answer(Protocol):
    records: list[_Record]


class _Memory(Protocol):
    """What we use of memledger."""

    async def add(
        self, text: str, *, record_id: str, namespace: str, user_id: str, session_id: str, created_by: str
    ) -> str: ...

    async def search(self, question: str, *, namespace: str, user_id: str, top_k: int) -> _Answer: ...

    async def close(self) -> None: ...


class _Model:
    """Our embedder, with the three names memledger asks of one."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self.dimensions = vectors.dimensions

    async def embed(self, texts: list[str]) -> list[list[float]]:
        return self._vectors.numbers(texts)

    async def embed_single(self, text: str) -> list[float]:
        return self._vectors.numbers([text])[0]


class _Store:
    def __init__(self, loop: asyncio.Runner, memory: _Memory) -> None:
        self._loop = loop
        self._memory = memory

    def add(self, first: int, turns: Sequence[Turn]) -> int:
        return sum(bool(self._loop.run(self._add(number, turn))) for number, turn in enumerate(turns, first))

    async def _add(self, number: int, turn: Turn) -> str:
        return await self._memory.add(
            turn.text,
            record_id=str(number),
            namespace=_PLACE,
            user_id=USER,
            session_id=turn.session,
            created_by="race",
        )

    def settle(self) -> None:
        """Nothing trails: `add` returns when the text can be found."""

    def search(self, question: str, keep: int) -> list[int]:
        return [int(record.id) for record in self._loop.run(self._search(question, keep)).records]

    async def _search(self, question: str, keep: int) -> _Answer:
        return await self._memory.search(question, namespace=_PLACE, user_id=USER, top_k=keep)

    def close(self) -> None:
        self._loop.run(self._memory.close())
        self._loop.close()


class MemledgerOnSqlite:
    version = version("memledger")
    settings = (
        "SQLite with sqlite-vec, default strategies (no model), conflict check on every add, audit log in memory, "
        "filter on namespace and user; it has no batch"
    )

    def open(self, folder: Path, vectors: Vectors) -> _Store:
        loop = asyncio.Runner()
        return _Store(loop, loop.run(_open(folder, vectors)))


async def _open(folder: Path, vectors: Vectors) -> _Memory:
    backend = SQLiteBackend()
    await backend.initialize({"path": str(folder / "memory.db"), "dimensions": vectors.dimensions})
    # Without the extension memledger answers with its newest records and says so in a log line only.
    if not await backend.health_check() or not backend._vec_enabled:
        raise RuntimeError("sqlite-vec could not be loaded; memledger would not search by vector")
    memory: _Memory = Memledger(backend, _Model(vectors), MemledgerConfig(default_backend="sqlite"))
    return memory


if __name__ == "__main__":
    logging.getLogger("memledger").setLevel(logging.WARNING)
    run(MemledgerOnSqlite())
