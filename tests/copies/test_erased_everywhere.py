"""What was erased is in no file of any vault that an older copy is brought into, by whatever it was named and whatever
way the copy takes: put back, put back where the vault is lost, taken in from an archive, moved."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.copies.erased import ACTOR, HANDLES, SAID, SUBJECT, WORDS, Told, decide, forget, say, still_there, traces_of
from tests.copies.making import opened
from tests.unit.engine.erasing import left

from muniment import Memory
from muniment.engine.copies.backup import back_up
from muniment.engine.copies.restore import RestoreRequest, restore
from muniment.engine.copies.transfer import export_archive, import_archive
from muniment.model.erasure import SignedCertificate
from muniment.model.errors import NotFound, OnHold

ONLY_THE_LEDGER_KNOWS = ("discarded",)
"""A certificate names what the ledger still had when it was drawn up: not what somebody had discarded before."""


def erased(vault: Path, tmp_path: Path, handle: str) -> tuple[Told, SignedCertificate]:
    """A vault that was copied in both ways, in which something was decided and then erased."""
    with opened(vault) as memory:
        told = say(memory)
    back_up(vault, tmp_path / "copy", with_keys=True)
    export_archive(vault, "default", tmp_path / "copy.ndjson")
    with opened(vault) as memory:
        decide(memory, told)
        assert traces_of(handle, vault), "the search finds what is there"
        done = forget(memory, handle, told)
        still_there(memory)
    assert done.certificate is not None
    assert traces_of(handle, vault) == []
    return told, done.certificate


def waiting(memory: Memory) -> list[str]:
    return [one.proposal.claim.content for one in memory.review.queue()]


def nothing_of_it(vault: Path, told: Told, handle: str, *, but: tuple[str, ...] = ()) -> None:
    assert traces_of(handle, vault, but=but) == []
    with opened(vault) as memory:
        still_there(memory)
        assert SAID["revising"] not in waiting(memory)
        assert handle == "record" or [text for text in waiting(memory) if SUBJECT in text] == [SAID[one] for one in but]
        with pytest.raises(NotFound):
            memory.get(told.record)
        assert memory.recall("zebrafish Ouagadougou Tirolerfutter").records == ()


@pytest.mark.parametrize("handle", HANDLES)
def test_no_copy_brings_anything_of_it_back(vault: Path, tmp_path: Path, handle: str) -> None:
    told, signed = erased(vault, tmp_path, handle)
    lost, taken = tmp_path / "lost", tmp_path / "taken"
    restore(RestoreRequest(backup=tmp_path / "copy", vault=lost, erasures=(signed,)))
    nothing_of_it(lost, told, handle, but=() if handle == "record" else ONLY_THE_LEDGER_KNOWS)
    key = vault / "keys" / "signing.key"
    brought = import_archive(taken, tmp_path / "copy.ndjson", signing_key=key, erasures=(signed,))
    assert brought.redone.certificates == (signed.certificate.id,)
    nothing_of_it(taken, told, handle, but=() if handle == "record" else ONLY_THE_LEDGER_KNOWS)
    (back,) = restore(RestoreRequest(backup=tmp_path / "copy", vault=vault)).tenants
    assert back.redone.certificates == (signed.certificate.id,)
    assert back.redone.proposals == (1 if handle == "record" else 4)
    nothing_of_it(vault, told, handle)


def test_copies_made_afterwards_hold_nothing_of_it_either(vault: Path, tmp_path: Path) -> None:
    told, _ = erased(vault, tmp_path, "subject")
    restore(RestoreRequest(backup=tmp_path / "copy", vault=vault))
    back_up(vault, tmp_path / "later" / "copy", with_keys=True)
    export_archive(vault, "default", tmp_path / "later" / "archive.ndjson")
    assert traces_of("subject", tmp_path / "later") == []
    import_archive(
        tmp_path / "elsewhere", tmp_path / "later" / "archive.ndjson", signing_key=vault / "keys" / "signing.key"
    )
    nothing_of_it(tmp_path / "elsewhere", told, "subject")
    restore(RestoreRequest(backup=tmp_path / "copy", vault=vault))
    assert traces_of("subject", vault) == [], "not even when the same backup is put back once more"


def test_what_waits_is_kept_by_a_hold_and_says_so_in_the_plan(vault: Path) -> None:
    with opened(vault) as memory:
        scout = memory.as_actor(ACTOR)
        waits = scout.remember(SAID["waiting"], kind="fact", session_id="ses-1")
        seen = scout.remember("The gate is shut", kind="observation", session_id="ses-1").record_id
        hold = memory.erasure.hold(subject=SUBJECT, reason="case 12/26")
        plan = memory.forget(session="ses-1", reason="x", dry_run=True).plan
        assert [node.id for node in plan.nodes] == [seen]
        assert [(one.hold, one.records, one.proposals) for one in plan.holds] == [(hold.id, (), (waits.proposal_id,))]
        with pytest.raises(OnHold, match="1 of the waiting proposals"):
            memory.forget(session="ses-1", reason="x")
        assert left(vault, WORDS["waiting"])
