"""The chapter of the guided tour about forgetting: a plan, an erasure, a certificate, and a look at every byte."""

from __future__ import annotations

from pathlib import Path

from examples.tour.stage import Stage

from muniment.engine import Memory
from muniment.model.erasure import ErasureOutcome
from muniment.model.errors import OnHold
from muniment.surfaces.cli import show_guard
from muniment.surfaces.cli.shapes_guard import plan_shape

PERSON = "Ottoline Brackenridge"
ABOUT = f"{PERSON} wants invoices on paper"
DERIVED = "One customer in the north gets invoices on paper"
QUESTION = "who wants invoices on paper?"


def tell_forgetting(stage: Stage, owner: Memory) -> None:
    stage.chapter("What must be forgotten is gone, and that can be shown")
    stage.act("owner", f'"{ABOUT}"')
    about = owner.remember(ABOUT, kind="preference", confidence=0.9).record_id or ""
    stage.act("owner", f'"{DERIVED}", derived from it')
    above = owner.remember(DERIVED, confidence=0.9, derived_from=[about]).record_id or ""
    owner.as_actor("planner").recall(QUESTION)
    _held(stage, owner, about)
    stage.act("owner", f"forget everything about {PERSON}. First the plan:")
    plan = owner.forget(subject=PERSON, reason="she asked for it", dry_run=True).plan
    stage.claim(plan.of(ErasureOutcome.ERASED) == (about, above), "the record and what was derived from it should go")
    stage.show(show_guard.plan(plan_shape(plan)))
    _gone(stage, owner, plan.digest)


def _held(stage: Stage, owner: Memory, record: str) -> None:
    hold = owner.erasure.hold(record, reason="an open invoice")
    try:
        owner.forget(subject=PERSON, reason="she asked for it")
    except OnHold as refused:
        stage.result("on hold", f"{refused.reason}; nothing is erased until somebody lifts the hold", "yellow")
    else:
        stage.claim(False, "what is on hold should not be erased")
    owner.erasure.lift(hold.id, reason="paid")


def _gone(stage: Stage, owner: Memory, expected: str) -> None:
    done = owner.forget(subject=PERSON, reason="she asked for it", expected=expected)
    stage.claim(done.scrubbed and done.certificate is not None, "it should be gone from the files")
    assert done.certificate is not None
    told = done.certificate.certificate
    counts = told.counts
    stage.result("erased", f"{counts.records} records; {counts.receipts} receipts lose the words of their questions")
    stage.result("certified", f"{told.id}, signed, at entry {told.seq}; it does not name her")
    stage.claim(not _holding(stage.folder), "no file should hold her name")
    stage.result("searched", "every byte of every file: her name is in none of them")
    stage.claim(owner.ledger.verify().ok, "the ledger should still verify")
    stage.result("verified", "the chain still holds; a tombstone stands where each record was")


def _holding(folder: Path) -> list[str]:
    files = [file for file in folder.rglob("*") if file.is_file()]
    return [file.name for file in files if b"brackenridge" in file.read_bytes().lower()]
