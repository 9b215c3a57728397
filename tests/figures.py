"""What tests tell of themselves in figures, by title, for the summary of a run."""

from __future__ import annotations

from collections.abc import Iterable

PROPERTY = "figures"


def sections(told: Iterable[object]) -> dict[str, list[str]]:
    """The lines that were told, under their titles, in order."""
    found: dict[str, set[str]] = {}
    for pair in told:
        assert isinstance(pair, list | tuple), "a title and a line"
        title, line = pair
        found.setdefault(str(title), set()).add(str(line))
    return {title: sorted(lines) for title, lines in sorted(found.items())}
