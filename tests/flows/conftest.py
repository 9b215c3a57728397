"""The day that the tests of this folder start from, lived once, copies of it to be changed, and a database."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.flows.day import Day, live
from tests.postgres.server import Schemas


@pytest.fixture(scope="package")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Day]:
    """Only to be looked at."""
    folder = tmp_path_factory.mktemp("day")
    yield live(folder / "vault")
    shutil.rmtree(folder)


@pytest.fixture
def day(lived: Day, tmp_path: Path) -> Iterator[Day]:
    """A copy that belongs to one test."""
    yield replace(lived, vault=Path(shutil.copytree(lived.vault, tmp_path / "vault")))
    shutil.rmtree(tmp_path / "vault", ignore_errors=True)


@pytest.fixture
def dsn(schemas: Schemas) -> Iterator[str]:
    """A database with nothing in it."""
    place = schemas.lend()
    yield place
    schemas.take_back(place)
