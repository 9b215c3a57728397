"""Every way to change a vault behind the engine's back, and what `verify` says of it. Real files, edited with SQL."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.unit.ledger.past import CHECKPOINTS, ENTRIES, RECEIPTS, STANDING, Cell, codes, edit, found, verified

from muniment import Memory
from muniment.engine.audit import verify_vault
from muniment.ledger.chain import ZERO, link, link_receipt
from muniment.model.card import Card
from muniment.model.entry import Entry, LedgerHead, SignedCheckpoint
from muniment.model.errors import IntegrityError, MunimentError
from muniment.model.value import canonical, read_canonical

MIDDLE = tuple(range(3, ENTRIES))
LAST = CHECKPOINTS[-1]


def _body(vault: Path, seq: int) -> bytes:
    body = edit(vault, "SELECT body FROM entries WHERE seq = ?", (seq,))[0][0]
    assert isinstance(body, bytes)
    return body


def _rechain(vault: Path, first: int) -> None:
    """What a forger would do: make every hash from `first` on fit again."""
    rows = edit(vault, "SELECT seq, body, hash FROM entries ORDER BY seq")
    previous = ZERO
    for seq, body, hash_ in rows:
        assert isinstance(seq, int)
        assert isinstance(body, bytes)
        assert isinstance(hash_, bytes)
        if seq >= first:
            hash_ = link(previous, body)
            edit(vault, "UPDATE entries SET hash = ? WHERE seq = ?", (hash_, seq))
        previous = hash_


def _forge(vault: Path, seq: int, **changes: object) -> None:
    body = json.loads(_body(vault, seq)) | changes
    entry = read_canonical(json.dumps(body).encode(), Entry)
    edit(vault, "UPDATE entries SET body = ? WHERE seq = ?", (canonical(entry), seq))


def test_an_untouched_past_verifies(damaged: Path) -> None:
    result = verified(damaged)
    assert (result.ok, result.findings) == (True, ())
    assert (result.entries, result.receipts) == (ENTRIES, RECEIPTS)
    assert [row[0] for row in edit(damaged, "SELECT seq FROM checkpoints ORDER BY seq")] == list(CHECKPOINTS)


@pytest.mark.parametrize("seq", range(1, ENTRIES + 1))
def test_one_altered_entry_is_named_and_no_other_is(damaged: Path, seq: int) -> None:
    _forge(damaged, seq, actor="mallory")
    result = verified(damaged)
    assert found(result, "entry_altered") == [seq]
    assert {finding.seq for finding in result.findings} == {seq}


@pytest.mark.parametrize("seq", range(1, ENTRIES + 1))
def test_an_entry_that_can_no_longer_be_read_is_named_and_no_other_is(damaged: Path, seq: int) -> None:
    edit(damaged, "UPDATE entries SET body = ? WHERE seq = ?", (b"\xff" + _body(damaged, seq)[1:], seq))
    result = verified(damaged)
    assert seq in found(result, "entry_altered")
    assert seq in found(result, "entry_unreadable")
    assert {finding.seq for finding in result.findings} <= {seq, None}


@pytest.mark.parametrize("seq", MIDDLE)
def test_an_altered_hash_is_named_and_its_sound_successor_is_not(damaged: Path, seq: int) -> None:
    edit(damaged, "UPDATE entries SET hash = ? WHERE seq = ?", (b"h" * 32, seq))
    assert found(verified(damaged), "entry_altered") == [seq]


@pytest.mark.parametrize("seq", MIDDLE)
def test_a_removed_entry_is_missed_at_its_place(damaged: Path, seq: int) -> None:
    edit(damaged, "DELETE FROM entries WHERE seq = ?", (seq,))
    result = verified(damaged)
    assert found(result, "entry_missing") == [seq]
    assert found(result, "entry_altered") == []  # the next entry is sound; only what came before it is gone


@pytest.mark.parametrize("seq", [-1, 0, 2**62 + 1, 2**63 - 1])
def test_an_entry_inserted_outside_the_positions_is_found(damaged: Path, seq: int) -> None:
    edit(damaged, "INSERT INTO entries VALUES (?, ?, ?)", (seq, _body(damaged, 3), b"h" * 32))
    result = verified(damaged)
    assert not result.ok
    assert {"entry_inserted", "entry_missing", "entry_altered", "entry_misplaced"} & codes(result)


@pytest.mark.parametrize("seq", [3, 8, ENTRIES])
def test_an_inserted_entry_is_found_where_it_was_put(damaged: Path, seq: int) -> None:
    edit(damaged, "UPDATE entries SET seq = -seq - 1 WHERE seq >= ?", (seq,))
    edit(damaged, "UPDATE entries SET seq = -seq WHERE seq < 0")
    extra = read_canonical(_body(damaged, 2), Entry)
    edit(damaged, "INSERT INTO entries VALUES (?, ?, ?)", (seq, canonical(extra), b"h" * 32))
    result = verified(damaged)
    assert seq in found(result, "entry_altered")
    assert seq in found(result, "entry_misplaced")


def test_an_entry_appended_by_hand_is_found(damaged: Path) -> None:
    entry = json.loads(_body(damaged, ENTRIES)) | {"seq": ENTRIES + 1}
    body = canonical(read_canonical(json.dumps(entry).encode(), Entry))
    edit(damaged, "INSERT INTO entries VALUES (?, ?, ?)", (ENTRIES + 1, body, b"h" * 32))
    assert ENTRIES + 1 in found(verified(damaged), "entry_altered")


@pytest.mark.parametrize("seq", [3, 9])
def test_reordered_entries_are_found(damaged: Path, seq: int) -> None:
    edit(damaged, "UPDATE entries SET seq = 1000 WHERE seq = ?", (seq,))
    edit(damaged, "UPDATE entries SET seq = ? WHERE seq = ?", (seq, seq + 1))
    edit(damaged, "UPDATE entries SET seq = ? WHERE seq = 1000", (seq + 1,))
    result = verified(damaged)
    assert set(found(result, "entry_misplaced")) == {seq, seq + 1}
    assert {seq, seq + 1} <= set(found(result, "entry_altered"))


def test_a_truncated_ledger_is_found_against_its_checkpoint(damaged: Path) -> None:
    edit(damaged, "DELETE FROM entries WHERE seq > 13")
    result = verified(damaged)
    assert found(result, "ledger_truncated") == [LAST]
    assert result.entries == 13


def test_a_store_rolled_back_whole_is_found_against_an_anchored_head(damaged: Path, past: Path) -> None:
    with Memory.open(damaged) as memory:
        memory.remember("One more thing worth keeping")
        anchor = memory.ledger.head()
    assert verified(damaged, anchor=anchor).ok
    rolled_back = verified(past, anchor=anchor)
    assert found(rolled_back, "ledger_rolled_back") == [ENTRIES]
    assert codes(rolled_back) == {"ledger_rolled_back"}


def test_a_rewritten_store_is_found_against_an_anchored_head(damaged: Path) -> None:
    with Memory.open(damaged, create=False) as memory:
        head = memory.ledger.head()
    foreign = LedgerHead(tenant=head.tenant, seq=9, hash=b"x" * 32, at=head.at)
    assert found(verified(damaged, anchor=foreign), "head_differs") == [9]


@pytest.mark.parametrize("seq", [3, 9, 12])
def test_entries_rechained_by_a_forger_contradict_the_signed_checkpoint(damaged: Path, seq: int) -> None:
    _forge(damaged, seq, actor="mallory")
    _rechain(damaged, seq)
    result = verified(damaged)
    assert "entry_altered" not in codes(result)
    assert found(result, "checkpoint_differs") == [12, LAST]


def test_a_forger_cannot_sign_a_checkpoint_anew(damaged: Path) -> None:
    _forge(damaged, 9, actor="mallory")
    _rechain(damaged, 9)
    edit(damaged, "DELETE FROM checkpoints")
    (damaged / "forger").mkdir()
    stranger = Ed25519PrivateKey.generate()
    with Memory.open(damaged, create=False) as memory:
        signed = memory.ledger.checkpoint()
    forged = SignedCheckpoint(
        checkpoint=signed.checkpoint, signature=stranger.sign(canonical(signed.checkpoint)).hex(), peaks=signed.peaks
    )
    edit(damaged, "UPDATE checkpoints SET signed = ?", (canonical(forged),))
    assert found(verified(damaged), "checkpoint_forged") == [ENTRIES]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"root": "00" * 32}, "checkpoint_forged"),
        ({"head": "00" * 32}, "checkpoint_forged"),
        ({"key": "00" * 32}, "checkpoint_forged"),
        ({"tenant": "other"}, "checkpoint_forged"),
        ({"receipts": 1}, "checkpoint_forged"),
        ({"at": 5}, "checkpoint_forged"),
        ({"seq": 99}, "ledger_truncated"),
    ],
    ids=repr,
)
def test_an_altered_checkpoint_is_found(damaged: Path, change: dict[str, Cell], code: str) -> None:
    (signed,) = edit(damaged, "SELECT signed FROM checkpoints WHERE seq = 12")[0]
    assert isinstance(signed, bytes)
    body = json.loads(signed)
    body["checkpoint"] |= change
    edit(damaged, "UPDATE checkpoints SET signed = ? WHERE seq = 12", (json.dumps(body).encode(),))
    assert code in codes(verified(damaged))


@pytest.mark.parametrize("peaks", [["00" * 32], [], ["zz"]], ids=repr)
def test_altered_peaks_are_found_before_the_next_checkpoint_is_built_on_them(damaged: Path, peaks: list[str]) -> None:
    (signed,) = edit(damaged, "SELECT signed FROM checkpoints WHERE seq = ?", (LAST,))[0]
    assert isinstance(signed, bytes)
    edit(
        damaged,
        f"UPDATE checkpoints SET signed = ? WHERE seq = {LAST}",
        (json.dumps(json.loads(signed) | {"peaks": peaks}).encode(),),
    )
    result = verified(damaged)
    assert [finding.seq for finding in result.findings if finding.code.startswith("checkpoint_")] == [LAST]


def test_a_checkpoint_that_cannot_be_read_is_damage_and_no_crash(damaged: Path) -> None:
    edit(damaged, "UPDATE checkpoints SET signed = x'00' WHERE seq = 12")
    assert not verified(damaged).ok


def test_another_signing_key_in_the_vault_is_found(damaged: Path) -> None:
    key = damaged / "keys" / "signing.key"
    key.write_text((b"k" * 32).hex() + "\n")
    with pytest.raises(IntegrityError):
        Memory.open(damaged, create=False)
    result = verify_vault(damaged, "default")
    assert [(finding.code, finding.seq) for finding in result.findings] == [("foreign_key", 1)]


# Documents.


def _documents(vault: Path, seq: int) -> dict[str, int]:
    return {ref["role"]: ref["doc"] for ref in json.loads(_body(vault, seq))["documents"]}


@pytest.mark.parametrize(("seq", "role"), [(3, "record"), (3, "report"), (6, "report"), (13, "held"), (2, "policy")])
def test_an_altered_document_is_named_by_its_entry(damaged: Path, seq: int, role: str) -> None:
    doc = _documents(damaged, seq)[role]
    edit(damaged, "UPDATE documents SET body = body || ' ' WHERE doc = ?", (doc,))
    result = verified(damaged)
    assert found(result, "document_altered") == [seq]
    assert {finding.seq for finding in result.findings} <= {seq, None}


@pytest.mark.parametrize(("seq", "role"), [(3, "record"), (6, "report"), (13, "held"), (2, "policy")])
def test_a_removed_document_is_missed_by_its_entry(damaged: Path, seq: int, role: str) -> None:
    edit(damaged, "DELETE FROM documents WHERE doc = ?", (_documents(damaged, seq)[role],))
    result = verified(damaged)
    assert found(result, "document_missing") == [seq]
    assert {finding.seq for finding in result.findings} <= {seq, None}


@pytest.mark.parametrize("doc", [-1, 0, 500])
def test_an_inserted_document_is_found(damaged: Path, doc: int) -> None:
    edit(damaged, "INSERT INTO documents VALUES (?, ?, ?)", (doc, b"s" * 16, "{}"))
    result = verified(damaged)
    assert codes(result) == {"document_unknown"}
    assert str(doc) in result.findings[0].message


def test_a_changed_salt_is_found(damaged: Path) -> None:
    edit(damaged, "UPDATE documents SET salt = ? WHERE doc = ?", (b"s" * 16, _documents(damaged, 9)["record"]))
    assert found(verified(damaged), "document_altered") == [9]


def test_two_documents_swapped_are_found(damaged: Path) -> None:
    one, other = _documents(damaged, 9)["record"], _documents(damaged, 14)["record"]
    edit(damaged, "UPDATE documents SET doc = -1 WHERE doc = ?", (one,))
    edit(damaged, "UPDATE documents SET doc = ? WHERE doc = ?", (one, other))
    edit(damaged, "UPDATE documents SET doc = ? WHERE doc = -1", (other,))
    assert set(found(verified(damaged), "document_altered")) == {9, 14}


# Projections.

CARD_COLUMNS: tuple[tuple[str, Cell], ...] = (
    ("id", "rec_other"),
    ("revision", 7),
    ("seq", 4),
    ("kind", "fact"),
    ("memory_class", "profile"),
    ("scope", "session"),
    ("scope_id", "other"),
    ("namespace", "/other"),
    ("session_id", "s1"),
    ("sensitivity", 0),
    ("trust", 0),
    ("label", 0),
    ("confidence", 0.99),
    ("provenance", 1),
    ("actor", "mallory"),
    ("created_at", 5),
    ("valid_from", 5),
    ("valid_until", 5),
    ("expires_at", 5),
    ("fingerprint", b"f" * 16),
    ("slot", "other"),
    ("importance", 0.75),
    ("half_life", 24.0),
    ("anchored", 1),
    ("review_at", 5),
    ("readers", "mallory"),
    ("status", "retracted"),
    ("status", "nonsense"),
    ("since", 4),
    ("successor", "rec_other"),
    ("own", 0.75),
    ("own", 5.0),
    ("effective", 0.75),
    ("effective", -1.0),
    ("support", "fallen"),
    ("support", "nonsense"),
    ("helpful", 1.0),
    ("misleading", 1.0),
    ("tier", "archive"),
    ("tier", "nonsense"),
    ("accesses", 5),
    ("last_access", 5),
)


@pytest.mark.parametrize(("column", "value"), CARD_COLUMNS)
def test_an_altered_card_is_named_by_its_record(damaged: Path, column: str, value: Cell) -> None:
    record = edit(damaged, "SELECT id FROM cards WHERE seq = 9")[0][0]
    edit(damaged, f"UPDATE cards SET {column} = ? WHERE seq = 14", (value,))
    result = verified(damaged)
    named = [finding for finding in result.findings if finding.code in {"card_differs", "standing_differs"}]
    assert len(named) >= 1
    assert {finding.seq for finding in named} <= {14, 15}
    assert record not in {finding.record for finding in result.findings}


def test_a_removed_card_is_missed(damaged: Path) -> None:
    record = edit(damaged, "SELECT id FROM cards WHERE seq = 9")[0][0]
    edit(damaged, "DELETE FROM cards WHERE seq = 9")
    missing = [finding for finding in verified(damaged).findings if finding.code == "card_missing"]
    assert [(finding.seq, finding.record) for finding in missing] == [(9, record)]


@pytest.mark.parametrize("rid", [-1, 1, 999])
def test_an_inserted_card_is_found(damaged: Path, rid: int) -> None:
    columns = ", ".join(name for name in Card.__struct_fields__ if name not in ("rid", "id"))
    edit(
        damaged,
        f"INSERT INTO cards (rid, id, {columns}) SELECT ?, 'rec_ghost', {columns} FROM cards WHERE seq = 9",
        (rid,),
    )
    unknown = [finding for finding in verified(damaged).findings if finding.code == "card_unknown"]
    assert [finding.record for finding in unknown] == ["rec_ghost"]


def test_an_altered_standing_is_found(damaged: Path) -> None:
    edit(damaged, "UPDATE standings SET status = 'active' WHERE since = 12")
    assert found(verified(damaged), "standing_differs") == [12]


def test_a_standing_with_a_word_that_is_no_state_is_found_without_losing_the_rest(damaged: Path) -> None:
    edit(damaged, "UPDATE standings SET status = 'nonsense' WHERE since = 12")
    result = verified(damaged)
    assert result.entries == ENTRIES
    assert found(result, "standing_differs") == [12]


def test_a_removed_standing_is_found(damaged: Path) -> None:
    edit(damaged, "DELETE FROM standings WHERE since = 12")
    assert found(verified(damaged), "standing_differs") == [12]


def test_a_standing_inserted_for_a_revision_that_never_moved_is_found(damaged: Path) -> None:
    rid = edit(damaged, "SELECT rid FROM cards WHERE seq = 5")[0][0]
    edit(damaged, f"INSERT INTO standings SELECT ?, 9, 'retracted', {STANDING} FROM standings LIMIT 1", (rid,))
    assert codes(verified(damaged)) == {"standing_differs"}


def test_a_standing_inserted_for_no_revision_is_found(damaged: Path) -> None:
    edit(damaged, f"INSERT INTO standings SELECT 9999, 9, 'retracted', {STANDING} FROM standings LIMIT 1")
    assert codes(verified(damaged)) == {"standing_differs"}


@pytest.mark.parametrize(
    ("column", "value"),
    [("successor", "rec_x"), ("own", 0.99), ("effective", 0.99), ("effective", 9.0), ("label", 0), ("label", 99),
     ("support", "fallen"), ("support", "nonsense"), ("helpful", 3.0), ("misleading", 3.0), ("tier", "archive"),
     ("accesses", 3), ("last_access", 3)],
)  # fmt: skip
@pytest.mark.parametrize("seq", [9, 12, 17], ids=["a birth", "an end", "an outcome"])
def test_an_altered_belief_in_the_past_is_found(damaged: Path, seq: int, column: str, value: Cell) -> None:
    """What a revision counted for when an answer was given cannot be changed after the fact."""
    edit(damaged, f"UPDATE standings SET {column} = ? WHERE since = ?", (value, seq))
    result = verified(damaged)
    assert seq in found(result, "standing_differs")
    assert result.entries == ENTRIES


def test_a_standing_moved_to_another_entry_is_found(damaged: Path) -> None:
    edit(damaged, "UPDATE standings SET since = 13 WHERE since = 12")
    assert found(verified(damaged), "standing_differs") == [12]


@pytest.mark.parametrize("seq", [5, 9, 17])
def test_a_belief_changed_in_card_and_past_alike_is_found(damaged: Path, seq: int) -> None:
    """A forger who knows that the card must agree with its last standing still has the ledger against them."""
    for table in ("cards", "standings"):
        edit(damaged, f"UPDATE {table} SET effective = 1.0, own = 1.0, label = 6 WHERE since = ?", (seq,))
    assert seq in {finding.seq for finding in verified(damaged).findings}


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM edges",
        "UPDATE edges SET target = 'rec_other'",
        "UPDATE edges SET type = 'informs'",
        "UPDATE edges SET rid = 3",
        "UPDATE edges SET rid = 9999",
        "INSERT INTO edges VALUES (3, 'derived_from', 'rec_other')",
        "INSERT INTO edges VALUES (9999, 'derived_from', 'rec_other')",
        "INSERT INTO edges VALUES (-1, 'derived_from', 'rec_other')",
        "INSERT INTO edges SELECT rid, 'parent', target FROM edges",
    ],
)
def test_an_altered_removed_or_inserted_link_is_found(damaged: Path, change: str) -> None:
    edit(damaged, change)
    result = verified(damaged)
    assert codes(result) == {"edge_differs"}
    assert result.entries == ENTRIES


@pytest.mark.parametrize(
    ("column", "value"),
    [("id", "prp_x"), ("at", 5), ("actor", "mallory"), ("outcome", "committed"), ("disposition", "append"),
     ("digest", "00"), ("report", 5), ("held", 5), ("record", "rec_x"), ("revision", 9)],
)  # fmt: skip
def test_an_altered_proposal_is_named_by_its_entry(damaged: Path, column: str, value: Cell) -> None:
    edit(damaged, f"UPDATE proposals SET {column} = ? WHERE id = 'prp_french'", (value,))
    result = verified(damaged)
    assert codes(result) <= {"proposal_differs", "proposal_unknown", "proposal_missing"}
    assert {finding.seq for finding in result.findings} == {6}


def test_a_removed_proposal_is_missed(damaged: Path) -> None:
    edit(damaged, "DELETE FROM proposals WHERE id = 'prp_friday'")
    assert found(verified(damaged), "proposal_missing") == [13]


@pytest.mark.parametrize("seq", [0, 4, 999])
def test_an_inserted_proposal_is_found(damaged: Path, seq: int) -> None:
    edit(
        damaged, "INSERT INTO proposals VALUES (?, 'prp_ghost', 0, 'x', 'held', 'hold', '00', 1, 1, NULL, NULL)", (seq,)
    )
    result = verified(damaged)
    assert codes(result) == {"proposal_differs" if seq == 4 else "proposal_unknown"}  # entry 4 did file a proposal
    assert {finding.seq for finding in result.findings} == {seq}


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE conflicts SET status = 'resolved'",
        "UPDATE conflicts SET status = 'nonsense'",
        "UPDATE conflicts SET a = b",
        "UPDATE conflicts SET why = 'other'",
        "UPDATE conflicts SET opened = 3",
        "UPDATE conflicts SET changed = 9",
        "UPDATE conflicts SET id = 'cfl_other'",
        "DELETE FROM conflicts",
        "UPDATE conflicts SET type = 'update'",
        "UPDATE conflicts SET contests = 0",
        "UPDATE conflicts SET strategy = 'authority'",
        "UPDATE conflicts SET strategy = NULL",
        "UPDATE conflicts SET winner = 'rec_other'",
        "UPDATE conflicts SET ballots = '[]'",
        "UPDATE conflicts SET ballots = replace(ballots, 'owner', 'mallory')",
        "INSERT INTO conflicts SELECT 'cfl_ghost', type, status, a, b, why, contests, 3, 3, NULL, NULL, '[]' "
        "FROM conflicts",
    ],
)
def test_an_altered_removed_or_inserted_conflict_is_found(damaged: Path, change: str) -> None:
    edit(damaged, change)
    assert codes(verified(damaged)) == {"conflict_differs"}


@pytest.mark.parametrize("ballots", ["", "nonsense", "{}", '[{"actor": "owner"}]', '[{"actor": 5, "winner": "x"}]'])
def test_ballots_that_cannot_be_read_are_found_without_losing_the_rest(damaged: Path, ballots: str) -> None:
    edit(damaged, "UPDATE conflicts SET ballots = ?", (ballots,))
    result = verified(damaged)
    assert {"conflict_differs", "store_damaged"} & codes(result)
    assert result.entries == ENTRIES


@pytest.mark.parametrize(
    "change", ["DELETE FROM lexicon_data WHERE id > 10", "UPDATE lexicon_docsize SET sz = x'7f' WHERE id = 3"]
)
def test_a_damaged_word_index_is_found(damaged: Path, change: str) -> None:
    edit(damaged, change)
    assert codes(verified(damaged)) == {"store_damaged"}


# Receipts.


@pytest.mark.parametrize(
    ("column", "value"),
    [("id", "rcp_x"), ("body", b"{}"), ("hash", b"h" * 32), ("salt", b"s" * 16), ("account", b"{}")],
)
def test_an_altered_receipt_is_named_and_no_other_is(damaged: Path, column: str, value: Cell) -> None:
    edit(damaged, f"UPDATE receipts SET {column} = ? WHERE seq = 2", (value,))
    result = verified(damaged)
    named = [finding for finding in result.findings if finding.code != "telling_differs"]
    assert {finding.code for finding in named} <= {"receipt_altered", "receipt_unreadable"}
    assert ["receipt 2" in finding.message for finding in named] == [True] * len(named)
    assert named
    told = sum(1 for finding in result.findings if finding.code == "telling_differs")
    assert told == (1 if column in ("body", "account") else 0), (
        "what an unreadable receipt told can no longer be counted"
    )


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE told SET count = count + 1 WHERE actor = 'worker'",
        "UPDATE told SET last = last + 1 WHERE actor = 'worker'",
        "UPDATE told SET actor = 'mallory' WHERE actor = 'worker'",
        "DELETE FROM told WHERE actor = 'worker'",
        "INSERT INTO told VALUES (9999, 'worker', 1, 5)",
        "INSERT INTO told SELECT rid, 'mallory', count, last FROM told WHERE actor = 'worker'",
    ],
)
def test_a_telling_that_no_receipt_tells_of_is_found(damaged: Path, change: str) -> None:
    edit(damaged, change)
    result = verified(damaged)
    assert codes(result) == {"telling_differs"}
    assert len(result.findings) == 1


def test_a_removed_receipt_is_missed_at_its_place(damaged: Path) -> None:
    edit(damaged, "DELETE FROM receipts WHERE seq = 2")
    result = verified(damaged)
    missing = [finding.message for finding in result.findings if finding.code == "receipt_missing"]
    assert len(missing) == 1
    assert "2" in missing[0]


def test_receipts_cut_off_at_the_end_are_found_against_the_checkpoint(damaged: Path) -> None:
    edit(damaged, "DELETE FROM receipts WHERE seq = 4")
    assert "receipts_truncated" in codes(verified(damaged))


def test_an_inserted_receipt_is_found(damaged: Path) -> None:
    edit(damaged, "INSERT INTO receipts SELECT 5, 'rcp_ghost', body, hash, salt, account FROM receipts WHERE seq = 4")
    assert "receipt_altered" in codes(verified(damaged))


def test_a_receipt_log_rechained_by_a_forger_contradicts_the_checkpoint(damaged: Path) -> None:
    rows = edit(damaged, "SELECT seq, body FROM receipts ORDER BY seq")
    previous = ZERO
    for seq, body in rows:
        assert isinstance(body, bytes)
        if seq == 2:
            body = body.replace(b'"epoch":11', b'"epoch":10')
        previous = link_receipt(previous, body)
        edit(damaged, "UPDATE receipts SET body = ?, hash = ? WHERE seq = ?", (body, previous, seq))
    assert "receipt_altered" in codes(verified(damaged))


def test_a_file_of_rubbish_is_an_error_with_a_code_and_no_crash(damaged: Path) -> None:
    (damaged / "default.sqlite").write_bytes(b"rubbish " * 4096)
    with pytest.raises(MunimentError) as refused:
        Memory.open(damaged, create=False)
    assert refused.value.code == "integrity_error"
