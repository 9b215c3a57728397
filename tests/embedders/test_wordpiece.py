"""Our tokenizer gives the ids of the reference tokenizer, whatever it is given."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import each
from tokenizers import Tokenizer
from tokenizers.models import WordPiece as ReferencePieces
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from muniment.backends.embedders.folder import ModelFolder
from muniment.backends.embedders.wordpiece import WORD_LENGTH_MAX, WORDS_KEPT_MAX, WordPiece
from muniment.model.errors import IntegrityError

BEGIN, END, UNKNOWN = 101, 102, 100
WINDOW = 256


class Pair:
    """Ours and the reference, over one vocabulary."""

    def __init__(self, vocabulary: str) -> None:
        self.ours = WordPiece(vocabulary)
        numbered = {piece: number for number, piece in enumerate(vocabulary.split("\n")) if piece}
        self._reference = Tokenizer(ReferencePieces(numbered, unk_token="[UNK]", max_input_chars_per_word=100))
        self._reference.normalizer = BertNormalizer(lowercase=True)
        self._reference.pre_tokenizer = BertPreTokenizer()

    def expected(self, text: str) -> list[int]:
        return [BEGIN, *self._reference.encode(text).ids[: WINDOW - 2], END]

    def agree(self, text: str) -> bool:
        return self.ours.encode(text, window=WINDOW) == self.expected(text)


@pytest.fixture(scope="module")
def pair(models: Path) -> Pair:
    return Pair(ModelFolder(models).read()[1])


AWKWARD = {
    "empty": "",
    "blank": " \t\r\n ",
    "emoji": "👩‍👩‍👧‍👦 🏳️‍🌈 😀😀 🫠",
    "right to left": "مرحبا بالعالم, שָׁלוֹם עֲלֵיכֶם \u202eabc\u202c",
    "ideographs": "東京タワー 한국어 中文abc𠀀𪚥豈",
    "accents": "Ça Ñandú ÅNGSTRÖM İstanbul ẞ ǅ ﬁ ŉ ÀÉÎõü résumé",
    "sigma at the end": "ΟΔΥΣΣΕΥΣ ΣΑΣ",
    "combining marks": "e\u0301\u0323 a\u0300\u0301\u0302 \u0301alone ก็ हिन्दी Z̷̢͓a̸l̴g̵o",
    "zero width": "zero\u200bwidth\u200d \u2060joiner\ufeff soft\u00adhyphen",
    "controls": "nul\x00bell\x07 esc\x1b[2J unit\x1fsep del\x7f nel\x85end \x1c",
    "replacement": "broken \ufffd\ufffd text",
    "private use": "\ue000 \U000f0000 \U0010fffd",
    "unassigned": "\u0378 \U000e0fff \U0001fbff",
    "new punctuation": "\u2e52 \u2e5d \u061d ⸻ ‽ « » „ “ ” …",
    "spaces": "a\u00a0b\u2003c\u3000d\u2028e\u2029f\u1680g",
    "code": "if (x!=y){return a[i]->b::c<T>(0x1F,1e-9)/*z*/;}\n\tself.__init__(**kw)",
    "address": "https://user:pw@example.org:8080/a_b/c-d?e=f&g=%20#h",
    "marks of the model": "[CLS] [SEP] [PAD] [MASK] [UNK] [unused0] ##ing",
    "long word": "x" * 100 + " " + "y" * 101 + " " + "é" * 101,
    "many words": "word " * 5_000,
}


@each("text", AWKWARD.values(), ids=AWKWARD.keys())
def test_an_awkward_text_has_the_ids_of_the_reference(pair: Pair, text: str) -> None:
    assert pair.ours.encode(text, window=WINDOW) == pair.expected(text)


def test_every_character_has_the_ids_of_the_reference(pair: Pair) -> None:
    """All of the planes that hold characters, and every hundredth of those that are empty or private."""
    full = [*range(0xD800), *range(0xE000, 0x40000), *range(0xE0000, 0xE1000)]
    codes = [*full, *range(0x40000, 0xE0000, 100), *range(0xF0000, 0x110000, 100)]
    blocks = [codes[start : start + 40] for start in range(0, len(codes), 40)]
    texts = [" ".join(f"a{chr(code)}b" for code in block) for block in blocks]
    assert [text for text in texts if not pair.agree(text)] == []


_LETTERS = st.sampled_from("abcdeABCDE      ..,!?'-_éÉñüßøΣσАЯяהم中日한국かナ0129\u0301\u0308\u200d😀\n\t")


@settings(max_examples=2_000)
@given(st.text(max_size=120) | st.text(_LETTERS, max_size=200))
def test_any_text_has_the_ids_of_the_reference(pair: Pair, text: str) -> None:
    assert pair.ours.encode(text, window=WINDOW) == pair.expected(text)


_ENGLISH = st.lists(
    st.sampled_from(
        [
            "the",
            "record",
            "remembered",
            "yesterday's",
            "unbelievably",
            "long-winded",
            "reorganisation",
            "Kubernetes",
            "GPT-4",
            "3.14159",
            "naïve",
            "café",
            "HTTPServer",
            "antidisestablishmentarianism",
            "foo_bar()",
            "Łódź",
            "Dvořák",
            "o'clock",
            "e.g.",
            "12:30",
            "US$5,000",
            "½",
            "x²",
            "…",
        ]
    ),
    max_size=60,
)


@settings(max_examples=1_000)
@given(_ENGLISH)
def test_sentences_have_the_ids_of_the_reference(pair: Pair, words: list[str]) -> None:
    assert pair.agree(" ".join(words))


@each("unit", ["x", "a b ", "\u200b", "😀"], ids=ascii)
def test_a_line_of_a_megabyte_has_the_ids_of_the_reference(pair: Pair, unit: str) -> None:
    assert pair.agree(unit * (1_000_000 // len(unit)))


def test_words_beyond_the_first_stretch_of_a_text_are_read(pair: Pair) -> None:
    text = "\u200b" * 20_000 + "green " + "\u200b" * 200_000 + "tea"
    assert pair.ours.encode(text, window=WINDOW) == [BEGIN, 2665, 5572, END]


def test_a_lone_surrogate_counts_for_nothing(pair: Pair) -> None:
    assert pair.ours.encode("green\ud800 tea", window=WINDOW) == [BEGIN, 2665, 5572, END]


def test_a_text_cannot_forge_the_marks(pair: Pair) -> None:
    ids = pair.ours.encode("[PAD] [SEP] [CLS]", window=WINDOW)
    assert (ids[0], ids[-1]) == (BEGIN, END)
    assert not {0, BEGIN, END} & set(ids[1:-1])


def test_what_is_beyond_the_window_is_cut(pair: Pair) -> None:
    assert pair.ours.encode("green tea green tea", window=4) == [BEGIN, 2665, 5572, END]


def test_a_word_too_long_is_unknown(pair: Pair) -> None:
    assert pair.ours.encode("a" * (WORD_LENGTH_MAX + 1), window=WINDOW) == [BEGIN, UNKNOWN, END]


def test_words_kept_are_bounded() -> None:
    tokenizer = WordPiece("[UNK]\n[CLS]\n[SEP]\n")
    for number in range(0, WORDS_KEPT_MAX + 5_000, 500):
        tokenizer.encode(" ".join(f"w{number + place}" for place in range(500)), window=1_000)
    assert len(tokenizer._kept) <= WORDS_KEPT_MAX


def test_a_vocabulary_without_the_marks_is_refused() -> None:
    with pytest.raises(IntegrityError, match=r"\[CLS\], \[SEP\]"):
        WordPiece("[UNK]\na\nb\n")
