"""The nine edits of the agmi suite, made to a real vault's file by agmi's own code: none of them is accepted."""

from __future__ import annotations

import pytest
from agmi.adapters.base import MemoryAdapter
from agmi.attacks.at_rest import AT_REST_ATTACKS_WITH_SNAPSHOT
from agmi.check import LABELS
from agmi.check import verdict as verdict_of
from tests.agmi.rewriting import RewritingAdapter, UnwitnessedRewritingAdapter
from tests.agmi.table import Tell
from tests.agmi.vault import ReadingAdapter, UnwitnessedAdapter, VaultAdapter
from tests.cases import each

EDITS = {cls.name: cls for cls in AT_REST_ATTACKS_WITH_SNAPSHOT}

AUDITED = {
    "tamper": ("REPORTED", "document_altered"),
    "truncate": ("REPORTED", "document_missing"),
    "delete_middle": ("REPORTED", "document_missing"),
    "reorder": ("REPORTED", "document_altered"),
    "forge": ("REPORTED", "card_unknown"),
    "cross_replay": ("REPORTED", "document_altered"),
    "rollback_replay": ("REPORTED", "document_altered"),
    "metadata_tamper": ("REPORTED", "document_altered"),
    "snapshot_rollback": ("REJECTED", "refused"),
}
"""What becomes of each edit when the vault is opened and checked, and what it is known by."""

READ = {
    "tamper": "REJECTED",
    "truncate": "ACCEPTED",
    "delete_middle": "ACCEPTED",
    "reorder": "REJECTED",
    "forge": "REJECTED",
    "cross_replay": "REJECTED",
    "rollback_replay": "REJECTED",
    "metadata_tamper": "REJECTED",
    "snapshot_rollback": "REJECTED",
}
"""What becomes of each edit when somebody reads and nobody checks: what is told was committed, but what is gone is not
missed by who does not ask for it."""


def outcome(edit: str, adapter: MemoryAdapter) -> tuple[str, str]:
    result = EDITS[edit]().run(adapter)
    return verdict_of(result, adapter), result.guard or result.error or result.detail


def test_the_suite_has_nine_edits_and_we_know_what_becomes_of_each() -> None:
    assert list(EDITS) == list(AUDITED) == list(READ) == list(LABELS)
    assert len(EDITS) == 9


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_behind_our_back_is_reported_by_whoever_checks(edit: str, tell: Tell) -> None:
    verdict, detail = outcome(edit, VaultAdapter())
    tell(LABELS[edit], "audit", verdict)
    expected, known_by = AUDITED[edit]
    assert (verdict, known_by in detail) == (expected, True), detail


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_record_is_not_told_to_whoever_reads(edit: str, tell: Tell) -> None:
    verdict, detail = outcome(edit, ReadingAdapter())
    tell(LABELS[edit], "read", verdict)
    assert verdict == READ[edit], detail


@pytest.mark.parametrize("edit", EDITS)
def test_a_file_that_was_rewritten_to_agree_with_the_edit_is_refused_when_there_is_a_witness(
    edit: str, tell: Tell
) -> None:
    verdict, detail = outcome(edit, RewritingAdapter())
    tell(LABELS[edit], "rewritten", verdict)
    assert (verdict, "witness" in detail) == ("REJECTED", True), detail


@pytest.mark.parametrize("edit", EDITS)
def test_without_a_witness_all_but_an_older_copy_is_still_reported(edit: str, tell: Tell) -> None:
    verdict, detail = outcome(edit, UnwitnessedAdapter())
    tell(LABELS[edit], "no witness", verdict)
    assert verdict == ("ACCEPTED" if edit == "snapshot_rollback" else "REPORTED"), detail


@each("edit", EDITS)
def test_without_a_witness_a_vault_cannot_tell_a_rewritten_file_from_its_own(edit: str) -> None:
    """The limit, shown: whoever can rewrite everything and take the checkpoints away leaves no contradiction. It also
    shows that the rewriting is as good as it claims, so that the witness alone is what refuses it."""
    verdict, detail = outcome(edit, UnwitnessedRewritingAdapter())
    assert verdict == "ACCEPTED", detail
