"""A record: one committed revision of a claim. Frozen for good; what happens to it later is its `Standing`."""

from __future__ import annotations

from muniment.model import checks
from muniment.model.claim import Claim
from muniment.model.errors import Malformed
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import ActorType, Label, TrustLevel


class Standing(Value):
    """What a revision counts for now, and since which ledger entry."""

    status: Status
    since: int
    successor: str | None = None

    def __post_init__(self) -> None:
        checks.word("status", self.status, Status)
        checks.whole("since", self.since, least=0, most=2**63 - 1)
        checks.optional_identifier("successor", self.successor)


class Record(Value):
    """One revision. `created_at` is when we were told; the claim's own times say when it holds."""

    id: str
    tenant: str
    revision: int
    claim: Claim
    created_at: Instant
    proposal: str
    actor: str
    actor_type: ActorType
    label: Label
    trust: TrustLevel
    reviewer: str | None = None
    next_review_at: Instant | None = None

    def __post_init__(self) -> None:
        checks.identifier("id", self.id)
        checks.identifier("tenant", self.tenant)
        checks.whole("revision", self.revision, least=1, most=2**31)
        if not isinstance(self.claim, Claim):
            raise Malformed("claim", "a Claim")
        if self.created_at is None:
            raise Malformed("created_at", "an instant")
        checks.instant("created_at", self.created_at)
        checks.word("actor_type", self.actor_type, ActorType)
        checks.identifier("proposal", self.proposal)
        checks.identifier("actor", self.actor)
        checks.word("label", self.label, Label)
        checks.word("trust", self.trust, TrustLevel)
        checks.optional_identifier("reviewer", self.reviewer)
        checks.instant("next_review_at", self.next_review_at)

    @property
    def owner(self) -> str:
        """Who answers for it: whom the claim names, else who reviewed it, else who proposed it."""
        return self.claim.handling.owner or self.reviewer or self.actor

    @property
    def content(self) -> str:
        return self.claim.content

    @property
    def has_provenance(self) -> bool:
        """Whether anything beyond the proposer's word stands behind it."""
        source = self.claim.origin.source
        return bool(self.claim.belief.evidence) or (source is not None and source.strip().lower() != "unknown")
