"""Agent memory that can prove itself."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from muniment.engine import Memory
from muniment.model.actor import Actor
from muniment.model.claim import Claim
from muniment.model.curation import Settled, Swept, Verdict
from muniment.model.errors import (
    CallerError,
    ConfigurationError,
    IntegrityError,
    LedgerBroken,
    LimitExceeded,
    Malformed,
    MindUnavailable,
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

if _TYPE_CHECKING:
    from muniment.client import AsyncClient, Client

__version__ = "0.1.0"
__all__ = [
    "Actor",
    "AsyncClient",
    "CallerError",
    "Claim",
    "Client",
    "ConfigurationError",
    "Disclosure",
    "IntegrityError",
    "LedgerBroken",
    "LimitExceeded",
    "Malformed",
    "Memory",
    "MindUnavailable",
    "MunimentError",
    "NotFound",
    "NotPermitted",
    "OnHold",
    "OperationalError",
    "PolicyInvalid",
    "Recall",
    "Record",
    "SchemaMismatch",
    "Settled",
    "Stale",
    "StoreBusy",
    "StoreFull",
    "StoreUnavailable",
    "Swept",
    "TooManyRequests",
    "Unauthenticated",
    "Undecided",
    "Verdict",
]


def __getattr__(name: str) -> object:
    """The clients, brought in when they are first asked for: they need a library that the embedded memory does not."""
    if name not in ("AsyncClient", "Client"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from muniment import client
    except ModuleNotFoundError as missing:
        hint = "Install it: pip install 'muniment[client]'"
        raise ConfigurationError("client", f"{missing.name} is not installed", hint=hint) from None
    return getattr(client, name)
