"""The receipt log's chain: link receipts, check them. Separate from the ledger, so that reading does not advance it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec

from muniment.ledger.chain import VERSION, ZERO, commitment, link_receipt
from muniment.model.actor import Actor
from muniment.model.entry import SignedCheckpoint, VerifyFinding
from muniment.model.errors import IntegrityError
from muniment.model.packed_receipt import pack, receipt_summary
from muniment.model.receipt import Account, Candidate, ReceiptEntry, StoredReceipt
from muniment.model.rows import ToldRow
from muniment.model.times import MIN, Instant
from muniment.model.value import Value, canonical, read_canonical


class SealedReceipt(Value):
    """An account that is spelled out and committed to, and what it tells to whom: everything about a receipt that does
    not depend on the one before it."""

    entry: ReceiptEntry
    salt: bytes
    account: bytes
    told: tuple[ToldRow, ...]


def seal(account: Account, *, tenant: str, receipt: str, at: Instant, epoch: int, salt: bytes) -> SealedReceipt:
    """Spell an account out and commit to it, before anybody waits for the log."""
    body = canonical(pack(account))
    digest = commitment(salt, body)
    entry = ReceiptEntry(v=VERSION, tenant=tenant, seq=1, id=receipt, at=at, epoch=epoch, digest=digest)
    listed = account.query.listing is not None
    told = _tellings(account.actor, account.candidates, account.notified, listed=listed, at=at)
    return SealedReceipt(entry=entry, salt=salt, account=body, told=told)


def follow(sealed: SealedReceipt, head: tuple[int, bytes]) -> StoredReceipt:
    """Make a sealed account the next link after `head`."""
    seq = head[0] + 1
    link = canonical(msgspec.structs.replace(sealed.entry, seq=seq))
    return StoredReceipt(
        seq=seq,
        id=sealed.entry.id,
        body=link,
        hash=link_receipt(head[1], link),
        salt=sealed.salt,
        account=sealed.account,
    )


def disclosures(stored: StoredReceipt) -> tuple[ToldRow, ...]:
    """What a receipt says was told, and to whom."""
    entry, gist = read_canonical(stored.body, ReceiptEntry), receipt_summary(stored.account)
    return _tellings(gist.actor, gist.told(), gist.notified, listed=gist.query.listing is not None, at=entry.at)


def _tellings(
    actor: Actor, candidates: tuple[Candidate, ...], notified: tuple[int, ...], *, listed: bool, at: Instant
) -> tuple[ToldRow, ...]:
    """To be listed is to be told, and no use of a record; nor is to be told that it was withdrawn."""
    told = sorted(candidate.rid for candidate in candidates if candidate.disclosed)
    used, last = (0, MIN) if listed else (1, at)
    ended = sorted({*notified} - {*told})
    return (
        *(ToldRow(rid=rid, actor=actor.id, count=used, last=last) for rid in told),
        *(ToldRow(rid=rid, actor=actor.id, count=0, last=at) for rid in ended),
    )


def verify(
    tenant: str,
    receipts: Iterable[StoredReceipt],
    checkpoints: Iterable[SignedCheckpoint],
    told: Iterable[ToldRow],
    *,
    blanked: Mapping[int, str],
    binding: Iterable[Binding] = (),
) -> tuple[int, list[VerifyFinding]]:
    """Check the log against itself, against what checkpoints and entries say of it, and what is counted from it against
    it; return its length and the findings. `blanked` are the commitments of receipts that lost words, `binding` what
    the entries of the ledger bind, in their order."""
    expected: dict[tuple[int, str], ToldRow] = {}
    owed = {signed.checkpoint.receipts: signed.checkpoint.receipts_head for signed in checkpoints}
    owed.pop(0, None)
    findings: list[VerifyFinding] = []
    ties = _Ties(binding, findings.append)
    count = 0
    predecessors: tuple[bytes, ...] = (ZERO,)
    for stored in receipts:
        if stored.seq != count + 1:
            message = f"receipt {stored.seq} stands where {count + 1} belongs"
            findings.append(VerifyFinding(code="receipt_missing", message=message))
            predecessors = ()
        count = max(count, stored.seq)
        links = [link_receipt(before, stored.body) for before in predecessors]
        findings += _check(tenant, stored, linked=not predecessors or stored.hash in links, blanked=blanked)
        predecessors = tuple(dict.fromkeys((stored.hash, *links)))
        _count(stored, expected)
        if owed.pop(stored.seq, stored.hash.hex()) != stored.hash.hex():
            message = f"receipt {stored.seq} is not the one a checkpoint covers"
            findings.append(VerifyFinding(code="receipt_altered", message=message))
        ties.met(stored)
    ties.ended(count)
    findings += (
        VerifyFinding(
            code="receipts_truncated", message=f"a signed checkpoint covers {seq} receipts, the log has {count}"
        )
        for seq in sorted(owed)
    )
    actual = {(row.rid, row.actor): row for row in told}
    findings += (
        VerifyFinding(code="telling_differs", message=f"what was told of revision {rid} is not what the receipts say")
        for rid in sorted({key[0] for key in actual.keys() | expected.keys() if actual.get(key) != expected.get(key)})
    )
    return count, findings


class Binding(Value):
    """How many receipts there were when an entry was made, and the hash of the last of them."""

    entry: int
    receipts: int
    head: str


class _Ties:
    """Holds the log against what entries bind of it. Both are read in order, and once."""

    def __init__(self, binding: Iterable[Binding], report: Callable[[VerifyFinding], None]) -> None:
        self._binding = iter(binding)
        self._report = report
        self._next = next(self._binding, None)

    def met(self, stored: StoredReceipt) -> None:
        """A receipt is there. The first entry that binds another in its place is named."""
        named = False
        while self._next is not None and self._next.receipts <= stored.seq:
            other = self._next.receipts == stored.seq and self._next.head != stored.hash.hex()
            if other and not named:
                message = f"receipt {stored.seq} is not the one that entry {self._next.entry} binds"
                self._report(VerifyFinding(code="receipt_altered", message=message, seq=self._next.entry))
                named = True
            self._next = next(self._binding, None)

    def ended(self, count: int) -> None:
        """No receipt is left. What entries bind beyond that is missing, and is named as one piece."""
        last = self._next
        for one in self._binding:
            if last is None or one.receipts > last.receipts:
                last = one
        if last is not None and last.receipts > count:
            lost = f"receipts {count + 1} to {last.receipts} are missing"
            message = f"{lost}: entry {last.entry} binds {last.receipts}, the log has {count}"
            self._report(VerifyFinding(code="receipts_truncated", message=message, seq=last.entry))


def _count(stored: StoredReceipt, expected: dict[tuple[int, str], ToldRow]) -> None:
    """Add what a receipt tells of. One that cannot be read has been named already."""
    try:
        rows = disclosures(stored)
    except IntegrityError:
        return
    for row in rows:
        known = expected.get((row.rid, row.actor))
        count, last = (known.count, known.last) if known is not None else (0, row.last)
        sum_ = ToldRow(rid=row.rid, actor=row.actor, count=count + row.count, last=Instant(max(last, row.last)))
        expected[row.rid, row.actor] = sum_


def _check(tenant: str, stored: StoredReceipt, *, linked: bool, blanked: Mapping[int, str]) -> list[VerifyFinding]:
    try:
        entry = read_canonical(stored.body, ReceiptEntry)
    except IntegrityError as error:
        return [VerifyFinding(code="receipt_unreadable", message=f"receipt {stored.seq}: {error}")]
    sound = linked and entry.id == stored.id and entry.seq == stored.seq and entry.tenant == tenant
    if not sound or commitment(stored.salt, stored.account) != blanked.get(stored.seq, entry.digest):
        return [VerifyFinding(code="receipt_altered", message=f"receipt {stored.seq} ({stored.id}) was altered")]
    return []
