"""Agent memory that can prove itself. Each public name is imported when it is first asked for."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

if _TYPE_CHECKING:
    from muniment.client import AsyncClient, Client
    from muniment.engine.memory import Memory
    from muniment.model.actor import Actor
    from muniment.model.claim import Claim
    from muniment.model.curation import ConflictResult, MaintenanceResult, Verdict
    from muniment.model.errors import (
        CallerError,
        ConfigurationError,
        IntegrityError,
        LedgerBroken,
        LimitExceeded,
        Malformed,
        ModelUnavailable,
        MunimentError,
        NotFound,
        NotPermitted,
        OnHold,
        OperationalError,
        PolicyInvalid,
        SchemaMismatch,
        Stale,
        StoreBusy,
        StoreFull,
        StoreUnavailable,
        TooManyRequests,
        Unauthenticated,
        Undecided,
    )
    from muniment.model.query import Disclosure
    from muniment.model.recall import Recall
    from muniment.model.record import Record

__version__ = "0.1.0"
__all__ = [
    "Actor",
    "AsyncClient",
    "CallerError",
    "Claim",
    "Client",
    "ConfigurationError",
    "ConflictResult",
    "Disclosure",
    "IntegrityError",
    "LedgerBroken",
    "LimitExceeded",
    "MaintenanceResult",
    "Malformed",
    "Memory",
    "ModelUnavailable",
    "MunimentError",
    "NotFound",
    "NotPermitted",
    "OnHold",
    "OperationalError",
    "PolicyInvalid",
    "Recall",
    "Record",
    "SchemaMismatch",
    "Stale",
    "StoreBusy",
    "StoreFull",
    "StoreUnavailable",
    "TooManyRequests",
    "Unauthenticated",
    "Undecided",
    "Verdict",
]

_CLIENTS = frozenset({"AsyncClient", "Client"})
_MODULES = {
    "Actor": "model.actor",
    "Claim": "model.claim",
    "Disclosure": "model.query",
    "Memory": "engine.memory",
    "Recall": "model.recall",
    "Record": "model.record",
    "ConflictResult": "model.curation",
    "MaintenanceResult": "model.curation",
    "Verdict": "model.curation",
}
"""Where a public name is defined; clients have their own package, and every other name is an error."""


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _CLIENTS:
        found = _client(name)
    else:
        found = getattr(_import_module(f"muniment.{_MODULES.get(name, 'model.errors')}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _client(name: str) -> object:
    """A client. It needs a library that the embedded memory does not."""
    try:
        from muniment import client
    except ModuleNotFoundError as missing:
        from muniment.model.errors import ConfigurationError

        hint = "Install it: pip install 'muniment[client]'"
        raise ConfigurationError("client", f"{missing.name} is not installed", hint=hint) from None
    return getattr(client, name)
