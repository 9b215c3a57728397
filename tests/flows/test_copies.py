"""The day is backed up, restored, archived, moved and encrypted: all is there, and old receipts still explain."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from tests.flows.day import Day
from tests.postgres.moving import Where, everything, move

from muniment import Memory
from muniment.config import AS_SET
from muniment.engine.copies.backup import back_up
from muniment.engine.copies.restore import RestoreRequest, restore
from muniment.engine.copies.transfer import export_archive, import_archive
from muniment.engine.encryption import decrypt, encrypt, make_key

KeyGiven = str | Path | None


def unexplained(place: Where, day: Day, key: KeyGiven = AS_SET) -> list[str]:
    """Receipts of the day that do not name the records that were told, when they are explained or searched again."""
    found = []
    with Memory.open(place, embedder=None, create=False, encryption_key=key) as memory:
        assert memory.ledger.verify().findings == ()
        for number, (receipt, told) in enumerate(day.receipts):
            said = memory.explain(receipt, replay=number % 5 == 0)
            if not (said.same_ids and said.again == told):
                found.append(f"{receipt}: {said.note}")
    return found


def test_a_day_is_the_same_after_backup_restore_archive_encryption_and_a_move_there_and_back(
    day: Day, dsn: str, tmp_path: Path
) -> None:
    before = everything(day.vault)
    assert unexplained(day.vault, day) == []

    back_up(day.vault, tmp_path / "backup")
    restored = tmp_path / "restored"
    restore(RestoreRequest(backup=tmp_path / "backup", vault=restored))
    assert unexplained(restored, day) == []

    export_archive(day.vault, "default", tmp_path / "day.ndjson")
    import_archive(tmp_path / "archived", tmp_path / "day.ndjson", signing_key=day.vault / "keys" / "signing.key")
    assert everything(tmp_path / "archived") == before
    assert unexplained(tmp_path / "archived", day) == []

    move(day.vault, dsn)
    assert everything(dsn) == before
    assert unexplained(dsn, day) == []
    move(dsn, tmp_path / "back")
    assert everything(tmp_path / "back") == before
    assert unexplained(tmp_path / "back", day) == []


def test_an_encrypted_day_holds_no_word_and_explains_the_same(day: Day, tmp_path: Path) -> None:
    key = tmp_path / "key"
    make_key(key)
    before = everything(day.vault)
    encrypt(day.vault, key=key)

    raw = [file.read_bytes() for file in day.vault.rglob("*") if file.is_file()]
    assert [who for who in day.people if any(who.split()[0].encode() in body for body in raw)] == []
    assert unexplained(day.vault, day, key) == []

    decrypt(day.vault, key=key)
    assert everything(day.vault) == before
    with ExitStack() as stack:
        memory = stack.enter_context(Memory.open(day.vault, embedder=None))
        assert {one.record.content for one in memory.insight.browse()} == day.said()
