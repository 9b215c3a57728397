"""Users of a test's own on the server of the session, and connections that are theirs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import psycopg
from psycopg import sql
from tests.postgres.server import schema_of

from muniment.backends.postgres.address import DatabaseAddress
from muniment.backends.postgres.connecting import reach
from muniment.backends.postgres.transaction import Row

_numbers = count(1)


@contextmanager
def user(dsn: str, rights: str = "") -> Iterator[str]:
    """A user that is gone afterwards with all it owns. `rights` as CREATE ROLE has them."""
    name = f"{schema_of(dsn)}_user{next(_numbers)}"
    with reach(DatabaseAddress.parse(dsn)) as connection:
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN ").format(sql.Identifier(name)) + sql.SQL(" ") + _sql(rights))
        try:
            yield name
        finally:
            connection.execute(sql.SQL("DROP OWNED BY {} CASCADE").format(sql.Identifier(name)))
            connection.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(name)))


@contextmanager
def acting(dsn: str, name: str) -> Iterator[psycopg.Connection[Row]]:
    """A connection that is this user's in every respect, though somebody else logged in."""
    with reach(DatabaseAddress.parse(dsn)) as connection:
        connection.execute(sql.SQL("SET SESSION AUTHORIZATION {}").format(sql.Identifier(name)))
        yield connection


@contextmanager
def database(dsn: str, how: str = "") -> Iterator[str]:
    """A database of its own, gone afterwards; the DSN that leads there."""
    name = f"{schema_of(dsn)}_database{next(_numbers)}"
    with reach(DatabaseAddress.parse(dsn)) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {} ").format(sql.Identifier(name)) + _sql(how))
        try:
            yield f"{dsn}&dbname={name}"
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def give(dsn: str, statement: str, **names: str) -> None:
    """Let whoever logged in run a statement, with names in the place of what stands in braces."""
    with reach(DatabaseAddress.parse(dsn)) as connection:
        connection.execute(_sql(statement).format(**{name: sql.Identifier(one) for name, one in names.items()}))


def _sql(text: str) -> sql.SQL:
    return sql.SQL(text)
