"""What every test folder shares: how long properties are tried, and a fresh vault. Knows no room's insides."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from muniment import Memory

_EXAMPLES = 40
_SLOW_IS_FINE = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large)

os.environ.setdefault("MUNIMENT_EMBEDDER", "none")  # a test that wants vectors says so

settings.register_profile(
    "default",
    derandomize=True,
    max_examples=_EXAMPLES,
    deadline=None,
    database=None,
    suppress_health_check=_SLOW_IS_FINE,
)
settings.register_profile(
    "nightly",
    max_examples=_EXAMPLES * 100,
    deadline=None,
    print_blob=True,
    suppress_health_check=_SLOW_IS_FINE,
)
settings.load_profile(os.environ.get("MUNIMENT_TEST_PROFILE", "default"))


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Where this test's vault is, or will be."""
    return tmp_path / "vault"


@pytest.fixture
def memory(vault: Path) -> Iterator[Memory]:
    """A fresh memory on SQLite, seen by its owner."""
    with Memory.open(vault) as opened:
        yield opened
