"""What a server must be before anything of ours is kept on it: recent enough, able to hold vectors, in UTF-8, writable,
and one that says "done" only when it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import psycopg
from psycopg import errors, sql
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row

from muniment.backends.postgres.address import SCHEMA
from muniment.backends.postgres.transaction import Row
from muniment.backends.statements import named
from muniment.model.errors import ConfigurationError, MunimentError, StoreBusy, StoreFull, StoreUnavailable
from muniment.model.value import Value

VERSION_MIN = 15
VECTOR_MIN = (0, 8)
FIRST = (
    errors.UniqueViolation,
    errors.DuplicateObject,
    errors.DuplicateTable,
    errors.DuplicateSchema,
    errors.InternalError_,
)
"""What a run meets when another was a moment faster. The last is how the server says it of rights and of roles."""
_NAME = re.compile(r"[a-z_][a-z0-9_]{0,39}")


class Server(Value):
    """What was found of a server. `vector` is the schema in which the extension lives, if it is there."""

    version: int
    acknowledges: str
    read_only: bool
    standby: bool
    citus: bool
    vector: str | None


class SchemaConnection:
    """A connection as the statements about one schema see it. Text in braces is the schema's name or a name of ours."""

    def __init__(self, connection: psycopg.Connection[Row], schema: str) -> None:
        self.schema = checked(schema)
        self._connection = connection
        self._cursor = psycopg.RawCursor(connection, row_factory=tuple_row)

    def rows(self, name: str, *values: object) -> list[Row]:
        """The answer to a named statement of `schema.sql`."""
        return self._execute(self.text(name), values).fetchall()

    def row(self, name: str, *values: object) -> Row | None:
        """The first row of it."""
        return self._execute(self.text(name), values).fetchone()

    def run(self, statement: str, *values: object) -> None:
        """A statement whose answer nobody needs."""
        self._execute(statement, values)

    @contextmanager
    def inside(self, tenant: int, *, citus: bool) -> Iterator[None]:
        """Look from inside a tenant's wall. Nothing is kept."""
        self.run("BEGIN READ ONLY")
        try:
            for setting in tenant_prologue(tenant, citus=citus):
                self.run(setting)
            yield
        finally:
            self.rolled_back()

    def rolled_back(self) -> None:
        """Undo what is not kept, if the connection still lives."""
        if self._connection.info.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
            self._execute("ROLLBACK", ())

    def text(self, name: str) -> str:
        """A named statement with the schema's name in its place."""
        return named(__package__, "schema.sql")[name].replace("{schema}", quoted(self.schema))

    def _execute(self, statement: str, values: Sequence[object]) -> psycopg.RawCursor[Row]:
        try:
            return self._cursor.execute(statement.encode(), values)
        except FIRST:
            raise  # whoever asked looks again
        except psycopg.Error as error:
            raise refused(self.schema, error) from error


def tenant_prologue(number: int, *, citus: bool) -> tuple[str, ...]:
    """What every transaction of a tenant says first. The workers of a cluster are to hear it too.

    >>> tenant_prologue(7, citus=False)
    ("SET LOCAL muniment.tenant = '7'",)
    """
    spread = ("SET LOCAL citus.propagate_set_commands = 'local'",) if citus else ()
    return (*spread, f"SET LOCAL muniment.tenant = '{number}'")


def checked(schema: str) -> str:
    """The name of a schema, refused if it needed care everywhere it is written."""
    if not _NAME.fullmatch(schema) or schema.startswith("pg_"):
        raise ConfigurationError(
            "schema", "a name of at most 40 small letters, digits and underscores that begins with a letter"
        )
    return schema


def quoted(name: str) -> str:
    """A name as SQL writes it.

    >>> quoted("muniment"), quoted('a"b')
    ('"muniment"', '"a""b"')
    """
    return sql.Identifier(name).as_string()


def role_name(schema: str, part: str) -> str:
    """What a role is called.

    >>> role_name("muniment", "writer"), role_name("blue", "writer")
    ('muniment_writer', 'muniment_writer_blue')
    """
    return f"muniment_{part}" if schema == SCHEMA else f"muniment_{part}_{schema}"


def refused(schema: str, error: psycopg.Error) -> MunimentError:
    """What the server said of work on a schema, as an error of ours."""
    match error:
        case errors.InsufficientPrivilege():
            return ConfigurationError(
                "store",
                f"the database role has no right to do this in schema {schema}",
                hint="Let the schema's owner run `muniment migrate`; the user that connects must be a member of "
                f"the schema's writer role, as in: GRANT {role_name(schema, 'writer')} TO …; and who is to make the "
                "schema needs: GRANT CREATE ON DATABASE … TO …;",
            )
        case errors.LockNotAvailable():
            return StoreBusy(
                f"schema {schema}: something else held one of its tables for too long; nothing was changed"
            )
        case errors.QueryCanceled():
            return _hinted(
                StoreBusy(f"schema {schema}: a statement took longer than the server allows, or was cancelled"),
                "Send the request again; if it lasts, raise statement_timeout for this user, or look in "
                "pg_stat_activity for who holds the server up.",
            )
        case errors.DiskFull():
            return StoreFull(f"schema {schema}: the server has no room left; nothing was changed")
        case psycopg.Error() if error.sqlstate is not None:
            what = StoreUnavailable(f"schema {schema}: the server refused ({error.sqlstate})")
            return _hinted(what, "The server's log says more.")
        case _:
            what = StoreUnavailable(f"schema {schema}: the connection to the server was lost")
            return _hinted(what, "Check that the server runs and can be reached, then start again.")


def _hinted(error: MunimentError, hint: str) -> MunimentError:
    error.hint = hint
    return error


def look(asking: SchemaConnection) -> Server:
    """Ask the server what it is, and refuse what we cannot stand on."""
    row = asking.row("server")
    assert row is not None, "a row of settings is always there"
    version, encoding, acknowledges, read_only, standby, citus, plans = row
    if version < VERSION_MIN * 10_000:
        raise ConfigurationError(
            "store",
            f"PostgreSQL {VERSION_MIN} or later is needed, the server is of version {version // 10_000}",
            hint="Name a newer server in the address, or let its administrator upgrade this one (pg_upgrade).",
        )
    if encoding != "UTF8":
        raise ConfigurationError(
            "store",
            "the database must be encoded in UTF8",
            hint="Make another: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.",
        )
    if citus and plans == "force_generic_plan":
        raise ConfigurationError(
            "store",
            "plan_cache_mode is force_generic_plan, with which Citus can plan no statement that has parameters",
            hint="Leave it to the server: ALTER ROLE … RESET plan_cache_mode; or the same of the database.",
        )
    return Server(
        version=version,
        acknowledges=acknowledges,
        read_only=read_only,
        standby=standby,
        citus=citus,
        vector=_vector(asking),
    )


def _vector(asking: SchemaConnection) -> str | None:
    """The schema of the extension. None: it is not there, and can be had."""
    found = asking.row("vector")
    if found is not None:
        if _numbers(found[0]) < VECTOR_MIN:
            raise ConfigurationError(
                "store",
                f"the extension vector is of version {found[0]} in this database, 0.8 or later is needed",
                hint="Install a newer pgvector on the server, then let its owner run: ALTER EXTENSION vector UPDATE;",
            )
        return str(found[1])
    offered = asking.row("vector_offered")
    if offered is None or _numbers(offered[0]) < VECTOR_MIN:
        raise ConfigurationError(
            "store",
            "the server does not have the extension vector (pgvector 0.8 or later)"
            + (f"; what it has is of version {offered[0]}" if offered else ""),
            hint="Install the package pgvector for this PostgreSQL on the server, then run: CREATE EXTENSION vector;",
        )
    return None


def _numbers(version: str) -> tuple[int, ...]:
    """
    >>> _numbers("0.10.1") > _numbers("0.8")
    True
    """
    return tuple(int(part) for part in re.findall(r"\d+", version))


def demand_writable(server: Server) -> None:
    """Refuse a server that would not take a write."""
    if server.standby:
        error = StoreUnavailable("the server that answers is a standby: it can be read from only")
        error.hint = "Name all servers in the connection string and add target_session_attrs=read-write."
        raise error
    if server.read_only:
        raise ConfigurationError(
            "store",
            "default_transaction_read_only is on for this role or database: nothing could be written",
            hint="Connect as another role, or: ALTER ROLE … RESET default_transaction_read_only;",
        )


def demand_durable(server: Server) -> None:
    """Refuse a server that acknowledges what a crash can still take away."""
    if server.acknowledges == "off":
        raise ConfigurationError(
            "store",
            "synchronous_commit is off: a write that was acknowledged could be lost in a crash",
            hint="Turn it on for this role: ALTER ROLE … SET synchronous_commit = on; "
            "or say in the address that losing the last moments is acceptable: allow_async_commit=true",
        )
