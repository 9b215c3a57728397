"""Agent memory that can prove itself."""

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
    OperationalError,
    PolicyInvalid,
    SchemaMismatch,
    Stale,
    StoreBusy,
    StoreUnavailable,
    Unauthenticated,
    Undecided,
)
from muniment.model.query import Disclosure
from muniment.model.recall import Recall
from muniment.model.record import Record

__version__ = "0.1.0"
__all__ = [
    "Actor",
    "CallerError",
    "Claim",
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
    "OperationalError",
    "PolicyInvalid",
    "Recall",
    "Record",
    "SchemaMismatch",
    "Settled",
    "Stale",
    "StoreBusy",
    "StoreUnavailable",
    "Swept",
    "Unauthenticated",
    "Undecided",
    "Verdict",
]
