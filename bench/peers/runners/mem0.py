"""mem0 without a language model: `infer=False`, Qdrant in a local folder, its history file."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Protocol, TypedDict

from langchain_core.embeddings import Embeddings
from mem0 import Memory  # type: ignore[import-not-found]  # only in this peer's environment

from bench.peers.course import run
from bench.peers.job import USER, Turn
from bench.peers.vectors import Vectors


class _Numbered(TypedDict):
    number: int


class _Hit(TypedDict):
    metadata: _Numbered


class _Memory(Protocol):
    """What we use of mem0."""

    def add(self, text: str, *, user_id: str, run_id: str, metadata: dict[str, str | int], infer: bool) -> object: ...

    def search(self, question: str, *, filters: dict[str, str], top_k: int) -> dict[str, list[_Hit]]: ...

    def close(self) -> None: ...


class _Model(Embeddings):
    """Our embedder, as mem0's `langchain` provider wants it."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self._vectors.numbers(texts)

    def embed_query(self, text: str) -> list[float]:
        return self._vectors.numbers([text])[0]


class _Store:
    def __init__(self, memory: _Memory) -> None:
        self._memory = memory

    def add(self, first: int, turns: Sequence[Turn]) -> int:
        for number, turn in enumerate(turns, first):
            known: dict[str, str | int] = {"number": number, "said": turn.said or ""}
            self._memory.add(turn.text, user_id=USER, run_id=turn.session, metadata=known, infer=False)
        return len(turns)

    def settle(self) -> None:
        """Nothing trails: `add` returns when the text can be found."""

    def search(self, question: str, keep: int) -> list[int]:
        hits = self._memory.search(question, filters={"user_id": USER}, top_k=keep)["results"]
        return [hit["metadata"]["number"] for hit in hits]

    def close(self) -> None:
        self._memory.close()


class Mem0:
    version = version("mem0ai")
    settings = (
        "infer=False, Qdrant in a local folder (on_disk), history in SQLite, embedder through its langchain provider, "
        "search by vector with its default threshold; its keyword half needs downloads and is off; "
        "a list of messages is a loop inside, so there is no batch"
    )

    def open(self, folder: Path, vectors: Vectors) -> _Store:
        qdrant = {"path": str(folder / "qdrant"), "collection_name": "race", "embedding_model_dims": vectors.dimensions}
        memory: _Memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": {**qdrant, "on_disk": True}},
                "embedder": {
                    "provider": "langchain",
                    "config": {"model": _Model(vectors), "embedding_dims": vectors.dimensions},
                },
                "history_db_path": str(folder / "history.db"),
            }
        )
        return _Store(memory)


if __name__ == "__main__":
    run(Mem0())
