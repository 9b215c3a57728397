"""The types of what the command line says of histories and counts. The values say it themselves (`to_dict`)."""

from __future__ import annotations

from typing import TypedDict, cast

from muniment.engine import History, Stats
from muniment.model.form import RecordShape


class EventShape(TypedDict):
    epoch: int
    at: str
    actor: str
    what: str
    reason: str
    status: str | None
    confidence: float | None
    effective: float | None


class RevisionShape(RecordShape):
    events: list[EventShape]


class HistoryShape(TypedDict):
    id: str
    revisions: list[RevisionShape]
    replaced: list[str]
    replaced_by: list[str]


def history_shape(history: History) -> HistoryShape:
    return cast(HistoryShape, history.to_dict())


class StatsShape(TypedDict):
    tenant: str
    revisions: dict[str, int]
    current: int
    open_conflicts: int
    held: int | None
    entries: int | None
    receipts: int | None
    bytes: int | None
    oldest_read_s: float | None
    wal_bytes: int | None
    receipts_bytes: int | None
    vectors_trailing: int | None
    vectors_per_s: float | None
    background_restarts: int | None


def stats_shape(stats: Stats) -> StatsShape:
    return cast(StatsShape, stats.to_dict())


class VaultShape(TypedDict):
    vault: str
    tenant: str
    created: bool
