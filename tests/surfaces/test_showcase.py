"""`make run`: the tour is told, its memory is served, what is printed to try works, Ctrl-C ends it cleanly."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.patience import WAIT_S

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The showcase, running, and what it printed up to the moment it can be called."""
    environment = {**ENVIRONMENT, "MUNIMENT_PORT": "0"}
    command = [sys.executable, "-m", "examples.tour.showcase", "muniment-tour"]
    running = subprocess.Popen(
        command, cwd=tmp_path, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert running.stdout is not None
    lines: list[str] = []
    for line in running.stdout:
        lines.append(line)
        if line.startswith("Press Ctrl-C"):
            break
    yield running, "".join(lines)
    if running.poll() is None:
        running.kill()
    running.wait(WAIT_S)
    running.stdout.close()


@pytest.mark.timeout(5 * WAIT_S)
def test_everything_it_prints_to_try_works_and_ctrl_c_ends_it(
    shown: tuple[subprocess.Popen[str], str], tmp_path: Path
) -> None:
    running, printed = shown
    answer = "The nightly build runs on Python 3.12"

    line = re.search(r"^  (curl -s .*)$", printed, re.MULTILINE)
    assert line is not None
    asked = subprocess.run(shlex.split(line[1]), capture_output=True, text=True, timeout=WAIT_S, check=True)
    assert json.loads(asked.stdout)["records"][0]["content"] == answer

    console = re.search(r"open (http://\S+)/ in a browser", printed)
    assert console is not None
    page = subprocess.run(["curl", "-s", f"{console[1]}/"], capture_output=True, text=True, timeout=WAIT_S, check=True)
    assert "<title>Muniment</title>" in page.stdout
    stats = subprocess.run(
        ["curl", "-s", f"{console[1]}/api/stats"], capture_output=True, text=True, timeout=WAIT_S, check=True
    )
    waits = json.loads(stats.stdout)
    assert (waits["held"], waits["open_conflicts"]) == (4, 1)

    again = subprocess.run(
        [sys.executable, "-m", "examples.tour.showcase", "muniment-tour"],
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
        cwd=tmp_path,
        env=ENVIRONMENT,
    )
    assert (again.returncode, again.stdout) == (2, "")
    assert "folder: another tour uses it" in again.stderr

    program = printed.partition("  from muniment import")[2].partition("\n\n")[0]
    code = "\n".join(line.removeprefix("  ") for line in ("from muniment import" + program).splitlines())
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=WAIT_S, check=True)
    assert answer in told.stdout

    configuration = re.search(r"^  (\{\"mcpServers\".*\})$", printed, re.MULTILINE)
    assert configuration is not None
    server = json.loads(configuration[1])["mcpServers"]["muniment"]
    first = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
    }
    spoken = subprocess.run(
        [server["command"], *server["args"]],
        input=json.dumps(first) + "\n",
        capture_output=True,
        text=True,
        timeout=WAIT_S * 2,
        check=True,
        cwd=tmp_path,
    )
    assert json.loads(spoken.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "muniment"

    running.send_signal(signal.SIGINT)
    assert running.stdout is not None
    rest = running.stdout.read()
    assert running.wait(WAIT_S) == 0
    assert "nothing was lost" in rest
    assert "Traceback" not in rest


@pytest.mark.timeout(WAIT_S + WAIT_S)
def test_ctrl_c_in_the_middle_of_the_tour_ends_it_without_a_traceback(tmp_path: Path) -> None:
    running = subprocess.Popen(
        [sys.executable, "-m", "examples.tour.showcase"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert running.stdout is not None
    first = running.stdout.readline()
    running.send_signal(signal.SIGINT)
    rest, _ = running.communicate(timeout=WAIT_S)
    assert "This is Muniment" in first
    assert running.returncode == 130
    assert rest.endswith("The tour was broken off; it begins anew the next time.\n")
    assert "Traceback" not in rest
