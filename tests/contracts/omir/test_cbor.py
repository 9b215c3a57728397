"""`.omirb` says what `.omir` says, in one spelling, and hostile bytes are refused with their place."""

from __future__ import annotations

import json
import re
import tracemalloc
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.contracts.cites import cites
from tests.contracts.omir.example import DATA, document
from tests.contracts.omir.strategies import JSONS, documents

from muniment.contracts.omir import CONTRACT
from muniment.contracts.omir.cbor import SELF_DESCRIBED, read_cbor, write_cbor
from muniment.contracts.strict.reader import ReaderLimits, read_json
from muniment.contracts.strict.values import Json, JsonObject, same
from muniment.model.errors import LimitExceeded, Malformed

VECTORS: list[tuple[Json, str]] = [
    (0, "00"),
    (23, "17"),
    (24, "1818"),
    (255, "18ff"),
    (256, "190100"),
    (65_536, "1a00010000"),
    (2**32, "1b0000000100000000"),
    (2**64 - 1, "1bffffffffffffffff"),
    (2**64, "c249010000000000000000"),
    (-1, "20"),
    (-25, "3818"),
    (-(2**64), "3bffffffffffffffff"),
    (-(2**64) - 1, "c349010000000000000000"),
    (0.0, "f90000"),
    (-0.0, "f98000"),
    (1.0, "f93c00"),
    (1.5, "f93e00"),
    (65_504.0, "f97bff"),
    (100_000.0, "fa47c35000"),
    (1.1, "fb3ff199999999999a"),
    (5e-324, "fb0000000000000001"),
    (False, "f4"),
    (True, "f5"),
    (None, "f6"),
    ("", "60"),
    ("ü", "62c3bc"),
    ([], "80"),
    ([1, [2.5]], "820181f94100"),
    ({}, "a0"),
    ({"aa": 1, "b": 2, "": 3}, "a3600361620262616101"),
    (
        {"resourceType": "Bundle", "omirVersion": "R1", "entry": []},
        "a365656e747279806b6f6d697256657273696f6e6252316c7265736f75726365547970656642756e646c65",
    ),
]


@each(("value", "spelled"), VECTORS, ids=lambda part: str(part)[:24])
def test_a_value_has_the_published_spelling(value: Json, spelled: str) -> None:
    assert write_cbor(value).hex() == spelled
    assert same(read_cbor(bytes.fromhex(spelled)), value)


def test_the_page_shows_these_very_spellings() -> None:
    page = (Path(__file__).parents[3] / "docs" / "contracts" / "omirb.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*`) \| (`.*`) \|$", page, re.MULTILINE)
    assert len(rows) == 13
    for values, spellings in rows:
        left, right = re.findall(r"`([^`]*)`", values), re.findall(r"`([^`]*)`", spellings)
        assert [write_cbor(json.loads(value)).hex() for value in left] == right


@cites("OMIR-062")
@given(documents(draft=True))
def test_a_bundle_is_the_same_after_the_binary_form(document: JsonObject) -> None:
    packed = write_cbor(document)
    assert same(read_cbor(packed), document)
    assert write_cbor(read_cbor(packed)) == packed


@cites("OMIR-062")
def test_whoever_writes_the_binary_form_can_write_the_text() -> None:
    packed = write_cbor(read_json(DATA), described=True)
    text = json.dumps(read_cbor(packed)).encode()
    assert same(read_json(text), document())
    assert [one.id for one in CONTRACT.decode(text)] == [one.id for one in CONTRACT.decode(DATA)]


@given(JSONS)
def test_the_order_of_keys_does_not_show(value: Json) -> None:
    turned = json.loads(json.dumps(value), object_pairs_hook=lambda pairs: dict(reversed(pairs)))
    assert write_cbor(turned) == write_cbor(value)


def test_the_tag_that_describes_itself_is_passed_over() -> None:
    assert write_cbor([1], described=True) == SELF_DESCRIBED + b"\x81\x01"
    assert read_cbor(SELF_DESCRIBED + b"\x81\x01") == [1]


@cites("OMIR-063")
@each(
    ("spelled", "place", "expected"),
    [
        ("", 0, "more: the document ends here"),
        ("8201", 1, "2 values: there are not that many bytes"),
        ("818181", 3, "1 values: there are not that many bytes"),
        ("81c2", 2, "more: the document ends here"),
        ("6261", 1, "2 bytes: the document ends before"),
        ("0000", 1, "the end of the document"),
        ("4161", 0, "text: byte strings are not of this format"),
        ("f7", 0, "true, false, null or a float"),
        ("f97e00", 3, "a finite number"),
        ("f97c00", 3, "a finite number"),
        ("fa3fc00000", 5, "a float in its shortest form"),
        ("1817", 2, "a number in its shortest form"),
        ("190018", 3, "a number in its shortest form"),
        ("c24101", 3, "a whole number in its shortest form"),
        ("c11a514b67b0", 0, "no tag but that of large whole numbers"),
        ("9f01ff", 0, "a definite length"),
        ("a10102", 1, "a key that is text"),
        ("a2616101616102", 6, "keys in the order of their bytes, each once"),
        ("a2616201616102", 6, "keys in the order of their bytes, each once"),
        ("62c328", 3, "UTF-8 text"),
        ("63eda080", 4, "UTF-8 text"),
        ("9b7fffffffffffffff", 9, "9223372036854775807 values: there are not that many bytes"),
        ("bb7fffffffffffffff", 9, "9223372036854775807 pairs: there are not that many bytes"),
        ("7b7fffffffffffffff", 9, "9223372036854775807 bytes: the document ends before"),
    ],
)
def test_what_is_not_of_the_form_is_refused_with_its_place(spelled: str, place: int, expected: str) -> None:
    with pytest.raises(Malformed) as refused:
        read_cbor(bytes.fromhex(spelled))
    assert (refused.value.field, refused.value.expected) == (f"/byte/{place}", expected)


@cites("OMIR-063")
def test_depth_size_and_large_numbers_have_limits() -> None:
    assert read_cbor(b"\x81" * 126 + b"\x80") is not None
    with pytest.raises(LimitExceeded, match="at most 127 levels"):
        read_cbor(b"\x81" * 127 + b"\x80")
    with pytest.raises(LimitExceeded, match="at most 3 bytes"):
        read_cbor(b"\x83\x01\x02\x03", limits=ReaderLimits(bytes=3))
    with pytest.raises(LimitExceeded, match="at most 1661 bytes"):
        read_cbor(b"\xc2\x59\x06\x7e" + b"\x01" * 1_662)


@cites("OMIR-062", "OMIR-063")
def test_the_longest_whole_number_of_the_text_is_the_longest_of_the_binary_form() -> None:
    text = b"9" * 4_000
    assert write_cbor(read_json(text))[:4] == b"\xc2\x59\x06\x7d"
    assert msgspec.json.encode(read_cbor(write_cbor(read_json(text)))) == text
    largest = read_cbor(b"\xc2\x59\x06\x7d" + b"\xff" * 1_661)
    assert len(msgspec.json.encode(largest)) == 4_001


@cites("OMIR-063")
@given(st.binary(max_size=64))
def test_any_bytes_are_read_or_refused(spelled: bytes) -> None:
    try:
        value = read_cbor(spelled)
    except (Malformed, LimitExceeded):
        return
    assert write_cbor(value) == spelled.removeprefix(SELF_DESCRIBED)


@cites("OMIR-063")
@given(documents(), st.integers(0, 10_000), st.integers(0, 255))
def test_a_damaged_bundle_is_read_or_refused(document: JsonObject, place: int, byte: int) -> None:
    packed = bytearray(write_cbor(document))
    packed[place % len(packed)] = byte
    for damaged in (bytes(packed), bytes(packed[: place % len(packed)])):
        try:
            value = read_cbor(damaged)
        except (Malformed, LimitExceeded):
            continue
        assert write_cbor(value) == damaged


@cites("OMIR-063")
def test_a_length_is_not_believed_beyond_the_bytes_there_are() -> None:
    tracemalloc.start()
    for lead in (b"\x9a", b"\xba", b"\x7a"):
        with pytest.raises(Malformed):
            read_cbor(lead + b"\x7f\xff\xff\xff" + b"\xf6" * 100)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000
