"""What a deployment keeps beside its tenants: its signing key, its policy, the keys of its callers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from muniment.backends.postgres.error_mapping import translated
from muniment.backends.postgres.pool import Pool
from muniment.backends.postgres.server import tenant_prologue
from muniment.backends.postgres.transaction import Row, tenant_number

_LOCK = ".lock"
_WAIT = b"SET LOCAL lock_timeout = '200ms'"
_ENTER = b"INSERT INTO deployment (name, body) VALUES ($1, '') ON CONFLICT (name) DO UPDATE SET body = excluded.body"
_HOLD = b"INSERT INTO tenant_head (tenant_id) VALUES ($1) ON CONFLICT (tenant_id) DO UPDATE SET turn = tenant_head.turn"
_SCOUR_WAIT = b"SET lock_timeout = '5s'"


class PostgresSettings:
    """Bodies under names, the same for every process."""

    def __init__(self, pool: Pool, *, citus: bool = False) -> None:
        self._pool = pool
        self._citus = citus

    def get(self, name: str) -> bytes | None:
        rows = self._run(b"SELECT body FROM deployment WHERE name = $1", name)
        return bytes(rows[0][0]) if rows else None

    def names(self) -> tuple[str, ...]:
        rows = self._run(b"SELECT name FROM deployment WHERE right(name, 5) <> $1 ORDER BY name", _LOCK)
        return tuple(str(name) for (name,) in rows)

    def place(self, name: str, body: bytes) -> bytes:
        """Put a body under a name unless there is one; what is there then."""
        self._run(b"INSERT INTO deployment (name, body) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", name, body)
        found = self.get(name)
        return body if found is None else found

    def replace(self, name: str, body: bytes) -> None:
        """Put a body in the place of another."""
        statement = (
            b"INSERT INTO deployment (name, body) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET body = excluded.body"
        )
        self._run(statement, name, body)

    def remove(self, name: str) -> None:
        self._run(b"DELETE FROM deployment WHERE name = $1", name)

    def scour(self) -> bool:
        """Take what was removed out of the table's file too, for it may have been a key; False when whoever logged in
        may not, or others are at it."""
        with translated("deployment"), self._pool.lend() as connection:
            before = _file(connection)
            try:
                connection.execute(b"RESET ROLE")
                connection.execute(_SCOUR_WAIT)
                connection.execute(b"VACUUM (FULL) deployment")
                return _file(connection) != before  # who may not is only warned, and the file stays
            except (errors.LockNotAvailable, errors.InsufficientPrivilege):
                return False
            finally:
                connection.close()  # it is not in the role the others are in

    @contextmanager
    def alone(self, name: str = "rotation") -> Iterator[None]:
        """Keep other processes out of something for a block; whoever is in is not waited for. On a cluster whoever
        writes to a table that is on every node keeps everybody else from writing to it, himself on another connection
        too: there the row of a tenant that nobody can be called is held instead, and never kept."""
        with (
            translated("deployment"),
            self._pool.lend() as connection,
            connection.transaction(force_rollback=self._citus),
        ):
            number = tenant_number(f"\0{name}")
            for setting in tenant_prologue(number, citus=True) if self._citus else ():
                connection.execute(setting.encode())
            connection.execute(_WAIT)
            if self._citus:
                connection.execute(_HOLD, (number,))
            else:
                connection.execute(_ENTER, (name + _LOCK,))
            yield

    def _run(self, statement: bytes, *values: object) -> list[Row]:
        with translated("deployment"), self._pool.lend() as connection:
            cursor = connection.execute(statement, values, binary=True)
            return cursor.fetchall() if cursor.description is not None else []


def _file(connection: psycopg.Connection[Row]) -> object:
    """The file the table is in: it is another one when it was written anew."""
    found = connection.execute(b"SELECT pg_relation_filenode('deployment')").fetchone()
    return None if found is None else found[0]
