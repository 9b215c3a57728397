"""Fingerprints and slots: what counts as the same sentence, and as the same question."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from tests.cases import each
from tests.unit import strategies as make

from muniment.model.card import card_of, fingerprint, normalise, slot_key, standing_of
from muniment.model.claim import Claim, Nature, Place, Slot
from muniment.model.record import Record, RecordState
from muniment.model.vocabulary import Kind, Scope

PEPPER = b"p" * 16


@each(
    ("one", "other"),
    [
        ("The  Build is GREEN.", "the build is green"),
        ("a\tb\nc", "a b c"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
        ("STRASSE", "straße"),
        ("e\u0301t\u00e9", "\u00e9te\u0301"),
        ("done!!!", "done"),
    ],
)
def test_case_width_space_and_closing_marks_do_not_change_a_sentence(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@each(
    ("one", "other"),
    [("is it up?", "is it up"), ("-5 degrees", "5 degrees"), ("a b", "ab"), ("résumé", "resume"), ("v1.2", "v12")],
)
def test_what_changes_meaning_is_not_folded(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


@given(make.texts)
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


CLAIM = Claim(content="The build is green")


@each(
    "other",
    [
        Claim(content="The build is red"),
        Claim(content="The build is green", nature=Nature(kind=Kind.FACT)),
        Claim(content="The build is green", place=Place(scope_id="apollo")),
        Claim(content="The build is green", place=Place(scope=Scope.SESSION)),
        Claim(content="The build is green", place=Place(namespace="/ci")),
        Claim(content="The build is green", slot=Slot(subject="build", key="colour", value="green")),
    ],
)
def test_another_sentence_place_or_kind_has_another_fingerprint(other: Claim) -> None:
    assert fingerprint(other, "ana", pepper=PEPPER) != fingerprint(CLAIM, "ana", pepper=PEPPER)


def test_a_fingerprint_cannot_be_guessed_without_the_pepper() -> None:
    assert fingerprint(CLAIM, "ana", pepper=PEPPER) == fingerprint(CLAIM, "ana", pepper=PEPPER)
    assert fingerprint(CLAIM, "ana", pepper=b"q" * 16) != fingerprint(CLAIM, "ana", pepper=PEPPER)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Slot(subject="a", key="b c", value="d"), Slot(subject="a b", key="c", value="d")),
        (Slot(subject="a", key="bc", value="d"), Slot(subject="ab", key="c", value="d")),
    ],
)
def test_the_parts_of_a_slot_do_not_run_together(one: Slot, other: Slot) -> None:
    first, second = Claim(content="x", slot=one), Claim(content="x", slot=other)
    assert fingerprint(first, "ana", pepper=PEPPER) != fingerprint(second, "ana", pepper=PEPPER)
    assert slot_key(first) != slot_key(second)


def test_a_question_is_the_same_in_other_letters_and_another_one_elsewhere() -> None:
    asked = Claim(content="x", slot=Slot(subject="Staging DB", key="Region", value="eu"))
    again = Claim(content="y", slot=Slot(subject="staging db", key="region", value="us"))
    elsewhere = msgspec.structs.replace(again, place=Place(scope_id="apollo"))
    assert slot_key(asked) == slot_key(again)
    assert slot_key(asked) != slot_key(elsewhere)
    assert slot_key(Claim(content="x")) is None


@given(make.records, make.standings)
def test_a_card_tells_the_record_and_its_standing(record: Record, standing: RecordState) -> None:
    card = card_of(record, standing, rid=7, pepper=PEPPER)
    claim = record.claim
    assert (card.rid, card.id, card.revision, card.actor) == (7, record.id, record.revision, record.actor)
    assert (card.kind, card.scope, card.scope_id) == (claim.nature.kind, claim.place.scope, claim.place.scope_id)
    assert (card.valid_from, card.valid_until) == (claim.times.valid_from, claim.times.valid_until)
    assert card.provenance is record.has_provenance
    assert standing_of(card) == standing


@each(
    ("evidence", "source", "answer"),
    [
        ((), None, False),
        ((), "unknown", False),
        ((), " Unknown ", False),
        ((), "wiki", True),
        (("ticket:1",), None, True),
    ],
)
def test_provenance_is_evidence_or_a_named_source(evidence: tuple[str, ...], source: str | None, answer: bool) -> None:
    claim = msgspec.convert({"content": "x", "belief": {"evidence": evidence}, "origin": {"source": source}}, Claim)
    record = msgspec.convert(
        {
            "id": "rec_1",
            "tenant": "acme",
            "revision": 1,
            "claim": claim,
            "created_at": 0,
            "proposal": "prp_1",
            "actor": "ana",
            "actor_type": "agent",
            "label": "agent",
            "trust": "low",
        },
        Record,
    )
    assert record.has_provenance is answer


def test_two_authors_never_share_a_fingerprint() -> None:
    assert fingerprint(CLAIM, "ana", pepper=PEPPER) != fingerprint(CLAIM, "ben", pepper=PEPPER)
