"""Run the assertions over a stage, one after another, and tell what came of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import msgspec

from akashik_conformance.bench import Bench
from akashik_conformance.binding import SetupError, Shut, Stage, Unobservable
from akashik_conformance.registry import Assertion, assertions

COUNTED = (
    *(AssertionError, Shut, SetupError, msgspec.MsgspecError, OSError),
    *(LookupError, ValueError, TypeError, AttributeError, RuntimeError),
)
"""What counts against an assertion: that it does not hold, or that what it needs goes wrong or answers nonsense."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one assertion; `reason` says why it failed, and is None if it passed."""

    id: str
    theme: str
    says: str
    reason: str | None
    seconds: float

    @property
    def passed(self) -> bool:
        return self.reason is None


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What came of all of them."""

    outcomes: tuple[Outcome, ...]

    @property
    def passed(self) -> int:
        return sum(one.passed for one in self.outcomes)

    @property
    def total(self) -> int:
        return len(self.outcomes)

    @property
    def failed(self) -> tuple[str, ...]:
        return tuple(one.id for one in self.outcomes if not one.passed)


def chosen(level: int, only: Sequence[str] = ()) -> tuple[Assertion, ...]:
    """The assertions that count on a level, or of those the named ones."""
    return tuple(one for one in assertions() if one.level <= level and (not only or one.id in only))


def run(
    stage: Stage,
    *,
    level: int = 3,
    only: Sequence[str] = (),
    told: Callable[[Outcome], None] = lambda _: None,
) -> Report:
    """Try each assertion and tell of it at once."""
    outcomes = []
    for one in chosen(level, only):
        outcome = tried(one, stage, level)
        told(outcome)
        outcomes.append(outcome)
    return Report(outcomes=tuple(outcomes))


def tried(assertion: Assertion, stage: Stage, level: int = 3) -> Outcome:
    """What comes of one assertion. Whatever goes wrong on the way counts against it."""
    began = time.monotonic()
    reason = _reason(assertion, stage, level)
    return Outcome(
        id=assertion.id,
        theme=assertion.theme,
        says=assertion.says,
        reason=reason,
        seconds=round(time.monotonic() - began, 3),
    )


def _reason(assertion: Assertion, stage: Stage, level: int) -> str | None:
    bench = Bench(stage, level)
    reason = _words(lambda: assertion.show(bench))
    left = _words(bench.close)
    return reason if reason is not None or left is None else f"its Field could not be let go: {left}"


def _words(job: Callable[[], None]) -> str | None:
    """What goes wrong when this is done, in words."""
    try:
        job()
    except Unobservable as error:
        return f"could not be observed: {error}"
    except COUNTED as error:
        return str(error) or type(error).__name__
    return None
