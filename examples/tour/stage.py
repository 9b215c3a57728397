"""The stage of the guided tour: its folder, its voice, and its honesty. Knows nothing of the story told on it."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import sysconfig
from pathlib import Path

from rich.console import Console, RenderableType
from rich.text import Text

from muniment.model.errors import Malformed
from muniment.surfaces.cli.output import is_terminal, visible

MARKER = "tour.txt"
MARKER_TEXT = "The guided tour of Muniment made this folder and makes it anew each time. Keep nothing here.\n"


class Broken(Exception):
    """The tour claimed something that did not happen."""


class Stage:
    """Where the tour speaks. Every claim it makes is checked as it is made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._chapter = 0
        self._console = Console(
            force_terminal=is_terminal(sys.stdout), highlight=False, markup=False, emoji=False, soft_wrap=True
        )

    def chapter(self, title: str) -> None:
        self._chapter += 1
        self._console.print()
        self._console.print(Text(f"{self._chapter}. {title}", style="bold cyan"))

    def say(self, *lines: str) -> None:
        for line in lines:
            self._console.print(Text(f"   {visible(line)}".rstrip()))

    def act(self, who: str, what: str) -> None:
        """Somebody does something."""
        self._console.print(Text.assemble("   ", (f"{who:>8}", "bold"), f"  {visible(what)}"))

    def result(self, word: str, why: str, style: str = "green") -> None:
        """What came of it."""
        self._console.print(Text.assemble(" " * 13, (word, f"bold {style}"), f"  {visible(why)}"))

    def show(self, renderable: RenderableType) -> None:
        """What a command would show at this point."""
        with self._console.capture() as paper:
            self._console.print(renderable)
        for line in paper.get().splitlines():
            self._console.print(Text.assemble("   ", Text.from_ansi(line)))

    def command(self, *words: str) -> None:
        """A command to try, ready to be copied."""
        self._console.print(Text(f"   {shlex.join([*program(), *words])}", style="green"))

    def claim(self, truth: bool, what: str) -> None:
        """Go on only if what is being told is so."""
        if not truth:
            raise Broken(what)


def program() -> list[str]:
    """How `muniment` is called from here: by name if it is on the path, else by the file beside this Python."""
    if shutil.which("muniment") is not None:
        return ["muniment"]
    script = Path(sysconfig.get_path("scripts")) / "muniment"
    return [os.path.relpath(script)] if script.exists() else [sys.executable, "-m", "muniment"]


def make_fresh(folder: Path) -> None:
    """Make an empty folder for the tour. Only a folder of a former tour is cleared; anything else is left alone."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise Malformed("folder", "the name of a folder; there is something else of that name")
    if folder.exists() and any(folder.iterdir()):
        marker = folder / MARKER
        if not marker.is_file() or marker.read_bytes() != MARKER_TEXT.encode():
            raise Malformed(
                "folder",
                "a new folder, an empty one or one of a former tour; this one holds something else",
                hint="Name another folder; this one is left as it is.",
            )
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MARKER).write_text(MARKER_TEXT)
