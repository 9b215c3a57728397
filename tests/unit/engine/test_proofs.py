"""What somebody needs to check a ledger with tools of their own: links that hash, checkpoints in order, public keys."""

from __future__ import annotations

import hashlib
from itertools import pairwise
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from muniment import Memory
from muniment.engine.notebook import Notebook
from muniment.engine.signing import rotate
from muniment.model.entry import Entry
from muniment.model.errors import Malformed, NotPermitted
from muniment.model.note import NoteDraft
from muniment.model.value import canonical, read_canonical


def hashed(previous: str, body: str) -> str:
    return hashlib.sha256(b"muniment entry 1\x00" + bytes.fromhex(previous) + body.encode()).hexdigest()


def test_every_link_is_the_hash_of_the_one_before_it_and_its_body(memory: Memory) -> None:
    for number in range(3):
        memory.remember(f"Grün wie Build {number} – “zitiert”")

    links = memory.ledger.chain()

    assert [link.seq for link in links] == [1, 2, 3, 4, 5]
    for before, link in pairwise(links):
        assert link.body is not None
        assert link.hash == hashed(before.hash, link.body)
        assert read_canonical(link.body.encode(), Entry).seq == link.seq
    assert links[-1].hash == memory.ledger.head().hash.hex()


def test_the_genesis_tells_its_hash_and_not_its_pepper(memory: Memory) -> None:
    memory.remember("The mill stands still")
    first = memory.ledger.entries(1, 1)[0]
    assert first.pepper is not None

    links = memory.ledger.chain()

    assert links[0].body is None
    assert links[0].hash == hashed("00" * 32, canonical(first).decode())
    assert first.pepper not in str(links)


def test_a_stretch_of_the_chain_is_told_and_no_more(memory: Memory) -> None:
    for number in range(4):
        memory.remember(f"Build {number} took {number} minutes")

    assert [link.seq for link in memory.ledger.chain(3, 4)] == [3, 4]
    assert memory.ledger.chain(99) == ()


def test_checkpoints_come_the_last_one_first_and_go_on_before_one(memory: Memory) -> None:
    signed = []
    for number in range(3):
        memory.remember(f"Build {number} took {number} minutes")
        signed.append(memory.ledger.checkpoint())

    assert memory.ledger.checkpoints() == tuple(reversed(signed))
    assert memory.ledger.checkpoints(limit=1) == (signed[2],)
    assert memory.ledger.checkpoints(before=signed[2].checkpoint.seq, limit=1) == (signed[1],)
    assert memory.ledger.checkpoints(before=signed[0].checkpoint.seq) == ()


def test_a_ledger_has_the_key_of_its_genesis_until_another_comes(vault: Path) -> None:
    with Memory.open(vault) as memory:
        memory.remember("The mill stands still")
        (only,) = memory.ledger.keys()
    done = rotate(vault, reason="routine")
    with Memory.open(vault) as memory:
        first, second = memory.ledger.keys()

    assert (first, first.key, first.since) == (only, done.old, 1)
    assert (second.key, second.since) == (done.new, done.entries["default"])
    public = load_pem_public_key(second.pem.encode())
    assert isinstance(public, Ed25519PublicKey)
    assert public.public_bytes_raw().hex() == done.new


def test_keys_are_found_though_the_note_of_a_change_is_gone(vault: Path) -> None:
    with Memory.open(vault):
        done = rotate(vault, reason="routine")
    with Memory.open(vault) as memory:
        Notebook.of(memory).turn("owner", lambda _: ([NoteDraft(topic="signing", key=done.new)], None))

        first, second = memory.ledger.keys()
        assert (first.key, second.key) == (done.old, done.new)


def test_a_note_that_pretends_to_be_a_change_of_keys_is_passed_over(memory: Memory) -> None:
    before = memory.ledger.keys()

    Notebook.of(memory).turn("owner", lambda _: ([NoteDraft(topic="signing", key="ab" * 32, body="{}")], None))

    assert memory.ledger.keys() == before
    assert len(before) == 1


@pytest.mark.parametrize("name", ["chain", "checkpoints", "keys"])
def test_whoever_may_not_audit_is_told_nothing(memory: Memory, name: str) -> None:
    with pytest.raises(NotPermitted):
        getattr(memory.as_actor("stranger").ledger, name)()


@pytest.mark.parametrize("options", [{"before": -1}, {"limit": 0}, {"limit": 1_001}])
def test_bounds_that_cannot_be_are_refused(memory: Memory, options: dict[str, int]) -> None:
    with pytest.raises(Malformed) as refused:
        memory.ledger.checkpoints(**options)

    assert refused.value.field == next(iter(options))
