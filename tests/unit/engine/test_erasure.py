"""Erasing by subject, source, actor and session, with every trace, under holds, and with a certificate."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.support.world import simulated_memory
from tests.unit.engine.erasing import kept, left

from muniment import Memory
from muniment.backends.clock_and_ids import signed_value_by
from muniment.engine.importing import Newcomer
from muniment.engine.notebook import Notebook, Pages
from muniment.model.claim import Claim
from muniment.model.erasure import ERASED, ErasureOutcome, Target, TargetKind, digest_of
from muniment.model.errors import Malformed, NotFound, NotPermitted, OnHold
from muniment.model.note import NoteDraft

SUBJECT = "Ottoline Brackenridge"
WORDS = ("Ottoline", "Brackenridge", "Mulberrystrasse", "zyzzyvas")


def _everything_said(memory: Memory) -> tuple[str, str, str]:
    """Say something of the subject in every place that keeps words; return what is about it and what is not."""
    about = kept(memory, f"{SUBJECT} breeds zyzzyvas in Mulberrystrasse 77", confidence=0.9, source="crm:4711")
    above = kept(memory, "Parcels for the breeder go to Mulberrystrasse", confidence=0.9, derived_from=[about])
    other = kept(memory, "The depot opens at nine", confidence=0.9, evidence=["the sign at the door"])
    memory.review.alias("Miss Brackenridge", SUBJECT)
    memory.recall(f"where does {SUBJECT} live?")
    memory.recall("who breeds zyzzyvas?")
    memory.review.outcome(above, "helpful", evidence="the parcel came to Mulberrystrasse")
    memory.review.retract(other, reason="Ottoline Brackenridge said it opens at ten")
    waits = memory.as_actor("scout").remember(f"{SUBJECT} likes plums", kind="fact")
    assert waits.outcome == "held"
    Notebook.of(memory).turn(
        "owner", lambda _: ([NoteDraft(topic="t", key="k", body='{"title": "call Ottoline soon"}')], None)
    )
    return about, above, other


@pytest.mark.parametrize("cascade", ["erase", "redact"])
def test_no_spelling_of_any_word_is_in_any_file(tmp_path: Path, cascade: str) -> None:
    with Memory.open(tmp_path, embedder=None) as memory:
        _everything_said(memory)
        assert left(tmp_path, WORDS), "the search finds what is there"
        done = memory.forget(subject=SUBJECT, reason=f"asked to by {SUBJECT}", cascade=cascade)
        assert done.scrubbed
        assert left(tmp_path, WORDS) == [], "not even while the store is open"
        assert memory.ledger.verify().findings == ()
        assert memory.ledger.replay().identical
    assert left(tmp_path, WORDS) == []
    with Memory.open(tmp_path, embedder=None) as memory:
        assert memory.ledger.verify().ok


def test_a_subject_is_found_by_its_names_wherever_they_stand() -> None:
    memory = simulated_memory()
    by_text = kept(memory, "ottoline  BRACKENRIDGE called twice", confidence=0.9)
    by_slot = kept(memory, "Her number is known", confidence=0.9, subject=SUBJECT, key="phone", value="in the book")
    by_evidence = kept(memory, "The gate was open", confidence=0.9, evidence=[f"seen by {SUBJECT}"])
    memory.review.alias("the zookeeper", SUBJECT)
    by_alias = kept(memory, "Ask the Zookeeper about feeding times", confidence=0.9)
    others = [kept(memory, "Ottoline Brack called", confidence=0.9), kept(memory, "A brackenridge is a hill")]
    plan = memory.forget(subject=SUBJECT, reason="asked to", dry_run=True).plan
    assert set(plan.of(ErasureOutcome.ERASED)) == {by_text, by_slot, by_evidence, by_alias}
    assert not set(plan.of(ErasureOutcome.ERASED)) & set(others)


def test_a_name_that_is_also_somebodys_id_does_not_reach_what_they_wrote() -> None:
    memory = simulated_memory()
    written = kept(memory.as_actor("scout"), "Seen from the tower", kind="observation")
    about = kept(memory, "The Scout is ill this week", confidence=0.9)
    plan = memory.forget(subject="scout", reason="x", dry_run=True).plan
    assert (plan.of(ErasureOutcome.ERASED), memory.get(written).record.actor) == ((about,), "scout")


def test_an_actors_own_words_go_with_the_actor() -> None:
    memory = simulated_memory()
    scout = memory.as_actor("scout")
    name = kept(scout, "Seen from the tower", kind="observation")
    receipt = scout.recall("is anybody at the mill?").receipt_id
    other = memory.recall("is anybody at the mill?").receipt_id
    refused = scout.forget(name, reason="I would rather not")
    assert refused.verdict is not None
    memory.forget(actor="scout", reason="left the company")
    assert memory.explain(receipt).account.query.text == ERASED
    assert memory.explain(other).account.query.text == "is anybody at the mill?"
    assert memory.review.report(refused.verdict.proposal_id).report.reason == ERASED


def test_source_actor_and_session_reach_what_they_brought_and_nothing_else() -> None:
    memory = simulated_memory()
    here = kept(memory, "The first of the feed", source="feed:7", confidence=0.9)
    there = kept(memory, "The first of another feed", source="feed:77", confidence=0.9)
    spoken = kept(memory, "Said in the meeting", session_id="s-1", confidence=0.9)
    scout = kept(memory.as_actor("scout"), "Seen by the scout", kind="observation")
    assert memory.forget(source="feed:7", reason="x", dry_run=True).plan.of(ErasureOutcome.ERASED) == (here,)
    assert memory.forget(session="s-1", reason="x", dry_run=True).plan.of(ErasureOutcome.ERASED) == (spoken,)
    assert memory.forget(actor="scout", reason="x", dry_run=True).plan.of(ErasureOutcome.ERASED) == (scout,)
    memory.forget(source="feed:7", reason="x")
    assert memory.get(there).record.content == "The first of another feed"
    with pytest.raises(NotFound):
        memory.forget(source="feed:7", reason="x")


def test_exactly_one_target_is_named() -> None:
    memory = simulated_memory()
    before = memory.ledger.head()
    for bad in ({}, {"subject": "a", "actor": "b"}):
        with pytest.raises(Malformed, match="target"):
            memory.forget(reason="x", **bad)  # type: ignore[arg-type]  # that is the point
    with pytest.raises(Malformed, match="cascade"):
        memory.forget(subject="a", reason="x", cascade="everything")
    assert memory.ledger.head() == before


def test_everything_of_somebody_takes_the_right_to_erase_anywhere() -> None:
    memory = simulated_memory()
    scout = memory.as_actor("scout")
    kept(scout, "Seen by the scout", kind="observation")
    with pytest.raises(NotPermitted):
        scout.forget(actor="scout", reason="mine", dry_run=True)
    done = scout.forget(actor="scout", reason="mine")
    assert done.verdict is not None
    assert not done.verdict.committed
    for ask in (scout.erasure.holds, scout.erasure.certificates):
        with pytest.raises(NotPermitted):
            ask()


def test_reports_and_receipts_keep_everything_but_the_words() -> None:
    memory = simulated_memory()
    about, _, _ = _everything_said(memory)
    receipt = memory.recall(f"{SUBJECT} zyzzyvas").receipt_id
    proposal = memory.get(about).record.proposal
    assert memory.review.report(proposal).report.digest
    memory.forget(subject=SUBJECT, reason="asked to")
    report = memory.review.report(proposal).report
    assert (report.reason, report.digest, len(report.steps)) == (ERASED, "", 9)
    told = memory.explain(receipt).account
    assert (told.query.text, told.plan.terms.words, told.searched.words) == (ERASED, (), ())
    assert about in [candidate.id for candidate in told.candidates]
    again = memory.remember("something else", proposal_id=proposal)
    assert (again.committed, again.rule) == (False, "erased")


def test_the_certificate_says_what_went_and_can_be_checked_without_the_store() -> None:
    memory = simulated_memory()
    about, above, _ = _everything_said(memory)
    done = memory.forget(subject=SUBJECT, reason=f"asked to by {SUBJECT}")
    signed = done.certificate
    assert signed is not None
    told = signed.certificate
    assert (told.by, told.actor, told.erased, told.reason) == (
        TargetKind.SUBJECT,
        "owner",
        (about, above),
        f"asked to by {ERASED}",
    )
    assert (told.counts.records, told.counts.proposals, told.counts.names, told.counts.notes) == (2, 1, 1, 1)
    assert signed_value_by(told, signed.signature, told.key)
    assert not signed_value_by(msgspec.structs.replace(told, actor="mallory"), signed.signature, told.key)
    head = memory.ledger.head()
    assert (told.seq, told.entry) == (head.seq, head.hash.hex())
    assert memory.erasure.certificates() == (signed,)
    assert done.opening is not None
    assert told.digest == digest_of(Target(by=TargetKind.SUBJECT, value=SUBJECT), done.opening)
    assert told.digest != digest_of(Target(by=TargetKind.SUBJECT, value="somebody else"), done.opening)


def test_what_is_on_hold_stays_until_the_hold_is_lifted() -> None:
    memory = simulated_memory()
    name = kept(memory, "Ottoline signed the contract", confidence=0.9)
    above = kept(memory, "The contract is in force", confidence=0.9, derived_from=[name])
    hold = memory.erasure.hold(subject="Ottoline", reason="case 12/26")
    assert memory.erasure.holds() == (hold,)
    before = memory.ledger.head()
    targets: list[dict[str, str]] = [{"record_id": name}, {"subject": "Ottoline"}, {"actor": "owner"}]
    for target in targets:
        plan = memory.forget(reason="asked to", dry_run=True, **target).plan  # type: ignore[arg-type]  # names of texts only
        assert plan.of(ErasureOutcome.ERASED) == (name, above), "the plan is shown whole"
        assert [(one.hold, one.reason, one.records) for one in plan.holds] == [(hold.id, "case 12/26", (name,))]
        with pytest.raises(OnHold, match="case 12/26") as refused:
            memory.forget(reason="asked to", **target)  # type: ignore[arg-type]  # names of texts only
        assert (refused.value.hold, refused.value.records) == (hold.id, 1)
    assert memory.ledger.head() == before
    memory.erasure.hold(above, reason="a derived record is kept too")
    memory.erasure.lift(hold.id, reason="case closed")
    with pytest.raises(OnHold, match="derived"):
        memory.forget(name, reason="asked to")
    assert memory.forget(name, reason="asked to", cascade="review").plan.of(ErasureOutcome.ERASED) == (name,)
    with pytest.raises(NotFound):
        memory.erasure.lift(hold.id, reason="again")


def test_words_that_others_say_too_are_nobodys_trace() -> None:
    memory = simulated_memory()
    name = kept(memory, "The cistern holds forty barrels of cider", confidence=0.9)
    kept(memory, "Cider is pressed in autumn", confidence=0.9)
    cider, barrels = memory.recall("cider press").receipt_id, memory.recall("barrels").receipt_id
    memory.forget(name, reason="asked to")
    assert memory.explain(barrels).account.query.text == ERASED
    text = memory.explain(cider).account.query.text
    assert text in ("cider press", ERASED), "it was told there, or not: either way no word of it is the erased's alone"


def test_a_store_that_was_left_unscrubbed_is_scrubbed_when_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from muniment.backends.sqlite.store import SqliteTenant

    memory = Memory.open(tmp_path, embedder=None)
    name = kept(memory, "Ottoline breeds zyzzyvas", confidence=0.9)
    with monkeypatch.context() as cut_short:
        cut_short.setattr(SqliteTenant, "scrub", lambda _: False)
        assert not memory.forget(name, reason="asked to").scrubbed
        assert left(tmp_path, ("zyzzyvas",)), "the log still has it"
        files = {file.name: file.read_bytes() for file in tmp_path.glob("default.sqlite*")}
    memory.close()
    for file, raw in files.items():
        (tmp_path / file).write_bytes(raw)
    with Memory.open(tmp_path, embedder=None):
        assert left(tmp_path, ("zyzzyvas",)) == []


def test_a_note_keeps_the_names_others_refer_to_it_by() -> None:
    memory = simulated_memory()
    kept(memory, "Ottoline breeds zyzzyvas", confidence=0.9)
    body = (
        '{"id": "ottoline", "agent_id": "ottoline", "title": "zyzzyvas for Ottoline", "rows": [{"text": "zyzzyvas"}]}'
    )
    notebook = Notebook.of(memory)

    def job(_: Pages) -> tuple[list[NoteDraft], None]:
        return [NoteDraft(topic="tasks", key="t1", body=body), NoteDraft(topic="requests", key="r1", body=body)], None

    notebook.turn("owner", job)
    memory.forget(subject="Ottoline", reason="asked to")
    note = notebook.get("tasks", "t1")
    assert note is not None
    assert msgspec.json.decode(note.body or "") == {
        "id": "ottoline",
        "agent_id": "ottoline",
        "title": ERASED,
        "rows": [{"text": ERASED}],
    }
    assert notebook.get("requests", "r1") is None, "an answer that was kept is not kept in part"
    assert memory.ledger.verify().findings == ()
    assert memory.ledger.replay().identical


def test_what_waits_for_a_record_that_has_moved_on_stops_no_erasure() -> None:
    memory = simulated_memory()
    door = kept(memory, "The door is red", confidence=0.9)
    waits = memory.as_actor("scout").revise(door, "The door is crimson", kind="decision")
    assert waits.outcome == "held"
    memory.revise(door, "The door is green")
    done = memory.forget(actor="scout", reason="asked to")
    assert (done.plan.traces.proposals, memory.review.queue()) == (1, ())
    assert memory.get(door).record.content == "The door is green"


def test_the_id_of_what_was_erased_is_never_anothers() -> None:
    memory = simulated_memory()
    name = kept(memory, "Ottoline breeds zyzzyvas", confidence=0.9)
    memory.forget(name, reason="asked to")
    newcomer = Newcomer(claim=Claim(content="Something else altogether"), record=name)
    (verdict,) = memory.imports.take_in("file-1", [newcomer], contract="omir")
    assert (verdict.outcome, verdict.rule) == ("refused", "id-taken")
    with pytest.raises(NotFound):
        memory.get(name)
