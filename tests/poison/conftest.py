"""A vault of the team, fresh for each test, and a way to tell figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests import figures
from tests.trust.world import SetClock, open_vault

from muniment import Memory

Tell = Callable[[str, str], None]


@pytest.fixture
def tell(record_property: Callable[[str, object], None]) -> Tell:
    """Put a line under a title into the summary of the run."""
    return lambda title, line: record_property(figures.PROPERTY, [title, line])


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def team(vault: Path, clock: SetClock) -> Iterator[Memory]:
    """A memory on SQLite that knows the team, at a clock that is set by hand, seen by its owner."""
    with open_vault(vault, clock=clock) as memory:
        yield memory
