"""How a memory was used over time, in figures for those who may audit it."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Iterator
from enum import StrEnum

from muniment.engine.activity_log import FINE, TIERS, ActivityCounts, ActivityLevel, ActivityLog, hours
from muniment.model.times import HOUR, Instant
from muniment.model.value import Value
from muniment.ports.store import TenantStore

PERIODS_MAX = 1_000


class Bucket(StrEnum):
    """How long a period is. Days are days of UTC."""

    HOUR = "hour"
    DAY = "day"


_HOURS = {Bucket.HOUR: 1, Bucket.DAY: 24}


class Period(Value):
    """One stretch of time: what happened in it, and how things stood at its end.

    `committed`, `held` and `refused` count what became of proposals when they came and when a person decided;
    `listings` are lists that were asked for, `recalls` questions, and `abstentions` those that nothing was told to;
    `kept_back` says how many matches each rule kept out. `records` are those that speak for now, `confidence` is their
    mean effective one (null where there are none), `tiers` how many of them are in which."""

    start: Instant
    committed: int
    held: int
    refused: int
    conflicts_opened: int
    conflicts_resolved: int
    erased: int
    recalls: int
    listings: int
    abstentions: int
    told: int
    kept_back: dict[str, int]
    records: int
    confidence: float | None
    tiers: dict[str, int]
    waiting: int


class Activity(Value):
    """Periods by rising time, the last of which is not over, and what is open now. `read` of `of` entries and receipts
    are summed up so far; until it is `complete`, whoever asks again is told more."""

    bucket: Bucket
    periods: tuple[Period, ...]
    waiting: int
    oldest_waiting: Instant | None
    open_conflicts: int
    complete: bool
    read: int
    of: int


class CachedActivity:
    """The chronicle of a tenant, for many threads."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._chronicle = ActivityLog()

    def activity(self, store: TenantStore, bucket: Bucket, count: int, *, now: Instant) -> Activity:
        """Read on, and tell of the last periods up to now. Who reads takes a turn before it looks at the store, so that
        nobody comes with an older look than was read."""
        with self._turn:
            with store.read() as snapshot:
                if not self._chronicle.continues(snapshot):
                    self._chronicle = ActivityLog()
                read, of = self._chronicle.read_on(snapshot)
            return _told(self._chronicle, bucket, count, now, read, of)


def _told(chronicle: ActivityLog, bucket: Bucket, count: int, now: Instant, read: int, of: int) -> Activity:
    return Activity(
        bucket=bucket,
        periods=tuple(_periods(chronicle, _HOURS[bucket], count, now)),
        waiting=len(chronicle.waiting),
        oldest_waiting=next(iter(chronicle.waiting.values()), None),
        open_conflicts=len(chronicle.open),
        complete=read == of,
        read=read,
        of=of,
    )


def _periods(chronicle: ActivityLog, length: int, count: int, now: Instant) -> Iterator[Period]:
    levels = chronicle.levels_by_hour()
    ends = [hour for hour, _ in levels]
    last = now // HOUR // length
    for number in range(last - count + 1, last + 1):
        first = number * length
        counts = ActivityCounts()
        for found in hours(chronicle, first, first + length - 1):
            counts.add(found)
        if length == _HOURS[Bucket.DAY] and number in chronicle.days:
            counts.add(chronicle.days[number])
        place = bisect_right(ends, first + length - 1)
        yield _period(Instant(first * HOUR), counts, levels[place - 1][1] if place else ActivityLevel())


def _period(start: Instant, counts: ActivityCounts, level: ActivityLevel) -> Period:
    return Period(
        start=start,
        committed=counts.committed,
        held=counts.held,
        refused=counts.refused,
        conflicts_opened=counts.conflicts_opened,
        conflicts_resolved=counts.conflicts_resolved,
        erased=counts.erased,
        recalls=counts.recalls,
        listings=counts.listings,
        abstentions=counts.abstentions,
        told=counts.told,
        kept_back=dict(sorted(counts.kept_back.items())),
        records=level.records,
        confidence=level.confidence / level.records / FINE if level.records else None,
        tiers=dict(zip(TIERS, level.tiers, strict=True)),
        waiting=level.waiting,
    )
