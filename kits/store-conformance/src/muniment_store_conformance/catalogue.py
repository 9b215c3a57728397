"""What every store promises about its tables: order, history, paging, the two logs. Knows the ports and no store."""

from __future__ import annotations

import random
from functools import partial

import msgspec

from muniment.model.card import standing_of
from muniment.model.entry import LedgerHead, Vote
from muniment.model.record import TrustState, UsageState
from muniment.model.rows import ConflictRow, ProposalRow, Row, StandingRow
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment.model.vocabulary import LABEL_RANK, Label, Support, Tier
from muniment.ports.store import Unit
from muniment_store_conformance.contents import Contents, contents
from muniment_store_conformance.makers import (
    TENANT,
    Made,
    append_next,
    keep,
    log,
    make_card,
    make_checkpoint,
    make_conflict,
    make_document,
    make_edge,
    make_plan,
    make_proposal,
    make_receipt,
    make_standing,
    make_state,
    make_telling,
    project,
    put_cards,
    sign,
    tell,
)

BYTE_ORDER = ("-a", ".a", "10", "9", ":a", "A", "B", "_a", "a", "b")
"""Ids in the order of their bytes, which no collation of words shares."""


class CatalogueConformance(Made):
    """Order of every stream, standing through time, the queue, conflicts, checkpoints, receipts."""

    def test_streams_come_by_rising_number_however_they_went_in(self) -> None:
        numbers = random.Random(1).sample(range(1, 40), 20)
        with self.make(TENANT) as store:
            for number in numbers:
                store.write(keep(make_document(number)))
                store.write(put_cards(make_card(number)))
                store.write(log(make_receipt(number)))
                store.write(sign(make_checkpoint(number)))
                store.write(project(make_proposal(f"p{99 - number}", number)))
            held, rising = contents(store), sorted(numbers)
        assert [document.doc for document in held.documents] == rising
        assert [card.rid for card in held.cards] == rising
        assert [receipt.seq for receipt in held.receipts] == rising
        assert [signed.checkpoint.seq for signed in held.checkpoints] == rising
        assert [row.seq for row in held.proposals] == rising

    def test_cards_are_gone_on_with_after_any_number(self) -> None:
        with self.make(TENANT) as store:
            store.write(put_cards(*(make_card(number) for number in (5, 9, 2))))
            with store.read() as snapshot:
                assert [card.rid for card in snapshot.catalogue.all(after=2)] == [5, 9]
                assert [card.rid for card in snapshot.catalogue.all(after=3)] == [5, 9]
                assert list(snapshot.catalogue.all(after=9)) == []

    def test_entries_are_given_by_position_both_ends_included(self) -> None:
        with self.make(TENANT) as store:
            store.write(lambda unit: [append_next(unit) for _ in range(6)])
            with store.read() as snapshot:
                assert [stored.seq for stored in snapshot.ledger.entries(2, 4)] == [2, 3, 4]
                assert [stored.seq for stored in snapshot.ledger.entries(5, 2**62)] == [5, 6]
                assert list(snapshot.ledger.entries(4, 3)) == []
                assert snapshot.ledger.entry(7) is None

    def test_the_head_says_what_the_last_entry_says(self) -> None:
        with self.make(TENANT) as store:
            store.write(lambda unit: append_next(unit, at=70))
            store.write(lambda unit: append_next(unit, at=90))
            with store.read() as snapshot:
                head, last = snapshot.ledger.head(), snapshot.ledger.entry(2)
            assert head is not None
            assert last is not None
            assert (head.tenant, head.seq, head.at, head.last_doc, head.policy) == (TENANT, 2, 90, 2, 0)
            assert head.hash == last.hash

    def test_the_head_names_the_last_checkpoint(self) -> None:
        def sign(unit: Unit) -> LedgerHead | None:
            append_next(unit)
            unit.checkpoint(make_checkpoint(2))
            return unit.ledger.head()

        def look(unit: Unit) -> LedgerHead | None:
            return unit.ledger.head()

        with self.make(TENANT) as store:
            store.write(append_next)
            heads = [store.write(look), store.write(sign), store.write(look)]
            with store.read() as snapshot:
                heads.append(snapshot.ledger.head())
            assert [head.checkpoint for head in heads if head is not None] == [0, 2, 2, 2]

    def test_a_position_is_the_last_one_recorded_at_or_before_an_instant(self) -> None:
        with self.make(TENANT) as store:
            for at in (10, 20, 20, 20, 35):
                store.write(partial(append_next, at=at))
            expected = {-5: 0, 9: 0, 10: 1, 19: 1, 20: 4, 34: 4, 35: 5, 2**60: 5}
            with store.read() as snapshot:
                assert {instant: snapshot.ledger.position_at(instant) for instant in expected} == expected

    def test_the_position_in_an_empty_ledger_is_nought(self) -> None:
        with self.make(TENANT) as store, store.read() as snapshot:
            assert snapshot.ledger.position_at(5) == 0

    def test_a_standing_is_known_for_every_moment(self) -> None:
        changes = (
            make_standing(1, 5, Status.CONTESTED),
            make_standing(1, 8, Status.ACTIVE),
            make_standing(1, 9, Status.SUPERSEDED, "rec-2"),
        )
        with self.make(TENANT) as store:
            store.write(put_cards(make_card(1, seq=3, since=3)))
            store.write(project(*changes))
            with store.read() as snapshot:
                assert snapshot.catalogue.standings(1) == (make_standing(1, 3, Status.ACTIVE), *changes)
                assert snapshot.catalogue.standings(2) == ()
                found = {seq: snapshot.catalogue.standing_at(1, seq) for seq in (2, 3, 4, 5, 7, 8, 9, 99)}
                card = snapshot.catalogue.card(1)
        born, contested, again = make_state(3), make_state(5, Status.CONTESTED), make_state(8)
        over = make_state(9, Status.SUPERSEDED, "rec-2")
        assert found == {2: None, 3: born, 4: born, 5: contested, 7: contested, 8: again, 9: over, 99: over}
        assert card == make_card(1, seq=3, since=9, status="superseded", successor="rec-2")

    def test_what_a_revision_was_worth_is_known_for_every_moment(self) -> None:
        believed = TrustState(own=0.9, effective=0.7, label=Label.EXTERNAL, helpful=2.5)
        doubted = TrustState(own=0.4, effective=0.2, label=Label.TOOL, support=Support.FALLEN, misleading=1.5)
        used = UsageState(tier=Tier.LONGTERM, accesses=7, last_access=Instant(70))
        with self.make(TENANT) as store:
            store.write(put_cards(make_card(1, seq=3, since=3)))
            store.write(project(make_standing(1, 5, Status.ACTIVE, footing=believed)))
            store.write(project(make_standing(1, 8, Status.CONTESTED, footing=doubted, vigour=used)))
            with store.read() as snapshot:
                found = [snapshot.catalogue.standing_at(1, seq) for seq in (3, 5, 8)]
                card = snapshot.catalogue.card(1)
                rows = list(snapshot.catalogue.moves())
        third = make_state(8, Status.CONTESTED, footing=doubted, vigour=used)
        assert found == [make_state(3), make_state(5, footing=believed), third]
        assert rows == [StandingRow(rid=1, standing=standing) for standing in found if standing is not None]
        assert card is not None
        assert standing_of(card) == third
        assert (card.confidence, card.label) == (0.5, LABEL_RANK[Label.TOOL]), "what was declared stays"

    def test_the_movements_of_all_come_by_revision_and_then_in_order(self) -> None:
        with self.make(TENANT) as store:
            store.write(put_cards(*(make_card(rid, seq=1, since=1) for rid in (3, 1, 2))))
            store.write(project(make_standing(3, 4, Status.CONTESTED), make_standing(1, 9, Status.RETRACTED)))
            store.write(project(make_standing(1, 5, Status.CONTESTED)))
            with store.read() as snapshot:
                rows = [(row.rid, row.standing.since) for row in snapshot.catalogue.moves()]
        assert rows == [(1, 1), (1, 5), (1, 9), (2, 1), (3, 1), (3, 4)]

    def test_what_never_was_has_no_standing(self) -> None:
        with self.make(TENANT) as store, store.read() as snapshot:
            assert snapshot.catalogue.standing_at(1, 99) is None
            assert snapshot.catalogue.card(1) is None

    def test_revisions_come_oldest_first_and_one_is_current(self) -> None:
        rows = [make_card(rid, id="r", revision=rev, status="superseded") for rid, rev in ((1, 1), (4, 2))]
        with self.make(TENANT) as store:
            store.write(put_cards(make_card(9, id="r", revision=3, status="contested"), *reversed(rows)))
            store.write(put_cards(make_card(2, id="R")))
            with store.read() as snapshot:
                assert [card.rid for card in snapshot.catalogue.revisions("r")] == [1, 4, 9]
                current, gone = snapshot.catalogue.current("r"), snapshot.catalogue.current("absent")
        assert current is not None
        assert (current.rid, gone) == (9, None)

    def test_twins_and_occupants_are_current_and_oldest_first(self) -> None:
        mark, other = b"m" * 16, b"n" * 16
        cards = [
            make_card(1, fingerprint=mark, slot="door", status="retracted"),
            make_card(7, fingerprint=mark, slot="door", status="contested"),
            make_card(5, fingerprint=mark, slot="door"),
            make_card(2, fingerprint=other, slot="Door"),
        ]
        with self.make(TENANT) as store:
            store.write(put_cards(*cards))
            with store.read() as snapshot:
                twin, none = snapshot.catalogue.twin(mark), snapshot.catalogue.twin(b"x" * 16)
                occupants = [card.rid for card in snapshot.catalogue.occupants("door")]
                nobody = snapshot.catalogue.occupants("doo")
        assert twin is not None
        assert (twin.rid, none) == (5, None)
        assert (occupants, nobody) == ([5, 7], ())

    def test_what_a_record_replaced_is_found_by_its_name(self) -> None:
        cards = (
            make_card(3, status="superseded", successor="rec-9"),
            make_card(1, status="deprecated", successor="rec-9"),
            make_card(2, status="superseded", successor="rec-8"),
        )
        with self.make(TENANT) as store:
            store.write(put_cards(*cards))
            with store.read() as snapshot:
                assert [card.rid for card in snapshot.catalogue.superseded_by("rec-9")] == [1, 3]
                assert snapshot.catalogue.superseded_by("rec-1") == ()
                assert snapshot.catalogue.count() == {"deprecated": 1, "superseded": 2}

    def test_the_queue_is_read_page_by_page_in_the_order_of_bytes(self) -> None:
        rows = [make_proposal(name, seq, outcome="held") for seq, name in enumerate(reversed(BYTE_ORDER), start=1)]
        rows.append(make_proposal("AA", 50))
        with self.make(TENANT) as store:
            store.write(project(*rows))
            with store.read() as snapshot:
                pages: list[str] = []
                page = snapshot.desk.held(after=None, limit=3)
                while page:
                    pages += [row.id for row in page]
                    page = snapshot.desk.held(after=page[-1].id, limit=3)
        assert tuple(pages) == BYTE_ORDER

    def test_a_proposal_is_filed_once_and_where_it_was_filed_last(self) -> None:
        with self.make(TENANT) as store:
            store.write(project(make_proposal("p", 3, outcome="held")))
            store.write(project(make_proposal("q", 4)))
            store.write(project(make_proposal("p", 7)))
            with store.read() as snapshot:
                assert snapshot.desk.proposal("p") == make_proposal("p", 7)
                assert snapshot.desk.proposal("P") is None
                assert snapshot.desk.held(after=None, limit=9) == ()
                assert [row.id for row in snapshot.desk.proposals()] == ["q", "p"]

    def test_a_conflict_is_found_from_both_its_sides_oldest_first(self) -> None:
        one, two = make_conflict("c2", 1, 2, opened=4), make_conflict("c1", 3, 1, opened=6)
        three, four = make_conflict("c0", 2, 3, opened=6), make_conflict("c9", 1, 5, opened=2)
        with self.make(TENANT) as store:
            store.write(project(one, two, three, four))
            with store.read() as snapshot:
                assert snapshot.desk.conflicts_of(1) == (four, one, two)
                assert snapshot.desk.conflicts_of(3) == (three, two)
                assert snapshot.desk.conflicts_of(4) == ()
                about = snapshot.desk.conflicts_about([3, 1, 4, 3])
                assert about == {1: (four, one, two), 3: (three, two), 4: ()}
                assert snapshot.desk.conflicts_about([]) == {}
                assert list(snapshot.desk.conflicts()) == [four, one, three, two]
                assert (snapshot.desk.conflict("c1"), snapshot.desk.conflict("c")) == (two, None)

    def test_a_conflict_row_keeps_every_field(self) -> None:
        ballots = (Vote(actor="ana", winner="rec-1"), Vote(actor="bot", winner="rec-2"))
        row = ConflictRow(
            id="c",
            type="update",
            status="escalated",
            a=1,
            b=2,
            why="words",
            contests=False,
            opened=4,
            changed=9,
            strategy="human_escalation",
            winner="rec-2",
            ballots=ballots,
        )
        bare = make_conflict("d", 1, 2, opened=4)
        with self.make(TENANT) as store:
            store.write(project(row, bare))
            with store.read() as snapshot:
                assert snapshot.desk.conflict("c") == row
                assert snapshot.desk.conflict("d") == bare
                assert snapshot.desk.conflicts_of(2) == (row, bare)
        assert (bare.strategy, bare.winner, bare.ballots) == (None, None, ())

    def test_a_conflict_keeps_its_sides_when_its_state_changes(self) -> None:
        with self.make(TENANT) as store:
            store.write(project(make_conflict("c", 1, 2, opened=4)))
            ballots = (Vote(actor="ana", winner="rec-1"),)
            ending = {"changed": 7, "strategy": "vote", "winner": "rec-1", "ballots": ballots}
            later = make_conflict("c", 8, 9, opened=7, status="resolved")
            store.write(project(msgspec.structs.replace(later, why="else", **ending)))
            with store.read() as snapshot:
                first = make_conflict("c", 1, 2, opened=4, status="resolved")
                assert snapshot.desk.conflict("c") == msgspec.structs.replace(first, **ending)

    def test_the_last_checkpoint_is_the_furthest_and_a_second_one_replaces_the_first(self) -> None:
        with self.make(TENANT) as store:
            for signed in (make_checkpoint(5), make_checkpoint(2), make_checkpoint(5, signature="ff")):
                store.write(sign(signed))
            with store.read() as snapshot:
                assert snapshot.ledger.last_checkpoint() == make_checkpoint(5, signature="ff")
                assert list(snapshot.ledger.checkpoints()) == [make_checkpoint(2), make_checkpoint(5, signature="ff")]

    def test_the_last_checkpoints_before_an_entry_come_the_furthest_first(self) -> None:
        with self.make(TENANT) as store:
            for seq in (3, 9, 1, 7):
                store.write(sign(make_checkpoint(seq)))
            with store.read() as snapshot:
                before = snapshot.ledger.checkpoints_before
                assert before(2**62, limit=3) == (make_checkpoint(9), make_checkpoint(7), make_checkpoint(3))
                assert before(9, limit=1) == (make_checkpoint(7),)
                assert before(3, limit=5) == (make_checkpoint(1),)
                assert before(1, limit=5) == ()

    def test_receipts_are_a_log_of_their_own(self) -> None:
        with self.make(TENANT) as store:
            store.write(append_next)
            store.write(log(make_receipt(1)))
            store.write(log(make_receipt(2)))
            with store.read() as snapshot:
                assert snapshot.receipts.head() == (2, make_receipt(2).hash)
                assert snapshot.receipts.get("rcp-1") == make_receipt(1)
                assert snapshot.receipts.get("RCP-1") is None
                head = snapshot.ledger.head()
            assert head is not None
            assert head.seq == 1

    def test_cleared_projections_can_be_written_again_to_the_same_rows(self) -> None:
        rows: tuple[Row, ...] = (
            make_card(1, slot="door", fingerprint=b"f" * 16),
            make_standing(1, 4, Status.CONTESTED),
            make_card(2, valid_until=Instant(50)),
            make_proposal("p", 1),
            make_conflict("c", 1, 2, opened=4),
            make_edge(2, "rec-1"),
        )

        def job(unit: Unit) -> None:
            unit.project(rows, {1: "green build", 2: "red build"})

        with self.make(TENANT) as store:
            store.write(keep(make_document(1)))
            store.write(append_next)
            store.write(log(make_receipt(1)))
            store.write(job)
            before = contents(store)
            store.write(tell(make_telling(1)))
            with store.read() as snapshot:
                found = snapshot.lexicon.search(make_plan("build", "green"), keep=9)
            store.write(lambda unit: unit.clear_projections())
            cleared = contents(store)
            assert cleared == Contents(entries=before.entries, documents=before.documents, receipts=before.receipts)
            with store.read() as snapshot:
                assert snapshot.lexicon.search(make_plan("build"), keep=9).hits == ()
            store.write(job)
            assert contents(store) == before
            with store.read() as snapshot:
                assert snapshot.lexicon.search(make_plan("build", "green"), keep=9) == found

    def test_a_proposal_row_keeps_every_field(self) -> None:
        row = ProposalRow(
            id="p",
            seq=3,
            at=Instant(-5),
            actor="ana",
            outcome="committed",
            disposition="update",
            digest="0f" * 32,
            report=4,
            held=5,
            record="rec-1",
            revision=2,
        )
        with self.make(TENANT) as store:
            store.write(project(row))
            with store.read() as snapshot:
                assert snapshot.desk.proposal("p") == row
