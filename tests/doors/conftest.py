"""The adapters are tested with the real frameworks, in an environment of their own (`make test` makes it)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from muniment import Memory

HERE = find_spec("langgraph") is not None
collect_ignore_glob = [] if HERE or os.environ.get("MUNIMENT_TEST_DOORS") else ["test_*.py"]


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Memory]:
    """An open memory of its owner, without a model."""
    with Memory.open(tmp_path / "vault", embedder=None) as memory:
        yield memory
