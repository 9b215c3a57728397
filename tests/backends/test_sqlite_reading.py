"""A read leaves nothing open: no statement outlives its transaction, whatever became of who was reading."""

from __future__ import annotations

import ast
import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from weakref import ref

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muniment.backends import sqlite
from muniment.backends.sqlite import reading
from muniment.backends.sqlite.store import SqliteTenant
from muniment.model.errors import IntegrityError
from muniment.ports.store import Snapshot
from muniment_store_conformance.makers import (
    append_next,
    keep,
    log,
    make_alias,
    make_card,
    make_checkpoint,
    make_conflict,
    make_document,
    make_edge,
    make_mention,
    make_proposal,
    make_receipt,
    make_telling,
    project,
    put_cards,
    sign,
    tell,
)

ROWS = 12
LAST = 2**62
STREAMS: dict[str, Callable[[Snapshot], Iterator[object]]] = {
    "entries": lambda one: one.ledger.entries(1, LAST),
    "checkpoints": lambda one: one.ledger.checkpoints(),
    "documents": lambda one: one.documents.all(),
    "cards": lambda one: one.catalogue.all(),
    "cards since": lambda one: one.catalogue.since(0),
    "cards changed": lambda one: one.catalogue.changed(0),
    "standings": lambda one: one.catalogue.moves(),
    "links": lambda one: one.links.all(),
    "mentions": lambda one: one.names.all_mentions(),
    "aliases": lambda one: one.names.all_aliases(),
    "proposals": lambda one: one.desk.proposals(),
    "conflicts": lambda one: one.desk.conflicts(),
    "receipts": lambda one: one.receipts.all(),
    "tellings": lambda one: one.receipts.all_told(),
}
"""Every stream of which `filled` has rows."""
ASKS: dict[str, Callable[[Snapshot], object]] = {
    "a document": lambda one: one.documents.get(1),
    "the head": lambda one: one.ledger.head(),
    "a card": lambda one: one.catalogue.card(2),
    "some cards": lambda one: one.catalogue.cards([1, 2, 3]),
    "counts": lambda one: one.catalogue.count(),
    "words": lambda one: one.lexicon.near(("build", "green"), keep=5),
    "a receipt": lambda one: one.receipts.get("rcp-1"),
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteTenant]:
    with closing(SqliteTenant(tmp_path_factory.mktemp("reading") / "a.sqlite", "a", create=True)) as filled:
        for number in range(1, ROWS + 1):
            filled.write(append_next)
            filled.write(keep(make_document(number)))
            filled.write(put_cards(make_card(number, id=f"rec-{number}")))
            filled.write(project(make_edge(number, "rec-1"), make_mention(number, "a"), make_alias("n", "b", number)))
            filled.write(
                project(make_proposal(f"p-{number}", number), make_conflict(f"c-{number}", 1, 2, opened=number))
            )
            filled.write(log(make_receipt(number)))
            filled.write(tell(make_telling(number)))
            filled.write(sign(make_checkpoint(number)))
        yield filled


def live_cursors() -> int:
    return sum(isinstance(one, apsw.Cursor) for one in gc.get_objects())


def demand_nothing_open(store: SqliteTenant) -> None:
    """No idle connection is in a transaction, none had to be closed for it, and the last write is seen."""
    assert [connection.txn_state("main") for connection, _ in store._idle] == [apsw.SQLITE_TXN_NONE] * len(store._idle)
    assert (store.health().readers_discarded, store.health().oldest_read_s) == (0, None)
    written = store.write(append_next)
    assert store.marks()[0] == written
    with store.read() as snapshot:
        head = snapshot.ledger.head()
        assert head is not None
        assert head.seq == written


def take(snapshot: Snapshot, stream: str, rows: int, ask: str | None) -> Iterator[object]:
    """Read some rows of a stream, asking something else after each; what is left of the stream."""
    rest = STREAMS[stream](snapshot)
    for _ in range(rows):
        next(rest, None)
        if ask is not None:
            ASKS[ask](snapshot)
    return rest


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(sorted(STREAMS)),
            st.integers(0, ROWS + 1),
            st.sampled_from([None, *sorted(ASKS)]),
            st.sampled_from(["ends", "raises", "is kept", "is dropped in another thread"]),
        ),
        max_size=5,
    )
)
def test_whatever_is_read_and_broken_off_no_connection_goes_back_with_anything_open(
    store: SqliteTenant, steps: list[tuple[str, int, str | None, str]]
) -> None:
    kept: list[object] = []
    for stream, rows, ask, way in steps:
        try:
            with store.read() as snapshot:
                kept.append(take(snapshot, stream, rows, ask))
                if way == "raises":
                    raise LookupError
        except LookupError as error:
            kept.append(error)  # and with it its frames, and what they hold
        if way == "is dropped in another thread":
            dropper = threading.Thread(target=kept.clear)
            dropper.start()
            dropper.join()
        demand_nothing_open(store)


@pytest.mark.parametrize("stream", sorted(STREAMS))
def test_a_stream_gives_every_row_once_in_pages_of_any_size(
    store: SqliteTenant, stream: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.read() as snapshot:
        whole = list(STREAMS[stream](snapshot))
        assert len(whole) >= ROWS
        monkeypatch.setattr(reading, "_FIRST_PAGE", 1)
        monkeypatch.setattr(reading, "_GROWTH", 1)
        assert list(STREAMS[stream](snapshot)) == whole


def test_no_cursor_is_left_alive_by_reading_rows_and_asking_between_them(store: SqliteTenant) -> None:
    before = live_cursors()
    with store.read() as snapshot:
        for stream in STREAMS.values():
            for _ in stream(snapshot):
                for ask in ASKS.values():
                    ask(snapshot)
        assert live_cursors() == before


def test_a_reader_that_comes_back_with_an_open_statement_is_closed_and_counted(tmp_path: Path) -> None:
    with closing(SqliteTenant(tmp_path / "a.sqlite", "a", create=True)) as store:
        for _ in range(3):
            store.write(append_next)
        with store.read() as snapshot:
            cursor = snapshot.ledger._connection.execute("SELECT seq FROM entries")  # type: ignore[attr-defined]
            next(cursor)
            connection = ref(snapshot.ledger._connection)  # type: ignore[attr-defined]
        assert store.health().readers_discarded == 1
        assert all(one is not connection() for one, _ in store._idle)
        del cursor
        store.write(append_next)
        assert store.marks()[0] == 4


def test_rows_that_come_in_no_order_are_not_read_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = apsw.Connection(":memory:")
    monkeypatch.setattr(reading, "queries", lambda: {"circle": "SELECT 1 WHERE ? > 0 LIMIT ?"})
    monkeypatch.setattr(reading, "_FIRST_PAGE", 1)
    with pytest.raises(IntegrityError):
        list(reading.paged(connection, "circle", (0,), (1,)))


def _loose(path: Path) -> Iterator[str]:
    """Where the result of a statement is neither dropped nor read to its end in the same expression."""
    tree = ast.parse(path.read_text())
    whole: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=value) | ast.Attribute(attr="fetchall" | "fetchone" | "get", value=value):
                whole.add(id(value))
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="execute" | "_execute" | "cursor")) if id(node) not in whole:
                yield f"{path.name}:{node.lineno}"


def test_no_statement_is_left_open_in_the_sqlite_store() -> None:
    """Whoever iterates over a cursor may stop half-way or fail, and its frames would keep the statement open."""
    files = sorted(Path(str(sqlite.__path__[0])).glob("*.py"))
    assert len(files) > 10
    assert [place for file in files for place in _loose(file)] == []


def test_the_driver_that_is_installed_forgets_a_cursor_that_is_closed() -> None:
    """Says when the installed driver keeps cursors alive: from then on, 3.54.0.0 is the only one that may."""
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
    cursor = connection.execute("SELECT a FROM t")
    before = live_cursors()
    for _ in cursor:
        connection.execute("SELECT 1").fetchall()
    gone = ref(cursor)
    del cursor
    assert before
    assert (gone() is None) == (apsw.apsw_version() != "3.54.0.0")
