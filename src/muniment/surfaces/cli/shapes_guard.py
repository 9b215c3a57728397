"""What is erased, held, withdrawn or kept apart, as JSON. Decides nothing."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from muniment.model.curation import AffectedReceipt, ErasureResult, WithdrawalResult
from muniment.model.erasure import (
    Certificate,
    ErasedTraces,
    ErasureCounts,
    ErasureOutcome,
    ErasurePlan,
    LegalHold,
    PlannedErasure,
    ProbeResult,
    SignedCertificate,
)
from muniment.model.form import DisclosureShape, disclosure_shape
from muniment.model.query import Disclosure
from muniment.model.times import show
from muniment.surfaces.cli.verdicts import VerdictShape, verdict_shape


class DoomedShape(TypedDict):
    id: str
    revisions: int
    fate: str
    why: str
    under: list[str]
    certainty: str


class TracesShape(TypedDict):
    proposals: int
    reports: int
    receipts: int
    notes: int
    names: int
    probable: int


class BlockedShape(TypedDict):
    hold: str
    reason: str
    records: list[str]
    proposals: list[str]


class ErasurePlanShape(TypedDict):
    digest: str
    by: str
    derived: str
    erased: int
    redacted: int
    reviewed: int
    kept: int
    nodes: list[DoomedShape]
    records: list[DoomedShape]
    """The same under the name they had before: programs read it."""
    traces: TracesShape
    holds: list[BlockedShape]


def plan_shape(plan: ErasurePlan) -> ErasurePlanShape:
    nodes = [_doomed_shape(node) for node in plan.nodes]
    return {
        "digest": plan.digest,
        "by": plan.by.value,
        "derived": plan.derived.value,
        "erased": len(plan.of(ErasureOutcome.ERASED)),
        "redacted": len(plan.of(ErasureOutcome.REDACTED)),
        "reviewed": len(plan.of(ErasureOutcome.REVIEWED)),
        "kept": len(plan.of(ErasureOutcome.KEPT)),
        "nodes": nodes,
        "records": nodes,
        "traces": _traces_shape(plan.traces),
        "holds": [
            {
                "hold": one.hold,
                "reason": one.reason,
                "records": list(one.records),
                "proposals": list(one.proposals),
            }
            for one in plan.holds
        ],
    }


def _doomed_shape(node: PlannedErasure) -> DoomedShape:
    return {
        "id": node.id,
        "revisions": node.revisions,
        "fate": node.fate.value,
        "why": node.why,
        "under": list(node.under),
        "certainty": node.certainty.value,
    }


def _traces_shape(traces: ErasedTraces) -> TracesShape:
    return {
        "proposals": traces.proposals,
        "reports": traces.reports,
        "receipts": traces.receipts,
        "notes": traces.notes,
        "names": traces.names,
        "probable": traces.probable,
    }


class CountsShape(TypedDict):
    records: int
    revisions: int
    redacted: int
    reviewed: int
    proposals: int
    reports: int
    receipts: int
    notes: int
    names: int


class CertificateShape(TypedDict):
    v: int
    id: str
    tenant: str
    by: str
    digest: str
    actor: str
    at: str
    reason: str
    derived: str
    erased: list[str]
    redacted: list[str]
    reviewed: list[str]
    counts: CountsShape
    seq: int
    entry: str
    key: str
    proposals: list[str]
    documents: list[str]
    receipts: list[str]
    probe: NotRequired[ProbeShape]


class ProbeShape(TypedDict):
    questions: int
    came_back: int


class SignedCertificateShape(TypedDict):
    certificate: CertificateShape
    signature: str


def certificate_shape(signed: SignedCertificate) -> SignedCertificateShape:
    """The document that `certificate verify` reads back."""
    return {"certificate": _certificate_shape(signed.certificate), "signature": signed.signature}


def _certificate_shape(told: Certificate) -> CertificateShape:
    shape: CertificateShape = {
        "v": told.v,
        "id": told.id,
        "tenant": told.tenant,
        "by": told.by.value,
        "digest": told.digest,
        "actor": told.actor,
        "at": show(told.at),
        "reason": told.reason,
        "derived": told.derived.value,
        "erased": list(told.erased),
        "redacted": list(told.redacted),
        "reviewed": list(told.reviewed),
        "counts": _counts_shape(told.counts),
        "seq": told.seq,
        "entry": told.entry,
        "key": told.key,
        "proposals": list(told.proposals),
        "documents": list(told.documents),
        "receipts": list(told.receipts),
    }
    if told.probe is not None:  # one that was drawn up without is spelled as it was
        shape["probe"] = probe_shape(told.probe)
    return shape


def probe_shape(told: ProbeResult) -> ProbeShape:
    return {"questions": told.questions, "came_back": told.came_back}


def _counts_shape(counts: ErasureCounts) -> CountsShape:
    return {
        "records": counts.records,
        "revisions": counts.revisions,
        "redacted": counts.redacted,
        "reviewed": counts.reviewed,
        "proposals": counts.proposals,
        "reports": counts.reports,
        "receipts": counts.receipts,
        "notes": counts.notes,
        "names": counts.names,
    }


class CertificatesShape(TypedDict):
    certificates: list[SignedCertificateShape]


class ForgottenShape(TypedDict):
    dry_run: bool
    plan: ErasurePlanShape
    verdict: VerdictShape | None
    certificate: SignedCertificateShape | None
    opening: str | None
    scrubbed: bool
    probe: ProbeShape | None


def forgotten_shape(told: ErasureResult) -> ForgottenShape:
    """An erasure, for those who are told everything at once."""
    return {
        "dry_run": told.verdict is None,
        "plan": plan_shape(told.plan),
        "verdict": None if told.verdict is None else verdict_shape(told.verdict),
        "certificate": None if told.certificate is None else certificate_shape(told.certificate),
        "opening": told.opening,
        "scrubbed": told.scrubbed,
        "probe": None if told.probe is None else probe_shape(told.probe),
    }


class HoldShape(TypedDict):
    id: str
    by: str
    value: str
    reason: str
    actor: str
    at: str


class HoldsShape(TypedDict):
    holds: list[HoldShape]


def hold_shape(hold: LegalHold) -> HoldShape:
    return {
        "id": hold.id,
        "by": hold.target.by.value,
        "value": hold.target.value,
        "reason": hold.reason,
        "actor": hold.actor,
        "at": show(hold.at),
    }


class CheckShape(TypedDict):
    what: str
    holds: bool | None
    note: str


class CheckedCertificateShape(TypedDict):
    genuine: bool
    state: str
    id: str
    checks: list[CheckShape]


class UsedShape(TypedDict):
    receipt_id: str
    at: str
    actor: str
    purpose: str
    records: list[str]


class WithdrawalShape(TypedDict):
    dry_run: bool
    by: str
    value: str
    records: list[str]
    judged: list[str]
    followed: list[str]
    replaced: list[str]
    dismissed: list[str]
    receipts: list[UsedShape]
    verdict: VerdictShape | None
    digest: str


def withdrawal_shape(told: WithdrawalResult) -> WithdrawalShape:
    return {
        "dry_run": told.verdict is None,
        "by": told.target.by.value,
        "value": told.target.value,
        "records": list(told.records),
        "judged": list(told.judged),
        "followed": list(told.followed),
        "replaced": list(told.replaced),
        "dismissed": list(told.dismissed),
        "receipts": [_used_shape(one) for one in told.receipts],
        "verdict": None if told.verdict is None else verdict_shape(told.verdict),
        "digest": told.digest,
    }


def _used_shape(used: AffectedReceipt) -> UsedShape:
    return {
        "receipt_id": used.receipt,
        "at": show(used.at),
        "actor": used.actor,
        "purpose": used.purpose,
        "records": list(used.records),
    }


class QuarantineShape(TypedDict):
    records: list[DisclosureShape]


def quarantine_shape(found: tuple[Disclosure, ...]) -> QuarantineShape:
    return {"records": [disclosure_shape(one) for one in found]}
