"""The soak for a minute: everything it starts works together, and no promise breaks. `make soak` takes minutes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.pages import ROOT

MINUTES = 1.0
WAIT_S = 1_800
NO_MODEL = 2


@pytest.mark.slow
@pytest.mark.timeout(WAIT_S)
def test_a_memory_in_use_keeps_its_promises(tmp_path: Path) -> None:
    told = tmp_path / "soak.json"
    soak = [sys.executable, "-m", "bench.soak", "--minutes", f"{MINUTES:g}", "--seed", "20260101", "--json", str(told)]
    done = subprocess.run(soak, cwd=ROOT, capture_output=True, text=True, timeout=WAIT_S, check=False)
    if done.returncode == NO_MODEL and "CI" not in os.environ:
        pytest.skip("the model is not installed: muniment model install")
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(told.read_text())["figures"]
    for least in ("acknowledged", "backups", "verified", "console pages", "kill -9", "reads"):
        assert figures[least]["value"] >= 1, f"{least}\n{done.stdout}"
