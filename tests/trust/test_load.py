"""Under load: writers that race make one successor, and readers and writers together neither fail nor stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest
from tests.patience import WAIT_S
from tests.trust.world import footing, kept, open_vault, sentence, standing, told, word

from muniment import Memory
from muniment.model.curation import Verdict
from muniment.model.errors import MunimentError, Stale
from muniment.model.status import CURRENT, Status

READERS, WRITERS = 64, 4
SECONDS = 4.0


def run(jobs: Sequence[Callable[[], None]]) -> None:
    """Run all at once and wait for all, within bounds."""
    threads = [threading.Thread(target=job, daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=WAIT_S)
    assert not any(thread.is_alive() for thread in threads), "somebody waits for ever"


def race(memories: list[Memory], attempt: Callable[[int, Memory], Verdict]) -> list[Verdict | MunimentError]:
    start = threading.Barrier(len(memories))
    results: list[Verdict | MunimentError] = []

    def job(number: int, memory: Memory) -> None:
        start.wait(timeout=WAIT_S)
        try:
            results.append(attempt(number, memory))
        except MunimentError as error:
            results.append(error)

    run([partial(job, number, memory) for number, memory in enumerate(memories)])
    return results


def _supersede(old: str, number: int, memory: Memory) -> Verdict:
    return memory.remember(sentence(100 + number), supersedes=old)


def _revise(name: str, turn: int, number: int, memory: Memory) -> Verdict:
    return memory.revise(name, sentence(10 * turn + number), expected_revision=turn)


def one_won(results: list[Verdict | MunimentError], count: int) -> Verdict:
    done = [result for result in results if isinstance(result, Verdict)]
    assert len(results) == count
    assert len(done) == 1
    assert {type(result) for result in results if not isinstance(result, Verdict)} == {Stale}
    return done[0]


def test_of_eight_that_supersede_one_record_at_once_one_does(vault: Path) -> None:
    memories = [open_vault(vault) for _ in range(8)]
    old = kept(memories[0].remember(sentence(0), confidence=0.9))
    child = kept(memories[0].remember(sentence(1), confidence=0.9, derived_from=[old]))
    for turn in range(5):
        results = race(memories, partial(_supersede, old))
        won = kept(one_won(results, 8))
        first = memories[0]
        assert (standing(first, old).status, standing(first, old).successor) == (Status.SUPERSEDED, won)
        assert told(first.recall(sentence(0))).count(old) == 0
        assert first.history(old).replaced_by == (won,)
        assert footing(first, child).support == "flagged"
        old = won
        for number in range(8):
            first.revise(old, sentence(200 + 10 * turn + number))
    assert memories[0].ledger.verify().ok
    assert memories[0].insight.stats().current == 2
    for memory in memories:
        memory.close()


def test_of_eight_that_revise_one_revision_at_once_one_does(vault: Path) -> None:
    memories = [open_vault(vault) for _ in range(8)]
    name = kept(memories[0].remember(sentence(0)))
    for turn in range(1, 6):
        results = race(memories, partial(_revise, name, turn))
        assert one_won(results, 8).revision == turn + 1
        states = [view.standing.status for view in memories[0].history(name).revisions]
        assert [state in CURRENT for state in states] == [False] * turn + [True]
    assert memories[0].ledger.verify().ok
    for memory in memories:
        memory.close()


def test_two_that_would_close_a_circle_at_once_do_not(vault: Path) -> None:
    memories = [open_vault(vault) for _ in range(2)]
    for turn in range(6):
        first, second = (kept(memories[0].remember(sentence(10 * turn + at))) for at in (0, 1))
        pairs = ((first, second), (second, first))

        def stand(number: int, memory: Memory, pairs: tuple[tuple[str, str], ...] = pairs, turn: int = turn) -> Verdict:
            mine, other = pairs[number]
            return memory.revise(mine, sentence(10 * turn + 5 + number), derived_from=[other])

        results = race(memories, stand)
        rules = sorted(result.rule for result in results if isinstance(result, Verdict))
        assert rules == ["cycle", "owner-commits"]
        assert len(memories[0].insight.lineage(first).edges) == 1
    assert memories[0].ledger.verify().ok
    for memory in memories:
        memory.close()


def test_threads_of_one_memory_race_like_programs(team: Memory) -> None:
    old = kept(team.remember(sentence(0)))
    views = [team.as_actor(f"agent{number}") for number in range(8)]
    results = race(views, partial(_supersede, old))
    won = kept(one_won(results, 8))
    assert standing(team, old).successor == won
    assert team.insight.stats().current == 1


@pytest.mark.slow
def test_sixty_four_readers_and_four_writers_neither_fail_nor_stop(vault: Path) -> None:
    """Two programs' worth of connections; half of the readers ask, half look."""
    memories = [open_vault(vault) for _ in range(2)]
    roots = [kept(memories[0].remember(f"alpha {word(at)}", confidence=0.9)) for at in range(8)]
    end = time.monotonic() + SECONDS
    failures: list[BaseException] = []
    answered: list[int] = []
    written: list[str] = []

    def reader(number: int) -> None:
        memory, count = memories[number % 2].as_actor(f"reader{number}"), 0
        try:
            while count == 0 or time.monotonic() < end:  # a loaded machine may let one begin late
                if number % 4 < 2:
                    assert memory.recall("alpha", limit=5).records
                else:
                    assert memory.insight.lineage(roots[number % 8]).nodes
                    assert memory.get(roots[number % 8]).record.revision >= 1
                count += 1
            answered.append(count)
        except (MunimentError, AssertionError) as error:
            failures.append(error)

    def writer(number: int) -> None:
        memory, count = memories[number % 2], 0
        try:
            while count < 2 or time.monotonic() < end:  # a loaded machine may let one begin late
                name = kept(memory.remember(sentence(1_000 * (number + 1) + count), derived_from=[roots[number]]))
                written.append(name)
                memory.review.outcome(roots[number], "helpful", weight=0.01)
                if count % 5 == 4:
                    memory.revise(name, sentence(1_000 * (number + 5) + count))
                    memory.review.retract(name, reason="wrong")
                count += 1
        except (MunimentError, AssertionError) as error:
            failures.append(error)

    run([partial(reader, number) for number in range(READERS)] + [partial(writer, number) for number in range(WRITERS)])
    assert failures == []
    assert len(answered) == READERS
    assert min(answered) > 0
    assert len(written) > WRITERS
    verified = memories[0].ledger.verify()
    assert (verified.ok, verified.findings) == (True, ())
    assert memories[0].ledger.replay().identical
    for memory in memories:
        memory.close()
