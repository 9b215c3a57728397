"""Words of every script are found: whole and in part, inflected, with what their writing joins to them, and quoted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cases import each
from tests.patience import WAIT_S
from tests.recall.world import Toy, contents

from muniment import Memory

ABOUT: dict[str, str] = {
    "zh": "我们每周五在法兰克福部署新版本，失败时watchdog会重启。",
    "ja": "バックアップは東京のサーバーに保存される",
    "th": "ระบบสำรองข้อมูลทุกคืน",
    "ko": "김철수는 서울 본사에서 일한다",
    "ar": "نقل الفريق الخادم إلى المكتبة في دبي",
    "he": "הצוות עבר לירושלים בחודש שעבר",
    "hi": "राजेश ने किताब दिल्ली भेजी",
    "ru": "Иванова перенесла базы данных в Казань",
    "el": "Ο Γιώργος έστειλε τα τιμολόγια στην Αθήνα",
    "de": "Die Häuser von Jürgen Müller sind in München",
    "fr": "Les réunions des développeurs sont le mercredi à Besançon",
    "es": "Las facturas de mayo se pagaron en Málaga",
    "tr": "Toplantılar İzmir'de yapılıyor ve Işık geliyor",
    "vi": "Nguyễn Văn An sống ở Đà Nẵng",
    "code": "parseConfigFile in src/core/load_table.py needs v2.3.1; ask ana.ruiz@example.org",
    "en": "The nightly builds are running in the blue room",
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Memory.open(tmp_path_factory.mktemp("scripts") / "vault", embedder=None) as made:
        for text in ABOUT.values():
            made.remember(text)
        yield made


@each(
    ("which", "questions"),
    [
        ("zh", ["部署", "法兰克福", "watchdog", "什么时候部署新版本？", '"部署新版本"', "福"]),
        ("ja", ["東京", "サーバー", "バックアップはどこですか", '"東京のサーバー"', "保存"]),
        ("th", ["สำรอง", "ข้อมูล", "สำรองข้อมูลเมื่อไหร่", '"สำรองข้อมูล"']),
        ("ko", ["김철수", "김철수가 어디에서 일해?", "본사는", '"서울 본사"']),
        ("ar", ["مكتبة", "الخادم", "والفريق", '"نقل الفريق"']),
        ("he", ["ירושלים", "צוות", '"הצוות עבר"']),
        ("hi", ["किताब", "दिल्ली", '"किताब दिल्ली"']),
        ("ru", ["Иванов", "базу", "казани", '"базы данных"']),
        ("el", ["Γιώργου", "τιμολογίων", "ΑΘΗΝΑ", '"στην Αθήνα"']),
        ("de", ["Haus", "Mueller", "muller", "Münchens", "Wo ist das Haus von Juergen?", '"Jürgen Müller"']),
        ("fr", ["réunion", "reunions", "Quand est la réunion ?", "besancon", '"le mercredi"']),
        ("es", ["factura", "¿Cuándo se pagó la factura?", "malaga", '"facturas de mayo"']),
        ("tr", ["izmir", "toplantı", "ışık", "IŞIK"]),
        ("vi", ["Nguyen", "đà nẵng", "Da Nang", '"Nguyễn Văn An"']),
        ("code", ["config", "parseconfigfile", "load", "table", "core", "2.3.1", "ruiz", "example.org", "v2.3.1"]),
        ("en", ["build", "run", "nightly build", '"blue room"']),
    ],
)
def test_a_text_is_found_by_its_words_in_each_script(memory: Memory, which: str, questions: list[str]) -> None:
    missed = [text for text in questions if ABOUT[which] not in contents(memory.recall(text, floor=0.0))]
    assert missed == []


@each(
    "question",
    [
        "北京",
        "大阪",
        "เชียงใหม่",
        "이영희",
        "القاهرة",
        "חיפה",
        "मुंबई",
        "Петров",
        "Πάτρα",
        "Straße",
        "bleu",
        '"新部署"',
        '"서울 부산"',
    ],
)
def test_what_nobody_said_is_not_found(memory: Memory, question: str) -> None:
    assert contents(memory.recall(question, floor=0.0)) == []


def test_what_is_in_english_is_searched_as_if_there_were_nothing_else(memory: Memory, vault: Path) -> None:
    """Stems of other languages are never taken for words of English: `builder` is no form of `build`."""
    assert contents(memory.recall("builder", floor=0.0)) == []
    assert contents(memory.recall("blu", floor=0.0)) == []


def test_a_text_is_written_again_only_once_in_a_script_without_spaces(memory: Memory) -> None:
    same = memory.remember(ABOUT["zh"])
    assert same.record_id is None or len(contents(memory.recall("法兰克福", floor=0.0))) == 1


class Monoglot(Toy):
    """A model to which every text of another script is the same."""

    def reads(self, text: str) -> bool:
        return text.isascii()


def test_a_vector_of_a_text_that_the_model_cannot_read_is_not_trusted(vault: Path) -> None:
    with Memory.open(vault, embedder=Monoglot()) as memory:
        for text in ("部署在法兰克福", "there was a car"):
            memory.remember(text)
        memory.flush(timeout=WAIT_S)
        foreign = memory.recall("部署")
        assert contents(foreign) == ["部署在法兰克福"]
        assert foreign.searched.model is None
        assert foreign.searched.why == "the model cannot read the script of the question: it is sought by words alone"
        assert contents(memory.recall("东京")) == []
        known = memory.recall("vehicle")
        assert (contents(known), known.searched.model) == (["there was a car"], Toy().model)
