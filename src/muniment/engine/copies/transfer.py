"""Write a tenant of a vault to an archive, and take one in where there is none of that name."""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

from muniment.backends.clock_and_ids import FileSigner, RandomIds, SystemClock
from muniment.backends.sqlite.copying import sync
from muniment.backends.sqlite.open_lock import shut
from muniment.backends.sqlite.store import SqliteVault, file_name, leave_bare, refuse_left
from muniment.engine.audit import check_snapshot, verify_store
from muniment.engine.copies.archive import Archive, Header, Progress, Trailer, broken, write_archive
from muniment.engine.copies.backup import sync_tree, write_private
from muniment.engine.copies.reapply_erasures import (
    CertifiedErasure,
    NewerState,
    ReappliedErasures,
    RestoreNote,
    note_return,
    reapply,
)
from muniment.engine.copies.temporary_folders import draft_beside, move_in, near
from muniment.engine.database import begin, database_there, keys_of, shared_vault
from muniment.engine.keyholding import VaultKeys, folder_keys
from muniment.engine.moving.unfinished_moves import MARK, guarded_place
from muniment.engine.place import Database, Folder, Said, place_of
from muniment.engine.proofs import keys_of as keys_in
from muniment.engine.signing import certified, holder, public_keys
from muniment.engine.tenant import genesis_of, policy_of
from muniment.engine.vault import is_vault, look_into, open_vault, stores_at, there_is
from muniment.model.actor import OWNER
from muniment.model.entry import LedgerHead, VerifyFinding
from muniment.model.erasure import SignedCertificate
from muniment.model.errors import ConfigurationError, IntegrityError, Malformed, NotFound, StoreUnavailable
from muniment.model.value import Value
from muniment.policy.decide import resolve
from muniment.ports.clock_and_ids import Signer
from muniment.ports.store import TenantStore, Unit, Vault
from muniment.write.commit import adopt, sign_checkpoint
from muniment.write.key_changes import hand_over, key_in_force
from muniment.write.pipeline import Bench, next_place


class ArchiveImportResult(Value):
    """What was taken in: the archive's own account, and where the ledger stands. It stands further than the archive's
    head if it was handed over to the vault's key, or if erasures were done again. `scrubbed` is False when files may
    still hold what those erased."""

    header: Header
    trailer: Trailer
    head: LedgerHead
    handed_over: bool
    redone: ReappliedErasures = ReappliedErasures()
    scrubbed: bool = True


class ArchiveImport(Value):
    """An archive that was checked and is to be taken in: with which key it may be handed over, and which erasures must
    not be undone by it."""

    header: Header
    trailer: Trailer
    signing_key: Path | None = None
    erasures: tuple[SignedCertificate, ...] = ()

    def former(self) -> Signer | None:
        return FileSigner(self.signing_key) if self.signing_key is not None else None


def export_archive(vault: Said, tenant: str, path: Path, *, progress: Progress = lambda _: None) -> Trailer:
    """Write everything that is true of a tenant to a new file. A store that does not verify is not written."""
    if not there_is(vault):
        raise ConfigurationError("vault", "a place that holds a vault; `muniment init` makes one")
    if path.exists() or path.is_symlink():
        raise Malformed("file", "a name that is free; an archive never takes the place of anything")
    stores, keys = look_into(vault)
    try:
        if tenant not in stores.tenants():
            raise NotFound("tenant", tenant)
        with draft_beside(path, "part") as draft:
            return _export(stores.open(tenant, create=False), keys, path, draft / path.name, progress)
    except OSError as error:
        raise StoreUnavailable(f"the archive cannot be written: {error.strerror}") from None
    finally:
        stores.close()


def _export(store: TenantStore, keys: VaultKeys, path: Path, draft: Path, progress: Progress) -> Trailer:
    found = verify_store(store, frozenset(one.key_id for one in keys.here()), progress=progress)
    if not found.ok:
        raise IntegrityError(f"tenant {store.tenant} does not verify: {found.findings[0].message}")
    opened = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(opened, "wb") as out, store.read() as snapshot:
        signer = holder(key_in_force(snapshot), keys.present(), keys)
        trailer = write_archive(snapshot, out, signer, release=version("muniment"), progress=progress)
        out.flush()
        os.fsync(out.fileno())
    os.link(draft, path)  # unlike a rename it takes nobody's place
    sync(path.absolute().parent)
    return trailer


def import_archive(
    vault: Said,
    path: Path,
    *,
    tenant: str | None = None,
    signing_key: Path | None = None,
    erasures: Iterable[SignedCertificate] = (),
    progress: Progress = lambda _: None,
) -> ArchiveImportResult:
    """Take a tenant in from an archive. It must not be there yet; where there is no vault, one is made with the key.

    The vault must have the key the archive's ledger is signed with. With that key as `signing_key` a vault with another
    one can take it in too: the ledger is then handed over to the vault's own. What `erasures` certify is erased again,
    in the transaction that takes the tenant in.
    """
    archive = Archive(path)
    header, trailer = archive.check(progress=progress)
    if tenant is not None and tenant != header.tenant:
        raise Malformed("tenant", "the tenant the archive is of; a ledger cannot change its name")
    taking = ArchiveImport(header=header, trailer=trailer, signing_key=signing_key, erasures=tuple(erasures))
    place = place_of(vault)
    if isinstance(place, Folder):
        return _into_folder(place.path.resolve(), archive, taking, progress)
    return _into_database(place, archive, taking, progress)


def _into_folder(vault: Path, archive: Archive, taking: ArchiveImport, progress: Progress) -> ArchiveImportResult:
    header, signing_key = taking.header, taking.signing_key
    if is_vault(vault):
        if (vault / file_name(header.tenant)).exists():
            raise _taken()
        refuse_left(vault / file_name(header.tenant))
    elif vault.exists() and (not vault.is_dir() or any(vault.iterdir())):
        raise Malformed("vault", "a vault, or a place where there is nothing yet")
    _trusted(public_keys(vault) if is_vault(vault) else (), taking)
    stores = stores_at(vault)  # to be in the vault while it lasts, and for the key of its files
    try:
        with draft_beside(near(vault), "importing") as draft:
            new = signing_key if not is_vault(vault) else None
            if new is not None:
                _lay_out(draft, new, stores)
            signer = folder_keys(draft if new is not None else vault).present()
            taken = _take_in(SqliteVault(draft, key=stores.key), archive, taking, signer, progress)
            if not taken.scrubbed:
                raise StoreUnavailable("what was erased again is still in the new file; nothing was taken in")
            _place(draft, vault, header.tenant, whole=new is not None)
            return taken
    except OSError as error:
        raise StoreUnavailable(f"the archive cannot be taken in: {error.strerror}") from None
    finally:
        stores.close()


def _into_database(place: Database, archive: Archive, taking: ArchiveImport, progress: Progress) -> ArchiveImportResult:
    """Take a tenant in in one transaction. A database without a vault gets one, with the key that was given."""
    header, signing_key = taking.header, taking.signing_key
    _trusted(public_keys(place) if database_there(place) else (), taking)
    stores = shared_vault(place, create=True)
    try:
        guarded_place(stores.drawer.get(MARK))
        if header.tenant in stores.tenants() and _begun(stores.open(header.tenant, create=False)):
            raise _taken()
        if signing_key is not None:
            begin(stores.drawer, signing_key.read_bytes())
        signer = keys_of(stores.drawer).present()
        return _take_in(stores, archive, taking, signer, progress)
    except OSError as error:
        raise StoreUnavailable(f"the archive cannot be taken in: {error.strerror}") from None
    finally:
        stores.close()


def _begun(store: TenantStore) -> bool:
    with store.read() as snapshot:
        return snapshot.ledger.head() is not None


def _taken() -> Malformed:
    return Malformed("tenant", "a tenant that is not there yet; this one is, and nothing is ever written over it")


def _lay_out(draft: Path, signing_key: Path, stores: SqliteVault) -> None:
    """A new vault with the key that was given, and nothing in it."""
    (draft / "keys").mkdir(mode=0o700)
    write_private(draft / "keys" / "signing.key", signing_key.read_bytes())
    open_vault(Folder(name=str(draft)), create=True, key=stores.key).stores.close()


def _trusted(keys: tuple[str, ...], taking: ArchiveImport) -> None:
    """Refuse an archive that no key at hand vouches for."""
    known, former = set(keys), taking.former()
    if former is not None:
        known.add(former.key_id)
    if taking.header.key not in known:
        raise Malformed(
            "signing_key",
            "the private key the archive's ledger is signed with; the vault has another one, or there is none",
            hint="Name its file with --signing-key: the ledger is handed over to the vault's own key.",
        )


def _take_in(
    stores: Vault, archive: Archive, taking: ArchiveImport, signer: Signer, progress: Progress
) -> ArchiveImportResult:
    """Fill the tenant's store, hand its ledger over if another key signed it, and erase again what must not come
    back: one transaction, so that nobody sees it with some of that done."""
    scrubbed = True
    try:
        store = stores.open(taking.header.tenant, create=True)

        def job(unit: Unit) -> tuple[bool, ReappliedErasures]:
            _fill(unit, archive, taking.header, progress)
            handed_over = _hand_over(unit, signer, taking.former())
            return handed_over, _redo(unit, taking, signer)

        handed_over, redone = store.write(job)
        if redone.certificates:
            scrubbed = store.scrub()
        with store.read() as snapshot:
            head = snapshot.ledger.head()
    finally:
        stores.close()
    assert head is not None, "a ledger begins with its genesis"
    return ArchiveImportResult(
        header=taking.header,
        trailer=taking.trailer,
        head=head,
        handed_over=handed_over,
        redone=redone,
        scrubbed=scrubbed,
    )


def fill(store: TenantStore, archive: Archive, header: Header, *, progress: Progress = lambda _: None) -> LedgerHead:
    """Fill an empty store of any make from an archive that was checked, in one transaction, or leave it empty. What
    comes out is verified before it is kept, and ends with the archive's head."""
    return store.write(lambda unit: _fill(unit, archive, header, progress))


def _fill(unit: Unit, archive: Archive, header: Header, progress: Progress) -> LedgerHead:
    if unit.ledger.head() is not None:
        raise Malformed("tenant", "a store with nothing in it")
    adopt(unit, archive, progress=progress)
    findings: list[VerifyFinding] = []
    check_snapshot(unit, header.tenant, frozenset({header.key}), findings, progress=progress)
    head = unit.ledger.head()
    if findings:
        raise broken(f"the ledger of the archive does not verify: {findings[0].message}")
    if head is None or head.hash.hex() != header.hash:
        raise broken("the ledger of the archive does not end where its header says")
    return head


def _hand_over(unit: Unit, signer: Signer, former: Signer | None) -> bool:
    due = key_in_force(unit)
    if due == signer.key_id:
        return False
    if former is None or former.key_id != due:
        raise Malformed("signing_key", "the private key that is in force at the end of the archive's ledger")
    reason = "taken in from an archive of another vault"
    hand_over(unit, former, signer, actor=OWNER, reason=reason, clock=SystemClock(), ids=RandomIds())
    return True


def _redo(unit: Unit, taking: ArchiveImport, signer: Signer) -> ReappliedErasures:
    """Erase again what the certificates say, under the policy the ledger was last decided under."""
    if not taking.erasures:
        return ReappliedErasures()
    keys = [one.key for one in keys_in(unit, taking.header.tenant)]
    if not all(any(certified(signed, key) for key in keys) for signed in taking.erasures):
        raise Malformed("erasures", "certificates that a key of the archive's ledger has signed")
    head = unit.ledger.head()
    assert head is not None, "it was filled in this transaction"
    policy = policy_of(unit, head.policy)
    bench = Bench(
        tenant=taking.header.tenant,
        policy=policy,
        policy_doc=head.policy,
        pepper=bytes.fromhex(genesis_of(unit, taking.header.tenant).pepper or ""),
        clock=SystemClock(),
        ids=RandomIds(),
    )
    given = [CertifiedErasure(signed=signed) for signed in taking.erasures]
    redone = reapply(unit, NewerState(), given, bench, lambda _: signer, resolve(policy, OWNER))
    if redone.certificates:
        returned = RestoreNote(
            made_at=taking.header.at,
            backup_seq=taking.header.seq,
            backup_hash=taking.header.hash,
            lost_seq=None,
            lost_hash=None,
            certificates=redone.certificates,
        )
        note_return(unit, returned, bench)
        sign_checkpoint(unit, at=next_place(unit, bench)[0], signer=signer)
    return redone


def _place(draft: Path, vault: Path, tenant: str, *, whole: bool) -> None:
    """Give the tenant's file its name in the vault, or a new vault its own, unless somebody has taken it meanwhile."""
    name = file_name(tenant)
    leave_bare(draft / name)
    sync_tree(draft)
    if whole:
        move_in(draft, vault)
        return
    with shut(vault / name):
        refuse_left(vault / name)
        try:
            os.link(draft / name, vault / name)
        except FileExistsError:
            raise Malformed("tenant", "a tenant that is not there yet; somebody has just made it") from None
        sync(vault)
