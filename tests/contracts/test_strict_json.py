"""The strict reader of JSON: what it takes, what it refuses, and where it says the fault is."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.cases import each

from muniment.contracts.strict.instants import instant_of, is_instant
from muniment.contracts.strict.locate import TextFault, locate
from muniment.contracts.strict.reader import DEPTH_MAX, ReaderLimits, read_json
from muniment.contracts.strict.uris import is_uri
from muniment.contracts.strict.values import Json, equal, same
from muniment.model import times
from muniment.model.errors import LimitExceeded, Unreadable

ESCAPE = chr(92)
REFUSED = {
    "a byte order mark": (b'\xef\xbb\xbf{"a": 1}', "/", 1, 1),
    "UTF-16 with a mark": ('{"a": 1}'.encode("utf-16"), "/", 1, 1),
    "UTF-16 without a mark": ('{"a": 1}'.encode("utf-16-le"), "/", 1, 2),
    "UTF-32": ('{"a": 1}'.encode("utf-32-le"), "/", 1, 2),
    "bytes that are no UTF-8": (b'{"a":\n "\xff"}', "/", 2, 3),
    "an overlong character": (b'"\xc0\xaf"', "/", 1, 2),
    "a surrogate as bytes": (b'"\xed\xa0\x80"', "/", 1, 2),
    "nothing": (b"", "/", 1, 1),
    "only space": (b" \n ", "/", 2, 2),
    "a key said twice": (b'{"a": {"b": 1,\n "b": 2}}', "/a/b", 2, 2),
    "a key said twice in other letters": (b'{"ab": 1, "\\u0061b": 2}', "/ab", 1, 11),
    "NaN": (b'{"a": [0, NaN]}', "/a/1", 1, 11),
    "Infinity": (b"[Infinity]", "/0", 1, 2),
    "minus Infinity": (b"[-Infinity]", "/0", 1, 2),
    "a number no float can hold": (b'{"x": 1e400}', "/x", 1, 7),
    "a number so small that it would be read as nought": (b'{"x": 1e-999999999}', "/x", 1, 7),
    "a negative number no float can hold": (b"-1e999", "/", 1, 1),
    "a fraction no float can hold": (b"[" + b"9" * 400 + b".0]", "/0", 1, 2),
    "a whole number of too many digits": (b"[" + b"9" * 4_001 + b"]", "/0", 1, 2),
    "a leading nought": (b"[01]", "/", 1, 3),
    "a leading plus": (b"[+1]", "/0", 1, 2),
    "a bare point": (b"[.5]", "/0", 1, 2),
    "a point without digits": (b"[1.]", "/", 1, 3),
    "hexadecimal": (b"[0x10]", "/", 1, 3),
    "the first half of a pair alone": (b'{"a": "' + rb"\ud800" + b'"}', "/a", 1, 7),
    "the second half of a pair alone": (b'["' + rb"x\udfff" + b'"]', "/0", 1, 2),
    "a pair the wrong way round": (b'["' + rb"\udc00\ud800" + b'"]', "/0", 1, 2),
    "a half before another escape": (b'["' + rb"\ud83d\u0041" + b'"]', "/0", 1, 2),
    "a half in a key": (b'{"' + rb"\ud800" + b'": 1}', "/", 1, 2),
    "a control character in text": (b'{"a": "x\x01"}', "/a", 1, 9),
    "a line break in text": (b'["a\nb"]', "/0", 1, 4),
    "a tab in text": (b'["a\tb"]', "/0", 1, 4),
    "an escape there is not": (b'["' + rb"\x41" + b'"]', "/0", 1, 3),
    "an escape cut short": (b'["' + rb"\u12" + b'"]', "/0", 1, 3),
    "text that does not end": (b'{"a": "b', "/a", 1, 7),
    "a trailing comma in a list": (b"[1, 2,]", "/2", 1, 7),
    "a trailing comma in an object": (b'{"a": 1,}', "/", 1, 9),
    "two commas": (b"[1,,2]", "/1", 1, 4),
    "text after the value": (b'{"a": 1} {"b": 2}', "/", 1, 10),
    "a line comment": (b'{"a": 1} // why', "/", 1, 10),
    "a block comment": (b'{/* why */"a": 1}', "/", 1, 2),
    "single quotes": (b"{'a': 1}", "/", 1, 2),
    "a key without quotes": (b"{a: 1}", "/", 1, 2),
    "a key without a value": (b'{"a"}', "/a", 1, 5),
    "a value that is missing": (b'{"a": }', "/a", 1, 7),
    "a list that does not end": (b'{"a": [1, 2', "/a", 1, 12),
    "a word in capitals": (b"[True]", "/0", 1, 2),
    "a word cut short": (b"[nul]", "/0", 1, 2),
    "a word that goes on": (b"[nullo]", "/", 1, 6),
    "a no-break space": ("[\u00a01]".encode(), "/0", 1, 2),
    "a form feed": (b"[\x0c1]", "/0", 1, 2),
    "a NUL": (b"[1]\x00", "/", 1, 4),
    "too deep": (b'{"a":' * 100 + b"[]" + b"}" * 100, "/" + "/".join(["a"] * 100), 1, 501),
}


@each("name", REFUSED)
def test_a_text_that_is_refused_is_refused_where_the_fault_is(name: str) -> None:
    data, path, line, column = REFUSED[name]
    with pytest.raises(Unreadable) as found:
        read_json(data)
    assert (found.value.line, found.value.column) == (line, column)
    assert found.value.field == path
    assert found.value.code == "unreadable"
    assert str(found.value).startswith(f"{path}, line {line}, column {column}: expected ")


TAKEN: dict[str, tuple[bytes, Json]] = {
    "an object": (b' {"a": [1, 2.5, -0.0, true, false, null, "x"]}\r\n', {"a": [1, 2.5, -0.0, True, False, None, "x"]}),
    "an empty key": (b'{"": {}}', {"": {}}),
    "a whole pair": (b'"' + rb"\ud83d\ude00" + b'"', "\U0001f600"),
    "a backslash before what looks like a half": (b'"' + rb"\\ud800" + b'"', ESCAPE + "ud800"),
    "a NUL as an escape": (rb'"\u0000"', "\0"),
    "a delete character": (b'"\x7f"', "\x7f"),
    "the smallest number": (b"5e-324", 5e-324),
    "nought with an exponent": (b"0e-400", 0.0),
    "the largest number": (b"1.7976931348623157e308", 1.7976931348623157e308),
    "a whole number of many digits": (b"9" * 4_000, int("9" * 4_000)),
    "text of brackets": (b'"' + b"[" * 500 + b'"', "[" * 500),
    "a mark inside text": ('"\ufeff"'.encode(), "\ufeff"),
}


@each("name", TAKEN)
def test_a_text_that_means_one_thing_is_taken(name: str) -> None:
    data, value = TAKEN[name]
    assert same(read_json(data), value)


def test_whole_numbers_and_fractions_stay_apart() -> None:
    found = read_json(b"[1, 1.0, 1e0]")
    assert isinstance(found, list)
    assert [type(one) for one in found] == [int, float, float]


def test_nesting_up_to_the_limit_is_taken_and_one_more_is_not() -> None:
    assert read_json(b"[" * DEPTH_MAX + b"]" * DEPTH_MAX) is not None
    with pytest.raises(Unreadable) as found:
        read_json(b"[" * (DEPTH_MAX + 1) + b"]" * (DEPTH_MAX + 1))
    assert found.value.column == 101
    assert read_json(b"[[1]]", limits=ReaderLimits(depth=2)) == [[1]]
    with pytest.raises(Unreadable):
        read_json(b"[[1]]", limits=ReaderLimits(depth=1))


def test_a_hundred_thousand_brackets_are_refused_and_end_nothing() -> None:
    for text in (b"[" * 100_000, b'{"a":' * 100_000):
        with pytest.raises(Unreadable) as found:
            read_json(text)
        assert "at most 100 deep" in str(found.value)


def test_a_text_that_is_too_large_is_refused_before_it_is_read() -> None:
    assert read_json(b"[1, 2]", limits=ReaderLimits(bytes=6)) == [1, 2]
    with pytest.raises(LimitExceeded) as found:
        read_json(b"[1, 2] ", limits=ReaderLimits(bytes=6))
    assert (found.value.field, found.value.limit, found.value.sent, found.value.unit) == ("document", 6, 7, "bytes")


def test_every_key_said_twice_is_told_with_its_place_to_who_asks_for_it() -> None:
    data = b'{"a": 1, "b": {"c": 1, "c": 2},\n "a": [{"d": 0, "d": 0, "d": 0}]}'
    found: list[TextFault] = []
    assert locate(data, depth=DEPTH_MAX, repeated=found.append) is None
    assert [(one.path, one.line, one.column) for one in found] == [
        ("/b/c", 1, 24),
        ("/a", 2, 2),
        ("/a/0/d", 2, 17),
        ("/a/0/d", 2, 25),
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda part: st.lists(part, max_size=4) | st.dictionaries(st.text(max_size=4), part, max_size=4),
    max_leaves=12,
)
_WRONG = ', ] } [ { " : \\ \\u \\ud800 \\udc00 NaN 1e999 - . 0 // true e E+ "a":1, \n \r \x00 \x0b \xef\xbb\xbf \xff'
JUNK = st.sampled_from([word.encode("latin-1") for word in _WRONG.split(" ")])


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """JSON texts, most of them with something in them that does not belong there."""
    value = draw(JSON)
    data = json.dumps(value, ensure_ascii=draw(st.booleans()), indent=draw(st.none() | st.just(1))).encode(
        "utf-8", "surrogatepass"
    )
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(data)))
        cut = draw(st.integers(0, 2))
        data = data[:at] + draw(JUNK | st.binary(max_size=2)) + data[at + cut :]
    return data


def refusal(data: bytes) -> Unreadable | None:
    try:
        read_json(data)
    except Unreadable as error:
        return error
    return None


@settings(max_examples=600)
@given(texts())
@example(b"-")
@example(b"[-]")
@example(b'"' + rb"\ud800\uZZZZ" + b'"')
def test_the_quick_way_and_the_slow_way_agree(data: bytes) -> None:
    fault, error = locate(data, depth=DEPTH_MAX), refusal(data)
    if error is None:
        assert fault is None
        assert same(read_json(data), json.loads(data))
        return
    assert fault is not None
    assert (error.field, error.line, error.column) == (fault.path, fault.line, fault.column)
    assert fault.path.startswith("/")
    lines = data.decode("utf-8", "replace").split("\n")
    assert 1 <= fault.line <= len(lines)
    assert 1 <= fault.column <= len(lines[fault.line - 1]) + 1


@given(JSON)
def test_what_is_written_is_read_back(value: Json) -> None:
    assert same(read_json(json.dumps(value).encode()), value)


def test_equality_keeps_apart_what_json_keeps_apart() -> None:
    assert not same(1, True)
    assert not same(1, 1.0)
    assert not same([1], {"0": 1})
    assert equal([1, {"a": 2}], [1.0, {"a": 2.0}])
    assert not equal(1, True)
    assert not equal(False, 0)
    assert not equal("1", 1)
    assert not equal({"a": None}, {})


INSTANTS = {
    "2026-03-01T09:30:00Z": "2026-03-01T09:30:00Z",
    "2026-03-01t09:30:00z": "2026-03-01T09:30:00Z",
    "2026-03-01T09:30:00.123456789+02:00": "2026-03-01T07:30:00.123456Z",
    "2026-03-01T09:30:00-00:00": "2026-03-01T09:30:00Z",
    "2016-12-31T23:59:60Z": "2016-12-31T23:59:59.999999Z",
    "2017-01-01T05:29:60+05:30": "2016-12-31T23:59:59.999999Z",
    "2016-12-31T15:59:60.5-08:00": "2016-12-31T23:59:59.999999Z",
    "2024-02-29T00:00:00Z": "2024-02-29T00:00:00Z",
    "2000-02-29T00:00:00Z": "2000-02-29T00:00:00Z",
    "0001-01-01T00:00:00+01:00": "0001-01-01T00:00:00Z",
    "0000-01-01T00:00:00Z": "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:60Z": "9999-12-31T23:59:59.999999Z",
    "9999-12-31T23:59:59-01:00": "9999-12-31T23:59:59.999999Z",
}
NO_INSTANTS = [
    "",
    "2026-03-01",
    "2026-03-01T09:30Z",
    "2026-03-01T09:30:00",
    "2026-03-01 09:30:00Z",
    "2026-03-01T09:30:00Z\n",
    "2026-03-01T09:30:00.Z",
    "2026-03-01T09:30:00,5Z",
    "2026-03-01T24:00:00Z",
    "2026-03-01T09:60:00Z",
    "2026-03-01T09:30:61Z",
    "2026-03-01T09:30:60Z",
    "2016-12-31T23:59:60+01:00",
    "2026-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-03-01T09:30:00+24:00",
    "2026-03-01T09:30:00+02:60",
    "2026-03-01T09:30:00+0200",
    "26-03-01T09:30:00Z",
    "٢٠٢٦-03-01T09:30:00Z",
]


@each("text", INSTANTS)
def test_an_instant_is_read_to_the_microsecond_inside_the_years_we_keep(text: str) -> None:
    assert is_instant(text)
    assert times.show(instant_of(text)) == INSTANTS[text]


@each("text", NO_INSTANTS)
def test_what_is_no_instant_is_refused(text: str) -> None:
    assert not is_instant(text)


@given(st.integers(times.MIN, times.MAX))
def test_an_instant_of_ours_is_read_back_as_itself(moment: int) -> None:
    text = times.show(times.Instant(moment))
    assert is_instant(text)
    assert instant_of(text) == moment


def test_an_address_is_absolute_and_holds_nothing_an_address_cannot() -> None:
    good = ["https://example.org/a?b=c#d", "urn:uuid:1", "mailto:a@b", "x:", "http://[::1]:80/", "a+b.c-d:%20"]
    bad = ["", "/a", "example.org", "1a:b", "http://a b", "x:%2", "x:\u00e9", "http://[::1/", "a:b\n", "x:a#b#c"]
    assert [text for text in good if not is_uri(text)] == []
    assert [text for text in bad if is_uri(text)] == []


def test_a_number_is_never_infinite() -> None:
    found = read_json(b"[1e308, -1e308]")
    assert isinstance(found, list)
    assert all(isinstance(one, float) and math.isfinite(one) for one in found)
