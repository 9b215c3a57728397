"""A shell on an empty folder, with nothing of ours in the environment, and a dispute on it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.surfaces.shell import Shell


@pytest.fixture
def shell(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Shell:
    for name in [name for name in os.environ if name.startswith("MUNIMENT_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return Shell(tmp_path / "vault", capfdbinary, monkeypatch)


@pytest.fixture
def dispute(shell: Shell) -> tuple[str, str, str]:
    """Two records that contradict each other in words, and their conflict."""
    shell("init")
    first = shell.remember(
        "The nightly build takes 40 minutes", "--confidence", "0.8", "--evidence", "ci:1", "--as", "a"
    )
    second = shell("remember", "The nightly build takes 55 minutes", "--confidence", "0.8", "--as", "b", "--json").json
    (conflict,) = second["conflict_ids"]
    return first, second["record_id"], conflict
