"""Checkpoints: a root over the ledger so far, to be signed. A chain alone cannot show a cut tail; this can."""

from __future__ import annotations

from collections.abc import Iterable

from muniment.ledger import merkle
from muniment.model.entry import Checkpoint, LedgerHead, SignedCheckpoint
from muniment.model.times import Instant


def make_checkpoint(
    head: LedgerHead,
    hashes: Iterable[bytes],
    *,
    previous: SignedCheckpoint | None,
    receipts: tuple[int, bytes],
    at: Instant,
    key: str,
) -> tuple[Checkpoint, tuple[str, ...]]:
    """State where the ledger stands, and the peaks to go on from. `hashes` belong to the entries after `previous`."""
    count = previous.checkpoint.seq if previous else 0
    peaks = tuple(bytes.fromhex(peak) for peak in previous.peaks) if previous else ()
    count, peaks = merkle.grow(count, peaks, hashes)
    assert count == head.seq, "a checkpoint covers every entry up to its head"
    checkpoint = Checkpoint(
        tenant=head.tenant,
        seq=head.seq,
        head=head.hash.hex(),
        root=merkle.root(peaks).hex(),
        receipts=receipts[0],
        receipts_head=receipts[1].hex(),
        at=at,
        key=key,
        previous=_previous(previous, head.seq),
    )
    return checkpoint, tuple(peak.hex() for peak in peaks)


def _previous(last: SignedCheckpoint | None, seq: int) -> int:
    """The position of the checkpoint before; one at the same entry gives up its place."""
    if last is None:
        return 0
    return last.checkpoint.previous if last.checkpoint.seq == seq else last.checkpoint.seq
