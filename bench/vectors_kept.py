"""An embedder that keeps what it made, so that a second run need not wait for the model. Derived, never committed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import apsw

from muniment.ports.embedder import Embedder, ScriptAware


class Kept:
    """Another embedder behind a file of what it has made already. Only for figures that do not time it."""

    def __init__(self, inner: Embedder, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._inner = inner
        self._path = path
        with self._open() as file:
            file.execute("CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID")

    def _open(self) -> apsw.Connection:
        file = apsw.Connection(str(self._path))
        file.set_busy_timeout(60_000)
        return file

    @property
    def model(self) -> str:
        return self._inner.model

    @property
    def dimensions(self) -> int:
        return self._inner.dimensions

    def reads(self, text: str) -> bool:
        return not isinstance(self._inner, ScriptAware) or self._inner.reads(text)

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        keys = [hashlib.sha256(f"{self.model}\0{text}".encode()).digest() for text in texts]
        file = self._open()
        found = {key: row for key in keys if (row := file.execute("SELECT vector FROM kept WHERE key = ?", (key,)).get)}
        missing = [number for number, key in enumerate(keys) if key not in found]
        if missing:
            made = self._inner.embed([texts[number] for number in missing])
            rows = [(keys[number], vector) for number, vector in zip(missing, made, strict=True)]
            with file:
                file.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", rows)
            found.update(rows)
        file.close()
        return [found[key] for key in keys]
