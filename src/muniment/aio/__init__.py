"""The same memory for async callers: each call runs in a thread, so that the event loop never waits for a disk."""

from muniment.aio.memory import AsyncLedger as Ledger
from muniment.aio.memory import Memory

__all__ = ["Ledger", "Memory"]
