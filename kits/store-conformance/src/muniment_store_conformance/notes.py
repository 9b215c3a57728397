"""What every store promises about notes, about what is taken away, and about the order of changes. Knows the ports and
no store."""

from __future__ import annotations

import threading

from muniment.model.errors import IntegrityError
from muniment.model.note import Note
from muniment.model.status import Status
from muniment.ports.store import Unit
from muniment_store_conformance.makers import (
    TENANT,
    Made,
    append_next,
    make_card,
    make_document,
    make_edge,
    make_mention,
    make_plan,
    make_standing,
    project,
    put_cards,
    raises,
)

WAIT_S = 60


def make_note(doc: int, key: str = "scout", *, topic: str = "agents", body: str | None = "{}", seq: int = 0) -> Note:
    return Note(topic=topic, key=key, seq=seq or doc, doc=doc, at=doc, actor="scout", body=body)


class NoteConformance(Made):
    """The latest note of a key stands; all of them can be read in order; what is erased leaves nothing behind."""

    def test_the_latest_note_of_a_key_stands_and_keys_keep_their_order(self) -> None:
        first, second = make_note(1, "scout"), make_note(2, "analyst")
        later, other = make_note(3, "scout", body='{"a": 1}'), make_note(4, "scout", topic="tasks")
        with self.make(TENANT) as store:
            store.write(project(first, second, later, other))
            with store.read() as snapshot:
                assert snapshot.notes.present("agents") == (later, second)
                assert snapshot.notes.get("agents", "scout") == later
                assert snapshot.notes.get("agents", "SCOUT") is None
                assert snapshot.notes.present("agent") == ()
                assert list(snapshot.notes.all()) == [first, second, later, other]

    def test_a_note_without_words_takes_the_one_before_it_away_until_the_next(self) -> None:
        gone, back = make_note(2, body=None), make_note(3, body="[]")
        with self.make(TENANT) as store:
            store.write(project(make_note(1), gone))
            with store.read() as snapshot:
                assert (snapshot.notes.get("agents", "scout"), snapshot.notes.present("agents")) == (None, ())
                assert snapshot.notes.since(1) == (gone,)
            store.write(project(back))
            with store.read() as snapshot:
                assert (snapshot.notes.get("agents", "scout"), snapshot.notes.present("agents")) == (back, (back,))

    def test_notes_since_an_entry_come_by_rising_document_and_without_that_entry(self) -> None:
        notes = [make_note(9, seq=5), make_note(3, seq=2), make_note(4, seq=2), make_note(8, "b", seq=5)]
        with self.make(TENANT) as store:
            store.write(project(*notes))
            with store.read() as snapshot:
                assert [note.doc for note in snapshot.notes.since(0)] == [3, 4, 8, 9]
                assert [note.doc for note in snapshot.notes.since(2)] == [8, 9]
                assert snapshot.notes.since(5) == ()

    def test_the_marks_tell_the_last_entry_and_the_last_note(self) -> None:
        with self.make(TENANT) as store:
            assert store.marks() == (0, 0, 0)
            store.write(append_next)
            store.write(append_next)
            assert store.marks() == (2, 0, 0)
            store.write(project(make_note(1), make_note(2, "b", seq=1)))
            assert store.marks() == (2, 1, 0)

    def test_who_watches_is_woken_where_the_store_can_tell_and_no_more_afterwards(self) -> None:
        woken = threading.Event()
        with self.make(TENANT) as store:
            with store.watching(woken.set) as heard:
                store.write(append_next)
                assert woken.wait(WAIT_S if heard() else 0) or not heard()
            woken.clear()
            store.write(append_next)
            assert (woken.is_set(), store.marks()) == (False, (2, 0, 0))

    def test_a_document_is_one_note(self) -> None:
        with self.make(TENANT) as store:
            store.write(project(make_note(1)))
            with raises(IntegrityError):
                store.write(project(make_note(1, "analyst")))
            with store.read() as snapshot:
                assert list(snapshot.notes.all()) == [make_note(1)]

    def test_odd_texts_are_notes_like_any_other(self) -> None:
        odd = ("'; DROP TABLE notes; --", '"', "%", "a\tb", "\u202e", "👩‍👩‍👧", "null")
        with self.make(TENANT) as store:
            store.write(project(*(make_note(number, key, body=key) for number, key in enumerate(odd, start=1))))
            with store.read() as snapshot:
                assert [note.body for note in snapshot.notes.present("agents")] == list(odd)
                assert all(snapshot.notes.get("agents", key) is not None for key in odd)

    def test_notes_are_cleared_with_the_other_projections(self) -> None:
        with self.make(TENANT) as store:
            store.write(project(make_note(1)))
            store.write(lambda unit: unit.clear_projections())
            with store.read() as snapshot:
                assert list(snapshot.notes.all()) == []

    def test_what_is_erased_leaves_no_card_standing_link_mention_or_word(self) -> None:
        texts = {1: "herons nest", 2: "herons wade"}

        def fill(unit: Unit) -> None:
            for rid, text in texts.items():
                unit.keep(make_document(rid, text))
            unit.project(tuple(make_card(rid) for rid in texts), texts)
            unit.project(
                (*(make_edge(rid, "rec-9") for rid in texts), *(make_mention(rid, "heron") for rid in texts)), {}
            )

        def take_away(unit: Unit) -> None:
            unit.erase([1, 77])
            unit.drop(1)

        with self.make(TENANT) as store:
            store.write(fill)
            store.write(take_away)
            with store.read() as snapshot:
                assert [card.rid for card in snapshot.catalogue.all()] == [2]
                assert {row.rid for row in snapshot.catalogue.moves()} == {2}
                assert {row.rid for row in snapshot.links.all()} == {2}
                assert {row.rid for row in snapshot.names.all_mentions()} == {2}
                assert [hit.rid for hit in snapshot.lexicon.search(make_plan("herons"), keep=9).hits] == [2]
                assert snapshot.lexicon.search(make_plan("nest"), keep=9).hits == ()
            assert store.integrity() == ()

    def test_changes_come_in_the_order_they_were_made(self) -> None:
        with self.make(TENANT) as store:
            store.write(put_cards(make_card(1), make_card(2), make_card(3)))
            store.write(project(*(make_standing(rid, 9, Status.ACTIVE) for rid in (3, 1))))
            with store.read() as snapshot:
                assert [card.rid for card in snapshot.catalogue.changed(0)] == [2, 1, 3]
                assert [card.rid for card in snapshot.catalogue.changed(8)] == [1, 3]
                assert list(snapshot.catalogue.changed(9)) == []
