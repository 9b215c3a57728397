"""The command line as the tests call it: in this process, or in one of its own. Knows no expected value."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.patience import WAIT_S

from muniment.surfaces.cli import run


class Said(msgspec.Struct):
    """What a command said: its exit code and both of its streams."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # a JSON document; what is in it is for the test to say
        return msgspec.json.decode(self.out)

    @property
    def error(self) -> dict[str, str]:
        return msgspec.json.decode(self.err, type=dict[str, dict[str, str]])["error"]


class Shell:
    """Runs commands on one vault in this process."""

    def __init__(self, vault: Path, capture: pytest.CaptureFixture[bytes], patch: pytest.MonkeyPatch) -> None:
        self.vault = vault
        self._capture = capture
        self._patch = patch

    def __call__(self, *words: str, stdin: bytes = b"") -> Said:
        """Run one command with `--vault` in front."""
        return self.bare("--vault", str(self.vault), *words, stdin=stdin)

    def bare(self, *words: str, stdin: bytes = b"") -> Said:
        """Run one command exactly as it is given."""
        self._patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        self._capture.readouterr()
        code = run(words)
        out, err = self._capture.readouterr()
        said = Said(code=int(code), out=out.decode(), err=err.decode())
        assert "Traceback" not in said.err
        return said

    def told(self) -> str:
        """What was printed since the last command."""
        return self._capture.readouterr()[0].decode()

    def remember(self, text: str, *words: str) -> str:
        """Remember something that must be committed; return its id."""
        said = self("remember", text, *words, "--json")
        assert said.code == 0
        assert said.json["outcome"] == "committed"
        return str(said.json["record_id"])


def outside(
    *words: str, cwd: Path, stdin: bytes = b"", environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run `python -m muniment` in a process of its own, without an embedder unless one is named."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("MUNIMENT_")}
    ours["MUNIMENT_EMBEDDER"] = "none"
    return subprocess.run(
        [sys.executable, "-m", "muniment", *words],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env={**ours, **(environment or {})},
        timeout=WAIT_S,
        check=False,
    )
