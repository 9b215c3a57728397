"""What `muniment serve`, `keys` and `mcp` say when they cannot do what they are told."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.patience import WAIT_S
from tests.surfaces.shell import Shell


def test_a_vault_that_is_a_file_is_named_before_anything_is_opened(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("mine")
    said = shell.bare("serve", "--vault", str(file), "--port", "0", "--json")
    assert (said.code, said.error["field"]) == (2, "vault")
    assert said.error["message"] == "vault: a folder; there is something else of that name"
    assert file.read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "flag"),
    [
        (("keys", "create", "planner", "--grant", "fly"), "--grant"),
        (("keys", "create", "planner", "--expires", "yesterday"), "--expires"),
        (("keys", "create", "planner", "--authority", "11"), "--authority"),
        (("mcp", "--tools", "some"), "--tools"),
        (("conformance", "akashik", "--url", "localhost"), "--url"),
    ],
)
def test_what_to_do_is_told_in_the_words_of_the_command_line(shell: Shell, words: tuple[str, ...], flag: str) -> None:
    said = shell.bare(*words)
    assert said.code == 2
    assert f"what to do: Change {flag}" in said.err


@pytest.mark.parametrize(
    ("missing", "words", "extra"),
    [("starlette", ["serve"], "server"), ("httpx", ["mcp", "--url", "http://127.0.0.1:9"], "client")],
)
def test_a_package_that_is_missing_is_named_with_the_way_to_install_it(
    tmp_path: Path, missing: str, words: list[str], extra: str
) -> None:
    program = (
        f"import sys; sys.modules[{missing!r}] = None; from muniment.surfaces.cli import run; sys.exit(run({words!r}))"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, timeout=WAIT_S, check=False, text=True
    )
    assert found.returncode == 2
    assert f"what to do: `pip install 'muniment[{extra}]'`" in found.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_server_without_the_sdk_does_not_claim_to_speak_mcp(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['mcp'] = None; from muniment.surfaces.cli import run; "
        "sys.exit(run(['serve', '--port', '0', '--embedder', 'none']))"
    )
    running = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    lines = [next(running.stdout) for _ in range(6)]
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=WAIT_S)
    assert lines[5] == "  MCP      not offered: `pip install 'muniment[mcp]'` brings it\n"
    assert running.returncode == 0
