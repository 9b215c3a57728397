"""The cells of the matrix: which questions are asked in whose name, with what in the place of what."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
import pytest
from tests.scope import LONG
from tests.walls.canaries import word
from tests.walls.rows import ROWS, Given, Kind, Said, named_parameters, placed_parameters
from tests.walls.spellings import PLAIN, spellings
from tests.walls.world import ANA, HIDDEN_SPACE, SESSION, TEAM, World

TITLE = "isolation"
_FEW = 4
CHOSEN = frozenset(
    {
        (name, "proposal_id")
        for name in ("review.announce", "review.outcome", "review.promote", "propose", "remember", "revise")
    }
    | {("imports.take_in", "batch")}
)
"""Names that the caller makes up: asking with one takes it."""
PLACES: dict[str, str] = {
    "team": TEAM,
    "space": HIDDEN_SPACE,
    "session": SESSION,
    "actor": ANA,
    "subject": word("plain/subject"),
    "source": word("plain/source"),
    "workflow": f"w-{word('plain/workflow')}",
    "task": f"t-{word('plain/task')}",
    "external": word("plain/external id"),
    "record": f"rec-{word('batch/record')}@1",
}
"""What of the hidden side a caller may have heard of by name, and puts wherever a name can be put."""


class Cell(msgspec.Struct, frozen=True):
    """One question: what is put where, and what that is."""

    method: str
    parameter: str
    about: str
    value: object

    @property
    def given(self) -> Given:
        return {self.parameter: self.value}

    def __str__(self) -> str:
        return f"{self.method}({self.parameter}: {self.about})"


def id_cells(world: World, caller: str, methods: dict[str, Given] = ROWS) -> Iterator[tuple[Cell, str]]:
    """Every hidden thing, asked for by its id at every place where an id of its kind can be said."""
    for method in methods:
        for parameter, kind in named_parameters(method):
            if (method, parameter) not in CHOSEN:
                for about, name in hidden_ids(world, kind, caller):
                    yield Cell(method, parameter, about, wrapped(parameter, name)), name


def hidden_ids(world: World, kind: Kind, caller: str) -> list[tuple[str, str]]:
    """What is hidden of a kind: all of it from those of the same tenant, a few of it from those of another."""
    found = list(world.canaries.ids[kind].items())
    return found if LONG or caller in ("bob", "nat") else found[:_FEW]


def wrapped(parameter: str, name: str) -> object:
    """An id as a parameter takes it."""
    return {"derived_from": [name], "contradicts": [name], "relations": [("supports", name)]}.get(parameter, name)


def place_cells(caller: str, methods: dict[str, Given] = ROWS) -> Iterator[Cell]:
    """Every place where it can be said whose or where, with every way to spell a hidden one."""
    for method in methods:
        for parameter, kind, many in placed_parameters(method):
            for about, value in spellings(PLACES[kind]):
                if not LONG and caller != "bob" and about not in PLAIN:
                    continue
                for said, one in _put(parameter, value, many=many):
                    yield Cell(method, parameter, f"{about}{said}", one)


def _put(parameter: str, value: object, *, many: bool) -> Iterator[tuple[str, object]]:
    if parameter in ("claim", "claims", "newcomers"):
        yield from ((f" {name}", Said(place=((name, value),))) for name in ("scope_id", "namespace", "session_id"))
    else:
        yield "", [value] if many else value


def spoken_places() -> list[str]:
    """What a caller who spells names knows of itself."""
    return list(PLACES.values())


Property = Callable[[str, object], None]


def told(record_property: Property, surface: str, cells: int, leaks: list[str]) -> None:
    """Put the figures of a part of the matrix into the summary, and fail if anything came through."""
    record_property("figures", (TITLE, f"{surface:<34} {cells:>6} cells, {len(leaks)} leaks"))
    if leaks:
        pytest.fail(f"{len(leaks)} of {cells} cells:\n" + "\n".join(leaks[:20]), pytrace=False)
