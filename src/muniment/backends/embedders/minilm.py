"""The installed model as an embedder. Nothing is loaded, nor numpy or onnxruntime imported, until it is used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from muniment.backends.embedders.exit_gate import exit_gate
from muniment.backends.embedders.folder import ModelFolder
from muniment.backends.embedders.published import DIMENSIONS, PUBLISHED

if TYPE_CHECKING:
    from muniment.backends.embedders.session import ModelSession

THREADS = 2


class MiniLM:
    """all-MiniLM-L6-v2 from a folder of models, run on the processor with `threads` threads."""

    def __init__(self, models: Path, *, threads: int = THREADS) -> None:
        self._folder = ModelFolder(models)
        self._threads = threads
        self._session: ModelSession | None = None
        self._loading = Lock()

    @property
    def present(self) -> bool:
        """Whether it is installed. Whether it is whole is checked when it is loaded."""
        return self._folder.present

    @property
    def model(self) -> str:
        return PUBLISHED.identity

    @property
    def dimensions(self) -> int:
        return DIMENSIONS

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        return self._loaded().embed(texts) if texts else []

    def reads(self, text: str) -> bool:
        return self._loaded().reads(text)

    def _loaded(self) -> ModelSession:
        found = self._session
        if found is None:
            with self._loading, exit_gate.inside():
                found = self._session = self._session or self._load()
        return found

    def _load(self) -> ModelSession:
        from muniment.backends.embedders.session import ModelSession  # it brings numpy, which many commands do without

        graph, vocabulary = self._folder.read()
        return ModelSession(graph, vocabulary, threads=self._threads)
