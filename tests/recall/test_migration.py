"""A file that was written before recall knew of meaning, names and happenings opens, and is brought up to date."""

from __future__ import annotations

import shutil
from importlib.resources import files
from pathlib import Path
from typing import cast

import apsw
import msgspec
import pytest
from tests.patience import WAIT_S
from tests.recall.world import Toy, contents
from tests.surfaces.shell import Shell

from muniment import Memory
from muniment.backends.sqlite.connection import APPLICATION_ID, migrations
from muniment.backends.sqlite.store import SqliteTenant
from muniment.backends.tokens import register
from muniment.engine.migrating import FolderMigration
from muniment.engine.place import Folder
from muniment.model.errors import SchemaMismatch
from muniment.model.times import parse

TABLES = ("about", "entries", "documents", "receipts", "checkpoints", "standings", "edges", "told", "proposals")
BOUGHT = parse("2023-05-17", field="at")


def old_schema() -> str:
    folder = files("muniment.backends.sqlite").joinpath("migrations")
    return folder.joinpath("0002_trust.sql").read_text()


@pytest.fixture
def old(vault: Path, template: Path) -> Path:
    """The file of a vault of its own, of revision 2."""
    shutil.copytree(template, vault)
    return vault / "default.sqlite"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault whose file has revision 2: the tables of that revision, the rows and the documents of before.

    What it holds is written by today's engine and copied by SQL into a file of the old schema. Its texts name nothing,
    so the fields that came later are empty.
    """
    vault = tmp_path_factory.mktemp("old")
    with Memory.open(vault) as memory:
        memory.remember("there was a car", event_time="2023-05-17", session_id="s1")
        first = memory.remember("there was a physician", session_id="s1")
        memory.revise(str(first.record_id), "there were two doctors")
        memory.recall("car")
    path = vault / "default.sqlite"
    path.rename(vault / "new")
    connection = apsw.Connection(str(path))
    connection.execute(old_schema())
    connection.execute("ATTACH ? AS new", (str(vault / "new"),))
    for table in (*TABLES, "conflicts"):
        connection.execute(f"INSERT INTO main.{table} SELECT * FROM new.{table}")
    columns = ", ".join(str(row[1]) for row in connection.execute("PRAGMA main.table_info(cards)"))
    connection.execute(f"INSERT INTO main.cards SELECT {columns} FROM new.cards")
    connection.execute("INSERT INTO lexicon (rowid, text) SELECT rid, text FROM passages")
    connection.execute("DETACH new")
    connection.pragma("application_id", APPLICATION_ID)
    connection.pragma("user_version", 2)
    connection.close()
    (vault / "new").unlink()
    return vault


def look(path: Path, statement: str) -> list[tuple[object, ...]]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    found = [tuple(row) for row in connection.execute(statement)]
    connection.close()
    return found


def test_the_old_file_is_old(old: Path) -> None:
    columns = {row[1] for row in look(old, "PRAGMA table_info(cards)")}
    assert "event_time" not in columns
    assert look(old, "SELECT count(*) FROM cards") == [(3,)]
    assert not look(old, "SELECT name FROM sqlite_schema WHERE name IN ('mentions', 'aliases')")


def test_an_old_file_is_brought_up_to_date_when_it_is_opened(old: Path) -> None:
    with Memory.open(old.parent) as memory:
        verified = memory.ledger.verify()
        assert verified.findings == ()
        assert contents(memory.recall("car")) == ["there was a car"]
    newest = migrations()[-1][0]
    assert look(old, "PRAGMA user_version") == [(newest,)]
    assert look(old, "SELECT event_time FROM cards ORDER BY rid") == [(BOUGHT,), (None,), (None,)]


def test_an_old_file_gets_names_and_vectors_from_then_on(old: Path) -> None:
    with Memory.open(old.parent, embedder=Toy()) as memory:
        memory.flush(timeout=WAIT_S)
        assert contents(memory.recall("vehicle")) == ["there was a car"]
        memory.review.alias("Herbie", "car")
        assert contents(memory.recall("herbie")) == ["there was a car"]
        record = memory.remember("Maria Lopez drove it home")
        assert memory.insight.entity("Maria Lopez").records == (record.record_id,)
        assert memory.ledger.verify().ok
        assert memory.ledger.replay().identical
    with Memory.open(old.parent) as memory:
        assert memory.ledger.verify().ok


WORDS_OF_BEFORE = """
DROP TABLE lexicon_terms;
DROP TABLE lexicon;
CREATE VIRTUAL TABLE lexicon USING fts5 (
    text, content = 'passages', content_rowid = 'rid', tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO lexicon (lexicon, rank) VALUES ('secure-delete', 1);
INSERT INTO lexicon (lexicon, rank) VALUES ('automerge', 2);
INSERT INTO lexicon (rowid, text) SELECT rid, text FROM passages;
CREATE VIRTUAL TABLE lexicon_terms USING fts5vocab (lexicon, row);
DROP INDEX cards_ended;
DROP INDEX tombstones_by_seq;
PRAGMA user_version = 6;
"""


@pytest.fixture
def indexed_before(vault: Path) -> Path:
    """A file of revision 6: its texts were taken apart by FTS5's tokenizer."""
    with Memory.open(vault) as memory:
        for text in ("部署在法兰克福", "김철수는 서울에 산다", "there was a car"):
            memory.remember(text)
    path = vault / "default.sqlite"
    connection = apsw.Connection(str(path))
    register(connection)
    connection.execute(WORDS_OF_BEFORE)
    connection.close()
    assert look(path, "SELECT count(*) FROM lexicon_terms WHERE term = '部署'") == [(0,)]
    return path


def test_the_texts_of_an_old_file_are_indexed_anew_with_progress_and_once(indexed_before: Path) -> None:
    wanted = FolderMigration(place=Folder(name=str(indexed_before.parent)))
    assert [step.meaning for step in wanted.plan()] == ["from revision 6 to 8; all texts are indexed anew"]
    assert look(indexed_before, "PRAGMA user_version") == [(6,)], "planning changes nothing"
    with pytest.raises(SchemaMismatch):
        SqliteTenant(indexed_before, "default", create=False)

    shares: list[tuple[int, int]] = []
    assert wanted.run(share=lambda done, whole: shares.append((done, whole))) == 1
    assert shares == [(0, 3), (3, 3)]
    assert wanted.plan() == ()
    with Memory.open(indexed_before.parent) as memory:
        assert contents(memory.recall("部署")) == ["部署在法兰克福"]
        assert contents(memory.recall("김철수")) == ["김철수는 서울에 산다"]
        assert contents(memory.recall("cars")) == ["there was a car"]
        assert memory.ledger.verify().ok


def test_a_file_that_could_not_be_indexed_to_its_end_is_as_it_was(indexed_before: Path) -> None:
    def stop(done: int, whole: int) -> None:
        if done == whole:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        FolderMigration(place=Folder(name=str(indexed_before.parent))).run(share=stop)
    assert look(indexed_before, "PRAGMA user_version") == [(6,)]
    assert look(indexed_before, "SELECT count(*) FROM lexicon_terms WHERE term = '部署'") == [(0,)]


def test_the_receipts_of_an_old_file_can_still_be_decided_again(old: Path) -> None:
    (receipt,) = (str(row[0]) for row in look(old, "SELECT id FROM receipts"))
    with Memory.open(old.parent) as memory:
        assert memory.explain(receipt).same_ids
        assert memory.explain(receipt, replay=True).same_ids


def test_documents_without_the_new_field_are_read(old: Path) -> None:
    bodies = [cast(str, row[0]) for row in look(old, "SELECT body FROM documents ORDER BY doc")]
    records = [body for body in bodies if '"claim"' in body]
    assert len(records) == 3
    held = [msgspec.json.decode(body) for body in records]
    assert not any(one.get("mentions") or one.get("about") for one in held)


def test_a_file_that_is_opened_without_leave_to_change_it_is_refused_by_its_revision(old: Path) -> None:
    with pytest.raises(SchemaMismatch):
        SqliteTenant(old, "default", create=False)
    assert look(old, "PRAGMA user_version") == [(2,)], "and is left as it was"


def test_the_command_brings_a_folder_up_to_date(
    indexed_before: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = Shell(indexed_before.parent, capfdbinary, monkeypatch)
    said = shell.bare("migrate", str(indexed_before.parent), "--yes", "--json")
    assert (said.code, said.json["done"], [one["title"] for one in said.json["steps"]]) == (0, 1, ["tenant default"])
    assert shell.bare("migrate", str(indexed_before.parent), "--yes", "--json").json["steps"] == []
    nowhere = shell.bare("migrate", str(indexed_before.parent / "nowhere"), "--yes", "--json")
    assert (nowhere.code, nowhere.error["code"]) == (3, "store_unavailable")
