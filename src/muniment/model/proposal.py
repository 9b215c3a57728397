"""What callers ask for. Every write is one of these; none of them changes anything by being made."""

from __future__ import annotations

from muniment.model import checks
from muniment.model.claim import Claim
from muniment.model.erasure import Target, TargetKind
from muniment.model.errors import LimitExceeded, Malformed
from muniment.model.status import ARRIVED, RETIRED, Status
from muniment.model.value import Value, as_fraction, fold_defaults
from muniment.model.vocabulary import Kind, Label, Scope, Step, Strategy

CONTRADICTS_MAX = 16
"""So many records a reviewer can name at once as contradicted."""


class ImportContext(Value):
    """What comes along with a proposal that was read from elsewhere: which contract it was read by, the id its record
    had there and shall keep, and the state it was in. With `hold` it waits for a person whatever the policy says;
    `among` are the records it refers to that come with it and may be waiting too. Under an id of its own it is another
    memory than what came in the same `batch`, though it say the same.

    Whatever it says of itself, its origin is an import.
    """

    contract: str
    record: str | None = None
    status: Status = Status.ACTIVE
    hold: bool = False
    among: tuple[str, ...] = ()
    batch: str | None = None

    def __post_init__(self) -> None:
        checks.identifiers("among", self.among)
        checks.optional_identifier("batch", self.batch)
        checks.identifier("contract", self.contract)
        checks.optional_identifier("record_id", self.record)
        checks.word("status", self.status, Status)
        if self.status not in ARRIVED:
            raise Malformed("status", "one of " + ", ".join(sorted(ARRIVED)))
        checks.flag("hold", self.hold)


class Proposal(Value):
    """A claim put forward. With `target` it is a new revision of that record, else a new record; with `promotes` it
    asks for a record to count in a wider scope; with `announces` it passes that record on to another group; with
    `arrival` it was read from elsewhere; a `draft` is kept for its author alone. Without `detect` nobody looks for a
    disagreement that the claim does not state itself.

    `expected_revision` is the revision the proposer read; if the record has moved on, the proposal is stale. 0, without
    a target: the slot was empty; if something fills it by now, the proposal is stale.
    """

    id: str
    tenant: str
    claim: Claim
    target: str | None = None
    expected_revision: int | None = None
    promotes: str | None = None
    arrival: ImportContext | None = None
    draft: bool = False
    detect: bool = True
    announces: str | None = None

    def __post_init__(self) -> None:
        checks.optional_identifier("announces", self.announces)
        checks.flag("draft", self.draft)
        checks.flag("detect", self.detect)
        checks.identifier("proposal_id", self.id)
        checks.identifier("tenant", self.tenant)
        checks.optional_identifier("promotes", self.promotes)
        if not isinstance(self.claim, Claim):
            raise Malformed("claim", "a Claim")
        checks.optional_identifier("target", self.target)
        if self.expected_revision == 0 and self.target is None:
            if self.claim.slot is None:
                raise Malformed("expected_revision", "0 only for a claim with a slot, which must then be empty")
        else:
            _check_revision(self.expected_revision)
        if self.arrival is not None and not isinstance(self.arrival, ImportContext):
            raise Malformed("arrival", "an Arrival")


class Objection(Value):
    """Grounds of somebody else to refuse a proposal: at which step, under which rule, why, and, if it is the same as
    another, as which record. It can only take away, never let in."""

    step: Step
    rule: str
    reason: str
    duplicate_of: str | None = None

    def __post_init__(self) -> None:
        checks.word("step", self.step, Step)
        checks.identifier("rule", self.rule)
        checks.text("reason", self.reason)
        checks.optional_identifier("duplicate_of", self.duplicate_of)


class ReviewDecision(Value):
    """A person's answer to a held proposal, with what they corrected on the way. `contradicts` are records that they
    see it disagree with: both sides stand, and neither is told as a fact."""

    proposal: str
    accept: bool
    reason: str
    kind: Kind | None = None
    scope: Scope | None = None
    scope_id: str | None = None
    contradicts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checks.identifier("proposal_id", self.proposal)
        checks.flag("accept", self.accept)
        checks.text("reason", self.reason)
        if self.kind is not None:
            checks.word("kind", self.kind, Kind)
        if self.scope is not None:
            checks.word("scope", self.scope, Scope)
        checks.optional_identifier("scope_id", self.scope_id)
        checks.identifiers("contradicts", self.contradicts)
        if len(self.contradicts) > CONTRADICTS_MAX:
            raise LimitExceeded("contradicts", limit=CONTRADICTS_MAX, unit="records", sent=len(self.contradicts))
        if self.contradicts and not self.accept:
            raise Malformed(
                "contradicts", "nothing when a proposal is discarded: what is not kept disagrees with nothing"
            )


class RetractRequest(Value):
    """A request to take a record back, or to retire it in another way (`becomes`). The record stays readable in its
    history; it no longer speaks."""

    record: str
    reason: str
    expected_revision: int | None = None
    becomes: Status = Status.RETRACTED

    def __post_init__(self) -> None:
        checks.identifier("id", self.record)
        checks.text("reason", self.reason)
        checks.word("becomes", self.becomes, Status)
        if self.becomes not in RETIRED:
            raise Malformed("becomes", "one of " + ", ".join(sorted(RETIRED)))
        _check_revision(self.expected_revision)


class QuarantineRequest(Value):
    """A request to keep a record back until somebody has looked at it: it no longer speaks, and what stands on it is
    flagged."""

    record: str
    reason: str
    expected_revision: int | None = None

    def __post_init__(self) -> None:
        checks.identifier("id", self.record)
        checks.text("reason", self.reason)
        _check_revision(self.expected_revision)


class ReleaseRequest(Value):
    """A request to let a record speak again that was in quarantine."""

    record: str
    reason: str
    expected_revision: int | None = None

    def __post_init__(self) -> None:
        checks.identifier("id", self.record)
        checks.text("reason", self.reason)
        _check_revision(self.expected_revision)


class WithdrawRequest(Value):
    """A request to take back everything that one actor, source or session contributed."""

    target: Target
    reason: str

    def __post_init__(self) -> None:
        if not isinstance(self.target, Target) or self.target.by not in (
            TargetKind.ACTOR,
            TargetKind.SOURCE,
            TargetKind.SESSION,
        ):
            raise Malformed("by", "actor, source or session")
        checks.text("reason", self.reason)


class ConflictSearch(Value):
    """A request to look for what a record disagrees with."""

    record: str

    def __post_init__(self) -> None:
        checks.identifier("id", self.record)


class RollbackRequest(Value):
    """A request to undo a batch: what it brought is taken back, and what it changed is as it was."""

    batch: str
    reason: str

    def __post_init__(self) -> None:
        checks.identifier("batch", self.batch)
        checks.text("reason", self.reason)


class RewindRequest(Value):
    """A request to turn everything, one sort of scope or one scope back to how it was after an entry."""

    to: int
    reason: str
    scope: Scope | None = None
    scope_id: str | None = None

    def __post_init__(self) -> None:
        checks.whole("to", self.to, least=1, most=2**62)
        checks.text("reason", self.reason)
        if self.scope is not None:
            checks.word("scope", self.scope, Scope)
        checks.optional_identifier("scope_id", self.scope_id)
        if self.scope_id is not None and self.scope is None:
            raise Malformed("scope", "a scope; its id alone names none")


class OutcomeReport(Value):
    """How a record turned out when it was used, told by whoever used it."""

    record: str
    helpful: bool
    weight: float = 1.0
    evidence: str | None = None
    expected_revision: int | None = None

    def __post_init__(self) -> None:
        checks.identifier("id", self.record)
        checks.flag("helpful", self.helpful)
        _check_revision(self.expected_revision)
        checks.optional_text("evidence", self.evidence)
        # A weight of nothing would be an outcome that is recorded and changes nothing.
        checks.number("weight", self.weight)
        if not 0.0 < self.weight <= 1.0:
            raise Malformed("weight", "a number above 0 and at most 1")
        as_fraction(self, "weight")
        fold_defaults(self)


class VouchRequest(Value):
    """A reviewer's word that a record comes from where they say."""

    record: str
    label: Label
    reason: str
    expected_revision: int | None = None

    def __post_init__(self) -> None:
        checks.identifier("id", self.record)
        checks.word("origin", self.label, Label)
        checks.text("reason", self.reason)
        _check_revision(self.expected_revision)


class ResolveRequest(Value):
    """How a conflict shall be settled. `winner` is the record to keep, or the caller's ballot in a vote; `synthesis`
    the claim that takes the place of both."""

    conflict: str
    strategy: Strategy
    rationale: str
    winner: str | None = None
    synthesis: Claim | None = None

    def __post_init__(self) -> None:
        checks.identifier("conflict", self.conflict)
        checks.word("strategy", self.strategy, Strategy)
        checks.text("rationale", self.rationale)
        checks.optional_identifier("winner", self.winner)
        if self.synthesis is not None and not isinstance(self.synthesis, Claim):
            raise Malformed("synthesis", "a Claim")


def _check_revision(revision: int | None) -> None:
    if revision is not None:
        checks.whole("expected_revision", revision, least=1, most=2**31)
