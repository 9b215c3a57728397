"""Shapes: everything that is wrong with a value, each with a code and a pointer, and nothing that is right."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType
from tests.cases import each

from muniment.contracts.schemas import schema_of
from muniment.contracts.shape import Wire, flaws
from muniment.contracts.strict.values import Json

Key = Annotated[str, Meta(min_length=2)]


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Cat(Wire, tag_field="animal", tag="cat"):
    lives: Annotated[int, Meta(ge=1, le=9)]


class Dog(Wire, tag_field="animal", tag="dog"):
    name: str
    tricks: list[str] | UnsetType = UNSET


class Everything(Wire, rename={"long_name": "longName"}):
    name: Annotated[str, Meta(min_length=1, max_length=5)]
    long_name: str | UnsetType = UNSET
    code: Annotated[str, Meta(pattern="^[a-z]+$")] | UnsetType = UNSET
    said: Annotated[str, Meta(pattern=r"\S")] | UnsetType = UNSET
    never: Annotated[bool, Meta(extra_json_schema={"const": False})] | UnsetType = UNSET
    colour: Colour | UnsetType = UNSET
    size: Literal["s", "m"] | UnsetType = UNSET
    count: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    share: Annotated[float, Meta(gt=0, lt=1)] | UnsetType = UNSET
    flag: bool | UnsetType = UNSET
    at: Annotated[str, Meta(extra_json_schema={"format": "date-time"})] | UnsetType | None = UNSET
    link: Annotated[str, Meta(extra_json_schema={"format": "uri"})] | UnsetType = UNSET
    tags: Annotated[list[str], Meta(min_length=1, max_length=2)] | UnsetType = UNSET
    sizes: Annotated[dict[Annotated[str, Meta(min_length=2)], int], Meta(min_length=1, max_length=2)] | UnsetType = (
        UNSET
    )
    pet: Cat | Dog | UnsetType = UNSET
    either: int | str | UnsetType = UNSET
    anything: msgspec.Raw | UnsetType = UNSET


GOOD: dict[str, Json] = {
    "the least": {"name": "a"},
    "everything": {
        "name": "abcde",
        "longName": "",
        "code": "abc",
        "said": " a ",
        "never": False,
        "colour": "red",
        "size": "m",
        "count": 0,
        "share": 0.5,
        "flag": False,
        "at": "2016-12-31T23:59:60Z",
        "link": "urn:x",
        "tags": ["a", "b"],
        "sizes": {"ab": 1},
        "pet": {"animal": "dog", "name": "Rex", "tricks": []},
        "either": "x",
        "anything": [{"x": None}],
    },
    "nothing where nothing may stand": {"name": "a", "at": None},
    "a whole number written as a fraction": {"name": "a", "count": 3.0},
    "characters, not bytes": {"name": "ééééé"},
}
BAD: dict[str, tuple[Json, list[tuple[str, str]]]] = {
    "no object": ([1], [("type", "/")]),
    "nothing in it": ({}, [("missing", "/")]),
    "a field there is not": ({"name": "a", "long_name": "x"}, [("unknown", "/long_name")]),
    "a field with a slash in its name": ({"name": "a", "x/y~": 1}, [("unknown", "/x~1y~0")]),
    "empty text": ({"name": ""}, [("length", "/name")]),
    "text that is too long": ({"name": "abcdef"}, [("length", "/name")]),
    "a number for text": ({"name": 1}, [("type", "/name")]),
    "nothing where something must stand": ({"name": None}, [("type", "/name")]),
    "another form": ({"name": "a", "code": "A"}, [("pattern", "/code")]),
    "another form by a line break at its end": ({"name": "a", "code": "abc\n"}, [("pattern", "/code")]),
    "only spaces, of any sort": ({"name": "a", "said": " \t\u00a0\u2003\ufeff"}, [("pattern", "/said")]),
    "yes where only no may stand": ({"name": "a", "never": True}, [("enum", "/never")]),
    "a word there is not": ({"name": "a", "colour": "green"}, [("enum", "/colour")]),
    "a number for a word": ({"name": "a", "size": 1}, [("enum", "/size")]),
    "too small": ({"name": "a", "count": -1}, [("range", "/count")]),
    "a fraction for a whole number": ({"name": "a", "count": 1.5}, [("type", "/count")]),
    "a truth for a number": ({"name": "a", "count": True}, [("type", "/count")]),
    "the bound itself, which is not inside": ({"name": "a", "share": 1}, [("range", "/share")]),
    "the other bound": ({"name": "a", "share": 0}, [("range", "/share")]),
    "a number for a truth": ({"name": "a", "flag": 1}, [("type", "/flag")]),
    "no instant": ({"name": "a", "at": "2026-02-30T00:00:00Z"}, [("format", "/at")]),
    "no address": ({"name": "a", "link": "/here"}, [("format", "/link")]),
    "too few": ({"name": "a", "tags": []}, [("length", "/tags")]),
    "too many, and one of them wrong": (
        {"name": "a", "tags": ["a", 2, "c"]},
        [("length", "/tags"), ("type", "/tags/1")],
    ),
    "an object with nothing in it": ({"name": "a", "sizes": {}}, [("length", "/sizes")]),
    "a key that is too short": ({"name": "a", "sizes": {"a": 1}}, [("length", "/sizes/a")]),
    "a pet without a tag": ({"name": "a", "pet": {"lives": 9}}, [("missing", "/pet")]),
    "a pet of no sort": ({"name": "a", "pet": {"animal": "cow", "lives": 9}}, [("enum", "/pet/animal")]),
    "a cat's field on a dog": (
        {"name": "a", "pet": {"animal": "dog", "lives": 9}},
        [("missing", "/pet"), ("unknown", "/pet/lives")],
    ),
    "a cat of ten lives": ({"name": "a", "pet": {"animal": "cat", "lives": 10}}, [("range", "/pet/lives")]),
    "neither": ({"name": "a", "either": []}, [("type", "/either")]),
    "several at once": (
        {"count": "x", "flag": 0, "more": 1},
        [("missing", "/"), ("type", "/count"), ("type", "/flag"), ("unknown", "/more")],
    ),
}


@each("name", GOOD)
def test_what_fits_has_no_flaw(name: str) -> None:
    assert flaws(GOOD[name], Everything) == ()


@each("name", BAD)
def test_everything_that_does_not_fit_is_told_with_its_place(name: str) -> None:
    value, expected = BAD[name]
    assert [(flaw.code, flaw.path) for flaw in flaws(value, Everything)] == expected


def test_a_place_is_told_from_where_the_value_stands() -> None:
    found = flaws({"name": "a", "tags": ["x", 1]}, Everything, "/entry/3")
    assert [flaw.path for flaw in found] == ["/entry/3/tags/1"]


def test_a_flaw_says_what_was_expected() -> None:
    said = {flaw.path: flaw.message for flaw in flaws({"name": "", "count": -1, "colour": "x"}, Everything)}
    assert said == {
        "/name": "expected text of 1 to 5 characters",
        "/count": "expected a whole number from 0",
        "/colour": "expected one of red, blue",
    }


def test_a_bound_is_told_in_one_spelling_however_it_was_written() -> None:
    class Grade(Wire):
        mark: Annotated[float, Meta(ge=2.0, le=7.0)]
        share: Annotated[float, Meta(gt=0.25)]

    assert [one.message for one in flaws({"mark": 1, "share": 0}, Grade)] == [
        "expected a number from 2 to 7",
        "expected a number above 0.25",
    ]
    text = json.dumps(schema_of("school", "grade", Grade))
    assert '"minimum": 2,' in text
    assert '"maximum": 7}' in text
    assert '"exclusiveMinimum": 0.25' in text
