"""What is left over between two JSON values, as data: enough to get from one to the other, and to see whether the
ground has moved since.

Each rest names a place, what stood there and what stands there now. It is laid on again only where what stood there
still does: what was changed meanwhile wins over what was kept.
"""

from __future__ import annotations

import msgspec

from muniment.contracts.strict.pointer import pointer
from muniment.contracts.strict.values import Json, JsonObject, same
from muniment.model.value import Value


class Rest(Value):
    """One difference. `was` and `now` are lists of one value, or empty where there was or is nothing."""

    path: tuple[str, ...]
    was: tuple[Json, ...] = ()
    now: tuple[Json, ...] = ()

    @property
    def pointer(self) -> str:
        return pointer(self.path)


def differ(before: Json, after: Json) -> tuple[Rest, ...]:
    """Every place where two values differ. Objects are compared key by key, everything else as a whole.

    >>> [(rest.pointer, rest.was, rest.now) for rest in differ({"a": 1, "b": {"c": 2}}, {"a": 1, "b": {"d": 3}})]
    [('/b/c', (2,), ()), ('/b/d', (), (3,))]
    """
    if _spelled(before) == _spelled(after):
        return ()
    found: list[Rest] = []
    _differ(before, after, (), found)
    return tuple(found)


_spelled = msgspec.json.Encoder(order="sorted").encode
"""One spelling for each value; the quick way to see that two are the same, numbers and all."""


def _differ(before: Json, after: Json, path: tuple[str, ...], found: list[Rest]) -> None:
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            if key not in after:
                found.append(Rest(path=(*path, key), was=(value,)))
            elif value is not after[key]:
                _differ(value, after[key], (*path, key), found)
        found.extend(Rest(path=(*path, key), now=(value,)) for key, value in after.items() if key not in before)
    elif not same(before, after):
        found.append(Rest(path=path, was=(before,), now=(after,)))


def lay_on(value: JsonObject, rests: tuple[Rest, ...]) -> JsonObject:
    """The value with every rest laid on where what it was made against still stands.

    >>> rests = differ({"a": 1, "b": 2}, {"a": 1.0, "c": 3})
    >>> lay_on({"a": 1, "b": 2}, rests), lay_on({"a": 5, "b": 2}, rests)
    ({'a': 1.0, 'c': 3}, {'a': 5, 'c': 3})
    """
    if not rests:
        return value
    result = _copy(value)
    for rest in rests:
        _lay(result, rest)
    return result


def _copy(value: JsonObject) -> JsonObject:
    return {key: _copy(part) if isinstance(part, dict) else part for key, part in value.items()}


def _lay(value: JsonObject, rest: Rest) -> None:
    *way, last = rest.path
    place = value
    for step in way:
        below = place.get(step)
        if not isinstance(below, dict):
            return
        place = below
    if (last in place) != bool(rest.was) or (rest.was and not same(place[last], rest.was[0])):
        return
    if rest.now:
        place[last] = rest.now[0]
    else:
        del place[last]


def spell(rests: tuple[Rest, ...]) -> str:
    """Rests as JSON text: objects along the paths, and at their ends a list of what was and what is now. Keys stay
    keys, so that whoever looks for a forbidden name finds it.

    >>> spell(differ({"a": {"b": 1}}, {"a": {"b": 2}}))
    '{"a":{"b":[[1],[2]]}}'
    """
    tree: JsonObject = {}
    for rest in rests:
        *way, last = rest.path
        place = tree
        for step in way:
            below = place.setdefault(step, {})
            assert isinstance(below, dict), "a difference has no differences inside"
            place = below
        place[last] = [list(rest.was), list(rest.now)]
    # JSON leaves DEL as it is, and a record does not hold it; it can stand inside of texts only.
    return msgspec.json.encode(tree).decode().replace("\x7f", "\\u007f")


def unspell(value: Json) -> tuple[Rest, ...]:
    """Rests of their JSON value. What is not of that form is none: a foreign extension under our name is left alone."""
    found: list[Rest] = []
    _unspell(value, (), found)
    return tuple(found)


def _unspell(value: Json, path: tuple[str, ...], found: list[Rest]) -> None:
    match value:
        case dict():
            for key, part in value.items():
                _unspell(part, (*path, key), found)
        case [[*was], [*now]] if path and len(was) <= 1 and len(now) <= 1:
            found.append(Rest(path=path, was=tuple(was), now=tuple(now)))
