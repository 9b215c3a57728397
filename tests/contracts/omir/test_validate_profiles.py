"""Profiles: the three of R1, what they demand, and definitions that do not only narrow."""

from __future__ import annotations

import pytest
from tests.cases import each
from tests.contracts.cites import cites
from tests.contracts.omir.bundles import bundle, entity, episode, of, parity, record, spec, spelled, told

from muniment import Memory
from muniment.contracts.finding import Severity
from muniment.contracts.omir.profiles import Predicates, Profile, r1_profiles, read_profile
from muniment.contracts.omir.report import Level, Report, ReportStatus
from muniment.contracts.omir.validate import Options
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.errors import Malformed, Unreadable

PREFIX = "https://omir.io/spec/R1/profile/"
CODING, ROBOTICS, PERSONAL = (
    PREFIX + name for name in ("omir-coding-agent", "omir-robotics", "omir-personal-assistant")
)
POSE = "https://omir.io/spec/R1/extension/spatial-pose"
PII = "https://omir.io/spec/R1/extension/pii-class"


def claims(*urls: str) -> Json:
    return {"omirVersion": "R1", "profile": list(urls)}


def carries(url: str) -> Json:
    return [{"url": url, "valueString": "x"}]


def profiled(*entries: Json, options: Options | None = None) -> Report:
    return spec(bundle(*entries), Level.PROFILE, options or Options())


def breaches(*entries: Json, options: Options | None = None) -> list[tuple[str, str]]:
    return of(profiled(*entries, options=options), "E400", "E401", "W402", "W403")


def test_there_are_three_profiles_of_r1() -> None:
    assert [one.url for one in r1_profiles()] == [CODING, ROBOTICS, PERSONAL]


@cites("OMIR-051")
def test_a_coding_agents_records_have_provenance_and_an_explicit_kind() -> None:
    meta = claims(CODING)
    assert breaches(record(meta=meta)) == [("E400", "/entry/0"), ("E400", "/entry/0")]
    assert breaches(record(meta=meta, provenance={})) == [("E400", "/entry/0")]
    assert breaches(record(meta=meta, kind="memory", provenance={})) == []
    assert profiled(record(meta=meta)).result is ReportStatus.FAIL
    assert breaches(record()) == []


@cites("OMIR-051")
def test_what_the_coding_profile_recommends_warns() -> None:
    def made(**fields: Json) -> JsonObject:
        return record(**{"meta": claims(CODING), "kind": "memory", "provenance": {}, **fields})

    source = "/entry/0/provenance/sourceType"
    assert breaches(made(provenance={"sourceType": "webhook"})) == [("W403", source)]
    for good in ("conversation", "document", "command", "observation"):
        assert breaches(made(provenance={"sourceType": good})) == []
    for experience in ("code_edit", "file_access", "command"):
        assert breaches(made(experienceType=experience)) == [("W403", "/entry/0")]
        assert breaches(made(experienceType=experience, provenance={"externalId": "git:1"})) == []
    assert breaches(made(experienceType="decision")) == []
    assert breaches(entity(meta=claims(CODING), labels=["person"])) == [("W403", "/entry/0/labels")]
    assert breaches(entity(meta=claims(CODING), labels=["person", "skill"])) == []
    assert profiled(made(experienceType="command")).result is ReportStatus.PASS


@cites("OMIR-052")
def test_a_robots_records_say_when_and_where() -> None:
    meta = claims(ROBOTICS)
    timed: JsonObject = {"meta": meta, "eventTime": "2026-05-30T11:42:00Z", "decay": {"halfLifeHours": 1}}
    place = entity("hall", labels=["location"])
    near: Json = [{"ref": "Entity/hall"}]
    assert breaches(record(**{**timed, "eventTime": "2026-05-30T11:42:00Z"})) == []
    assert breaches(record(meta=meta, decay={"halfLifeHours": 1})) == [("E400", "/entry/0")]
    assert breaches(record(**timed, entityRefs=near), place) == [("E400", "/entry/0/extension")]
    assert breaches(record(**timed, entityRefs=near, extension=carries(POSE)), place) == []
    assert breaches({**place, "meta": meta}) == [("E400", "/entry/0/extension")]
    assert breaches(record(meta=meta, eventTime="2026-05-30T11:42:00Z")) == [("W403", "/entry/0")]
    assert breaches(episode(meta=meta, source="message")) == [("W403", "/entry/0/source")]
    assert breaches(episode(meta=meta, source="event")) == []


@cites("OMIR-052")
def test_what_bears_a_location_can_be_configured() -> None:
    shop = entity("shop", labels=["organization"], meta=claims(ROBOTICS))
    assert breaches(shop) == []
    wider = Options(predicates=Predicates(location=("location", "organization")))
    assert breaches(shop, options=wider) == [("E400", "/entry/0/extension")]


@cites("OMIR-053")
def test_a_personal_assistants_records_say_how_sure_and_how_personal_they_are(memory: Memory) -> None:
    meta = claims(PERSONAL)
    sure: JsonObject = {"meta": meta, "confidence": {"alpha": 1}}
    ana = entity("ana", labels=["person"])
    about: Json = [{"ref": "Entity/ana"}]
    assert breaches(record(meta=meta)) == [("E400", "/entry/0")]
    assert breaches(record(**sure)) == []
    assert breaches(record(**sure, entityRefs=about), ana) == [("E400", "/entry/0/extension")]
    assert breaches(record(**sure, entityRefs=about, extension=carries(PII)), ana) == []
    assert breaches({**ana, "meta": meta, "salience": 1}) == [("E400", "/entry/0/extension")]
    nobody = Options(predicates=Predicates(personal=()))
    assert breaches(record(**sure, entityRefs=about), ana, options=nobody) == []
    assert breaches(entity(meta=meta)) == [("W403", "/entry/0")]
    assert breaches(record(**sure, experienceType="task")) == [("W403", "/entry/0")]
    memory.remember("Call the dentist about the crown", kind="intention")
    told_of = memory.remember("The dentist made a crown", kind="fact", evidence=["bill:1"])
    assert [one.record.id for one in memory.recall("dentist crown", floor=0.0).records] == [told_of.record_id]
    assert len(memory.recall("dentist crown", kinds=["intention"], floor=0.0).records) == 1


@cites("OMIR-054")
def test_a_profile_nobody_knows_never_fails_core_and_is_told_only_when_asked() -> None:
    stranger = record(meta=claims("https://example.org/profile"))
    for level in (Level.CORE, Level.STRICT):
        assert (parity(bundle(stranger), level).result, told(spec(bundle(stranger), level))) == (ReportStatus.PASS, [])
    assert breaches(stranger) == []
    assert breaches(stranger, options=Options(required=(CODING,)))[0] == ("W402", "/entry/0")
    asked = Options(profiles=(_narrow(),))
    assert of(spec(bundle(stranger), options=asked), "E401") == [("E401", "/entry/0/meta/profile/0")]
    found = spec(bundle(stranger), options=asked)
    assert (found.result, found.core_conformant) == (ReportStatus.FAIL, True)


@cites("OMIR-051", "OMIR-054")
def test_a_broken_claim_is_a_warning_where_nobody_asks_for_profiles_and_an_error_where_somebody_does() -> None:
    where: Json = {"ref": "Entity/a"}
    place = entity("a", labels=["location"])
    data = bundle(place, record(meta=claims(CODING, ROBOTICS), kind="memory", provenance={}, entityRefs=[where]))
    path = "/entry/1"
    core, strict, asked = (spec(data, level) for level in (Level.CORE, Level.STRICT, Level.PROFILE))
    assert told(core) == [("E400", path), ("E400", f"{path}/extension")]
    assert {one.severity for one in core.findings} == {Severity.WARNING}
    assert (core.result, core.core_conformant, core.checks.profile) == (ReportStatus.PASS, True, ReportStatus.SKIPPED)
    assert (strict.result, strict.core_conformant) == (ReportStatus.FAIL, True)
    assert {one.severity for one in asked.findings if one.code == "E400"} == {Severity.ERROR}
    assert (asked.result, asked.checks.profile, asked.core_conformant) == (ReportStatus.FAIL, ReportStatus.FAIL, True)
    assert ("W403", f"{path}") in told(asked)
    assert (told(parity(data)), parity(data, Level.STRICT).result) == ([], ReportStatus.PASS)


@cites("OMIR-055")
def test_a_required_profile_warns_where_it_is_not_claimed() -> None:
    options = Options(required=(CODING,))
    claiming = record(meta=claims(CODING), kind="memory", provenance={})
    assert breaches(claiming, record("m2"), entity(), episode(), options=options) == [
        ("W402", "/entry/1"),
        ("W402", "/entry/2"),
    ]
    assert profiled(claiming, record("m2"), options=options).result is ReportStatus.PASS
    with pytest.raises(Malformed):
        profiled(claiming, options=Options(required=("https://example.org/unknown",)))


def test_whether_profiles_were_looked_into_stands_in_the_report() -> None:
    assert spec(bundle()).checks.profile is ReportStatus.SKIPPED
    assert profiled().checks.profile is ReportStatus.PASS
    assert profiled(record(meta=claims(CODING))).checks.profile is ReportStatus.FAIL
    assert parity(bundle(), Level.PROFILE).checks.profile is ReportStatus.SKIPPED


NARROW: JsonObject = {
    "url": "https://example.org/narrow",
    "title": "Narrow",
    "base": ["MemoryRecord"],
    "rules": [
        {"on": "MemoryRecord", "level": "must", "says": "x", "field": "importance", "at_least": 0.5, "at_most": 1}
    ],
}


def _narrow(**changes: Json) -> Profile:
    return read_profile(spelled({**NARROW, **changes}))


def _with(**rule: Json) -> Profile:
    return _narrow(rules=[{"on": "MemoryRecord", "level": "must", "says": "x", **rule}])


def test_every_sort_of_rule_is_kept_or_broken() -> None:
    def holds(profile: Profile, **fields: Json) -> bool:
        one = record(**{"meta": claims(profile.url), **fields})
        return not breaches(one, options=Options(profiles=(profile,)))

    bounds = _narrow()
    assert (holds(bounds, importance=0.5), holds(bounds, importance=0.4), holds(bounds)) == (True, False, True)
    forbids = _with(forbid="validUntil")
    assert (holds(forbids), holds(forbids, validUntil="2027-01-01T00:00:00Z")) == (True, False)
    among = _with(field="tier", among=["session", "longterm"])
    assert (holds(among), holds(among, tier="session"), holds(among, tier="archive")) == (True, True, False)
    requires = _with(require="decay/halfLifeHours", when={"tier": ["archive"]})
    assert (holds(requires), holds(requires, tier="archive")) == (True, False)
    assert holds(requires, tier="archive", decay={"halfLifeHours": 1})
    extends = _with(extension="x:y")
    assert (holds(extends), holds(extends, extension=carries("x:y"))) == (False, True)


RELAXING: dict[str, dict[str, Json]] = {
    "a field the base does not have": {"require": "vendorScore"},
    "a field within one that has none": {"require": "tier/x"},
    "a required field forbidden": {"forbid": "content"},
    "a value the base does not have": {"field": "tier", "among": ["working", "permanent"]},
    "a condition the base does not have": {"require": "tier", "when": {"kind": ["note"]}},
    "a label the base does not have": {"field": "kind", "includes": ["robot"]},
    "a bound above the base's": {"field": "importance", "at_most": 2},
    "a bound below the base's": {"field": "importance", "at_least": -1},
    "a bound of a text": {"field": "content", "at_most": 2},
    "an address that is none": {"extension": "x y"},
    "no demand": {},
    "two demands": {"require": "tier", "forbid": "kind"},
    "a demand on values without a field": {"among": ["x"]},
    "a resource that is not of its base": {"on": "Entity", "require": "labels"},
    "a key nobody knows": {"require": "tier", "optional": ["content"]},
}


@each("rule", RELAXING.values(), ids=RELAXING.keys())
@cites("OMIR-056")
def test_a_definition_that_does_not_only_narrow_is_refused(rule: dict[str, Json]) -> None:
    with pytest.raises(Malformed):
        _with(**rule)


@cites("OMIR-056")
def test_a_definition_is_refused_for_its_address_and_base_too_and_one_that_narrows_is_taken() -> None:
    assert _narrow().url == "https://example.org/narrow"
    for changes in ({"url": "narrow"}, {"base": ["Agent"]}, {"title": None}):
        with pytest.raises(Malformed):
            _narrow(**changes)
    with pytest.raises(Unreadable):
        read_profile(b"{")
