"""Search terms: any text is a legal query, none of it is syntax, and a record is found by its own words."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.unit import strategies as make

from muniment import Memory
from muniment.model.errors import Malformed
from muniment.model.query import Abstention
from muniment.model.receipt import Terms
from muniment.read.words import WORDS_MAX, read_terms
from muniment.text.stop_words import STOP_WORDS


@each(
    ("text", "words", "phrases"),
    [
        ("where is the staging database?", ("staging", "database"), ()),
        ("the of and", ("the", "of", "and"), ()),
        ('"staging database" region', ("region",), (("staging", "database"),)),
        ('say "', ("say",), ()),
        ('""', (), ()),
        ("!!! ???", (), ()),
        ("___", (), ()),
        ("build build BUILD", ("build",), ()),
        ("a-b_c.d", ("b_c", "d"), ()),
    ],
)
def test_a_query_becomes_words_and_phrases(
    text: str, words: tuple[str, ...], phrases: tuple[tuple[str, ...], ...]
) -> None:
    terms = read_terms(text)
    assert (terms.words, terms.phrases) == (words, phrases)


@given(st.text(max_size=300))
def test_terms_are_bounded_and_hold_no_syntax(text: str) -> None:
    terms = read_terms(text)
    assert len(terms.words) <= WORDS_MAX
    assert len(terms.phrases) <= WORDS_MAX
    assert all(word and '"' not in word and " " not in word for word in terms.words)


def test_stop_words_are_left_out_only_while_something_else_is_there() -> None:
    assert read_terms("the build") == Terms(words=("build",), common=("the",))
    assert set(read_terms(" ".join(sorted(STOP_WORDS))).words) <= STOP_WORDS


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    memory = Memory.open(tmp_path_factory.mktemp("words") / "vault")
    memory.remember("The build is green AND the NEAR tests pass")
    memory.remember('A "quoted" sentence with (brackets) * stars ^ carets : colons')
    return memory


@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=200))
def test_no_text_makes_a_recall_fail(filled: Memory, text: str) -> None:
    if not text.strip():
        with pytest.raises(Malformed):
            filled.recall(text)
        return
    answer = filled.recall(text)
    assert (answer.abstained is None) is bool(answer.records)


@each(
    "text",
    [
        "AND", "OR NOT", "NEAR(a b)", "NEAR/3", "text : build", "build*", "^build", "(build", "build)",
        '"build', 'build"', '"" build', "-build", "+build", "{text}: build", "build AND", '"a" OR "b" NOT',
        "'; DROP TABLE cards; --",
        "\\", '\\"', "%", "_", "lexicon", "rowid", "rank",
        "\ufffd", "🏳️‍🌈", "\u202e", "ﷺ" * 100,
        "a\tb\nc\rd", "x" * 65_536, "build " * 10_922, '"' * 65_536, '"a"' * 20_000, "( " * 30_000, "é" * 32_768,
    ],
    ids=lambda text: repr(text[:20]),
)  # fmt: skip
def test_no_syntax_makes_a_recall_fail(filled: Memory, text: str) -> None:
    answer = filled.recall(text)
    assert (answer.abstained is None) is bool(answer.records)


def test_a_query_of_64_kib_is_answered_and_one_byte_more_is_refused(filled: Memory) -> None:
    assert filled.recall("build" + " " * 65_531).records
    with pytest.raises(Exception, match="65536") as refused:
        filled.recall("build" + " " * 65_532)
    assert getattr(refused.value, "code", None) == "limit_exceeded"


@each("operator", ["AND", "NEAR", "and", "near"])
def test_an_operator_is_only_a_word(filled: Memory, operator: str) -> None:
    found = filled.recall(f"green {operator} tests").records
    assert [one.record.content for one in found] == ["The build is green AND the NEAR tests pass"]


@each("text", ["!!!", "...", "🏳️‍🌈", "—", "( )", '""'])
def test_a_query_without_words_abstains_for_that_reason(filled: Memory, text: str) -> None:
    assert filled.recall(text).abstained is Abstention.NO_SEARCHABLE_WORDS


@pytest.mark.parametrize(
    "word",
    ["Straße", "STRASSE", "ﬁle", "İstanbul", "ΟΔΟΣ", "όδος", "naïve", "café", "e\u0301te\u0301",
     "한국어", "\u1112\u1161\u11ab", "東京", "Ærø", "Ⅷ", "x²", "ǅ", "ŉ", "ſaint", "Ångström", "ՙև", "ﬃ", "ᾳ", "Μάϊος"],
)  # fmt: skip
def test_a_record_is_found_by_its_own_word(memory: Memory, word: str) -> None:
    memory.remember(f"somewhere {word} elsewhere")
    answer = memory.recall(word)
    assert [one.record.content for one in answer.records] == [f"somewhere {word} elsewhere"]


@pytest.mark.parametrize(
    ("said", "asked"),
    [("the deploys failed", "deploy failing"), ("Running late", "run"), ("CAFÉ closed", "cafe"), ("naive", "Naïve"),
     ("eu-west-2 is down", "eu-west-2"), ("see muniment.model.claim", "claim"), ("issue #42 is open", "42")],
)  # fmt: skip
def test_case_accents_and_endings_do_not_matter(memory: Memory, said: str, asked: str) -> None:
    memory.remember(said)
    assert memory.recall(asked).abstained is None


def test_a_phrase_must_occur_as_it_stands(memory: Memory) -> None:
    memory.remember("the staging database is slow")
    memory.remember("whoever needs a database for staging asks the north team")
    found = memory.recall('"staging database"').records
    assert [one.record.content for one in found] == ["the staging database is slow"]


def test_what_matches_more_comes_first(memory: Memory) -> None:
    memory.remember("alpha alone")
    memory.remember("alpha beta gamma")
    memory.remember("beta alone")
    found = memory.recall("alpha beta gamma").records
    assert found[0].record.content == "alpha beta gamma"
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert found[0].score == 1.0


@given(make.texts)
def test_what_was_remembered_is_found_by_saying_it_again(text: str) -> None:
    with TemporaryDirectory() as folder, Memory.open(Path(folder) / "vault") as memory:
        verdict = memory.remember("word " + text)
        assert verdict.record_id is not None
        found = [one.record.id for one in memory.recall("word " + text).records]
        assert found == [verdict.record_id]
