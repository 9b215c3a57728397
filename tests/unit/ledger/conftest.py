"""A vault with one of everything in its past, made once and copied for each test that damages it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.unit.ledger.past import write_past


@pytest.fixture(scope="session")
def past(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed vault; see `past.py` for what each entry is. Never changed: tests work on copies."""
    folder = tmp_path_factory.mktemp("past") / "vault"
    write_past(folder)
    return folder


@pytest.fixture
def damaged(past: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return Path(shutil.copytree(past, tmp_path / "vault"))
