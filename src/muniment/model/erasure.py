"""Erasure: what shall go and what goes with it, what stays behind, and the certificate that it is gone."""

from __future__ import annotations

import hashlib
from enum import StrEnum

import msgspec

from muniment.model import checks
from muniment.model.errors import Malformed
from muniment.model.times import Instant
from muniment.model.user import user_id
from muniment.model.value import Value

CERTIFICATE_VERSIONS = frozenset({1, 2})
"""The forms of a certificate that can be read. The highest is the one that is made."""
ERASED = "[erased]"
"""What stands where a text was."""


class TargetKind(StrEnum):
    """By what it is said which records are meant."""

    RECORD = "record"
    SUBJECT = "subject"
    SOURCE = "source"
    ACTOR = "actor"
    SESSION = "session"
    USER = "user"


class DerivedPolicy(StrEnum):
    """What becomes of records that were derived from what is erased: they go too, they lose what they took over, or
    they are kept back until somebody has looked at them."""

    ERASE = "erase"
    REDACT = "redact"
    REVIEW = "review"


class ErasureOutcome(StrEnum):
    ERASED = "erased"
    REDACTED = "redacted"
    REVIEWED = "reviewed"
    KEPT = "kept"


class Certainty(StrEnum):
    """How sure it is that a record is meant: it holds the name in one of its forms, or its letters only, in a longer
    word or without their accents."""

    CERTAIN = "certain"
    PROBABLE = "probable"


class Target(Value):
    """What an erasure, a hold or a withdrawal is about: one record, or everything of a subject, source, actor,
    session or user."""

    by: TargetKind
    value: str

    def __post_init__(self) -> None:
        checks.word("by", self.by, TargetKind)
        if self.by in (TargetKind.RECORD, TargetKind.ACTOR, TargetKind.SESSION, TargetKind.USER):
            checks.identifier("id" if self.by is TargetKind.RECORD else self.by.value, self.value)
        else:
            checks.text(self.by.value, self.value)


def one_target(
    record: str | None,
    *,
    subject: str | None,
    source: str | None,
    actor: str | None,
    session: str | None,
    user: str | None = None,
) -> Target:
    """The one target that was named; an error when it is none, or more than one."""
    named = [
        (by, value)
        for by, value in (
            (TargetKind.RECORD, record),
            (TargetKind.SUBJECT, subject),
            (TargetKind.SOURCE, source),
            (TargetKind.ACTOR, actor),
            (TargetKind.SESSION, session),
            (TargetKind.USER, user_id(user) if user is not None else None),
        )
        if value is not None
    ]
    if len(named) != 1:
        raise Malformed("target", "exactly one of: a record's id, subject, source, actor, session, user")
    return Target(by=named[0][0], value=named[0][1])


def digest_of(target: Target, opening: str) -> str:
    """Commit to what was asked for. Only who has the opening can tell, or show, what it was."""
    spelled = f"muniment erasure 1\x00{opening}\x00{target.by}\x00{target.value}"
    return hashlib.sha256(spelled.encode()).hexdigest()


class TombstoneAhead(Value):
    """A deletion of something that was never here: what it is known by (`id`, `external_id` or `digest`), and why. An
    external id is told as the keyed digest that is kept of it."""

    by: str
    value: str
    reason: str


class ErasureRequest(Value):
    """A request to erase. Without `derived` the policy says what becomes of what was derived. `expected` is the digest
    of the plan the caller has seen: if it would be another by now, nothing is done. With `probable` what only may
    speak of a subject goes too. `probe` is what came of asking for it as if it were gone."""

    target: Target
    reason: str
    derived: DerivedPolicy | None = None
    expected: str | None = None
    probable: bool = False
    probe: ProbeResult | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.target, Target):
            raise Malformed("target", "a Target")
        checks.text("reason", self.reason)
        if self.derived is not None:
            checks.word("cascade", self.derived, DerivedPolicy)
        checks.optional_text("expected", self.expected)
        checks.flag("include_probable", self.probable)
        if self.probe is not None and not isinstance(self.probe, ProbeResult):
            raise Malformed("probe", "a ProbeResult")


class PlannedErasure(Value):
    """One record an erasure reaches: how many revisions it has, what becomes of it and why, under which records of the
    plan it stands (none: it was meant itself), and whether it is certain that it is meant. One that is only probable is
    kept unless the request says otherwise."""

    id: str
    revisions: int
    fate: ErasureOutcome
    why: str
    under: tuple[str, ...] = ()
    certainty: Certainty = Certainty.CERTAIN


class ErasedTraces(Value):
    """How much an erasure takes away beside records: proposals that waited, reports, receipts and notes that lose their
    words, names that were given. `probable` are proposals that wait and only may be meant; they stay."""

    proposals: int = 0
    reports: int = 0
    receipts: int = 0
    notes: int = 0
    names: int = 0
    probable: int = 0


class HoldConflict(Value):
    """A legal hold against an erasure: which hold, why, and which records and waiting proposals it keeps."""

    hold: str
    reason: str
    records: tuple[str, ...] = ()
    proposals: tuple[str, ...] = ()


class ErasurePlan(Value):
    """What an erasure will do, or did: every record it reaches, and the traces elsewhere. `digest` tells this plan from
    another: which records it reaches as they are now, and what becomes of each. While `holds` are in force against it,
    nothing of it can be done."""

    by: TargetKind
    derived: DerivedPolicy
    nodes: tuple[PlannedErasure, ...]
    traces: ErasedTraces = ErasedTraces()
    holds: tuple[HoldConflict, ...] = ()

    digest: str = ""

    def __post_init__(self) -> None:
        if not self.digest:
            reached = sorted(
                f"{one.id} {one.revisions} {one.fate}" for one in self.nodes if one.fate is not ErasureOutcome.KEPT
            )
            told = "\n".join([self.by, self.derived, *reached])
            msgspec.structs.force_setattr(self, "digest", hashlib.sha256(told.encode()).hexdigest())

    def of(self, fate: ErasureOutcome) -> tuple[str, ...]:
        """The ids of the records that meet this fate."""
        return tuple(node.id for node in self.nodes if node.fate is fate)


class Tombstone(Value):
    """That a revision was there. No word of what it said."""

    rid: int
    id: str
    revision: int


class ErasureCounts(Value):
    """What was taken away, in numbers."""

    records: int
    revisions: int
    redacted: int
    reviewed: int
    proposals: int
    reports: int
    receipts: int
    notes: int
    names: int


class ProbeResult(Value):
    """What came of asking for what was erased: how many questions were asked, and to how many of them anything of it
    came back."""

    questions: int
    came_back: int


class Certificate(Value):
    """That something was erased: what, when, by whom, why, how much, and where the ledger says so. `digest` commits to
    what was asked for (by an opening that only the caller was given), so that whoever has the certificate cannot read
    from it whom it is about. `entry` is the hash of the ledger entry at `seq`.

    Since version 2 it also names, so that a copy made before can be relieved of it by the certificate alone, the
    `proposals` that waited or became an erased record, the `documents` that were taken away or lost words (by the
    commitments with which the ledger once took them in), and the `receipts` that lost words."""

    v: int
    id: str
    tenant: str
    by: TargetKind
    digest: str
    actor: str
    at: Instant
    reason: str
    derived: DerivedPolicy
    erased: tuple[str, ...]
    redacted: tuple[str, ...]
    reviewed: tuple[str, ...]
    counts: ErasureCounts
    seq: int
    entry: str
    key: str
    proposals: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    receipts: tuple[str, ...] = ()
    probe: ProbeResult | None = None


class SignedCertificate(Value):
    """A certificate and its signature, in hex, over its canonical bytes by the key it names."""

    certificate: Certificate
    signature: str


class LegalHold(Value):
    """What must not be erased, and why. It stays until somebody lifts it."""

    id: str
    target: Target
    reason: str
    actor: str
    at: Instant
