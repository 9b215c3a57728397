"""Any text goes in, is found, and comes out as it was; a long one by the passage that matched, at exact places."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cases import each
from tests.patience import WAIT_S
from tests.recall.world import Toy, both, contents, kept, on_disk

from muniment import Memory
from muniment.model.errors import LimitExceeded, MunimentError
from muniment.model.tokens import tokens
from muniment.text.passages import passages

ODD = {
    "emoji": "family 👩‍👩‍👧‍👦 waved 🇪🇺 flags 👋🏽 needle",
    "right to left": "مرحبا بالعالم \u202eneedle\u202c שלום עולם",
    "code": "def f(x):\n\treturn {'a': [x for x in range(10)]}  # needle; DROP TABLE cards; --",
    "combining": "z̷̢̛a̶͜l̵g̸͝o̷ needle e\u0301\u0301\u0301\u0301",
    "quotes": "\"needle' `needle` “needle” NEAR(needle* -col:x ^y",
    "scripts": "東京は日本の首都です needle 한국어 ไทย ελληνικά",
    "surrogate pairs": "𝒩eedle needle 𐍈 \U0010ffff",
    "json": '{"needle": [1, 2, {"content": null}]} \\u0000 \\n',
    "lines": "needle\r\nline\u2028separator\u2029paragraph\tand\u00a0spaces\u200bof all sorts",
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
def test_odd_text_is_found_by_words_and_by_meaning_and_comes_out_as_it_went_in(tmp_path: Path, text: str) -> None:
    with both(tmp_path, Toy) as memories:
        for memory in memories:
            memory.remember(text, session_id="s1")
            memory.remember("something else entirely", session_id="s1")
            memory.flush(timeout=WAIT_S)
            answer = memory.recall("needle")
            assert contents(answer)[0] == text
            assert answer.records[0].text == text
            assert memory.recall(text).records[0].record.content == text, "it is a question as well"
            assert memory.explain(answer.receipt_id, replay=True).same_ids
            assert memory.ledger.verify().ok


@pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
def test_odd_text_is_a_name_a_task_and_an_interest_too(tmp_path: Path, text: str) -> None:
    with on_disk(tmp_path, Toy()) as memory:
        memory.remember("the pump leaks", entities=[text])
        memory.flush(timeout=WAIT_S)
        memory.review.alias(text, "Pump Nine")
        assert len(memory.insight.entity("Pump Nine").names) == 2
        assert memory.insight.entity(text).records == memory.insight.entity("Pump Nine").records
        assert len(memory.insight.entity(text).records) == 1
        assert contents(memory.attune(task=text, interests=[text], role=text)) == ["the pump leaks"]
        assert memory.ledger.verify().ok


@pytest.mark.slow
def test_a_line_of_a_mebibyte_is_found_by_its_end(tmp_path: Path) -> None:
    text = "lorem ipsum " * 87_000 + "the physician signed at the end"
    with on_disk(tmp_path, Toy()) as memory:
        memory.remember(text)
        memory.remember("a short note")
        memory.flush(timeout=WAIT_S)
        for question in ("physician signed", "doctor signed at the end"):
            answer = memory.recall(question)
            assert [one.record.content for one in answer.records] == [text]
            found = answer.records[0]
            assert found.passage is not None
            assert found.text == text[slice(*found.passage)]
            assert "physician signed" in found.text
            assert len(found.text) < 2_000


def test_one_word_of_a_mebibyte_is_kept_and_harms_nobody(tmp_path: Path) -> None:
    word = "x" * 1_000_000
    with on_disk(tmp_path, Toy()) as memory:
        record = kept(memory.remember(word))
        memory.remember("the pump leaks")
        memory.flush(timeout=WAIT_S)
        assert memory.get(record).record.content == word
        assert contents(memory.recall("pump")) == ["the pump leaks"]
        assert memory.ledger.verify().ok


def long_text(words: int = 3_000) -> str:
    """Sentences that tell nothing, and one near the end that does."""
    filler = " ".join(f"word{number} goes on{'.' if number % 9 == 0 else ''}" for number in range(words))
    return f"{filler} The physician of Springfield retired. {filler[:2_000]}"


def test_a_long_record_is_one_record_with_the_passage_that_matched(tmp_path: Path) -> None:
    text = long_text()
    with on_disk(tmp_path, Toy()) as memory:
        memory.remember(text)
        memory.remember("a short note on gardening")
        memory.flush(timeout=WAIT_S)
        answer = memory.recall("physician Springfield retired")
        assert contents(answer) == [text]
        assert answer.considered == 1, "a record of many passages is one record"
        passage = answer.records[0].passage
        assert passage is not None
        assert passage in {(one.start, one.end) for one in passages(text)}
        assert "physician of Springfield retired" in answer.records[0].text
        assert memory.recall("physician Springfield retired").records[0].passage == passage


def test_a_passage_stays_where_it_is_when_the_text_goes_on(tmp_path: Path) -> None:
    text = long_text()
    with on_disk(tmp_path, Toy()) as memory:
        record = kept(memory.remember(text))
        memory.flush(timeout=WAIT_S)
        before = memory.recall("physician Springfield retired").records[0].passage
        memory.revise(record, text + " And then some more happened, which is another matter.")
        memory.flush(timeout=WAIT_S)
        after = memory.recall("physician Springfield retired").records[0]
        assert (after.record.revision, after.passage) == (2, before)


def test_without_a_model_a_long_record_is_found_by_its_end_too(tmp_path: Path) -> None:
    text = long_text(6_000)
    with on_disk(tmp_path, None) as memory:
        memory.remember(text)
        memory.remember("a short note on gardening")
        found = memory.recall("physician Springfield retired").records[0]
        assert found.record.content == text
        assert found.text == text[slice(*found.passage or (0, 0))]
        assert "physician of Springfield retired" in found.text
        assert found.reasons[0].startswith("matches")


def test_a_short_record_has_no_passage(tmp_path: Path) -> None:
    with on_disk(tmp_path, Toy()) as memory:
        memory.remember("the pump leaks")
        memory.flush(timeout=WAIT_S)
        found = memory.recall("pump").records[0]
        assert (found.passage, found.text) == (None, "the pump leaks")


@pytest.mark.parametrize("budget", [0, 5, 40, 400, 4_000])
def test_what_is_shown_fits_the_budget_however_long_the_records_are(tmp_path: Path, budget: int) -> None:
    with on_disk(tmp_path, Toy()) as memory:
        memory.remember(long_text(1_000))
        for name in ("Ana", "Bea", "Cleo", "Dora", "Edda", "Fay"):
            memory.remember(f"physician {name} retired to Springfield")
        memory.flush(timeout=WAIT_S)
        answer = memory.recall("physician Springfield retired", budget_tokens=budget)
        assert sum(tokens(one.text) for one in answer.records) <= budget
        context = answer.render(budget_tokens=budget)
        assert tokens(context.text) == context.tokens <= budget
        assert bool(answer.records) == (budget >= 40)


def huge_question(words: int) -> str:
    return " ".join(f"Why{number} pump{number % 7}?" for number in range(words))


def test_a_question_of_sixty_kilobytes_is_answered(tmp_path: Path) -> None:
    question = huge_question(4_300)
    assert 60_000 < len(question.encode()) < 65_536
    with on_disk(tmp_path, Toy()) as memory:
        memory.remember("pump3 leaks")
        memory.review.alias("pump3", "Old Faithful")
        memory.flush(timeout=WAIT_S)
        answer = memory.recall(question, floor=0.0)
        assert len(answer.searched.words) <= 200, "the work is bounded"
        assert memory.explain(answer.receipt_id).same_ids


def test_a_question_that_is_too_long_is_refused_by_its_size(memory: Memory) -> None:
    with pytest.raises(LimitExceeded) as caught:
        memory.recall(huge_question(6_000))
    assert caught.value.code == "limit_exceeded"


@pytest.mark.parametrize("text", ["", "   ", "\x00", "a\x00b", "\ud800", "a \x1b[31mb", "a\x0bb", "\x7f"])
def test_what_is_no_text_is_refused_and_leaves_nothing(tmp_path: Path, text: str) -> None:
    with on_disk(tmp_path, Toy()) as memory:
        before = memory.ledger.head()
        for act in (memory.remember, memory.recall, memory.insight.entity):
            with pytest.raises(MunimentError):
                act(text)
        with pytest.raises(MunimentError):
            memory.review.alias(text, "pump")
        assert memory.ledger.head() == before


@each("question", ["?", "…", "👍", "-", "the of and", '""', "*", "\u202e", "0"])
def test_a_question_without_a_word_is_answered_or_declined_but_never_fails(tmp_path: Path, question: str) -> None:
    with on_disk(tmp_path, Toy()) as memory:
        memory.remember("the pump leaks")
        memory.flush(timeout=WAIT_S)
        answer = memory.recall(question)
        assert answer.records or answer.abstained is not None
        assert memory.explain(answer.receipt_id).same_ids
