"""What every store promises about links between records, and about what was told to whom. Knows no store."""

from __future__ import annotations

import msgspec

from muniment.model.rows import EdgeRow, TombstoneRow
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment.model.vocabulary import Support
from muniment_store_conformance.makers import (
    TENANT,
    USUAL,
    Made,
    make_card,
    make_edge,
    make_standing,
    make_telling,
    project,
    put_cards,
    tell,
)


def _sorted(edges: tuple[EdgeRow, ...]) -> list[tuple[int, str, str]]:
    """Links as plain rows: what `of` and `to` give has no order of its own."""
    return sorted((edge.rid, edge.type, edge.target) for edge in edges)


class LinkConformance(Made):
    """Links from revisions to records, both ways, and tellings that add up."""

    def test_all_links_come_by_revision_type_and_target_in_the_order_of_bytes(self) -> None:
        rows = [
            make_edge(2, "b"),
            make_edge(2, "a", "parent"),
            make_edge(2, "B"),
            make_edge(1, "z", "supports"),
            make_edge(10, "a", "echoes"),
        ]
        with self.make(TENANT) as store:
            store.write(put_cards(*(make_card(rid) for rid in (1, 2, 10))))
            store.write(project(*rows))
            with store.read() as snapshot:
                found = [(edge.rid, edge.type, edge.target) for edge in snapshot.links.all()]
        assert found == [
            (1, "supports", "z"),
            (2, "derived_from", "B"),
            (2, "derived_from", "b"),
            (2, "parent", "a"),
            (10, "echoes", "a"),
        ]

    def test_the_links_of_revisions_are_theirs_alone(self) -> None:
        rows = [make_edge(1, "a"), make_edge(1, "a", "parent"), make_edge(2, "a"), make_edge(3, "rec-1")]
        with self.make(TENANT) as store:
            store.write(put_cards(*(make_card(rid) for rid in (1, 2, 3))))
            store.write(project(*rows))
            with store.read() as snapshot:
                of = snapshot.links.of
                assert _sorted(of([1, 3])) == [
                    (1, "derived_from", "a"),
                    (1, "parent", "a"),
                    (3, "derived_from", "rec-1"),
                ]
                assert _sorted(of(rid for rid in (2, 99))) == [(2, "derived_from", "a")]
                assert of(()) == ()

    def test_links_to_a_record_come_from_revisions_that_no_other_revision_has_followed(self) -> None:
        """One that was replaced by another record, retracted or expired still stands on what it stood on."""
        followed = make_card(1, id="r", revision=1, status="superseded", successor="r")
        newer = make_card(2, id="r", revision=2)
        others = [make_card(3, status="superseded", successor="r"), make_card(4, status="retracted"), make_card(5)]
        with self.make(TENANT) as store:
            store.write(put_cards(followed, newer, *others))
            store.write(project(*(make_edge(rid, "ground") for rid in (1, 2, 3, 4)), make_edge(5, "Ground")))
            with store.read() as snapshot:
                to = snapshot.links.to
                assert [rid for rid, _, _ in _sorted(to(["ground"]))] == [2, 3, 4]
                assert [rid for rid, _, _ in _sorted(to(["ground", "Ground", "absent"]))] == [2, 3, 4, 5]
                assert to(()) == ()

    def test_a_link_is_no_longer_found_once_its_revision_is_followed(self) -> None:
        with self.make(TENANT) as store:
            store.write(put_cards(make_card(1, id="r")))
            store.write(project(make_edge(1, "ground")))
            with store.read() as snapshot:
                assert len(snapshot.links.to(["ground"])) == 1
            rows = (make_standing(1, 5, Status.SUPERSEDED, "r"), make_card(2, id="r", revision=2))
            store.write(project(*rows, texts={2: "newer"}))
            with store.read() as snapshot:
                assert snapshot.links.to(["ground"]) == ()
                assert len(snapshot.links.of([1])) == 1, "it stays in the history"

    def test_a_question_about_very_many_records_is_answered(self) -> None:
        names = [f"rec-{number}" for number in range(1, 3_001)]
        with self.make(TENANT) as store:
            store.write(put_cards(make_card(1), make_card(2)))
            store.write(project(make_edge(1, "rec-7"), make_edge(2, "rec-2999")))
            with store.read() as snapshot:
                assert [rid for rid, _, _ in _sorted(snapshot.links.to(names))] == [1, 2]
                assert snapshot.catalogue.latest(names).keys() == {"rec-1", "rec-2"}

    def test_tellings_add_up_by_revision_and_actor_and_keep_the_last_instant(self) -> None:
        first = (make_telling(1, "bot", last=30), make_telling(2, "ana", last=5), make_telling(1, "ana", last=7))
        again = (make_telling(1, "bot", count=2, last=20), make_telling(1, "bot", last=40))
        with self.make(TENANT) as store:
            store.write(tell(*first))
            store.write(tell(*again))
            with store.read() as snapshot:
                bot, ana = make_telling(1, "bot", count=4, last=40), make_telling(1, "ana", last=7)
                assert snapshot.receipts.told(1) == (ana, bot)
                assert snapshot.receipts.told(3) == ()
                assert snapshot.receipts.told_to("ana", [1, 2, 3]) == {1, 2}
                assert (
                    snapshot.receipts.told_to("nobody", [1, 2]) == snapshot.receipts.told_to("ana", []) == frozenset()
                )
                since = [snapshot.receipts.told_since("bot", [1, 2], Instant(at)) for at in (40, 41)]
                assert since == [{1}, frozenset()]
                assert snapshot.receipts.told_since("ana", [1, 2], Instant(6)) == {1}
                assert list(snapshot.receipts.all_told()) == [ana, bot, make_telling(2, "ana", last=5)]

    def test_what_ended_is_told_to_who_was_told_it_the_latest_first(self) -> None:
        cards = [make_card(number) for number in range(1, 6)]
        fallen = msgspec.structs.replace(USUAL, support=Support.FALLEN)
        moved = (
            make_standing(1, 11, Status.RETRACTED),
            make_standing(2, 12, Status.SUPERSEDED),
            make_standing(3, 13, Status.ACTIVE, footing=fallen),
            make_standing(4, 14, Status.EXPIRED),
            make_standing(5, 15, Status.RETRACTED),
        )
        told = [make_telling(rid, "ana", last=30 + rid) for rid in (1, 2, 3, 4)]
        stones = tuple(TombstoneRow(rid=20 + at, id=f"gone-{at}", revision=1, seq=20 + at) for at in (1, 2))
        with self.make(TENANT) as store:
            store.write(put_cards(*cards))
            store.write(project(*moved, *stones))
            store.write(tell(*told, make_telling(5, "bot"), make_telling(21, "ana", last=9), make_telling(22, "bot")))
            with store.read() as snapshot:
                catalogue = snapshot.catalogue
                assert catalogue.ended_for("ana", after=0, keep=9) == ((3, 33), (2, 32), (1, 31))
                assert catalogue.ended_for("ana", after=11, keep=1) == ((3, 33),)
                assert catalogue.ended_for("eve", after=0, keep=9) == ()
                assert catalogue.erased_for("ana", after=0, keep=9) == ((stones[0], 9),)
                assert catalogue.erased_for("ana", after=21, keep=9) == ()

    def test_tellings_come_by_number_and_then_in_the_order_of_bytes(self) -> None:
        names = ("b", "B", "a", "_", "10", "9")
        with self.make(TENANT) as store:
            store.write(tell(*(make_telling(rid, name) for rid in (10, 2) for name in names)))
            with store.read() as snapshot:
                found = [(row.rid, row.actor) for row in snapshot.receipts.all_told()]
        assert found == [(rid, name) for rid in (2, 10) for name in sorted(names)]
