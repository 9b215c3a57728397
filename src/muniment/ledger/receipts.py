"""The receipt log's chain: link receipts, check them. Separate from the ledger, so that reading does not advance it."""

from __future__ import annotations

from collections.abc import Iterable

from muniment.ledger.chain import VERSION, ZERO, commitment, link_receipt
from muniment.model.entry import Finding, SignedCheckpoint
from muniment.model.errors import IntegrityError
from muniment.model.receipt import Account, ReceiptEntry, StoredReceipt
from muniment.model.times import Instant
from muniment.model.value import canonical, read_canonical


def seal(
    account: Account, *, tenant: str, receipt: str, at: Instant, epoch: int, salt: bytes, head: tuple[int, bytes]
) -> StoredReceipt:
    """Make `account` the next link after `head`."""
    body = canonical(account)
    seq = head[0] + 1
    entry = ReceiptEntry(
        v=VERSION, tenant=tenant, seq=seq, id=receipt, at=at, epoch=epoch, digest=commitment(salt, body)
    )
    link = canonical(entry)
    return StoredReceipt(seq=seq, id=receipt, body=link, hash=link_receipt(head[1], link), salt=salt, account=body)


def verify(
    tenant: str, receipts: Iterable[StoredReceipt], checkpoints: Iterable[SignedCheckpoint]
) -> tuple[int, list[Finding]]:
    """Check the log against itself and against what checkpoints say of it; return its length and the findings."""
    owed = {signed.checkpoint.receipts: signed.checkpoint.receipts_head for signed in checkpoints}
    owed.pop(0, None)
    findings: list[Finding] = []
    count = 0
    predecessors: tuple[bytes, ...] = (ZERO,)
    for stored in receipts:
        if stored.seq != count + 1:
            message = f"receipt {stored.seq} stands where {count + 1} belongs"
            findings.append(Finding(code="receipt_missing", message=message))
            predecessors = ()
        count = max(count, stored.seq)
        links = [link_receipt(before, stored.body) for before in predecessors]
        findings += _check(tenant, stored, linked=not predecessors or stored.hash in links)
        predecessors = tuple(dict.fromkeys((stored.hash, *links)))
        if owed.pop(stored.seq, stored.hash.hex()) != stored.hash.hex():
            message = f"receipt {stored.seq} is not the one a checkpoint covers"
            findings.append(Finding(code="receipt_altered", message=message))
    findings += (
        Finding(code="receipts_truncated", message=f"a signed checkpoint covers {seq} receipts, the log has {count}")
        for seq in sorted(owed)
    )
    return count, findings


def _check(tenant: str, stored: StoredReceipt, *, linked: bool) -> list[Finding]:
    try:
        entry = read_canonical(stored.body, ReceiptEntry)
    except IntegrityError as error:
        return [Finding(code="receipt_unreadable", message=f"receipt {stored.seq}: {error}")]
    sound = linked and entry.id == stored.id and entry.seq == stored.seq and entry.tenant == tenant
    if not sound or commitment(stored.salt, stored.account) != entry.digest:
        return [Finding(code="receipt_altered", message=f"receipt {stored.seq} ({stored.id}) was altered")]
    return []
