"""What changes when a person sits at a terminal: questions, colour, progress. On a real pseudo-terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.patience import WAIT_S
from tests.surfaces.endpoint import Endpoint
from tests.surfaces.shell import Shell


def _read_all(terminal: int) -> str:
    """Everything that was written to a terminal whose other end is closed."""
    told = b""
    while True:
        try:
            part = os.read(terminal, 65_536)
        except OSError:  # how Linux says that nobody holds the other end any more
            return told.decode()
        if not part:
            return told.decode()
        told += part


def at_terminal(*words: str, cwd: Path, answer: bytes = b"", stdout: bool = False) -> tuple[int, str, str]:
    """Run with standard input and error, and if asked output, on a terminal: exit code, output, what was shown."""
    ours, theirs = os.openpty()
    try:
        if answer:
            os.write(ours, answer)
        with subprocess.Popen(
            [sys.executable, "-m", "muniment", *words],
            stdin=theirs,
            stdout=theirs if stdout else subprocess.PIPE,
            stderr=theirs,
            cwd=cwd,
            env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"},
        ) as running:
            os.close(theirs)
            shown = _read_all(ours)  # while it runs: a terminal nobody reads holds little, and a bar moves for long
            out, _ = running.communicate(timeout=WAIT_S)
        return running.returncode, (out or b"").decode(), shown
    finally:
        os.close(ours)


@pytest.mark.parametrize(("answer", "status", "told"), [(b"y\n", "retracted", True), (b"n\n", "active", False)])
def test_retract_asks_a_person_and_does_what_they_say(
    shell: Shell, tmp_path: Path, answer: bytes, status: str, told: bool
) -> None:
    record = shell.remember("The build is green")
    code, out, shown = at_terminal(
        "retract", record, "--reason", "no", "--vault", "vault", "--json", cwd=tmp_path, answer=answer
    )
    assert (code, bool(out)) == (0, told)
    assert f"Retract {record}?" in shown
    assert ("nothing was changed" in shown) is not told
    assert shell("get", record, "--json").json["status"] == status


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("ledger", "verify"), "checking entries"),
        (("ledger", "replay"), "rebuilding from entries"),
        (("quality",), "scoring records"),
    ],
)
def test_long_work_shows_progress_on_the_terminal_and_nowhere_else(
    shell: Shell, tmp_path: Path, command: tuple[str, ...], words: str
) -> None:
    shell.remember("The build is green")
    code, out, shown = at_terminal(*command, "--vault", "vault", "--json", cwd=tmp_path)
    assert (code, out.startswith("{"), words in out) == (0, True, False)
    assert words in shown
    assert words not in shell(*command).err


def test_explaining_by_replay_shows_progress_on_the_terminal(shell: Shell, tmp_path: Path) -> None:
    shell.remember("The build is green")
    receipt = shell("recall", "build", "--json").json["receipt_id"]
    code, out, shown = at_terminal("explain", receipt, "--replay", "--vault", "vault", "--json", cwd=tmp_path)
    assert (code, out.startswith("{"), "rebuilding the store" in shown) == (0, True, True)


def test_a_tree_has_colour_and_hangs_together_on_a_narrow_terminal(shell: Shell, tmp_path: Path) -> None:
    source = shell.remember("A forum post says that tenants may share a cache", "--confidence", "0.5")
    record = shell.remember(
        "evil \x9b31m plans for one cache that is shared by all of the tenants", "--derived-from", source
    )
    code, _, shown = at_terminal("lineage", source, "--vault", "vault", cwd=tmp_path, stdout=True)
    assert (code, "\x9b" in shown, "\\x9b31m" in shown) == (0, False, True)
    assert "\x1b[1;33mFLAG\x1b[0m" in shown
    assert f"{record}@1" in shown


def test_there_is_colour_on_a_terminal_and_still_nothing_that_steers_it(shell: Shell, tmp_path: Path) -> None:
    record = shell.remember("evil \x9b31m text")
    code, _, shown = at_terminal("get", record, "--vault", "vault", cwd=tmp_path, stdout=True)
    assert code == 0
    assert "\x1b[1m" in shown
    assert "\x9b" not in shown
    assert "\\x9b31m" in shown


def test_flush_shows_a_bar_at_a_terminal_and_answers_on_standard_output(
    shell: Shell, endpoint: Endpoint, tmp_path: Path
) -> None:
    shell.remember("The build is green")
    code, out, shown = at_terminal("flush", "--vault", "vault", cwd=tmp_path)
    assert (code, out) == (0, "done: 3 entries have their vectors, made by openai:toy\n")
    assert "making vectors" in shown
    assert "The build is green" in endpoint.texts
