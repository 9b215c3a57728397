"""What the tests of erasure on PostgreSQL share: one server of their own, somebody who is spoken of in every place that
keeps words, and a search of every byte of the server's files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import psycopg
from tests.support.postgres import Server
from tests.unit.engine.erasing import kept, spellings

from muniment import Memory
from muniment.engine.notebook import Notebook
from muniment.model.note import NoteDraft

SUBJECT = "Ottoline Brackenridge"
WORDS = ("Ottoline", "Brackenridge", "Mulberrystrasse", "zyzzyvas", "Quatermass", "stethoscope", "Framlingham")
_WAL = "pg_wal"


def say_everything(memory: Memory) -> str:
    """Say something of the subject in every place that keeps words; the record that is about it."""
    about = kept(memory, f"{SUBJECT} breeds zyzzyvas in Mulberrystrasse 77", confidence=0.9, source="Quatermass")
    above = kept(memory, "Parcels for the breeder go to Mulberrystrasse", confidence=0.9, derived_from=[about])
    other = kept(memory, "The depot opens at nine", confidence=0.9, evidence=["the sign at the door"])
    kept(memory, "Her tool is known", subject=SUBJECT, key="stethoscope", value="from Framlingham", confidence=0.9)
    memory.review.alias("Miss Brackenridge", SUBJECT)
    memory.recall(f"where does {SUBJECT} live?")
    memory.recall("who breeds zyzzyvas?")
    memory.review.outcome(above, "helpful", evidence="the parcel came to Mulberrystrasse")
    memory.review.retract(other, reason="Ottoline Brackenridge said it opens at ten")
    assert memory.as_actor("scout").remember(f"{SUBJECT} likes plums", kind="fact").outcome == "held"
    Notebook.of(memory).turn(
        "owner", lambda _: ([NoteDraft(topic="t", key="k", body='{"title": "call Ottoline soon"}')], None)
    )
    return about


class Files:
    """The files of a server. What was there before anybody said anything, and was not touched since, is not read."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._before = {file: _stamp(file) for file in _files(server.tables)}

    def in_tables(self, words: tuple[str, ...] = WORDS) -> set[tuple[str, str]]:
        """In which part of the server's folder which words are, once it has written everything it has in mind. The log
        of changes is left out."""
        return self._words(words, [file for file in self._touched() if not self._logs(file)])

    def in_log(self, words: tuple[str, ...] = WORDS) -> set[str]:
        """Which words are in the log of changes."""
        return {word for _, word in self._words(words, filter(self._logs, self._touched()))}

    def _touched(self) -> list[Path]:
        with psycopg.connect(self._server.dsn(), autocommit=True) as connection:
            connection.execute("CHECKPOINT")
        return [file for file in _files(self._server.tables) if self._before.get(file) != _stamp(file)]

    def _logs(self, file: Path) -> bool:
        return file.relative_to(self._server.tables).parts[0] == _WAL

    def _words(self, words: tuple[str, ...], files: Iterable[Path]) -> set[tuple[str, str]]:
        return words_in(self._server.tables, files, words)

    def hold(self, raw: bytes) -> bool:
        """Whether these very bytes are in a table."""
        return any(raw in file.read_bytes() for file in _files(self._server.tables / "base"))


def words_in(folder: Path, files: Iterable[Path], words: tuple[str, ...]) -> set[tuple[str, str]]:
    """Which words are in files, in any spelling, by the part of the folder they are in."""
    spelled = {word: spellings(word) for word in words}
    found = set()
    for file in files:
        raw = file.read_bytes()
        for word, ways in spelled.items():
            if any(way in raw for way in ways):
                found.add((file.relative_to(folder).parts[0], word))
    return found


def _files(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file()]


def _stamp(file: Path) -> tuple[int, int]:
    about = file.stat()
    return about.st_mtime_ns, about.st_size
