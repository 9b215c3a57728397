"""What a well-formed bundle should not say: drafts, extensions, times, values that cannot be meant, sums."""

from __future__ import annotations

from tests.cases import each
from tests.contracts.cites import cites
from tests.contracts.omir.bundles import AT, bundle, edge, entity, episode, of, parity, record, spec, spelled, told

from muniment.contracts.finding import Severity
from muniment.contracts.omir import CONTRACT
from muniment.contracts.omir.report import Level, ReportStatus
from muniment.contracts.omir.validate import Options
from muniment.contracts.strict.values import Json, JsonObject

BEFORE, AFTER = "2026-05-30T11:42:04Z", "2026-05-30T11:42:06Z"
SKETCH: JsonObject = {"kind": "bloom", "domain": "entity", "hashes": 1, "bits": 9, "hashAlg": "x", "data": "AAA="}


def _drafted() -> bytes:
    norm: Json = {"scheme": "fan", "over": "source"}
    return bundle(
        entity(),
        record(informationContent={}, replayPriority=0.1, interference={}),
        edge(reverseStrength=0.1, normalizedStrength=0.1, normalization=norm),
        episode(boundaryStrength=0.1, boundaryReason="x"),
        familiaritySketch=SKETCH,
    )


@cites("OMIR-033")
def test_every_draft_field_is_told_as_information_and_moved_to_an_extension_on_export() -> None:
    found = spec(_drafted())
    assert [path for _, path in of(found, "I510")] == [
        "/familiaritySketch",
        "/entry/1/informationContent",
        "/entry/1/interference",
        "/entry/1/replayPriority",
        "/entry/2/normalization",
        "/entry/2/normalizedStrength",
        "/entry/2/reverseStrength",
        "/entry/3/boundaryReason",
        "/entry/3/boundaryStrength",
    ]
    assert (found.result, {one.severity for one in found.findings}) == (ReportStatus.PASS, {Severity.INFO})
    assert of(spec(_drafted(), options=Options(tells_drafts=False)), "I510") == []
    exported = CONTRACT.encode(CONTRACT.decode(_drafted())).data
    assert of(spec(exported), "I510") == []
    assert b"boundaryReason" in exported


@cites("OMIR-057")
def test_an_extension_carries_one_value_under_an_address_of_its_own() -> None:
    def extended(*extensions: Json) -> list[tuple[str, str]]:
        return told(spec(bundle(record(extension=list(extensions)))))

    assert extended({"url": "x:y", "valueJson": None}) == []
    assert extended({"url": "x:y"}) == [("W520", "/entry/0/extension/0")]
    assert extended({"url": "x:y", "valueString": "", "valueNumber": 1}) == [("W520", "/entry/0/extension/0")]
    again: Json = {"url": "x:y", "valueBoolean": False}
    assert extended(again, {"url": "x:z", "valueNumber": 1}, again) == [("I521", "/entry/0/extension/2/url")]
    published: Json = {"url": "https://omir.io/spec/R1/extension/pii-class", "valueString": "x"}
    assert extended(published) == []
    for url in ("https://omir.io/spec/R1/extension/mine", "https://omir.io/x"):
        assert extended({"url": url, "valueString": "x"}) == [("W522", "/entry/0/extension/0/url")]
    assert extended({"url": "https://omir.io.example.org/x", "valueString": "x"}) == []


@cites("OMIR-057")
def test_what_is_doubtful_in_an_extension_fails_at_strict_only() -> None:
    data = bundle(record(extension=[{"url": "x:y"}]))
    assert [level.value for level in Level if spec(data, level).result is ReportStatus.FAIL] == ["strict"]
    assert parity(data, Level.STRICT).result is ReportStatus.PASS


REVERSED: dict[str, tuple[JsonObject, str]] = {
    "validUntil": (record(validUntil=BEFORE), "validUntil"),
    "lastAccess": (record(decay={"lastAccess": BEFORE}), "decay/lastAccess"),
    "lastUpdated": (record(meta={"omirVersion": "R1", "lastUpdated": BEFORE}), "meta/lastUpdated"),
    "lastUpdated of the block": (
        entity(meta={"omirVersion": "R1", "createdAt": AT, "lastUpdated": BEFORE}),
        "meta/lastUpdated",
    ),
    "invalidatedAt": (edge(validAt=AT, invalidatedAt=BEFORE), "invalidatedAt"),
    "other offsets": (record(validUntil="2026-05-30T12:42:04+01:00"), "validUntil"),
}


@each(("one", "where"), REVERSED.values(), ids=REVERSED.keys())
@cites("OMIR-081")
def test_times_in_the_wrong_order_warn(one: JsonObject, where: str) -> None:
    data = bundle(one, entity(), entity("b")) if one["resourceType"] != "Entity" else bundle(one)
    (found,) = [finding for finding in spec(data).findings if finding.code.startswith("W")]
    assert (found.code, found.path, found.severity) == ("W530", f"/entry/0/{where}", Severity.WARNING)
    assert spec(data).result is ReportStatus.PASS
    assert parity(data, Level.STRICT).summary.warnings == 0


@cites("OMIR-081")
def test_times_in_their_order_do_not_warn() -> None:
    good = record(
        validUntil=AT,
        eventTime=BEFORE,
        decay={"lastAccess": AFTER},
        meta={"omirVersion": "R1", "lastUpdated": AT, "createdAt": AT},
    )
    data = bundle(
        good, entity(), edge(validAt=AT, invalidatedAt=AT), record("m2", validUntil="2026-05-30T10:43:00-01:00")
    )
    assert told(spec(data)) == []


@cites("OMIR-081")
def test_an_event_far_ahead_warns_unless_it_is_intended() -> None:
    ahead = "2026-07-01T00:00:00Z"
    assert told(spec(bundle(record(eventTime=ahead)))) == [("W531", "/entry/0/eventTime")]
    assert told(spec(bundle(record(eventTime=ahead, experienceType="intention")))) == []
    assert told(spec(bundle(record(eventTime="2026-06-29T00:00:00Z")))) == []


@each(
    ("alpha", "beta", "good", "bad"),
    [
        (9, 1, (0.5, 0.9, 0.7, 0.915), (0.45, 0.95, 1, 0)),
        (1, 9, (0.1, 0.5, 0.3), (0.05, 0.55)),
        (7, 2, (0.78, 0.7431), (0.82, 0.4)),
        (1, 1, (0.5, 0.51), (0.55, 0.4)),
        (1e308, 1e308, (0.5,), (0.9,)),
    ],
)
@cites("OMIR-082")
def test_a_calibrated_value_lies_between_a_half_and_the_mean(
    alpha: float, beta: float, good: tuple[float, ...], bad: tuple[float, ...]
) -> None:
    def said(value: float) -> list[tuple[str, str]]:
        return told(spec(bundle(record(confidence={"alpha": alpha, "beta": beta, "calibrated": value}))))

    assert [said(value) for value in good] == [[]] * len(good)
    assert [said(value) for value in bad] == [[("W540", "/entry/0/confidence/calibrated")]] * len(bad)
    assert told(spec(bundle(record(confidence={"calibrated": 1})))) == []


@cites("OMIR-083")
def test_another_maturity_than_that_of_the_type_is_information() -> None:
    def graded(grade: int) -> bytes:
        meta: Json = {"omirVersion": "R1", "maturity": grade}
        return bundle(record(meta=meta), entity(meta=meta), edge(meta=meta), episode(meta=meta, entityRefs=[]))

    assert of(spec(graded(4)), "I541") == [("I541", f"/entry/{number}/meta/maturity") for number in (1, 2, 3)]
    assert of(spec(graded(3)), "I541") == [("I541", "/entry/0/meta/maturity")]
    assert spec(graded(3)).result is ReportStatus.PASS


@cites("OMIR-084")
def test_a_relation_that_is_not_snake_case_is_information_and_an_empty_text_warns() -> None:
    for good in ("works_with", "at", "part_of_2"):
        assert told(spec(bundle(entity(), edge(relationType=good)))) == []
    for bad in ("WorksWith", "works with", "_x", "x_", "x__y", "ähnlich"):
        assert told(spec(bundle(entity(), edge(relationType=bad)))) == [("I550", "/entry/1/relationType")]
    empty = bundle(record(content=""), entity(name=""), edge(relationType=""), episode(content=""))
    assert of(spec(empty), "W551") == [
        ("W551", "/entry/0/content"),
        ("W551", "/entry/1/name"),
        ("W551", "/entry/2/relationType"),
        ("W551", "/entry/3/content"),
    ]
    assert parity(empty).result is ReportStatus.PASS


def _fan(*edges: tuple[str, str, float, Json]) -> list[tuple[str, str]]:
    made = [
        edge(f"r{number}", from_, to, normalizedStrength=strength, normalization=norm)
        for number, (from_, to, strength, norm) in enumerate(edges)
    ]
    data = bundle(*made, entity("a"), entity("b"), entity("c"))
    assert parity(data).result is ReportStatus.PASS
    return of(spec(data), "E250")


def test_normalised_strengths_of_one_group_sum_to_at_most_one() -> None:
    fan: Json = {"scheme": "fan", "over": "source"}
    target: Json = {"scheme": "softmax", "over": "target"}
    assert _fan(("a", "b", 0.6, fan), ("a", "c", 0.4000005, fan), ("b", "c", 1, fan)) == []
    assert _fan(("a", "b", 0.6, fan), ("a", "c", 0.41, fan)) == [("E250", "/entry/1/normalizedStrength")]
    assert _fan(("a", "c", 0.6, target), ("b", "c", 0.5, target)) == [("E250", "/entry/1/normalizedStrength")]
    assert _fan(("a", "c", 0.6, target), ("a", "b", 0.5, target)) == []
    assert _fan(("a", "b", 0.6, fan), ("a", "c", 0.6, target)) == []
    unsaid: list[Json] = [{"scheme": "none", "over": "source"}, {}, {"scheme": "fan"}]
    for free in unsaid:
        assert _fan(("a", "b", 0.6, free), ("a", "c", 0.6, free)) == []


def test_a_sketch_has_the_size_it_declares() -> None:
    assert (
        of(
            spec(spelled({"resourceType": "Bundle", "omirVersion": "R1", "entry": [], "familiaritySketch": SKETCH})),
            "W560",
        )
        == []
    )
    for text in ("AA==", "no base64!", "AAAA"):
        assert of(spec(bundle(familiaritySketch={**SKETCH, "data": text})), "W560") == [
            ("W560", "/familiaritySketch/data")
        ]
