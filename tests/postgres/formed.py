"""Write down the form of a schema that was just made: `python -m tests.postgres.formed`, after a script was added."""

from __future__ import annotations

from pathlib import Path

import psycopg
from tests.support.postgres import started

from muniment.backends.postgres import form
from muniment.backends.postgres.address import SCHEMA, Address
from muniment.backends.postgres.link import Row
from muniment.backends.postgres.reaching import reach
from muniment.backends.postgres.schema import ensure


def asking(connection: psycopg.Connection[Row]) -> form.Ask:
    """A connection as the form of a schema is asked for."""
    cursor = psycopg.RawCursor(connection)
    for setting in form.SETTINGS:
        cursor.execute(setting.replace("LOCAL ", "").encode())
    return lambda statement, values: cursor.execute(statement.encode(), values).fetchall()


def main() -> None:
    with started(durable=False) as server, reach(Address.parse(server.dsn())) as connection:
        ensure(connection, SCHEMA, create=True)
        connection.execute(f"SET search_path TO {SCHEMA}, public".encode())
        found = form.parts(asking(connection), SCHEMA)
    Path(form.__file__).with_name(form.FILE).write_text(form.written(found))


if __name__ == "__main__":
    main()
