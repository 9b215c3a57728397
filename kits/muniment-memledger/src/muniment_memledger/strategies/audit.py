"""memledger's audit log: what this process was asked, newest last. The ledger and the receipts are what lasts."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime

import msgspec

from muniment_memledger.records import Model

ENTRIES_MAX = 1000


class AuditEntry(Model):
    """One thing that was asked. Holds no content."""

    timestamp: datetime
    operation: str
    record_id: str | None = None
    agent_id: str | None = None
    namespace: str | None = None
    details: dict[str, object] = msgspec.field(default_factory=dict)

    def summary(self) -> str:
        """The entry as one line."""
        what = f" {self.record_id}" if self.record_id is not None else ""
        who = f" by {self.agent_id}" if self.agent_id is not None else ""
        return f"[{self.timestamp:%Y-%m-%d %H:%M}] {self.operation.upper()}{what}{who}"


class AuditLog:
    """The latest entries. Whoever counts all of them is told each as it comes.

    >>> log = AuditLog()
    >>> entry = log.log("add", record_id="a", agent_id="triage")
    >>> len(log), [found.operation for found in log.by_record("a")]
    (1, ['add'])
    """

    def __init__(self, max_entries: int = ENTRIES_MAX) -> None:
        self._entries: deque[AuditEntry] = deque(maxlen=max_entries)
        self.watchers: list[Callable[[AuditEntry], None]] = []

    def log(
        self,
        operation: str,
        record_id: str | None = None,
        agent_id: str | None = None,
        namespace: str | None = None,
        **details: object,
    ) -> AuditEntry:
        entry = AuditEntry(
            timestamp=datetime.now(UTC),
            operation=operation,
            record_id=record_id,
            agent_id=agent_id,
            namespace=namespace,
            details=details,
        )
        self._entries.append(entry)
        for watcher in self.watchers:
            watcher(entry)
        return entry

    def recent(self, n: int = 10) -> list[AuditEntry]:
        return [*self._entries][-n:] if n > 0 else []

    def by_record(self, record_id: str) -> list[AuditEntry]:
        return [entry for entry in self._entries if entry.record_id == record_id]

    def by_operation(self, operation: str) -> list[AuditEntry]:
        return [entry for entry in self._entries if entry.operation == operation]

    def summary(self, n: int = 10) -> str:
        entries = self.recent(n)
        if not entries:
            return "No audit entries."
        lines = [f"  {number}. {entry.summary()}" for number, entry in enumerate(entries, start=1)]
        return "\n".join([f"Memory audit log (last {len(lines)} operations):", *lines])

    def clear(self) -> None:
        self._entries.clear()

    def __len__(self) -> int:
        return len(self._entries)
