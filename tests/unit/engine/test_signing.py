"""The vault's key: whose it is alone, how another takes its place, and what a retired one can no longer do."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import apsw
import msgspec
import pytest

from muniment import Memory
from muniment.backends.clock_and_ids import FileSigner, SystemClock, destroy_file, sign_value
from muniment.backends.vectors.lock import FileLock
from muniment.engine.audit import VerificationResult, verify_vault
from muniment.engine.signing import certified, checkpointed, key_line, public_keys, rotate
from muniment.model.entry import Checkpoint, EntryKind, SignedCheckpoint
from muniment.model.errors import ConfigurationError, IntegrityError, Malformed, NotPermitted, StoreBusy
from muniment.model.times import Instant
from muniment.model.value import canonical, read_canonical


@pytest.fixture
def lived_in(vault: Path) -> Path:
    """A vault of two tenants, each with a record and a signed checkpoint."""
    for tenant in ("default", "other"):
        with Memory.open(vault, tenant=tenant) as memory:
            assert memory.remember("The audit begins on Monday").record_id is not None
    return vault


def private(vault: Path) -> str:
    return (vault / "keys" / "signing.key").read_text().strip()


def public(vault: Path) -> str:
    return (vault / "keys" / "signing.pub").read_text().strip()


def codes(result: VerificationResult) -> set[str]:
    return {finding.code for finding in result.findings}


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_key_that_others_can_read_is_not_used(lived_in: Path, mode: int) -> None:
    (lived_in / "keys" / "signing.key").chmod(mode)
    with pytest.raises(ConfigurationError) as refused:
        Memory.open(lived_in)
    assert "chmod 600" in refused.value.hint
    (lived_in / "keys" / "signing.key").chmod(0o600)
    Memory.open(lived_in).close()


def test_a_rotation_gives_every_ledger_the_new_key_and_what_was_signed_before_stays_good(lived_in: Path) -> None:
    old = public(lived_in)
    done = rotate(lived_in, reason="a laptop was lost")
    assert (done.old, done.resumed, done.destroyed) == (old, False, True)
    assert done.entries == {"default": 4, "other": 4}
    assert public(lived_in) == done.new == FileSigner(lived_in / "keys" / "signing.key").key_id
    assert public_keys(lived_in) == (done.new, old)
    for tenant in ("default", "other"):
        with Memory.open(lived_in, tenant=tenant) as memory:
            memory.remember("The audit was postponed")
            assert memory.ledger.verify().findings == ()
            assert memory.ledger.checkpoint().checkpoint.key == done.new
    spans = key_line(lived_in, "default").spans
    assert [(span.key, span.since) for span in spans] == [(old, 1), (done.new, 4)]


def test_the_entry_of_a_rotation_says_who_and_its_note_says_why(lived_in: Path) -> None:
    done = rotate(lived_in, reason="a laptop was lost")
    with Memory.open(lived_in) as memory:
        entry = memory.ledger.entries(4, 4)[0]
        with memory._session.tenant.store.read() as snapshot:
            note = snapshot.notes.get("signing", done.new)
    assert (entry.kind, entry.actor) == (EntryKind.KEYED, "owner")
    assert note is not None
    assert note.body is not None
    assert '"reason":"a laptop was lost"' in note.body


def test_the_private_half_that_went_is_nowhere_in_the_vault(lived_in: Path) -> None:
    gone = private(lived_in)
    rotate(lived_in, reason="routine")
    left = b"".join(path.read_bytes() for path in lived_in.rglob("*") if path.is_file())
    assert gone.encode() not in left
    assert bytes.fromhex(gone) not in left
    assert {path.name for path in (lived_in / "keys").iterdir()} >= {"signing.key", "signing.pub"}
    assert stat.S_IMODE((lived_in / "keys" / "signing.key").stat().st_mode) == 0o600


def test_the_old_private_half_is_kept_when_that_is_asked_for_and_signs_nothing(lived_in: Path) -> None:
    gone = private(lived_in)
    done = rotate(lived_in, reason="routine", keep=True)
    kept = lived_in / "keys" / f"{done.old[:16]}.key"
    assert (kept.read_text().strip(), stat.S_IMODE(kept.stat().st_mode)) == (gone, 0o600)
    with Memory.open(lived_in) as memory:
        assert memory.ledger.checkpoint().checkpoint.key == done.new


def test_a_file_that_is_destroyed_was_overwritten_before(tmp_path: Path) -> None:
    secret, other = tmp_path / "secret", tmp_path / "other"
    secret.write_text("the private half")
    os.link(secret, other)
    destroy_file(secret)
    assert (secret.exists(), other.read_bytes()) == (False, bytes(16))


def test_only_the_owner_changes_the_key_and_a_reason_is_needed(lived_in: Path) -> None:
    before = private(lived_in)
    with pytest.raises(NotPermitted):
        rotate(lived_in, reason="mine", actor="bot")
    with pytest.raises(Malformed):
        rotate(lived_in, reason=" ")
    assert private(lived_in) == before
    assert not (lived_in / "keys" / "signing.next").exists()


def test_two_rotations_at_once_are_one(lived_in: Path) -> None:
    lock = FileLock(lived_in / "keys" / "rotation.lock")
    assert lock.take()
    with pytest.raises(StoreBusy):
        rotate(lived_in, reason="routine")
    lock.release()
    assert rotate(lived_in, reason="routine").entries == {"default": 4, "other": 4}


def test_a_memory_that_was_open_meanwhile_signs_with_the_new_key(lived_in: Path) -> None:
    with Memory.open(lived_in) as memory:
        done = rotate(lived_in, reason="routine")
        memory.remember("The audit was postponed")
        assert memory.ledger.checkpoint().checkpoint.key == done.new
        assert memory.ledger.verify().findings == ()


class Died(Exception):
    """Stands for the end of a process."""


class Deadly:
    """Counts what is done to files and with the clock, and ends the process at one of these moments."""

    def __init__(self, patched: pytest.MonkeyPatch, at: int | None = None) -> None:
        self.touches = 0
        self._at = at
        for name in ("link", "replace", "unlink", "fsync"):
            patched.setattr(os, name, self._counted(getattr(os, name)))

    def _counted(self, real: Callable[..., None]) -> Callable[..., None]:
        def touch(*given: object, **named: object) -> None:
            self._touch()
            real(*given, **named)

        return touch

    def _touch(self) -> None:
        if self.touches == self._at:
            raise Died
        self.touches += 1

    def now(self) -> Instant:
        self._touch()
        return SystemClock().now()


def test_a_rotation_that_dies_at_any_touch_leaves_a_vault_that_works_and_is_gone_on_with(
    lived_in: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Count the touches of one good rotation, then die at each of them in turn."""
    shutil.copytree(lived_in, tmp_path / "rehearsal")
    with monkeypatch.context() as patched:
        rehearsal = Deadly(patched)
        rotate(tmp_path / "rehearsal", reason="routine", clock=rehearsal)
    assert rehearsal.touches > 12
    for touch in range(rehearsal.touches):
        survivor = tmp_path / str(touch)
        shutil.copytree(lived_in, survivor)
        with monkeypatch.context() as patched, pytest.raises(Died):
            rotate(survivor, reason="routine", clock=Deadly(patched, at=touch))
        _works_on(survivor)


def _works_on(vault: Path) -> None:
    tenants = ("default", "other", "made-meanwhile")
    for tenant in tenants:
        with Memory.open(vault, tenant=tenant) as memory:
            assert memory.remember("Work goes on").record_id is not None
            memory.ledger.checkpoint()
            assert memory.ledger.verify().findings == ()
    done = rotate(vault, reason="again")
    assert {path.name for path in (vault / "keys").glob("signing.*")} == {"signing.key", "signing.pub"}
    assert {path.name for path in (vault / "keys").glob(".signing.next*")} == set()
    for tenant in tenants:
        line = key_line(vault, tenant)
        assert (line.key, line.findings) == (done.new, [])
        with Memory.open(vault, tenant=tenant) as memory:
            assert memory.ledger.verify().findings == ()


def test_a_ledger_whose_key_is_not_in_the_vault_is_not_gone_on_with(lived_in: Path) -> None:
    (lived_in / "keys" / "signing.key").write_text((b"k" * 32).hex() + "\n")
    with pytest.raises(IntegrityError):
        Memory.open(lived_in)
    assert codes(verify_vault(lived_in, "default")) == {"foreign_key"}


def _edit(vault: Path, statement: str, *values: bytes | int) -> list[tuple[bytes]]:
    connection = apsw.Connection(str(vault / "default.sqlite"))
    try:
        return list(connection.execute(statement, values))
    finally:
        connection.close()


def _signed_again(vault: Path, seq: int, key: Path) -> None:
    """Put a checkpoint in the place of the one at `seq`, true in all it says and signed with a key of the forger's."""
    kept = read_canonical(_edit(vault, "SELECT signed FROM checkpoints WHERE seq = ?", seq)[0][0], SignedCheckpoint)
    signer = FileSigner(key)
    point = msgspec.structs.replace(kept.checkpoint, key=signer.key_id)
    forged = SignedCheckpoint(checkpoint=point, signature=sign_value(signer, point), peaks=kept.peaks)
    _edit(vault, "UPDATE checkpoints SET signed = ? WHERE seq = ?", canonical(forged), seq)


def test_a_retired_key_signs_no_checkpoint_after_its_rotation(lived_in: Path, tmp_path: Path) -> None:
    stolen = tmp_path / "stolen.key"
    shutil.copy(lived_in / "keys" / "signing.key", stolen)
    rotate(lived_in, reason="it was stolen")
    with Memory.open(lived_in) as memory:
        memory.remember("The audit was postponed")
    assert verify_vault(lived_in, "default").findings == ()
    _signed_again(lived_in, 5, stolen)
    result = verify_vault(lived_in, "default")
    assert [(one.code, one.seq) for one in result.findings] == [("checkpoint_forged", 5)]


def test_a_new_key_does_not_vouch_for_what_came_before_it(lived_in: Path) -> None:
    rotate(lived_in, reason="routine")
    _signed_again(lived_in, 3, lived_in / "keys" / "signing.key")
    result = verify_vault(lived_in, "default")
    assert [(one.code, one.seq) for one in result.findings] == [("checkpoint_forged", 3)]


def test_the_checkpoint_a_key_began_with_is_missed(lived_in: Path) -> None:
    rotate(lived_in, reason="routine")
    _edit(lived_in, "DELETE FROM checkpoints WHERE seq = 4")
    result = verify_vault(lived_in, "default")
    assert [(one.code, one.seq) for one in result.findings] == [("checkpoint_missing", 4)]
    with pytest.raises(IntegrityError):
        Memory.open(lived_in)


@pytest.mark.parametrize("field", ["by_old", "by_new"])
def test_a_handover_that_one_of_its_keys_did_not_sign_is_found(lived_in: Path, field: str) -> None:
    rotate(lived_in, reason="routine")
    with Memory.open(lived_in) as memory:
        entry = memory.ledger.entries(4, 4)[0]
    assert entry.handover is not None
    forged = msgspec.structs.replace(entry, handover=msgspec.structs.replace(entry.handover, **{field: "00" * 64}))
    _edit(lived_in, "UPDATE entries SET body = ? WHERE seq = 4", canonical(forged))
    result = verify_vault(lived_in, "default")
    assert {("key_forged", 4), ("entry_altered", 4)} <= {(one.code, one.seq) for one in result.findings}


def test_checkpoints_are_checked_with_public_keys_alone(lived_in: Path) -> None:
    with Memory.open(lived_in) as memory:
        before = memory.ledger.checkpoint()
    rotate(lived_in, reason="routine")
    with Memory.open(lived_in) as memory:
        memory.remember("The audit was postponed")
        after = memory.ledger.checkpoint()
    spans = tuple(key_line(lived_in, "default").spans)
    shutil.rmtree(lived_in)
    assert checkpointed(before, spans)
    assert checkpointed(after, spans)
    later: Checkpoint = msgspec.structs.replace(before.checkpoint, seq=9)
    assert not checkpointed(msgspec.structs.replace(before, checkpoint=later), spans)
    assert not checkpointed(after, spans[:1])
    assert not checkpointed(after, (spans[0], msgspec.structs.replace(spans[1], handover=None)))
    assert not checkpointed(after, ())


def test_a_certificate_is_good_under_its_own_key_alone(lived_in: Path) -> None:
    with Memory.open(lived_in) as memory:
        memory.forget(memory.recall("audit").records[0].record.id, reason="asked to")
        signed = memory.erasure.certificates()[0]
    old = public(lived_in)
    done = rotate(lived_in, reason="routine")
    assert certified(signed, old)
    assert not certified(signed, done.new)
    with Memory.open(lived_in) as memory:
        assert memory.ledger.verify().findings == ()
