"""Change one value in every column of every table, in every row, behind the engine's back: verify must notice.

What it cannot notice is listed here with the reason, and nothing else may go unnoticed.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import apsw
import msgspec
import pytest
from tests.crash.history import live_through
from tests.support.world import simulated_memory

from muniment.backends.sqlite.store import SqliteTenant
from muniment.model.card import Card
from muniment.model.entry import SignedCheckpoint
from muniment.model.errors import MunimentError
from muniment.model.value import canonical, read_canonical

FEW = 6
Cell = str | int | float | bytes | None

_SEEK = "where FTS5 begins to look for a term, in an index of one page; where a term is lost by it, it is noticed"
UNNOTICED: dict[tuple[str, str], str] = {
    ("lexicon_data", "block"): "bytes past the end of what a block says, and the number of the index's own last change",
    ("lexicon_idx", "segid"): _SEEK,
    ("lexicon_idx", "term"): _SEEK,
    ("lexicon_idx", "pgno"): _SEEK,
}
"""Columns in which a change may go unnoticed, and why."""

UNMISSED = {"lexicon_idx": _SEEK}
"""Tables whose rows may go unmissed, and why."""

HEALED = {
    (
        "about",
        "scrubbed",
    ): "how far erased bytes were cleared away; what it leaves open is done again at the next opening",
    (
        "lexicon_config",
        "version",
    ): "that something was erased from the index; SQLite refuses a version it does not know",
}
"""Rows, by table and first column, that say how the file is kept and not what it holds."""

TABLES = (
    "about",
    "aliases",
    "cards",
    "certificates",
    "checkpoints",
    "conflicts",
    "documents",
    "edges",
    "entries",
    "lexicon_config",
    "lexicon_data",
    "lexicon_docsize",
    "lexicon_idx",
    "mentions",
    "notes",
    "proposals",
    "receipts",
    "sizes",
    "standings",
    "told",
    "tombstones",
)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small store with something in every table."""
    path = tmp_path_factory.mktemp("tamper") / "default.sqlite"
    store = SqliteTenant(path, "default", create=True)
    live_through(store)
    store.close()
    return path


class Row:
    """One row of a table, by its key, with what it holds."""

    def __init__(self, table: str, keys: list[str], fields: dict[str, Cell]) -> None:
        self.fields = fields
        self._table = table
        self._where = " AND ".join(f"{key} IS ?" for key in keys)
        self._key = tuple(fields[key] for key in keys)

    def change(self, path: Path, column: str, value: Cell) -> bool:
        """Give one column another value; False when SQLite itself does not take it."""
        try:
            return execute(path, f"UPDATE {self._table} SET {column} = ? WHERE {self._where}", value, *self._key) == 1
        except apsw.ConstraintError:
            return False

    def remove(self, path: Path) -> None:
        assert execute(path, f"DELETE FROM {self._table} WHERE {self._where}", *self._key) == 1


def execute(path: Path, statement: str, *values: Cell) -> int:
    """Run one statement on a file behind the engine's back, and say how many rows it changed."""
    connection = apsw.Connection(str(path))
    try:
        connection.execute(statement, values)
        return connection.changes()
    finally:
        connection.close()


def rows_of(path: Path, table: str) -> list[Row]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    columns = list(connection.execute(f"PRAGMA table_info({table})"))
    names = [str(column[1]) for column in columns]
    keys = [str(column[1]) for column in columns if column[5]]
    found = [
        Row(table, keys, dict(zip(names, row, strict=True))) for row in connection.execute(f"SELECT * FROM {table}")
    ]
    connection.close()
    return [row for row in found if (table, next(iter(row.fields.values()))) not in HEALED]


def others(value: Cell) -> list[Cell]:
    """Values that differ a little, one of which a row can be given without breaking a rule of SQLite's."""
    match value:
        case None:
            return ["x", 1, b"x"]
        case b"":
            return [b"x"]
        case "":
            return ["x"]
        case bytes():
            middle = len(value) // 2
            return [value[:middle] + bytes([value[middle] ^ 1]) + value[middle + 1 :], value + b"\x00"]
        case str():
            return [value + "x", value[:-1]]
        case int():
            return [value + 1, value + 1_000, value - 1]
        case float():
            return [value + 0.125, value - 0.125]


def noticed(path: Path) -> bool:
    """Whether opening or verifying complains. Anything else that is raised is a defect of its own."""
    try:
        store = SqliteTenant(path, "default", create=False)
    except MunimentError:
        return True
    try:
        return not simulated_memory(store).ledger.verify().ok
    except MunimentError:
        return True
    finally:
        store.close()


def unnoticed(original: Path, folder: Path, table: str) -> Iterator[tuple[str, Cell, Cell]]:
    """The changes that nobody complains about. In a table of few rows each column is given every other value, in one of
    many rows one other value, turn by turn."""
    copy, rows = folder / "copy.sqlite", rows_of(original, table)
    for number, row in enumerate(rows):
        for column, value in row.fields.items():
            choice = others(value)
            for other in choice[number % len(choice) :] + choice[: number % len(choice)]:
                shutil.copy(original, copy)
                taken = row.change(copy, column, other)
                if taken and not noticed(copy):
                    yield column, value, other
                if taken and len(rows) > FEW:
                    break


def test_the_tables_are_all_there_are(original: Path) -> None:
    connection = apsw.Connection(str(original), flags=apsw.SQLITE_OPEN_READONLY)
    real = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")
    assert sorted(name for (name,) in real) == sorted(TABLES)
    assert all(list(connection.execute(f"SELECT 1 FROM {table} LIMIT 1")) for table in TABLES), "none is empty"
    connection.close()


def test_what_nobody_touched_is_clean(original: Path, tmp_path: Path) -> None:
    shutil.copy(original, tmp_path / "copy.sqlite")
    assert not noticed(tmp_path / "copy.sqlite")


@pytest.mark.parametrize("table", TABLES)
def test_a_change_of_any_value_is_noticed(original: Path, tmp_path: Path, table: str) -> None:
    missed = list(unnoticed(original, tmp_path, table))
    assert [found for found in missed if (table, found[0]) not in UNNOTICED] == []


@pytest.mark.parametrize("table", TABLES)
def test_a_row_that_is_taken_away_is_noticed(original: Path, tmp_path: Path, table: str) -> None:
    missed = []
    rows = rows_of(original, table)
    for row in rows[:-1] if table == "checkpoints" else rows:
        copy = tmp_path / "copy.sqlite"
        shutil.copy(original, copy)
        row.remove(copy)
        if not noticed(copy):
            missed.append(row.fields)
    assert missed == [] or table in UNMISSED


def test_only_the_last_checkpoint_can_be_taken_away_without_a_witness(original: Path, tmp_path: Path) -> None:
    """Each names the one before it. That the last was made only somebody outside can know."""
    checkpoints = rows_of(original, "checkpoints")
    assert len(checkpoints) > 2
    shutil.copy(original, tmp_path / "copy.sqlite")
    checkpoints[-1].remove(tmp_path / "copy.sqlite")
    assert not noticed(tmp_path / "copy.sqlite")


LOST = (
    "DELETE FROM lexicon_idx",
    "DELETE FROM lexicon_idx WHERE term = (SELECT max(term) FROM lexicon_idx)",
    "UPDATE lexicon_idx SET pgno = pgno + 2",
    "UPDATE lexicon_idx SET pgno = 2",
    "UPDATE lexicon_idx SET term = term || x'7a' WHERE term <> x''",
)
"""Changes to where the word index begins to look, after which words are there and are not found."""


def test_a_word_that_is_indexed_and_no_longer_found_is_noticed(tmp_path: Path) -> None:
    path, copy = tmp_path / "default.sqlite", tmp_path / "copy.sqlite"
    store = SqliteTenant(path, "default", create=True)
    words = ("".join(letters) for letters in product("bdfgklmnprstvz", "aeiou", "bdfgklmnprstvz", "aeiou", "kt"))
    simulated_memory(store).remember(" ".join(words))
    assert store.integrity() == ()
    store.close()
    for change in LOST:
        shutil.copy(path, copy)
        connection = apsw.Connection(str(copy))
        connection.execute(change)
        connection.close()
        assert noticed(copy), change


FORM = {
    "an index is dropped": "DROP INDEX cards_by_actor",
    "an index is added": "CREATE INDEX strange ON cards (actor)",
    "a table is added": "CREATE TABLE strange (x)",
    "a trigger is added": "CREATE TRIGGER strange AFTER INSERT ON cards BEGIN DELETE FROM told; END",
    "a view is added": "CREATE VIEW strange AS SELECT * FROM cards",
    "erased words are no longer cleared away": "INSERT INTO lexicon (lexicon, rank) VALUES ('secure-delete', 0)",
    "the index is merged otherwise": "INSERT INTO lexicon (lexicon, rank) VALUES ('automerge', 8)",
    "a setting is added": "INSERT INTO lexicon (lexicon, rank) VALUES ('pgsz', 1000)",
}


@pytest.mark.parametrize("what", FORM)
def test_a_file_that_is_not_made_as_we_make_it_is_noticed(original: Path, tmp_path: Path, what: str) -> None:
    copy = tmp_path / "copy.sqlite"
    shutil.copy(original, copy)
    execute(copy, FORM[what])
    assert noticed(copy)


CARD = ", ".join("'retracted'" if name == "status" else name for name in Card.__struct_fields__[3:])
STANDING = "own, effective, label, support, helpful, misleading, tier, accesses, last_access"
PROPOSAL = "at, actor, outcome, disposition, digest, report, held, record, revision"
INSERTIONS = {
    "a standing for a revision that never moved": "INSERT INTO standings "
    f"SELECT rid, seq + 1, 'retracted', NULL, {STANDING} FROM cards WHERE since = seq LIMIT 1",
    "a standing for a revision that is none": "INSERT INTO standings "
    f"SELECT 9999, 5, 'active', NULL, {STANDING} FROM cards LIMIT 1",
    "a conflict": "INSERT INTO conflicts "
    "SELECT 'cfl-x', type, status, a, b, why, contests, opened, changed, NULL, NULL, '[]' FROM conflicts LIMIT 1",
    "a link": "INSERT INTO edges SELECT rid, 'derived_from', 'rec-x' FROM cards LIMIT 1",
    "a link of a revision that is none": "INSERT INTO edges VALUES (9999, 'derived_from', 'rec-x')",
    "a mention": "INSERT INTO mentions SELECT rid, 'mallory', 'name' FROM cards LIMIT 1",
    "a mention by a revision that is none": "INSERT INTO mentions VALUES (9999, 'mallory', 'name')",
    "a name": "INSERT INTO aliases VALUES ('mallory', 'maria lopez', 3, 3)",
    "a telling": "INSERT INTO told SELECT rid, 'mallory', 1, 5 FROM cards LIMIT 1",
    "a telling of a revision that is none": "INSERT INTO told VALUES (9999, 'owner', 1, 5)",
    "a document": "INSERT INTO documents VALUES (9999, x'00', '{}')",
    "a card": f"INSERT INTO cards SELECT 9999, 'rec-x', 1, {CARD} FROM cards LIMIT 1",
    "a proposal": f"INSERT INTO proposals SELECT 9999, 'prp-x', {PROPOSAL} FROM proposals LIMIT 1",
    "an entry": "INSERT INTO entries SELECT 9999, body, hash FROM entries ORDER BY seq DESC LIMIT 1",
    "a receipt": "INSERT INTO receipts SELECT 9999, 'rcp-x', body, hash, salt, account FROM receipts LIMIT 1",
    "a tombstone": "INSERT INTO tombstones VALUES (9999, 'rec-x', 1, 5)",
    "a certificate": "INSERT INTO certificates SELECT 3, signed FROM certificates LIMIT 1",
    "a checkpoint beyond the end": "INSERT INTO checkpoints SELECT 9999, signed FROM checkpoints LIMIT 1",
}


@pytest.mark.parametrize("what", INSERTIONS)
def test_a_row_that_nobody_committed_is_noticed(original: Path, tmp_path: Path, what: str) -> None:
    copy = tmp_path / "copy.sqlite"
    shutil.copy(original, copy)
    assert execute(copy, INSERTIONS[what]) == 1
    assert noticed(copy)


def test_a_card_that_was_silenced_together_with_its_date_is_noticed(original: Path, tmp_path: Path) -> None:
    """Two columns at once: the status and the entry it is said to come from."""
    copy = tmp_path / "copy.sqlite"
    shutil.copy(original, copy)
    connection = apsw.Connection(str(copy))
    connection.execute(
        "UPDATE cards SET status = 'retracted', since = since + 1 WHERE status = 'active' AND since = seq"
    )
    assert connection.changes() > 0
    connection.close()
    assert noticed(copy)


def test_a_document_that_was_dropped_does_not_come_back_unnoticed(tmp_path: Path) -> None:
    """A held proposal is dropped once it is decided. Put back from an old copy it fits its commitment, and is wrong."""
    path = tmp_path / "default.sqlite"
    store = SqliteTenant(path, "default", create=True)
    memory = simulated_memory(store)
    memory.as_actor("bot").remember("drop the table", proposal_id="held", kind="decision")
    with store.read() as snapshot:
        row = snapshot.desk.proposal("held")
        assert row is not None
        assert row.held is not None
        document = snapshot.documents.get(row.held)
    assert document is not None
    memory.review.decide("held", accept=False, reason="no")
    assert memory.ledger.verify().ok
    store.write(lambda unit: unit.keep(document))
    assert not memory.ledger.verify().ok
    store.close()


def test_the_peaks_of_a_checkpoint_cannot_be_changed_unnoticed(original: Path, tmp_path: Path) -> None:
    """The next checkpoint is grown from them: wrong ones would make the vault sign a wrong root."""
    copy = tmp_path / "copy.sqlite"
    shutil.copy(original, copy)
    row = rows_of(original, "checkpoints")[-1]
    signed = row.fields["signed"]
    assert isinstance(signed, bytes)
    read = read_canonical(signed, SignedCheckpoint)
    wrong = msgspec.structs.replace(read, peaks=("00" * 32, *read.peaks[1:]))
    assert row.change(copy, "signed", canonical(wrong))
    assert noticed(copy)


def test_two_stores_do_not_pass_for_one_another(original: Path, tmp_path: Path) -> None:
    """Another tenant's file under this tenant's name, with and without the name inside it changed."""
    copy = tmp_path / "other.sqlite"
    shutil.copy(original, copy)
    with pytest.raises(MunimentError):
        SqliteTenant(copy, "other", create=False)
    execute(copy, "UPDATE about SET value = 'other'")
    store = SqliteTenant(copy, "other", create=False)
    with pytest.raises(MunimentError):
        simulated_memory(store)
    store.close()
