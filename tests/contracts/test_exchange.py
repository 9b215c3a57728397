"""Taking documents in and giving them out through a memory: order, links, ids, states, and what is told of each."""

from __future__ import annotations

import json
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.samples import FIRST, sample

from muniment import Memory
from muniment.compat.exchange import Imported, as_file, as_json, read_in, write_out
from muniment.compat.exchange.order import in_order
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.registry import ContractName, contract
from muniment.contracts.strict.values import Json, JsonObject
from muniment.model.errors import Malformed, NotFound, NotPermitted, Unreadable
from muniment.model.times import show
from muniment.model.vocabulary import Label

LEDGER = ContractName.MEMLEDGER


def note(name: str, content: str, **more: Json) -> JsonObject:
    return {"id": name, "content": content, "record_type": "semantic", **more}


def take(memory: Memory, *notes: JsonObject, preview: bool = False, hold: bool = False) -> Imported:
    return read_in(memory, LEDGER, json.dumps(list(notes)).encode(), preview=preview, hold=hold)


def outcomes(imported: Imported) -> list[str]:
    return [fate.outcome for fate in imported.fates]


def loose(imported: Imported) -> list[tuple[str, str, str]]:
    return [(fate.id, one.target, one.why) for fate in imported.fates for one in fate.loose]


def exported(memory: Memory, **filters: list[str]) -> dict[str, InterchangeRecord]:
    return {one.id: one for one in contract(LEDGER).decode(write_out(memory, LEDGER, **filters).data)}  # type: ignore[arg-type]  # only lists of words here


def epoch(memory: Memory) -> int | None:
    return memory.insight.stats().entries


def test_what_is_referred_to_comes_first_and_is_told_in_the_order_of_the_file(memory: Memory) -> None:
    imported = take(
        memory, note("c", "third", derived_from=["b"]), note("b", "second", derived_from=["a"]), note("a", "first")
    )
    assert [(fate.number, fate.id) for fate in imported.fates] == [(1, "c"), (2, "b"), (3, "a")]
    assert outcomes(imported) == ["committed"] * 3
    assert loose(imported) == []
    assert memory.get("c").record.claim.lineage.derived_from == ("b",)


def test_every_memory_of_a_file_has_a_foreign_origin(memory: Memory) -> None:
    read_in(memory, ContractName.AKASHIK, sample(ContractName.AKASHIK))
    assert memory.get("mem-1").standing.footing.label is Label.IMPORT
    assert memory.get("mem-1").record.actor == "owner"


def test_a_link_to_nothing_is_told_left_out_and_said_again_on_the_way_out(memory: Memory) -> None:
    imported = take(memory, note("b", "it stands on two", derived_from=["gone", "a"]), note("a", "ground"))
    assert outcomes(imported) == ["committed"] * 2
    assert loose(imported) == [("b", "gone", "there is no such record here or in the file")]
    assert memory.get("b").record.claim.lineage.derived_from == ("a",)
    assert exported(memory)["b"].claim.lineage.derived_from == ("gone", "a")


def test_a_link_to_a_record_that_is_here_is_kept(memory: Memory) -> None:
    here = memory.remember("the ground was here before", evidence=["x:1"]).record_id
    assert here is not None
    imported = take(memory, note("b", "it builds on what was here", derived_from=[here]))
    assert loose(imported) == []
    assert memory.get("b").record.claim.lineage.derived_from == (here,)


def test_a_memory_that_is_here_under_another_id_is_linked_to_there(memory: Memory) -> None:
    twin = memory.remember("the pump runs at night", evidence=["x:1"]).record_id
    imported = take(
        memory, note("b", "so the meter counts twice", derived_from=["a"]), note("a", "the pump runs at night")
    )
    assert outcomes(imported) == ["committed", "refused"]
    assert imported.fates[1].verdict is not None
    assert (imported.fates[1].verdict.rule, imported.fates[1].verdict.duplicate_of) == ("redundant", twin)
    assert memory.get("b").record.claim.lineage.derived_from == (twin,)


def test_an_id_that_another_record_has_is_refused_and_nothing_is_linked_to_it(memory: Memory) -> None:
    take(memory, note("a", "the lamp is red"))
    imported = take(memory, note("a", "cats sleep all day"), note("b", "so do some dogs", derived_from=["a"]))
    assert outcomes(imported) == ["refused", "committed"]
    assert imported.fates[0].verdict is not None
    assert imported.fates[0].verdict.rule == "id-taken"
    assert loose(imported) == [("b", "a", "another record here has that id")]
    assert memory.get("a").record.content == "the lamp is red"


def unit(name: str, content: str, *relations: tuple[str, str]) -> JsonObject:
    return {
        "id": name,
        "mode": "committed",
        "type": "finding",
        "content": content,
        "intent": {"purpose": "p"},
        "confidence": {"score": 0.9, "reasoning": "r"},
        "source": {"agent_id": "x", "agent_role": "y", "session_id": None, "timestamp": "2026-02-01T08:00:00Z"},
        "status": "active",
        "epoch": 1,
        "relations": [{"type": type_, "target_id": target} for type_, target in relations],
    }


def test_a_circle_is_opened_where_it_carries_least_and_told(memory: Memory) -> None:
    document = [
        unit("a", "the sky is clear tonight", ("contradicts", "b"), ("depends_on", "b")),
        unit("b", "rain falls on the harbour", ("informs", "a"), ("supports", "b")),
    ]
    imported = read_in(memory, ContractName.AKASHIK, json.dumps(document).encode())
    assert outcomes(imported) == ["committed"] * 2
    assert loose(imported) == [("b", "a", "it would close a circle"), ("b", "b", "it points to itself")]


def test_the_same_document_again_gets_the_same_answers_and_changes_nothing(memory: Memory) -> None:
    first = read_in(memory, ContractName.OMIR, sample(ContractName.OMIR))
    before = epoch(memory)
    again = read_in(memory, ContractName.OMIR, sample(ContractName.OMIR))
    assert again == first
    assert epoch(memory) == before


def test_a_document_whose_missing_link_has_come_since_is_another_batch(memory: Memory) -> None:
    document = note("b", "it stands on the one that came later", derived_from=["late"])
    first = take(memory, document)
    take(memory, note("late", "here it is"))
    again = take(memory, document)
    assert again.batch != first.batch
    assert outcomes(again) == ["refused"]
    assert loose(again) == []


def test_a_preview_says_what_would_come_of_it_and_changes_nothing(memory: Memory) -> None:
    before = epoch(memory)
    seen = read_in(memory, ContractName.OMIR, sample(ContractName.OMIR), preview=True)
    assert (seen.preview, outcomes(seen)) == (True, ["committed"] * 2)
    assert epoch(memory) == before
    with pytest.raises(NotFound):
        memory.get("mem-1")
    done = read_in(memory, ContractName.OMIR, sample(ContractName.OMIR))
    assert (done.batch, outcomes(done)) == (seen.batch, outcomes(seen))


def test_what_is_held_waits_with_its_links_until_the_batch_is_applied(memory: Memory) -> None:
    held = take(memory, note("b", "it stands on the other", derived_from=["a"]), note("a", "ground"), hold=True)
    assert outcomes(held) == ["held"] * 2
    with pytest.raises(NotFound):
        memory.get("b")
    assert [verdict.outcome.value for verdict in memory.imports.apply(held.batch, reason="seen")] == ["committed"] * 2
    assert memory.get("b").record.claim.lineage.derived_from == ("a",)


def test_a_batch_can_be_rolled_back_by_its_name(memory: Memory) -> None:
    imported = take(memory, note("b", "it stands on the other", derived_from=["a"]), note("a", "ground"))
    assert sorted(memory.imports.roll_back(imported.batch, reason="the wrong file").retracted) == ["a", "b"]
    assert exported(memory) == {}


def test_what_is_over_elsewhere_is_over_here(memory: Memory) -> None:
    take(
        memory,
        note("a", "still so"),
        note("b", "no longer so", status="deprecated"),
        note("c", "old", status="archived"),
    )
    assert {name: one.status.value for name, one in exported(memory).items()} == {"a": "active"}
    kept = exported(memory, statuses=["deprecated", "archived"])
    assert {name: one.status.value for name, one in kept.items()} == {"b": "deprecated", "c": "archived"}


def test_a_memory_with_private_reasoning_is_told_as_an_error_and_the_rest_comes_in(memory: Memory) -> None:
    imported = take(memory, note("a", "fine"), note("b", "not fine", metadata={"chain_of_thought": "hm"}))
    assert outcomes(imported) == ["committed", "error"]
    assert imported.fates[1].error is not None
    assert "no private reasoning" in imported.fates[1].error
    assert list(exported(memory)) == ["a"]


def test_a_document_that_is_wrong_in_one_place_changes_nothing(memory: Memory) -> None:
    before = epoch(memory)
    with pytest.raises(Malformed) as found:
        take(memory, note("a", "fine"), note("b", "not fine", confidence=2))
    assert found.value.field == "/1/confidence"
    with pytest.raises(Unreadable):
        read_in(memory, LEDGER, b'[{"id": "a"},]')
    assert epoch(memory) == before


def test_who_may_not_take_memories_in_is_refused(memory: Memory) -> None:
    with pytest.raises(NotPermitted):
        take(memory.as_actor("scout"), note("a", "fine"))
    assert exported(memory) == {}


def test_who_wrote_it_when_and_how_often_it_was_used_is_told_again(memory: Memory) -> None:
    take(
        memory,
        note("a", "x", created_by="ana", created_at="2026-02-01T10:00:00+02:00", access_count=3, success_count=2),
    )
    told = exported(memory)["a"]
    assert (told.actor, told.accesses, told.helpful) == ("ana", 3, 2.0)
    assert told.created_at is not None
    assert show(told.created_at) == "2026-02-01T08:00:00Z"
    document = json.loads(write_out(memory, LEDGER).data)
    assert document["created_at"] == "2026-02-01T10:00:00+02:00"


def test_a_revision_here_counts_on_from_there(memory: Memory) -> None:
    document: JsonObject = {**json.loads(sample(ContractName.RETRIEVAL))[1], "record_id": "r1", "revision": 4}
    read_in(memory, ContractName.RETRIEVAL, json.dumps(document).encode())
    memory.revise("r1", "Caching the wheels makes the nightly build much shorter")
    written = json.loads(write_out(memory, ContractName.RETRIEVAL).data)
    assert (written["record_id"], written["revision"]) == ("r1", 5)
    assert written["value"] == "Caching the wheels makes the nightly build much shorter"


def test_of_several_revisions_of_one_memory_the_newest_comes_in(memory: Memory) -> None:
    base: JsonObject = {**json.loads(sample(ContractName.RETRIEVAL))[0], "record_id": "r1"}
    old: JsonObject = {**base, "value": "the lamp is red", "revision": 1}
    new: JsonObject = {**base, "value": "cats sleep all day", "revision": 2}
    imported = read_in(memory, ContractName.RETRIEVAL, json.dumps([old, new]).encode())
    assert [(fate.number, fate.outcome) for fate in imported.fates] == [(1, "refused"), (2, "committed")]
    assert memory.get("r1").record.content == "cats sleep all day"


def test_luggage_that_somebody_made_up_is_left_alone(memory: Memory) -> None:
    read_in(memory, LEDGER, json.dumps(note("a", "x")).encode())
    claim = memory.get("a").record.claim
    odd = msgspec.structs.replace(claim.extensions[-1], body='{"revision": "many"}')
    memory.propose(msgspec.structs.replace(claim, content="y", extensions=(odd,)))
    assert sorted(one.claim.content for one in exported(memory).values()) == ["x", "y"]


def test_only_what_the_caller_may_see_is_given_out(memory: Memory) -> None:
    memory.remember("the pay of the board", sensitivity="secret")
    memory.remember("the lunch menu", sensitivity="public")
    given_out = contract(LEDGER).decode(write_out(memory.as_actor("scout"), LEDGER).data)
    assert [one.claim.content for one in given_out] == ["the lunch menu"]


def test_giving_out_leaves_a_receipt(memory: Memory) -> None:
    before = memory.insight.stats().receipts
    write_out(memory, LEDGER)
    after = memory.insight.stats().receipts
    assert before is not None
    assert after == before + 1


def test_filters_bound_what_is_given_out(memory: Memory) -> None:
    memory.remember("build is green", kind="fact", namespace="/ci", evidence=["ci:1"])
    memory.remember("ship on friday", kind="decision", namespace="/plan")

    def contents(data: bytes) -> list[str]:
        return [one.claim.content for one in contract(LEDGER).decode(data)]

    assert contents(write_out(memory, LEDGER, kinds=["fact"]).data) == ["build is green"]
    assert contents(write_out(memory, LEDGER, namespace="/plan").data) == ["ship on friday"]
    assert contents(write_out(memory, LEDGER, limit=1).data) == ["build is green"]
    assert contents(write_out(memory, LEDGER, since="2999-01-01").data) == []
    assert contents(write_out(memory, LEDGER, since="2020-01-01").data) == ["build is green", "ship on friday"]
    assert contents(write_out(memory, LEDGER, statuses=["retracted"]).data) == []


def test_what_disagrees_is_told_of_each_side(memory: Memory) -> None:
    first = memory.as_actor("a").remember("The nightly build takes 40 minutes", confidence=0.8, evidence=["ci:1"])
    second = memory.as_actor("b").remember("The nightly build takes 55 minutes", confidence=0.8)
    assert second.conflict_ids
    told = exported(memory)
    assert told[str(first.record_id)].conflicts == (second.record_id,)
    assert told[str(second.record_id)].conflicts == (first.record_id,)


def test_an_empty_memory_is_given_out_as_an_empty_document(memory: Memory) -> None:
    for name in ContractName:
        data = write_out(memory, name).data
        assert [one for one in contract(name).check(data) if one.severity == "error"] == []
        assert contract(name).decode(data) == ()


def test_progress_is_told_while_a_long_file_comes_in(memory: Memory) -> None:
    told: list[int] = []
    notes = [note(f"n{number}", f"note {number} of many") for number in range(1_001)]
    read_in(memory, LEDGER, json.dumps(notes).encode(), progress=told.append)
    assert told == [1_000]


def test_yaml_and_the_binary_form_are_read_as_the_same_document() -> None:
    assert json.loads(as_json(b"id: a\ncontent: yes\n", ".YML")) == {"id": "a", "content": "yes"}
    binary = as_file(sample(ContractName.OMIR), ".omirb")
    assert not binary.startswith(b"{")
    assert json.loads(as_json(binary, ".omirb")) == json.loads(sample(ContractName.OMIR))
    assert as_file(sample(ContractName.OMIR), ".json") == sample(ContractName.OMIR)
    assert FIRST.encode() in as_json(sample(ContractName.OMIR), ".omir")


NAMES = st.lists(st.sampled_from("abcdefgh"), max_size=8)
LINKS = st.lists(
    st.tuples(st.sampled_from(["derived_from", "informs", "supersedes", "parent"]), st.sampled_from("abcdefghz")),
    max_size=3,
)


@given(NAMES, st.data())
def test_every_memory_comes_once_and_after_what_it_refers_to_unless_there_is_a_circle(
    ids: list[str], data: st.DataObject
) -> None:
    links = [data.draw(LINKS) for _ in ids]
    order = in_order(ids, links)
    assert sorted(order) == list(range(len(ids)))
    rank = {number: place for place, number in enumerate(order)}
    firsts = {name: ids.index(name) for name in ids}
    ahead = {
        (number, firsts[target])
        for number, own in enumerate(links)
        for _, target in own
        if target in firsts and firsts[target] != number and rank[firsts[target]] > rank[number]
    }
    if not _circular(ids, links):
        assert ahead == set()


def _circular(ids: list[str], links: list[list[tuple[str, str]]]) -> bool:
    """Whether links lead from some memory back to it, by trying every way."""
    firsts = {name: ids.index(name) for name in ids}
    reach = {n: {firsts[t] for _, t in own if t in firsts and firsts[t] != n} for n, own in enumerate(links)}
    for _ in ids:
        reach = {number: others | {far for one in others for far in reach[one]} for number, others in reach.items()}
    return any(number in others for number, others in reach.items())


def test_without_links_the_order_of_the_file_stands() -> None:
    order = in_order([f"m{number}" for number in range(50)], [[]] * 50)
    assert all(before < after for before, after in pairwise(order))


def test_ten_thousand_memories_in_pairs_of_circles_are_put_in_order() -> None:
    ids = [f"m{number}" for number in range(10_000)]
    links = [[("informs", ids[number ^ 1])] for number in range(10_000)]
    assert sorted(in_order(ids, links)) == list(range(10_000))
