"""The limit: the very rows of a governed store, written by a bare script to the same schema on the same disk."""

from __future__ import annotations

import time
from pathlib import Path

import apsw

from muniment.backends.sqlite.connection import connect, migrate, queries

Rows = list[tuple[str, tuple[object, ...]]]


def load(path: Path, first: int, last: int) -> list[Rows]:
    """The rows of entries `first` to `last` of a store, one list per entry, with the statement of each."""
    source = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    span = (first, last)
    found: dict[int, Rows] = {}
    for entry in source.execute("SELECT * FROM entries WHERE seq BETWEEN ? AND ?", span):
        found[entry[0]] = [(queries()["append_entry"], entry)]
    for card in source.execute("SELECT * FROM cards WHERE seq BETWEEN ? AND ?", span):
        documents = list(source.execute("SELECT * FROM documents WHERE doc IN (?, ?)", (card[0] - 1, card[0])))
        text = source.execute("SELECT body ->> '$.claim.content' FROM documents WHERE doc = ?", (card[0],)).get
        found[card[3]] += ((queries()["keep_document"], document) for document in documents)
        found[card[3]] += [(queries()["put_card"], card), (queries()["put_text"], (card[0], text))]
    for proposal in source.execute("SELECT * FROM proposals WHERE seq BETWEEN ? AND ?", span):
        found[proposal[0]].append((queries()["file_proposal"], proposal))
    source.close()
    return list(found.values())


class RawStore:
    """A store of the same schema that nobody governs."""

    def __init__(self, path: Path) -> None:
        self._connection = connect(path, create=True)
        migrate(self._connection, "raw")

    def write(self, entries: list[Rows], *, batch: int) -> float:
        """Write the rows `batch` entries at a time, each batch durable; return entries per second."""
        execute = self._connection.execute
        started = time.perf_counter()
        for position in range(0, len(entries), batch):
            execute("BEGIN IMMEDIATE")
            for rows in entries[position : position + batch]:
                for statement, values in rows:
                    execute(statement, values)
            execute("COMMIT")
        return len(entries) / (time.perf_counter() - started)

    def close(self) -> None:
        self._connection.close()
