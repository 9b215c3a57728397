"""What PostgreSQL says, as what a caller can act on. The text of a statement is never repeated, nor a value."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from muniment.model.errors import IntegrityError, MunimentError, StoreBusy, StoreFull, StoreUnavailable

RETRIED = (errors.UniqueViolation, errors.SerializationFailure, errors.DeadlockDetected)
"""What may come of two writers at once, and is gone when the job is run again."""
_GONE = frozenset({"57P01", "57P02", "57P03", "57P05", "25P03", "25006"})
"""The server stops, has crashed, is starting, or hung up on who said nothing for long; or what was the first server is
now a copy of another."""

_AGAIN = "Send the request again; if it lasts, look in pg_stat_activity for who holds the server up."
_ROOM = "Make room on the server's disk, then send the request again."
_WRITABLE = "Name all servers in the address and add target_session_attrs=read-write."
_RIGHTS = "Let the schema's owner run `muniment migrate`, and be a member of its writer role."
_LOG = "The server's log says more. The request can be sent again, a write with the same proposal_id."
_REACHED = "Check that the server runs and can be reached; a write can be sent again with the same proposal_id."


def lost(error: BaseException | None) -> bool:
    """Whether another connection, perhaps to another server, may do better."""
    if isinstance(error, MunimentError):
        error = error.__cause__
    if not isinstance(error, psycopg.OperationalError | psycopg.InterfaceError | psycopg.InternalError):
        return False
    state = error.sqlstate
    return state is None or state.startswith("08") or state in _GONE


@contextmanager
def translated(tenant: str) -> Iterator[None]:
    """Turn what the server or the connection says into an error of ours."""
    try:
        yield
    except psycopg.Error as error:
        raise trouble(tenant, error) from error


def unsure(tenant: str) -> StoreUnavailable:
    """A commit was sent, its answer never came, and nobody could be asked since."""
    error = StoreUnavailable(f"tenant {tenant}: the server was lost while it kept the write; it may have been kept")
    error.hint = "Send it again with the same proposal_id: it is then written once, whether it was kept or not."
    return error


def trouble(tenant: str, error: psycopg.Error) -> MunimentError:
    """Which error of ours it is, and what can be done about it."""
    found, hint = _meaning(tenant, error)
    found.hint = hint
    return found


def _meaning(tenant: str, error: psycopg.Error) -> tuple[MunimentError, str]:
    """By the code of the state, never by the name of a constraint."""
    match error:
        case errors.LockNotAvailable():
            return StoreBusy(f"tenant {tenant} was locked by another writer for too long"), _AGAIN
        case errors.QueryCanceled() | errors.TransactionTimeout():
            busy = f"tenant {tenant}: the statement took longer than the server allows, or was cancelled"
            return StoreBusy(busy), _AGAIN
        case errors.SerializationFailure() | errors.DeadlockDetected():
            return StoreBusy(f"tenant {tenant}: other writers were always first"), _AGAIN
        case errors.TooManyConnections():
            return StoreBusy(f"tenant {tenant}: the server takes no more connections"), _AGAIN
        case errors.DiskFull() | errors.OutOfMemory() | errors.InsufficientResources():
            return StoreFull(f"tenant {tenant}: the server has no room left; nothing was written"), _ROOM
        case psycopg.IntegrityError():
            what = f"tenant {tenant}: the store refused a write that contradicts what it holds"
            return IntegrityError(what), IntegrityError.hint
        case errors.DataCorrupted() | errors.IndexCorrupted():
            what = f"tenant {tenant}: the server says that its files are damaged"
            return IntegrityError(what), IntegrityError.hint
        case errors.ReadOnlySqlTransaction():
            return StoreUnavailable(f"tenant {tenant}: the server that answers is read-only"), _WRITABLE
        case errors.InsufficientPrivilege():
            return StoreUnavailable(f"tenant {tenant}: the database role has no right to do this"), _RIGHTS
        case psycopg.Error() if error.sqlstate is not None:
            return StoreUnavailable(f"tenant {tenant}: the server refused ({error.sqlstate})"), _LOG
        case psycopg.DataError():
            return StoreUnavailable(f"tenant {tenant}: a value cannot be sent to the server"), _LOG
        case _:
            return StoreUnavailable(f"tenant {tenant}: the connection to the server was lost"), _REACHED
