"""Every assertion of the protocol's list with what shows it: all 108, each exactly once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from types import ModuleType

import msgspec

from akashik_conformance import (
    attuning,
    authority,
    compacting,
    concurrency,
    conflicts,
    coordinating,
    durability,
    merging,
    pushing,
    recording,
    registering,
    replaying,
    sessions,
    transport,
)
from akashik_conformance.bench import Bench

Show = Callable[[Bench], None]
THEMES: tuple[ModuleType, ...] = (
    *(registering, recording, attuning, conflicts, merging, pushing, replaying),
    *(compacting, coordinating, sessions, authority, transport, durability, concurrency),
)
FIRST_OF_LEVEL = (1, 33, 53, 82)
"""The number with which the assertions of each level begin."""
_NAME = re.compile(r"akas_(\d{3})")


class Assertion(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the list: its id and level, what it says, the theme it belongs to, and what shows it."""

    id: str
    level: int
    says: str
    theme: str
    show: Show


@cache
def assertions() -> tuple[Assertion, ...]:
    """All of them, in the order of the list."""
    shown = [
        (f"AKAS-{found[1]}", theme, show)
        for theme in THEMES
        for name, show in vars(theme).items()
        if (found := _NAME.fullmatch(name)) is not None and show.__module__ == theme.__name__
    ]
    lines = sentences()
    given = sorted(id_ for id_, _, _ in shown)
    assert given == sorted(lines), f"shown twice or not at all: {sorted(set(given) ^ set(lines))}, {len(given)} shown"
    return tuple(
        Assertion(id=id_, level=level_of(id_), says=lines[id_], theme=theme.__name__.rsplit(".", 1)[1], show=show)
        for id_, theme, show in sorted(shown, key=lambda one: one[0])
    )


@cache
def sentences() -> dict[str, str]:
    """Id of each assertion to what it says."""
    page = tomllib.loads(files("akashik_conformance").joinpath("assertions.toml").read_text(encoding="utf-8"))
    return {id_: line["says"] for id_, line in page["requirement"].items()}


def level_of(id_: str) -> int:
    """The level from which on an assertion counts.

    >>> level_of("AKAS-032"), level_of("AKAS-033"), level_of("AKAS-108")
    (0, 1, 3)
    """
    number = int(id_.removeprefix("AKAS-"))
    return max(level for level, first in enumerate(FIRST_OF_LEVEL) if number >= first)
