"""The question before what cannot be undone: asked at a terminal, refused where there is nobody to ask."""

from __future__ import annotations

import sys

from rich.console import RenderableType

from muniment.model.errors import Malformed
from muniment.surfaces.cli.output import is_terminal, show_beside, visible

_YES = frozenset({"y", "yes"})


def must_ask(yes: bool, deed: str) -> bool:
    """Whether a person has to be asked. Without `--yes` and without a terminal the call is wrong: nobody can answer.

    >>> must_ask(True, "erase")
    False
    """
    if yes:
        return False
    if not is_terminal(sys.stdin):
        raise Malformed(
            "yes", "--yes, since there is no terminal to ask at", hint=f"Add --yes to {deed} without asking."
        )
    return True


def confirmed(question: str, shown: RenderableType | None = None) -> bool:
    """Ask, after showing what it is about. On standard error: standard output is for the answer alone."""
    if shown is not None:
        show_beside(shown)
    sys.stderr.write(f"{visible(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in _YES
