"""Versions, levels, the report, and how a bundle of any size is gone through."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.contracts.cites import cites
from tests.contracts.omir.bundles import bundle, edge, entity, episode, of, parity, record, spec, spelled, told, without
from tests.contracts.omir.strategies import documents

from muniment.contracts.finding import Severity
from muniment.contracts.omir.codes import CODES
from muniment.contracts.omir.explain import entry_violations
from muniment.contracts.omir.report import Level, Report, ReportStatus, ReportVerdict
from muniment.contracts.omir.validate import findings, validate
from muniment.contracts.omir.wire import RESOURCES
from muniment.contracts.strict.values import Json

BOTH = each("verdict", list(ReportVerdict))


@BOTH
@cites("OMIR-043")
def test_a_meta_block_must_say_r1(verdict: ReportVerdict) -> None:
    path = "/entry/0/meta/omirVersion"
    assert told(validate(bundle(record(meta={})), verdict=verdict)) == [("E301", path)]
    newer = validate(bundle(record(meta={"omirVersion": "R2"})), verdict=verdict)
    assert told(newer) == [("E120", path), ("E301", path)]
    assert [one.value for one in newer.findings if one.code == "E301"] == ["R2"]
    null = validate(bundle(record(meta=None)), verdict=verdict)
    assert sorted(told(null)) == [("E120", "/entry/0/meta"), ("E301", path)]


@BOTH
@cites("OMIR-044")
def test_no_meta_block_is_information_at_core_and_an_error_at_strict(verdict: ReportVerdict) -> None:
    data = bundle(without(record(), "meta"))
    core, strict = (validate(data, verdict=verdict, level=level) for level in (Level.CORE, Level.STRICT))
    assert (told(core), core.result, core.findings[0].severity) == (
        [("I302", "/entry/0")],
        ReportStatus.PASS,
        Severity.INFO,
    )
    assert (told(strict), strict.result) == ([("E302", "/entry/0/meta")], ReportStatus.FAIL)
    assert (core.core_conformant, strict.core_conformant, strict.badge_eligible) == (True, True, True)


REPORT = {
    "report": "OMIRConformanceReport",
    "omirValidateVersion": "0.1.0",
    "schemaRelease": "R1",
    "target": "x.omir",
    "level": "core",
    "result": "fail",
    "summary": {
        "entriesTotal": 4,
        "entriesByType": {"Entity": 1, "MemoryRecord": 2},
        "errors": 5,
        "warnings": 0,
        "info": 1,
    },
    "checks": {"structural": "fail", "referenceIntegrity": "fail", "versionPresence": "pass", "profile": "skipped"},
    "coreConformant": False,
    "badgeEligible": False,
}


@cites("OMIR-045")
def test_the_report_has_the_keys_order_and_casing_of_the_reference() -> None:
    data = bundle(record("m1", tier="x", parentId="gone"), entity(), record("m2", createdAt=1), 5)
    found = validate(data, verdict=ReportVerdict.PARITY, target="x.omir")
    shown = msgspec.json.decode(msgspec.json.encode(found))
    told_of = shown.pop("findings")
    assert shown == REPORT
    assert list(msgspec.json.decode(msgspec.json.encode(found))) == [
        *list(REPORT)[:-2],
        "findings",
        "coreConformant",
        "badgeEligible",
    ]
    assert list(shown["summary"]["entriesByType"]) == ["Entity", "MemoryRecord"]
    assert list(shown["summary"]) == ["entriesTotal", "entriesByType", "errors", "warnings", "info"]
    assert [list(one) for one in told_of] == [
        ["code", "severity", "check", "path", "message"],
        ["code", "severity", "check", "entry", "path", "message"],
        ["code", "severity", "check", "entry", "path", "message"],
        ["code", "severity", "check", "path", "message"],
        ["code", "severity", "check", "entry", "path", "value", "message"],
        ["code", "severity", "check", "entry", "path", "message"],
    ]
    assert told_of[1]["entry"] == {"index": 0, "resourceType": "MemoryRecord", "id": "m1"}


def test_findings_stand_in_the_order_of_the_reference() -> None:
    data = spelled(
        {
            "resourceType": "x",
            "omirVersion": "x",
            "x": 1,
            "entry": [
                without(edge("r1", "g", sourceEpisode={"ref": "Episode/g"}), "meta"),
                record("m1", parentId="g", entityRefs=[{"ref": "Entity/g"}], meta={"omirVersion": "R0"}),
                5,
                record("m1"),
                {"resourceType": "Agent", "meta": {"omirVersion": "R1"}},
            ],
        }
    )
    assert told(parity(data)) == [
        ("E110", "/"),
        ("E110", "/entry/2"),
        ("E111", "/resourceType"),
        ("E120", "/entry/1/meta/omirVersion"),
        ("E100", "/entry/2"),
        ("E101", "/entry/4/resourceType"),
        ("W202", "/entry/3/id"),
        ("E200", "/entry/0/from/ref"),
        ("E200", "/entry/0/to/ref"),
        ("E200", "/entry/0/sourceEpisode/ref"),
        ("E200", "/entry/1/entityRefs/0/ref"),
        ("E200", "/entry/1/parentId"),
        ("E300", "/omirVersion"),
        ("I302", "/entry/0"),
        ("E301", "/entry/1/meta/omirVersion"),
        ("I302", "/entry/2"),
    ]


SUBS: dict[str, Json] = {
    "enum": record(kind="x"),
    "range": record(importance=2),
    "type": record(importance="x"),
    "required": without(record(), "content"),
    "unknown": record(x=1),
    "format": record(eventTime="x"),
    "pattern": record("a b"),
}


@each("sub", SUBS)
@cites("OMIR-049")
def test_beside_e120_stands_which_sort_of_violation_it_is(sub: str) -> None:
    (one,) = [one for one in spec(bundle(SUBS[sub])).findings if one.code == "E120"]
    assert one.sub == sub
    (bare,) = [one for one in parity(bundle(SUBS[sub])).findings if one.code == "E120"]
    assert bare.sub is msgspec.UNSET


@cites("OMIR-050")
def test_one_bad_entry_is_told_once_and_in_a_stable_order() -> None:
    entries: list[Json] = [5, record("m1", tier="x", kind="y"), {"resourceType": "Agent"}]
    assert of(parity(bundle(*entries[:1])), "E110", "E100", "I302") == [
        ("E110", "/entry/0"),
        ("E100", "/entry/0"),
        ("I302", "/entry/0"),
    ]
    expected = [
        ("E100", "/entry/0"),
        ("E120", "/entry/1/kind"),
        ("E120", "/entry/1/tier"),
        ("E101", "/entry/2/resourceType"),
    ]
    assert told(spec(bundle(*entries))) == expected
    turned: Json = {name: record("m1", tier="x", kind="y")[name] for name in reversed(list(record(tier="x", kind="y")))}
    assert told(spec(bundle(5, turned, entries[2]))) == expected
    assert len(set(told(spec(bundle(*entries))))) == len(expected)


@given(documents(), st.sampled_from(list(Level)))
def test_what_the_text_lets_pass_the_reference_lets_pass(document: Json, level: Level) -> None:
    data = spelled(document)
    if validate(data, level=level).passed:
        assert validate(data, verdict=ReportVerdict.PARITY, level=level).passed


@given(documents(), st.data())
def test_a_bundle_is_judged_alike_quickly_and_slowly(document: Json, draw: st.DataObject) -> None:
    """Written with 1.0 for 1, an entry is not read straight into its type, and must fare no otherwise."""
    data = spelled(document)
    slow = data.replace(b'"version": 1,', b'"version": 1.0,').replace(b'"version": 1}', b'"version": 1.0}')
    verdict = draw.draw(st.sampled_from(list(ReportVerdict)))
    assert told(validate(slow, verdict=verdict)) == told(validate(data, verdict=verdict))


JUNK: list[Json] = [
    None,
    True,
    0,
    -1,
    2.5,
    2.0,
    10**20,
    1.5,
    "",
    "x",
    "a b",
    "m\n",
    "Entity/a\n",
    "2026-02-29T00:00:00Z",
]
JUNK += ["2016-12-31T23:59:60Z", "2026-05-30T11:42:05z", "x y:", "urn:x", [], {}, ["x"], {"ref": "Entity/a"}]


def _places(value: Json, way: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    parts: list[tuple[str | int, Json]] = []
    if isinstance(value, dict):
        parts = list(value.items())
    elif isinstance(value, list):
        parts = list(enumerate(value))
    return [way, *(place for name, part in parts for place in _places(part, (*way, name)))]


def _changed(value: Json, way: tuple[str | int, ...], new: Json) -> Json:
    if not way:
        return new
    if isinstance(value, dict):
        return {name: _changed(part, way[1:], new) if name == way[0] else part for name, part in value.items()}
    assert isinstance(value, list)
    return [_changed(part, way[1:], new) if number == way[0] else part for number, part in enumerate(value)]


@given(documents(), st.data())
def test_an_entry_is_found_wrong_by_the_quick_way_exactly_if_it_is_by_the_slow_one(
    document: Json, draw: st.DataObject
) -> None:
    for _ in range(5):
        place = draw.draw(st.sampled_from(_places(document)))
        found = _changed(document, place, draw.draw(st.sampled_from(JUNK)))
        entries = found.get("entry") if isinstance(found, dict) else None
        wrong = {
            number
            for number, one in enumerate(entries if isinstance(entries, list) else [])
            if isinstance(one, dict)
            and isinstance(kind := one.get("resourceType"), str)
            and kind in RESOURCES
            and entry_violations(one, kind, "/")
        }
        told_wrong = {int(path.split("/")[2]) for code, path in told(parity(spelled(found))) if code == "E120"}
        assert told_wrong == wrong


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_no_text_is_too_odd_to_be_judged(data: bytes) -> None:
    assert all(one.path.startswith("/") for one in findings(data))


def test_every_code_that_is_told_is_described() -> None:
    data = bundle(record(x=1, parentId="m1"), 5, record("m1"), edge(normalizedStrength=1), {"@context": 1})
    told_codes = {one.code for one in spec(data).findings}
    assert told_codes <= CODES.keys()
    assert {one.hint for one in spec(data).findings} <= {one.hint for one in CODES.values()}


def test_every_code_is_on_the_page_about_validation() -> None:
    page = (Path(__file__).parents[3] / "docs" / "contracts" / "omir-validation.md").read_text()
    assert [code for code, said in CODES.items() if f"| {code} | {said.means} |" not in page] == []


def _many(count: int) -> bytes:
    """A bundle of realistic entries that all refer to each other."""
    quarter = count // 4
    entries: list[Json] = []
    for number in range(quarter):
        near: Json = {"ref": f"Entity/e{number}"}
        entries += [
            entity(f"e{number}", labels=["project"], salience=0.5, lastSeenAt="2026-05-30T11:42:00Z"),
            episode(f"p{number}", entityRefs=[near], source="message"),
            edge(f"r{number}", f"e{number}", f"e{(number * 7) % quarter}", sourceEpisode={"ref": f"Episode/p{number}"}),
            record(f"m{number}", entityRefs=[near], importance=0.5, version=1, tier="session", content="words " * 20),
        ]
    return bundle(*entries)


def _calls(work: Callable[[], object]) -> int:
    count = 0

    def called(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@BOTH
@cites("OMIR-090")
def test_ten_times_the_entries_are_ten_times_the_work(verdict: ReportVerdict) -> None:
    small, large = _many(400), _many(4_000)
    validate(small, verdict=verdict)
    few = _calls(lambda: validate(small, verdict=verdict))
    many = _calls(lambda: validate(large, verdict=verdict))
    assert many < 10.5 * few


@pytest.mark.slow
@BOTH
@cites("OMIR-090")
def test_100_000_entries_are_validated(verdict: ReportVerdict) -> None:
    found = validate(_many(100_000), verdict=verdict)
    assert (found.result, found.summary.entries_total, told(found)) == (ReportStatus.PASS, 100_000, [])


@BOTH
@cites("OMIR-048", "OMIR-090")
def test_a_large_bundle_is_read_an_entry_at_a_time(verdict: ReportVerdict) -> None:
    data = _many(8_000)
    found: list[Report] = []
    validate(data, verdict=verdict)
    tracemalloc.start()
    try:
        found.append(validate(data, verdict=verdict))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found[0].result is ReportStatus.PASS
    assert peak < 3 * len(data)
