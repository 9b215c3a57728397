"""Back up a vault while it is written to: a copy of each tenant, verified, and a signed manifest of it all.

Made under a name nobody looks for and given its own name when it is whole: a backup that is there is a backup.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from muniment.backends.clock_and_ids import SystemClock, sign_value
from muniment.backends.sqlite.copying import copy_store, sync
from muniment.backends.sqlite.store import SqliteVault, file_name, leave_bare, tenant_key
from muniment.engine.audit import verify_store
from muniment.engine.copies.manifest import (
    CONTENTS,
    MANIFEST,
    VERSION,
    BackupManifest,
    SignedManifest,
    TenantBackup,
    part_of,
    spelled,
)
from muniment.engine.copies.temporary_folders import draft_beside
from muniment.engine.keyholding import folder_keys
from muniment.engine.marker import MARKER
from muniment.engine.vault import POLICY_FILES, is_vault, stores_at
from muniment.model.errors import ConfigurationError, IntegrityError, Malformed, NotFound, StoreBusy, StoreUnavailable
from muniment.ports.clock_and_ids import Clock, Signer

Told = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is (0: not known)."""


def silent(what: str, done: int, whole: int) -> None:
    return None


def back_up(
    vault: Path,
    path: Path,
    *,
    tenant: str | None = None,
    with_keys: bool = True,
    clock: Clock | None = None,
    progress: Told = silent,
) -> BackupManifest:
    """Copy a vault, or one tenant of it, to a new folder. Everything that was acknowledged before the call is in it.

    Private keys and API keys stay behind unless they are asked for; vectors always do, they are made again. What is
    encrypted stays so, under the same key.
    """
    if not is_vault(vault):
        raise ConfigurationError("vault", "a folder that holds a vault; `muniment init` makes one")
    if path.exists() or path.is_symlink():
        raise Malformed("path", "a name that is free; a backup never takes the place of anything")
    stores = stores_at(vault)
    try:
        with draft_beside(path, "part") as draft:
            (draft / CONTENTS).mkdir(mode=0o700)
            manifest = _fill(vault, stores, draft, tenant, with_keys, clock or SystemClock(), progress)
            sync_tree(draft)
            draft.rename(path)
            sync(path.absolute().parent)
            return manifest
    except OSError as error:
        raise StoreUnavailable(f"the backup cannot be written: {error.strerror}") from None
    finally:
        stores.close()


def _fill(
    vault: Path,
    stores: SqliteVault,
    draft: Path,
    tenant: str | None,
    with_keys: bool,
    clock: Clock,
    progress: Told,
) -> BackupManifest:
    inside = draft / CONTENTS
    signer = _signer(vault)
    public = frozenset({signer.key_id})
    copies = tuple(_copied(vault, stores, inside, one, public, progress) for one in _chosen(stores, tenant))
    _take_along(vault, inside, with_keys=with_keys)
    if _signer(vault).key_id != signer.key_id:
        raise _rotated()
    manifest = BackupManifest(
        backup=VERSION,
        made_at=clock.now(),
        muniment=version("muniment"),
        key=signer.key_id,
        keys=tuple(sorted(public)),
        with_keys=with_keys,
        tenants=copies,
        parts=tuple(part_of(draft, file) for file in sorted(inside.rglob("*")) if file.is_file()),
    )
    signed = SignedManifest(manifest=manifest, signature=sign_value(signer, manifest))
    write_private(draft / MANIFEST, spelled(signed))
    return manifest


def _signer(vault: Path) -> Signer:
    """The key of every ledger of the vault. While it is being changed there is none, and what was copied then could not
    be put back: some ledgers would have a key that is gone."""
    keys = folder_keys(vault)
    present = keys.present()
    if keys.private.going() or keys.coming().key_id != present.key_id:
        raise _rotated()
    return present


def _rotated() -> StoreBusy:
    busy = StoreBusy("the signing key of the vault is being changed, or the change was cut short")
    busy.hint = "Let `muniment signing rotate` come to its end, or run it again, and then make the backup."
    return busy


def _chosen(stores: SqliteVault, tenant: str | None) -> tuple[str, ...]:
    present = tuple(name for name in stores.tenants() if tenant in (None, name) and _begun(stores, name))
    if tenant is None:
        return present
    if tenant not in present:
        raise NotFound("tenant", tenant)
    return (tenant,)


def _begun(stores: SqliteVault, tenant: str) -> bool:
    """Whether a tenant has a ledger. Whoever was killed while making one has left a file in which nothing is yet."""
    with stores.open(tenant, create=False).read() as snapshot:
        return snapshot.ledger.head() is not None


def _copied(
    vault: Path, stores: SqliteVault, inside: Path, tenant: str, keys: frozenset[str], progress: Told
) -> TenantBackup:
    """One tenant's file, copied and checked from the first entry to the last."""
    source = vault / file_name(tenant)
    copy_store(
        source,
        inside / source.name,
        key=tenant_key(source, stores.key),
        progress=lambda done, whole: progress(f"copying {tenant}", done, whole),
    )
    copies = SqliteVault(inside, key=stores.key)
    try:
        store = copies.open(tenant, create=False)
        found = verify_store(store, keys, progress=lambda done: progress(f"checking {tenant}", done, 0))
    finally:
        copies.close()
    leave_bare(inside / source.name)
    if not found.ok and _signer(vault).key_id not in keys:
        raise _rotated()
    if not found.ok or found.head is None:
        raise IntegrityError(f"tenant {tenant} does not verify, so nothing was backed up: {found.findings[0].message}")
    return TenantBackup(
        tenant=tenant,
        path=f"{CONTENTS}/{source.name}",
        seq=found.head.seq,
        hash=found.head.hash.hex(),
        at=found.head.at,
        receipts=found.receipts,
    )


def _take_along(vault: Path, inside: Path, *, with_keys: bool) -> None:
    """Marker, policy and public keys; the other keys only if they are asked for."""
    for name in (MARKER, *POLICY_FILES):
        if (vault / name).is_file():
            write_private(inside / name, (vault / name).read_bytes())
    (inside / "keys").mkdir(mode=0o700)
    for file in sorted((vault / "keys").iterdir()):
        if file.is_file() and not file.name.startswith(".") and (with_keys or file.suffix == ".pub"):
            write_private(inside / "keys" / file.name, file.read_bytes())


def write_private(path: Path, body: bytes) -> None:
    """A new file that only its owner can read."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(body)


def sync_tree(folder: Path) -> None:
    """Have everything below a folder on the disk, the innermost first."""
    for found in sorted(folder.rglob("*"), key=lambda one: len(one.parts), reverse=True):
        sync(found)
    sync(folder)
