"""The command line. `run` is its outermost surface: whatever goes wrong inside ends here, as words and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from muniment.surfaces.cli.root import app

__all__ = ["app", "run"]


def __getattr__(name: str) -> object:
    """The command line with every command declared, for those who ask for the whole of it; `run` does not."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from muniment.surfaces.cli import root
    from muniment.surfaces.cli.command_table import declare_all

    declare_all()
    return root.app


def run(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Never raises, never shows a traceback unless asked to."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words == ["--version"]:
        from importlib.metadata import version

        sys.stdout.write(f"muniment {version('muniment')}\n")
        return 0
    from muniment.surfaces.cli.running import run_command  # the parser takes longer to import than the version to tell

    return run_command(words)
