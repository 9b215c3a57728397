"""The question before what cannot be undone: asked at a terminal, refused where there is nobody to ask. And a remark
after a vault was made where something is left to do."""

from __future__ import annotations

import sys

from rich.console import RenderableType

from muniment.engine.migrating import on_one_node
from muniment.engine.place import Said
from muniment.model.errors import Malformed
from muniment.surfaces.cli.output import is_terminal, note, show_beside, visible

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


def note_one_node(said: Said) -> None:
    """Say that a vault on a cluster is all on its first node, if it is."""
    if on_one_node(said):
        note("the tables are on one node of the cluster; the owner spreads them: muniment migrate ADDRESS --citus")
