"""The few forms in which a person is told things: a named line, pairs, a table, a numbered block, a tree.

Knows words and columns, nothing of memories.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from muniment.model.value import Value
from muniment.surfaces.cli.output import plain

DEEPEST_GUIDE = 8
SHORT = 72
NARROWEST = 24


def line(name: str, text: str) -> Text:
    return Text.assemble((f"  {name}: ", "bold"), plain(text))


def pairs(rows: list[tuple[str, str]]) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for name, text in rows:
        grid.add_row(Text(name, style="bold"), plain(text))
    return grid


def table(names: tuple[str, ...], rows: list[list[str]]) -> Padding:
    found = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in names:
        found.add_column(name, overflow="fold")
    for row in rows:
        found.add_row(*(plain(cell) for cell in row))
    return Padding(found, (0, 0, 0, 2))


def numbered(mark: str, body: RenderableType) -> Table:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(mark, body)
    return grid


def counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def short(text: str) -> str:
    """The beginning of a text, on one line.

    >>> short("two\\nlines"), len(short("x" * 500))
    ('two lines', 72)
    """
    joined = " ".join(text[: SHORT * 8].split())
    return joined if len(joined) <= SHORT else joined[: SHORT - 3].rstrip() + "..."


class Branch(Value):
    """One line of a tree: which name, under which, how deep, what is drawn before it. `again`: it was told before."""

    name: str
    under: str
    depth: int
    lead: str
    last: bool
    again: bool = False

    @property
    def drawn(self) -> str:
        """What stands before the name. Below the deepest guide the depth is told in figures, so that a line of
        descent of any length stays readable."""
        mark = "└─ " if self.last else "├─ "
        return self.lead + mark + (f"({self.depth}) " if self.depth > DEEPEST_GUIDE else "")

    @property
    def beside(self) -> str:
        """What stands before whatever follows below it."""
        return self.lead + ("   " if self.last else "│  ")


class Hanging:
    """A line that may be longer than the paper is wide: what does not fit goes on below, beside the guides."""

    def __init__(self, lead: str, beside: str, body: Text) -> None:
        self._lead, self._beside, self._body = lead, beside, body

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.no_wrap:
            yield Text.assemble((self._lead, "dim"), self._body)
            return
        room = max(options.max_width - len(self._lead), NARROWEST)
        for number, part in enumerate(self._body.wrap(console, room, overflow="fold")):
            before = self._lead if number == 0 else self._beside.ljust(len(self._lead))
            yield Text.assemble((before, "dim"), part)


def grow(start: str, children: Mapping[str, Sequence[str]]) -> Iterator[Branch]:
    """Everything below `start`, from the top down, each with what is below it only the first time it is met.

    >>> [branch.name for branch in grow("a", {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": ["e"]})]
    ['b', 'd', 'e', 'c', 'd']
    """
    met = {start}
    waiting = _twigs(start, children, depth=1, lead="")
    while waiting:
        branch = waiting.pop()
        if branch.name in met:
            yield Branch(
                name=branch.name, under=branch.under, depth=branch.depth, lead=branch.lead, last=branch.last, again=True
            )
            continue
        met.add(branch.name)
        yield branch
        lead = branch.beside if branch.depth < DEEPEST_GUIDE else branch.lead
        waiting += _twigs(branch.name, children, depth=branch.depth + 1, lead=lead)


def _twigs(under: str, children: Mapping[str, Sequence[str]], *, depth: int, lead: str) -> list[Branch]:
    """The children of one name, the first of them at the end, where it is taken from."""
    names = children.get(under, ())
    found = [
        Branch(name=name, under=under, depth=depth, lead=lead, last=number == len(names) - 1)
        for number, name in enumerate(names)
    ]
    return found[::-1]
