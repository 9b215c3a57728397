"""What comes in as OMIR goes out as it came: values, times as they were spelled, extensions to the byte."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.contracts.omir.example import DATA, document, sorted_entries
from tests.contracts.omir.strategies import documents

from muniment.contracts.contract import Narrowing
from muniment.contracts.finding import passes
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.omir import CONTRACT, texts
from muniment.contracts.omir.decode import decode_bundle
from muniment.contracts.omir.encode import Stamp, encode_bundle
from muniment.contracts.omir.report import Level, ReportVerdict
from muniment.contracts.omir.terms import DRAFT_URL, OmirVersion
from muniment.contracts.omir.validate import validate
from muniment.contracts.strict.values import JsonObject, equal
from muniment.model.claim import (
    Belief,
    Claim,
    Extension,
    Handling,
    Intent,
    Lineage,
    Nature,
    Origin,
    Place,
    Relation,
    Slot,
    Times,
)
from muniment.model.errors import Malformed, Unreadable
from muniment.model.status import Status
from muniment.model.times import Instant
from muniment.model.vocabulary import Kind, Label, MemoryType, RelationType, Scope, Sensitivity, TrustLevel


def text_of(document: JsonObject) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()


@given(documents())
def test_a_bundle_goes_out_with_the_values_it_came_with(document: JsonObject) -> None:
    encoded = CONTRACT.encode(CONTRACT.decode(text_of(document)))
    assert equal(json.loads(encoded.data), document)
    assert encoded.narrowed == ()


@given(documents(draft=True))
def test_a_bundle_of_the_draft_goes_out_as_it_came_when_asked_to(document: JsonObject) -> None:
    bundle = decode_bundle(text_of(document))
    encoded = encode_bundle(bundle.memories, envelope=bundle.envelope, release=OmirVersion.R1X)
    assert equal(json.loads(encoded.data), document)


@given(documents(draft=True))
def test_draft_fields_leave_in_an_extension_and_come_back_to_their_places(document: JsonObject) -> None:
    plain = CONTRACT.encode(CONTRACT.decode(text_of(document))).data
    assert passes(CONTRACT.check(plain))
    again = CONTRACT.encode(CONTRACT.decode(plain), release=OmirVersion.R1X)
    assert equal(json.loads(again.data), document)
    for entry in json.loads(plain)["entry"]:
        assert {"informationContent", "replayPriority", "interference", "boundaryStrength"}.isdisjoint(entry)


BORN_ELSEWHERE = InterchangeRecord(
    id="rec-1",
    tenant="acme",
    revision=2,
    epoch=9,
    status=Status.CONTESTED,
    actor="scout",
    role="researcher",
    label=Label.AGENT,
    trust=TrustLevel.HIGH,
    created_at=Instant(1_760_000_000_000_000),
    accesses=3,
    last_access=Instant(1_770_000_000_000_000),
    helpful=2.0,
    misleading=1.0,
    conflicts=("rec-2",),
    claim=Claim(
        content="The Danube office pays in euros",
        slot=Slot(subject="Danube office", key="currency", value="EUR"),
        nature=Nature(kind=Kind.PREFERENCE, memory_type=MemoryType.PROCEDURAL, lifecycle="entity"),
        place=Place(scope=Scope.AGENT_TEAM, scope_id="finance", namespace="/pay"),
        intent=Intent(purpose="payroll"),
        origin=Origin(triggered_by="audit"),
        belief=Belief(score=0.9, alpha=1.5, reasoning="two invoices", evidence=("inv:1", "inv:2")),
        times=Times(expires_at=Instant(1_790_000_000_000_000), valid_from=Instant(1_700_000_000_000_000)),
        lineage=Lineage(
            derived_from=("rec-0",),
            parent="rec-0",
            relations=(Relation(type=RelationType.SUPPORTS, target="rec-0"),),
            entities=("Danube office", "euro"),
        ),
        handling=Handling(sensitivity=Sensitivity.PRIVATE, owner="mila"),
        extensions=(Extension(name="akashik", body='{"a":[[],[1]]}'),),
    ),
)
"""A memory that says much that OMIR has no words for."""


def test_a_memory_born_elsewhere_comes_back_whole() -> None:
    encoded = CONTRACT.encode([BORN_ELSEWHERE])
    assert CONTRACT.decode(encoded.data) == (BORN_ELSEWHERE,)
    assert CONTRACT.encode(CONTRACT.decode(encoded.data)) == encoded
    told = {one.path for one in encoded.narrowed}
    assert {"/claim/slot", "/claim/place", "/claim/handling", "/tenant", "/conflicts"} <= told
    assert all(one.kept for one in encoded.narrowed)


def test_a_memory_born_elsewhere_passes_the_strict_level_and_names_its_entities() -> None:
    encoded = CONTRACT.encode([BORN_ELSEWHERE])
    for verdict in ReportVerdict:
        assert validate(encoded.data, verdict=verdict, level=Level.STRICT).result == "pass"
    first, second, record = json.loads(encoded.data)["entry"]
    assert [(one["resourceType"], one["name"]) for one in (first, second)] == [
        ("Entity", "Danube office"),
        ("Entity", "euro"),
    ]
    assert record["entityRefs"] == [{"ref": f"Entity/{first['id']}"}, {"ref": f"Entity/{second['id']}"}]
    assert (record["provenance"], record["version"]) == ({"source": "scout"}, 2)
    assert record["confidence"] == {"alpha": 3.5, "beta": 2.0, "calibrated": pytest.approx(3.5 / 5.5)}
    assert record["decay"] == {"lastAccess": "2026-02-02T02:40:00Z", "accessCount": 3}
    assert record["validUntil"] == "2026-09-21T14:13:20Z"


def test_the_barest_memory_is_valid_and_comes_back() -> None:
    bare = InterchangeRecord(id="r", claim=Claim(content="Tea"))
    encoded = CONTRACT.encode([bare])
    assert CONTRACT.decode(encoded.data) == (bare,)
    assert validate(encoded.data, level=Level.STRICT).result == "pass"
    assert encoded.narrowed == ()


def test_no_memory_at_all_is_an_empty_bundle() -> None:
    encoded = CONTRACT.encode([])
    assert json.loads(encoded.data) == {"resourceType": "Bundle", "omirVersion": "R1", "entry": []}
    assert CONTRACT.decode(encoded.data) == ()


def test_a_name_meets_the_entity_that_bears_it() -> None:
    euro = b'{"resourceType":"Bundle","omirVersion":"R1","entry":[{"resourceType":"Entity","id":"eur","name":"euro"}]}'
    encoded = CONTRACT.encode([*CONTRACT.decode(euro), BORN_ELSEWHERE])
    entries = json.loads(encoded.data)["entry"]
    assert [one["name"] for one in entries[:2]] == ["Danube office", "euro"]
    assert entries[-1]["entityRefs"][1] == {"ref": "Entity/eur"}
    assert passes(CONTRACT.check(encoded.data))


@each(
    ("parents", "written"),
    [
        ({"a": "a"}, {"a": None}),
        ({"a": "b", "b": "a"}, {"a": None, "b": None}),
        ({"a": "b", "b": "c", "c": "b"}, {"a": "b", "b": None, "c": None}),
        ({"a": "b", "b": None}, {"a": "b", "b": None}),
        ({"a": "gone"}, {"a": None}),
    ],
    ids=str,
)
def test_a_circle_of_parents_is_not_written_and_not_lost(
    parents: dict[str, str | None], written: dict[str, str | None]
) -> None:
    memories = tuple(
        InterchangeRecord(id=id_, claim=Claim(content=id_, lineage=Lineage(parent=parent)))
        for id_, parent in parents.items()
    )
    encoded = CONTRACT.encode(memories)
    assert passes(CONTRACT.check(encoded.data))
    assert CONTRACT.decode(encoded.data) == memories
    assert {one["id"]: one.get("parentId") for one in json.loads(encoded.data)["entry"]} == written


def test_only_the_newest_revision_goes_out_and_the_other_is_told() -> None:
    older = msgspec.structs.replace(BORN_ELSEWHERE, revision=1)
    encoded = CONTRACT.encode([BORN_ELSEWHERE, older])
    assert CONTRACT.decode(encoded.data) == (BORN_ELSEWHERE,)
    assert Narrowing(id="rec-1", path="/revision", kept=False) in encoded.narrowed


def test_a_stamped_bundle_read_again_gives_the_same_memories() -> None:
    stamp = Stamp(source="muniment/1.0", at=Instant(1_780_000_000_000_000))
    encoded = encode_bundle([BORN_ELSEWHERE], stamp=stamp)
    bundle = decode_bundle(encoded.data)
    assert bundle.memories == (BORN_ELSEWHERE,)
    assert bundle.envelope == {"generatedAt": "2026-05-28T20:26:40Z", "source": "muniment/1.0"}
    assert {one["meta"]["source"] for one in json.loads(encoded.data)["entry"]} == {"muniment/1.0"}
    assert encode_bundle(bundle.memories, envelope=bundle.envelope) == encoded


def test_a_stranger_who_adds_an_extension_does_not_disturb_our_words() -> None:
    entry = json.loads(CONTRACT.encode([BORN_ELSEWHERE]).data)
    entry["entry"][-1]["extension"].append({"url": "urn:x:note", "valueNumber": 1.5})
    (memory,) = CONTRACT.decode(text_of(entry))
    kept = [one for one in memory.claim.extensions if one.name != "omir.extension"]
    assert msgspec.structs.replace(memory.claim, extensions=tuple(kept)) == BORN_ELSEWHERE.claim
    assert [json.loads(one.body) for one in memory.claim.extensions if one.name == "omir.extension"] == [
        [{"url": "urn:x:note", "valueNumber": 1.5}]
    ]


def test_draft_fields_that_are_none_stay_where_a_stranger_put_them() -> None:
    entry = document()
    entries = entry["entry"]
    assert isinstance(entries, list)
    assert isinstance(entries[0], dict)
    entries[0]["extension"] = [{"url": DRAFT_URL, "valueJson": {"fields": {"replayPriority": 0.5}}}]
    assert equal(json.loads(CONTRACT.encode(CONTRACT.decode(text_of(entry))).data), sorted_entries(entry))


@each(
    "made_up",
    [
        Extension(name="omir", body='{"importance":[[],[7]]}'),
        Extension(name="omir", body='{"tier":[[],["attic"]]}'),
        Extension(name="omir", body='{"secret":[[],[1]]}'),
        Extension(name="omir", body='{"content":[["Tea"],[]]}'),
        Extension(name="omir", body='{"createdAt":[["1970-01-01T00:00:00Z"],["noon"]]}'),
        Extension(name="omir.extension", body='{"a":1}'),
        Extension(name="omir.extension", body='[{"url":"no uri"}]'),
        Extension(name="omir.carried", body='{"kind":"MemoryRecord","id":"a b"}'),
        Extension(name="omir.carried", body='{"kind":"MemoryRecord","id":"a","meta":{"boss":"me"}}'),
        Extension(name="omir.carried", body='{"kind":"Entity","id":"a","refs":[["no id","x"]]}'),
        Extension(name="omir.carried", body='{"kind":"King","id":"a"}'),
        Extension(name="omir.bundle", body='{"entries":1,"envelope":{"id":"no id","boss":1}}'),
        Extension(name="omir.bundle", body='{"entries":1,"envelope":{"id":"fine","generatedAt":"noon"}}'),
        Extension(name="omir.bundle", body="[]"),
    ],
    ids=lambda one: one.body,
)
def test_words_that_somebody_made_up_never_make_an_invalid_bundle(made_up: Extension) -> None:
    claim = Claim(content="Tea", extensions=(made_up,))
    for tenant in (None, "acme"):
        encoded = CONTRACT.encode([InterchangeRecord(id="r", claim=claim, tenant=tenant)])
        assert passes(CONTRACT.check(encoded.data))
        assert "Tea" in encoded.data.decode()


@each(
    ("text", "field"),
    [
        (b"{", "/"),
        (b'{"resourceType":"Bundle","omirVersion":"R1"}', "/"),
        (DATA.replace(b'"importance": 0.7', b'"importance": 7'), "/entry/3/importance"),
        (DATA.replace(b'"parentId": "crack"', b'"parentId": "nobody"'), "/entry/4/parentId"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(text: bytes, field: str) -> None:
    with pytest.raises((Malformed, Unreadable)) as refused:
        CONTRACT.decode(text)
    assert isinstance(refused.value, Malformed | Unreadable)
    assert refused.value.field == field


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])), st.lists(st.sampled_from(["\x7f", "\\u007f", "a"])))
def test_the_text_of_extensions_is_put_away_and_taken_out_to_the_byte(words: str, odd: list[str]) -> None:
    spelled = json.dumps(words, ensure_ascii=False)[:-1] + "".join(odd) + '"'
    text = f'[ {{"url":"a:b","valueString": {spelled} }}\n]'
    assert texts.kept("x", texts.keep("x", text)) == text
    longer = texts.append(texts.append(text, "urn:one", {"n": 1}), "urn:two", {"n": 2})
    middle, two = texts.take(longer, "urn:two")
    assert middle is not None
    assert (texts.take(middle, "urn:one"), two) == ((text, {"n": 1}), {"n": 2})
