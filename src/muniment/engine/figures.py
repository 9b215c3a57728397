"""How a tenant is doing, in figures for whoever keeps it running: read in bounded time, telling nobody's content."""

from __future__ import annotations

from itertools import islice

from muniment.engine.seat import Seat
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import ConflictStatus

LOOK_MAX = 10_000
"""So many conflicts and so many waiting proposals are looked at; beyond it the figures say "at least"."""


class Figures(Value):
    """Where a tenant stands: ledger and receipts, what is open, what waits and since when, how far vectors trail, and
    its size on disk."""

    head: int
    receipts: int
    conflicts: int
    waiting: int
    oldest: Instant | None
    trailing: int
    bytes: int


def figures_of(seat: Seat) -> Figures:
    """The figures now. Asks no policy: for the one who runs the server, who hands on what may be known."""
    tenant = seat._tenant
    with tenant.store.read() as snapshot:
        head = snapshot.ledger.head()
        open_ = (row for row in snapshot.desk.conflicts() if row.status != ConflictStatus.RESOLVED)
        conflicts = sum(1 for _ in islice(open_, LOOK_MAX))
        held = snapshot.desk.held(after=None, limit=LOOK_MAX)
        receipts = snapshot.receipts.head()[0]
    return Figures(
        head=head.seq if head is not None else 0,
        receipts=receipts,
        conflicts=conflicts,
        waiting=len(held),
        oldest=min((row.at for row in held), default=None),
        trailing=tenant.trail.state().trailing,
        bytes=tenant.store.size_bytes(),
    )


def check_store(seat: Seat) -> None:
    """Raise unless the tenant can be read and its writer can be had. Writes nothing."""
    store = seat._tenant.store
    with store.read() as snapshot:
        snapshot.ledger.head()
    store.write(lambda unit: unit.ledger.head())
