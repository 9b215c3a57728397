"""Reach a server: one connection as it logged in, in a bounded time, or an error that says what stands in the way.

What libpq says of a connection that failed has no code, and may quote the address: it is read here and never repeated.
"""

from __future__ import annotations

import psycopg

from muniment.backends.postgres.address import DatabaseAddress
from muniment.backends.postgres.transaction import Row
from muniment.model.errors import ConfigurationError, MunimentError, StoreBusy, StoreUnavailable

__all__ = ["DatabaseAddress", "reach", "unreached"]


_WRONG: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (
        ("password authentication failed", "authentication failed", "no password supplied", "fe_sendauth"),
        "the server does not accept this user with this password",
        "Check the user, and the password in the address, in PGPASSWORD or in the password file.",
    ),
    (
        ("no pg_hba.conf entry", "pg_hba.conf rejects"),
        "the server lets nobody in from here as this user and to this database",
        "Let its pg_hba.conf allow it.",
    ),
    (
        ('role "', "is not permitted to log in"),
        "the server has no such user that may log in",
        "Make the user, or name another in the address.",
    ),
    (
        ('database "', "permission denied for database"),
        "the server has no such database that this user may connect to",
        "Make it with CREATE DATABASE, or name another in the address.",
    ),
    (
        ("certificate", "sslmode", "ssl is not enabled", "does not support ssl", "ssl error", "root.crt"),
        "the server and the address do not agree on encryption or on certificates",
        "Look at sslmode, sslrootcert, sslcert and sslkey in the address.",
    ),
    (
        ("invalid", "unrecognized configuration parameter"),
        "a parameter of the address has a value that cannot be used",
        "Look at the parameters after the question mark, and at the port.",
    ),
)
_PASSING: tuple[tuple[tuple[str, ...], str], ...] = (
    (("resolve host", "translate host name", "name or service not known"), "the server's name is not known here"),
    (
        ("read-only", "hot standby"),
        "no server that answers is of the sort asked for",
    ),
    (("invalid response",), "what answers there is no PostgreSQL server"),
    (("starting up", "shutting down", "recovery mode", "not yet accepting"), "the server is starting or stopping"),
    (("timeout expired", "timed out"), "the server did not answer in time"),
)
_CROWDED = ("too many clients", "too many connections", "remaining connection slots", "connection limit")


def reach(address: DatabaseAddress) -> psycopg.Connection[Row]:
    """A connection as it logged in: no role, no schema, nothing begun."""
    try:
        return psycopg.connect(address.conninfo, autocommit=True, cursor_factory=psycopg.RawCursor)
    except psycopg.Error as error:
        raise unreached(address, error) from None  # its words may quote the address


def unreached(address: DatabaseAddress, error: psycopg.Error) -> MunimentError:
    """What stands between us and the server, as an error of ours."""
    if isinstance(error, psycopg.ProgrammingError):
        return ConfigurationError(
            "vault",
            f"the address has a parameter whose name libpq does not know ({address})",
            hint="Look at the names after the question mark; ours are schema, patience, allow_async_commit, scrub_mb.",
        )
    words = str(error).lower()
    if any(word in words for word in _CROWDED):
        return StoreBusy(f"the server at {address} takes no more connections now")
    for signs, what in _PASSING:
        if any(sign in words for sign in signs):
            return _away(address, what)
    for signs, what, hint in _WRONG:
        if any(sign in words for sign in signs):
            return ConfigurationError("vault", f"{what} ({address})", hint=hint)
    return _away(address, "the server cannot be reached")


def _away(address: DatabaseAddress, what: str) -> StoreUnavailable:
    error = StoreUnavailable(f"{what}: {address}")
    error.hint = "Check that the server runs, and the hosts and ports of the address."
    return error
