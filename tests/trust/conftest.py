"""A vault of the team, fresh for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.trust.world import SetClock, open_vault

from muniment import Memory


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def team(vault: Path, clock: SetClock) -> Iterator[Memory]:
    """A memory on SQLite that knows the team, at a clock that is set by hand, seen by its owner."""
    with open_vault(vault, clock=clock) as memory:
        yield memory
