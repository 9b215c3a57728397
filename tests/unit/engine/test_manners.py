"""What a newcomer meets first: a call that lacks something, an answer that is printed, a memory that is closed."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from rich.console import Console
from tests.cases import each

from muniment import AsyncClient, Client, Malformed, Memory, StoreUnavailable, aio
from muniment.engine.audit import LedgerFace

FACES: dict[str, type] = {
    "Memory": Memory,
    "aio.Memory": aio.Memory,
    "Client": Client,
    "AsyncClient": AsyncClient,
    "ledger": LedgerFace,
}
METHODS = [
    pytest.param(method, id=f"{name}.{called}")
    for name, face in FACES.items()
    for called, method in inspect.getmembers(face, inspect.isfunction)
    if not called.startswith("_")
]
WITHOUT = [
    method
    for method in METHODS
    if any(
        one.default is one.empty and one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
        for one in list(inspect.signature(method.values[0]).parameters.values())[1:]  # type: ignore[arg-type]
    )
]
LINES, WIDE = 60, 160


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path, embedder=None) as opened:
        yield opened


@each("method", WITHOUT)
def test_a_call_that_lacks_an_argument_is_malformed_and_names_it(method: Callable[..., object], memory: Memory) -> None:
    with pytest.raises(Malformed) as refused:
        method(memory)
    needed = list(inspect.signature(method).parameters)[1:]
    assert refused.value.field in needed
    assert refused.value.field in refused.value.hint


@each("method", METHODS)
def test_a_word_that_a_method_does_not_know_is_malformed(method: Callable[..., object], memory: Memory) -> None:
    parameters = list(inspect.signature(method).parameters.values())
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        pytest.skip("its fields are checked where they are read")
    with pytest.raises(Malformed) as refused:
        method(memory, nonsense=1)
    assert refused.value.field == "nonsense"


def test_what_is_missing_is_told_before_anything_is_awaited(memory: Memory) -> None:
    with pytest.raises(Malformed) as refused:
        asyncio.run(aio.Memory(memory).review.retract("rec_1"))  # type: ignore[call-arg]
    assert refused.value.field == "reason"


def test_a_mistake_inside_a_method_stays_what_it_is(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise TypeError("inside")

    monkeypatch.setattr("muniment.engine.memory.record_of", broken)
    with pytest.raises(TypeError, match="inside"):
        memory.get("rec_1")


def test_what_is_printed_fits_a_screen_and_hides_nothing(memory: Memory) -> None:
    for number in range(30):
        verdict = memory.remember(f"The build {number} is slow [bold]\u202e " + "because of tests " * 40)
    found = memory.recall("which build is slow?", limit=30)
    console = Console(width=WIDE, record=True, file=None, quiet=True)
    console.print(found)
    for text in (str(found), repr(found), str(verdict), repr(verdict), str(found.records[0]), console.export_text()):
        assert len(text.splitlines()) <= LINES
        assert all(len(line) <= 2 * WIDE for line in text.splitlines())
        assert "\u202e" not in text
    assert found.receipt_id in str(found)
    assert "confidence not stated" in str(found.records[0].record)
    assert len(repr(found.records)) < 30 * WIDE


def test_after_close_the_hint_says_to_open_it_again(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path, embedder=None)
    memory.close()
    for ask in (lambda: memory.recall("x"), lambda: memory.remember("x")):
        with pytest.raises(StoreUnavailable) as refused:
            ask()
        assert "closed" in str(refused.value)
        assert "Open it again" in refused.value.hint


@pytest.mark.parametrize(
    ("options", "nearest"),
    [({"kind": "preferance"}, "preference"), ({"kind": "Fact"}, "fact"), ({"scope": "agent-team"}, "agent_team")],
)
def test_a_wrong_word_names_the_nearest(memory: Memory, options: dict[str, str], nearest: str) -> None:
    with pytest.raises(Malformed) as refused:
        memory.remember("The build is green", **options)  # type: ignore[arg-type]
    assert nearest in refused.value.hint
    assert "preferance" not in refused.value.hint


def test_the_log_stays_in_proportion_to_the_file(memory: Memory, tmp_path: Path) -> None:
    file, log = tmp_path / "default.sqlite", tmp_path / "default.sqlite-wal"
    for number in range(150):
        memory.remember(f"Service {number} listens on port {8000 + number} in region {number % 7}")
        assert log.stat().st_size <= max(2 * 1024 * 1024, 2 * file.stat().st_size)
