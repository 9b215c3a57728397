"""The life of a record as one table: which state may follow which."""

from __future__ import annotations

from enum import StrEnum

from muniment.model.errors import IntegrityError


class Status(StrEnum):
    PROPOSED = "proposed"
    HELD = "held"
    DRAFT = "draft"
    ACTIVE = "active"
    CONTESTED = "contested"
    SUPERSEDED = "superseded"
    DEPRECATED = "deprecated"
    RETRACTED = "retracted"
    EXPIRED = "expired"
    ARCHIVED = "archived"
    DISCARDED = "discarded"
    ERASED = "erased"


_CLOSED = frozenset(
    {Status.SUPERSEDED, Status.DEPRECATED, Status.RETRACTED, Status.EXPIRED, Status.ARCHIVED, Status.ERASED}
)

TRANSITIONS: dict[Status, frozenset[Status]] = {
    Status.PROPOSED: frozenset({Status.HELD, Status.ACTIVE, Status.CONTESTED, Status.DISCARDED, Status.ERASED}),
    Status.HELD: frozenset({Status.ACTIVE, Status.CONTESTED, Status.DISCARDED, Status.RETRACTED, Status.ERASED}),
    Status.DRAFT: frozenset({Status.ACTIVE, Status.CONTESTED, Status.DISCARDED, Status.ERASED}),
    Status.ACTIVE: _CLOSED | {Status.CONTESTED, Status.HELD},
    Status.CONTESTED: _CLOSED | {Status.ACTIVE, Status.HELD},
    Status.SUPERSEDED: frozenset({Status.ARCHIVED, Status.ERASED}),
    Status.DEPRECATED: frozenset({Status.ARCHIVED, Status.ERASED}),
    Status.RETRACTED: frozenset({Status.ERASED}),
    Status.EXPIRED: frozenset({Status.ARCHIVED, Status.ERASED}),
    Status.ARCHIVED: frozenset({Status.ERASED}),
    Status.DISCARDED: frozenset({Status.ERASED}),
    Status.ERASED: frozenset(),
}

CURRENT = frozenset({Status.ACTIVE, Status.CONTESTED})
"""States of a record that speaks for now. At most one revision of an id is in one of them."""

PRIVATE = frozenset({Status.DRAFT, Status.DISCARDED})
"""States of what nobody but its author was ever to see."""

RETIRED = frozenset({Status.DEPRECATED, Status.RETRACTED, Status.EXPIRED, Status.ARCHIVED})
"""States that somebody can put a record in by saying so."""

ARRIVED = frozenset({Status.ACTIVE, Status.DRAFT, Status.SUPERSEDED} | RETIRED)
"""States that a record from elsewhere may be in when it comes to us."""

BORN = ARRIVED | {Status.CONTESTED}
"""States a record may be committed in."""


def may_become(before: Status, after: Status) -> bool:
    """Say whether the table allows the step.

    >>> may_become(Status.ACTIVE, Status.RETRACTED), may_become(Status.RETRACTED, Status.ACTIVE)
    (True, False)
    """
    return after in TRANSITIONS[before]


def read_status(text: str) -> Status:
    """Read a stored state. A word that is none means that the store was changed behind our back."""
    try:
        return Status(text)
    except ValueError:
        raise IntegrityError("a stored status is not one of ours") from None
