"""What a text names, read from its shape alone: names, ids, dates, quantities, paths, addresses, code, quotations."""

from __future__ import annotations

import re
from collections.abc import Callable

from muniment.model.entity import ENTITIES_MAX, ENTITY_LENGTH_MAX, Entity, EntityKind
from muniment.text.entities import keys
from muniment.text.entities.names import names
from muniment.text.entities.patterns import KINDS, SHAPES

READ_MAX = 20_000
"""How many characters of a text are read. What comes later is not looked at."""

_ID_DIGITS_MIN = 7
_ID_TAIL_MIN = 6
_TRAILING = ".,;:!?'\"’”)]}>*_"
_Key = tuple[str, str]
_Read = tuple[str, str, str]
"""Kind, text and key. Without a key it is no entity. Kinds are words here: they are looked up faster than members."""

_KINDS = {kind.value: kind for kind in EntityKind}
NAME, ID, DATE, QUANTITY, PATH, URL, CODE, EMAIL, HANDLE, QUOTED = _KINDS


def entities(text: str) -> tuple[Entity, ...]:
    """What a text names, each thing once, in the order of first mention; at most 64, none longer than 200 characters.

    >>> [(one.kind.value, one.key) for one in entities("Maria Lopez moved OPS-7 to May 5, 2024 in src/x/y.py.")]
    [('name', 'maria lopez'), ('id', 'ops-7'), ('date', '2024-05-05'), ('path', 'src/x/y.py')]
    """
    found: dict[_Key, str] = {}
    doubted: set[_Key] = set()
    reach = 0
    for match in SHAPES.finditer(text[:READ_MAX]):
        shape = KINDS[match.lastindex or 0]
        if not shape or match.start() < reach:
            continue
        if shape == NAME:
            _add_names(match, found, doubted)
            continue
        kind, shown, key = _READERS[shape](match)
        if key:
            reach = match.start() + len(shown)
            found.setdefault((kind, key), shown)
    return tuple(
        [
            Entity(kind=_KINDS[key[0]], text=shown, key=key[1])
            for key, shown in found.items()
            if key not in doubted and len(shown) <= ENTITY_LENGTH_MAX and len(key[1]) <= ENTITY_LENGTH_MAX
        ][:ENTITIES_MAX]
    )


def entity_key(text: str) -> str:
    """The key that a text has as a name: what somebody calls a thing is found under it."""
    return keys.name_key(text)


def _add_names(match: re.Match[str], found: dict[_Key, str], doubted: set[_Key]) -> None:
    """A name that is doubtful here is one if it is sure elsewhere."""
    text = match.string
    for start, end, sure in names(text, match.start(), match.end()):
        shown = text[start:end]
        name = NAME, keys.name_key(shown)
        if not sure and name not in found:
            doubted.add(name)
        elif sure and doubted:
            doubted.discard(name)
        found.setdefault(name, shown)


def _whole(kind: str, key: Callable[[str], str]) -> Callable[[re.Match[str]], _Read]:
    """A reader for what is named by all that was matched."""
    return lambda match: (kind, match.group(), key(match.group()))


def _url(match: re.Match[str]) -> _Read:
    shown = match.group().rstrip(_TRAILING)
    return URL, shown, keys.url_key(shown)


def _quoted(match: re.Match[str]) -> _Read:
    return QUOTED, match.group()[1:-1], keys.quoted_key(match.group())


def _path(match: re.Match[str]) -> _Read:
    shown = match.group().rstrip(".")
    return PATH, shown, keys.path_key(shown)


def _number(match: re.Match[str]) -> _Read:
    """A figure with the unit after it; a long one without any is an id; any other is no entity."""
    unit, amount = match.group("unit"), match.group()
    if unit:
        shown = match.string[match.start() : match.end("unit")]
        return QUANTITY, shown, keys.quantity_key(amount, unit)
    return ID, amount, amount if amount.isdigit() and len(amount) >= _ID_DIGITS_MIN else ""


def _snake(match: re.Match[str]) -> _Read:
    """A prefix and a tail with a digit in it is an id (rec_01h9xy), anything else with an underscore is code."""
    shown = match.group().rstrip("_")
    tail = shown.rpartition("_")[2]
    marked = shown.count("_") == 1 and len(tail) >= _ID_TAIL_MIN and any(map(str.isdigit, tail))
    return ID if marked else CODE, shown, keys.plain_key(shown)


_READERS: dict[str, Callable[[re.Match[str]], _Read]] = {
    "code": _whole(CODE, keys.code_key),
    "date": _whole(DATE, keys.date_key),
    "email": _whole(EMAIL, keys.plain_key),
    "handle": _whole(HANDLE, keys.plain_key),
    "id": _whole(ID, keys.id_key),
    "number": _number,
    "path": _path,
    "price": _whole(QUANTITY, keys.price_key),
    "quoted": _quoted,
    "snake": _snake,
    "url": _url,
}
