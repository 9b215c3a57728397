"""Change a value in every column of every table, take rows away and add some, behind the engine's back: verify must
notice. What it cannot notice is listed here with the reason, and nothing else may go unnoticed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

import psycopg
import pytest
from psycopg import sql
from tests.crash.history import live_through
from tests.postgres.server import Schemas, connect
from tests.scope import LONG
from tests.support.world import simulated_memory

from muniment.backends.postgres.transaction import Row, tenant_number
from muniment.backends.postgres.vault import PostgresVault
from muniment.model.card import Card
from muniment.model.errors import MunimentError
from muniment.model.rows import VectorRow

TENANT = "default"
NUMBER = tenant_number(TENANT)
ROWS = 2 if LONG else 1
"""Of a table with many rows, so many are changed in each column."""
Cell = bool | str | int | float | bytes | datetime | None

_VECTORS = "what a model made of a text; made anew from it, and no answer depends on it alone"
_REACH = "how far vectors reach; what does not fit the ledger counts as none, and they are made anew"
_SIZE = "a figure for monitoring; a release that does not know it leaves it as it is"
UNNOTICED: dict[tuple[str, str], str] = {
    ("postings", "nth"): "only the number of a term's last posting is ever looked at; that one is noticed",
    ("reaches", "hash"): _REACH,
    ("reaches", "indexed"): "whether an index is asked for vectors; without it all are compared",
    ("reaches", "maker"): "who makes vectors at the moment, for a minute",
    ("reaches", "model"): _REACH,
    ("reaches", "until"): "who makes vectors at the moment, for a minute",
    ("reaches", "upto"): _REACH,
    ("tenant_head", "last_text"): "up to which revision was ever indexed; one that was erased later may be named",
    ("tenant_head", "receipts_bytes"): _SIZE,
    ("tenant_head", "receipts_counted"): _SIZE,
    ("tenant_head", "scrubbed"): "how far erased bytes were cleared away; what it leaves open is done again",
    ("tenant_head", "turn"): "how many writes there were; a writer compares it with its own last turn",
    ("vectors_shared", "tenant_id"): _VECTORS,
    ("vectors_shared", "start"): _VECTORS,
    ("vectors_shared", "stop"): _VECTORS,
    ("vectors_shared", "vector"): _VECTORS,
}
"""Columns in which a change may go unnoticed, and why."""
UNMISSED = {"reaches": _REACH, "vectors_shared": _VECTORS}
"""Tables whose rows may go unmissed, and why."""
TABLES = (
    *("aliases", "cards", "certificates", "checkpoints", "conflicts", "documents", "edges", "entries", "mentions"),
    *("notes", "postings", "proposals", "reaches", "receipts", "standings", "tenant_head", "tenants", "told"),
    *("tombstones", "vectors_shared"),
)
OPENED = ("entries", "documents", "checkpoints", "tenant_head")
"""Tables that opening a vault may write to."""
EVERYBODYS = {"deployment", "schema_migrations", "vectors"}
"""Tables that are no tenant's, and the one that only holds others."""


@pytest.fixture(scope="module")
def place(schemas: Schemas) -> Iterator[str]:
    """A schema in which one tenant has something in every table."""
    lent = schemas.lend()
    vault = PostgresVault(lent)
    store = vault.open(TENANT, create=True)
    live_through(store)
    with store.read() as snapshot:
        head, cards = snapshot.ledger.head(), list(snapshot.catalogue.all())
    assert head is not None
    assert store.vectors.claim()
    store.vectors.begin("model", 2)
    unit = b"\x00\x00\x80\x3f\x00\x00\x00\x00"
    rows = [VectorRow(rid=card.rid, start=0, end=4, vector=unit) for card in cards]
    store.vectors.add(rows, upto=head.seq)
    store.close()
    yield lent
    vault.close()
    schemas.take_back(lent)


@pytest.fixture
def behind(place: str) -> Iterator[psycopg.Connection[Row]]:
    """A connection that no wall stops."""
    with connect(place) as connection:
        yield connection


def noticed(place: str) -> bool:
    """Whether opening or verifying complains. Anything else that is raised is a defect of its own."""
    try:
        vault = PostgresVault(place, create=False)
        try:
            return not simulated_memory(vault.open(TENANT, create=False)).ledger.verify().ok
        finally:
            vault.close()
    except MunimentError:
        return True


def others(value: Cell) -> list[Cell]:
    """Values that differ a little, one of which a row can be given without breaking a rule of the server's."""
    match value:
        case None:
            return ["x", 1, b"x", "2030-01-01"]
        case bool():
            return [not value]
        case bytes():
            middle = len(value) // 2
            flipped = [value[:middle] + bytes([value[middle] ^ 1]) + value[middle + 1 :]] if value else []
            return [*flipped, value + b"\x00"]
        case str() if value.startswith("["):
            return ["[0,1]"] if value != "[]" else ['[{"actor":"x","winner":"y"}]']
        case str():
            return [value + "x", value[:-1]] if value else ["x"]
        case int():
            return [value + 1, value + 1_000, value - 1]
        case float():
            return [value + 0.125, value - 0.125]
        case datetime():
            return [value + timedelta(hours=1)]


def columns_of(behind: psycopg.Connection[Row], table: str) -> list[str]:
    asked = (
        "SELECT a.attname FROM pg_attribute a WHERE a.attrelid = %s::regclass AND a.attnum > 0 "
        "AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum"
    )
    return [str(name) for (name,) in behind.execute(asked, [table])]


def some_rows(behind: psycopg.Connection[Row], table: str) -> list[str]:
    """Where a few rows are: the first and the last, by what they hold. Of checkpoints the last is left out: that it was
    made only somebody outside can know."""
    spared = "WHERE seq < (SELECT max(seq) FROM checkpoints)" if table == "checkpoints" else ""
    ordered = sql.SQL("SELECT ctid FROM {} AS t {} ORDER BY t::text").format(sql.Identifier(table), _sql(spared))
    places = [str(at) for (at,) in behind.execute(ordered)]
    return places if len(places) <= ROWS else [places[0], places[-1]][:ROWS]


@contextmanager
def put_back(behind: psycopg.Connection[Row], table: str) -> Iterator[None]:
    """A table that is as it was again after a block, whatever was done to its rows and by whom. So is what an opening
    writes: a policy document that was changed and can still be read counts as another policy."""
    kept = [_names(behind, name) for name in dict.fromkeys((table, *OPENED))]
    for names in kept:
        behind.execute(sql.SQL("CREATE TEMP TABLE {aside} AS SELECT {columns} FROM {table}").format(**names))
    try:
        yield
    finally:
        for names in kept:
            behind.execute(sql.SQL("DELETE FROM {table}").format(**names))
            behind.execute(sql.SQL("INSERT INTO {table} ({columns}) SELECT {columns} FROM {aside}").format(**names))
            behind.execute(sql.SQL("DROP TABLE {aside}").format(**names))


def _names(behind: psycopg.Connection[Row], table: str) -> dict[str, sql.Composable]:
    columns = sql.SQL(", ").join(map(sql.Identifier, columns_of(behind, table)))
    return {"table": sql.Identifier(table), "columns": columns, "aside": sql.Identifier(f"aside_{table}")}


def change(behind: psycopg.Connection[Row], table: str, column: str, at: str, value: Cell) -> bool:
    """Give a column of a row another value; False when the server does not take it."""
    names = {"table": sql.Identifier(table), "column": sql.Identifier(column)}
    statement = sql.SQL("UPDATE {table} SET {column} = %s WHERE ctid = %s").format(**names)
    try:
        return behind.execute(statement, [value, at]).rowcount == 1
    except (psycopg.IntegrityError, psycopg.DataError, psycopg.errors.DatatypeMismatch):
        return False


def value_at(behind: psycopg.Connection[Row], table: str, column: str, at: str) -> Cell:
    asked = sql.SQL("SELECT {} FROM {} WHERE ctid = %s").format(sql.Identifier(column), sql.Identifier(table))
    found = behind.execute(asked, [at]).fetchone()
    assert found is not None
    value = found[0]
    assert value is None or isinstance(value, bool | str | int | float | bytes | datetime)
    return value


def unnoticed(place: str, behind: psycopg.Connection[Row], table: str) -> Iterator[tuple[str, Cell, Cell]]:
    """The changes that nobody complains about, in a few rows of each column, one other value in each."""
    for column in columns_of(behind, table):
        taken = 0
        for number in range(len(some_rows(behind, table))):
            value = value_at(behind, table, column, some_rows(behind, table)[number])
            choice = others(value)
            for other in choice[number % len(choice) :] + choice[: number % len(choice)]:
                with put_back(behind, table):
                    took = change(behind, table, column, some_rows(behind, table)[number], other)
                    if took and not noticed(place):
                        yield column, value, other
                if took:
                    taken += 1
                    break
        assert taken, f"no other value could be put into {table}.{column}"


def test_the_tables_are_all_there_are_and_none_is_empty(behind: psycopg.Connection[Row]) -> None:
    asked = "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')"
    assert {str(name) for (name,) in behind.execute(asked)} == {*TABLES, *EVERYBODYS}
    assert all(some_rows(behind, table) for table in TABLES)


def test_what_nobody_touched_is_clean(place: str) -> None:
    assert not noticed(place)


@pytest.mark.parametrize("table", TABLES)
def test_a_change_of_any_value_is_noticed(place: str, behind: psycopg.Connection[Row], table: str) -> None:
    missed = list(unnoticed(place, behind, table))
    assert [found for found in missed if (table, found[0]) not in UNNOTICED] == []
    assert not noticed(place), "everything is as it was"


@pytest.mark.parametrize("table", TABLES)
def test_a_row_that_is_taken_away_is_noticed(place: str, behind: psycopg.Connection[Row], table: str) -> None:
    missed = 0
    for number in range(len(some_rows(behind, table))):
        with put_back(behind, table):
            gone = sql.SQL("DELETE FROM {} WHERE ctid = %s").format(sql.Identifier(table))
            behind.execute(gone, [some_rows(behind, table)[number]])
            missed += not noticed(place)
    assert missed == 0 or table in UNMISSED
    assert not noticed(place), "everything is as it was"


def test_the_number_of_a_terms_last_posting_is_noticed(place: str, behind: psycopg.Connection[Row]) -> None:
    asked = "SELECT DISTINCT ON (term) ctid, nth FROM postings ORDER BY term, rid DESC LIMIT 1"
    found = behind.execute(asked).fetchone()
    assert found is not None
    with put_back(behind, "postings"):
        assert change(behind, "postings", "nth", str(found[0]), int(str(found[1])) + 1)
        assert noticed(place)


CARD = ", ".join("'retracted'" if name == "status" else name for name in Card.__struct_fields__[3:])
CARDS = ", ".join(Card.__struct_fields__)
STANDING = "own, effective, label, support, helpful, misleading, tier, accesses, last_access"
PROPOSAL = "at, actor, outcome, disposition, digest, report, held, record, revision"
INSERTIONS = {
    "a standing for a revision that never moved": "INSERT INTO standings (tenant_id, rid, since, status, "
    f"{STANDING}) SELECT tenant_id, rid, seq + 1, 'retracted', {STANDING} FROM cards WHERE since = seq LIMIT 1",
    "a standing for a revision that is none": f"INSERT INTO standings (tenant_id, rid, since, status, {STANDING}) "
    f"SELECT tenant_id, 9999, 5, 'active', {STANDING} FROM cards LIMIT 1",
    "a conflict": "INSERT INTO conflicts (tenant_id, id, type, status, a, b, why, contests, opened, changed, ballots) "
    "SELECT tenant_id, 'cfl-x', type, status, a, b, why, contests, opened, changed, '[]' FROM conflicts LIMIT 1",
    "a link": "INSERT INTO edges SELECT tenant_id, rid, 'derived_from', 'rec-x' FROM cards LIMIT 1",
    "a mention": "INSERT INTO mentions SELECT tenant_id, rid, 'mallory', 'name' FROM cards LIMIT 1",
    "a name": "INSERT INTO aliases SELECT tenant_id, 'mallory', 'maria lopez', 3, 3 FROM tenants",
    "a telling": "INSERT INTO told SELECT tenant_id, rid, 'mallory', 1, 5 FROM cards LIMIT 1",
    "a document": "INSERT INTO documents SELECT tenant_id, 9999, '\\x00', '{}' FROM tenants",
    "a note": "INSERT INTO notes (tenant_id, doc, topic, key, seq, at, actor) "
    "SELECT tenant_id, 9999, topic, key, seq, at, actor FROM notes LIMIT 1",
    "a card": f"INSERT INTO cards (tenant_id, {CARDS}) SELECT tenant_id, 9999, 'rec-x', 1, {CARD} FROM cards LIMIT 1",
    "a proposal": f"INSERT INTO proposals (tenant_id, seq, id, {PROPOSAL}) "
    f"SELECT tenant_id, 9999, 'prp-x', {PROPOSAL} FROM proposals LIMIT 1",
    "an entry": "INSERT INTO entries SELECT tenant_id, 9999, body, hash FROM entries ORDER BY seq DESC LIMIT 1",
    "a receipt": "INSERT INTO receipts "
    "SELECT tenant_id, 9999, 'rcp-x', body, hash, salt, account FROM receipts LIMIT 1",
    "a tombstone": "INSERT INTO tombstones SELECT tenant_id, 9999, 'rec-x', 1, 5 FROM tenants",
    "a certificate": "INSERT INTO certificates SELECT tenant_id, 3, signed FROM certificates LIMIT 1",
    "a checkpoint beyond the end": "INSERT INTO checkpoints SELECT tenant_id, 9999, signed FROM checkpoints LIMIT 1",
    "a word of a revision": "INSERT INTO postings "
    "SELECT tenant_id, rid, 1, size, 'mallory', spots FROM postings LIMIT 1",
    "a word of a revision that is none": "INSERT INTO postings SELECT tenant_id, 9999, 1, 1, 'mallory', '\\x00000000' "
    "FROM tenants",
    "a vector of a revision that is none": "INSERT INTO vectors SELECT tenant_id, 9999, 0, 4, '[1,0]' FROM tenants",
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("what", INSERTIONS)
def test_a_row_that_nobody_committed_is_noticed(place: str, behind: psycopg.Connection[Row], what: str) -> None:
    statement = INSERTIONS[what]
    with put_back(behind, statement.split()[2]):
        assert behind.execute(_sql(statement)).rowcount == 1
        assert noticed(place)
    assert not noticed(place), "everything is as it was"


def test_a_card_that_was_silenced_together_with_its_date_is_noticed(
    place: str, behind: psycopg.Connection[Row]
) -> None:
    """Two columns at once: the status and the entry it is said to come from."""
    silenced = "UPDATE cards SET status = 'retracted', since = since + 1 WHERE status = 'active' AND since = seq"
    with put_back(behind, "cards"):
        assert behind.execute(silenced).rowcount > 0
        assert noticed(place)
    assert not noticed(place), "everything is as it was"


def _sql(text: str) -> sql.SQL:
    return sql.SQL(text)
