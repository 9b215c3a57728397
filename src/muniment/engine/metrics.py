"""How a tenant is doing, in figures for whoever keeps it running: read in bounded time, telling nobody's content."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from muniment.engine.session import Sessioned
from muniment.engine.tenant import Tenant
from muniment.engine.vector_indexer import Work
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import ConflictStatus
from muniment.ports.health import StoreHealth

LOOK_MAX = 10_000
"""So many conflicts and so many waiting proposals are looked at; beyond it the figures say "at least"."""


class Figures(Value):
    """Where a tenant stands: ledger and receipts, what is open, what waits and since when, the condition of its store,
    and how far background embedding has come."""

    head: int
    receipts: int
    conflicts: int
    waiting: int
    oldest: Instant | None
    trailing: int
    bytes: int
    oldest_read_s: float
    wal_bytes: int
    receipts_bytes: int
    vectors_made: int
    vectors_per_s: float
    background_restarts: int


class Condition(NamedTuple):
    """How the store and the background embedding of a tenant are doing."""

    store: StoreHealth
    trailing: int
    work: Work


def condition_of(tenant: Tenant) -> Condition:
    """The condition now. To be asked for outside a read of the caller's own, which would count as an open read."""
    return Condition(store=tenant.store.health(), trailing=tenant.indexer.trailing(), work=tenant.indexer.work())


def figures_of(memory: Sessioned) -> Figures:
    """The figures now. Asks no policy: for the one who runs the server, who hands on what may be known."""
    tenant = memory._session.tenant
    condition = condition_of(tenant)
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
        trailing=condition.trailing,
        bytes=condition.store.total_bytes,
        oldest_read_s=condition.store.oldest_read_s or 0.0,
        wal_bytes=condition.store.wal_bytes,
        receipts_bytes=condition.store.receipts_bytes,
        vectors_made=condition.work.made,
        vectors_per_s=condition.work.per_s,
        background_restarts=condition.work.restarts,
    )


def check_store(memory: Sessioned) -> None:
    """Raise unless the tenant can be read and its writer can be had. Writes nothing."""
    store = memory._session.store
    with store.read() as snapshot:
        snapshot.ledger.head()
    store.write(lambda unit: unit.ledger.head())
