"""A tenant whose texts an older release took apart is refused until `muniment migrate` has indexed them anew."""

from __future__ import annotations

import pytest
from tests.postgres.server import connect
from tests.recall.world import contents

from muniment import Memory
from muniment.engine.migrating import Migration
from muniment.engine.place import Database
from muniment.model.errors import SchemaMismatch

TEXTS = ("部署在法兰克福", "김철수는 서울에 산다", "there was a car")


@pytest.fixture
def before(dsn: str) -> str:
    """A database of which the texts are indexed by their longest runs alone, as an older release left them."""
    with Memory.open(dsn) as memory:
        for text in TEXTS:
            memory.remember(text)
    with connect(dsn) as connection:
        connection.execute("DELETE FROM postings WHERE term <> 'car'")
        connection.execute("UPDATE tenant_head SET words = 1, texts = 3, terms = 9")
    return dsn


def test_it_is_refused_with_the_way_out_and_then_indexed_anew(before: str) -> None:
    with pytest.raises(SchemaMismatch) as refused, Memory.open(before) as memory:
        memory.recall("car")
    assert "muniment migrate" in refused.value.hint

    wanted = Migration(place=Database(dsn=before))
    assert [step.title for step in wanted.plan()] == ["words of default"]
    shares: list[tuple[int, int]] = []
    assert wanted.run(share=lambda done, whole: shares.append((done, whole))) == 1
    assert shares == [(0, 3), (3, 3)]
    assert wanted.plan() == ()
    with Memory.open(before) as memory:
        assert contents(memory.recall("部署")) == [TEXTS[0]]
        assert contents(memory.recall("김철수")) == [TEXTS[1]]
        assert memory.ledger.verify().ok


def test_what_an_older_process_may_have_written_meanwhile_is_indexed_once_more_when_the_last_is_gone(
    before: str,
) -> None:
    Migration(place=Database(dsn=before)).run()
    after = Migration(place=Database(dsn=before), phase="post")
    assert [step.title for step in after.plan()] == ["words of default"]
    assert after.run() == 1
    assert after.plan() == ()
