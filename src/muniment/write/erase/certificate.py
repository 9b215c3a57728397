"""Draw up the certificate of an erasure and sign it."""

from __future__ import annotations

from muniment.model.entry import Entry
from muniment.model.erasure import (
    Certificate,
    Counts,
    ErasurePlan,
    Fate,
    Oblivion,
    SignedCertificate,
    digest_of,
)
from muniment.model.value import canonical
from muniment.ports.store import Snapshot
from muniment.ports.world import Signer
from muniment.write.pipeline import Bench

VERSION = 1


def draw_up(
    snapshot: Snapshot,
    entry: Entry,
    plan: ErasurePlan,
    oblivion: Oblivion,
    opening: str,
    bench: Bench,
    signer: Signer,
) -> SignedCertificate:
    """Say what was erased and where the ledger says so. The entry has just been written."""
    head = snapshot.ledger.head()
    assert head is not None, "a ledger begins with its genesis"
    assert head.seq == entry.seq, "the certificate is drawn up in the entry's own transaction"
    certificate = Certificate(
        v=VERSION,
        id=bench.ids.fresh("crt"),
        tenant=entry.tenant,
        by=plan.by,
        digest=digest_of(oblivion.target, opening),
        actor=entry.actor,
        at=entry.at,
        reason=oblivion.reason,
        derived=plan.derived,
        erased=plan.of(Fate.ERASED),
        redacted=plan.of(Fate.REDACTED),
        reviewed=plan.of(Fate.REVIEWED),
        counts=_counts(entry, plan),
        seq=entry.seq,
        entry=head.hash.hex(),
        key=signer.key_id,
    )
    return SignedCertificate(certificate=certificate, signature=signer.sign(canonical(certificate)).hex())


def _counts(entry: Entry, plan: ErasurePlan) -> Counts:
    return Counts(
        records=len(plan.of(Fate.ERASED)),
        revisions=len(entry.erased),
        redacted=len(plan.of(Fate.REDACTED)),
        reviewed=len(plan.of(Fate.REVIEWED)),
        proposals=plan.traces.proposals,
        reports=plan.traces.reports,
        receipts=plan.traces.receipts,
        notes=plan.traces.notes,
        names=plan.traces.names,
    )
