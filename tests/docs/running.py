"""Run the samples of a page, in order, in one folder, and compare what they print with what the page says they print.

Python blocks of a page share one namespace. A line's output stands behind `# →` on that line; what a block prints
must be exactly those texts, in order. Console blocks show commands behind `$ ` and their output below; a command with
no output shown may print what it likes, but must not fail. In both, `…` stands for any text on that line.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.docs.pages import ROOT, Sample
from tests.docs.standing import INSTALLED
from tests.patience import WAIT_S

PYTHON = frozenset({"python"})
SHELL = frozenset({"shell", "sh"})
CONSOLE = frozenset({"console"})
RUN = PYTHON | SHELL | CONSOLE

_SHOWN = re.compile(r"# → (.*)$", re.MULTILINE)
_MARK = "\x01"


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a console block, with the lines shown below it."""

    text: str
    shown: tuple[str, ...]


def run_page(samples: list[Sample], folder: Path, commands: Path = INSTALLED.parent) -> None:
    """Run every sample that is not excused. The caller has made `folder` the working directory; `commands` is the
    folder in which a shell finds `muniment`."""
    namespace: dict[str, object] = {"__name__": "__sample__"}
    for sample in samples:
        if sample.not_run is not None or sample.language not in RUN:
            continue
        if sample.language in PYTHON:
            run_python(sample, namespace)
        elif sample.language in SHELL:
            run_shell(sample.body, folder, sample.name, commands)
        else:
            run_console(sample, folder, commands)


def run_python(sample: Sample, namespace: dict[str, object]) -> None:
    printed = io.StringIO()
    # Blank lines in front make a traceback name the page's own line.
    code = compile("\n" * sample.line + sample.body, str(sample.page), "exec", dont_inherit=True)
    with contextlib.redirect_stdout(printed):
        exec(code, namespace)
    compare(sample.name, _SHOWN.findall(sample.body), printed.getvalue().splitlines())


def run_shell(script: str, folder: Path, name: str, commands: Path = INSTALLED.parent) -> str:
    """Run a script with `sh -e` and return what it printed; any command that fails fails the sample."""
    done = subprocess.run(
        ["sh", "-e", "-c", script],
        cwd=folder,
        env=environment(folder, commands),
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    assert done.returncode == 0, f"{name}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def run_console(sample: Sample, folder: Path, commands: Path = INSTALLED.parent) -> None:
    shown = read_console(sample.body)
    assert shown, f"{sample.name}: a console block needs at least one line that begins with '$ '"
    script = "exec 2>&1\n" + "".join(f"{command.text}\nprintf '{_MARK}\\n'\n" for command in shown)
    parts = run_shell(script, folder, sample.name, commands).split(_MARK + "\n")
    for command, printed in zip(shown, parts, strict=False):
        if command.shown:
            compare(f"{sample.name}: {command.text}", list(command.shown), printed.splitlines())


def read_console(body: str) -> list[Command]:
    """Commands and their output. A command goes on over lines that begin with `> `; blank lines are for the eye.

    >>> [(one.text, one.shown) for one in read_console("$ echo a\\na\\n\\n$ true\\n")]
    [('echo a', ('a',)), ('true', ())]
    """
    commands: list[Command] = []
    text: list[str] = []
    shown: list[str] = []

    def close() -> None:
        if text:
            while shown and not shown[-1].strip():
                shown.pop()
            commands.append(Command("\n".join(text), tuple(shown)))
        text.clear()
        shown.clear()

    for line in body.splitlines():
        if line.startswith("$ "):
            close()
            text.append(line[2:])
        elif line.startswith("> ") and not shown:
            text.append(line[2:])
        else:
            shown.append(line)
    close()
    return commands


def compare(name: str, shown: list[str], printed: list[str]) -> None:
    """Compare line by line, blank lines and trailing blanks left out; `…` matches anything, also nothing.

    A line that is only `…` stands for any number of lines.
    """
    pattern = "".join(_line(line) for line in shown if line.strip())
    text = "".join(f"{line.rstrip()}\n" for line in printed if line.strip())
    assert re.fullmatch(pattern, text), f"{name} prints\n{text}and the page shows\n" + "\n".join(shown)


def _line(line: str) -> str:
    if line.strip() == "…":
        return r"(?:[^\n]*\n)*"
    return "[^\\n]*".join(re.escape(part) for part in line.rstrip().split("…")) + "\n"


def environment(folder: Path, commands: Path) -> dict[str, str]:
    """What a reader's shell would have: our commands first in the path, none of our settings, no colour."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MUNIMENT_")}
    path = os.pathsep.join([str(commands), str(INSTALLED.parent), kept["PATH"]])
    kits = os.pathsep.join(str(kit) for kit in sorted(ROOT.glob("kits/*/src")))
    changes = {"PATH": path, "PYTHONPATH": kits, "HOME": str(folder), "LC_ALL": "C.UTF-8"}
    return kept | changes | {"NO_COLOR": "1", "TERM": "dumb"}
