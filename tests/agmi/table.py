"""What came of the attacks of the agmi suite, as two tables at the end of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

PROPERTY = "agmi"
Tell = Callable[[str, str, str], None]
"""Keep a verdict: which attack, how it was met, what came of it."""

EDIT_POINTS = ("audit", "read", "rewritten", "no witness")
"""How an edit of the file is met: the vault is opened and checked; somebody only reads; the whole file was made to
agree with the edit; the vault is checked and has no witness."""
CHANNELS = ("external", "laundered", "agent-laundered", "cross-user")
"""Whose write it is: a stranger's, a stranger's who says to be the user, the user's own assistant's; nobody's."""


def lines(told: Iterable[Sequence[str]]) -> list[str]:
    """The tables, line by line; none if no attack was run."""
    cells = {(attack, point): verdict for attack, point, verdict in told}
    found: list[str] = []
    for points in (EDIT_POINTS, CHANNELS):
        attacks = sorted({attack for attack, point in cells if point in points})
        if not attacks:
            continue
        width = max(len(attack) for attack in attacks)
        found.append(" " * width + "".join(f"  {point:<15}" for point in points).rstrip())
        for attack in attacks:
            row = (cells.get((attack, point), "–").lower() for point in points)
            found.append(f"{attack:<{width}}" + "".join(f"  {cell:<15}" for cell in row).rstrip())
        found.append("")
    return found[:-1]
