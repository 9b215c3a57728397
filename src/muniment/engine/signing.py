"""The keys of a vault: which are here, who signs, and how a new one takes the place of the old.

A rotation goes through every ledger of the vault. Until all of them know the new key both are in the folder, and each
ledger is signed with the one it has in force, so a rotation that is cut short leaves a vault that works; the next
`rotate` goes on where it was cut.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path

from muniment.backends.vectors.lock import FileLock
from muniment.backends.world import (
    FileSigner,
    RandomIds,
    SystemClock,
    destroy_file,
    place_file,
    replace_file,
    settle,
    signed_by,
    signed_value_by,
)
from muniment.engine.vault import VaultFolder
from muniment.ledger.keys import KeyLine, KeySpan, follows, key_at
from muniment.model import checks
from muniment.model.actor import OWNER
from muniment.model.entry import SignedCheckpoint
from muniment.model.erasure import SignedCertificate
from muniment.model.errors import IntegrityError, NotPermitted, StoreBusy, StoreUnavailable
from muniment.model.value import Value
from muniment.ports.store import Unit, Vault
from muniment.ports.world import Clock, Ids, Signer
from muniment.write.keying import hand_over, key_in_force

_KEY, _NEXT, _OLD, _PUBLIC = "signing.key", "signing.next", "signing.old", "signing.pub"
LAST = 2**63 - 1
__all__ = [
    "KeySpan",
    "Rotation",
    "VaultKeys",
    "certified",
    "checkpointed",
    "holder",
    "key_line",
    "public_keys",
    "rotate",
]


class VaultKeys:
    """The private halves that are in a vault's folder: the present key and, while a rotation is under way, the next."""

    def __init__(self, vault: Path) -> None:
        self._folder = vault / "keys"

    def present(self) -> FileSigner:
        return FileSigner(self._folder / _KEY)

    def coming(self) -> FileSigner:
        """The key a ledger that begins now is begun with. During a rotation that is the next one: a ledger that is not
        there yet when the others are gone through must not begin with a key that is about to go."""
        next_ = self._folder / _NEXT
        with suppress(StoreUnavailable):
            if next_.exists():  # it may have taken its place by the time it is read
                return FileSigner(next_)
        return self.present()

    def here(self) -> tuple[FileSigner, ...]:
        """Every key whose private half is here and may sign."""
        present, coming = self.present(), self.coming()
        return (present,) if coming.key_id == present.key_id else (present, coming)


def holder(key: str | None, signer: Signer, keys: VaultKeys | None) -> Signer:
    """Who signs with a ledger's key in force. Another process may have changed the vault's key since it was opened."""
    if key is None or key == signer.key_id:
        return signer
    found = next((one for one in keys.here() if one.key_id == key), None) if keys is not None else None
    if found is None:
        missing = IntegrityError("the signing key of this ledger is not in the vault; nothing is signed with another")
        missing.hint = "Put the vault's own keys folder back. `muniment ledger verify` says what else is wrong."
        raise missing
    return found


def public_keys(vault: Path) -> tuple[str, ...]:
    """The public halves a vault keeps, the present one first; opens no store."""
    folder = vault / "keys"
    names = [_PUBLIC, *sorted(path.name for path in folder.glob("*.pub") if path.name != _PUBLIC)]
    try:
        return tuple((folder / name).read_text().strip() for name in names)
    except OSError as error:
        raise StoreUnavailable(f"the public keys of the vault cannot be read: {error.strerror}") from None


def certified(signed: SignedCertificate, key: str) -> bool:
    """Whether the holder of `key` made this certificate, and says so in it. Needs no store."""
    return signed.certificate.key == key and signed_value_by(signed.certificate, signed.signature, key)


def checkpointed(signed: SignedCheckpoint, keys: tuple[KeySpan, ...]) -> bool:
    """Whether a checkpoint was signed with the key in force where it stands, by a line of keys that follows. Needs no
    store."""
    sound = all(span.handover is None or follows(span.handover, signed_value_by) for span in keys)
    linked = all(
        after.handover is not None
        and (after.handover.handover.old, after.handover.handover.new) == (one.key, after.key)
        for one, after in pairwise(keys)
    )
    due = key_at(keys, signed.checkpoint.seq)
    return sound and linked and due is not None and signed_by(signed, due)


class Rotation(Value):
    """What a rotation did: which key went, which came, and by which entry of each ledger."""

    old: str
    new: str
    entries: dict[str, int]
    resumed: bool
    destroyed: bool


def rotate(
    vault: Path,
    *,
    reason: str,
    actor: str = OWNER,
    keep: bool = False,
    clock: Clock | None = None,
    ids: Ids | None = None,
) -> Rotation:
    """Give every ledger of a vault a new signing key, and destroy the private half of the old one (unless `keep`).

    For the vault's owner. A rotation that was cut short is gone on with: no second new key is made.
    """
    if actor != OWNER:
        raise NotPermitted(actor, "change the signing key")
    checks.text("reason", reason)
    opened = VaultFolder(vault, create=False)
    folder = vault / "keys"
    try:
        with _alone(folder):
            old, new, resumed = _pair(folder)
            entries = _hand_over_all(opened.stores, old, new, reason, clock or SystemClock(), ids or RandomIds())
            _swap(folder, old, new)
            _retire(folder, old, keep=keep)
            return Rotation(old=old.key_id, new=new.key_id, entries=entries, resumed=resumed, destroyed=not keep)
    except OSError as error:
        raise StoreUnavailable(f"the vault's keys cannot be changed: {error.strerror}") from None
    finally:
        opened.stores.close()


def key_line(vault: Path, tenant: str) -> KeyLine:
    """The keys of one ledger, from the entries that name them."""
    opened = VaultFolder(vault, create=False)
    line = KeyLine(tenant, signed_value_by)
    try:
        with opened.stores.open(tenant, create=False).read() as snapshot:
            for _ in line.along(snapshot.ledger.entries(1, LAST)):
                pass
    finally:
        opened.stores.close()
    return line


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    lock = FileLock(folder / "rotation.lock")
    if not lock.take():
        raise StoreBusy("another process is changing the signing key")
    try:
        yield
    finally:
        lock.release()


def _pair(folder: Path) -> tuple[FileSigner, FileSigner, bool]:
    """The key that goes, the key that comes, and whether a rotation that was cut short had named them already."""
    for draft in (*folder.glob(f".{_NEXT}.*"), *folder.glob(f".{_KEY}.*")):
        draft.unlink()  # it may be another name of a key that is in use: not to be overwritten
    if (folder / _OLD).exists() and not (folder / _NEXT).exists():
        if FileSigner.readable(folder / _OLD):
            return FileSigner(folder / _OLD), FileSigner(folder / _KEY), True
        destroy_file(folder / _OLD)  # overwritten already: all that was left of the last rotation
    resumed = (folder / _NEXT).exists()
    return FileSigner(folder / _KEY), FileSigner.create(folder / _NEXT), resumed


def _hand_over_all(stores: Vault, old: Signer, new: Signer, reason: str, clock: Clock, ids: Ids) -> dict[str, int]:
    """Tell every ledger of the new key; those that know of it already are passed over."""

    def job(unit: Unit) -> int | None:
        key = key_in_force(unit)
        if key is None or key == new.key_id:
            return None
        if key != old.key_id:
            raise IntegrityError("a ledger of the vault is signed with a key that is not the vault's")
        return hand_over(unit, old, new, actor=OWNER, reason=reason, clock=clock, ids=ids)

    entries: dict[str, int] = {}
    for tenant in stores.tenants():
        seq = stores.open(tenant, create=False).write(job)
        if seq is not None:
            entries[tenant] = seq
    return entries


def _swap(folder: Path, old: Signer, new: Signer) -> None:
    """Put the next key in the place of the present one. At every moment both private halves are in a file."""
    place_file(folder / f"{old.key_id[:16]}.pub", old.key_id + "\n")
    if (folder / _NEXT).exists():
        with suppress(FileExistsError):
            os.link(folder / _KEY, folder / _OLD)
        (folder / _NEXT).replace(folder / _KEY)
        settle(folder)
    replace_file(folder / _PUBLIC, new.key_id + "\n")


def _retire(folder: Path, old: Signer, *, keep: bool) -> None:
    assert not (folder / _OLD).samefile(folder / _KEY), "the key in use is never destroyed"
    if keep:
        (folder / _OLD).replace(folder / f"{old.key_id[:16]}.key")
        settle(folder)
    else:
        destroy_file(folder / _OLD)
