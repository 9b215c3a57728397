"""The codec over a contract of four fields: nothing is lost on the way in, and nothing untold on the way out."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each

from muniment.contracts import codec
from muniment.contracts.contract import Narrowing
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.names import safe_id, safe_text
from muniment.contracts.strict.values import Json, JsonObject, same
from muniment.model.claim import Belief, Claim, Extension, Nature, Place
from muniment.model.errors import Malformed
from muniment.model.vocabulary import Kind

KINDS = {"note": Kind.OBSERVATION, "fact": Kind.FACT}


class Notes:
    """A contract whose document has an id, a text, a sort, and `more` for anything, with or without a slot in it."""

    name = "notes"

    def __init__(self, *, slotted: bool = True) -> None:
        self._slotted = slotted

    def read(self, document: JsonObject) -> InterchangeRecord:
        text = document["text"]
        assert isinstance(text, str)
        kind = KINDS[str(document.get("sort", "note"))]
        if text == "refused":
            raise Malformed("claim.content", "something else")
        return InterchangeRecord(
            id=safe_id(str(document["id"])), claim=Claim(content=safe_text(text), nature=Nature(kind=kind))
        )

    def write(self, memory: InterchangeRecord) -> JsonObject:
        sort = "fact" if memory.claim.nature.kind is Kind.FACT else "note"
        return {"id": memory.id, "text": memory.claim.content, "sort": sort}

    def put_slot(self, document: JsonObject, words: Json) -> JsonObject | None:
        return {**document, "ours": words} if self._slotted else None

    def take_slot(self, document: JsonObject) -> tuple[JsonObject, Json]:
        if "ours" not in document or not self._slotted:
            return document, None
        return {key: value for key, value in document.items() if key != "ours"}, document["ours"]


SLOTTED, BARE = Notes(), Notes(slotted=False)
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4)
)
ANYTHING = st.recursive(
    LEAVES,
    lambda part: st.lists(part, max_size=2) | st.dictionaries(st.text(max_size=3), part, max_size=2),
    max_leaves=5,
)
WORDS = (
    ANYTHING
    | st.just({"claim": {"place": {"namespace": [["/"], ["/team"]]}}})
    | st.just({"claim": {"place": {"namespace": [["/elsewhere"], ["/team"]]}, "belief": {"score": [[0.5], ["much"]]}}})
)
DOCUMENTS = st.fixed_dictionaries(
    {"id": st.text(max_size=5), "text": st.text(max_size=8).filter(lambda text: text != "refused")},
    optional={"sort": st.sampled_from(sorted(KINDS)), "more": ANYTHING, "ours": WORDS},
)
FULL = Claim(
    content="The build is green",
    nature=Nature(kind=Kind.DIRECTIVE),
    place=Place(namespace="/team/build", session_id="s1"),
    belief=Belief(score=0.9, evidence=("ci:1",)),
)


@pytest.mark.parametrize("dialect", [SLOTTED, BARE], ids=["slot", "no slot"])
@given(document=DOCUMENTS)
def test_what_is_read_is_written_as_it_was(dialect: Notes, document: JsonObject) -> None:
    memory = codec.decode(dialect, document)
    again, told = codec.encode(dialect, memory)
    assert same(again, document)
    assert [one for one in told if not one.kept] == []


def test_words_of_ours_come_back_and_are_told_as_kept() -> None:
    memory = InterchangeRecord(id="m1", claim=FULL, revision=3)
    document, told = codec.encode(SLOTTED, memory)
    assert {one.path for one in told} == {
        "/claim/nature",
        "/claim/place",
        "/claim/belief",
        "/revision",
    }
    assert all(one.kept and one.id == "m1" for one in told)
    assert codec.decode(SLOTTED, json.loads(json.dumps(document))) == memory


def test_without_a_slot_what_is_lost_is_told_and_the_rest_is_there() -> None:
    document, told = codec.encode(BARE, InterchangeRecord(id="m1", claim=FULL))
    assert document == {"id": "m1", "text": "The build is green", "sort": "note"}
    assert Narrowing(id="m1", path="/claim/place", kept=False) in told
    assert all(not one.kept for one in told)


def test_a_memory_the_contract_can_say_in_full_is_not_narrowed() -> None:
    plain = InterchangeRecord(id="m1", claim=Claim(content="x", nature=Nature(kind=Kind.FACT)))
    document, told = codec.encode(SLOTTED, plain)
    assert (document, told) == ({"id": "m1", "text": "x", "sort": "fact"}, ())


def test_a_field_that_was_changed_elsewhere_wins_and_the_others_come_back() -> None:
    document, _ = codec.encode(SLOTTED, InterchangeRecord(id="m1", claim=FULL))
    changed: JsonObject = {**document, "text": "The build is red", "sort": "fact"}
    memory = codec.decode(SLOTTED, changed)
    assert memory.claim.content == "The build is red"
    assert memory.claim.nature.kind is Kind.FACT
    assert memory.claim.place == FULL.place
    again, _ = codec.encode(SLOTTED, memory)
    assert same(again, changed)


def test_what_was_left_over_gives_way_to_a_change_of_ours() -> None:
    memory = codec.decode(BARE, {"id": "a b", "text": " \x07spaced", "more": {"k": 1}})
    claim = msgspec.structs.replace(memory.claim, content="new words")
    document, _ = codec.encode(BARE, msgspec.structs.replace(memory, claim=claim))
    assert document == {"id": "a b", "text": "new words", "more": {"k": 1}}


def test_words_that_would_make_no_memory_are_left_out_but_kept() -> None:
    words: Json = {"claim": {"belief": {"score": [[], [7]]}}}
    document: JsonObject = {"id": "m1", "text": "x", "sort": "note", "ours": words}
    memory = codec.decode(SLOTTED, document)
    assert memory.claim.belief == Belief()
    again, _ = codec.encode(SLOTTED, memory)
    assert same(again, document)


def test_what_another_contract_left_over_travels_in_the_slot() -> None:
    foreign = Extension(name="elsewhere", body='{"x":[[],[1]]}')
    memory = InterchangeRecord(id="m1", claim=Claim(content="x", extensions=(foreign,)))
    document, told = codec.encode(SLOTTED, memory)
    assert [one.path for one in told] == ["/claim/extensions"]
    assert codec.decode(SLOTTED, document).claim.extensions == (foreign,)


def test_an_error_of_our_record_is_told_where_the_document_stands() -> None:
    with pytest.raises(Malformed) as found:
        codec.decode(SLOTTED, {"id": "m1", "text": "refused"}, path="/3")
    assert found.value.field == "/3/claim/content"
    with pytest.raises(Malformed) as found:
        codec.decode(SLOTTED, {"id": "m1", "text": "refused"})
    assert found.value.field == "/claim/content"


def test_foreign_words_are_made_safe_the_same_way_every_time() -> None:
    assert safe_id("mem-1.a:B_") == "mem-1.a:B_"
    assert safe_id("a b") == safe_id("a b") != safe_id("a  b")
    assert len(safe_id("x" * 1_000)) <= 128
    assert safe_text("a\x00b\tc") == "ab\tc"
    assert safe_text(" \x07 ") == "(empty)"
    assert safe_text("é" * 10, limit=5) == "éé"


@each("name", ["notes", "notes:slot"])
@each("dialect", [SLOTTED, BARE])
def test_a_residue_that_somebody_made_up_cannot_speak_for_the_record(dialect: Notes, name: str) -> None:
    made_up = json.dumps({"text": [["The door is shut"], ["The door is open"]], "sort": [["note"], ["fact"]]})
    claim = Claim(content="The door is shut", extensions=(Extension(name=name, body=made_up),))
    document, _ = codec.encode(dialect, InterchangeRecord(id="n-1", claim=claim))
    assert (document["text"], document["sort"]) == ("The door is shut", "note")


def test_an_honest_residue_still_speaks_when_another_part_of_the_record_has_changed() -> None:
    read = codec.decode(SLOTTED, {"id": "n 1", "text": "The door is shut", "sort": "note", "more": [1.0]})
    claim = msgspec.structs.replace(read.claim, content="The door is open")
    document, _ = codec.encode(SLOTTED, msgspec.structs.replace(read, claim=claim))
    assert document == {"id": "n 1", "text": "The door is open", "sort": "note", "more": [1.0]}
