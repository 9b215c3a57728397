"""A bundle goes into a real memory and out again: what must stay stays, and only what may change has changed."""

from __future__ import annotations

import json

import pytest
from tests.contracts.cites import cites
from tests.contracts.omir.bundles import bundle, edge, entity, episode, record
from tests.contracts.omir.example import DATA, EXTENSION, document, sorted_entries
from tests.support.world import TickingClock, simulated_memory

from muniment import Memory
from muniment.compat.exchange import read_in, write_out
from muniment.compat.exchange.luggage import unpacked
from muniment.contracts.finding import passes
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.omir import CONTRACT
from muniment.contracts.omir.encode import Stamp, encode_bundle
from muniment.contracts.omir.report import Level, ReportVerdict
from muniment.contracts.omir.terms import URLS
from muniment.contracts.omir.validate import validate
from muniment.contracts.registry import ContractName
from muniment.contracts.strict.values import Json, JsonObject, equal
from muniment.model.status import Status
from muniment.model.times import parse

ALL = [status.value for status in Status]
NOON = parse("2026-04-02T12:00:00Z", field="clock")
STAMP = Stamp(source="muniment/0.0", at=NOON)


@pytest.fixture
def store() -> Memory:
    """A memory that has taken the example in."""
    memory = simulated_memory(clock=TickingClock(NOON))
    taken = read_in(memory, ContractName.OMIR, DATA)
    assert [fate.outcome for fate in taken.fates] == ["committed"] * 9
    return memory


def exported(memory: Memory) -> JsonObject:
    found: JsonObject = json.loads(write_out(memory, ContractName.OMIR, statuses=ALL).data)
    return found


def entry(bundle: JsonObject, kind: str, id_: str) -> JsonObject:
    entries = bundle["entry"]
    assert isinstance(entries, list)
    found = [one for one in entries if isinstance(one, dict) and (one["resourceType"], one["id"]) == (kind, id_)]
    assert len(found) == 1
    return found[0]


def browsed(memory: Memory) -> list[InterchangeRecord]:
    return [unpacked(one, ()) for one in memory.insight.browse(statuses=ALL)]


def without_ours(bundle: JsonObject) -> JsonObject:
    """A bundle stripped of every extension of ours."""
    entries = bundle["entry"]
    assert isinstance(entries, list)
    return {**bundle, "entry": [_stripped(one) for one in entries]}


def _stripped(one: Json) -> Json:
    assert isinstance(one, dict)
    extensions = one.get("extension", [])
    assert isinstance(extensions, list)
    left: list[Json] = [each for each in extensions if isinstance(each, dict) and each["url"] not in URLS]
    return {**one, "extension": left}


@cites("OMIR-058")
def test_extensions_nobody_knows_go_through_a_store_to_the_byte(store: Memory) -> None:
    out = write_out(store, ContractName.OMIR).data.decode()
    assert f'"extension":{EXTENSION}' in out
    extensions = entry(json.loads(out), "MemoryRecord", "crack")["extension"]
    assert isinstance(extensions, list)
    assert extensions[1:] == [
        {"url": "https://kiln.example/ext/none", "valueJson": None},
        {"url": "https://kiln.example/ext/bare"},
    ]


@cites("OMIR-059")
def test_what_goes_through_a_store_equals_what_came_in(store: Memory) -> None:
    assert equal(exported(store), sorted_entries(document()))


ODD_EXTENSION = (
    '[ {"url": "https://odd.example/e",\\n "valueJson": {"a" : [1.0, 1, -0.0, 1E+2, 123456789012345678901234567890], '
    '"": {}, "z":null} }, {"url":"u:v","valueNumber":1.0},{"url":"u:v"} ]'
).replace("\\n", "\n")
ODD: list[JsonObject] = [
    {
        **record("m1", parentId="m2", version=10**20, importance=1, validUntil="9999-12-31T23:59:59Z"),
        "content": "é\u200b\x00 \x7f 漢字 😀\r\n\ttail ",
        "createdAt": "2026-05-30t11:42:05.123456789+05:30",
        "eventTime": "2016-12-31T23:59:60Z",
        "confidence": {"alpha": 1.0, "beta": 5e-324, "calibrated": 0.0},
        "decay": {"halfLifeHours": 1e300, "accessCount": 10**20, "anchored": False},
        "provenance": {"source": "", "sourceType": "telepathy", "credibility": -0.0, "externalId": " x "},
        "entityRefs": [{"ref": "Entity/a"}, {"ref": "Entity/b"}, {"ref": "Entity/a"}],
        "extension": "@",
    },
    record("m2", content="   ", createdAt="0000-01-01T00:00:00Z", decay={}, confidence={}, entityRefs=[], extension=[]),
    entity("a", labels=["person", "person"], attributes={"": "", "a/b~c": "\x01"}, summary="", extension="@"),
    entity("b", name="Bo", mentionCount=0, salience=1, properNoun=False, attributes={}),
    edge("r1", "a", "b", strength=0, context="", sourceEpisode={"ref": "Episode/m1"}, extension="@"),
    episode("m1", name="", source="observation", metadata={"k": ""}, entityRefs=[{"ref": "Entity/b"}]),
]


@cites("OMIR-058", "OMIR-059", "OMIR-061")
def test_odd_documents_go_through_a_store_and_a_preview_changes_nothing() -> None:
    data = bundle(*ODD, source="who").replace(b'"@"', ODD_EXTENSION.encode())
    memory = simulated_memory(clock=TickingClock(NOON))
    seen = read_in(memory, ContractName.OMIR, data, preview=True)
    assert ([fate.outcome for fate in seen.fates], exported(memory)["entry"]) == (["committed"] * 6, [])
    for _ in ("taken in", "and again"):
        taken = read_in(memory, ContractName.OMIR, data)
        assert [fate.outcome for fate in taken.fates] == ["committed"] * 6
        out = write_out(memory, ContractName.OMIR, statuses=ALL).data
        assert equal(json.loads(out), sorted_entries(json.loads(data)))
        assert out.count(f'"extension":{ODD_EXTENSION}'.encode()) == 3


@cites("OMIR-059")
def test_the_order_of_entries_may_change_and_that_inside_a_resource_may_not(store: Memory) -> None:
    turned = document()
    assert isinstance(turned["entry"], list)
    turned["entry"].reverse()
    other = simulated_memory(clock=TickingClock(NOON))
    read_in(other, ContractName.OMIR, json.dumps(turned).encode())
    assert equal(exported(other), exported(store))
    assert entry(exported(other), "MemoryRecord", "crack")["entityRefs"] == [
        {"ref": "Entity/kiln"},
        {"ref": "Entity/mara"},
    ]


@cites("OMIR-060")
def test_a_default_is_there_only_if_it_was_said(store: Memory) -> None:
    out = exported(store)
    slow, rota, crack = (entry(out, "MemoryRecord", name) for name in ("slow", "rota", "crack"))
    assert slow["tier"] == "working"
    assert {"tier", "kind", "version", "decay", "importance", "meta"}.isdisjoint(rota)
    decay = crack["decay"]
    assert isinstance(decay, dict)
    assert decay["anchored"] is False
    assert "createdAt" not in entry(out, "Entity", "kiln")


@cites("OMIR-061")
def test_times_keep_their_spelling(store: Memory) -> None:
    out = exported(store)
    assert out["generatedAt"] == "2026-04-02T08:00:00+02:00"
    assert entry(out, "MemoryRecord", "crack")["createdAt"] == "2026-04-01t16:05:00z"
    assert entry(out, "Episode", "firing")["createdAt"] == "2026-04-01T16:00:00.250Z"
    decay = entry(out, "MemoryRecord", "crack")["decay"]
    assert isinstance(decay, dict)
    assert decay["lastAccess"] == "2026-04-01T19:00:00+02:00"


@cites("OMIR-066")
def test_a_use_changes_when_and_how_often_it_was_used_and_nothing_else(store: Memory) -> None:
    before = document()
    found = store.recall("why do bowls crack in the large kiln?", limit=1).records
    assert [one.record.id for one in found] == ["crack"]
    store.review.sweep()
    after = exported(store)
    used, was = entry(after, "MemoryRecord", "crack"), entry(before, "MemoryRecord", "crack")
    changed = {key for key in used if not equal(used[key], was.get(key))}
    assert changed == {"decay", "meta"}
    assert isinstance(used["decay"], dict)
    assert used["decay"]["accessCount"] == 3
    assert used["decay"] == {**used["decay"], "halfLifeHours": 720, "anchored": False}
    assert used["meta"] == {"omirVersion": "R1", "lastUpdated": used["decay"]["lastAccess"]}
    assert equal(entry(after, "MemoryRecord", "slow"), entry(before, "MemoryRecord", "slow"))


@cites("OMIR-067")
def test_what_no_longer_holds_stays_and_says_until_when(store: Memory) -> None:
    store.review.retire("crack", becomes="deprecated", reason="the new kiln cools evenly")
    store.review.retire("Relationship:runs", becomes="retracted", reason="she left")
    out = json.loads(encode_bundle(browsed(store), stamp=STAMP).data)
    record, relation = entry(out, "MemoryRecord", "crack"), entry(out, "Relationship", "runs")
    assert record["validUntil"] == "2026-04-02T12:00:00Z"
    assert relation["invalidatedAt"] == "2026-04-02T12:00:00Z"
    assert record["content"] == "Bowls crack when the large kiln cools too fast."
    assert len(out["entry"]) == 9


@cites("OMIR-068")
def test_what_is_over_can_be_left_out_as_of_a_time_and_is_exported_all_the_same(store: Memory) -> None:
    def held(instant: str) -> set[str]:
        return {one.record.id for one in store.insight.browse(valid_at=instant)}

    assert {"rota", "Relationship:owned"} <= held("2026-01-01T00:00:00Z")
    assert held("2026-04-15T00:00:00Z") & {"rota", "Relationship:owned"} == {"rota"}
    assert held("2026-05-15T00:00:00Z") & {"rota", "Relationship:owned"} == set()
    out = exported(store)
    assert entry(out, "Relationship", "owned")["invalidatedAt"] == "2026-02-01T00:00:00Z"
    assert entry(out, "MemoryRecord", "rota")["validUntil"] == "2026-04-30T22:00:00Z"


@cites("OMIR-069")
def test_an_intention_answers_no_question_unless_it_is_asked_for(store: Memory) -> None:
    question = "order cobalt glaze before the summer firing"
    assert "glaze" not in [one.record.id for one in store.recall(question, floor=0.0).records]
    asked = store.recall(question, kinds=["intention"], floor=0.0).records
    assert [one.record.id for one in asked] == ["glaze"]
    assert entry(exported(store), "MemoryRecord", "glaze")["experienceType"] == "intention"


@cites("OMIR-085")
def test_every_export_passes_core_and_a_stamped_one_strict() -> None:
    store = simulated_memory(clock=TickingClock(NOON))
    read_in(store, ContractName.OMIR, DATA.replace(b'ext/bare"', b'ext/bare","valueBoolean":true'))
    store.remember("Mara Oduya sold the old wheel", entities=["Mara Oduya", "the old wheel"], importance=0.9)
    store.remember("The old wheel was sold on Monday", kind="fact", evidence=["receipt:9"], half_life_hours=48)
    store.review.retire("slow", becomes="deprecated", reason="another rule holds")
    plain = write_out(store, ContractName.OMIR, statuses=ALL).data
    stamped = encode_bundle(browsed(store), stamp=STAMP).data
    for verdict in ReportVerdict:
        assert validate(plain, verdict=verdict, level=Level.CORE).result == "pass"
        assert validate(stamped, verdict=verdict, level=Level.STRICT).result == "pass"


@cites("OMIR-086")
def test_references_to_what_is_left_out_are_left_out_too(store: Memory) -> None:
    part = write_out(store, ContractName.OMIR, kinds=["decision"])
    out = json.loads(part.data)
    assert [one["id"] for one in out["entry"]] == ["slow"]
    assert "parentId" not in out["entry"][0]
    assert [(one.id, one.path, one.kept) for one in part.narrowed] == [("slow", "/claim/lineage", True)]
    assert passes(CONTRACT.check(part.data))


@cites("OMIR-086")
def test_a_relation_without_its_ends_and_a_record_without_its_entities_are_told(store: Memory) -> None:
    gone = {"Entity:mara", "Episode:firing"}
    part = encode_bundle([one for one in browsed(store) if one.id not in gone])
    out = json.loads(part.data)
    assert {one["id"] for one in out["entry"]} == {"kiln", "crack", "slow", "glaze", "rota"}
    assert entry(out, "MemoryRecord", "crack")["entityRefs"] == [{"ref": "Entity/kiln"}]
    assert {(one.id, one.path) for one in part.narrowed} == {
        ("Relationship:runs", "/"),
        ("Relationship:owned", "/"),
        ("crack", "/claim/lineage/entities"),
    }
    assert passes(CONTRACT.check(part.data))


@cites("OMIR-087")
def test_what_is_private_stands_under_our_own_urls_alone(store: Memory) -> None:
    verdict = store.remember(
        "The safe is behind the shelf", sensitivity="confidential", namespace="/yard", purpose="handover"
    )
    out = exported(store)
    assert "confidential" in json.dumps(out)
    spelled = json.dumps(without_ours(out))
    assert "The safe is behind the shelf" in spelled
    for private in ("confidential", "/yard", "handover", verdict.proposal_id, '"tenant"', "scope", "effective"):
        assert private not in spelled
    assert all(url.startswith("urn:muniment:") for url in URLS)


@cites("OMIR-089")
def test_the_same_store_gives_the_same_bytes_in_whatever_order(store: Memory) -> None:
    store.remember("Mara Oduya sold the old wheel", entities=["Mara Oduya", "the old wheel"])
    memories = browsed(store)
    first = encode_bundle(memories, stamp=STAMP).data
    assert encode_bundle(memories[::-1], stamp=STAMP).data == first
    assert encode_bundle(browsed(store), stamp=STAMP).data == first
    entries = json.loads(first)["entry"]
    assert [(one["resourceType"], one["id"]) for one in entries] == sorted(
        (one["resourceType"], one["id"]) for one in entries
    )
    assert [list(one)[:3] for one in entries] == [["resourceType", "id", "meta"]] * len(entries)


@cites("OMIR-077")
def test_numbers_say_as_of_when_they_hold(store: Memory) -> None:
    store.remember("The wheel squeaks", importance=0.9, half_life_hours=48.0)
    store.recall("what squeaks?")
    store.review.sweep()
    out = json.loads(encode_bundle(browsed(store), stamp=STAMP).data)
    measured = [
        one for one in out["entry"] if not {"importance", "salience", "strength", "decay", "confidence"}.isdisjoint(one)
    ]
    assert len(measured) == 5
    for one in measured:
        own = one.get("lastSeenAt") or one.get("validAt") or one.get("decay", {}).get("lastAccess")
        assert own or one["meta"].get("lastUpdated"), one["id"]
        if one.get("decay", {}).get("accessCount"):
            assert one["decay"]["lastAccess"]
