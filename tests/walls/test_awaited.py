"""The walls of the async face: every method, awaited, tells an outsider just what the other face tells."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from inspect import isawaitable
from operator import attrgetter
from typing import Any

import pytest
from tests.walls.asking import Heard, filled, heard, other_id, plain, row
from tests.walls.canaries import complaint, spoken
from tests.walls.cells import CHOSEN, Property, told, wrapped
from tests.walls.rows import ROWS, Given, named_parameters
from tests.walls.world import World

from muniment import aio
from muniment.model.errors import MunimentError

POINTED_AT = "id of plain"


async def _awaited(world: World, caller: str, method: str, given: Given) -> Heard:
    memory: Any = aio.Memory(world.seat(caller))
    try:
        answer = attrgetter(method)(memory)(**filled(world, caller, given))
        if isinstance(answer, AsyncIterator):
            return Heard(text=spoken([one async for one in answer]))
        return Heard(text=spoken(await answer if isawaitable(answer) else answer))
    except MunimentError as error:
        return Heard(text=complaint(error), code=error.code)


def _asked(world: World) -> list[tuple[str, Given, str]]:
    """Every row as it is, and with the id of something hidden wherever one can be said."""
    found: list[tuple[str, Given, str]] = [(method, row(method), "") for method in ROWS]
    for method in ROWS:
        for parameter, kind in named_parameters(method):
            if (method, parameter) not in CHOSEN:
                name = next(iter(world.canaries.ids[kind].values()))
                found.append((method, row(method, **{parameter: wrapped(parameter, name)}), name))
    return found


@pytest.mark.parametrize("caller", ["bob", "eve"])
def test_no_awaited_method_tells_what_is_hidden(world: World, caller: str, record_property: Property) -> None:
    async def story() -> list[str]:
        leaks = []
        for method, given, name in _asked(world):
            one = await _awaited(world, caller, method, given)
            found = [about for about in world.canaries.found_in(one.text, asked=[name]) if about != POINTED_AT]
            leaks += [f"{caller} {method} {name}: {about}" for about in found]
            beside = heard(world, caller, method, given)
            if one.code != beside.code:
                leaks.append(f"{caller} {method} {name}: {one.code} is not {beside.code}")
        return leaks

    told(record_property, f"library, awaited, {caller}", len(_asked(world)), asyncio.run(story()))


def test_what_is_hidden_is_answered_like_what_is_not_there(world: World, record_property: Property) -> None:
    async def story() -> list[str]:
        leaks = []
        for method, given, name in asked:
            absent = other_id(name)
            put = {key: wrapped(key, absent) if value == wrapped(key, name) else value for key, value in given.items()}
            one, other = [await _awaited(world, "bob", method, said) for said in (given, put)]
            if plain(one.text, name) != plain(other.text, absent):
                leaks.append(f"{method}: {one.text[:200]} is not {other.text[:200]}")
        return leaks

    asked = [one for one in _asked(world) if one[2]]
    told(record_property, "library, awaited, ids", len(asked), asyncio.run(story()))
