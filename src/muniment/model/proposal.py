"""What callers ask for. Every write is one of these; none of them changes anything by being made."""

from __future__ import annotations

from muniment.model import checks
from muniment.model.claim import Claim
from muniment.model.errors import Malformed
from muniment.model.value import Value
from muniment.model.vocabulary import Kind, Scope


class Proposal(Value):
    """A claim put forward. With `target` it is a new revision of that record, else a new record.

    `expected_revision` is the revision the proposer read; if the record has moved on, the proposal is stale.
    """

    id: str
    tenant: str
    claim: Claim
    target: str | None = None
    expected_revision: int | None = None

    def __post_init__(self) -> None:
        checks.identifier("proposal_id", self.id)
        checks.identifier("tenant", self.tenant)
        if not isinstance(self.claim, Claim):
            raise Malformed("claim", "a Claim")
        checks.optional_identifier("target", self.target)
        if self.expected_revision is not None:
            checks.whole("expected_revision", self.expected_revision, least=1, most=2**31)


class Ruling(Value):
    """A person's answer to a held proposal, with what they corrected on the way."""

    proposal: str
    accept: bool
    reason: str
    kind: Kind | None = None
    scope: Scope | None = None
    scope_id: str | None = None

    def __post_init__(self) -> None:
        checks.identifier("proposal_id", self.proposal)
        checks.flag("accept", self.accept)
        checks.text("reason", self.reason)
        if self.kind is not None:
            checks.word("kind", self.kind, Kind)
        if self.scope is not None:
            checks.word("scope", self.scope, Scope)
        checks.optional_identifier("scope_id", self.scope_id)


class Retraction(Value):
    """A request to take a record back. The record stays readable in its history; it no longer speaks."""

    record: str
    reason: str
    expected_revision: int | None = None

    def __post_init__(self) -> None:
        checks.identifier("id", self.record)
        checks.text("reason", self.reason)
        if self.expected_revision is not None:
            checks.whole("expected_revision", self.expected_revision, least=1, most=2**31)
