"""The witness: an older copy of a vault, a cut tail, or another past is refused; trouble with it loses no write."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw
import pytest

from muniment import Memory
from muniment.engine.audit import VerificationResult, verify_vault
from muniment.engine.witness import EVERY, Sight, Witness
from muniment.model.errors import ConfigurationError, IntegrityError, LedgerBroken, StoreUnavailable
from muniment.model.times import Instant
from muniment.model.value import read_canonical

DAY = 86_400_000_000


class Hands:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.at = 1_800_000_000_000_000

    def now(self) -> Instant:
        return Instant(self.at)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "witness"
    folder.mkdir()
    return folder


def seen(outside: Path, tenant: str = "default") -> Sight:
    return read_canonical((outside / f"{tenant}.json").read_bytes(), Sight)


def edit(vault: Path, statement: str) -> None:
    connection = apsw.Connection(str(vault / "default.sqlite"))
    connection.execute(statement)
    connection.close()


def lived_in(vault: Path, outside: Path) -> None:
    with Memory.open(vault, witness=outside) as memory:
        memory.remember("The audit begins on Monday")
        memory.recall("audit")


def checked(vault: Path, outside: Path, monkeypatch: pytest.MonkeyPatch) -> VerificationResult:
    monkeypatch.setenv("MUNIMENT_WITNESS", str(outside))
    return verify_vault(vault, "default")


def test_the_witness_knows_where_the_ledger_stood_when_it_was_closed(vault: Path, outside: Path) -> None:
    lived_in(vault, outside)
    with Memory.open(vault) as memory:
        head = memory.ledger.head()
    sight = seen(outside)
    assert (sight.seq, sight.hash, sight.checkpoint, sight.receipts) == (3, head.hash.hex(), 3, 1)
    Memory.open(vault, witness=outside).close()


def test_an_older_copy_of_the_vault_is_refused_and_verify_says_why(
    vault: Path, outside: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived_in(vault, outside)
    shutil.copytree(vault, tmp_path / "older")
    with Memory.open(vault, witness=outside) as memory:
        memory.remember("Something that will be denied later")
    with pytest.raises(LedgerBroken) as refused:
        Memory.open(tmp_path / "older", witness=outside)
    assert (refused.value.seq, "default.json" in refused.value.hint) == (3, True)
    result = checked(tmp_path / "older", outside, monkeypatch)
    assert {(one.code, one.seq) for one in result.findings} == {("ledger_rolled_back", 3), ("checkpoint_missing", 4)}
    assert checked(vault, outside, monkeypatch).findings == ()


def test_another_past_of_the_same_length_is_refused(
    vault: Path, outside: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived_in(vault, outside)
    shutil.copytree(vault, tmp_path / "forked")
    for place, words, witness in ((vault, "What happened", outside), (tmp_path / "forked", "What did not", None)):
        with Memory.open(place, witness=witness) as memory:
            memory.remember(words)
    with pytest.raises(LedgerBroken):
        Memory.open(tmp_path / "forked", witness=outside)
    result = checked(tmp_path / "forked", outside, monkeypatch)
    assert [(one.code, one.seq) for one in result.findings] == [("head_differs", 4)]


def test_a_vault_that_was_begun_anew_is_refused(vault: Path, outside: Path) -> None:
    lived_in(vault, outside)
    shutil.rmtree(vault)
    with pytest.raises(LedgerBroken):
        Memory.open(vault, witness=outside)


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("DELETE FROM checkpoints WHERE seq = 3", "checkpoint_missing"),
        ("DELETE FROM receipts", "receipts_truncated"),
        ("UPDATE receipts SET hash = zeroblob(32)", "receipt_altered"),
    ],
)
def test_what_else_was_cut_off_is_missed(vault: Path, outside: Path, statement: str, code: str) -> None:
    lived_in(vault, outside)
    edit(vault, statement)
    with pytest.raises(LedgerBroken):
        Memory.open(vault, witness=outside)
    store = Memory.open(vault)._session.tenant.store
    with store.read() as snapshot:
        assert code in {one.code for one in Witness(outside, "default").findings(snapshot)}
    store.close()


def test_each_tenant_has_a_memory_of_its_own(vault: Path, outside: Path) -> None:
    for tenant in ("default", "Other"):
        Memory.open(vault, tenant=tenant, witness=outside).close()
    assert {path.name for path in outside.glob("*.json")} == {"default.json", "%4Fther.json"}
    shutil.copy(outside / "default.json", outside / "%4Fther.json")
    with pytest.raises(IntegrityError):
        Memory.open(vault, tenant="Other", witness=outside)


def test_a_witness_is_told_of_writes_no_more_often_than_once_a_second(vault: Path, outside: Path) -> None:
    clock = Hands()
    memory = Memory.open(vault, witness=outside, clock=clock)
    assert seen(outside).seq == 2
    memory.remember("At once")
    assert seen(outside).seq == 2
    clock.at += EVERY
    memory.remember("A second later")
    assert seen(outside).seq == 4
    memory.remember("And another")
    memory.close()
    assert seen(outside).seq == 5


def test_a_signed_checkpoint_is_told_of_at_once(vault: Path, outside: Path) -> None:
    with Memory.open(vault, witness=outside, clock=Hands()) as memory:
        memory.remember("At once")
        memory.ledger.checkpoint()
        assert (seen(outside).seq, seen(outside).checkpoint) == (3, 3)


def test_a_process_that_died_before_it_told_the_witness_is_no_rollback(vault: Path, outside: Path) -> None:
    lived_in(vault, outside)
    with Memory.open(vault) as memory:
        memory.remember("Nobody told the witness")
    with Memory.open(vault, witness=outside):
        assert seen(outside).seq == 4


def test_a_witness_never_goes_back(vault: Path, outside: Path) -> None:
    with Memory.open(vault, witness=outside) as memory:
        memory.remember("first")
        store = memory._session.tenant.store
        slow = Witness(outside, "default")
        with store.read() as snapshot:
            before = snapshot.ledger.head()
            assert before is not None
            memory.remember("second")
            memory.ledger.checkpoint()
            slow._remember(snapshot, Instant(before.at + DAY))
    assert seen(outside).seq == 4


def test_a_witness_does_not_go_on_to_a_chain_that_is_broken(vault: Path, outside: Path) -> None:
    """An entry between what was seen and the head is changed behind our back: nobody vouches for what follows."""
    clock = Hands()
    memory = Memory.open(vault, witness=outside, clock=clock)
    memory.remember("first")
    memory.remember("second")
    edit(vault, "UPDATE entries SET body = CAST(replace(body, 'owner', 'ownr!') AS BLOB) WHERE seq = 3")
    clock.at += EVERY
    memory.remember("third")
    assert seen(outside).seq == 2
    with pytest.raises(LedgerBroken):
        memory.ledger.checkpoint()
    with pytest.raises(LedgerBroken):
        memory.close()


def test_a_witness_that_cannot_be_written_loses_no_write_and_is_complained_of(vault: Path, outside: Path) -> None:
    memory = Memory.open(vault, witness=outside, clock=Hands())
    shutil.rmtree(outside)
    kept = memory.remember("kept all the same")
    assert kept.record_id is not None
    with pytest.raises(StoreUnavailable):
        memory.ledger.checkpoint()
    assert "witness_behind" in {one.code for one in memory.ledger.verify().findings}
    with pytest.raises(StoreUnavailable):
        memory.close()
    with Memory.open(vault) as again:
        assert again.get(kept.record_id).record.content == "kept all the same"
        assert again.ledger.verify().findings == ()


def test_a_folder_that_is_missing_is_not_taken_for_an_empty_one(vault: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as refused:
        Memory.open(vault, witness=tmp_path / "unmounted")
    assert refused.value.setting == "MUNIMENT_WITNESS"
    assert not (tmp_path / "unmounted").exists()


@pytest.mark.parametrize("inside", ["", "keys", "heads"])
def test_a_witness_inside_the_vault_is_none(vault: Path, inside: str) -> None:
    Memory.open(vault).close()
    (vault / inside).mkdir(exist_ok=True)
    with pytest.raises(ConfigurationError):
        Memory.open(vault, witness=vault / inside)


@pytest.mark.parametrize("text", ["", "{}", "not json", '{"v":1}'])
def test_a_witness_that_cannot_be_read_is_no_witness_that_agrees(
    vault: Path, outside: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived_in(vault, outside)
    (outside / "default.json").write_text(text)
    with pytest.raises(IntegrityError):
        Memory.open(vault, witness=outside)
    assert [one.code for one in checked(vault, outside, monkeypatch).findings] == ["witness_unreadable"]


def test_who_restores_an_older_copy_on_purpose_begins_anew(vault: Path, outside: Path, tmp_path: Path) -> None:
    lived_in(vault, outside)
    shutil.copytree(vault, tmp_path / "older")
    with Memory.open(vault, witness=outside) as memory:
        memory.remember("Lost with the disk")
    restored = Memory.open(tmp_path / "older")
    with restored._session.tenant.store.read() as snapshot:
        Witness(outside, "default").reset(snapshot, Instant(0))
    restored.close()
    Memory.open(tmp_path / "older", witness=outside).close()
    with Memory.open(vault, witness=outside):
        assert seen(outside).seq == 4
    with pytest.raises(LedgerBroken):
        Memory.open(tmp_path / "older", witness=outside)
