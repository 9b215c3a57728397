"""What a memory says it knew at an earlier time is what a replay of its ledger up to that time holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.cases import each
from tests.machine.past import STATES, WORDS, Past, told
from tests.scope import LONG
from tests.support.memory_store.store import MemoryTenant

from muniment.backends.sqlite.store import SqliteVault
from muniment.model.recall import Recall
from muniment.model.times import Instant
from muniment.ports.store import TenantStore

STEPS = 120 if LONG else 40
SEEDS = range(40 if LONG else 2)


@contextmanager
def sqlite() -> Iterator[TenantStore]:
    with TemporaryDirectory() as folder:
        vault = SqliteVault(Path(folder))
        try:
            yield vault.open("default", create=True)
        finally:
            vault.close()


def agrees(store: TenantStore, seed: int, *, steps: int = STEPS) -> None:
    """Hold every way of reading the past against the replay."""
    past = Past(store, seed, steps=steps)
    for instant in past.moments(3):
        oracle, position = past.known(instant)
        if position == 0:
            assert list(past.memory.insight.browse(known_at=instant, statuses=STATES)) == []
            continue
        for actor in ("owner", "bot"):
            now, then = past.memory.as_actor(actor), oracle.as_actor(actor)
            for statuses in (None, STATES, ["retracted", "superseded"]):
                listed = [told(one) for one in now.insight.browse(known_at=instant, statuses=statuses)]
                assert listed == [told(one) for one in then.insight.browse(statuses=statuses)], (
                    instant,
                    actor,
                    statuses,
                )
            half = position // 2
            assert [told(one) for one in now.insight.browse(known_at=instant, changed_after=half, statuses=STATES)] == [
                told(one) for one in then.insight.browse(changed_after=half, statuses=STATES)
            ]
            valid = Instant(instant - 10 * 3_600_000_000)
            assert [told(one) for one in now.insight.browse(known_at=instant, valid_at=valid)] == [
                told(one) for one in then.insight.browse(valid_at=valid)
            ]
            for word in WORDS:
                found = now.recall(word, known_at=instant, limit=200, floor=0.0)
                expected = then.recall(word, limit=200, floor=0.0)
                assert matching(found, word) == matching(expected, word), (instant, actor, word)
                assert past.memory.explain(found.receipt_id, replay=True).same_ids
            briefed = now.attune(task=WORDS[0], known_at=instant, limit=200, count=True, since=position // 3)
            asked = then.attune(task=WORDS[0], limit=200, count=True, since=position // 3)
            assert {one.record.id: told(one) for one in briefed.records} == {
                one.record.id: told(one) for one in asked.records
            }
            assert briefed.excluded == asked.excluded


def matching(found: Recall, word: str) -> dict[str, tuple[object, ...]]:
    """What holds a word itself. What stands beside it comes by the links and sessions of today."""
    return {one.record.id: (*told(one), sorted(one.conflicts)) for one in found.records if word in one.record.content}


@each("seed", SEEDS)
def test_the_past_is_what_a_replay_holds_in_memory(seed: int) -> None:
    agrees(MemoryTenant("default"), seed)


@each("seed", SEEDS)
def test_the_past_is_what_a_replay_holds_on_sqlite(seed: int) -> None:
    with sqlite() as store:
        agrees(store, seed)
