"""Reading a bundle and its envelope."""

from __future__ import annotations

import json

import pytest
from tests.cases import each
from tests.contracts.cites import cites
from tests.contracts.omir.bundles import AT, bundle, entity, of, parity, record, spec, spelled, told, without

from muniment.contracts.finding import Severity
from muniment.contracts.omir import CONTRACT
from muniment.contracts.omir.report import Level, ReportStatus, ReportVerdict
from muniment.contracts.omir.validate import Options, findings, validate
from muniment.contracts.strict.reader import ReaderLimits
from muniment.contracts.strict.values import Json
from muniment.model.errors import LimitExceeded, Unreadable

WHOLE: dict[str, Json] = {"resourceType": "Bundle", "omirVersion": "R1", "entry": []}
BOTH = each("verdict", list(ReportVerdict))


def _nested(depth: int) -> bytes:
    """A bundle whose deepest list stands `depth` deep."""
    inside = depth - 5
    return bundle(record(extension=[{"url": "x:y", "valueJson": "@"}])).replace(b'"@"', b"[" * inside + b"]" * inside)


@BOTH
@cites("OMIR-001")
def test_a_bundle_in_utf8_passes(verdict: ReportVerdict) -> None:
    data = spelled({**WHOLE, "source": "Zoë"}).decode().encode("utf-8")
    assert validate(data, verdict=verdict).result is ReportStatus.PASS


@BOTH
@cites("OMIR-001")
def test_anything_but_an_object_fails(verdict: ReportVerdict) -> None:
    found = validate(b"[]", verdict=verdict)
    assert found.result is ReportStatus.FAIL
    assert sorted(told(found)) == [("E110", "/"), ("E111", "/resourceType"), ("E300", "/omirVersion")]


FATAL = {
    "no JSON": b"{",
    "nothing": b"",
    "text after it": b"{} x",
    "a byte order mark": b"\xef\xbb\xbf{}",
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "bytes that are no UTF-8": b'{"@context": "\xff"}',
    "NaN": b'{"@context": NaN}',
    "Infinity": b'{"@context": Infinity}',
    "a number out of range": b'{"@context": 1e400}',
    "a whole number out of range": b'{"@context": 1' + b"0" * 309 + b"}",
    "half a surrogate pair": b'{"@context": "\\ud800"}',
    "a control character": b'{"@context": "\x01"}',
    "a comment": b'{"@context": 1 /* x */}',
    "a trailing comma": b'{"entry": [1,]}',
}


@BOTH
@each("data", FATAL.values(), ids=FATAL.keys())
@cites("OMIR-002", "OMIR-003")
def test_what_is_no_json_is_fatal(data: bytes, verdict: ReportVerdict) -> None:
    with pytest.raises(Unreadable):
        validate(data, verdict=verdict)
    assert [one.code for one in findings(data)] == ["E000"]


@each("bad", [b"1e400", b"1" + b"0" * 309, b'"\\udc00"', b'"\x02"', b"NaN"])
@cites("OMIR-003")
def test_what_cannot_be_read_is_fatal_inside_an_entry_too(bad: bytes) -> None:
    fields: list[Json] = [
        record(importance="@"),
        record(version="@"),
        record(extension=[{"url": "x:y", "valueJson": "@"}]),
    ]
    for one in fields:
        with pytest.raises(Unreadable):
            parity(bundle(one).replace(b'"@"', bad))


def test_a_large_whole_number_that_a_float_can_hold_is_read() -> None:
    assert parity(bundle(record(version=10**20))).result is ReportStatus.PASS
    assert parity(bundle(record(version=10**308))).result is ReportStatus.PASS


@BOTH
@cites("OMIR-004")
def test_nesting_of_100_is_taken_and_of_200_refused(verdict: ReportVerdict) -> None:
    assert validate(_nested(100), verdict=verdict).result is ReportStatus.PASS
    assert validate(_nested(127), verdict=verdict).result is ReportStatus.PASS
    with pytest.raises(Unreadable):
        validate(_nested(128), verdict=verdict)
    with pytest.raises(Unreadable):
        validate(_nested(200), verdict=verdict)


@pytest.mark.parametrize("depth", [1_000, 100_000])
@cites("OMIR-004")
def test_no_nesting_ends_the_process_and_the_limit_can_be_set(depth: int) -> None:
    for text in (b"[" * depth, b'{"a":' * depth, _nested(depth), b'{"entry":' + b"[" * depth + b"]" * depth + b"}"):
        with pytest.raises(Unreadable):
            spec(text)
    with pytest.raises(Unreadable):
        spec(_nested(20), options=Options(limits=ReaderLimits(depth=19)))
    assert spec(_nested(200), options=Options(limits=ReaderLimits(depth=200))).result is ReportStatus.PASS


def test_a_text_beyond_the_limit_is_refused() -> None:
    with pytest.raises(LimitExceeded):
        spec(bundle(), options=Options(limits=ReaderLimits(bytes=10, depth=127)))


_HEAD = b'{"resourceType": "Bundle", "omirVersion": "R1",\n'
_ENTITY = b'{"resourceType": "Entity", "id": "a",\n'
REPEATS = {
    "in the envelope": (_HEAD + b'"entry": [],\n  "entry": []}', "/entry", (2, 1), (3, 3)),
    "in an entry": (
        _HEAD + b'"entry": [' + _ENTITY + b' "name": 5, "name": "Ana"}]}',
        "/entry/0/name",
        (3, 2),
        (3, 13),
    ),
    "in an extension": (
        _HEAD + b'"entry": [' + _ENTITY + b'"name": "Ana", "extension": [{"url": "x:y", "valueJson":\n'
        b'{"a": [{"k/": 1, "k\\/": "\\"{\\\\"}]}}]}]}',
        "/entry/0/extension/0/valueJson/a/0/k~1",
        (4, 9),
        (4, 18),
    ),
    "in the context": (_HEAD + b'"@context":\n{"a": {}, "a": {}}, "entry": []}', "/@context/a", (3, 2), (3, 11)),
}


@each(("data", "path", "first", "again"), REPEATS.values(), ids=REPEATS.keys())
@cites("OMIR-005")
def test_a_key_said_twice_is_told_with_both_places_and_fails_the_text(
    data: bytes, path: str, first: tuple[int, int], again: tuple[int, int]
) -> None:
    (one,) = [one for one in spec(data).findings if one.code == "E500"]
    assert (one.path, one.severity) == (path, Severity.ERROR)
    assert one.message == (
        f"the key is said at line {first[0]}, column {first[1]}, and again at line {again[0]}, column {again[1]}"
    )
    for level in Level:
        assert (spec(data, level).result, spec(data, level).core_conformant) == (ReportStatus.FAIL, False)
    assert of(parity(data), "E500") == []


@cites("OMIR-005")
def test_a_key_said_twice_is_told_in_a_bad_entry_too_and_quotes_in_texts_mislead_nobody() -> None:
    bad = bundle(entity(name=5)).replace(b'"name": 5', b'"name": 5, "name": 6')
    assert of(spec(bad), "E500") == [("E500", "/entry/0/name")]
    words = ['"', '\\"', '\\\\"', "\\", '\\\\\\"', 'a "quoted" \\ text', '"":"'] * 2
    held = bundle(*(entity(f"e{number}", name=text, attributes={text: text}) for number, text in enumerate(words)))
    assert of(spec(held), "E500") == []


@cites("OMIR-005")
def test_what_the_text_fails_for_a_key_said_twice_is_not_decoded_either() -> None:
    data = _HEAD + b'"entry": [' + _ENTITY + b' "name": "Ada", "name": "Ana"}]}'
    with pytest.raises(Unreadable):
        CONTRACT.decode(data)
    assert [one.code for one in CONTRACT.check(data) if one.severity is Severity.ERROR] == ["E500"]
    assert parity(data).result is ReportStatus.PASS


@each("depth", [100, 101, 127])
@cites("OMIR-004")
def test_what_is_found_valid_is_decoded_however_deep(depth: int) -> None:
    data = _nested(depth)
    assert spec(data).passed
    written = CONTRACT.encode(CONTRACT.decode(data)).data
    assert json.loads(written) == json.loads(data)


def test_the_last_of_two_equal_keys_counts_as_for_the_reference() -> None:
    data = bundle(record(importance="@")).replace(b'"importance": "@"', b'"importance": 5, "importance": 0.5')
    assert parity(data).result is ReportStatus.PASS


@BOTH
@cites("OMIR-006")
def test_a_bundle_must_say_that_it_is_one(verdict: ReportVerdict) -> None:
    absent = validate(spelled(without(WHOLE, "resourceType")), verdict=verdict)
    assert told(absent) == [("E110", "/"), ("E111", "/resourceType")]
    other = validate(spelled({**WHOLE, "resourceType": "bundle"}), verdict=verdict)
    assert told(other) == [("E111", "/resourceType")]
    assert other.findings[0].value == "bundle"


@BOTH
@cites("OMIR-007")
def test_a_bundle_must_be_of_release_r1(verdict: ReportVerdict) -> None:
    absent = validate(spelled(without(WHOLE, "omirVersion")), verdict=verdict)
    assert of(absent, "E300") == [("E300", "/omirVersion")]
    assert told(validate(spelled({**WHOLE, "omirVersion": "r1"}), verdict=verdict)) == [("E300", "/omirVersion")]
    number = validate(spelled({**WHOLE, "omirVersion": 1}), verdict=verdict)
    assert sorted(told(number)) == [("E110", "/omirVersion"), ("E300", "/omirVersion")]


@BOTH
@cites("OMIR-008")
def test_a_bundle_must_have_a_list_of_entries(verdict: ReportVerdict) -> None:
    assert told(validate(spelled(without(WHOLE, "entry")), verdict=verdict)) == [("E110", "/")]
    others: list[Json] = [{}, None, "x", 1]
    for wrong in others:
        assert told(validate(spelled({**WHOLE, "entry": wrong}), verdict=verdict)) == [("E110", "/entry")]


@BOTH
@each("level", [Level.CORE, Level.STRICT])
@cites("OMIR-009")
def test_an_empty_bundle_passes(verdict: ReportVerdict, level: Level) -> None:
    found = validate(spelled(WHOLE), verdict=verdict, level=level)
    assert (found.result, told(found)) == (ReportStatus.PASS, [])


@BOTH
@each("name", ["vendor", "meta", "extension", "Id"])
@cites("OMIR-010")
def test_a_field_the_bundle_does_not_have_is_refused(name: str, verdict: ReportVerdict) -> None:
    found = validate(spelled({**WHOLE, name: []}), verdict=verdict)
    assert (told(found), found.result) == ([("E110", "/")], ReportStatus.FAIL)


@BOTH
@cites("OMIR-011")
def test_the_id_and_the_time_of_a_bundle_have_their_form(verdict: ReportVerdict) -> None:
    assert told(validate(spelled({**WHOLE, "id": "b:1.x_-", "generatedAt": AT}), verdict=verdict)) == []
    wrong = validate(spelled({**WHOLE, "id": "a b", "generatedAt": "2026-05-30"}), verdict=verdict)
    assert sorted(told(wrong)) == [("E110", "/generatedAt"), ("E110", "/id")]


@each("context", [None, 1, {}, [], "https://omir.io/spec/R1/context.jsonld", {"a": "b"}])
@cites("OMIR-012")
def test_any_context_passes(context: Json) -> None:
    data = spelled({**WHOLE, "@context": context})
    assert (told(parity(data)), told(spec(data))) == ([], [])


@cites("OMIR-012")
def test_a_context_that_is_another_text_warns() -> None:
    data = spelled({**WHOLE, "@context": "https://example.org/context"})
    assert (parity(data).result, told(spec(data))) == (ReportStatus.PASS, [("W501", "/@context")])
    assert spec(data).result is ReportStatus.PASS
    assert spec(data, Level.STRICT).result is ReportStatus.FAIL


@BOTH
@cites("OMIR-013")
def test_an_entry_that_is_no_object_is_e100(verdict: ReportVerdict) -> None:
    others: list[Json] = [None, 1, "x", [], True]
    for wrong in others:
        assert of(validate(bundle(wrong), verdict=verdict), "E100", "E101") == [("E100", "/entry/0")]


@BOTH
@each("kind", ["Bundle", "memoryrecord", "Agent", "", 5, None])
@cites("OMIR-013")
def test_an_entry_of_no_known_type_is_e101(kind: Json, verdict: ReportVerdict) -> None:
    found = validate(bundle({**entity(), "resourceType": kind}), verdict=verdict)
    assert of(found, "E101", "E120") == [("E101", "/entry/0/resourceType")]
    absent = validate(bundle(without(entity(), "resourceType")), verdict=verdict)
    assert of(absent, "E101", "E120") == [("E101", "/entry/0/resourceType")]


@each("release", ["R2", "R3", "R10"])
@cites("OMIR-014")
def test_a_newer_release_is_one_finding_only(release: str) -> None:
    data = spelled({"resourceType": "Bundle", "omirVersion": release, "entry": [{"resourceType": "Agent"}], "new": 1})
    assert told(spec(data)) == [("E300", "/omirVersion")]
    assert spec(data).result is ReportStatus.FAIL
    assert len(told(parity(data))) > 1
