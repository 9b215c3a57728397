"""Write down the form of a schema that was just made: `python -m tests.postgres.formed`, after a script was added."""

from __future__ import annotations

from pathlib import Path

import psycopg
from tests.support.postgres import started

from muniment.backends.postgres import schema_check
from muniment.backends.postgres.address import SCHEMA, DatabaseAddress
from muniment.backends.postgres.connecting import reach
from muniment.backends.postgres.schema import ensure
from muniment.backends.postgres.transaction import Row


def asking(connection: psycopg.Connection[Row]) -> schema_check.Ask:
    """A connection as the form of a schema is asked for."""
    cursor = psycopg.RawCursor(connection)
    for setting in schema_check.SETTINGS:
        cursor.execute(setting.replace("LOCAL ", "").encode())
    return lambda statement, values: cursor.execute(statement.encode(), values).fetchall()


def main() -> None:
    with started(durable=False) as server, reach(DatabaseAddress.parse(server.dsn())) as connection:
        ensure(connection, SCHEMA, create=True)
        connection.execute(f"SET search_path TO {SCHEMA}, public".encode())
        found = schema_check.parts(asking(connection), SCHEMA)
    Path(schema_check.__file__).with_name(schema_check.FILE).write_text(schema_check.written(found))


if __name__ == "__main__":
    main()
