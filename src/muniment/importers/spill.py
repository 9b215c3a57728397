"""Tables that may outgrow memory: a private SQLite file that only this process has and that is gone when it ends."""

from __future__ import annotations

import hashlib

import apsw


class Spill:
    """A temporary database. SQLite keeps it in memory while it is small and in an unnamed file when it grows."""

    def __init__(self, *statements: str) -> None:
        self.connection = apsw.Connection("")
        self.connection.execute("PRAGMA journal_mode = OFF")
        self.connection.execute("PRAGMA synchronous = OFF")
        self.connection.execute("PRAGMA cache_size = -65536")
        for statement in statements:
            self.connection.execute(statement)
        self.connection.execute("BEGIN")
        self.execute = self.connection.execute

    def close(self) -> None:
        self.connection.close()


class SeenIds:
    """Which ids were met, however many there are."""

    def __init__(self) -> None:
        self._spill = Spill("CREATE TABLE seen (id BLOB PRIMARY KEY) WITHOUT ROWID")

    def first(self, name: str) -> bool:
        """Whether a name is met for the first time; it counts as met from now on."""
        self._spill.execute("INSERT OR IGNORE INTO seen VALUES (?)", (key(name),))
        return self._spill.connection.changes() > 0

    def __contains__(self, name: str) -> bool:
        return self._spill.execute("SELECT 1 FROM seen WHERE id = ?", (key(name),)).fetchone() is not None

    def close(self) -> None:
        self._spill.close()


def key(*parts: str) -> bytes:
    """Sixteen bytes that stand for some texts."""
    return hashlib.blake2b("\x1f".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()
