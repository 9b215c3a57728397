"""What the fault tests share: a furnished vault to copy, and a parent of processes that are going to die."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.deeds import furnished
from tests.faults.disks import SmallDisk, mounted
from tests.faults.dying import Victims
from tests.scope import LONG


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault with a little of everything in it. Never opened by a test: copied."""
    vault = tmp_path_factory.mktemp("faults") / "template"
    furnished(vault)
    return vault


@pytest.fixture(scope="session")
def victims() -> Iterator[Victims]:
    parent = Victims()
    yield parent
    parent.end()


@pytest.fixture(scope="session")
def seed() -> int:
    return int(os.environ.get("MUNIMENT_TEST_SEED", "20260101"))


@pytest.fixture(scope="session")
def long() -> bool:
    """Whether there is time for every case instead of a selection."""
    return LONG


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    place = tmp_path / "disk"
    place.mkdir()
    with mounted(place) as disk:
        if disk is None:
            pytest.skip("only root can make a small file system")
        yield disk
