"""The strict reader of YAML: the same values and the same limits as JSON, and one meaning per text."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cases import each

from muniment.contracts.strict.reader import DEPTH_MAX, ReaderLimits
from muniment.contracts.strict.values import Json, same
from muniment.contracts.strict.yaml_text import read_yaml
from muniment.model.errors import LimitExceeded, Unreadable

REFUSED = {
    "an anchor": (b"a:\n  - b: c\n    d: &x 1", "/a/0/d", 3, 8),
    "an alias": (b"a: *x", "/a", 1, 4),
    "an anchor on a list": (b"a: &x [1]", "/a", 1, 4),
    "a tag of the library": (b"a: !!python/object/apply:os.system [ls]", "/a", 1, 4),
    "a tag for text": (b"a: !!str 5", "/a", 1, 4),
    "a tag of one's own": (b"- !mine {a: 1}", "/0", 1, 3),
    "a tag in full": (b"- !<tag:yaml.org,2002:int> x", "/0", 1, 3),
    "a tag that says nothing": (b"- 1\n- ! 5", "/1", 2, 3),
    "a tag on the document": (b"!!map {}", "/", 1, 1),
    "a tag on a key": (b"!!str a: 1", "/", 1, 1),
    "a key said twice": (b"a: {b: 1}\nc: 2\na: 3", "/a", 3, 1),
    "a key said twice below": (b"a:\n  b: 1\n  'b': 2", "/a/b", 3, 3),
    "a number as a key": (b"a: {1: x}", "/a", 1, 5),
    "a truth as a key": (b"true: x", "/", 1, 1),
    "nothing as a key": (b"~: x", "/", 1, 1),
    "a list as a key": (b"? [a]\n: b", "/", 1, 3),
    "two documents": (b"a: 1\n---\nb: 2", "/", 2, 1),
    "an empty second document": (b"--- 1\n---\n", "/", 2, 1),
    "no number": (b"a: [1, .nan]", "/a/1", 1, 8),
    "no number in capitals": (b"a: .NaN", "/a", 1, 4),
    "an infinity": (b"a: -.inf", "/a", 1, 4),
    "a number no float can hold": (b"a: 1e400", "/a", 1, 4),
    "a number so small that it would be read as nought": (b"a: 1e-999999999", "/a", 1, 4),
    "a whole number of too many digits": (b"a: " + b"9" * 4_001, "/a", 1, 4),
    "half of a pair": (rb'a: "\ud800"', "/a", 1, 4),
    "a character there is not": (rb'a: "\U00110000"', "/a", 1, 7),
    "a character beyond all": (rb'a: "\Uffffffff"', "/a", 1, 7),
    "a control character": (b"a: b\nc: \x01", "/", 2, 4),
    "a byte order mark": (b"\xef\xbb\xbfa: 1", "/", 1, 1),
    "UTF-16": ("a: 1".encode("utf-16"), "/", 1, 1),
    "bytes that are no UTF-8": (b"a: 1\nb: \xff", "/", 2, 4),
    "a tab for an indent": (b"a:\n\tb: 1", "/a", 2, 1),
    "text that does not end": (b"a: 'x", "/a", 1, 6),
    "a list that does not end": (b"a: [1, 2", "/a/2", 1, 9),
    "a mapping inside a line": (b"a: b: c", "/", 1, 5),
    "too deep": (b"[" * 101 + b"]" * 101, "/" + "/".join(["0"] * 100), 1, 101),
}


@each("name", REFUSED)
def test_a_text_that_is_refused_is_refused_where_the_fault_is(name: str) -> None:
    data, path, line, column = REFUSED[name]
    with pytest.raises(Unreadable) as found:
        read_yaml(data)
    assert (found.value.field, found.value.line, found.value.column) == (path, line, column)


YES_AND_NO: Json = ["yes", "no", "on", "off", "y", "Yes", "True"]
NO_NUMBERS: Json = ["0o17", "017", "0x1f", "1_000", "+1", ".5", "1:30"]
TAKEN: dict[str, tuple[bytes, Json]] = {
    "nothing": (b"", None),
    "a comment alone": (b"# nothing\n", None),
    "words that some readers take for truths": (b"[yes, no, on, off, y, Yes, True]", YES_AND_NO),
    "dates": (b"[2026-04-07, 2026-04-07T09:30:00Z, 09:30]", ["2026-04-07", "2026-04-07T09:30:00Z", "09:30"]),
    "numbers of other writings": (b"[0o17, 017, 0x1f, 1_000, +1, .5, 1:30]", NO_NUMBERS),
    "numbers": (b"[0, -1, 2.50, 1e3, -0.0]", [0, -1, 2.5, 1000.0, -0.0]),
    "truths and nothing": (b"[true, false, null, ~, ]", [True, False, None, None]),
    "an absent value": (b"a:\nb: 1", {"a": None, "b": 1}),
    "quoted words": (b"['true', \"1\", '~', '.nan']", ["true", "1", "~", ".nan"]),
    "a block of text": (b"a: |\n  yes\n  1\nb: >\n  x\n  y\n", {"a": "yes\n1\n", "b": "x y\n"}),
    "a merge key, which is only a key": (b"<<: {a: 1}\nb: 2", {"<<": {"a": 1}, "b": 2}),
    "a directive": (b"%YAML 1.2\n---\na: 1\n...\n", {"a": 1}),
    "JSON": (b'{"a": [1, {"b": null}], "c": "\\u00e9\\/"}', {"a": [1, {"b": None}], "c": "\u00e9/"}),
    "a key without a value in a flow": (b"{a, b: 1}", {"a": None, "b": 1}),
}


@each("name", TAKEN)
def test_a_text_that_means_one_thing_is_taken(name: str) -> None:
    data, value = TAKEN[name]
    assert same(read_yaml(data), value)


def test_nesting_up_to_the_limit_is_taken() -> None:
    assert read_yaml(b"[" * DEPTH_MAX + b"]" * DEPTH_MAX) is not None
    assert read_yaml(b"- " * DEPTH_MAX + b"a") is not None
    assert read_yaml(b"a: [1]", limits=ReaderLimits(depth=2)) == {"a": [1]}
    with pytest.raises(Unreadable) as found:
        read_yaml(b"a: [1]", limits=ReaderLimits(depth=1))
    assert found.value.field == "/a"


@each("data", [b"[" * 100_000, b"- " * 100_000, b"{a: " * 100_000], ids=["flow", "block", "object"])
def test_a_hundred_thousand_levels_are_refused_and_end_nothing(data: bytes) -> None:
    with pytest.raises(Unreadable) as found:
        read_yaml(data)
    assert "at most 100 deep" in str(found.value)


def test_a_text_that_is_too_large_is_refused_before_it_is_read() -> None:
    with pytest.raises(LimitExceeded) as found:
        read_yaml(b"a: 1 ", limits=ReaderLimits(bytes=4))
    assert (found.value.field, found.value.sent) == ("document", 5)


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda part: st.lists(part, max_size=4) | st.dictionaries(WORDS, part, max_size=4),
    max_leaves=12,
)


@given(JSON, st.none() | st.just(2))
def test_json_is_read_as_json(value: Json, indent: int | None) -> None:
    assert same(read_yaml(json.dumps(value, ensure_ascii=False, indent=indent).encode()), value)


JUNK = st.sampled_from([bytes([sign]) for sign in b"!&*-?:[]{}|>'%@,#~\"\\"] + [b"!!", b"---", b"\t"])


@settings(max_examples=300)
@given(st.lists(JUNK | st.sampled_from([b"a", b" ", b"\n", b"1", b"\xff"]) | st.binary(max_size=2), max_size=14))
def test_whatever_is_read_is_a_value_or_an_error_with_its_place(parts: list[bytes]) -> None:
    data = b"".join(parts)
    try:
        value = read_yaml(data)
    except Unreadable as error:
        lines = re.split("\r\n|[\n\r\x85\u2028\u2029]", data.decode("utf-8", "replace"))  # as YAML counts them
        placed = error.field.startswith("/") and error.line >= 1 and error.column >= 1
        if not placed or error.line > len(lines) + 1:
            pytest.fail(f"told at {error.field}, line {error.line}, column {error.column}")
    else:
        json.dumps(value, allow_nan=False).encode()
