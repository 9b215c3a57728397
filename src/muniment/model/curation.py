"""What curation found and decided: nine step outcomes, one report, one verdict for the caller."""

from __future__ import annotations

from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import Disposition, Kind, Outcome, Scope, Step, StepResult


class StepOutcome(Value, array_like=True):
    """What one step found. `note` is in our words and never quotes the proposal. Nine of them are in every report, so
    they are spelled as short lists: step, result, note."""

    step: Step
    result: StepResult
    note: str = ""


class Redaction(Value):
    """That something was taken out of a field, what sort of thing, and how often. Never the thing."""

    field: str
    what: str
    count: int = 1


class Routing(Value):
    """What the proposer suggested where the curator decided otherwise."""

    kind: Kind
    scope: Scope
    scope_id: str


class Report(Value):
    """The curation report of one decision. Kept for refusals too; holds no content."""

    proposal: str
    digest: str
    actor: str
    disposition: Disposition
    outcome: Outcome
    rule: str
    reason: str
    steps: tuple[StepOutcome, ...] = ()
    reviewer: str | None = None
    next_review_at: Instant | None = None
    redactions: tuple[Redaction, ...] = ()
    suggested: Routing | None = None
    duplicate_of: str | None = None
    contradicts: tuple[str, ...] = ()


class Verdict(Value):
    """The answer to a write. A refusal is a verdict, not an error."""

    decision: Disposition
    outcome: Outcome
    proposal_id: str
    record_id: str | None
    revision: int | None
    epoch: int
    rule: str
    reason: str
    duplicate_of: str | None = None
    conflict_ids: tuple[str, ...] = ()
    redactions: tuple[Redaction, ...] = ()
    steps: tuple[StepOutcome, ...] = ()

    @property
    def committed(self) -> bool:
        return self.outcome is Outcome.COMMITTED
