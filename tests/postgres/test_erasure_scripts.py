"""In a database too a name is found in all its forms, and no term of it is left in the word index."""

from __future__ import annotations

import pytest
from tests.postgres.test_moving import words_at
from tests.unit.engine.erasing import kept

from muniment import Memory
from muniment.model.erasure import Certainty, ErasureOutcome


@pytest.mark.parametrize(
    ("name", "texts", "left"),
    [
        ("王伟", ("王伟住在北京", "会议由王伟主持"), ("王伟",)),
        ("김철수", ("김철수는 서울에 산다", "담당자는 김철수입니다"), ("김철수",)),
        ("Иванов", ("Адрес Иванова изменился", "Говорили с Ивановым"), ("иванов", "Иванов")),
        ("Jürgen Müller", ("Jürgen Müllers Adresse ist neu", "Herr Juergen Mueller rief an"), ("müller", "mueller")),
    ],
)
def test_no_word_of_a_name_is_left(dsn: str, name: str, texts: tuple[str, ...], left: tuple[str, ...]) -> None:
    with Memory.open(dsn, embedder=None) as memory:
        meant = {kept(memory, text) for text in texts}
        memory.recall(name)
        assert any(word in words_at(dsn) for word in left), "the search finds what is there"
        plan = memory.forget(subject=name, reason="asked", dry_run=True).plan
        assert {(node.id, node.fate, node.certainty) for node in plan.nodes} == {
            (one, ErasureOutcome.ERASED, Certainty.CERTAIN) for one in meant
        }
        memory.forget(subject=name, reason="asked")
        assert memory.ledger.verify().ok
    assert [word for word in left if word in words_at(dsn)] == []
