"""The talk with the server: what was said is done in order, an error is told once, and the talk can go on after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import psycopg
import pytest
from psycopg import errors
from psycopg.types.numeric import Int8Dumper
from tests.postgres.server import connect

from muniment.backends.postgres import pipeline as channels
from muniment.backends.postgres.pipeline import Pipeline, Row
from muniment.backends.postgres.transaction import Transaction


@pytest.fixture
def connection(dsn: str) -> Iterator[psycopg.Connection[Row]]:
    with connect(dsn) as found:
        found.cursor_factory = psycopg.RawCursor
        found.adapters.register_dumper(int, Int8Dumper)
        yield found


@contextmanager
def begun(connection: psycopg.Connection[Row]) -> Iterator[Pipeline]:
    with Pipeline(connection) as channel:
        channel.tell(b"BEGIN")
        yield channel


def _ask(channel: Pipeline, statement: bytes, *values: object) -> list[Row]:
    channel.tell(statement, values)
    return channel.hear()


def _ready(connection: psycopg.Connection[Row]) -> int:
    row = connection.execute("SELECT count(*) FROM pg_prepared_statements").fetchone()
    assert row is not None
    return int(row[0])


def _fail(connection: psycopg.Connection[Row], statement: bytes, error: BaseException) -> None:
    """Say something and fail before it was heard how that went."""
    with begun(connection) as channel:
        channel.tell(statement)
        raise error


def test_what_was_told_is_done_before_what_is_asked(connection: psycopg.Connection[Row]) -> None:
    with begun(connection) as channel:
        for number in (1, 2, 3):
            channel.tell(b"INSERT INTO deployment (name, body) VALUES ($1, $2)", (f"n{number}", b"x"))
        assert _ask(channel, b"SELECT name FROM deployment ORDER BY name") == [("n1",), ("n2",), ("n3",)]
        assert channel.finish(b"COMMIT") == "COMMIT"
    assert connection.execute("SELECT count(*) FROM deployment").fetchone() == (3,)


def test_an_error_is_told_with_the_next_question_and_what_came_after_it_was_not_done(
    connection: psycopg.Connection[Row],
) -> None:
    twice = b"INSERT INTO deployment (name, body) VALUES ($1, $2)"
    with begun(connection) as channel:
        channel.tell(b"SAVEPOINT one")
        channel.tell(twice, ("a", b"x"))
        channel.tell(twice, ("a", b"y"))
        with pytest.raises(errors.UniqueViolation):
            _ask(channel, b"SELECT 1")
        channel.tell(b"ROLLBACK TO one")
        channel.tell(twice, ("b", b"z"))
        assert _ask(channel, b"SELECT name FROM deployment") == [("b",)]
        assert channel.finish(b"COMMIT") == "COMMIT"


def test_a_commit_behind_an_error_is_not_made(connection: psycopg.Connection[Row]) -> None:
    with begun(connection) as channel:
        for body in (b"x", b"y"):
            channel.tell(b"INSERT INTO deployment (name, body) VALUES ($1, $2)", ("a", body))
        with pytest.raises(errors.UniqueViolation):
            channel.finish(b"COMMIT")
    connection.rollback()
    assert connection.execute("SELECT count(*) FROM deployment").fetchone() == (0,)


def test_a_statement_that_failed_to_be_made_ready_is_made_ready_again(connection: psycopg.Connection[Row]) -> None:
    with Pipeline(connection) as channel:
        channel.tell(b"SELECT 1 / ($1 - 1)", (1,))
        channel.tell(b"SELECT $1 + 1", (1,))
        with pytest.raises(errors.DivisionByZero):
            channel.hear()
        assert _ask(channel, b"SELECT $1 + 1", 2) == [(3,)]


def test_a_connection_keeps_a_bounded_number_of_statements_ready(
    connection: psycopg.Connection[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "PREPARED_MAX", 5)
    with Pipeline(connection) as channel:
        for number in range(12):
            assert _ask(channel, f"SELECT $1 + {number}".encode(), 1) == [(1 + number,)]
        assert _ask(channel, b"SELECT $1 + 0", 1) == [(1,)]
    assert _ready(connection) == 5


def test_a_connection_whose_block_was_interrupted_is_closed(connection: psycopg.Connection[Row]) -> None:
    with pytest.raises(KeyboardInterrupt):
        _fail(connection, b"SELECT 1", KeyboardInterrupt())
    assert connection.closed


def test_a_block_that_failed_leaves_a_connection_that_can_be_used(connection: psycopg.Connection[Row]) -> None:
    with pytest.raises(LookupError):
        _fail(connection, b"SELECT nothing_there", LookupError())
    connection.rollback()
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_connection_that_ends_while_it_is_asked_is_an_error(connection: psycopg.Connection[Row]) -> None:
    with pytest.raises(psycopg.OperationalError), begun(connection) as channel:
        _ask(channel, b"SELECT pg_terminate_backend(pg_backend_pid())")


def test_much_can_be_told_while_the_server_has_much_to_say(connection: psycopg.Connection[Row]) -> None:
    """Neither side stops listening because the other has not finished speaking."""
    with begun(connection) as channel:
        for _ in range(64):
            channel.tell(b"SELECT repeat('x', 100000), length($1)", ("y" * 200_000,))
        assert _ask(channel, b"SELECT length($1::text)", "z" * 9) == [(9,)]


def test_rows_wait_until_a_statement_names_their_table(connection: psycopg.Connection[Row]) -> None:
    with begun(connection) as channel:
        link = Transaction(channel, "acme")
        link.put("edges", (1, "supports", "r1"))
        link.put("documents", (1, b"salt", b"body"))
        uncounted = "SELECT n_live_tup FROM pg_stat_user_tables WHERE false"
        assert link.ask(uncounted, []) == []
        assert set(link._pending) == {"edges", "documents"}
        assert link.ask("SELECT target FROM edges WHERE tenant_id = $1", [link.number]) == [("r1",)]
        assert set(link._pending) == {"documents"}
        link.tell("SAVEPOINT job", ())
        assert not link._pending


def test_many_rows_do_not_wait(connection: psycopg.Connection[Row]) -> None:
    with begun(connection) as channel:
        link = Transaction(channel, "acme")
        for rid in range(200):
            link.put("edges", (rid, "supports", "r1"))
        assert len(link._pending["edges"]) == 200 % 64
        assert link.ask("SELECT count(*) FROM edges WHERE tenant_id = $1", [link.number]) == [(200,)]


def test_what_is_asked_ahead_is_answered_in_one_exchange_and_in_any_order(
    connection: psycopg.Connection[Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    with begun(connection) as channel:
        link, exchanged = Transaction(channel, "acme"), Counter[str]()
        heard = Pipeline._exchange

        def counted(self: Pipeline) -> object:
            exchanged["times"] += 1
            return heard(self)

        monkeypatch.setattr(Pipeline, "_exchange", counted)
        link.ahead(*(partial(link.ask, "SELECT $1::bigint", (number,)) for number in (1, 2, 3)))
        answers = [link.ask("SELECT $1::bigint", (number,)) for number in (3, 1, 4, 2)]

    assert answers == [[(3,)], [(1,)], [(4,)], [(2,)]]
    assert exchanged["times"] == 2  # for the three, and for the one nobody spoke of


def test_what_was_asked_ahead_is_asked_anew_once_something_was_written(connection: psycopg.Connection[Row]) -> None:
    with begun(connection) as channel:
        link = Transaction(channel, "acme")
        link.ahead(partial(link.rows, "edges_of", [1]))
        link.put("edges", (1, "supports", "r1"))

        assert link.rows("edges_of", [1]) == [(1, "supports", "r1")]


def test_a_question_behind_an_error_has_no_answer(connection: psycopg.Connection[Row]) -> None:
    with begun(connection) as channel:
        link = Transaction(channel, "acme")
        ask = partial(link.ask, "SELECT $1::bigint", (7,))
        link.ahead(partial(link.ask, "SELECT 1 / $1::bigint", (0,)), ask)

        with pytest.raises(errors.DivisionByZero):
            ask()
        link.tell("ROLLBACK", ())
        assert ask() == [(7,)]
