"""What is told of what was found: as much as was asked for, without noise, the named first, the later before the
earlier; and what `floor`, `min_fit` and `precise` take away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cases import each
from tests.patience import WAIT_S
from tests.recall.world import contents, on_disk

from muniment import Memory
from muniment.backends.embedders.choose import choose
from muniment.config import read_environment
from muniment.model.errors import Malformed

KAFKA = "Kafka carries the audit events from checkout to billing"
REDIS = "Redis is used only for session caching"
TOLD = (
    KAFKA,
    REDIS,
    "RabbitMQ carried the audit events before",
    "The billing service sends its events twice a day",
    "Weight on 1 March was 81.4 kg",
    "We deploy on Tuesdays and Thursdays",
    "The dentist found a small cavity",
    "Order 20417 was sent to the wrong address",
    "Weight on 1 June was 78.9 kg",
    "My sister Ines works as a nurse in Porto",
    "I have two children, Tomas and Leonor",
)


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    model = choose("minilm", models=read_environment().models_folder)
    with on_disk(tmp_path_factory.mktemp("notes"), model) as memory:
        for text in TOLD:
            memory.remember(text)
        memory.flush(timeout=WAIT_S)
        yield memory


def test_a_short_question_that_shares_no_word_with_its_answer_is_answered(notes: Memory) -> None:
    assert contents(notes.recall("kids", limit=1)) == ["I have two children, Tomas and Leonor"]


@each("name", ["Kafka", "kafka", "Kafak"])
def test_what_a_question_names_comes_first_and_with_precise_alone(notes: Memory, name: str) -> None:
    asked = f"what audit events does {name.title() if name == 'Kafak' else name} carry?"
    assert contents(notes.recall(asked))[0] == KAFKA
    if name != "kafka":  # nothing says that it is a name
        assert contents(notes.recall(asked, precise=True)) == [KAFKA]


def test_a_number_is_a_name(notes: Memory) -> None:
    assert contents(notes.recall("was order 20417 sent?", precise=True)) == [
        "Order 20417 was sent to the wrong address"
    ]
    assert contents(notes.recall("was order 20418 sent?")) == []
    assert contents(notes.recall("was order 20,417 sent?"))[0] == "Order 20417 was sent to the wrong address"


def test_a_name_that_nobody_speaks_of_makes_an_answer_less_likely(notes: Memory) -> None:
    known = notes.recall("what does Kafka carry?", floor=0.0).searched.fit
    strange = notes.recall("what does Zurbaran carry?", floor=0.0).searched.fit
    assert known is not None
    assert strange is not None
    assert strange < 0.2 < known


def test_of_two_that_answer_the_same_question_the_later_comes_first(notes: Memory) -> None:
    assert contents(notes.recall("how much do I weigh?"))[0] == "Weight on 1 June was 78.9 kg"


def test_min_fit_keeps_back_each_record_that_is_not_likely_enough(notes: Memory) -> None:
    asked = "who works as a nurse and deploys on Tuesdays?"
    assert len(contents(notes.recall(asked, floor=0.0))) > 2
    answer = notes.recall(asked, floor=0.0, min_fit=0.1)
    assert contents(answer) == ["We deploy on Tuesdays and Thursdays", "My sister Ines works as a nurse in Porto"]
    assert answer.excluded["weak"] > 0
    assert notes.explain(answer.receipt_id, replay=True).same_ids


NEAR_MISSES = {
    "The Heron team owns billing": ("who owns billing?", "when was billing founded?"),
    "Priya is on call for checkout until Friday": ("until when is Priya on call?", "who is on call for Cassandra?"),
    "Der Transporter steht hinter der Halle": ("Wo steht der Transporter?", "Was kostet der Kran?"),
    "La facturation est reprise par Yann": ("Qui s'occupe de la facturation ?", "Qui a écrit Les Misérables ?"),
    "山田さんが経理を担当しています": ("経理の担当は誰ですか？", "富士山の高さは？"),
    "Собаку зовут Шарик": ("Как зовут собаку?", "Какая высота Эвереста?"),
}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    model = choose("minilm", models=read_environment().models_folder)
    with on_disk(tmp_path_factory.mktemp("mixed"), model) as memory:
        for text in (*NEAR_MISSES, *TOLD):
            memory.remember(text)
        memory.flush(timeout=WAIT_S)
        yield memory


@pytest.mark.parametrize("fact", NEAR_MISSES)
def test_an_answer_comes_alone_and_where_there_is_none_nothing_comes(mixed: Memory, fact: str) -> None:
    answered, unanswered = NEAR_MISSES[fact]
    assert contents(mixed.recall(answered, limit=5)) == [fact]
    likely, unlikely = (mixed.recall(one, floor=0.0).searched.fit or 0.0 for one in (answered, unanswered))
    assert unlikely < likely / 2


def test_what_asks_for_a_number_is_not_answered_by_a_text_without_one(tmp_path: Path) -> None:
    with on_disk(tmp_path, choose("minilm", models=read_environment().models_folder)) as memory:
        memory.remember("The backup server stands in Roubaix")
        memory.remember("The backup server costs 90 euros a month")
        memory.flush(timeout=WAIT_S)
        assert contents(memory.recall("how much does the backup server cost?")) == [
            "The backup server costs 90 euros a month"
        ]


def test_as_many_as_answer_are_told(tmp_path: Path) -> None:
    fruit = [f"Nora grows {kind} in the garden" for kind in ("apples", "pears", "quinces", "plums", "figs")]
    with on_disk(tmp_path, choose("minilm", models=read_environment().models_folder)) as memory:
        for text in (*fruit, *TOLD):
            memory.remember(text)
        memory.flush(timeout=WAIT_S)
        assert set(contents(memory.recall("what does Nora grow in the garden?", limit=5))) == set(fruit)


def test_what_is_preferred_for_other_reasons_is_noise_all_the_same(tmp_path: Path) -> None:
    """Who asks "my" wrote everything here: that lifts nothing over the cut."""
    with on_disk(tmp_path, choose("minilm", models=read_environment().models_folder)) as memory:
        memory.remember("My shoe size is 43")
        memory.remember("The tide at Dover turns at noon", importance=1.0, confidence=1.0, evidence=["almanac"])
        memory.flush(timeout=WAIT_S)
        assert contents(memory.recall("what is my shoe size?")) == ["My shoe size is 43"]


def test_who_asks_about_the_user_is_told_what_there_is(notes: Memory) -> None:
    answer = notes.recall("Tell me about the user", limit=5)
    assert len(answer.records) == 5
    assert notes.explain(answer.receipt_id, replay=True).same_ids


def test_a_wrong_threshold_is_refused_by_name(notes: Memory) -> None:
    for options in ({"min_fit": 1.5}, {"precise": "yes"}):
        with pytest.raises(Malformed) as caught:
            notes.recall("kids", **options)
        assert caught.value.field in options
