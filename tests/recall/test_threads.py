"""Many readers, some writers and the making of vectors at once: nobody fails, nothing is lost, and it ends."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from tests.patience import WAIT_S
from tests.recall.world import Toy, on_disk

from muniment import Memory
from muniment.model.errors import MunimentError

READERS, WRITERS, NOTES, LOOKS = 8, 2, 12, 6
QUESTIONS = ("vehicle", "note", "Maria Lopez", "doctor note", '"note" 3')


def read(memory: Memory, number: int) -> None:
    """Ask, attune, look up and explain, over and over."""
    for look in range(LOOKS):
        answer = memory.recall(QUESTIONS[(number + look) % len(QUESTIONS)], floor=0.0)
        assert memory.explain(answer.receipt_id).same_ids
        memory.attune(task="vehicle", since=look)
        assert memory.insight.entity("Maria Lopez").entity == "maria lopez"


def write(memory: Memory, number: int) -> None:
    """Remember, revise and name, over and over."""
    for note in range(NOTES):
        verdict = memory.remember(f"note {note} of writer{number}: the car of Maria Lopez", session_id=f"s{number}")
        assert verdict.record_id is not None
        if note % 4 == 1:
            memory.revise(verdict.record_id, f"note {note} of writer{number}: a physician for Maria Lopez")
        if note % 6 == 2:
            memory.review.alias(f"writer{number}", f"author{note}")


def run_all(jobs: list[Callable[[], None]]) -> list[BaseException]:
    """Run jobs side by side, in bounded time, and return what they raised."""
    raised: list[BaseException] = []

    def guarded(job: Callable[[], None]) -> None:
        try:
            job()
        except (MunimentError, AssertionError, ValueError, LookupError, TypeError) as error:
            raised.append(error)

    threads = [threading.Thread(target=guarded, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    assert not [thread for thread in threads if thread.is_alive()], "somebody hangs"
    return raised


def test_readers_writers_and_the_trail_go_side_by_side(tmp_path: Path) -> None:
    with on_disk(tmp_path, Toy()) as memory:
        memory.remember("the first car of Maria Lopez")
        jobs: list[Callable[[], None]] = [lambda n=n: read(memory, n) for n in range(READERS)]  # type: ignore[misc]
        jobs += [lambda n=n: write(memory, n) for n in range(WRITERS)]  # type: ignore[misc]
        assert run_all(jobs) == []
        memory.flush(timeout=WAIT_S)
        assert memory.insight.searching().trailing == 0
        assert memory.ledger.verify().findings == ()
        assert_each_has_its_vector_once(memory)


def test_many_may_flush_at_once_while_others_write(tmp_path: Path) -> None:
    """Whoever flushes makes vectors too; nobody may take the right to do so from somebody who is at it."""
    with on_disk(tmp_path, Toy()) as memory:

        def flush() -> None:
            for _ in range(LOOKS):
                memory.flush(timeout=WAIT_S)

        def note(number: int) -> None:
            for spot in range(NOTES):
                memory.remember(f"remark {spot} of {number}")
                memory.flush(timeout=WAIT_S)

        jobs: list[Callable[[], None]] = [flush, flush, lambda: note(1), lambda: note(2)]
        assert run_all(jobs) == []
        assert memory.flush(timeout=WAIT_S).upto == memory.ledger.head().seq
        assert_each_has_its_vector_once(memory)


def assert_each_has_its_vector_once(memory: Memory) -> None:
    store = memory._session.tenant.store
    with store.read() as snapshot:
        born = [card.rid for card in snapshot.catalogue.all()]
    assert [row.rid for row in store.vectors.rows(2**62)] == born
