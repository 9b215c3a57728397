"""The ledger's face: show it, sign it, check it, rebuild from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from typing import TypeVar

import msgspec

from muniment.backends.clock_and_ids import signed_value_by
from muniment.engine.copies.reapply_erasures import returns
from muniment.engine.disclosures import receipts_between
from muniment.engine.place import Said
from muniment.engine.proofs import ChainLink, SigningKey, keys_of, links_of
from muniment.engine.session import Session
from muniment.engine.tenant import genesis_of
from muniment.engine.vault import look_into
from muniment.engine.witness import Witness, witness_of
from muniment.ledger import receipts
from muniment.ledger.keys import KeyHistory
from muniment.ledger.projection_check import StoredProjections
from muniment.ledger.verify import LedgerVerification
from muniment.model import checks
from muniment.model.arguments import checked
from muniment.model.entry import Entry, LedgerHead, ReceiptBinding, SignedCheckpoint, StoredEntry, VerifyFinding
from muniment.model.errors import IntegrityError, LedgerBroken, Malformed, NotPermitted, SchemaMismatch
from muniment.model.receipt import Account, ReceiptEntry
from muniment.model.times import DAY, Instant, show
from muniment.model.value import Value, read_canonical
from muniment.policy.decide import decide_review
from muniment.policy.rules import Action
from muniment.ports.store import Snapshot, TenantStore, Unit
from muniment.write.commit import rebuild
from muniment.write.receipt_retention import AT_ONCE, first_whole, last_before, last_beyond, trim

_GROUNDS = ("entry_", "document_", "checkpoint_", "ledger_", "head_", "clock_", "key_")
"""Findings that concern what a replay would be built on, not what it builds."""
RESTORED = "ledger_restored"
"""The code of the finding that a ledger went back to before an anchored head, and says so itself."""
_PROOF = "proof_rolled_back"
"""The code of the finding that receipts or a checkpoint that an anchored head saw are gone."""
_AWAY = frozenset({"head_differs", "ledger_rolled_back", _PROOF})
Progress = Callable[[int], None]
FIRST, LAST = -(2**63), 2**63 - 1
"""Every position a store can hold, legal or not."""
_PAGE = 128
"""So many receipts are read at once when all are told: each of some kilobytes."""
_T = TypeVar("_T")


class VerificationState(StrEnum):
    """What a verification comes to: nothing is wrong; the ledger is sound and was put back, by a restore, to before the
    head it is held against; something is damaged or was changed."""

    SOUND = "sound"
    RESTORED = "restored"
    DAMAGED = "damaged"


class VerificationResult(Value):
    """The result of a verification. `ok` is the absence of findings, not an opinion. `bound_since` is the first entry
    that binds the receipts and checkpoints beside the ledger; entries of earlier releases did not."""

    ok: bool
    entries: int
    receipts: int
    findings: tuple[VerifyFinding, ...]
    head: LedgerHead | None
    bound_since: int | None = None

    @property
    def state(self) -> VerificationState:
        if self.ok:
            return VerificationState.SOUND
        restored = all(finding.code == RESTORED for finding in self.findings)
        return VerificationState.RESTORED if restored else VerificationState.DAMAGED


class CheckedCounts(Value):
    """How many entries and receipts one moment of a store had, and since which entry they are bound."""

    entries: int = 0
    receipts: int = 0
    bound_since: int | None = None


class RebuildResult(Value):
    """The result of a replay: how many entries were applied, and whether the tables were already what they say."""

    entries: int
    identical: bool


class TrimResult(Value):
    """What retention took from receipts: from how many, and how many bytes fewer they take now. With `dry_run` how many
    it would be, and no bytes."""

    receipts: int
    saved_bytes: int = 0


def _silent(_: int) -> None:
    return None


@checked
class LedgerFace:
    """Everything about one tenant's ledger. Needs the right to audit."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def trim(
        self,
        *,
        older_than_days: float | None = None,
        keep_bytes: int | None = None,
        dry_run: bool = False,
        progress: Progress = _silent,
    ) -> TrimResult:
        """Take from old receipts everything but who was told what, for what and when, and the counts: from those older
        than so many days, and from the oldest until the others take no more than `keep_bytes`. The log still verifies,
        and use and disclosures are still counted; what is left can be read and no longer decided again. Needs the right
        to erase anywhere. Done in steps that are each durable: what was done before an interruption stays done."""
        tenant, actor = self._session.tenant, self._session.actor
        if decide_review(tenant.bench.policy, actor, Action.FORGET, None, None) is None:
            raise NotPermitted(actor.id, "trim the receipts")
        if older_than_days is None and keep_bytes is None:
            raise Malformed("older_than_days", "a number of days, or `keep_bytes` in its place")
        if older_than_days is not None:
            checks.number("older_than_days", older_than_days)
            if not 0 <= older_than_days <= 4_000_000:
                raise Malformed("older_than_days", "a number of days from 0 to 4000000")
        if keep_bytes is not None:
            checks.whole("keep_bytes", keep_bytes, least=0, most=2**62)
        with tenant.store.read() as snapshot:
            first, last = first_whole(snapshot), 0
            if older_than_days is not None:
                last = last_before(snapshot, Instant(int(tenant.clock.now() - older_than_days * DAY)))
            if keep_bytes is not None:
                last = max(last, last_beyond(snapshot, first, keep_bytes))
        if dry_run:
            return TrimResult(receipts=max(0, last - first + 1))
        done = saved = 0
        for start in range(first, last + 1, AT_ONCE):
            end = min(last, start + AT_ONCE - 1)
            count, fewer = tenant.store.write(partial(self._trim, first=start, last=end))
            done, saved = done + count, saved + fewer
            progress(done)
        if done:
            tenant.wrote(self._position())
        return TrimResult(receipts=done, saved_bytes=saved)

    def _trim(self, unit: Unit, first: int, last: int) -> tuple[int, int]:
        return trim(unit, self._session.tenant.bench, self._session.actor, first, last)

    def _position(self) -> int:
        with self._session.tenant.store.read() as snapshot:
            head = snapshot.ledger.head()
        return head.seq if head is not None else 0

    def _permit(self, operation: str) -> None:
        if decide_review(self._session.tenant.bench.policy, self._session.actor, Action.AUDIT, None, None) is None:
            raise NotPermitted(self._session.actor.id, operation)

    def head(self) -> LedgerHead:
        """Where the ledger stands. Keep a copy elsewhere and `verify` will notice a store that was rolled back."""
        self._permit("read the ledger")
        with self._session.tenant.store.read() as snapshot:
            head = snapshot.ledger.head()
            log = snapshot.receipts.head()
        assert head is not None, "a ledger begins with its genesis"
        return msgspec.structs.replace(head, receipts=log[0], receipts_head=log[1].hex() if log[0] else "")

    def entries(self, first: int = 1, last: int = 2**62) -> tuple[Entry, ...]:
        self._permit("read the ledger")
        checks.whole("first", first, least=0, most=2**62)
        checks.whole("last", last, least=0, most=2**62)
        with self._session.tenant.store.read() as snapshot:
            return tuple(read_canonical(stored.body, Entry) for stored in snapshot.ledger.entries(first, last))

    def chain(self, first: int = 1, last: int = 2**62) -> tuple[ChainLink, ...]:
        """The same entries as bytes, for whoever hashes them again. The genesis holds a secret, and only its hash is
        told."""
        self._permit("read the ledger")
        checks.whole("first", first, least=0, most=2**62)
        checks.whole("last", last, least=0, most=2**62)
        with self._session.tenant.store.read() as snapshot:
            return tuple(links_of(snapshot, first, last))

    def receipts(
        self, first: int = 1, last: int = 2**62, *, newest: bool = False
    ) -> Iterator[tuple[ReceiptEntry, Account]]:
        """Everything that was told, oldest first or the `newest`: the entry of the receipt log, and the account it
        commits to."""
        self._permit("read the receipts")
        checks.whole("first", first, least=0, most=2**62)
        checks.whole("last", last, least=0, most=2**62)
        return self._receipts(first, last, newest)

    def _receipts(self, first: int, last: int, newest: bool) -> Iterator[tuple[ReceiptEntry, Account]]:
        """A page at a time, each in a read of its own: a caller who takes long holds no moment of the store."""
        with self._session.tenant.store.read() as snapshot:
            last = min(last, snapshot.receipts.head()[0])
        while first <= last:
            low, high = (max(first, last - _PAGE + 1), last) if newest else (first, min(last, first + _PAGE - 1))
            with self._session.tenant.store.read() as snapshot:
                page = tuple(receipts_between(snapshot, low, high, newest=newest))
            yield from page
            first, last = (first, low - 1) if newest else (high + 1, last)

    def checkpoints(self, *, before: int | None = None, limit: int = 50) -> tuple[SignedCheckpoint, ...]:
        """The last checkpoints, or the last of entries `before` one, the furthest first."""
        self._permit("read the ledger")
        if before is not None:
            checks.whole("before", before, least=0, most=2**62)
        checks.whole("limit", limit, least=1, most=1_000)
        with self._session.tenant.store.read() as snapshot:
            return snapshot.ledger.checkpoints_before(2**62 if before is None else before, limit=limit)

    def keys(self) -> tuple[SigningKey, ...]:
        """The public halves of the keys that have signed here, in the order they came into force."""
        self._permit("read the ledger")
        with self._session.tenant.store.read() as snapshot:
            return keys_of(snapshot, self._session.tenant.store.tenant)

    def checkpoint(self) -> SignedCheckpoint:
        """Sign where the ledger stands now."""
        self._permit("sign a checkpoint")
        signed = self._session.tenant.sign()
        if self._session.tenant.witness is not None:
            self._session.tenant.witness.settled()
        return signed

    def verify(self, *, anchor: LedgerHead | None = None, progress: Progress = _silent) -> VerificationResult:
        """Check everything against everything. Never raises for damage: damage is what it is there to report."""
        self._permit("verify the ledger")
        tenant = self._session.tenant
        found = verify_store(tenant.store, tenant.keys_here(), anchor=anchor, witness=tenant.witness, progress=progress)
        beside = tuple(tenant.aside.findings()) if tenant.aside is not None else ()
        if not beside:
            return found
        return msgspec.structs.replace(found, ok=False, findings=(*found.findings, *beside))

    def replay(self, *, progress: Progress = _silent) -> RebuildResult:
        """Rebuild every projection from entries and documents, in one transaction, and say whether anything changed.

        Refuses when the chain itself is broken: a damaged ledger is no ground to rebuild from.
        """
        self._permit("replay the ledger")
        before = self.verify()
        broken = [finding for finding in before.findings if finding.code.startswith(_GROUNDS)]
        if broken:
            raise LedgerBroken(f"the ledger cannot be replayed: {broken[0].message}", seq=broken[0].seq)
        count = self._session.tenant.store.write(lambda unit: rebuild(unit, None, upto=LAST, progress=progress))
        return RebuildResult(entries=count, identical=before.ok)


def verify_vault(
    said: Said, tenant: str, *, anchor: LedgerHead | None = None, progress: Progress = _silent
) -> VerificationResult:
    """Check a tenant that is too damaged to be opened for work. For whoever holds the vault; asks no policy."""
    vault, keys = look_into(said)
    try:
        store = vault.open(tenant, create=False)
        here = frozenset(one.key_id for one in keys.here())
        return verify_store(store, here, anchor=anchor, witness=witness_of(said, tenant), progress=progress)
    except SchemaMismatch:
        raise  # another release wrote it; that is no damage
    except IntegrityError as error:
        finding = VerifyFinding(code="store_damaged", message=str(error))
        return VerificationResult(ok=False, entries=0, receipts=0, findings=(finding,), head=None)
    finally:
        vault.close()


def verify_store(
    store: TenantStore,
    keys: frozenset[str],
    *,
    anchor: LedgerHead | None = None,
    witness: Witness | None = None,
    progress: Progress = _silent,
) -> VerificationResult:
    """Check one store: its format, its chain, its documents, its projections, its signatures and its receipts.

    `keys` are those whose private half the vault has: one of them must be in force at the end."""
    findings: list[VerifyFinding] = []
    checked, head = CheckedCounts(), None
    with ThreadPoolExecutor(1) as beside:  # the store's own checks run outside the interpreter's lock
        format_check = beside.submit(store.integrity)
        with _reported(findings), store.read() as snapshot:
            checked = check_snapshot(snapshot, store.tenant, keys, findings, anchor=anchor, progress=progress)
            head = snapshot.ledger.head()
            genesis_of(snapshot, store.tenant)
            findings += witness.findings(snapshot) if witness is not None else ()
        findings += (VerifyFinding(code="store_damaged", message=text) for text in format_check.result())
        with _reported(findings), store.read() as snapshot:
            findings = _explained(snapshot, findings, anchor)
    return VerificationResult(
        ok=not findings,
        entries=checked.entries,
        receipts=checked.receipts,
        findings=tuple(findings),
        head=head,
        bound_since=checked.bound_since,
    )


def check_snapshot(
    snapshot: Snapshot,
    tenant: str,
    keys: frozenset[str],
    findings: list[VerifyFinding],
    *,
    anchor: LedgerHead | None = None,
    progress: Progress = _silent,
) -> CheckedCounts:
    """Check one moment of a store against itself, adding to `findings`."""
    checkpoints = tuple(_readable("checkpoints", snapshot.ledger.checkpoints(), findings))
    line = KeyHistory(tenant, signed_value_by)
    run = LedgerVerification(
        tenant,
        entries=line.along(_readable("entries", snapshot.ledger.entries(FIRST, LAST), findings)),
        documents=_readable("documents", snapshot.documents.all(), findings),
        checkpoints=checkpoints,
        certificates=_readable("certificates", snapshot.ledger.certificates(), findings),
        stored=StoredProjections(
            cards=_readable("cards", snapshot.catalogue.all(), findings),
            proposals=_readable("proposals", snapshot.desk.proposals(), findings),
            standings=_readable("standings", snapshot.catalogue.moves(), findings),
            conflicts=_readable("conflicts", snapshot.desk.conflicts(), findings),
            edges=_readable("links", snapshot.links.all(), findings),
            mentions=_readable("mentions", snapshot.names.all_mentions(), findings),
            aliases=_readable("aliases", snapshot.names.all_aliases(), findings),
            notes=_readable("notes", snapshot.notes.all(), findings),
            tombstones=_readable("tombstones", snapshot.catalogue.tombstones(), findings),
        ),
        genuine=line.vouches_for,
        attested=lambda signed: line.vouches(signed.certificate, signed.signature, signed.certificate.key),
        anchor=anchor,
    )
    findings += run.run(progress)
    findings += line.findings
    findings += _unsigned(line, checkpoints, keys)
    stored = _readable("receipts", snapshot.receipts.all(), findings)
    told = _readable("tellings", snapshot.receipts.all_told(), findings)
    bound = _Bindings(snapshot)
    log, found = receipts.verify(tenant, stored, checkpoints, told, blanked=run.receipts, binding=bound.receipts())
    findings += found
    findings += bound.checkpoints_missing(checkpoints)
    if anchor is not None and not any(one.code in _AWAY for one in findings):
        findings += _gone_since(anchor, snapshot, log, checkpoints)
    return CheckedCounts(entries=run.entries, receipts=log, bound_since=bound.since)


class _Binds(Value, forbid_unknown_fields=False):
    """What an entry binds beside the ledger."""

    bound: ReceiptBinding | None = None


class _Bindings:
    """What the entries of a ledger bind beside it, read once more and in order: so none of it has to be kept. An entry
    that cannot be read was named before."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._checkpoints: dict[int, int] = {}
        """Checkpoints that are bound, by the first entry that binds each."""
        self.since: int | None = None
        """The first entry that binds anything."""

    def receipts(self) -> Iterator[receipts.Binding]:
        try:
            for stored in self._snapshot.ledger.entries(FIRST, LAST):
                bound = _bound_by(stored)
                if bound is not None:
                    self.since = self.since or stored.seq
                    self._checkpoints.setdefault(bound.checkpoint, stored.seq)
                    yield receipts.Binding(entry=stored.seq, receipts=bound.receipts, head=bound.receipts_head)
        except IntegrityError:
            return  # where the entries cannot be read any further was told before

    def checkpoints_missing(self, checkpoints: tuple[SignedCheckpoint, ...]) -> Iterator[VerifyFinding]:
        there = {0, *(one.checkpoint.seq for one in checkpoints)}
        for seq, entry in sorted(self._checkpoints.items()):
            if seq not in there:
                message = f"the checkpoint at entry {seq}, which entry {entry} binds, is gone"
                yield VerifyFinding(code="checkpoint_missing", message=message, seq=seq)


def _bound_by(stored: StoredEntry) -> ReceiptBinding | None:
    try:
        return read_canonical(stored.body, _Binds).bound
    except IntegrityError:
        return None


def _gone_since(
    anchor: LedgerHead, snapshot: Snapshot, log: int, checkpoints: tuple[SignedCheckpoint, ...]
) -> Iterator[VerifyFinding]:
    """What an anchored head saw beside the ledger and is not there now."""
    if anchor.receipts:
        stored = next(snapshot.receipts.since(anchor.receipts - 1), None)
        if anchor.receipts > log:
            message = f"the anchored head saw {anchor.receipts} receipts, the log has {log}"
            yield VerifyFinding(code=_PROOF, message=message)
        elif stored is None or stored.seq != anchor.receipts or stored.hash.hex() != anchor.receipts_head:
            yield VerifyFinding(code=_PROOF, message=f"receipt {anchor.receipts} is not the one that was anchored")
    if anchor.checkpoint and all(one.checkpoint.seq != anchor.checkpoint for one in checkpoints):
        message = f"the anchored head saw a checkpoint at entry {anchor.checkpoint}, which is gone"
        yield VerifyFinding(code=_PROOF, message=message, seq=anchor.checkpoint)


def _unsigned(
    line: KeyHistory, checkpoints: tuple[SignedCheckpoint, ...], keys: frozenset[str]
) -> Iterator[VerifyFinding]:
    """What a line of keys owes: the last of them is the vault's, and each that came later began with a checkpoint."""
    if line.key not in keys:
        message = "the ledger's signing key is not the vault's"
        yield VerifyFinding(code="foreign_key", message=message, seq=line.spans[-1].since if line.spans else 1)
    signed = {one.checkpoint.seq for one in checkpoints}
    for span in line.spans[1:]:
        if span.since not in signed:
            message = f"the checkpoint with which the key of entry {span.since} came into force is gone"
            yield VerifyFinding(code="checkpoint_missing", message=message, seq=span.since)
    for one in checkpoints:
        if one.checkpoint.previous and one.checkpoint.previous not in signed:
            message = f"the checkpoint at entry {one.checkpoint.previous}, on which a later one goes on, is gone"
            yield VerifyFinding(code="checkpoint_missing", message=message, seq=one.checkpoint.previous)


def _explained(snapshot: Snapshot, findings: list[VerifyFinding], anchor: LedgerHead | None) -> list[VerifyFinding]:
    """Tell a restore from a change: a ledger that is not the anchored one, is sound beside that, and says itself, under
    a checkpoint signed since, that it was put back to before the anchored head."""
    last = snapshot.ledger.last_checkpoint()
    if anchor is None or last is None or not findings or any(one.code not in _AWAY for one in findings):
        return findings
    for note, told in returns(snapshot):
        known = told.lost_seq is None or anchor.seq < told.lost_seq or anchor.hash.hex() == told.lost_hash
        if note.seq <= last.checkpoint.seq and told.backup_seq <= anchor.seq and known:
            message = (
                f"a restore at {show(Instant(note.at))} put the ledger back to entry {told.backup_seq}, "
                f"before the anchored head at {anchor.seq}"
            )
            return [VerifyFinding(code=RESTORED, message=message, seq=note.seq)]
    return findings


@contextmanager
def _reported(findings: list[VerifyFinding]) -> Iterator[None]:
    """Turn damage met on the way into a finding."""
    try:
        yield
    except IntegrityError as error:
        findings.append(VerifyFinding(code="store_damaged", message=str(error)))


def _readable(name: str, stream: Iterator[_T], findings: list[VerifyFinding]) -> Iterator[_T]:
    """A stream that ends where the store can no longer be read, and says so."""
    try:
        yield from stream
    except IntegrityError as error:
        findings.append(VerifyFinding(code="store_damaged", message=f"the {name} cannot be read to the end: {error}"))
