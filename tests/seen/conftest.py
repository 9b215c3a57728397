"""Where the memories of these tests are kept: a folder, and a schema of a real PostgreSQL server."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.scope import SEED


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path | str]:
    if request.param == "sqlite":
        yield tmp_path_factory.mktemp("seen") / "vault"
        return
    schemas = request.getfixturevalue("schemas")
    lent = schemas.lend()
    yield lent
    schemas.take_back(lent)


@pytest.fixture
def seed() -> str:
    """Printed with every failure. MUNIMENT_TEST_SEED replays one."""
    print(f"MUNIMENT_TEST_SEED={SEED}")
    return SEED


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """What an interrupted caller lost goes here, with its warnings: later they would be those of another test."""
    yield
    gc.collect()
