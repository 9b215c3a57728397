"""Listings through the face: all records of a session, a time, a state; namespaces and counts. Nothing is cut off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from muniment.contracts.memledger.plain import told_as
from muniment.contracts.names import safe_id, safe_namespace
from muniment.contracts.strict.values import JsonObject
from muniment.model.errors import Malformed
from muniment.model.status import CURRENT, Status
from muniment_memledger.desk import Desk
from muniment_memledger.records import MemoryRecord, MemoryStats, MemoryStatus
from muniment_memledger.strategies.scoring import days_since

MOST_SHOWN = 5
_TOLD = tuple(status for status in Status if status not in (Status.PROPOSED, Status.HELD, Status.DISCARDED))


def statuses_of(word: MemoryStatus) -> tuple[str, ...]:
    """Our states that memledger calls by this word."""
    return tuple(status.value for status in _TOLD if told_as(status) == word.value)


class Listing:
    """Listings, over one desk."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def records(
        self,
        who: str | None,
        *,
        statuses: Sequence[str] | None = None,
        namespace: str | None = None,
        session_id: str | None = None,
    ) -> list[MemoryRecord]:
        """Every record the caller may see, in the order it was written."""
        found = await self._desk.run(self._browse, who, statuses, namespace, session_id)
        return [record for record in found if self._desk.may_read(who, record)]

    def _browse(
        self, who: str | None, statuses: Sequence[str] | None, namespace: str | None, session_id: str | None
    ) -> list[MemoryRecord]:
        """The present revision of each record, if it is in one of these states. To know which is the present one of a
        record that was revised, all have to be looked at."""
        told = [status.value for status in _TOLD]
        wanted = told if statuses is None else statuses
        found = self._desk.seat(who).insight.browse(
            statuses=told if Status.SUPERSEDED in wanted else wanted,
            session=safe_id(session_id) if session_id else None,
            namespace=safe_namespace(namespace) if namespace else None,
        )
        latest = {one.record.id: one for one in found}
        disputes = self._desk.disputes(who)
        return [self._desk.shown(one, disputes) for one in latest.values() if one.standing.status in wanted]

    async def current(self, who: str | None, namespace: str | None = None) -> list[MemoryRecord]:
        return await self.records(who, statuses=sorted(CURRENT), namespace=namespace)

    async def between(
        self, who: str | None, start: datetime | str, end: datetime | str, namespace: str | None
    ) -> list[MemoryRecord]:
        first, last = _moment("start", start), _moment("end", end)
        return [record for record in await self.records(who, namespace=namespace) if first <= record.created_at <= last]

    async def stale(self, who: str | None, days: float, min_access: int, namespace: str | None) -> list[MemoryRecord]:
        """What speaks for now, was handed out no more often than this, and not for so many days."""
        return [
            record
            for record in await self.current(who, namespace)
            if record.access_count <= min_access and days_since(record.last_accessed_at or record.created_at) >= days
        ]

    async def stats(self, who: str | None, namespace: str | None) -> JsonObject:
        """What speaks for now, counted."""
        records = await self.current(who, namespace)
        outcomes = [record for record in records if record.success_count + record.failure_count]
        rates = [record.success_count / (record.success_count + record.failure_count) for record in outcomes]
        used = sorted(records, key=lambda record: (-record.access_count, record.id))
        times = [record.created_at for record in records]
        return MemoryStats(
            total_count=len(records),
            namespaces=sorted({record.namespace for record in records}),
            by_record_type=dict(sorted(Counter(record.record_type.value for record in records).items())),
            by_namespace=dict(sorted(Counter(record.namespace for record in records).items())),
            avg_success_rate=sum(rates) / len(rates) if rates else None,
            most_accessed=[record.id for record in used[:MOST_SHOWN]],
            oldest_memory=min(times, default=None),
            newest_memory=max(times, default=None),
        ).to_dict()


def _moment(name: str, given: datetime | str) -> datetime:
    try:
        moment = datetime.fromisoformat(given) if isinstance(given, str) else given
    except ValueError:
        raise Malformed(name, "an instant such as 2026-03-01T09:30:00+00:00") from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
