"""Links, commitments and checkpoints as pure functions, against SHA-256 spelled out here."""

from __future__ import annotations

import hashlib

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each

from muniment.backends.clock_and_ids import signed_by
from muniment.ledger import merkle
from muniment.ledger.chain import ZERO, commitment, link, link_receipt, seal
from muniment.ledger.checkpoint import make_checkpoint
from muniment.model.entry import Checkpoint, Entry, EntryKind, LedgerHead, SignedCheckpoint
from muniment.model.times import Instant
from muniment.model.value import canonical

ENTRY = Entry(v=1, tenant="acme", seq=1, at=Instant(5), kind=EntryKind.GENESIS, actor="muniment", pepper="aa")


def test_a_link_hashes_its_domain_its_predecessor_and_its_body() -> None:
    expected = hashlib.sha256(b"muniment entry 1\x00" + bytes(32) + b"body").digest()
    assert link(ZERO, b"body") == expected


@given(st.binary(min_size=32, max_size=32), st.binary(max_size=50))
def test_entries_receipts_and_documents_never_share_a_hash(previous: bytes, body: bytes) -> None:
    hashes = {link(previous, body), link_receipt(previous, body), bytes.fromhex(commitment(previous, body))}
    assert len(hashes) == 3


@given(st.binary(min_size=16, max_size=16), st.binary(max_size=50), st.data())
def test_a_commitment_changes_with_any_bit_of_salt_or_body(salt: bytes, body: bytes, data: st.DataObject) -> None:
    both = bytearray(salt + body)
    both[data.draw(st.integers(0, len(both) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    assert commitment(bytes(both[:16]), bytes(both[16:])) != commitment(salt, body)


def test_sealing_follows_the_head_and_nothing_else() -> None:
    first = seal(ENTRY, None)
    assert (first.body, first.hash) == (canonical(ENTRY), link(ZERO, canonical(ENTRY)))
    head = LedgerHead(tenant="acme", seq=1, hash=first.hash, at=Instant(5))
    second = msgspec.structs.replace(ENTRY, seq=2)
    assert seal(second, head).hash == link(first.hash, canonical(second))
    with pytest.raises(AssertionError):
        seal(ENTRY, head)


def _head(count: int) -> LedgerHead:
    return LedgerHead(tenant="acme", seq=count, hash=bytes([count]) * 32, at=Instant(count))


def _hashes(first: int, last: int) -> list[bytes]:
    return [bytes([number]) * 32 for number in range(first, last + 1)]


def _signed(count: int, *, previous: SignedCheckpoint | None) -> SignedCheckpoint:
    first = previous.checkpoint.seq + 1 if previous else 1
    checkpoint, peaks = make_checkpoint(
        _head(count), _hashes(first, count), previous=previous, receipts=(2, b"r" * 32), at=Instant(9), key=KEY_ID
    )
    return SignedCheckpoint(checkpoint=checkpoint, signature=KEY.sign(canonical(checkpoint)).hex(), peaks=peaks)


KEY = Ed25519PrivateKey.from_private_bytes(b"k" * 32)
KEY_ID = KEY.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()


@given(st.lists(st.integers(1, 100), min_size=1, max_size=6, unique=True).map(sorted))
def test_checkpoints_that_go_on_from_one_another_equal_one_from_scratch(stops: list[int]) -> None:
    signed: SignedCheckpoint | None = None
    for stop in stops:
        signed = _signed(stop, previous=signed)
    assert signed is not None
    scratch = _signed(stops[-1], previous=None)
    assert (signed.checkpoint.root, signed.peaks) == (scratch.checkpoint.root, scratch.peaks)
    assert signed.checkpoint.previous == (stops[-2] if len(stops) > 1 else 0)


def test_a_second_checkpoint_at_the_same_entry_takes_the_place_of_the_first() -> None:
    second = _signed(5, previous=_signed(3, previous=None))
    assert second.checkpoint.previous == 3
    assert _signed(5, previous=second).checkpoint.previous == 3


def test_a_checkpoint_states_where_both_logs_stand() -> None:
    checkpoint = _signed(5, previous=None).checkpoint
    root = merkle.root(merkle.grow(0, (), _hashes(1, 5))[1]).hex()
    assert checkpoint == Checkpoint(
        tenant="acme",
        seq=5,
        head=(bytes([5]) * 32).hex(),
        root=root,
        receipts=2,
        receipts_head=(b"r" * 32).hex(),
        at=Instant(9),
        key=KEY_ID,
    )


def test_a_signature_holds_for_its_key_and_its_words_only() -> None:
    signed = _signed(5, previous=None)
    other = Ed25519PrivateKey.from_private_bytes(b"o" * 32)
    other_id = other.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
    assert signed_by(signed, KEY_ID)
    assert not signed_by(signed, other_id)
    assert not signed_by(
        msgspec.structs.replace(signed, signature=other.sign(canonical(signed.checkpoint)).hex()), KEY_ID
    )


@each(
    "change",
    [{"seq": 6}, {"head": "00" * 32}, {"root": "00" * 32}, {"receipts": 3}, {"receipts_head": "00" * 32}, {"at": 10},
     {"tenant": "other"}],
)  # fmt: skip
def test_no_field_of_a_checkpoint_can_be_changed_under_its_signature(change: dict[str, str | int]) -> None:
    signed = _signed(5, previous=None)
    forged = msgspec.structs.replace(signed, checkpoint=msgspec.structs.replace(signed.checkpoint, **change))
    assert not signed_by(forged, KEY_ID)


@each("signature", ["", "zz", "00" * 64, "00"])
def test_a_signature_that_is_none_does_not_hold(signature: str) -> None:
    assert not signed_by(msgspec.structs.replace(_signed(5, previous=None), signature=signature), KEY_ID)
