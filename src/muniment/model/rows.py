"""The projections: what a store keeps beside ledger and documents, and can lose without losing anything."""

from __future__ import annotations

from muniment.model.card import Card
from muniment.model.record import Standing
from muniment.model.times import Instant
from muniment.model.value import Value


class StandingRow(Value):
    """A revision's standing changed. The card follows; the row stays, so that the past can be asked about."""

    rid: int
    standing: Standing


class ProposalRow(Value):
    """Where a proposal stands, and which documents say why."""

    id: str
    seq: int
    at: Instant
    actor: str
    outcome: str
    disposition: str
    digest: str
    report: int
    held: int | None
    record: str | None
    revision: int | None


class ConflictRow(Value):
    """Two revisions that cannot both be right, and how far the matter has got."""

    id: str
    status: str
    a: int
    b: int
    why: str
    opened: int
    changed: int


Row = Card | StandingRow | ProposalRow | ConflictRow
