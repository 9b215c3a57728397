"""Whom an erasure means is found by the letters of a name in every script, and afterwards no byte of it is left."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from tests.unit.engine.erasing import kept

from muniment import Memory
from muniment.model.erasure import Certainty, ErasureOutcome
from muniment.model.errors import NotFound

NAMES: dict[str, tuple[str, list[str], list[str]]] = {
    "Chinese": ("王伟", ["王伟住在北京。", "会议由王伟主持"], ["王先生来了"]),
    "Japanese": ("山田太郎", ["山田太郎さんは東京に住んでいます", "担当は山田 太郎です"], ["山田さんが来た"]),
    "Katakana": ("アン", ["アンは東京にいる", "担当：アン"], []),
    "Korean": ("김철수", ["김철수는 서울에 산다", "담당자는 김철수입니다", "김철수에게서 받았다"], ["박철민이 왔다"]),
    "Thai": ("สมชาย", ["สมชายอาศัยอยู่ที่กรุงเทพ", "ผู้จัดการคือสมชาย"], ["สมศรีมาแล้ว"]),
    "Arabic": ("محمد العلي", ["يعيش محمد العلي في دبي", "اجتمعنا ومحمد العلي أمس", "مُحَمَّد العلي"], ["جاء سعيد"]),
    "Hebrew": ("דוד כהן", ["דוד כהן גר בתל אביב", "נמסר לדוד כהן"], ["משה הגיע"]),
    "Hindi": ("राजेश कुमार", ["राजेश कुमार दिल्ली में रहते हैं", "यह राजेश कुमार का फ़ोन है"], ["सीता आई"]),
    "Russian": ("Иванов", ["Иванов живёт в Москве", "Адрес Иванова изменился", "Говорили с Ивановым"], ["Петров ушёл"]),
    "Russian, two words": ("Мария Соколова", ["Письмо Марии Соколовой", "Видели Марию Соколову"], ["Анна пришла"]),
    "Greek": ("Γιώργος Νικολάου", ["Ο Γιώργος Νικολάου εδώ", "Το σπίτι του Γιώργου Νικολάου"], ["Η Μαρία ήρθε"]),
    "Turkish": ("Işık Yılmaz", ["Işık Yılmaz", "IŞIK YILMAZ'ın telefonu", "ev Işık Yılmazın"], ["Ayşe geldi"]),
    "German": ("Jürgen Groß", ["Jürgen Groß wohnt hier", "Jürgen Gross' Adresse", "Herr Juergen Groß"], ["Petra kam"]),
    "German genitive": ("Müller", ["Das ist Müllers Adresse und die ist neu"], ["Petra kam an"]),
    "Vietnamese": ("Nguyễn Văn An", ["Nguyễn Văn An sống ở Hà Nội", "Anh Nguyễn Văn An gọi"], ["Trần Bình đến"]),
}  # fmt: skip


def bytes_left(folder: Path, text: str) -> list[tuple[str, bytes]]:
    """Where the bytes of a text still are, composed or not, in either case, as they are or as JSON writes them."""
    forms = {unicodedata.normalize(kind, one) for kind in ("NFC", "NFD") for one in (text, text.lower(), text.upper())}
    spelled = {form.encode(code) for form in forms for code in ("utf-8", "utf-16-le", "utf-16-be")}
    spelled |= {json.dumps(form)[1:-1].encode() for form in forms}
    held = {file.name: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    return [(name, form) for name, body in held.items() for form in spelled if form in body]


@pytest.mark.parametrize("language", NAMES)
def test_a_name_is_found_in_all_its_forms_and_no_byte_of_it_is_left(vault: Path, language: str) -> None:
    name, texts, others = NAMES[language]
    with Memory.open(vault, embedder=None) as memory:
        meant = {kept(memory, text) for text in texts} | {kept(memory, unicodedata.normalize("NFD", f"{texts[0]} 2"))}
        stay = {kept(memory, text) for text in others}
        memory.recall(name)
        plan = memory.forget(subject=name, reason="asked", dry_run=True).plan
        assert bytes_left(vault, name) != []
        assert {(node.id, node.fate, node.certainty) for node in plan.nodes} == {
            (one, ErasureOutcome.ERASED, Certainty.CERTAIN) for one in meant
        }
        memory.forget(subject=name, reason="asked")
        assert all(memory.get(one) is not None for one in stay)
        assert memory.ledger.verify().ok
    assert bytes_left(vault, name) == []


PROBABLE: list[tuple[str, str]] = [
    ("김철수", "김철수네집에서 만났다"),
    ("Иванов", "Ивановна пришла"),
    ("アン", "アンケートの結果"),
    ("José Pérez", "Jose Perez called again"),
    ("Nguyễn Văn An", "Nguyen Van An called"),
    ("Ruiz", "mail ruizana about it"),
    ("Müller", "the Muller account"),
    ("王", "王伟住在北京"),
]


@pytest.mark.parametrize(("name", "text"), PROBABLE)
def test_what_is_only_probable_is_listed_stays_and_goes_when_that_is_said(vault: Path, name: str, text: str) -> None:
    with Memory.open(vault, embedder=None) as memory:
        record = kept(memory, text)
        plan = memory.forget(subject=name, reason="asked", dry_run=True).plan
        assert [(node.id, node.fate, node.certainty) for node in plan.nodes] == [
            (record, ErasureOutcome.KEPT, Certainty.PROBABLE)
        ]
        with pytest.raises(NotFound) as refused:
            memory.forget(subject=name, reason="asked")
        assert "include_probable" in refused.value.hint
        assert memory.get(record) is not None

        wide = memory.forget(subject=name, reason="asked", include_probable=True, dry_run=True).plan
        assert [(node.id, node.fate, node.certainty) for node in wide.nodes] == [
            (record, ErasureOutcome.ERASED, Certainty.PROBABLE)
        ]
        done = memory.forget(subject=name, reason="asked", include_probable=True, expected=wide.digest)
        assert done.certificate is not None
        assert memory.ledger.verify().ok
    assert bytes_left(vault, text) == []


def test_a_name_is_not_transliterated(vault: Path) -> None:
    with Memory.open(vault, embedder=None) as memory:
        kept(memory, "Ivanov lives in Moscow")
        kept(memory, "Wang Wei lives in Beijing")
        for name in ("Иванов", "王伟"):
            assert memory.forget(subject=name, reason="asked", dry_run=True).plan.nodes == ()


def test_nothing_is_said_to_be_there_only_when_the_letters_are_nowhere(vault: Path) -> None:
    """In a field that no index has, in a JSON escape, and in what waits for a reviewer."""
    with Memory.open(vault, embedder=None) as memory:
        record = kept(memory, "the form is signed", evidence=("seen by 山田太郎",))
        plan = memory.forget(subject="山田太郎", reason="asked", dry_run=True).plan
        assert [(node.id, node.certainty) for node in plan.nodes] == [(record, Certainty.CERTAIN)]
        assert memory.forget(subject="山本太郎", reason="asked", dry_run=True).plan.nodes == ()


def test_what_waits_for_a_reviewer_is_looked_through_as_well(vault: Path) -> None:
    """What certainly is meant goes with the rest; what only may be is counted, and goes when that is said."""
    with Memory.open(vault, embedder=None) as memory:
        planner = memory.as_actor("planner")
        for text in ("Говорили с Ивановым о складе", "Ивановна отвечает за склад"):
            assert planner.remember(text, kind="decision").outcome == "held"
        plan = memory.forget(subject="Иванов", reason="asked", dry_run=True).plan
        assert (plan.nodes, plan.traces.proposals, plan.traces.probable) == ((), 1, 1)
        memory.forget(subject="Иванов", reason="asked")
        assert [one.proposal.claim.content for one in memory.review.queue()] == ["Ивановна отвечает за склад"]
        memory.forget(subject="Иванов", reason="asked", include_probable=True)
        assert memory.review.queue() == ()
    assert bytes_left(vault, "Иванов") == []
