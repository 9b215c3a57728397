"""A shell on an empty folder, with nothing of ours in the environment."""

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
