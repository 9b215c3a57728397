"""The signing key of a ledger: which one is in force, and how another takes its place."""

from __future__ import annotations

from muniment.model.change import ChangeSet, NewDocument
from muniment.model.entry import DocumentRole, Entry, EntryKind, Handover, SignedHandover
from muniment.model.note import NoteDraft
from muniment.model.times import Instant
from muniment.model.value import Value, canonical, read_canonical
from muniment.ports.clock_and_ids import Clock, Ids, Signer
from muniment.ports.store import Snapshot, Unit
from muniment.write.commit import commit, sign_checkpoint

TOPIC = "signing"
"""Where it is noted why a key was changed."""


class SigningKeyNote(Value):
    """Why a key took the place of another."""

    old: str
    new: str
    reason: str


def key_in_force(snapshot: Snapshot) -> str | None:
    """The key that signs what this ledger says next; None before there is a ledger.

    A key comes into force together with a checkpoint it signs, so the last checkpoint tells; before the first one it
    is the key the genesis names. A look at two rows: `verify` is who follows the whole line.
    """
    last = snapshot.ledger.last_checkpoint()
    if last is not None:
        return last.checkpoint.key
    first = snapshot.ledger.entry(1)
    return read_canonical(first.body, Entry).key if first is not None else None


def hand_over(unit: Unit, old: Signer, new: Signer, *, actor: str, reason: str, clock: Clock, ids: Ids) -> int:
    """Put `new` in the place of `old` in one ledger and sign a checkpoint with it, all in one transaction."""
    head, first = unit.ledger.head(), unit.ledger.entry(1)
    assert head is not None, "a ledger begins with its genesis"
    assert first is not None, "a ledger begins with its genesis"
    at = Instant(max(clock.now(), head.at))
    said = Handover(tenant=head.tenant, seq=head.seq + 1, after=head.hash.hex(), old=old.key_id, new=new.key_id)
    body = canonical(said)
    note = SigningKeyNote(old=old.key_id, new=new.key_id, reason=reason)
    change = ChangeSet(
        kind=EntryKind.KEYED,
        actor=actor,
        at=at,
        position=head.seq,
        decided_on=(),
        drafts=(
            NewDocument(
                doc=head.last_doc + 1,
                role=DocumentRole.NOTE,
                value=NoteDraft(topic=TOPIC, key=new.key_id, body=canonical(note).decode()),
            ),
        ),
        policy=head.policy,
        handover=SignedHandover(handover=said, by_old=old.sign(body).hex(), by_new=new.sign(body).hex()),
    )
    pepper = bytes.fromhex(read_canonical(first.body, Entry).pepper or "")
    entry = commit(unit, change, tenant=head.tenant, pepper=pepper, ids=ids)
    sign_checkpoint(unit, at=at, signer=new)
    return entry.seq
