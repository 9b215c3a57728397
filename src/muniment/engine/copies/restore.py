"""Put a backup back: check it, erase again what was erased since, and only then let it take a vault's place.

Everything is made ready beside the vault. Each tenant then changes places in one step, the present file set aside; a
death at any moment leaves every tenant whole, as it was or as it is restored.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

from muniment.backends.clock_and_ids import FileSigner, SystemClock
from muniment.backends.sqlite.connection import translated
from muniment.backends.sqlite.copying import looked_into, seized, sync
from muniment.backends.sqlite.open_lock import shut
from muniment.backends.sqlite.store import VECTORS, file_name, lost, tenant_key
from muniment.backends.sqlite.vault_lock import alone, enter
from muniment.config import AS_SET
from muniment.engine.copies.backup import Told, silent, sync_tree, write_private
from muniment.engine.copies.manifest import CONTENTS, BackupManifest, TenantBackup, read_manifest
from muniment.engine.copies.reapply_erasures import CertifiedErasure, NewerState, later_than
from muniment.engine.copies.staging import RestoredTenant, StagingArea
from muniment.engine.copies.temporary_folders import draft_beside, move_in, near
from muniment.engine.keyholding import folder_keys
from muniment.engine.marker import MARKER, agree, check_of, chosen_key
from muniment.engine.signing import certified, public_keys
from muniment.engine.vault import POLICY_FILES, is_vault, read_policy
from muniment.engine.witness import witness_of
from muniment.model import times
from muniment.model.erasure import SignedCertificate
from muniment.model.errors import ConfigurationError, IntegrityError, Malformed, NotFound, StoreUnavailable
from muniment.model.value import Value
from muniment.ports.clock_and_ids import Clock, Signer

_BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite may have left beside a file that could not be opened any more."""


class RestoreRequest(Value):
    """Which backup is to be put back where. `erasures` are certificates kept outside the vault; a `signing_key` is the
    private half that a backup without keys was made with; `despite_damage` goes on though the present store cannot be
    asked what was erased, if nobody is in the vault."""

    backup: Path
    vault: Path
    tenant: str | None = None
    erasures: tuple[SignedCertificate, ...] = ()
    signing_key: Path | None = None
    despite_damage: bool = False


class RestoreResult(Value):
    """What was put back, and the folder that now holds what was there before."""

    tenants: tuple[RestoredTenant, ...]
    aside: Path | None


def restore(wish: RestoreRequest, *, clock: Clock | None = None, progress: Told = silent) -> RestoreResult:
    """Put a backup in an empty place, or in the place of what a vault holds. Nothing is touched unless all of it is
    sound. The only way by which a ledger may go back."""
    manifest = read_manifest(wish.backup)
    if wish.tenant is not None and manifest.copy(wish.tenant) is None:
        raise NotFound("tenant", wish.tenant)
    vault = wish.vault.resolve()
    try:
        with draft_beside(near(vault), "restoring") as draft:
            job = _Job(wish, manifest, vault, draft, clock or SystemClock(), progress)
            return job.into_vault() if is_vault(vault) else job.into_nothing()
    except OSError as error:
        raise StoreUnavailable(f"the backup cannot be put back: {error.strerror}") from None


class _Job:
    """One restore: from which backup, to which vault, made ready in `draft`."""

    def __init__(
        self, wish: RestoreRequest, manifest: BackupManifest, vault: Path, draft: Path, clock: Clock, progress: Told
    ) -> None:
        self.wish, self.manifest = wish, manifest
        self.vault, self.draft = vault, draft
        self.clock, self.progress = clock, progress
        self.inside = wish.backup / CONTENTS
        self.copies = [one for one in manifest.tenants if wish.tenant in (None, one.tenant)]
        self.seal = chosen_key(AS_SET)
        self.witnesses = [witness_of(vault, one.tenant) for one in self.copies]

    def into_nothing(self) -> RestoreResult:
        """Make a vault where there is none."""
        if self.vault.exists() and not (self.vault.is_dir() and set(self.vault.iterdir()) <= {self.draft}):
            raise Malformed("vault", "a vault, or a place where there is nothing yet")
        agree(self.inside, self.seal)
        keys = frozenset(self.manifest.keys)
        given = self._given(keys)
        self._lay_out()
        work = self._workshop(folder_keys(self.draft).present(), keys, policy=self.draft)
        backs = tuple(work.bring(copy, NewerState(), given) for copy in self.copies)
        sync_tree(self.draft)
        move_in(self.draft, self.vault)
        self._tell_witness()
        return RestoreResult(tenants=backs, aside=None)

    def into_vault(self) -> RestoreResult:
        """Put tenants in the place of those a vault holds. It must be open to nobody else."""
        keys = frozenset(public_keys(self.vault))
        if self.manifest.key not in keys:
            raise Malformed("path", "a backup of this vault; another vault's key signed it")
        given = self._given(keys)
        with ExitStack() as held:
            self._come_in(held)
            laters = [self._look(held, copy, keys) for copy in self.copies]
            policy = self.vault if self.wish.tenant is not None else self.inside
            work = self._workshop(folder_keys(self.vault).present(), keys, policy=policy)
            backs = tuple(work.bring(copy, later, given) for copy, later in zip(self.copies, laters, strict=True))
            sync_tree(self.draft)
            aside = self._aside()
            for copy in self.copies:
                self._change_places(file_name(copy.tenant), aside)
            if self.wish.tenant is None:
                self._bring_policy(aside)
            self._tell_witness()
        return RestoreResult(tenants=backs, aside=aside)

    def _come_in(self, held: ExitStack) -> None:
        """Be in the vault: alone, unless only one of its tenants is concerned. Of a damaged file nobody can say whether
        somebody has it open: whoever has would go on with the one that is set aside."""
        marker = self.vault / MARKER
        if self.wish.tenant is None or self.wish.despite_damage:
            held.enter_context(alone(marker))
        else:
            held.callback(enter(marker).leave)
        agree(self.vault, self.seal)
        if check_of(self.vault) != check_of(self.inside):
            raise ConfigurationError(
                "path",
                "a backup made under the encryption key that the vault has now, or under none if it has none",
                hint="Restore it to an empty place with its own key, and encrypt that anew.",
            )

    def _workshop(self, signer: Signer, keys: frozenset[str], *, policy: Path) -> StagingArea:
        found = next((policy / name for name in POLICY_FILES if (policy / name).is_file()), None)
        if found is None:
            raise ConfigurationError("policy", "neither the backup nor the vault has one")
        return StagingArea(
            backup=self.wish.backup,
            manifest=self.manifest,
            draft=self.draft,
            policy=read_policy(found),
            signer=signer,
            former=self._former(),
            keys=keys,
            seal=self.seal,
            clock=self.clock,
            progress=self.progress,
        )

    def _former(self) -> Signer | None:
        """The private half that was in force when the backup was made, if it is at hand beside the vault's own."""
        if self.wish.signing_key is not None:
            return FileSigner(self.wish.signing_key)
        kept = self.inside / "keys" / "signing.key"
        return FileSigner(kept) if kept.is_file() else None

    def _given(self, keys: frozenset[str]) -> tuple[CertifiedErasure, ...]:
        """The erasures that files tell of. One that is not vouched for could erase anything."""
        for signed in self.wish.erasures:
            if not _vouched(signed, keys):
                raise Malformed("erasures", "certificates that a key of this vault has signed")
        return tuple(CertifiedErasure(signed=signed) for signed in self.wish.erasures)

    def _look(self, held: ExitStack, copy: TenantBackup, keys: frozenset[str]) -> NewerState:
        """Keep a present tenant to ourselves, and see what it knows that the backup does not."""
        path = self.vault / file_name(copy.tenant)
        held.enter_context(shut(path))
        if not path.exists() and not lost(path):
            return NewerState()
        try:
            if not path.exists():
                raise IntegrityError(f"{path.name} is gone although it was written to")
            snapshot = held.enter_context(seized(path, copy.tenant, tenant_key(path, self.seal)))
            with translated(path):
                later = later_than(snapshot, copy.head)
            for erasure in later.erasures:
                if not _vouched(erasure.signed, keys):
                    raise IntegrityError(f"certificate {erasure.certificate.id} is not signed with a key of this vault")
        except IntegrityError as error:
            if self.wish.despite_damage:
                return NewerState()
            raise _unasked(copy.tenant, error) from error
        return later

    def _tell_witness(self) -> None:
        """Let the witness, if there is one, begin anew with ledgers that went back."""
        for copy, witness in zip(self.copies, self.witnesses, strict=True):
            if witness is not None:
                path = self.vault / file_name(copy.tenant)
                with looked_into(path, copy.tenant, tenant_key(path, self.seal)) as snapshot:
                    witness.reset(snapshot, self.clock.now())

    def _lay_out(self) -> None:
        """Marker, policy and keys of a new vault, for its owner alone."""
        (self.draft / "keys").mkdir(mode=0o700)
        for name in (MARKER, *POLICY_FILES):
            if (self.inside / name).is_file():
                write_private(self.draft / name, (self.inside / name).read_bytes())
        for file in sorted((self.inside / "keys").iterdir()):
            write_private(self.draft / "keys" / file.name, file.read_bytes())
        if not (self.draft / "keys" / "signing.key").exists():
            write_private(self.draft / "keys" / "signing.key", self._key_given())

    def _key_given(self) -> bytes:
        if self.wish.signing_key is None:
            raise Malformed(
                "signing_key",
                "the private key the backup was made with; the backup itself does not hold it",
                hint="Name its file with --signing-key, or put the backup in the place of the vault it was made of.",
            )
        if FileSigner(self.wish.signing_key).key_id != self.manifest.key:
            raise Malformed("signing_key", "the private key the backup was made with; this is another one")
        return self.wish.signing_key.read_bytes()

    def _aside(self) -> Path:
        """A new folder beside the vault for what is replaced."""
        moment = times.show(self.clock.now()).replace(":", "").replace("-", "").partition(".")[0].rstrip("Z")
        for number in range(1, 1000):
            name = f"{self.vault.name}-before-{moment}{f'-{number}' if number > 1 else ''}"
            aside = near(self.vault).with_name(name)
            if not aside.exists():
                aside.mkdir(mode=0o700)
                sync(aside.parent)
                return aside
        raise StoreUnavailable("there is no free name for what is set aside")

    def _change_places(self, name: str, aside: Path) -> None:
        """Let one file take another's place in one step. The old one has a second name before it loses its first."""
        place = self.vault / name
        if place.exists():
            os.link(place, aside / name)
        vectors = place.with_suffix(VECTORS)
        for beside in (vectors, *(place.with_name(name + suffix) for suffix in _BESIDE)):
            if beside.exists():
                beside.rename(aside / beside.name)
        sync(aside)
        os.replace(self.draft / name, place)
        sync(self.vault)

    def _bring_policy(self, aside: Path) -> None:
        """Let the backup's policy be the vault's. It is there before the other goes: who opened a vault without one
        would give it one of his own."""
        for name in POLICY_FILES:
            if (self.vault / name).is_file():
                os.link(self.vault / name, aside / name)
        sync(aside)
        brought = [name for name in POLICY_FILES if (self.inside / name).is_file()]
        for name in brought:
            write_private(self.draft / name, (self.inside / name).read_bytes())
            sync(self.draft / name)
            os.replace(self.draft / name, self.vault / name)
        sync(self.vault)
        for name in POLICY_FILES:
            if name not in brought:
                (self.vault / name).unlink(missing_ok=True)
        sync(self.vault)


def _vouched(signed: SignedCertificate, keys: frozenset[str]) -> bool:
    return any(certified(signed, key) for key in keys)


def _unasked(tenant: str, error: IntegrityError) -> IntegrityError:
    refused = IntegrityError(f"tenant {tenant} cannot be asked what was erased since the backup: {error}")
    refused.hint = (
        "Nothing was changed. If it is lost, say --despite-damage, and name the certificates of later erasures with "
        "--erasures, or they will be undone."
    )
    return refused
