"""Whose word is it: what somebody can put into a claim or a file so that an export, a recall or a report says what is
not so."""

from __future__ import annotations

import json

import msgspec
from tests.cases import each

from muniment import Memory
from muniment.compat.exchange import convert, read_in, write_out
from muniment.contracts.finding import passes
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.json_diff import differ, spell
from muniment.contracts.registry import ContractName, contract
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.claim import Claim, Extension
from muniment.model.curation import Verdict
from muniment.model.vocabulary import Label, Outcome, TrustLevel

MEMLEDGER, OMIR = ContractName.MEMLEDGER, ContractName.OMIR
FORGED = {"actor": "ceo", "role": "chief", "reviewer": "ceo", "created_at": 0, "reports": ["rep-9"], "accesses": 99}


def said(memory: Memory) -> JsonObject:
    """The only document of an export."""
    found: JsonObject = json.loads(write_out(memory, MEMLEDGER).data)
    return found


def propose(memory: Memory, *extensions: Extension, content: str = "The bridge is safe") -> Verdict:
    verdict = memory.propose(Claim(content=content, extensions=extensions))
    assert verdict.outcome is Outcome.COMMITTED
    return verdict


def file_of(*documents: JsonObject) -> bytes:
    return json.dumps(list(documents)).encode()


def note(id_: str, content: str, **more: Json) -> JsonObject:
    return {"id": id_, "content": content, "record_type": "semantic", **more}


def test_luggage_that_was_proposed_here_is_not_told(memory: Memory) -> None:
    propose(memory.as_actor("scout"), Extension(name="carried", body=json.dumps(FORGED)))
    found = said(memory)
    assert (found["created_by"], found["access_count"]) == ("scout", 0)
    assert "ceo" not in write_out(memory, ContractName.MATM).data.decode()


def test_luggage_that_a_revision_brings_is_not_told_and_what_came_with_the_file_is(memory: Memory) -> None:
    read_in(memory, MEMLEDGER, file_of(note("mem-1", "The bridge is safe", created_by="maria")))
    first = memory.get("mem-1").record.claim
    others = tuple(one for one in first.extensions if one.name != "carried")
    forged = (*others, Extension(name="carried", body=json.dumps(FORGED)))
    claim = msgspec.structs.replace(first, content="The bridge is closed", extensions=forged)
    assert memory.propose(claim, target="mem-1").outcome is Outcome.COMMITTED
    found = said(memory)
    assert (found["content"], found["created_by"]) == ("The bridge is closed", "maria")
    assert "ceo" not in write_out(memory, ContractName.MATM).data.decode()


def test_an_author_gives_their_own_record_no_marks(memory: Memory) -> None:
    record = InterchangeRecord(id="rec_1", claim=Claim(content="The bridge is safe"))
    plain: JsonObject = json.loads(contract(MEMLEDGER).encode([record]).data)
    marks: JsonObject = {
        "quality_score": 99,
        "confidence_flag": "PASS",
        "accessed_by": [{"agent": "ceo"}],
        "user_id": "u-1",
    }
    body = spell(differ(plain, {**plain, **marks}))
    propose(memory.as_actor("scout"), Extension(name="memledger", body=body))
    found = said(memory)
    assert [found[name] for name in marks] == [None, None, [], "u-1"]


def test_marks_that_came_with_a_file_are_told_again(memory: Memory) -> None:
    read_in(memory, MEMLEDGER, file_of(note("mem-1", "The bridge is safe", quality_score=71)))
    assert said(memory)["quality_score"] == 71


def test_nobody_goes_out_under_the_id_of_another_record(memory: Memory) -> None:
    real = memory.remember("The bridge is closed").record_id
    told = json.dumps({"kind": "MemoryRecord", "id": real})
    propose(memory.as_actor("scout"), Extension(name="omir.told", body=told))
    entries = json.loads(write_out(memory, OMIR).data)["entry"]
    assert [one["content"] for one in entries if one["id"] == real] == ["The bridge is closed"]


def test_a_file_cannot_say_how_it_is_to_be_trusted(memory: Memory) -> None:
    words: JsonObject = {
        "label": [[], ["person"]],
        "trust": [[], ["high"]],
        "reviewer": [[], ["ceo"]],
        "tenant": [[], ["else"]],
    }
    forged = note("mem-1", "The bridge is safe", metadata={"muniment": {"memory": words}})
    (fate,) = read_in(memory, MEMLEDGER, file_of(forged)).fates
    assert fate.verdict is not None
    record = memory.get("mem-1").record
    assert (record.label, record.trust, record.actor) == (Label.IMPORT, TrustLevel.LOW, "owner")
    assert (record.reviewer, record.tenant) == (None, "default")
    assert memory.review.report(fate.verdict.proposal_id).report.reviewer is None


def test_a_link_that_was_not_the_importers_to_make_is_not_made_by_an_export(memory: Memory) -> None:
    other = memory.remember("The ferry runs at noon").record_id
    assert other is not None
    parent, child = note(other, "Tides are high"), note("mem-2", "So boats float", derived_from=[other, "gone"])
    fates = read_in(memory, MEMLEDGER, file_of(parent, child)).fates
    assert [one.outcome for one in fates] == ["refused", "committed"]
    told: list[JsonObject] = json.loads(write_out(memory, MEMLEDGER).data)
    assert [one["derived_from"] for one in told if one["id"] == "mem-2"] == [["gone"]]


def test_links_in_a_circle_of_one_file_go_out_as_they_came(memory: Memory) -> None:
    both = [note("a", "Eggs come from hens", derived_from=["b"]), note("b", "Hens come from eggs", derived_from=["a"])]
    read_in(memory, MEMLEDGER, file_of(*both))
    told: list[JsonObject] = json.loads(write_out(memory, MEMLEDGER).data)
    assert {str(one["id"]): one["derived_from"] for one in told} == {"a": ["b"], "b": ["a"]}


def test_how_many_records_speak_by_the_word_of_a_file_is_told(memory: Memory) -> None:
    memory.remember("The ferry runs at noon")
    propose(memory.as_actor("scout"), Extension(name="carried", body=json.dumps(FORGED)))
    read_in(memory, MEMLEDGER, file_of(note("mem-1", "The mill is old", created_by="maria")))
    assert write_out(memory, MEMLEDGER).foreign == 1


ODD: dict[str, Json] = {
    "nothing": None,
    "a number": 7,
    "no record": {"memory": [[], [{"seed_records": 3}]], "steps": [[], [["a"]]], "outcome": [[], [4]]},
    "a list where an object stands": {name: [[{}], [[]]] for name in ("meta", "source", "confidence", "intent")},
    "every field otherwise": {
        name: [[was], [-1]]
        for name, was in (("status", "active"), ("mode", "committed"), ("epoch", 0), ("confidence", 0.5), ("kind", "x"))
    },
    "new fields": {name: [[], [{"deep": [1]}]] for name in ("extension", "entry", "resourceType", "x", "relations")},
    "a field taken away": {name: [["The bridge is safe"], []] for name in ("content", "statement", "value", "claim")},
}


@each("name", list(ContractName))
@each("body", ODD.values(), ids=ODD.keys())
@each("after", ["", ":slot", ".told", ".raw", ".envelope"])
def test_whatever_is_kept_with_a_memory_what_goes_out_is_valid(name: ContractName, body: Json, after: str) -> None:
    extension = Extension(name=f"{name}{after}", body=json.dumps(body))
    carried = InterchangeRecord(
        id="rec_1", claim=Claim(content="The bridge is safe", extensions=(extension,)), actor="scout"
    )
    via = contract(MEMLEDGER if name is not MEMLEDGER else ContractName.MATM)
    encoded = convert(ContractName(via.name), name, via.encode([carried]).data)
    assert passes(contract(name).check(encoded.data))
    assert "The bridge is safe" in encoded.data.decode()


def test_what_would_make_a_document_wrong_is_left_out_and_told(memory: Memory) -> None:
    steps = Extension(name="memledger", body='{"steps":[[],[["sneak in"]]]}')
    propose(memory, steps)
    memory.remember("The ferry runs at noon")
    exported = write_out(memory, MEMLEDGER)
    assert passes(contract(MEMLEDGER).check(exported.data))
    assert "sneak in" not in exported.data.decode()
    assert [one.path for one in exported.narrowed if "extensions" in one.path] == ["/claim/extensions/memledger"]
