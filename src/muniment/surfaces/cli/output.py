"""Where words leave the command line: JSON or text to standard output, everything else to standard error.

Knows streams and terminals, nothing of memories.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, TextIO

import msgspec
from rich.console import Console, RenderableType
from rich.text import Text

from muniment.surfaces.problems import ProblemDocument

Progress = Callable[[int], None]
Share = Callable[[int, int], None]
"""Called with how much is done, and how much there is."""

WIDTH_WITHOUT_TERMINAL = 120
# Not for a terminal: controls (tab and line feed are text), marks that turn the direction of writing, line and
# paragraph separators, half of a surrogate pair, and the invisible tag characters.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """Text as it may reach a terminal: whatever could steer one is shown escaped.

    >>> visible("plain"), visible("\\x1b[2J"), visible("a\\u202eb")
    ('plain', '\\\\x1b[2J', 'a\\\\u202eb')
    """
    return _UNSAFE.sub(lambda hit: _escaped(ord(hit[0])), text)


def _escaped(number: int) -> str:
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def plain(text: str, style: str = "") -> Text:
    """Stored or foreign words as rich may print them: nothing in them is markup, nothing steers the terminal."""
    return Text(visible(text), style=style)


def prepare() -> None:
    """Let no character a terminal cannot show end a command: it is shown escaped instead."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def write_json(shape: object) -> None:
    """One JSON value in UTF-8, whatever the terminal's encoding is."""
    _write(msgspec.json.format(msgspec.json.encode(shape), indent=2) + b"\n")


def write_human(renderable: RenderableType) -> None:
    """Tables and text for a person; colour only on a terminal."""
    if sys.stdout is None:
        return
    paper = io.StringIO()
    _console(paper, sys.stdout).print(renderable)
    lines = [line.rstrip(" ") for line in paper.getvalue().splitlines()]
    _write(("\n".join(lines) + "\n").encode(sys.stdout.encoding or "utf-8", "backslashreplace"))


def write_text(text: str) -> None:
    """Text exactly as it is; on a terminal what could steer it is escaped."""
    _write((visible(text) if is_terminal(sys.stdout) else text).encode("utf-8", "backslashreplace"))


def note(text: str) -> None:
    """A remark beside the answer."""
    if sys.stderr is not None:
        with _unheard(sys.stderr):
            sys.stderr.write(visible(text) + "\n")
            sys.stderr.flush()


def show_beside(renderable: RenderableType) -> None:
    """Tables and text for a person beside the answer: on standard error."""
    if sys.stderr is not None:
        with _unheard(sys.stderr):
            _console(sys.stderr, sys.stderr).print(renderable)
            sys.stderr.flush()


def complain(problem: ProblemDocument, *, as_json: bool) -> None:
    """Tell a problem on standard error: what it is, which field, what to do."""
    if sys.stderr is None:
        return
    with _unheard(sys.stderr):
        _complain(problem, as_json=as_json)
        sys.stderr.flush()


def _complain(problem: ProblemDocument, *, as_json: bool) -> None:
    if as_json:
        said = {"code": problem.code, "message": problem.message}
        if problem.field is not None:
            said["field"] = problem.field
        said["hint"] = problem.hint
        sys.stderr.write(msgspec.json.encode({"error": said}).decode() + "\n")
        return
    console = _console(sys.stderr, sys.stderr)
    console.print(Text.assemble(("error: ", "bold red"), plain(problem.message)), soft_wrap=True)
    if problem.hint:
        console.print(Text.assemble(("what to do: ", "bold"), plain(problem.hint)), soft_wrap=True)


@contextmanager
def working(words: str) -> Iterator[Progress]:
    """Show on a terminal that long work goes on and how far it is; say nothing anywhere else."""
    if sys.stderr is None or not is_terminal(sys.stderr):
        yield lambda _: None
        return
    with _console(sys.stderr, sys.stderr).status(words) as status:
        yield lambda count: status.update(f"{words}: {count:,}")


@contextmanager
def filling(words: str) -> Iterator[Share]:
    """Show on a terminal, as a bar, how much of long work is done; say nothing anywhere else."""
    if sys.stderr is None or not is_terminal(sys.stderr):
        yield lambda _, __: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=_console(sys.stderr, sys.stderr), transient=True) as bar:
        work = bar.add_task(words, total=None)
        yield lambda done, all_: bar.update(work, completed=done, total=all_)


def is_terminal(stream: IO[str] | None) -> bool:
    return stream is not None and stream.isatty()


def _console(paper: IO[str], stream: IO[str]) -> Console:
    terminal = is_terminal(stream)
    width = shutil.get_terminal_size().columns if terminal else WIDTH_WITHOUT_TERMINAL
    return Console(
        file=paper, force_terminal=terminal, width=width, highlight=False, markup=False, emoji=False, soft_wrap=False
    )


def _write(body: bytes) -> None:
    """Write to standard output. A reader that has gone away (`| head`) is no failure: the rest is not wanted."""
    if sys.stdout is None:
        return
    with _unheard(sys.stdout):
        sys.stdout.flush()
        sys.stdout.buffer.write(body)
        sys.stdout.buffer.flush()


@contextmanager
def _unheard(stream: TextIO) -> Iterator[None]:
    """Write on though the reader has gone away: to nowhere."""
    try:
        yield
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def read_standard_input(limit: int) -> bytes | None:
    """At most `limit` bytes of standard input; None if it is closed."""
    return None if sys.stdin is None else sys.stdin.buffer.read(limit)
