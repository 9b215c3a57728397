"""Where the tenants of a backup are made ready: copied, checked, and relieved of what was erased since."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from muniment.backends.clock_and_ids import RandomIds
from muniment.backends.sealing import VaultKey
from muniment.backends.sqlite.store import SqliteTenant, SqliteVault, file_name, leave_bare
from muniment.engine.audit import verify_store
from muniment.engine.copies.backup import Told
from muniment.engine.copies.manifest import BackupManifest, TenantBackup, damaged, digest
from muniment.engine.copies.reapply_erasures import (
    CertifiedErasure,
    NewerState,
    ReappliedErasures,
    RestoreNote,
    note_return,
    reapply,
)
from muniment.engine.tenant import Tenant
from muniment.model.actor import OWNER
from muniment.model.entry import LedgerHead
from muniment.model.errors import Malformed, StoreUnavailable
from muniment.model.value import Value
from muniment.policy.decide import resolve
from muniment.policy.rules import Policy
from muniment.ports.clock_and_ids import Clock, Signer
from muniment.ports.store import Unit
from muniment.write.key_changes import hand_over, key_in_force


class RestoredTenant(Value):
    """One tenant that was put back: where its ledger stood (None: it was not there), where the backup's stands and
    where it stands now; whether the backup's head lay on the way to where it stood; what was done again."""

    tenant: str
    was: int | None
    backup: int
    head: LedgerHead
    ahead: bool
    redone: ReappliedErasures


class StagingArea:
    """A folder in which tenants are made ready under one policy and one key. `former` is a key that may have been in
    force when the backup was made, `keys` are the public halves of all that the vault has had,
    `seal` is what its files are encrypted with."""

    def __init__(
        self,
        *,
        backup: Path,
        manifest: BackupManifest,
        draft: Path,
        policy: Policy,
        signer: Signer,
        former: Signer | None,
        keys: frozenset[str],
        seal: VaultKey | None,
        clock: Clock,
        progress: Told,
    ) -> None:
        self._backup, self._manifest, self._draft = backup, manifest, draft
        self._policy, self._signer, self._former = policy, signer, former
        self._keys, self._seal = keys, seal
        self._clock, self._ids, self._progress = clock, RandomIds(), progress

    def bring(self, copy: TenantBackup, later: NewerState, given: Iterable[CertifiedErasure]) -> RestoredTenant:
        """Make one tenant ready. It is verified as it comes, and again when anything was erased from it."""
        self._fetch(copy)
        stores = SqliteVault(self._draft, key=self._seal)
        try:
            store = stores.open(copy.tenant, create=True)  # a backup by an older release is brought up to date
            self._verify(store, copy)
            redone = self._redo(store, copy, later, given)
            if redone.certificates:
                self._verify(store, None)
            with store.read() as snapshot:
                head = snapshot.ledger.head()
        finally:
            stores.close()
        leave_bare(self._draft / file_name(copy.tenant))
        assert head is not None, "a ledger begins with its genesis"
        was = later.head.seq if later.head is not None else None
        return RestoredTenant(tenant=copy.tenant, was=was, backup=copy.seq, head=head, ahead=later.ahead, redone=redone)

    def _fetch(self, copy: TenantBackup) -> None:
        target = self._draft / file_name(copy.tenant)
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        shutil.copyfile(self._backup / copy.path, target)
        part = next(part for part in self._manifest.parts if part.path == copy.path)
        if digest(target) != part.sha256:
            raise damaged(f"{copy.path} changed while it was read")

    def _verify(self, store: SqliteTenant, copy: TenantBackup | None) -> None:
        """Check a store from the first entry to the last; as it comes, its head must be the one the manifest tells."""
        what = f"checking {store.tenant}"
        found = verify_store(
            store,
            self._keys,
            anchor=copy.head if copy is not None else None,
            progress=lambda done: self._progress(what, done, 0),
        )
        if not found.ok:
            raise damaged(f"tenant {store.tenant} of the backup does not verify: {found.findings[0].message}")
        if copy is not None and (found.head is None or found.head.hash.hex() != copy.hash):
            raise damaged(f"tenant {store.tenant} of the backup goes on after the head its manifest tells")

    def _redo(
        self, store: SqliteTenant, copy: TenantBackup, later: NewerState, given: Iterable[CertifiedErasure]
    ) -> ReappliedErasures:
        self._take_over(store)
        opened = Tenant(store, self._policy, signer=self._signer, clock=self._clock, ids=self._ids)
        owner = resolve(self._policy, OWNER)

        def job(unit: Unit) -> ReappliedErasures:
            redone = reapply(unit, later, given, opened.bench, opened.signing, owner)
            note_return(unit, self._return(copy, later, redone), opened.bench)
            return redone

        try:
            redone = store.write(job)
            if redone.certificates and not store.scrub():
                raise StoreUnavailable(f"what was erased from {copy.tenant} is still in its file; try again")
            opened.sign()
        finally:
            opened.close()
        return redone

    def _return(self, copy: TenantBackup, later: NewerState, redone: ReappliedErasures) -> RestoreNote:
        lost = later.head
        return RestoreNote(
            made_at=self._manifest.made_at,
            backup_seq=copy.seq,
            backup_hash=copy.hash,
            lost_seq=lost.seq if lost is not None else None,
            lost_hash=lost.hash.hex() if lost is not None else None,
            certificates=redone.certificates,
        )

    def _take_over(self, store: SqliteTenant) -> None:
        """Hand a ledger from the key it was signed with then to the one the vault has now."""
        with store.read() as snapshot:
            due = key_in_force(snapshot)
        if due == self._signer.key_id:
            return
        former = self._former
        if former is None or former.key_id != due:
            raise Malformed(
                "signing_key",
                "the private key that was in force when the backup was made; the vault's own came later",
                hint="Name its file with --signing-key, or take a backup made after the key was changed.",
            )
        reason = "the ledger was put back to before its key was changed"
        store.write(
            lambda unit: hand_over(
                unit, former, self._signer, actor=OWNER, reason=reason, clock=self._clock, ids=self._ids
            )
        )
