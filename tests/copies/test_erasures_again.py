"""What was erased after a backup was made stays erased when the backup is put back."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.copies.making import SECRET, furnish, opened, remembered, state
from tests.surfaces.traces import traces

from muniment.engine.copies.backup import back_up
from muniment.engine.copies.restore import RestoreRequest, restore
from muniment.engine.notebook import Notebook
from muniment.model.erasure import SignedCertificate
from muniment.model.errors import Malformed, NotFound, OnHold
from muniment.model.note import NoteDraft

OTHER = "Therefore Vantaggio is sent zebrafish feed"


def test_an_erased_record_and_what_was_derived_from_it_are_nowhere_in_the_restored_vault(
    vault: Path, tmp_path: Path
) -> None:
    furnish(vault)
    with opened(vault) as memory:
        name = remembered(memory, SECRET, confidence=0.9)
        above = remembered(memory, OTHER, confidence=0.9, derived_from=[name])
        memory.recall("who keeps zebrafish in Ouagadougou?")
        back_up(vault, tmp_path / "copy", with_keys=True)
        erased = memory.forget(name, reason="asked to", cascade="erase")
    assert erased.certificate is not None
    done = restore(RestoreRequest(backup=tmp_path / "copy", vault=vault))
    assert traces([SECRET, OTHER], vault) == []
    (back,) = done.tenants
    assert back.redone.certificates == (erased.certificate.certificate.id,)
    assert back.redone.records == 2
    with opened(vault) as memory:
        assert memory.ledger.verify().findings == ()
        (again,) = memory.erasure.certificates()
        assert sorted(again.certificate.erased) == sorted([name, above])
        assert erased.certificate.certificate.id in again.certificate.reason
        with pytest.raises(NotFound):
            memory.get(name)


def test_what_an_erasure_took_beside_records_does_not_come_back_either(vault: Path, tmp_path: Path) -> None:
    """A name given to somebody, a note that speaks of them, and a proposal that waits: none belongs to a record that
    was erased."""
    furnish(vault)
    with opened(vault) as memory:
        remembered(memory, SECRET, subject="Quillon Vantaggio", key="pets", value="zebrafish")
        memory.review.alias("Vantaggiolino", "Quillon Vantaggio")
        Notebook.of(memory).turn("owner", lambda _: _noted("Quillon Vantaggio called twice"))
        back_up(vault, tmp_path / "copy")
        done = memory.forget(subject="Quillon Vantaggio", reason="asked to", cascade="erase")
        assert done.certificate is not None
    restore(RestoreRequest(backup=tmp_path / "copy", vault=vault))
    assert traces([SECRET, "Vantaggiolino", "Quillon Vantaggio"], vault) == []
    with opened(vault) as memory:
        assert memory.ledger.verify().findings == ()


def _noted(words: str) -> tuple[list[NoteDraft], None]:
    return [NoteDraft(topic="calls", key="1", body=msgspec.json.encode({"said": words}).decode())], None


def test_a_redacted_record_is_redacted_again(vault: Path, tmp_path: Path) -> None:
    furnish(vault)
    with opened(vault) as memory:
        name = remembered(memory, SECRET, confidence=0.9)
        above = remembered(memory, f"Feed goes out on Mondays. {SECRET}", confidence=0.9, derived_from=[name])
        back_up(vault, tmp_path / "copy")
        memory.forget(name, reason="asked to", cascade="redact")
        shown = memory.get(above).record.content
    restore(RestoreRequest(backup=tmp_path / "copy", vault=vault))
    with opened(vault) as memory:
        assert memory.get(above).record.content == shown
    assert "Ouagadougou" not in shown
    assert traces([SECRET], vault) == []


def test_erasures_before_the_backup_are_not_done_twice(vault: Path, tmp_path: Path) -> None:
    furnish(vault)
    with opened(vault) as memory:
        memory.forget(remembered(memory, SECRET), reason="asked to")
        back_up(vault, tmp_path / "copy")
    (back,) = restore(RestoreRequest(backup=tmp_path / "copy", vault=vault)).tenants
    assert back.redone.certificates == ()
    with opened(vault) as memory:
        assert len(memory.erasure.certificates()) == 1


def test_a_certificate_kept_elsewhere_is_obeyed_where_the_vault_was_lost(vault: Path, tmp_path: Path) -> None:
    furnish(vault)
    with opened(vault) as memory:
        name = remembered(memory, SECRET)
        back_up(vault, tmp_path / "copy", with_keys=True)
        signed = memory.forget(name, reason="asked to").certificate
    assert signed is not None
    done = restore(RestoreRequest(backup=tmp_path / "copy", vault=tmp_path / "new", erasures=(signed,)))
    assert [back.redone.certificates for back in done.tenants] == [(signed.certificate.id,)]
    assert traces([SECRET], tmp_path / "new") == []


def test_a_certificate_nobody_signed_erases_nothing(vault: Path, tmp_path: Path) -> None:
    names = furnish(vault)
    with opened(vault) as memory:
        name = remembered(memory, SECRET)
        back_up(vault, tmp_path / "copy", with_keys=True)
        signed = memory.forget(name, reason="asked to").certificate
    assert signed is not None
    forged = SignedCertificate(
        certificate=msgspec.structs.replace(signed.certificate, erased=tuple(names)), signature=signed.signature
    )
    before = state(vault)
    for place in (vault, tmp_path / "new"):
        with pytest.raises(Malformed, match="certificates that a key of this vault has signed"):
            restore(RestoreRequest(backup=tmp_path / "copy", vault=place, erasures=(forged,)))
    assert state(vault) == before
    assert not (tmp_path / "new").exists()


def test_a_second_restore_of_an_older_backup_erases_it_all_again(vault: Path, tmp_path: Path) -> None:
    furnish(vault)
    with opened(vault) as memory:
        first, second = remembered(memory, SECRET), remembered(memory, "Vantaggio lends Pellegrino bicycles")
        back_up(vault, tmp_path / "older")
        memory.forget(first, reason="asked to")
        back_up(vault, tmp_path / "newer")
        memory.forget(second, reason="asked to")
    restore(RestoreRequest(backup=tmp_path / "newer", vault=vault))
    (back,) = restore(RestoreRequest(backup=tmp_path / "older", vault=vault)).tenants
    assert len(back.redone.certificates) == 2
    assert traces([SECRET, "Vantaggio lends Pellegrino bicycles"], vault) == []


def test_what_was_put_on_hold_since_is_on_hold_again(vault: Path, tmp_path: Path) -> None:
    names = furnish(vault)
    with opened(vault) as memory:
        early = memory.erasure.hold(names[1], reason="asked for by the court")
        back_up(vault, tmp_path / "copy")
        late = memory.erasure.hold(names[2], reason="asked for by the auditor")
    (back,) = restore(RestoreRequest(backup=tmp_path / "copy", vault=vault)).tenants
    assert back.redone.holds == (late.id,)
    with opened(vault) as memory:
        assert memory.erasure.holds() == (early, late)
        with pytest.raises(OnHold):
            memory.forget(names[2], reason="spring cleaning")


def test_a_hold_that_was_lifted_before_the_erasure_does_not_bring_the_words_back(vault: Path, tmp_path: Path) -> None:
    furnish(vault)
    with opened(vault) as memory:
        name = remembered(memory, SECRET)
        hold = memory.erasure.hold(name, reason="asked for by the court")
        back_up(vault, tmp_path / "copy")
        memory.erasure.lift(hold.id, reason="the case is closed")
        memory.forget(name, reason="asked to")
    restore(RestoreRequest(backup=tmp_path / "copy", vault=vault))
    assert traces([SECRET], vault) == []
