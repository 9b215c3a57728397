"""Denied calls: every one is in the ledger, a flood as a sum, and only auditors read them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from tests.patience import WAIT_S

from muniment import Memory
from muniment.model.errors import NotPermitted, StoreBusy
from muniment.model.times import Instant
from muniment.surfaces.reception import denials
from muniment.surfaces.reception.denials import (
    KEPT_MAX,
    SUMS_MAX,
    Denial,
    DenialLog,
    denied_calls,
    note,
)

NOON = Instant(1_780_000_000_000_000)
NEVER_S = 3_600.0


def denial(number: int = 0, *, what: str = "GET /api", peer: str = "192.0.2.1") -> Denial:
    at = Instant(NOON + number)
    return Denial(what=what, code="unauthenticated", peer=peer, first=at, last=at)


def eventually(seen: Callable[[], bool]) -> bool:
    """Wait, within a bound, until something is seen."""
    deadline, pause = time.monotonic() + WAIT_S, threading.Event()
    while not seen() and time.monotonic() < deadline:
        pause.wait(0.005)
    return seen()


def test_a_single_denial_is_in_the_ledger_without_waiting_for_others(memory: Memory) -> None:
    kept = DenialLog(lambda _: memory)
    kept.add("default", denial())
    assert eventually(lambda: denied_calls(memory) == (denial(),))
    kept.close()
    assert memory.ledger.verify().ok


def test_a_flood_is_written_as_sums_and_nothing_is_left_out(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within one stretch of time, however long a busy machine takes for it."""
    monkeypatch.setattr(denials, "SUM_EVERY_S", NEVER_S)
    before = memory.ledger.head().seq
    kept = DenialLog(lambda _: memory)
    for number in range(1_000):
        kept.add("default", denial(number, what=("GET /api", "POST /v1")[number % 2]))
    kept.close()
    found = denied_calls(memory)
    assert sum(one.count for one in found) == 1_000
    assert {one.what for one in found} == {"GET /api", "POST /v1"}
    assert (min(one.first for one in found), max(one.last for one in found)) == (NOON, NOON + 999)
    assert memory.ledger.head().seq - before <= 2


def test_a_flood_from_many_places_stays_small_and_keeps_its_number(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(denials, "SUM_EVERY_S", NEVER_S)
    kept = DenialLog(lambda _: memory)
    kept.add("default", denial())
    for number in range(5 * SUMS_MAX):
        kept.add("default", denial(number, peer=f"2001:db8::{number:x}"))
    kept.close()
    found = denied_calls(memory)
    assert sum(one.count for one in found) == 5 * SUMS_MAX + 1
    assert len(found) <= 2 * SUMS_MAX + 2
    assert "many" in {one.peer for one in found}


def test_what_the_store_does_not_take_now_is_written_later(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(denials, "SUM_EVERY_S", 0.01)
    refusals = [StoreBusy("not now"), StoreBusy("not now")]

    def reluctant(_: str) -> Memory:
        if refusals:
            raise refusals.pop()
        return memory

    kept = DenialLog(reluctant)
    kept.add("default", denial())
    assert eventually(lambda: denied_calls(memory) == (denial(),))
    kept.close()


def test_a_name_that_looks_like_a_secret_is_withheld_and_the_denial_is_kept(memory: Memory) -> None:
    kept = DenialLog(lambda _: memory)
    kept.add("default", msgspec.structs.replace(denial(), who="AKIAIOSFODNN7EXAMPLE"))
    kept.close()
    assert [(one.who, one.what, one.code) for one in denied_calls(memory)] == [(None, "withheld", "unauthenticated")]


def test_the_list_keeps_the_newest_and_the_ledger_keeps_all(memory: Memory) -> None:
    many = [denial(number) for number in range(KEPT_MAX)]
    note(memory, many)
    note(memory, [denial(KEPT_MAX), denial(KEPT_MAX + 1)])
    found = denied_calls(memory)
    assert len(found) == KEPT_MAX
    assert (found[0].first, found[-1].first) == (NOON + 2, NOON + KEPT_MAX + 1)


def test_only_those_who_may_audit_read_denied_calls(memory: Memory) -> None:
    note(memory, [denial()])
    with pytest.raises(NotPermitted):
        denied_calls(memory.as_actor("planner"))


def test_denied_calls_survive_a_restart_and_a_replay(vault: Path) -> None:
    with Memory.open(vault) as memory:
        note(memory, [denial(7)])
    with Memory.open(vault) as memory:
        assert memory.ledger.replay().identical
        assert denied_calls(memory) == (denial(7),)
