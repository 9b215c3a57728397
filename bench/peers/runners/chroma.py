"""Chroma's persistent client: SQLite and an HNSW index in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Protocol, TypedDict

import chromadb  # type: ignore[import-not-found]  # only in this peer's environment

from bench.peers.course import run
from bench.peers.job import USER, Turn
from bench.peers.vectors import Vectors


class _Found(TypedDict):
    ids: list[list[str]]


class _Collection(Protocol):
    """What we use of a collection."""

    def add(self, *, ids: list[str], documents: list[str], metadatas: list[dict[str, str]]) -> None: ...

    def query(self, *, query_texts: list[str], n_results: int, where: dict[str, str]) -> _Found: ...


class _Client(Protocol):
    def close(self) -> None: ...


class _Model(chromadb.EmbeddingFunction):  # type: ignore[misc]  # unknown to the type checker: see the import
    """Our embedder, as a collection wants it."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors

    def __call__(self, input: list[str]) -> list[list[float]]:
        return self._vectors.numbers(input)

    @staticmethod
    def name() -> str:
        return "same-for-all"

    def get_config(self) -> dict[str, str]:
        return {}


class _Store:
    def __init__(self, client: _Client, collection: _Collection) -> None:
        self._client = client
        self._collection = collection

    def add(self, first: int, turns: Sequence[Turn]) -> int:
        self._collection.add(
            ids=[str(number) for number in range(first, first + len(turns))],
            documents=[turn.text for turn in turns],
            metadatas=[{"user": USER, "session": turn.session, "said": turn.said or ""} for turn in turns],
        )
        return len(turns)

    def settle(self) -> None:
        """Nothing trails: `add` returns when the text can be found."""

    def search(self, question: str, keep: int) -> list[int]:
        found = self._collection.query(query_texts=[question], n_results=keep, where={"user": USER})
        return [int(number) for number in found["ids"][0]]

    def close(self) -> None:
        self._client.close()


class Chroma:
    version = version("chromadb")
    settings = "PersistentClient, one collection, cosine space, HNSW with its defaults, filter on the user"

    def open(self, folder: Path, vectors: Vectors) -> _Store:
        client = chromadb.PersistentClient(path=str(folder))
        collection: _Collection = client.create_collection(
            "race", embedding_function=_Model(vectors), configuration={"hnsw": {"space": "cosine"}}
        )
        return _Store(client, collection)


if __name__ == "__main__":
    run(Chroma())
