"""What curation found and decided: nine step outcomes, one report, one verdict for the caller."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from muniment.model.entry import Vote
from muniment.model.erasure import ErasurePlan, ProbeResult, SignedCertificate, Target
from muniment.model.one_line import Parts, spelled
from muniment.model.times import Instant
from muniment.model.value import Value
from muniment.model.vocabulary import Disposition, Kind, Label, Outcome, Scope, Step, StepResult, Strategy

_NEW = "a new record"


def digest_of_parts(parts: Sequence[Sequence[str]]) -> str:
    """What tells one plan from another: lists of names, each where it stands.

    >>> digest_of_parts([["a"], ["b"]]) == digest_of_parts([["a", "b"], []])
    False
    """
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


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


class Observation(Value):
    """How a record turned out when it was used: `counted` is the weight it was given, 0 when it was only noted."""

    helpful: bool
    weight: float
    counted: float
    evidence: str | None = None


class Vouching(Value):
    """A named reviewer, or sources that share no root, answer for where a record comes from."""

    label: Label


class ConflictResolution(Value):
    """How a conflict was taken up: by which strategy, in whose favour, and with which new record."""

    conflict: str
    strategy: Strategy
    winner: str | None = None
    synthesis: str | None = None


class Settlement(Value):
    """A conflict that the policy settled when it was found: by which rule, by what, in whose favour, and why."""

    conflict: str
    rule: str
    strategy: Strategy
    winner: str
    reason: str


class CurationReport(Value):
    """The curation report of one decision. Kept for refusals too; holds no content. `read_from` is the contract by
    which the proposal was read from elsewhere, if it was."""

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
    echoes: tuple[str, ...] = ()
    same_as: tuple[str, ...] = ()
    observation: Observation | None = None
    vouching: Vouching | None = None
    resolution: ConflictResolution | None = None
    settled: tuple[Settlement, ...] = ()
    read_from: str | None = None


class ConflictResult(Value):
    """Where a conflict stands after somebody took it up, or would.

    `status` is `resolved`, `escalated`, `pending_vote`, `established` where a suspicion was promoted, or not moved
    because the policy `refused` the caller or `held` the synthesis for a person. Of what would be it is also told what
    `falls` and what `rises`: the records that stand on a superseded side or on the winner alone, and would be judged
    otherwise. `digest` tells this outcome from another; it is empty where it was not worked out what falls."""

    conflict: str
    status: str
    epoch: int
    rule: str
    reason: str
    winner: str | None = None
    superseded: tuple[str, ...] = ()
    synthesis: str | None = None
    ballots: tuple[Vote, ...] = ()
    falls: tuple[str, ...] = ()
    rises: tuple[str, ...] = ()
    digest: str = ""

    def foretelling(self, falls: tuple[str, ...], rises: tuple[str, ...]) -> ConflictResult:
        """The same with what falls and rises, and the digest of it all. The id of a synthesis is no part of it: a
        rehearsal gives another one."""
        stays = _NEW if self.synthesis is not None else self.winner
        votes = [f"{ballot.actor} {ballot.winner}" for ballot in self.ballots]
        parts = ((self.conflict, self.status, stays or ""), self.superseded, votes, falls, rises)
        return msgspec.structs.replace(self, falls=falls, rises=rises, digest=digest_of_parts(parts))


class MaintenanceResult(Value):
    """What a sweep did: which records expired, which fell with them, how many moved in use or tier, and which are due
    for review."""

    expired: tuple[str, ...] = ()
    fallen: tuple[str, ...] = ()
    moved: int = 0
    due: tuple[str, ...] = ()


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
    echoes: tuple[str, ...] = ()
    same_as: tuple[str, ...] = ()
    conflict_ids: tuple[str, ...] = ()
    redactions: tuple[Redaction, ...] = ()
    steps: tuple[StepOutcome, ...] = ()

    @property
    def committed(self) -> bool:
        return self.outcome is Outcome.COMMITTED

    @property
    def about(self) -> str:
        """The record it became, else the proposal."""
        return self.proposal_id if self.record_id is None else f"{self.record_id}@{self.revision}"

    def __rich_repr__(self) -> Parts:
        return [("outcome", self.outcome.value), ("about", self.about), ("rule", self.rule)]

    def __repr__(self) -> str:
        return spelled("Verdict", self.__rich_repr__())

    def __str__(self) -> str:
        more = f"; disagrees with what is known: {', '.join(self.conflict_ids)}" if self.conflict_ids else ""
        return f"{self.outcome} {self.about}: {self.reason} (rule {self.rule}){more}"


class ErasureResult(Value):
    """What was forgotten, or would be; once it was asked for in earnest, the verdict and, if it was done, the
    certificate with the opening by which its holder can show what it is about. `scrubbed`: whether nothing is left in
    the store's files; while somebody still reads an older state it goes when they end. `probe` tells what came of
    asking for it, if that was wanted."""

    plan: ErasurePlan
    verdict: Verdict | None = None
    certificate: SignedCertificate | None = None
    opening: str | None = None
    scrubbed: bool = False
    probe: ProbeResult | None = None


class RollbackResult(Value):
    """What undoing a batch came to: what was taken back, what is as it was, and what no longer waits."""

    batch: str
    epoch: int
    retracted: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    dismissed: tuple[str, ...] = ()


class AffectedReceipt(Value):
    """A receipt by which something was told that was withdrawn since, or that stood on it: when, to whom, what for, and
    which records."""

    receipt: str
    at: Instant
    actor: str
    purpose: str
    records: tuple[str, ...]


class RewindResult(Value):
    """What turning back came to, or would: to which entry, how many revisions moved, the records that speak again,
    those that no longer do and those that are believed otherwise, the conflicts that moved, the records that stay as an
    erasure left them, how many revisions were erased since, and the receipts since by which any of it was told."""

    to: int
    epoch: int
    changed: int = 0
    restored: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    judged: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    erased: int = 0
    receipts: tuple[AffectedReceipt, ...] = ()


class WithdrawalResult(Value):
    """What was taken back of everything that one actor, source or session contributed, or would be: the records, those
    that stand on them and were judged anew, those that others have made of it since and that somebody should look at,
    those whose place it had taken and that stay as they are, the proposals that no longer wait, and the receipts by
    which it was told. `digest` tells this plan from another: which records it reaches as they are now."""

    target: Target
    records: tuple[str, ...] = ()
    judged: tuple[str, ...] = ()
    followed: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    dismissed: tuple[str, ...] = ()
    receipts: tuple[AffectedReceipt, ...] = ()
    verdict: Verdict | None = None
    digest: str = ""
