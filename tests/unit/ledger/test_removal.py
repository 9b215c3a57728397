"""What proves a ledger beside its entries cannot be taken away: each entry binds the receipts and the checkpoints there
were when it was made, and an anchored head those there are since. Every removal is made by SQL on a copy of a file."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
import pytest
from tests.unit.ledger.past import CHECKPOINTS, ENTRIES, RECEIPTS, codes, edit, found, verified

from muniment import Memory
from muniment.engine.audit import verify_vault
from muniment.ledger.chain import ZERO, link_receipt
from muniment.model.entry import Entry, LedgerHead
from muniment.model.receipt import ReceiptEntry
from muniment.model.value import canonical, read_canonical

ALL = "DELETE FROM receipts; DELETE FROM checkpoints; DELETE FROM told"
REMOVALS = {
    ALL: {"receipts_truncated", "checkpoint_missing"},
    "DELETE FROM receipts; DELETE FROM told": {"receipts_truncated"},
    "DELETE FROM receipts": {"receipts_truncated", "telling_differs"},
    "DELETE FROM told": {"telling_differs"},
    "DELETE FROM told WHERE rid = (SELECT min(rid) FROM told)": {"telling_differs"},
    "UPDATE told SET count = count + 1": {"telling_differs"},
    "DELETE FROM checkpoints": {"checkpoint_missing"},
    "DELETE FROM checkpoints WHERE seq = 12": {"checkpoint_missing"},
    "DELETE FROM receipts WHERE seq = 1": {"receipt_missing"},
    "DELETE FROM receipts WHERE seq = 2": {"receipt_missing"},
    "DELETE FROM receipts WHERE seq = 4; DELETE FROM checkpoints WHERE seq = 18": {"receipts_truncated"},
    "DELETE FROM receipts WHERE seq <= 2": {"receipt_missing"},
    "DELETE FROM receipts WHERE seq >= 3; DELETE FROM checkpoints": {"receipts_truncated", "checkpoint_missing"},
    "UPDATE receipts SET account = CAST(replace(CAST(account AS TEXT), 'dashboard', 'cardboard') AS BLOB)": {
        "receipt_altered"
    },
    "UPDATE receipts SET hash = zeroblob(32) WHERE seq = 3": {"receipt_altered"},
    "UPDATE checkpoints SET signed = CAST(replace(CAST(signed AS TEXT), '\"receipts\":2', '\"receipts\":1') AS BLOB)": {
        "checkpoint_forged"
    },
}
"""What is done to a file, and what `verify` must say of it at least."""


@pytest.mark.parametrize("anchored", [False, True])
def test_every_removal_of_proof_is_named_without_a_witness_and_with_an_anchor(
    damaged: Path, past: Path, anchored: bool
) -> None:
    anchor = _head(past) if anchored else None
    pristine = (damaged / "default.sqlite").read_bytes()
    for removal, expected in REMOVALS.items():
        (damaged / "default.sqlite").write_bytes(pristine)
        for suffix in ("-wal", "-shm"):
            (damaged / f"default.sqlite{suffix}").unlink(missing_ok=True)
        edit(damaged, removal)
        result = verify_vault(damaged, "default", anchor=anchor)
        assert not result.ok, removal
        assert expected <= codes(result), (removal, result.findings)


def _head(vault: Path) -> LedgerHead:
    with Memory.open(vault, create=False) as memory:
        return memory.ledger.head()


def test_what_is_missing_is_named_up_to_the_last_entry(damaged: Path) -> None:
    edit(damaged, ALL)
    result = verify_vault(damaged, "default")
    messages = [one.message for one in result.findings]
    assert messages == [
        f"receipts 1 to {RECEIPTS} are missing: entry 16 binds {RECEIPTS}, the log has 0",
        "the checkpoint at entry 12, which entry 13 binds, is gone",
    ]
    assert (result.entries, result.receipts) == (ENTRIES, 0)


def test_a_log_that_was_begun_anew_is_not_the_one_that_was_bound(damaged: Path) -> None:
    """Receipts are made again after the old ones were taken away, until there are more than there were."""
    edit(damaged, ALL)
    with Memory.open(damaged, create=False) as memory:
        for _ in range(RECEIPTS + 1):
            memory.recall("dashboard port")
        memory.remember("The new log looks like the old one")
    result = verified(damaged)
    assert "receipt_altered" in codes(result)
    assert any("is not the one that entry" in one.message for one in result.findings)


def test_a_log_chained_anew_by_a_forger_is_not_the_one_that_was_bound(damaged: Path) -> None:
    """One receipt is taken out, the others are numbered and chained again, and the checkpoints are gone."""
    edit(damaged, "DELETE FROM checkpoints; DELETE FROM told; DELETE FROM receipts WHERE seq = 2")
    before = ZERO
    for number, (seq, body) in enumerate(edit(damaged, "SELECT seq, body FROM receipts ORDER BY seq"), start=1):
        assert isinstance(body, bytes)
        entry = read_canonical(body, ReceiptEntry)
        moved = canonical(msgspec.structs.replace(entry, seq=number))
        before = link_receipt(before, moved)
        edit(damaged, "UPDATE receipts SET seq = ?, body = ?, hash = ? WHERE seq = ?", (number, moved, before, seq))
    result = verify_vault(damaged, "default")
    assert {"receipts_truncated", "receipt_altered"} <= codes(result)


def test_an_anchor_covers_what_no_entry_binds_yet(damaged: Path) -> None:
    """Receipts after the last entry and the checkpoint over it: only who kept the head knows of them."""
    with Memory.open(damaged, create=False) as memory:
        memory.recall("runbook")
        memory.ledger.checkpoint()
        anchor = memory.ledger.head()
    assert (anchor.seq, anchor.receipts, anchor.checkpoint) == (ENTRIES, RECEIPTS + 1, ENTRIES)
    assert verify_vault(damaged, "default", anchor=anchor).ok
    edit(
        damaged,
        f"DELETE FROM receipts WHERE seq > {RECEIPTS}; DELETE FROM checkpoints WHERE seq = {CHECKPOINTS[-1]};"
        " UPDATE told SET count = 0 WHERE 0",
    )
    result = verify_vault(damaged, "default", anchor=anchor)
    assert len(found(result, "proof_rolled_back")) == 2
    assert "proof_rolled_back" not in codes(verify_vault(damaged, "default"))


def test_an_anchor_knows_a_receipt_that_took_the_place_of_another(damaged: Path) -> None:
    with Memory.open(damaged, create=False) as memory:
        memory.recall("runbook")
        anchor = memory.ledger.head()
    other = msgspec.structs.replace(anchor, receipts_head="0" * 64)
    assert codes(verify_vault(damaged, "default", anchor=other)) == {"proof_rolled_back"}


def test_retention_takes_nothing_that_is_bound(damaged: Path) -> None:
    with Memory.open(damaged, create=False) as memory:
        anchor = memory.ledger.head()
        assert memory.ledger.trim(older_than_days=0).receipts == RECEIPTS
        assert memory.ledger.verify(anchor=anchor).ok
    edit(damaged, ALL)
    assert "receipts_truncated" in codes(verify_vault(damaged, "default"))


def test_a_ledger_of_an_earlier_release_says_where_its_binding_begins(damaged: Path) -> None:
    """Entries without a binding are read as they are; the first that has one binds all receipts before it."""
    plain = read_canonical(_body(damaged, 5).replace(_bound(_body(damaged, 5)), b""), Entry)
    assert plain.bound is None
    assert b"bound" not in canonical(plain)
    with Memory.open(damaged, create=False) as memory:
        assert memory.ledger.verify().bound_since == 1


def _body(vault: Path, seq: int) -> bytes:
    body = edit(vault, "SELECT body FROM entries WHERE seq = ?", (seq,))[0][0]
    assert isinstance(body, bytes)
    return body


def _bound(body: bytes) -> bytes:
    start = body.index(b'"bound":')
    end = body.index(b"}", start) + 1
    return body[start : end + 1] if body[end : end + 1] == b"," else body[start - 1 : end]


def test_binding_is_part_of_what_is_hashed(damaged: Path) -> None:
    body = _body(damaged, ENTRIES)
    head = hashlib.sha256(b"muniment entry 1\x00" + bytes(_hash(damaged, ENTRIES - 1)) + body).digest()
    assert head == _hash(damaged, ENTRIES)
    assert f'"receipts":{RECEIPTS}'.encode() in _bound(body)


def _hash(vault: Path, seq: int) -> bytes:
    found_ = edit(vault, "SELECT hash FROM entries WHERE seq = ?", (seq,))[0][0]
    assert isinstance(found_, bytes)
    return found_
