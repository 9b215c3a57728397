"""The keys of a vault: who signs, whose signatures count, and how a new key takes the place of the old.

A rotation goes through every ledger of the vault. Until all of them know the new key both are kept, and each ledger is
signed with the one it has in force, so a rotation that is cut short leaves a vault that works; the next `rotate` goes
on where it was cut.
"""

from __future__ import annotations

from itertools import pairwise

from muniment.backends.clock_and_ids import RandomIds, SystemClock, signed_by, signed_value_by
from muniment.engine.keyholding import VaultKeys, folder_keys
from muniment.engine.place import Folder, Said, place_of
from muniment.engine.vault import look_into, open_vault
from muniment.ledger.keys import KeyHistory, KeySpan, follows, key_at
from muniment.model import checks
from muniment.model.actor import OWNER
from muniment.model.entry import SignedCheckpoint
from muniment.model.erasure import SignedCertificate
from muniment.model.errors import IntegrityError, NotPermitted, StoreUnavailable
from muniment.model.value import Value
from muniment.ports.clock_and_ids import Clock, Ids, Signer
from muniment.ports.store import Unit, Vault
from muniment.write.key_changes import hand_over, key_in_force

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


def public_keys(vault: Said) -> tuple[str, ...]:
    """The public halves a vault keeps, the present one first; of a folder no store is opened for it."""
    place = place_of(vault)
    if isinstance(place, Folder):
        return folder_keys(place.path).public.known()
    stores, keys = look_into(place)
    try:
        return keys.public.known()
    finally:
        stores.close()


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
    vault: Said,
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
    opened = open_vault(vault, create=False)
    keys = opened.keys
    try:
        with keys.alone():
            old, new, resumed = keys.private.pair()
            entries = _hand_over_all(opened.stores, old, new, reason, clock or SystemClock(), ids or RandomIds())
            keys.swap(old, new)
            keys.private.retire(old, keep=keep)
        destroyed = keys.private.settle() and not keep
        return Rotation(old=old.key_id, new=new.key_id, entries=entries, resumed=resumed, destroyed=destroyed)
    except OSError as error:
        raise StoreUnavailable(f"the vault's keys cannot be changed: {error.strerror}") from None
    finally:
        opened.stores.close()


def key_line(vault: Said, tenant: str) -> KeyHistory:
    """The keys of one ledger, from the entries that name them."""
    opened = open_vault(vault, create=False)
    line = KeyHistory(tenant, signed_value_by)
    try:
        with opened.stores.open(tenant, create=False).read() as snapshot:
            for _ in line.along(snapshot.ledger.entries(1, LAST)):
                pass
    finally:
        opened.stores.close()
    return line


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
