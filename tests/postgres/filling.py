"""Rows for every table of a schema, whatever its columns are, so that a table that is added later is filled too."""

from __future__ import annotations

import psycopg

from muniment.backends.postgres.transaction import Row

_COLUMNS = b"""
    SELECT a.attname, format_type(a.atttypid, NULL) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = $1
      AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum
"""
_TABLES = b"""
    SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND c.relname <> 'tenants'
      AND NOT a.attisdropped ORDER BY c.relname
"""
_VALUES = {
    "bigint": "7",
    "integer": "7",
    "double precision": "0.5",
    "boolean": "true",
    "text": "'word'",
    "bytea": "'\\x00'",
    "timestamp with time zone": "now()",
}


def tenant_tables(connection: psycopg.Connection[Row]) -> list[str]:
    """Every table and partition of the present schema that has a tenant's rows."""
    return [str(name) for (name,) in connection.execute(_TABLES).fetchall()]


def fill(connection: psycopg.Connection[Row], tenant: int) -> None:
    """Give a tenant one row in every table; partitions are filled through their parent."""
    for table in tenant_tables(connection):
        if table != "vectors_shared":
            connection.execute(row_of(connection, table, tenant))


def row_of(connection: psycopg.Connection[Row], table: str, tenant: int) -> bytes:
    """The statement that adds a row of a tenant to a table."""
    columns = connection.execute(_COLUMNS, (table,)).fetchall()
    names = ", ".join(str(name) for name, _ in columns)
    values = ", ".join(str(tenant) if name == "tenant_id" else _value(str(kind)) for name, kind in columns)
    return f"INSERT INTO {table} ({names}) VALUES ({values})".encode()


def _value(kind: str) -> str:
    return "'[1,0]'" if kind.endswith("halfvec") else _VALUES[kind]
