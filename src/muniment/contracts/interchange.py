"""A memory on its way: what every contract decodes to and encodes from. A claim, and what its carrier knows of it."""

from __future__ import annotations

from collections.abc import Callable

from muniment.model import checks
from muniment.model.claim import Claim
from muniment.model.record import Record, RecordState
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment.model.value import Value, as_fraction, fold_defaults
from muniment.model.vocabulary import Label, TrustLevel


class InterchangeRecord(Value):
    """One memory between two systems. `claim` is what would be proposed; the rest is what its carrier says of it and
    what a receiver may note, and never takes on trust.

    `role` is what its author was when it was written; `effective` how far it could be believed after its grounds;
    `conflicts` are the ids of records it disagrees with; `reports` the curation reports it stands on.
    """

    id: str
    claim: Claim
    tenant: str | None = None
    revision: int = 1
    epoch: int = 0
    status: Status = Status.ACTIVE
    actor: str | None = None
    role: str | None = None
    label: Label | None = None
    trust: TrustLevel | None = None
    created_at: Instant | None = None
    updated_at: Instant | None = None
    reviewer: str | None = None
    reviewed_at: Instant | None = None
    next_review_at: Instant | None = None
    successor: str | None = None
    effective: float | None = None
    accesses: int = 0
    last_access: Instant | None = None
    helpful: float = 0.0
    misleading: float = 0.0
    conflicts: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checks.identifier("id", self.id)
        checks.whole("revision", self.revision, least=1, most=2**31)
        checks.whole("epoch", self.epoch, least=0, most=2**63 - 1)
        checks.whole("accesses", self.accesses, least=0, most=2**53)
        for name, check in _SAID.items():
            value = getattr(self, name)
            if value is not None and value != ():
                check(name, value)
        for name in ("helpful", "misleading"):
            checks.number(name, getattr(self, name))
            as_fraction(self, name)
        fold_defaults(self)


_SAID: dict[str, Callable[..., None]] = {
    **dict.fromkeys(("tenant", "actor", "reviewer", "successor"), checks.identifier),
    **dict.fromkeys(("created_at", "updated_at", "reviewed_at", "next_review_at", "last_access"), checks.instant),
    "role": checks.text,
    "effective": checks.unit_interval,
    "conflicts": checks.identifiers,
    "reports": checks.identifiers,
}
"""What need not be said, and how each is checked if it is."""


def carry(
    record: Record, standing: RecordState, *, conflicts: tuple[str, ...] = (), reports: tuple[str, ...] = ()
) -> InterchangeRecord:
    """What is told of a record of ours when it leaves. Its proposal stands for the curation report it rests on."""
    return InterchangeRecord(
        id=record.id,
        claim=record.claim,
        tenant=record.tenant,
        revision=record.revision,
        epoch=standing.since,
        status=standing.status,
        actor=record.actor,
        label=standing.footing.label,
        trust=record.trust,
        created_at=record.created_at,
        reviewer=record.reviewer,
        next_review_at=record.next_review_at,
        successor=standing.successor,
        effective=standing.footing.effective,
        accesses=standing.vigour.accesses,
        last_access=standing.vigour.last_access,
        helpful=standing.footing.helpful,
        misleading=standing.footing.misleading,
        conflicts=conflicts,
        reports=reports or (record.proposal,),
    )
