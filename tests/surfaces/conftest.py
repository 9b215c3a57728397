"""A shell on an empty folder, with no setting of ours but that there is no embedder; a dispute on it; an endpoint."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.surfaces.endpoint import Endpoint, serving
from tests.surfaces.shell import Shell


@pytest.fixture
def shell(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Shell:
    for name in [name for name in os.environ if name.startswith("MUNIMENT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("MUNIMENT_EMBEDDER", "none")
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


@pytest.fixture
def endpoint(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """An endpoint that makes vectors, and a shell whose environment names it."""
    with serving() as found:
        monkeypatch.setenv("MUNIMENT_EMBEDDER", found.setting)
        yield found
