"""Passages: they cover the text, keep their bounds, end where a reader would, and stay where they are."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each

from muniment.model.errors import Malformed
from muniment.text.passages import TextPassage, passages

SIZE, OVERLAP = 40, 10
words = st.text("ab .\n!", min_size=0, max_size=400)
anything = st.text(max_size=300)
texts = st.one_of(words, anything, st.text("a\u0301\u200d\U0001f1e9\U0001f469 \r\n", max_size=300))


def cut(text: str, *, size: int = SIZE, overlap: int = OVERLAP) -> list[str]:
    return [text[one.start : one.end] for one in passages(text, size=size, overlap=overlap)]


def test_a_text_that_fits_is_one_passage() -> None:
    assert passages("x" * 900) == (TextPassage(start=0, end=900),)
    assert len(passages("x" * 901)) == 2


def test_an_empty_text_has_no_passage() -> None:
    assert passages("") == ()


def test_a_passage_ends_with_a_sentence_rather_than_a_word() -> None:
    text = "The cat sat on the warm mat. And then it slept for long."
    assert cut(text, overlap=0) == ["The cat sat on the warm mat. ", "And then it slept for long."]


def test_a_passage_ends_with_a_paragraph_rather_than_a_sentence() -> None:
    text = "One two three four five six.\n\nSeven. Eight nine ten eleven."
    assert cut(text, overlap=0)[0] == "One two three four five six.\n\n"


def test_a_paragraph_that_ends_early_does_not_make_a_short_passage() -> None:
    text = "One two three.\n\nFour five six seven. Eight nine ten eleven."
    assert cut(text, overlap=0)[0] == "One two three.\n\nFour five six seven. "


def test_a_passage_ends_with_a_word_where_there_is_no_sentence() -> None:
    assert cut("alpha beta gamma delta epsilon zeta eta theta iota", overlap=0) == [
        "alpha beta gamma delta epsilon zeta eta ",
        "theta iota",
    ]


def test_a_text_of_a_script_without_spaces_is_cut_at_its_full_stop() -> None:
    text = "今日は天気がいいので散歩に行きました。それから家に帰って本を読みました。とても楽しい一日でした。"
    assert cut(text, overlap=0)[0] == "今日は天気がいいので散歩に行きました。それから家に帰って本を読みました。"


def test_the_next_passage_begins_with_a_whole_word_of_the_overlap() -> None:
    first, second = cut("alpha beta gamma delta epsilon zeta eta theta iota")
    assert first.endswith("zeta eta ")
    assert second == "zeta eta theta iota"


def test_a_line_without_white_space_is_cut_where_the_room_ends() -> None:
    assert [len(piece) for piece in cut("x" * 100)] == [40, 40, 40]


@each(
    ("cluster", "why"),
    [
        ("e\u0301", "a letter and its accent"), ("\U0001f469\u200d\U0001f4bb", "a joined emoji"),
        ("\U0001f44d\U0001f3fd", "a skin tone"), ("\U0001f1e9\U0001f1ea", "a flag"),
        ("\ud83d\ude00", "a pair of halves"), ("☀\ufe0f", "a variant"), ("\r\n", "a line end"),
    ],
)  # fmt: skip
@each("lead", range(4))
def test_what_is_shown_as_one_character_is_not_parted(cluster: str, why: str, lead: int) -> None:
    text = "x" * lead + cluster * 60
    places = {place for one in passages(text, size=SIZE, overlap=OVERLAP) for place in (one.start, one.end)}
    assert all((place - lead) % len(cluster) == 0 for place in places if place > lead), why


def test_a_heap_of_accents_on_one_letter_is_still_cut() -> None:
    assert all(len(piece) <= SIZE for piece in cut("a" + "\u0301" * 500))


def test_a_line_of_a_megabyte_is_cut_into_a_linear_number_of_passages() -> None:
    assert 1_048_576 // 900 < len(passages("x" * 1_048_576)) <= 2 * (1_048_576 // 780)
    assert len(passages("a b. " * 209_715)) <= 1_048_576 // 300


@each(("size", "overlap"), [(15, 0), (0, 0), (100, 26), (100, -1)])
def test_bounds_that_make_no_sense_are_refused(size: int, overlap: int) -> None:
    with pytest.raises(Malformed):
        passages("text", size=size, overlap=overlap)


@given(texts, st.integers(16, 60), st.integers(0, 15))
def test_passages_cover_the_text_in_order_and_keep_their_bounds(text: str, size: int, overlap: int) -> None:
    overlap = min(overlap, size // 4)
    found = passages(text, size=size, overlap=overlap)

    assert found == passages(text, size=size, overlap=overlap)
    assert [one.start for one in found[:1]] + [one.end for one in found[-1:]] == ([0, len(text)] if text else [])
    assert all(0 < one.end - one.start <= size for one in found)
    for before, after in pairwise(found):
        assert before.end - overlap <= after.start <= before.end
        assert before.start < after.start
        assert before.end < after.end


@given(texts, texts)
def test_what_is_appended_moves_the_last_passage_only(text: str, more: str) -> None:
    kept = passages(text, size=SIZE, overlap=OVERLAP)[:-1]
    assert passages(text + more, size=SIZE, overlap=OVERLAP)[: len(kept)] == kept


@given(st.text("ab\u0301\u0302 .", max_size=200).filter(lambda text: "\u0301" * 5 not in text))
def test_no_passage_begins_with_an_accent(text: str) -> None:
    starts = [text[one.start] for one in passages(text, size=SIZE, overlap=OVERLAP)[1:]]
    assert not [letter for letter in starts if unicodedata.combining(letter)]
