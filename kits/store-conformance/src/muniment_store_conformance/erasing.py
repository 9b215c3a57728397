"""What every store promises about what an erasure asks of it. Knows the ports and no store."""

from __future__ import annotations

import msgspec

from muniment.model.erasure import Certificate, DerivedPolicy, ErasureCounts, SignedCertificate, Target, TargetKind
from muniment.model.errors import IntegrityError
from muniment.model.rows import TombstoneRow
from muniment.model.times import Instant
from muniment_store_conformance.makers import (
    TENANT,
    Made,
    keep,
    log,
    make_alias,
    make_card,
    make_document,
    make_receipt,
    project,
    put_cards,
    raises,
)
from muniment_store_conformance.notes import make_note

_SOME = ErasureCounts(
    records=1, revisions=1, redacted=0, reviewed=0, proposals=0, reports=0, receipts=0, notes=0, names=0
)


def make_certificate(seq: int) -> SignedCertificate:
    certificate = Certificate(
        v=1,
        id=f"crt-{seq}",
        tenant=TENANT,
        by=TargetKind.RECORD,
        digest="00",
        actor="owner",
        at=Instant(seq),
        reason="asked to",
        derived=DerivedPolicy.ERASE,
        erased=("rec-1",),
        redacted=(),
        reviewed=(),
        counts=_SOME,
        seq=seq,
        entry="00",
        key="00",
    )
    return SignedCertificate(certificate=certificate, signature="00")


class ErasureConformance(Made):
    """Documents and receipts lose words in their place; tombstones and certificates stay."""

    def test_an_amended_document_says_what_it_was_amended_to_and_others_are_as_they_were(self) -> None:
        first, second = make_document(1), make_document(2)
        other = msgspec.structs.replace(first, salt=b"salt" * 4, body=b'{"a":"[erased]"}')
        with self.make(TENANT) as store:
            for job in (keep(first), keep(second), lambda unit: unit.amend(other)):
                store.write(job)
            with store.read() as snapshot:
                assert list(snapshot.documents.all()) == [other, second]

    def test_a_blanked_receipt_keeps_its_place_and_its_link(self) -> None:
        first, second = make_receipt(1), make_receipt(2)
        with self.make(TENANT) as store:
            store.write(log(first))
            store.write(log(second))
            store.write(lambda unit: unit.blank(1, b"s" * 16, b"{}"))
            with store.read() as snapshot:
                blanked = msgspec.structs.replace(first, salt=b"s" * 16, account=b"{}")
                assert list(snapshot.receipts.all()) == [blanked, second]
                assert list(snapshot.receipts.since(0)) == [blanked, second]
                assert list(snapshot.receipts.since(1)) == [second]
                assert list(snapshot.receipts.since(2)) == []
                assert snapshot.receipts.head() == (2, second.hash)

    def test_a_note_that_lost_words_is_in_its_place_with_those_it_has_left(self) -> None:
        first, second = make_note(1), make_note(2, "analyst")
        with self.make(TENANT) as store:
            store.write(project(first, second))
            store.write(lambda unit: unit.reword(1, '"[erased]"'))
            store.write(lambda unit: unit.reword(2, None))
            with store.read() as snapshot:
                assert [(note.doc, note.body) for note in snapshot.notes.all()] == [(1, '"[erased]"'), (2, None)]
                assert snapshot.notes.get("agents", "analyst") is None

    def test_certificates_come_by_rising_entry_and_there_is_one_for_each(self) -> None:
        later, earlier = make_certificate(9), make_certificate(4)
        with self.make(TENANT) as store:
            store.write(lambda unit: unit.certify(later))
            store.write(lambda unit: unit.certify(earlier))
            with raises(IntegrityError):
                store.write(lambda unit: unit.certify(later))
            with store.read() as snapshot:
                assert list(snapshot.ledger.certificates()) == [earlier, later]
                assert snapshot.ledger.last_erasure() == 9
            assert store.marks() == (0, 0, 9)

    def test_tombstones_come_by_rising_revision_and_are_cleared_with_the_projections(self) -> None:
        stones = [TombstoneRow(rid=rid, id=f"rec-{rid}", revision=1, seq=9) for rid in (3, 1, 2)]
        with self.make(TENANT) as store:
            store.write(project(*stones))
            with store.read() as snapshot:
                assert [stone.rid for stone in snapshot.catalogue.tombstones()] == [1, 2, 3]
                assert [snapshot.catalogue.buried(name) for name in ("rec-1", "rec", "rec-4")] == [True, False, False]
            store.write(lambda unit: unit.clear_projections())
            with store.read() as snapshot:
                assert list(snapshot.catalogue.tombstones()) == []

    def test_what_one_contributed_is_theirs_exactly_in_any_state(self) -> None:
        cards = [
            msgspec.structs.replace(make_card(1), actor="ana", session_id="s"),
            msgspec.structs.replace(make_card(2), actor="ana2", session_id="s2", status="retracted"),
            msgspec.structs.replace(make_card(3), actor="ana", status="retracted"),
            msgspec.structs.replace(make_card(4), actor="bot", scope="user", scope_id="al", status="retracted"),
            msgspec.structs.replace(make_card(5), actor="bot", scope="project", scope_id="al"),
        ]
        with self.make(TENANT) as store:
            for card in cards:
                store.write(keep(make_document(card.rid)))
            store.write(put_cards(*cards))
            with store.read() as snapshot:
                found = {
                    value: [card.rid for card in snapshot.catalogue.contributed(Target(by=by, value=value))]
                    for by, value in (
                        (TargetKind.ACTOR, "ana"),
                        (TargetKind.ACTOR, "an"),
                        (TargetKind.SESSION, "s2"),
                        (TargetKind.SOURCE, "nobody"),
                        (TargetKind.USER, "al"),
                        (TargetKind.USER, "a"),
                    )
                }
                assert found == {"ana": [1, 3], "an": [], "s2": [2], "nobody": [], "al": [4], "a": []}

    def test_terms_are_counted_over_what_is_indexed_and_an_unknown_one_is_left_out(self) -> None:
        with self.make(TENANT) as store:
            store.write(put_cards(make_card(1), make_card(2)))
            with store.read() as snapshot:
                terms = snapshot.lexicon.tokens("build zyzzyva")
                assert snapshot.lexicon.holding(terms) == {terms[0]: 2}
                assert snapshot.lexicon.holding([]) == {}

    def test_a_name_that_was_given_goes_with_its_document(self) -> None:
        kept, gone = make_alias("kestrel", "falcon", 7), make_alias("merlin", "falcon", 8)
        with self.make(TENANT) as store:
            store.write(project(kept, gone))
            store.write(lambda unit: unit.erase([gone.doc]))
            with store.read() as snapshot:
                assert list(snapshot.names.all_aliases()) == [kept]

    def test_scrubbing_a_store_with_nothing_to_scrub_is_done_at_once(self) -> None:
        with self.make(TENANT) as store:
            store.write(put_cards(make_card(1)))
            assert store.scrub()
            with store.read() as snapshot:
                assert snapshot.catalogue.card(1) is not None
