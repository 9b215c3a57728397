"""Draw up the certificate of an erasure, as far as it can be before the entry is written."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from muniment.model.change import ChangeSet
from muniment.model.entry import DocumentRef
from muniment.model.erasure import (
    CERTIFICATE_VERSIONS,
    Certificate,
    ErasureCounts,
    ErasureOutcome,
    ErasurePlan,
    ErasureRequest,
    digest_of,
)
from muniment.model.value import Value, read_canonical
from muniment.ports.store import Snapshot
from muniment.write.pipeline import Bench

_LAST = 2**63 - 1


class RemovedItems(Value):
    """What an erasure took away beside records: proposals by id, documents by number, receipts by id."""

    proposals: frozenset[str]
    documents: frozenset[int]
    receipts: tuple[str, ...]


def make_certificate(
    snapshot: Snapshot,
    change: ChangeSet,
    plan: ErasurePlan,
    removed: RemovedItems,
    oblivion: ErasureRequest,
    opening: str,
    bench: Bench,
) -> Certificate:
    """Say what is erased. The writer of the change adds where the ledger says so, and signs."""
    return Certificate(
        v=max(CERTIFICATE_VERSIONS),
        id=bench.ids.fresh("crt"),
        tenant=bench.tenant,
        by=plan.by,
        digest=digest_of(oblivion.target, opening),
        actor=change.actor,
        at=change.at,
        reason=oblivion.reason,
        derived=plan.derived,
        erased=plan.of(ErasureOutcome.ERASED),
        redacted=plan.of(ErasureOutcome.REDACTED),
        reviewed=plan.of(ErasureOutcome.REVIEWED),
        counts=_counts(change, plan),
        seq=change.position + 1,
        entry="",
        key="",
        proposals=tuple(sorted(removed.proposals)),
        documents=tuple(digest for _, digest in sorted(commitments(snapshot, removed.documents).items())),
        receipts=removed.receipts,
        probe=oblivion.probe,
    )


class _Kept(Value, forbid_unknown_fields=False):
    """What of an entry says which documents it brought. Reading only this keeps a pass over a long ledger short."""

    documents: tuple[DocumentRef, ...] = ()


def brought(snapshot: Snapshot) -> Iterator[DocumentRef]:
    """Every document that the ledger ever took in, with the commitment it was taken in by."""
    for stored in snapshot.ledger.entries(1, _LAST):
        yield from read_canonical(stored.body, _Kept).documents


def commitments(snapshot: Snapshot, documents: AbstractSet[int]) -> dict[int, str]:
    """By what the ledger took in each of these documents. They are salted, so that no guess can be held against one,
    and no two ledgers share one, so that they tell a document from any other of the same number."""
    return {ref.doc: ref.digest for ref in brought(snapshot) if ref.doc in documents}


def _counts(change: ChangeSet, plan: ErasurePlan) -> ErasureCounts:
    return ErasureCounts(
        records=len(plan.of(ErasureOutcome.ERASED)),
        revisions=len(change.erased),
        redacted=len(plan.of(ErasureOutcome.REDACTED)),
        reviewed=len(plan.of(ErasureOutcome.REVIEWED)),
        proposals=plan.traces.proposals,
        reports=plan.traces.reports,
        receipts=plan.traces.receipts,
        notes=plan.traces.notes,
        names=plan.traces.names,
    )
