"""What the reference validator 0.1.0 is known to say of one odd document after the other, asked of the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.contracts.cites import cites
from tests.contracts.omir.bundles import AT, bundle, edge, entity, episode, record, spelled, without

from muniment.contracts.omir.report import Level, ReportVerdict
from muniment.contracts.omir.validate import validate
from muniment.contracts.strict.values import Json, JsonObject
from muniment.surfaces.cli import run

WHOLE: JsonObject = {"resourceType": "Bundle", "omirVersion": "R1", "entry": []}
GRADED: JsonObject = {"omirVersion": "R1"}
LONG = "a" * 128


def timed(text: str) -> bytes:
    return bundle(record(createdAt=text))


def addressed(text: str) -> bytes:
    return bundle(record(extension=[{"url": text, "valueString": "x"}]))


def raw(text: bytes, **fields: Json) -> bytes:
    """A record with one field spelled as it is given."""
    ((name, _),) = fields.items()
    return bundle(record(**{name: "@"})).replace(b'"@"', text)


def valued(text: bytes) -> bytes:
    return bundle(record(extension=[{"url": "x:y", "valueJson": "@"}])).replace(b'"@"', text)


def nested(depth: int) -> bytes:
    return valued(b"[" * (depth - 5) + b"]" * (depth - 5))


ACCEPTED: dict[str, bytes] = {
    "lower-case t and z": timed("2026-05-30t11:42:05z"),
    "minus zero as the zone": timed("2026-05-30T11:42:05-00:00"),
    "the farthest zone": timed("2026-05-30T11:42:05+23:59"),
    "a leap second": timed("2016-12-31T23:59:60Z"),
    "a leap second through a zone ahead": timed("2017-01-01T05:29:60+05:30"),
    "a leap second through a zone behind": timed("2016-12-31T15:59:60-08:00"),
    "the year 0000": timed("0000-01-01T00:00:00Z"),
    "29 February of a leap year": timed("2024-02-29T00:00:00Z"),
    "one digit of a fraction": timed("2026-05-30T11:42:05.1Z"),
    "thirty digits of a fraction": timed("2026-05-30T11:42:05." + "1" * 30 + "Z"),
    "minus zero": raw(b"-0.0", importance=0),
    "zero and one as whole numbers": bundle(record(importance=0), record("m2", importance=1)),
    "1.0 as a whole number": raw(b"1.0", version=1),
    "1e2 as a whole number": raw(b"1e2", version=1),
    "10 to the 20th as a version": raw(b"1" + b"0" * 20, version=1),
    "a number that rounds to one": raw(b"1.00000000000000000001", importance=1),
    "the smallest half-life": bundle(record(decay="@")).replace(b'"@"', b'{"halfLifeHours": 5e-324}'),
    "empty texts": bundle(record(content=""), entity(name=""), edge(relationType=""), episode(content="")),
    "labels twice": bundle(entity(labels=["person", "person"])),
    "references twice": bundle(entity(), record(entityRefs=[{"ref": "Entity/a"}, {"ref": "Entity/a"}])),
    "addresses of extensions twice": bundle(record(extension=[{"url": "x:y"}, {"url": "x:y"}])),
    "no value of an extension": bundle(record(extension=[{"url": "x:y"}])),
    "two values of an extension": bundle(record(extension=[{"url": "x:y", "valueString": "a", "valueNumber": 1}])),
    "null as the value of an extension": bundle(record(extension=[{"url": "x:y", "valueJson": None}])),
    "an extension under omir.io": addressed("https://omir.io/spec/R1/extension/mine"),
    "javascript: as an address": addressed("javascript:"),
    "https: as an address": addressed("https:"),
    "a urn": addressed("urn:x:y"),
    "null as the context": spelled({**WHOLE, "@context": None}),
    "a number as the context": spelled({**WHOLE, "@context": 5}),
    "any object as the context": spelled({**WHOLE, "@context": {"x": [1]}}),
    "another text as the context": spelled({**WHOLE, "@context": "https://example.org/"}),
    "no entries": spelled(WHOLE),
    "an empty confidence": bundle(record(confidence={})),
    "alpha alone": bundle(record(confidence={"alpha": 1})),
    "a calibrated value against its counts": bundle(record(confidence={"alpha": 9, "beta": 1, "calibrated": 0.1})),
    "a decay and a provenance that say nothing": bundle(record(decay={}, provenance={})),
    "maturity 5 on an entity": bundle(entity(meta={**GRADED, "maturity": 5})),
    "a claimed profile that is not kept": bundle(
        record(meta={**GRADED, "profile": ["https://omir.io/spec/R1/profile/omir-coding-agent"]})
    ),
    "a record that is its own parent": bundle(record("m1", parentId="m1")),
    "a circle of parents": bundle(record("m1", parentId="m2"), record("m2", parentId="m1")),
    "an edge from an entity to itself": bundle(entity(), edge("r1", "a", "a")),
    "validUntil before createdAt": bundle(record(validUntil="2020-01-01T00:00:00Z")),
    "invalidatedAt before validAt": bundle(entity(), edge(validAt=AT, invalidatedAt="2020-01-01T00:00:00Z")),
    "lastAccess before createdAt": bundle(record(decay={"lastAccess": "2020-01-01T00:00:00Z"})),
    "lastUpdated before createdAt": bundle(record(meta={**GRADED, "lastUpdated": "2020-01-01T00:00:00Z"})),
    "eventTime far ahead": bundle(record(eventTime="2099-01-01T00:00:00Z")),
    "a competitor that is not there": bundle(record(interference={"competesWith": [{"ref": "MemoryRecord/x"}]})),
    "a competitor of another type": bundle(entity(), record(interference={"competesWith": [{"ref": "Entity/a"}]})),
    "a record that competes with itself": bundle(record(interference={"competesWith": [{"ref": "MemoryRecord/m1"}]})),
    "strengths that sum to more than one": bundle(
        entity(),
        *(edge(f"r{n}", normalizedStrength=0.9, normalization={"scheme": "fan", "over": "source"}) for n in (1, 2)),
    ),
    "an empty normalization": bundle(entity(), edge(normalizedStrength=0.5, normalization={})),
    "a sketch of the wrong size": spelled(
        {
            **WHOLE,
            "familiaritySketch": {
                "kind": "bloom",
                "domain": "entity",
                "hashes": 4,
                "bits": 1024,
                "hashAlg": "xxh3-64",
                "data": "no base64!",
            },
        }
    ),
    "a key said twice, the last of which is good": bundle(record(tier="@")).replace(b'"@"', b'"x", "tier": "session"'),
    "nesting of 100": nested(100),
    "an id of 1 and of 128 characters": bundle(record("a"), record(LONG)),
    "one id on two types": bundle(record("a"), entity("a")),
    "an escaped control character": valued(rb'"\u0001\u0000"'),
    "a whole surrogate pair": valued(rb'"\ud83d\ude00"'),
    "a reference ahead": bundle(record(entityRefs=[{"ref": "Entity/a"}]), entity()),
}


@pytest.fixture
def said(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Answer:
    return Answer(tmp_path / "probe.omir", capfdbinary)


class Answer:
    """Asks the command line for the verdict of the reference on one document."""

    def __init__(self, path: Path, capture: pytest.CaptureFixture[bytes]) -> None:
        self._path = path
        self._capture = capture

    def __call__(self, data: bytes, *words: str) -> tuple[int, list[tuple[str, str, str]]]:
        """The exit code, and code, severity and path of each finding. Without a report: no findings."""
        self._path.write_bytes(data)
        self._capture.readouterr()
        code = run(["omir", "validate", "--verdict", "parity", "--json", *words, str(self._path)])
        reports = json.loads(self._capture.readouterr()[0])
        assert len(reports) == (0 if code == 2 else 1)
        found = [one for report in reports for one in report["findings"]]
        return int(code), [(one["code"], one["severity"], one["path"]) for one in found]


@pytest.mark.parametrize("name", ACCEPTED)
@cites("OMIR-019", "OMIR-020", "OMIR-045")
def test_the_reference_accepts(name: str, said: Answer) -> None:
    assert said(ACCEPTED[name]) == (0, [])


FATAL: dict[str, bytes] = {
    "a byte order mark": b"\xef\xbb\xbf" + bundle(),
    "UTF-16": bundle().decode().encode("utf-16"),
    "UTF-16 without a mark": bundle().decode().encode("utf-16-le"),
    "Latin-1": bundle(record(content="@")).replace(b"@", b"\xe9"),
    "NaN": raw(b"NaN", importance=0),
    "Infinity": raw(b"Infinity", importance=0),
    "minus Infinity": raw(b"-Infinity", importance=0),
    "1e400": raw(b"1e400", importance=0),
    "1e400 in an extension": valued(b"[1e400]"),
    "1e400 in the context": spelled({**WHOLE, "@context": "@"}).replace(b'"@"', b"1e400"),
    "a whole number out of range": raw(b"1" + b"0" * 309, version=1),
    "half a surrogate pair": valued(rb'"\ud800"'),
    "the other half": valued(rb'"\udc00"'),
    "half a pair and a letter": valued(rb'"\ud800x"'),
    "a raw control character": valued(b'"\x01"'),
    "a raw line break in a text": valued(b'"\n"'),
    "a comment": bundle() + b" // good",
    "a comment inside": b"/* good */" + bundle(),
    "a trailing comma": b'{"entry": [],}',
    "a trailing comma in a list": b'{"entry": [{},]}',
    "text after it": bundle() + b"x",
    "two documents": bundle() + bundle(),
    "nesting of 200": nested(200),
    "nothing": b"",
    "half a document": bundle()[:-1],
    "single quotes": b"{'entry': []}",
    "a key without quotes": b"{entry: []}",
    "a leading zero": raw(b"01", version=1),
    "a leading plus": raw(b"+1", version=1),
    "a number that ends in a point": raw(b"1.", version=1),
    "a number that begins with a point": raw(b".5", importance=1),
    "a hexadecimal number": raw(b"0x1", version=1),
    "True": raw(b"True", version=1),
    "an escape there is not": valued(rb'"\x41"'),
}


@pytest.mark.parametrize("name", FATAL)
@cites("OMIR-002", "OMIR-003", "OMIR-004")
def test_the_reference_cannot_read(name: str, said: Answer) -> None:
    assert said(FATAL[name]) == (2, [])


def e120(*paths: str) -> list[tuple[str, str, str]]:
    return [("E120", "error", f"/entry/0{path}") for path in paths]


REFUSED: dict[str, tuple[bytes, list[tuple[str, str, str]]]] = {
    f"the time {text!r}": (timed(text), e120("/createdAt"))
    for text in (
        "2026-05-30 11:42:05Z",
        "2026-05-30T11:42:05",
        "2026-05-30T11:42:05+0530",
        "2026-05-30T11:42:05+24:00",
        "2026-05-30T24:00:00Z",
        "2026-02-29T00:00:00Z",
        "12026-05-30T11:42:05Z",
        "-026-05-30T11:42:05Z",
        "2026-05-30T11:42:05,5Z",
        "2026-05-30T11:42:05Z\n",
        "2026-05-30",
        "20260530T114205Z",
        "2026-05-30T11:42:60Z",
        "2016-12-31T23:59:60+01:00",
        "2026-13-01T00:00:00Z",
        "2026-05-30T11:60:00Z",
        "2026-05-30T11:42Z",
        "",
    )
}
REFUSED |= {
    f"the address {text!r}": (addressed(text), e120("/extension/0/url"))
    for text in (
        "a/b",
        "",
        "https://example.org/a b",
        "https://example.org/é",
        "https://example.org/{}",
        "x:%zz",
        "//x",
    )
}
REFUSED |= {
    f"the id {text!r}": (bundle(record(text)), e120("/id"))
    for text in ("", "a" * 129, "a/b", "a b", "é", "m1\n", " m1")
}
OPTIONAL: list[tuple[JsonObject, str]] = [
    (record(), "kind experienceType tier eventTime importance confidence decay provenance entityRefs parentId"),
    (record(), "validUntil version extension informationContent replayPriority interference"),
    (entity(), "labels summary mentionCount salience properNoun attributes createdAt lastSeenAt extension"),
    (episode(), "name source eventTime entityRefs metadata extension boundaryStrength boundaryReason"),
]
REFUSED |= {
    f"null as {one['resourceType']}.{name}": (bundle({**one, name: None}), e120(f"/{name}"))
    for one, names in OPTIONAL
    for name in names.split()
}
REFUSED |= {
    f"{one['resourceType']} without {name}": (bundle(without(one, name)), e120(""))
    for one, names in ((record(), "id content createdAt"), (entity(), "id name"), (episode(), "id content createdAt"))
    for name in names.split()
}
REFUSED |= {
    "an unknown key": (bundle(record(x=1)), e120("")),
    "two unknown keys of one object": (bundle(record(x=1, y=2)), e120("")),
    "an unknown key of meta": (bundle(record(meta={**GRADED, "x": 1})), e120("/meta")),
    "an unknown key of decay": (bundle(record(decay={"x": 1})), e120("/decay")),
    "an unknown key of confidence": (bundle(record(confidence={"x": 1})), e120("/confidence")),
    "an unknown key of provenance": (bundle(record(provenance={"x": 1})), e120("/provenance")),
    "an unknown key of an extension": (bundle(record(extension=[{"url": "x:y", "x": 1}])), e120("/extension/0")),
    "an extension without its address": (bundle(record(extension=[{"valueString": "x"}])), e120("/extension/0")),
    "a number among attributes": (bundle(entity(attributes={"a/b~c": 5})), e120("/attributes/a~1b~0c")),
    "true as a score": (bundle(record(importance=True)), e120("/importance")),
    "a text as a score": (bundle(record(importance="0.5")), e120("/importance")),
    "a score below nothing": (bundle(record(importance=-0.001)), e120("/importance")),
    "a score above all": (bundle(record(importance=1.0000000001)), e120("/importance")),
    "no alpha": (bundle(record(confidence={"alpha": 0})), e120("/confidence/alpha")),
    "no half-life": (bundle(record(decay={"halfLifeHours": 0})), e120("/decay/halfLifeHours")),
    "a fraction as a version": (bundle(record(version=2.5)), e120("/version")),
    "version 0": (bundle(record(version=0)), e120("/version")),
    "an access count below nothing": (bundle(record(decay={"accessCount": -1})), e120("/decay/accessCount")),
    "maturity 6": (bundle(record(meta={**GRADED, "maturity": 6})), e120("/meta/maturity")),
    "a kind there is not": (bundle(record(kind="fact")), e120("/kind")),
    "a tier in capitals": (bundle(record(tier="Working")), e120("/tier")),
    "a label there is not": (bundle(entity(labels=["person", "task"])), e120("/labels/1")),
    "a source of an episode there is not": (bundle(episode(source="chat")), e120("/source")),
    "a reference as a bare text": (bundle(record(entityRefs=["Entity/a"])), e120("/entityRefs/0")),
    "a relative profile": (bundle(record(meta={**GRADED, "profile": ["x"]})), e120("/meta/profile/0")),
    "a text as the boundary": (bundle(episode(boundaryStrength="x")), e120("/boundaryStrength")),
    "three faults in one entry": (
        bundle(record(tier="x", importance=2, version=0)),
        e120("/importance", "/tier", "/version"),
    ),
}
ABSENT = ("I302", "info", "/entry/0")
REFUSED |= {
    "an entry that is a number": (
        bundle(5),
        [("E110", "error", "/entry/0"), ("E100", "error", "/entry/0"), ABSENT],
    ),
    "an entry that is null": (
        bundle(None),
        [("E110", "error", "/entry/0"), ("E100", "error", "/entry/0"), ABSENT],
    ),
    "a bundle in a bundle": (bundle(WHOLE), [("E101", "error", "/entry/0/resourceType"), ABSENT]),
    "an entry without a type": (
        bundle(without(entity(), "resourceType")),
        [("E101", "error", "/entry/0/resourceType")],
    ),
    "a type in small letters": (
        bundle({**entity(), "resourceType": "entity"}),
        [("E101", "error", "/entry/0/resourceType")],
    ),
    "no type of the bundle": (
        spelled(without(WHOLE, "resourceType")),
        [("E110", "error", "/"), ("E111", "error", "/resourceType")],
    ),
    "another type of the bundle": (
        spelled({**WHOLE, "resourceType": "bundle"}),
        [("E111", "error", "/resourceType")],
    ),
    "no release": (spelled(without(WHOLE, "omirVersion")), [("E110", "error", "/"), ("E300", "error", "/omirVersion")]),
    "another release": (spelled({**WHOLE, "omirVersion": "R2"}), [("E300", "error", "/omirVersion")]),
    "a number as the release": (
        spelled({**WHOLE, "omirVersion": 1}),
        [("E110", "error", "/omirVersion"), ("E300", "error", "/omirVersion")],
    ),
    "a list": (
        b"[]",
        [("E110", "error", "/"), ("E111", "error", "/resourceType"), ("E300", "error", "/omirVersion")],
    ),
    "no list of entries": (spelled(without(WHOLE, "entry")), [("E110", "error", "/")]),
    "an object for the entries": (spelled({**WHOLE, "entry": {}}), [("E110", "error", "/entry")]),
    "null for the entries": (spelled({**WHOLE, "entry": None}), [("E110", "error", "/entry")]),
    "a meta block of the bundle": (spelled({**WHOLE, "meta": {}}), [("E110", "error", "/")]),
    "an extension of the bundle": (spelled({**WHOLE, "extension": []}), [("E110", "error", "/")]),
    "a bad id of the bundle": (spelled({**WHOLE, "id": "a b"}), [("E110", "error", "/id")]),
    "a bad time of the bundle": (spelled({**WHOLE, "generatedAt": "x"}), [("E110", "error", "/generatedAt")]),
    "null as the source of the bundle": (spelled({**WHOLE, "source": None}), [("E110", "error", "/source")]),
    "a sketch without its algorithm": (
        spelled({**WHOLE, "familiaritySketch": {"kind": "bloom", "domain": "cue", "hashes": 1, "bits": 8, "data": ""}}),
        [("E110", "error", "/familiaritySketch")],
    ),
    "a meta block that says nothing": (
        bundle(record(meta={})),
        [("E301", "error", "/entry/0/meta/omirVersion")],
    ),
    "a meta block of another release": (
        bundle(record(meta={"omirVersion": "R2"})),
        [*e120("/meta/omirVersion"), ("E301", "error", "/entry/0/meta/omirVersion")],
    ),
    "null as the meta block": (
        bundle(record(meta=None)),
        [*e120("/meta"), ("E301", "error", "/entry/0/meta/omirVersion")],
    ),
    "a reference to nothing": (
        bundle(record(entityRefs=[{"ref": "Entity/x"}])),
        [("E200", "error", "/entry/0/entityRefs/0/ref")],
    ),
    "a parent that is not there": (bundle(record(parentId="x")), [("E200", "error", "/entry/0/parentId")]),
    "a reference to another type": (
        bundle(record(entityRefs=[{"ref": "MemoryRecord/m1"}])),
        [("E201", "error", "/entry/0/entityRefs/0/ref")],
    ),
    "a reference to another type that is not there": (
        bundle(record(entityRefs=[{"ref": "Episode/x"}])),
        [("E200", "error", "/entry/0/entityRefs/0/ref")],
    ),
    "a reference to a type there is not": (
        bundle(record(entityRefs=[{"ref": "Agent/x"}])),
        [*e120("/entityRefs/0/ref"), ("E200", "error", "/entry/0/entityRefs/0/ref")],
    ),
    "a reference with another key": (
        bundle(record(entityRefs=[{"ref": "Entity/x", "display": "X"}])),
        [*e120("/entityRefs/0"), ("E200", "error", "/entry/0/entityRefs/0/ref")],
    ),
    "a reference that ends in a line break": (
        bundle(record(entityRefs=[{"ref": "Entity/a\n"}]), entity()),
        [*e120("/entityRefs/0/ref"), ("E200", "error", "/entry/0/entityRefs/0/ref")],
    ),
    "an edge to nowhere": (
        bundle(edge("r1", "x", "y", sourceEpisode={"ref": "Episode/z"})),
        [
            ("E200", "error", "/entry/0/from/ref"),
            ("E200", "error", "/entry/0/to/ref"),
            ("E200", "error", "/entry/0/sourceEpisode/ref"),
        ],
    ),
    "an edge without its relation": (
        bundle(without(edge("r1"), "relationType"), entity()),
        e120(""),
    ),
    "a strength without its normalization": (bundle(edge("r1", normalizedStrength=0.5), entity()), e120("")),
}


@pytest.mark.parametrize("name", REFUSED)
@cites("OMIR-018", "OMIR-024", "OMIR-025", "OMIR-027", "OMIR-028", "OMIR-045")
def test_the_reference_refuses(name: str, said: Answer) -> None:
    data, expected = REFUSED[name]
    code, found = said(data)
    in_order = sorted(found) if {one[0] for one in found} == {"E120"} else found
    assert (code, in_order) == (1, expected)
    again = validate(data, verdict=ReportVerdict.PARITY, level=Level.PROFILE)
    assert [(one.code, one.severity, one.path) for one in again.findings] == found


@cites("OMIR-017", "OMIR-044", "OMIR-045")
def test_the_reference_is_stricter_at_strict_with_ids_said_twice_and_entries_without_meta(said: Answer) -> None:
    twice = bundle(record("m1"), record("m1"), record("m1", tier="x"))
    assert said(bundle(record("m1"), record("m1"))) == (0, [("W202", "warning", "/entry/1/id")])
    assert said(bundle(record("m1"), record("m1")), "--level", "strict") == (1, [("W202", "error", "/entry/1/id")])
    assert said(twice) == (
        1,
        [
            ("E120", "error", "/entry/2/tier"),
            ("W202", "warning", "/entry/1/id"),
            ("W202", "warning", "/entry/2/id"),
        ],
    )
    bare = bundle(without(record(), "meta"))
    assert said(bare) == (0, [("I302", "info", "/entry/0")])
    assert said(bare, "--level", "profile") == (0, [("I302", "info", "/entry/0")])
    assert said(bare, "--level", "strict") == (1, [("E302", "error", "/entry/0/meta")])


@cites("OMIR-045", "OMIR-046")
def test_of_files_that_cannot_be_read_there_is_no_report_and_the_others_have_theirs(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    good, bad = tmp_path / "good.omir", tmp_path / "bad.omir"
    good.write_bytes(bundle(record()))
    bad.write_bytes(bundle(record(tier="x")))
    (tmp_path / "latin.omir").write_bytes(b'{"source": "\xe9"}')
    (tmp_path / "folder.omir").mkdir()
    unread = [str(tmp_path / name) for name in ("latin.omir", "folder.omir", "absent.omir")]
    for verdict in ("parity", "spec"):
        for named, code, targets in (
            ([str(good), str(good)], 0, [str(good), str(good)]),
            ([str(good), str(bad)], 1, [str(good), str(bad)]),
            ([*unread, str(bad), str(good)], 2, [str(bad), str(good)]),
            (unread, 2, []),
        ):
            capfdbinary.readouterr()
            assert run(["omir", "validate", "--verdict", verdict, "--json", *named]) == code
            out, err = capfdbinary.readouterr()
            assert [one["target"] for one in json.loads(out)] == targets
            assert [line.split(":")[1].strip() for line in err.decode().splitlines()] == [
                name for name in named if name in unread
            ]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (bundle(record(tier="@")).replace(b'"@"', b'"session", "tier": "session"'), "E500"),
        (bundle(record("m1"), record("m1")), "W202"),
        (bundle(record("m1", parentId="m2"), record("m2", parentId="m1")), "E203"),
        (bundle(record("m1", parentId="m1")), "E203"),
        (bundle(record(interference={"competesWith": [{"ref": "MemoryRecord/x"}]})), "E200"),
        (ACCEPTED["strengths that sum to more than one"], "E250"),
    ],
)
@cites("OMIR-005", "OMIR-017", "OMIR-039", "OMIR-040", "OMIR-078")
def test_what_the_reference_lets_pass_fails_by_the_text(
    data: bytes, code: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "odd.omir"
    path.write_bytes(data)
    assert run(["omir", "validate", "--verdict", "parity", str(path)]) == 0
    capfdbinary.readouterr()
    assert run(["omir", "validate", "--verdict", "spec", "--json", str(path)]) == 1
    (report,) = json.loads(capfdbinary.readouterr()[0])
    assert {one["code"] for one in report["findings"] if one["severity"] == "error"} == {code}
    assert (report["result"], report["coreConformant"]) == ("fail", False)
