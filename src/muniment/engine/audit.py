"""The ledger's face: show it, sign it, check it, rebuild from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from muniment.backends.world import signed_by
from muniment.engine.tenant import Tenant, genesis_of
from muniment.ledger import receipts
from muniment.ledger.verify import Streams, Verification
from muniment.model.actor import Actor
from muniment.model.entry import Entry, Finding, Head, SignedCheckpoint
from muniment.model.errors import IntegrityError, LedgerBroken, NotPermitted
from muniment.model.value import Value, read_canonical
from muniment.policy.decide import decide_review
from muniment.policy.rules import Action
from muniment.ports.store import Snapshot
from muniment.write.commit import rebuild

_GROUNDS = ("entry_", "document_", "checkpoint_", "ledger_", "head_", "clock_")
"""Findings that concern what a replay would be built on, not what it builds."""
Progress = Callable[[int], None]
_T = TypeVar("_T")


class Verified(Value):
    """The result of a verification. `ok` is the absence of findings, not an opinion."""

    ok: bool
    entries: int
    receipts: int
    findings: tuple[Finding, ...]
    head: Head | None


class Rebuilt(Value):
    """The result of a replay: how many entries were applied, and whether the tables were already what they say."""

    entries: int
    identical: bool


def _silent(_: int) -> None:
    return None


class LedgerFace:
    """Everything about one tenant's ledger. Needs the right to audit."""

    def __init__(self, tenant: Tenant, actor: Actor) -> None:
        self._tenant = tenant
        self._actor = actor

    def _permit(self, operation: str) -> None:
        if decide_review(self._tenant.bench.policy, self._actor, Action.AUDIT, None, None) is None:
            raise NotPermitted(self._actor.id, operation)

    def head(self) -> Head:
        """Where the ledger stands. Keep a copy elsewhere and `verify` will notice a store that was rolled back."""
        self._permit("read the ledger")
        with self._tenant.store.read() as snapshot:
            head = snapshot.ledger.head()
        assert head is not None, "a ledger begins with its genesis"
        return head

    def entries(self, first: int = 1, last: int = 2**62) -> tuple[Entry, ...]:
        self._permit("read the ledger")
        with self._tenant.store.read() as snapshot:
            return tuple(read_canonical(stored.body, Entry) for stored in snapshot.ledger.entries(first, last))

    def checkpoint(self) -> SignedCheckpoint:
        """Sign where the ledger stands now."""
        self._permit("sign a checkpoint")
        return self._tenant.sign()

    def verify(self, *, anchor: Head | None = None, progress: Progress = _silent) -> Verified:
        """Check everything against everything. Never raises for damage: damage is what it is there to report."""
        self._permit("verify the ledger")
        findings: list[Finding] = []
        count, log, head = 0, 0, None
        with ThreadPoolExecutor(1) as beside:  # the store's own checks run outside the interpreter's lock
            format_check = beside.submit(self._tenant.store.integrity)
            with _reported(findings), self._tenant.store.read() as snapshot:
                count, log, head, found = self._check(snapshot, anchor, progress)
                findings += found
            findings += (Finding(code="store_damaged", message=text) for text in format_check.result())
        return Verified(ok=not findings, entries=count, receipts=log, findings=tuple(findings), head=head)

    def _check(
        self, snapshot: Snapshot, anchor: Head | None, progress: Progress
    ) -> tuple[int, int, Head | None, list[Finding]]:
        findings: list[Finding] = []
        checkpoints = tuple(_readable("checkpoints", snapshot.ledger.checkpoints(), findings))
        key = self._tenant.signer.key_id
        streams = Streams(
            entries=_readable("entries", snapshot.ledger.entries(1, 2**62), findings),
            documents=_readable("documents", snapshot.documents.all(), findings),
            cards=_readable("cards", snapshot.catalogue.all(), findings),
            proposals=_readable("proposals", snapshot.desk.proposals(), findings),
            standings=snapshot.catalogue.standings,
            conflicts=_readable("conflicts", snapshot.desk.conflicts(), findings),
            checkpoints=checkpoints,
        )
        tenant = self._tenant.store.tenant
        run = Verification(tenant, streams, genuine=lambda signed: signed_by(signed, key), anchor=anchor)
        findings += run.run(progress)
        log, found = receipts.verify(tenant, _readable("receipts", snapshot.receipts.all(), findings), checkpoints)
        head: Head | None = None
        with _reported(findings):
            head = snapshot.ledger.head()
            if genesis_of(snapshot, tenant).key != key:
                findings.append(
                    Finding(code="foreign_key", message="the ledger was begun with another signing key", seq=1)
                )
        return run.entries, log, head, findings + found

    def replay(self, *, progress: Progress = _silent) -> Rebuilt:
        """Rebuild every projection from entries and documents, in one transaction, and say whether anything changed.

        Refuses when the chain itself is broken: a damaged ledger is no ground to rebuild from.
        """
        self._permit("replay the ledger")
        before = self.verify()
        broken = [finding for finding in before.findings if finding.code.startswith(_GROUNDS)]
        if broken:
            raise LedgerBroken(f"the ledger cannot be replayed: {broken[0].message}", seq=broken[0].seq)
        count = self._tenant.store.write(lambda unit: rebuild(unit, None, upto=2**62, progress=progress))
        return Rebuilt(entries=count, identical=before.ok)


@contextmanager
def _reported(findings: list[Finding]) -> Iterator[None]:
    """Turn damage met on the way into a finding."""
    try:
        yield
    except IntegrityError as error:
        findings.append(Finding(code="store_damaged", message=str(error)))


def _readable(name: str, stream: Iterator[_T], findings: list[Finding]) -> Iterator[_T]:
    """A stream that ends where the store can no longer be read, and says so."""
    try:
        yield from stream
    except IntegrityError as error:
        findings.append(Finding(code="store_damaged", message=f"the {name} cannot be read to the end: {error}"))
