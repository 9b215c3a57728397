"""The fields of the four resources: ids, times, numbers, addresses, vocabularies, shapes."""

from __future__ import annotations

from tests.cases import each
from tests.contracts.cites import cites
from tests.contracts.omir.bundles import bundle, edge, entity, episode, of, parity, record, spec, told, without

from muniment.contracts.omir.report import ReportStatus, ReportVerdict
from muniment.contracts.omir.validate import validate
from muniment.contracts.strict.values import Json, JsonObject

BOTH = each("verdict", list(ReportVerdict))


def _errors(one: JsonObject, verdict: ReportVerdict = ReportVerdict.PARITY) -> list[str]:
    """Where in an entry something is wrong, in the company of what it refers to."""
    others: list[JsonObject] = [entity("a"), episode("e1")]
    found = validate(bundle(*others, one), verdict=verdict).findings
    return sorted(one.path.removeprefix("/entry/2") for one in found if one.code == "E120")


@BOTH
@each("id_", ["x", "x" * 128, "A-Za.z_0:9"])
@cites("OMIR-015")
def test_an_id_of_1_to_128_characters_passes(id_: str, verdict: ReportVerdict) -> None:
    assert validate(bundle(record(id_)), verdict=verdict).result is ReportStatus.PASS


@BOTH
@each("id_", ["", "x" * 129, "a/b", "a b", "é", "a\n", "\n", "a\u0000"])
@cites("OMIR-015")
def test_no_other_id_passes(id_: str, verdict: ReportVerdict) -> None:
    found = validate(bundle(record(id_)), verdict=verdict)
    assert of(found, "E120") == [("E120", "/entry/0/id")]
    assert of(validate(bundle(record(parentId=id_)), verdict=verdict), "E120") == [("E120", "/entry/0/parentId")]
    refs: Json = [{"ref": f"Entity/{id_}"}]
    wrong = validate(bundle(record(entityRefs=refs)), verdict=verdict)
    assert of(wrong, "E120") == [("E120", "/entry/0/entityRefs/0/ref")]


@BOTH
@cites("OMIR-015")
def test_a_reference_that_ends_in_a_line_break_is_refused_in_every_place(verdict: ReportVerdict) -> None:
    assert _errors(edge("r1", "a\n"), verdict) == ["/from/ref"]
    assert _errors(edge("r1", "a", "a\n"), verdict) == ["/to/ref"]
    assert _errors(edge(sourceEpisode={"ref": "Episode/e1\n"}), verdict) == ["/sourceEpisode/ref"]
    assert _errors(episode("e2", entityRefs=[{"ref": "Entity/a\n"}]), verdict) == ["/entityRefs/0/ref"]
    rival: Json = {"competesWith": [{"ref": "MemoryRecord/m1\n"}]}
    assert _errors(record(interference=rival), verdict) == ["/interference/competesWith/0/ref"]


@BOTH
@cites("OMIR-016")
def test_two_types_may_share_an_id(verdict: ReportVerdict) -> None:
    data = bundle(record("x"), entity("x"), episode("x"), edge("x", "x", "x", sourceEpisode={"ref": "Episode/x"}))
    found = validate(data, verdict=verdict)
    assert (found.result, told(found)) == (ReportStatus.PASS, [])


@BOTH
@each(
    "text",
    [
        "2026-05-30T11:42:05Z",
        "2026-05-31T11:42:05.123456789+02:00",
        "2026-05-30t11:42:05z",
        "2026-05-30T11:42:05-00:00",
        "2026-05-30T11:42:05+23:59",
        "2024-02-29T00:00:00Z",
        "2016-12-31T23:59:60Z",
        "2017-01-01T01:29:60+01:30",
        "0000-01-01T00:00:00Z",
    ],
)
@cites("OMIR-018", "OMIR-019")
def test_an_instant_passes_in_every_place(text: str, verdict: ReportVerdict) -> None:
    for field in ("createdAt", "eventTime", "validUntil"):
        assert _errors(record(**{field: text}), verdict) == []
    assert _errors(edge(validAt=text), verdict) == []


@BOTH
@each(
    "text",
    [
        "2026-05-30T11:42:05",
        "2026-05-30 11:42:05Z",
        "20260530T114205Z",
        "2026-05-30",
        "2026-05-30T11:42:05+0530",
        "2026-05-30T11:42:05+24:00",
        "2026-05-30T24:00:00Z",
        "2026-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "2026-05-30T11:42:60Z",
        "2016-12-31T23:59:60+01:00",
        "12026-05-30T11:42:05Z",
        "-2026-05-30T11:42:05Z",
        "2026-05-30T11:42:05,5Z",
        "2026-05-30T11:42:05Z\n",
        "",
    ],
)
@cites("OMIR-018", "OMIR-019")
def test_what_is_no_instant_fails_in_every_place(text: str, verdict: ReportVerdict) -> None:
    assert _errors(record(createdAt=text), verdict) == ["/createdAt"]
    assert _errors(record(eventTime=text, validUntil=text), verdict) == ["/eventTime", "/validUntil"]
    for field in ("eventTime", "validUntil"):
        assert _errors(record(**{field: text}), verdict) == [f"/{field}"]
    for field in ("validAt", "invalidatedAt", "createdAt"):
        assert _errors(edge(**{field: text}), verdict) == [f"/{field}"]
    assert _errors(entity("b", lastSeenAt=text), verdict) == ["/lastSeenAt"]
    assert _errors(record(decay={"lastAccess": text}), verdict) == ["/decay/lastAccess"]
    assert _errors(entity("b", createdAt=text, lastSeenAt=text), verdict) == ["/createdAt", "/lastSeenAt"]
    assert _errors(edge(validAt=text, invalidatedAt=text), verdict) == ["/invalidatedAt", "/validAt"]
    assert _errors(episode("e2", eventTime=text), verdict) == ["/eventTime"]
    meta: Json = {"omirVersion": "R1", "lastUpdated": text}
    assert _errors(record(meta=meta), verdict) == ["/meta/lastUpdated"]


def _score(name: str, value: Json) -> JsonObject:
    """A resource with that score."""
    inside: dict[str, JsonObject] = {
        "credibility": record(provenance={name: value}),
        "calibrated": record(confidence={name: value}),
        "novelty": record(informationContent={name: value}),
        "needProbability": record(interference={name: value}),
        "salience": entity("b", **{name: value}),
        "strength": edge(**{name: value}),
        "reverseStrength": edge(**{name: value}),
        "normalizedStrength": edge(normalization={"scheme": "none"}, **{name: value}),
        "boundaryStrength": episode("e2", **{name: value}),
    }
    return inside.get(name) or record(**{name: value})


SCORES = ["importance", "salience", "strength", "credibility", "calibrated"]
DRAFT_SCORES = ["novelty", "replayPriority", "needProbability", "boundaryStrength", "reverseStrength"]


@BOTH
@each("name", [*SCORES, *DRAFT_SCORES, "normalizedStrength"])
@cites("OMIR-020", "OMIR-021")
def test_a_score_lies_in_the_unit_interval(name: str, verdict: ReportVerdict) -> None:
    for good in (0, 1, 0.0, 1.0, -0.0, 0.5):
        assert _errors(_score(name, good), verdict) == []
    for bad in (-0.001, 1.0000000001, "0.5", True, None):
        (path,) = _errors(_score(name, bad), verdict)
        assert path.endswith(f"/{name}")


@BOTH
@cites("OMIR-022")
def test_evidence_and_half_life_are_above_zero(verdict: ReportVerdict) -> None:
    good: JsonObject = record(confidence={"alpha": 5e-324, "beta": 1}, decay={"halfLifeHours": 0.1})
    assert _errors(good, verdict) == []
    for bad in (0, -1, 0.0):
        found = _errors(record(confidence={"alpha": bad, "beta": bad}, decay={"halfLifeHours": bad}), verdict)
        assert found == ["/confidence/alpha", "/confidence/beta", "/decay/halfLifeHours"]


@BOTH
@cites("OMIR-023")
def test_counts_are_whole_and_within_their_bounds(verdict: ReportVerdict) -> None:
    def resource(count: Json, version: Json, grade: Json) -> JsonObject:
        meta: Json = {"omirVersion": "R1", "maturity": grade}
        return record(version=version, decay={"accessCount": count}, meta=meta)

    right: list[tuple[Json, Json, Json]] = [(0, 1, 0), (7, 10**20, 5), (2.0, 2.0, 2.0)]
    for count, version, grade in right:
        assert _errors(resource(count, version, grade), verdict) == []
        assert _errors(entity("b", mentionCount=count), verdict) == []
    wrong: list[tuple[Json, Json, Json]] = [(-1, 0, 6), (2.5, 2.5, 2.5), ("2", True, None)]
    for count, version, grade in wrong:
        found = _errors(resource(count, version, grade), verdict)
        assert found == ["/decay/accessCount", "/meta/maturity", "/version"]
        assert _errors(entity("b", mentionCount=count), verdict) == ["/mentionCount"]


def test_what_breaks_two_rules_of_one_schema_is_told_twice_by_the_reference() -> None:
    meta: Json = {"omirVersion": 1, "maturity": 7.5}
    assert _errors(record(meta=meta, version=0.5)) == [
        "/meta/maturity",
        "/meta/maturity",
        "/meta/omirVersion",
        "/meta/omirVersion",
        "/version",
        "/version",
    ]
    assert _errors(record(meta=meta, version=0.5), ReportVerdict.SPEC) == [
        "/meta/maturity",
        "/meta/omirVersion",
        "/version",
    ]


@BOTH
@cites("OMIR-024")
def test_addresses_are_absolute_uris(verdict: ReportVerdict) -> None:
    def resource(url: str) -> JsonObject:
        return record(meta={"omirVersion": "R1", "profile": [url]}, extension=[{"url": url, "valueString": ""}])

    for good in ("https://example.org/a?b#c", "urn:a:b", "javascript:", "https:", "http://[::1]/%20"):
        assert _errors(resource(good), verdict) == []
    for bad in ("", "a/b", "//example.org", "https://a b", "https://é.org/", "x:{}", "x:%zz", "x:y\n"):
        assert _errors(resource(bad), verdict) == ["/extension/0/url", "/meta/profile/0"]


REQUIRED: dict[str, tuple[JsonObject, list[str]]] = {
    "MemoryRecord": (record(), ["id", "content", "createdAt"]),
    "Entity": (entity("b"), ["id", "name"]),
    "Relationship": (edge(), ["id", "from", "to", "relationType"]),
    "Episode": (episode("e2"), ["id", "content", "createdAt"]),
}


@BOTH
@each(("whole", "names"), REQUIRED.values(), ids=REQUIRED.keys())
@cites("OMIR-025")
def test_each_missing_field_is_told_once_at_the_entry(
    whole: JsonObject, names: list[str], verdict: ReportVerdict
) -> None:
    for name in names:
        assert _errors(without(whole, name), verdict) == [""]
    nothing: JsonObject = {"resourceType": whole["resourceType"]}
    assert _errors(nothing, verdict) == [""] * len(names)
    untyped = validate(bundle(without(whole, "resourceType")), verdict=verdict)
    assert of(untyped, "E101", "E120") == [("E101", "/entry/0/resourceType")]


VOCABULARIES = {
    "kind": "memory plan prompt learning",
    "experienceType": "conversation decision error learning discovery pattern context task code_edit file_access search"
    " command observation intention",
    "tier": "working session longterm archive",
    "labels": "person organization location technology concept event date product skill keyword project other",
    "source": "message document event observation",
}


@BOTH
@each("name", VOCABULARIES)
@cites("OMIR-026")
def test_each_word_of_a_vocabulary_passes_and_no_other(name: str, verdict: ReportVerdict) -> None:
    def resource(word: Json) -> JsonObject:
        if name == "labels":
            return entity("b", labels=[word])
        return episode("e2", source=word) if name == "source" else record(**{name: word})

    words = VOCABULARIES[name].split()
    assert len(words) == {"kind": 4, "experienceType": 14, "tier": 4, "labels": 12, "source": 4}[name]
    for word in words:
        assert _errors(resource(word), verdict) == []
    others: list[Json] = ["permanent", words[0].upper(), "", 5]
    for other in others:
        assert _errors(resource(other), verdict) == ["/labels/0" if name == "labels" else f"/{name}"]


@BOTH
@cites("OMIR-027")
def test_an_unknown_field_is_told_at_the_object_it_is_in(verdict: ReportVerdict) -> None:
    assert _errors(record(vendorScore=1), verdict) == [""]
    for name in ("meta", "decay", "confidence", "provenance"):
        inside: Json = {"omirVersion": "R1", "x": 1} if name == "meta" else {"x": 1}
        assert _errors(record(**{name: inside}), verdict) == [f"/{name}"]
    assert _errors(record(entityRefs=[{"ref": "Entity/a", "display": "A"}]), verdict) == ["/entityRefs/0"]
    assert _errors(record(extension=[{"url": "x:y", "valueInteger": 1}]), verdict) == ["/extension/0"]


def test_the_reference_counts_the_unknown_fields_of_one_object_together_and_we_each() -> None:
    assert _errors(record(x=1, y=2)) == [""]
    assert _errors(record(x=1, y=2), ReportVerdict.SPEC) == ["", ""]


@BOTH
@cites("OMIR-028")
def test_null_is_refused_everywhere_but_in_the_value_of_an_extension(verdict: ReportVerdict) -> None:
    assert _errors(record(extension=[{"url": "x:y", "valueJson": None}]), verdict) == []
    fields = ["meta", "kind", "tier", "eventTime", "importance", "confidence", "decay", "provenance", "entityRefs"]
    for name in [*fields, "parentId", "validUntil", "version", "extension", "interference", "id", "content"]:
        assert _errors(record(**{name: None}), verdict) == [f"/{name}"]
    assert _errors(edge(invalidatedAt=None, context=None), verdict) == ["/context", "/invalidatedAt"]
    assert _errors(entity("b", attributes=None, labels=[None]), verdict) == ["/attributes", "/labels/0"]
    assert _errors(record(extension=[{"url": "x:y", "valueString": None}]), verdict) == ["/extension/0/valueString"]


@BOTH
@cites("OMIR-029")
def test_values_of_maps_are_texts_and_their_keys_are_escaped_in_paths(verdict: ReportVerdict) -> None:
    free: JsonObject = {"": "", "a b": "x", "\u00e9/~": "y"}
    assert _errors(entity("b", attributes=free), verdict) == []
    assert _errors(episode("e2", metadata=free), verdict) == []
    assert _errors(entity("b", attributes={"a/b~c": 1}), verdict) == ["/attributes/a~1b~0c"]
    assert _errors(episode("e2", metadata={"k": None, "l": {}}), verdict) == ["/metadata/k", "/metadata/l"]


@BOTH
@cites("OMIR-030")
def test_a_reference_is_an_object_with_ref_alone(verdict: ReportVerdict) -> None:
    assert _errors(record(entityRefs=["Entity/a"]), verdict) == ["/entityRefs/0"]
    assert _errors(record(entityRefs=[{"ref": "Entity/a", "type": "Entity"}]), verdict) == ["/entityRefs/0"]
    for wrong in ("Agent/a", "Bundle/a"):
        found = validate(bundle(entity(), record(entityRefs=[{"ref": wrong}])), verdict=verdict)
        where = "/entry/1/entityRefs/0/ref"
        assert of(found, "E120", "E200", "E201") == [("E120", where), ("E200", where)]


@BOTH
@cites("OMIR-031")
def test_all_errors_of_an_entry_are_told(verdict: ReportVerdict) -> None:
    bad = record("a b", content=1, createdAt="x", kind="x", importance=2, version=0, x=1)
    found = _errors(bad, verdict)
    assert found == ["", "/content", "/createdAt", "/id", "/importance", "/kind", "/version"]


@cites("OMIR-032")
def test_a_normalised_strength_needs_its_normalization_and_a_sketch_its_algorithm() -> None:
    data = bundle(entity(), edge(normalizedStrength=0.5))
    assert told(parity(data)) == [("E120", "/entry/1")]
    assert of(spec(data), "E120", "E251") == [("E251", "/entry/1/normalizedStrength")]
    assert spec(data).result is ReportStatus.FAIL
    sketch: JsonObject = {"kind": "bloom", "domain": "entity", "hashes": 1, "bits": 8, "hashAlg": "x", "data": "AA=="}
    assert told(parity(bundle(familiaritySketch=sketch))) == []
    for verdict in ReportVerdict:
        found = validate(bundle(familiaritySketch=without(sketch, "hashAlg")), verdict=verdict)
        assert of(found, "E110") == [("E110", "/familiaritySketch")]
