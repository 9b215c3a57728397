"""Counts what a call does, in calls of functions, and stops it when it does too much. No clock is asked."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

T = TypeVar("T")


class TooManySteps(BaseException):
    """The call went on for longer than it may. No `except Exception` stops it."""


class Steps:
    """A count of function calls, Python's own and the library's, with an end."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.taken = 0

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        if event in ("call", "c_call"):
            self.taken += 1
            if self.taken > self.most:
                sys.setprofile(None)
                raise TooManySteps(f"more than {self.most} steps")


def counted(call: Callable[[], T], *, most: int) -> tuple[T, int]:
    """What a call returns, and how many steps it took; raises `TooManySteps` beyond `most`."""
    steps = Steps(most)
    before = sys.getprofile()
    sys.setprofile(steps)
    try:
        result = call()
    finally:
        sys.setprofile(before)
    return result, steps.taken
