"""A served memory and an embedded one beside it, both empty."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.surfaces.http.conftest import Served, serving, settings_for

from muniment import Memory


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(settings_for(tmp_path / "served")) as server:
        yield server


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "embedded", embedder=None) as memory:
        yield memory
