"""What a store can say about its own condition, for monitoring."""

from __future__ import annotations

from muniment.model.value import Value


class StoreHealth(Value):
    """The condition of one tenant's store at this moment. Costs a few point reads, however much is stored.

    `oldest_read_s` is the age of the oldest read transaction this process has open, None when none is. `wal_bytes` is
    the size of SQLite's write-ahead log, 0 for a store without one. `receipts_bytes` is what the stored receipts take,
    as they are stored and without indexes. `readers_discarded` counts connections that were closed because a statement
    was still open on them when their read ended: always 0 unless something is wrong with the driver or the store.
    """

    oldest_read_s: float | None
    wal_bytes: int
    receipts_bytes: int
    total_bytes: int
    readers_discarded: int = 0
