"""Putting a backup back: nothing is touched unless all of it is sound, and what was there is set aside."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import msgspec
import pytest
from tests.copies.making import furnish, names_in, opened, remembered, state
from tests.patience import WAIT_S

from muniment import Memory
from muniment.backends.sqlite.copying import copy_store, seized
from muniment.backends.sqlite.open_lock import shut
from muniment.engine.copies.backup import back_up
from muniment.engine.copies.manifest import SignedManifest, read_manifest, spelled
from muniment.engine.copies.restore import RestoreRequest, restore
from muniment.engine.notebook import Notebook
from muniment.engine.signing import rotate
from muniment.model.errors import (
    IntegrityError,
    LedgerBroken,
    Malformed,
    MunimentError,
    NotFound,
    SchemaMismatch,
    StoreBusy,
    StoreUnavailable,
)


@pytest.fixture
def backup(vault: Path, tmp_path: Path) -> Path:
    """A backup of a vault whose ledger has gone on since."""
    furnish(vault)
    back_up(vault, tmp_path / "copy", with_keys=False)
    with opened(vault) as memory:
        for number in range(5):
            remembered(memory, f"Cellar {number} is damp")
    return tmp_path / "copy"


def contents(vault: Path) -> list[str]:
    with opened(vault) as memory:
        assert memory.ledger.verify().ok
        return sorted(found.record.content for found in memory.insight.browse())


def visitors(vault: Path, tenant: str, count: int) -> tuple[list[threading.Thread], list[MunimentError | None]]:
    """People who will open a tenant's memory, each to write once, and what they are told: nothing, or why not."""
    told: list[MunimentError | None] = []

    def come(number: int) -> None:
        try:
            with opened(vault, tenant) as memory:
                remembered(memory, f"Visitor {number} came with parcel {number * 11}")
            told.append(None)
        except MunimentError as error:
            told.append(error)

    return [threading.Thread(target=come, args=(number,)) for number in range(count)], told


SHELVES = sorted(f"Shelf {number} holds box {number * 7}" for number in range(12))


def test_a_backup_with_keys_becomes_a_vault_where_there_was_nothing(vault: Path, tmp_path: Path) -> None:
    furnish(vault)
    back_up(vault, tmp_path / "copy", with_keys=True)
    (tmp_path / "new").mkdir()
    done = restore(RestoreRequest(backup=tmp_path / "copy", vault=tmp_path / "new"))
    (back,) = done.tenants
    assert (done.aside, back.was, back.backup, back.ahead) == (None, None, 14, True)
    assert contents(tmp_path / "new") == SHELVES
    assert {oct(one.stat().st_mode & 0o077) for one in (tmp_path / "new").rglob("*")} == {"0o0"}


def test_a_backup_without_keys_needs_the_key_it_was_made_with(backup: Path, vault: Path, tmp_path: Path) -> None:
    furnish(tmp_path / "other")
    for key in (None, tmp_path / "other" / "keys" / "signing.key"):
        with pytest.raises(Malformed, match="signing_key"):
            restore(RestoreRequest(backup=backup, vault=tmp_path / "new", signing_key=key))
        assert not (tmp_path / "new").exists()
    restore(RestoreRequest(backup=backup, vault=tmp_path / "new", signing_key=vault / "keys" / "signing.key"))
    assert contents(tmp_path / "new") == SHELVES


def test_in_place_the_ledger_goes_back_says_so_and_what_was_there_is_set_aside(
    backup: Path, vault: Path, tmp_path: Path
) -> None:
    (vault / "keys" / "api-keys.json").write_text("[]")
    with opened(vault) as memory:
        before = memory.ledger.head()
    done = restore(RestoreRequest(backup=backup, vault=vault))
    (back,) = done.tenants
    assert (back.tenant, back.was, back.backup, back.ahead, back.head.seq) == ("default", 19, 14, True, 15)
    assert contents(vault) == SHELVES
    assert (vault / "keys" / "api-keys.json").exists(), "what the vault has of keys stays"
    assert done.aside is not None
    assert names_in(done.aside) == ["default.sqlite", "policy.yaml"]
    with opened(vault) as memory:
        note = Notebook.of(memory).get("vault", "restored")
    assert note is not None
    assert note.body is not None
    told = msgspec.json.decode(note.body)
    assert (told["backup_seq"], told["lost_seq"], told["lost_hash"]) == (14, 19, before.hash.hex())
    (vault / "default.sqlite").unlink()
    (done.aside / "default.sqlite").rename(vault / "default.sqlite")
    assert len(contents(vault)) == 17, "what was set aside can be put back by hand"


def test_the_restored_vault_answers_as_the_old_one_did(vault: Path, tmp_path: Path) -> None:
    furnish(vault)
    with opened(vault) as memory:
        told = memory.recall("which box is on shelf 7?")
    back_up(vault, tmp_path / "copy")
    with opened(vault) as memory:
        memory.review.retract(told.records[0].record.id, reason="it was moved")
    restore(RestoreRequest(backup=tmp_path / "copy", vault=vault))
    with opened(vault) as memory:
        again = memory.recall("which box is on shelf 7?")
        assert [one.record.id for one in again.records] == [one.record.id for one in told.records]
        explained = memory.explain(told.receipt_id, replay=True)
        assert (explained.same_ids, explained.replayed) == (True, True)


def test_only_one_tenant_goes_back_and_the_others_are_not_touched(vault: Path, tmp_path: Path) -> None:
    furnish(vault)
    furnish(vault, 3, tenant="acme")
    back_up(vault, tmp_path / "copy")
    for tenant in ("default", "acme"):
        with opened(vault, tenant) as memory:
            remembered(memory, "The lock was changed")
    (vault / "policy.yaml").write_text((vault / "policy.yaml").read_text() + "\n# looked at in spring\n")
    before = state(vault)
    done = restore(RestoreRequest(backup=tmp_path / "copy", vault=vault, tenant="acme"))
    after = state(vault)
    assert [back.tenant for back in done.tenants] == ["acme"]
    assert {name for name in after if after[name] != before.get(name)} == {"acme.sqlite"}
    with pytest.raises(NotFound):
        restore(RestoreRequest(backup=tmp_path / "copy", vault=vault, tenant="acm"))


def test_tenants_the_backup_does_not_know_stay(backup: Path, vault: Path) -> None:
    furnish(vault, 3, tenant="later")
    before = state(vault)["later.sqlite"]
    restore(RestoreRequest(backup=backup, vault=vault))
    assert state(vault)["later.sqlite"] == before


def _flip(path: Path, place: int) -> None:
    body = bytearray(path.read_bytes())
    body[place] ^= 1
    path.write_bytes(bytes(body))


def _spoil(backup: Path, how: str) -> None:
    store, manifest = backup / "vault" / "default.sqlite", backup / "manifest.json"
    match how:
        case "a byte of a store":
            _flip(store, store.stat().st_size // 2)
        case "a byte of the policy":
            _flip(backup / "vault" / "policy.yaml", 10)
        case "a file is missing":
            (backup / "vault" / "policy.yaml").unlink()
        case "a file too many":
            (backup / "vault" / "acme.sqlite").write_bytes(store.read_bytes())
        case "a store cut short":
            store.write_bytes(store.read_bytes()[:-4096])
        case "a link instead of a file":
            store.rename(backup.parent / "away.sqlite")
            store.symlink_to(backup.parent / "away.sqlite")
        case "a head of another time":
            manifest.write_bytes(manifest.read_bytes().replace(b'"seq": 14', b'"seq": 13'))
        case "no words":
            manifest.write_bytes(b"{}")
        case "half a manifest":
            manifest.write_bytes(manifest.read_bytes()[:200])


@pytest.mark.parametrize(
    "how",
    [
        "a byte of a store",
        "a byte of the policy",
        "a file is missing",
        "a file too many",
        "a store cut short",
        "a link instead of a file",
        "a head of another time",
        "no words",
        "half a manifest",
    ],
)
def test_a_damaged_backup_is_refused_and_nothing_is_changed(
    backup: Path, vault: Path, tmp_path: Path, how: str
) -> None:
    _spoil(backup, how)
    before, names = state(vault), names_in(tmp_path)
    for place in (vault, tmp_path / "new"):
        with pytest.raises((IntegrityError, StoreUnavailable)):
            restore(RestoreRequest(backup=backup, vault=place, signing_key=vault / "keys" / "signing.key"))
    assert state(vault) == before
    assert names_in(tmp_path) == names


def test_a_manifest_of_a_later_version_is_refused(backup: Path, vault: Path) -> None:
    manifest = backup / "manifest.json"
    manifest.write_bytes(manifest.read_bytes().replace(b'"backup": 1,', b'"backup": 2,'))
    with pytest.raises(SchemaMismatch):
        restore(RestoreRequest(backup=backup, vault=vault))


def test_what_another_vault_signed_is_refused(backup: Path, vault: Path, tmp_path: Path) -> None:
    furnish(tmp_path / "other")
    back_up(tmp_path / "other", tmp_path / "foreign")
    before = state(vault)
    with pytest.raises(Malformed, match="another vault's key"):
        restore(RestoreRequest(backup=tmp_path / "foreign", vault=vault))
    assert state(vault) == before


def test_a_manifest_cannot_lead_out_of_its_folder(backup: Path, vault: Path) -> None:
    from muniment.backends.clock_and_ids import FileSigner, sign_value

    made = read_manifest(backup)
    parts = tuple(msgspec.structs.replace(part, path=part.path.replace("vault/", "vault/../")) for part in made.parts)
    copies = tuple(msgspec.structs.replace(one, path=one.path.replace("vault/", "vault/../")) for one in made.tenants)
    forged = msgspec.structs.replace(made, parts=parts, tenants=copies)
    signature = sign_value(FileSigner(vault / "keys" / "signing.key"), forged)
    (backup / "manifest.json").write_bytes(spelled(SignedManifest(manifest=forged, signature=signature)))
    with pytest.raises(IntegrityError, match="contradicts itself"):
        restore(RestoreRequest(backup=backup, vault=vault))


def test_what_is_no_backup_and_what_is_no_vault_are_refused(backup: Path, tmp_path: Path) -> None:
    with pytest.raises(Malformed, match="path"):
        restore(RestoreRequest(backup=tmp_path / "nothing", vault=tmp_path / "new"))
    place = tmp_path / "letters"
    place.mkdir()
    (place / "a.txt").write_text("mine")
    with pytest.raises(Malformed, match="where there is nothing yet"):
        restore(RestoreRequest(backup=backup, vault=place))
    assert names_in(place) == ["a.txt"]


def test_a_vault_that_is_open_is_not_replaced(backup: Path, vault: Path) -> None:
    with opened(vault) as memory:
        for tenant in (None, "default"):
            with pytest.raises(StoreBusy, match="in use"):
                restore(RestoreRequest(backup=backup, vault=vault, tenant=tenant))
        remembered(memory, "It is still written to")
    assert len(contents(vault)) == 18


def test_who_waited_for_a_file_that_was_replaced_never_writes_to_the_old_one(vault: Path, tmp_path: Path) -> None:
    furnish(vault, 3)
    path, aside = vault / "default.sqlite", tmp_path / "aside.sqlite"
    copy_store(path, tmp_path / "new.sqlite", key=None, progress=lambda done, whole: None)
    waiting, told = visitors(vault, "default", 4)
    with shut(path), seized(path, "default", None):
        for thread in waiting:
            thread.start()
        aside.hardlink_to(path)
        before = aside.read_bytes()
        (tmp_path / "new.sqlite").replace(path)
    for thread in waiting:
        thread.join(timeout=WAIT_S)
    assert aside.read_bytes() == before
    with opened(vault) as memory:
        assert memory.ledger.verify().ok
        assert len(list(memory.insight.browse())) == 3 + 4
    assert told == [None] * 4


@pytest.mark.parametrize("there", [True, False])
def test_a_tenant_is_put_back_while_others_come_for_it_and_nothing_they_are_told_is_kept_is_lost(
    vault: Path, tmp_path: Path, *, there: bool
) -> None:
    furnish(vault, 3, "acme")
    furnish(vault, 2)
    back_up(vault, tmp_path / "copy")
    if not there:
        for file in vault.glob("acme.*"):
            file.unlink()
    waiting, told = visitors(vault, "acme", 4)

    def shown(*_: object) -> None:
        for thread in [one for one in waiting if one.ident is None]:
            thread.start()

    done = restore(RestoreRequest(backup=tmp_path / "copy", vault=vault, tenant="acme"), progress=shown)
    for thread in waiting:
        thread.join(timeout=WAIT_S)
    assert told == [None] * 4
    with opened(vault, "acme") as memory:
        assert memory.ledger.verify().ok
        assert len(list(memory.insight.browse())) == 3 + 4
    if there:
        assert done.aside is not None
        kept = shutil.copytree(vault, tmp_path / "as-it-was")
        (done.aside / "acme.sqlite").replace(kept / "acme.sqlite")
        with opened(kept, "acme") as memory:
            assert memory.ledger.verify().ok
            assert len(list(memory.insight.browse())) == 3


def test_a_present_store_that_cannot_say_what_was_erased_stops_a_restore_unless_it_is_said(
    backup: Path, vault: Path
) -> None:
    (vault / "default.sqlite").write_bytes(b"not a store any more" * 500)
    before = state(vault)
    with pytest.raises(IntegrityError, match="cannot be asked what was erased") as refused:
        restore(RestoreRequest(backup=backup, vault=vault))
    assert "--despite-damage" in refused.value.hint
    assert state(vault) == before
    done = restore(RestoreRequest(backup=backup, vault=vault, despite_damage=True))
    assert contents(vault) == SHELVES
    assert done.aside is not None
    assert (done.aside / "default.sqlite").read_bytes().startswith(b"not a store")


def test_a_present_store_that_is_gone_cannot_say_what_was_erased_either(backup: Path, vault: Path) -> None:
    for file in vault.glob("default.sqlite*"):
        if not file.name.endswith("-turns"):
            file.unlink()
    with pytest.raises(IntegrityError, match=r"cannot be asked what was erased .* is gone") as refused:
        restore(RestoreRequest(backup=backup, vault=vault, tenant="default"))
    assert "--despite-damage" in refused.value.hint
    assert not (vault / "default.sqlite").exists()
    restore(RestoreRequest(backup=backup, vault=vault, tenant="default", despite_damage=True))
    assert contents(vault) == SHELVES


def test_a_damaged_file_that_somebody_has_open_is_not_replaced_under_them(vault: Path, tmp_path: Path) -> None:
    """What they have read of it before serves them on, and what they write to it would be set aside with it."""
    furnish(vault, 3, "acme")
    back_up(vault, tmp_path / "copy")
    wish = RestoreRequest(backup=tmp_path / "copy", vault=vault, tenant="acme", despite_damage=True)
    with opened(vault, "acme") as memory:
        assert memory._session.tenant.store.scrub(), "nothing of the file is in its log"
        with (vault / "acme.sqlite").open("r+b", buffering=0) as file:
            file.write(bytes(100))
            with pytest.raises(StoreBusy, match="in use"):
                restore(wish)
        remembered(memory, "Written while the first page was gone")
        assert len(list(memory.insight.browse())) == 4
    restore(wish)
    with opened(vault, "acme") as memory:
        assert len(list(memory.insight.browse())) == 3


def test_a_witness_that_refuses_an_older_copy_takes_a_restored_one(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "witness").mkdir()
    monkeypatch.setenv("MUNIMENT_WITNESS", str(tmp_path / "witness"))
    furnish(vault)
    back_up(vault, tmp_path / "copy")
    with opened(vault) as memory:
        remembered(memory, "The lock was changed")
        remembered(memory, "The key is under the mat")
    by_hand = tmp_path / "by-hand"
    restore(RestoreRequest(backup=tmp_path / "copy", vault=vault))
    assert contents(vault) == SHELVES
    with opened(vault) as memory:
        remembered(memory, "The lock was changed again")
    by_hand.write_bytes((tmp_path / "copy" / "vault" / "default.sqlite").read_bytes())
    by_hand.replace(vault / "default.sqlite")
    with pytest.raises(LedgerBroken, match="witness"):
        Memory.open(vault, embedder=None)


def test_a_backup_from_before_a_change_of_keys_needs_the_old_one_and_goes_on_with_the_new(
    backup: Path, vault: Path, tmp_path: Path
) -> None:
    old = tmp_path / "old.key"
    old.write_bytes((vault / "keys" / "signing.key").read_bytes())
    old.chmod(0o600)
    rotation = rotate(vault, reason="yearly")
    with pytest.raises(Malformed, match="in force when the backup was made"):
        restore(RestoreRequest(backup=backup, vault=vault))
    assert len(contents(vault)) == 17
    restore(RestoreRequest(backup=backup, vault=vault, signing_key=old))
    assert contents(vault) == SHELVES
    with opened(vault) as memory:
        assert memory.ledger.checkpoint().checkpoint.key == rotation.new
