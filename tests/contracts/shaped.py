"""Values of a wire type, drawn from the type itself, and values that were right until one thing in them was changed."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from functools import cache

from hypothesis import strategies as st
from msgspec import inspect

from muniment.contracts.strict.values import Json

MOMENTS = st.sampled_from(["2026-03-01T09:30:00Z", "2016-12-31T23:59:60Z", "2026-03-01t09:30:00.25+02:00"])
ADDRESSES = st.sampled_from(["https://example.org/a?b#c", "urn:uuid:1", "x:"])
FORMATS = {"date-time": MOMENTS, "uri": ADDRESSES}
WRONG_MOMENTS: list[Json] = ["2026-02-30T00:00:00Z", "2026-03-01", "2026-03-01T09:30:60Z", "/a", "x y:", ""]
SCALARS = st.none() | st.booleans() | st.integers(-2, 3) | st.floats(-2, 2) | st.text("abZ9 -", max_size=3)
ANY = st.recursive(
    SCALARS, lambda part: st.lists(part, max_size=2) | st.dictionaries(st.text("ab", max_size=2), part, max_size=2)
)


@cache
def values(kind: type) -> st.SearchStrategy[Json]:
    """Values that fit a wire type."""
    return _values(inspect.type_info(kind))


def _values(info: inspect.Type) -> st.SearchStrategy[Json]:
    match info:
        case inspect.Metadata():
            return _described(info)
        case inspect.StructType():
            return _struct(info)
        case inspect.UnionType():
            return st.one_of([_values(part) for part in info.types])
        case inspect.StrType() if info.pattern is not None:
            return st.from_regex(info.pattern, fullmatch=True, alphabet=st.characters(codec="ascii"))
        case inspect.StrType():
            return st.text(
                min_size=info.min_length or 0, max_size=min(info.max_length or 12, (info.min_length or 0) + 12)
            )
        case inspect.IntType():
            least, most = _least(info), _most(info)
            return st.integers(None if least is None else int(least), None if most is None else int(most))
        case inspect.FloatType():
            return _fractions(info)
        case inspect.BoolType():
            return st.booleans()
        case inspect.NoneType():
            return st.none()
        case inspect.EnumType():
            return st.sampled_from([member.value for member in info.cls])
        case inspect.LiteralType():
            return st.sampled_from(list(info.values))
        case inspect.ListType() | inspect.VarTupleType():
            least = info.min_length or 0
            return st.lists(_values(info.item_type), min_size=least, max_size=min(info.max_length or 2, least + 2))
        case inspect.DictType():
            least = info.min_length or 0
            keys = _values(info.key_type).filter(lambda key: isinstance(key, str)).map(str)
            return st.dictionaries(keys, _values(info.value_type), min_size=least, max_size=least + 2)
        case _:
            return ANY


def _described(info: inspect.Metadata) -> st.SearchStrategy[Json]:
    said = info.extra_json_schema or {}
    if "const" in said:
        return st.just(said["const"])
    found = FORMATS.get(str(said.get("format")))
    if found is None:
        return _values(info.type)
    form = re.compile(getattr(info.type, "pattern", None) or "")
    return found.filter(lambda text: form.search(text) is not None)


def _texts(info: inspect.StrType) -> st.SearchStrategy[Json]:
    least = info.min_length or 0
    return st.text(min_size=least, max_size=min(info.max_length or least + 12, least + 12))


def _least(info: inspect.IntType | inspect.FloatType) -> float | None:
    return info.ge if info.ge is not None else None if info.gt is None else info.gt + 1


def _most(info: inspect.IntType | inspect.FloatType) -> float | None:
    return info.le if info.le is not None else None if info.lt is None else info.lt - 1


def _fractions(info: inspect.FloatType) -> st.SearchStrategy[Json]:
    least, most = (info.ge if info.gt is None else info.gt), (info.le if info.lt is None else info.lt)
    return st.floats(
        least,
        most,
        exclude_min=info.gt is not None,
        exclude_max=info.lt is not None,
        allow_nan=False,
        allow_infinity=False,
    )


def _struct(info: inspect.StructType) -> st.SearchStrategy[Json]:
    needed = {field.encode_name: _values(field.type) for field in info.fields if field.required}
    optional = {field.encode_name: _values(field.type) for field in info.fields if not field.required}
    if info.tag_field is not None:
        needed[info.tag_field] = st.just(info.tag)
    return st.fixed_dictionaries(needed, optional=optional)


Place = tuple[str | int, ...]
ODD: list[Json] = [
    *WRONG_MOMENTS,
    -1,
    2,
    1e9,
    -1e9,
    0.5,
    True,
    "\n",
    "\u00a0",
    "\x1f",
    "a\n",
    "x" * 600,
    [],
    {},
    [1],
    ["a", "a"],
]
WRONG: st.SearchStrategy[Json] = ANY | st.sampled_from(ODD)


@st.composite
def changed(draw: st.DrawFn, values: st.SearchStrategy[Json]) -> Json:
    """A value with one thing in it dropped, added or replaced."""
    whole = copy.deepcopy(draw(values))
    places = _places(whole, ())
    *way, last = draw(st.sampled_from(places)) if places else ("x",)
    holder = whole
    for step in way:
        holder = holder[step]  # type: ignore[index]  # the place was found in it
    change: Callable[[Json, str | int], None] = draw(st.sampled_from([_drop, _add, _extend, _swap(draw(WRONG))]))
    if isinstance(holder, (dict, list)):
        change(holder, last)
    return whole


def _places(value: Json, way: Place) -> list[Place]:
    parts: list[tuple[str | int, Json]] = []
    if isinstance(value, dict):
        parts = [*value.items()]
    elif isinstance(value, list):
        parts = [*enumerate(value)]
    return [place for step, part in parts for place in [(*way, step), *_places(part, (*way, step))]]


def _drop(holder: Json, last: str | int) -> None:
    if isinstance(holder, dict):
        holder.pop(str(last), None)
    elif isinstance(holder, list) and isinstance(last, int):
        del holder[last]


def _add(holder: Json, last: str | int) -> None:
    if isinstance(holder, dict):
        holder[f"{last}~/x"] = 1
    elif isinstance(holder, list):
        holder.append("x")


def _extend(holder: Json, last: str | int) -> None:
    if isinstance(holder, dict):
        holder["x_more"] = last


def _swap(value: Json) -> Callable[[Json, str | int], None]:
    def swap(holder: Json, last: str | int) -> None:
        if isinstance(holder, dict):
            holder[str(last)] = value
        elif isinstance(holder, list) and isinstance(last, int):
            holder[last] = value

    return swap
