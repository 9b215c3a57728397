"""KeyboardInterrupt at a chosen instruction of a call, the same one at each replay.

CPython looks for signals after a call of something written in C returns, where a Python function begins, and at the
end of a loop's turn. Those instructions are the places where Ctrl-C can strike; `places` lists the ones a call passes,
and `interrupted` raises at one of them. Nothing strikes between other instructions: raising there would prove nothing.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

SOURCE = "muniment"
_LIBRARY = ("contextlib.py", "threading.py")
_LOOKS_BEFORE = "JUMP_BACKWARD"
_LOOKS_AFTER = {"CALL", "CALL_FUNCTION_EX", "CALL_KW"}


class Place(NamedTuple):
    """An instruction where an interrupt can strike, in which pass of the call."""

    file: str
    function: str
    line: int
    offset: int
    after: bool
    passing: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line} in {self.function}, instruction {self.offset}, pass {self.passing}"


Strike = Callable[[Place], bool]


class _Tracer:
    """Follows the instructions of the calling thread, and asks `strike` at each place."""

    def __init__(self, strike: Strike, passes_kept: int) -> None:
        self._strike = strike
        self._passes_kept = passes_kept
        self._passes: dict[tuple[CodeType, int, bool], int] = {}
        self._names: dict[CodeType, dict[int, str]] = {}
        self._before: dict[int, tuple[int, str] | None] = {}

    def enter(self, frame: FrameType, event: str, argument: object) -> Any:
        caller = frame.f_back
        if caller is not None:
            self._before[id(caller)] = None  # a Python function was called: no look for signals when it returns
        if event != "call" or not _ours(frame.f_code.co_filename):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        self._before[id(frame)] = None
        self._look(frame, -1, after=False)
        return self.step

    def step(self, frame: FrameType, event: str, argument: object) -> Any:
        if event == "return":
            self._before.pop(id(frame), None)
        if event != "opcode":
            return self.step
        code, at = frame.f_code, frame.f_lasti
        names = self._names.get(code) or self._names.setdefault(
            code, {one.offset: one.opname for one in dis.get_instructions(code)}
        )
        name, before = names.get(at, ""), self._before.get(id(frame))
        if before is not None and before[1] in _LOOKS_AFTER:
            self._look(frame, before[0], after=True)
        if _LOOKS_BEFORE in name and "NO_INTERRUPT" not in name:
            self._look(frame, at, after=False)
        self._before[id(frame)] = (at, name)
        return self.step

    def _look(self, frame: FrameType, at: int, *, after: bool) -> None:
        key = (frame.f_code, at, after)
        passing = self._passes[key] = self._passes.get(key, 0) + 1
        if passing > self._passes_kept:
            return
        file = Path(frame.f_code.co_filename)
        place = Place(file.name, frame.f_code.co_qualname, frame.f_lineno or 0, at, after, passing)
        if self._strike(place):
            sys.settrace(None)
            raise KeyboardInterrupt(str(place))


def _ours(file: str) -> bool:
    return f"/{SOURCE}/" in file or file.endswith(_LIBRARY)


@contextmanager
def _traced(strike: Strike, passes: int) -> Iterator[None]:
    tracer, before = _Tracer(strike, passes), sys.gettrace()
    sys.settrace(tracer.enter)
    try:
        yield
    finally:
        sys.settrace(before)


def places(call: Callable[[], object], *, passes: int = 2) -> list[Place]:
    """Where a call could be interrupted, in the order it gets there; of a loop only the first passes."""
    found: list[Place] = []

    def strike(place: Place) -> bool:
        found.append(place)
        return False

    with _traced(strike, passes):
        call()
    return found


def interrupted(call: Callable[[], object], chosen: Place, *, passes: int = 2) -> bool:
    """Make a call and interrupt it at a place. False when it did not get there. Python drops what is raised while
    an object is let go, so the call may return."""
    struck = False

    def strike(place: Place) -> bool:
        nonlocal struck
        struck = place[:2] + place[3:] == chosen[:2] + chosen[3:]
        return struck

    try:
        with _traced(strike, passes):
            call()
    except KeyboardInterrupt:
        assert struck, "interrupted by somebody else"
    return struck
