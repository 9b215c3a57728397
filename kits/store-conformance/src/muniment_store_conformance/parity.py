"""What goes in comes out the same: text, numbers, times, sizes, to the last bit. Knows the ports and no store."""

from __future__ import annotations

import unicodedata

from muniment.model import times
from muniment.model.filter import AtLeast, AtMost, Filter, LiveAt, OneOf, Under, ValidAt
from muniment.model.receipt import Plan
from muniment.ports.store import TenantStore
from muniment_store_conformance.contents import contents
from muniment_store_conformance.makers import (
    TENANT,
    Made,
    keep,
    make_card,
    make_document,
    make_plan,
    put_cards,
    put_texts,
)

TEXTS = (
    "Straße STRASSE strasse",
    unicodedata.normalize("NFC", "café Ångström"),
    unicodedata.normalize("NFD", "café Ångström"),
    "👩‍👩‍👧 family 🇪🇺 flags",
    "مرحبا بالعالم و \u202eright to left\u202c",
    "שלום",
    "東京は日本の首都です。",
    "한국어 \u1112\u1161\u11ab decomposed",
    "z̷̢̛a̶͜l̵g̸͝o̷",
    "İstanbul ıspanak",
    "\tindented\r\nlines\u2028and\u2029paragraphs\u00a0",
    "\ufeffbyte order mark and \ufffd and \U0010ffff",
    "quotes ' \" `; -- %s ? :x \\ /* DROP TABLE */",
)
NUMBERS = (0.0, 5e-324, 1e-308, 0.1, 0.1 + 0.2, 1 / 3, 0.9999999999999999, 1.0)
INSTANTS = (times.MIN, -1, 0, 1, 2**53 + 1, times.MAX)
ODD_NAMESPACES = ("/a_b", "/axb", "/a%", "/a%/c", "/ab/c", "/A_b", "/ä", "/a\u0308", "/a_b/x", "/a_bc", "/")


class ParityConformance(Made):
    """Case, Unicode, collation, float and integer edges, the first and last instants, a megabyte of text."""

    def test_every_text_is_kept_to_the_byte(self) -> None:
        with self.make(TENANT) as store:
            documents = tuple(make_document(number, text) for number, text in enumerate(TEXTS, start=1))
            for document in documents:
                store.write(keep(document))
            assert contents(store).documents == documents

    def test_a_mebibyte_of_text_is_kept_and_found(self) -> None:
        text = "lorem ipsum " * 87_380 + "needle in it"
        with self.make(TENANT) as store:
            document = make_document(1, text)
            store.write(keep(document))
            store.write(put_texts({1: text}))
            assert contents(store).documents == (document,)
            with store.read() as snapshot:
                assert _found(store, make_plan("needle")) == [1]
                assert snapshot.lexicon.search(make_plan("haystack"), keep=5).hits == ()

    def test_one_word_of_a_mebibyte_is_kept(self) -> None:
        text = "x" * 1_048_576
        with self.make(TENANT) as store:
            store.write(keep(make_document(1, text)))
            store.write(put_texts({1: text}))
            assert store.integrity() == ()
            assert _found(store, make_plan("xx")) == []

    def test_every_text_is_found_by_the_words_it_has(self) -> None:
        with self.make(TENANT) as store:
            store.write(put_texts(dict(enumerate(TEXTS, start=1))))
            with store.read() as snapshot:
                for rid, text in enumerate(TEXTS, start=1):
                    words = [word for word in text.split() if snapshot.lexicon.tokens(word)]
                    assert words, text
                    for word in words:
                        hits = snapshot.lexicon.search(make_plan(word), keep=99).hits
                        assert rid in [hit.rid for hit in hits], (text, word)

    def test_accents_and_case_do_not_matter_to_words_but_letters_do(self) -> None:
        with self.make(TENANT) as store:
            store.write(put_texts({1: "Café", 2: "CAFE\u0301", 3: "cafe", 4: "cafés", 5: "caffè"}))
            assert _found(store, make_plan("CAFÉ")) == [1, 2, 3, 4]
            assert _found(store, make_plan("caffe")) == [5]

    def test_ids_differ_by_case_and_by_every_character(self) -> None:
        names = ("a", "A", "a.", "a-", "a_", "a:", "a1", "a10", "a" * 128)
        with self.make(TENANT) as store:
            store.write(put_cards(*(make_card(rid, id=name) for rid, name in enumerate(names, start=1))))
            with store.read() as snapshot:
                for rid, name in enumerate(names, start=1):
                    assert [card.rid for card in snapshot.catalogue.revisions(name)] == [rid]

    def test_fractions_are_kept_to_the_last_bit(self) -> None:
        with self.make(TENANT) as store:
            cards = tuple(make_card(rid, confidence=value) for rid, value in enumerate(NUMBERS, start=1))
            store.write(put_cards(*cards))
            kept = [card.confidence for card in contents(store).cards]
            assert [value.hex() for value in kept] == [value.hex() for value in NUMBERS]
            assert all(isinstance(value, float) for value in kept)
            for bound in NUMBERS:
                below = [rid for rid, value in enumerate(NUMBERS, start=1) if value <= bound]
                assert _found(store, _seen(AtMost(field="confidence", value=bound))) == below

    def test_instants_from_the_first_year_to_the_last_are_kept_and_compared(self) -> None:
        with self.make(TENANT) as store:
            cards = tuple(
                make_card(rid, created_at=value, valid_from=value, valid_until=value, expires_at=value)
                for rid, value in enumerate(INSTANTS, start=1)
            )
            store.write(put_cards(*cards))
            assert contents(store).cards == cards
            for rid, instant in enumerate(INSTANTS, start=1):
                later = list(range(rid, len(INSTANTS) + 1))
                assert _found(store, _seen(ValidAt(instant=instant))) == [rid]
                assert _found(store, _seen(LiveAt(instant=instant))) == later
                assert _found(store, _seen(AtLeast(field="created_at", value=instant))) == later

    def test_large_numbers_are_kept(self) -> None:
        card = make_card(1, rid=2**62, seq=2**62, since=2**62, revision=2**31, sensitivity=0, trust=0, label=0)
        with self.make(TENANT) as store:
            store.write(put_cards(card))
            assert contents(store).cards == (card,)

    def test_absent_fields_stay_absent_and_empty_ones_empty(self) -> None:
        with self.make(TENANT) as store:
            bare = make_card(1, session_id=None, valid_from=None, valid_until=None, expires_at=None, slot=None)
            full = make_card(2, session_id="s", slot="", successor="x", provenance=True)
            store.write(put_cards(bare, full))
            assert contents(store).cards == (bare, full)

    def test_namespaces_are_compared_by_whole_parts_and_no_character_is_a_pattern(self) -> None:
        expected = {
            "/a_b": ["/a_b", "/a_b/x"],
            "/a%": ["/a%", "/a%/c"],
            "/ä": ["/ä"],
            "/a": [],
            "/": sorted(ODD_NAMESPACES),
        }
        with self.make(TENANT) as store:
            cards = [make_card(rid, namespace=space) for rid, space in enumerate(ODD_NAMESPACES, start=1)]
            store.write(put_cards(*cards))
            for space, below in expected.items():
                rids = _found(store, _seen(Under(namespaces=(space,))))
                assert sorted(ODD_NAMESPACES[rid - 1] for rid in rids) == below, space

    def test_words_of_a_filter_are_compared_exactly(self) -> None:
        with self.make(TENANT) as store:
            store.write(
                put_cards(*(make_card(n, scope_id=word) for n, word in enumerate(("a", "A", "a1", "b"), start=1)))
            )
            assert _found(store, _seen(OneOf(field="scope_id", words=("a", "b")))) == [1, 4]
            assert _found(store, _seen(OneOf(field="scope_id", words=()))) == []


def _seen(visible: Filter) -> Plan:
    return make_plan("build", visible=visible)


def _found(store: TenantStore, plan: Plan) -> list[int]:
    with store.read() as snapshot:
        return sorted(hit.rid for hit in snapshot.lexicon.search(plan, keep=999).hits)
