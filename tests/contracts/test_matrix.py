"""What one contract writes every other can read: five by five, by conversion alone and through a memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import each
from tests.contracts.samples import FIRST, SECOND, sample
from tests.contracts.test_schemas import documents

from muniment import Memory
from muniment.compat.exchange import DocumentResult, convert, read_in, validate, write_out
from muniment.contracts.contract import Encoded
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.json_diff import differ
from muniment.contracts.registry import ContractName, contract
from muniment.contracts.strict.values import JsonObject, same

GUIDE = Path(__file__).parent.parent.parent / "docs" / "guides" / "exchange.md"
SLOTTED = frozenset(ContractName) - {ContractName.AKASHIK}
"""The contracts whose documents have a place for what they have no field for."""
OURS = {"/tenant", "/label", "/trust", "/epoch", "/effective", "/reports"}
"""What a memory says for itself of whatever it keeps, whoever wrote it."""
PAIRS = [pytest.param(source, target, id=f"{source}-{target}") for source in ContractName for target in ContractName]


def plain(memory: InterchangeRecord) -> JsonObject:
    """A memory without what contracts left over in it, which is theirs to compare."""
    bare = msgspec.structs.replace(memory, claim=msgspec.structs.replace(memory.claim, extensions=()))
    found: JsonObject = msgspec.json.decode(msgspec.json.encode(bare))
    return found


def changes(sent: tuple[InterchangeRecord, ...], got: tuple[InterchangeRecord, ...]) -> Iterator[tuple[str, str]]:
    """Id and place of everything that was said in what was sent and is otherwise in what was got."""
    by_id = {one.id: one for one in got}
    assert by_id.keys() == {one.id for one in sent}
    for one in sent:
        yield from ((one.id, rest.pointer) for rest in differ(plain(by_id[one.id]), plain(one)) if rest.now)


def untold(encoded: Encoded, found: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    """The changes that were not told, nor said by the memory for itself."""
    lost = {(one.id, one.path) for one in encoded.narrowed if not one.kept}
    return [change for change in found if change not in lost and change[1] not in OURS]


@each("name", list(ContractName))
def test_the_sample_of_a_contract_is_valid_in_it(name: ContractName) -> None:
    assert validate(name, sample(name)).findings == ()
    assert [one.claim.content for one in contract(name).decode(sample(name))] == [FIRST, SECOND]


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_what_is_taken_in_by_one_contract_is_given_out_by_each(
    memory: Memory, source: ContractName, target: ContractName
) -> None:
    taken = read_in(memory, source, sample(source))
    assert [(fate.outcome, fate.loose) for fate in taken.fates] == [("committed", ())] * 2
    given_out = write_out(memory, target)
    assert validate(target, given_out.data).result is DocumentResult.PASS
    got = contract(target).decode(given_out.data)
    assert sorted(one.claim.content for one in got) == sorted([FIRST, SECOND])
    assert untold(given_out, changes(contract(source).decode(sample(source)), got)) == []
    if target in SLOTTED:
        assert [one for one in given_out.narrowed if not one.kept] == []


@each(("source", "target"), PAIRS)
def test_there_and_back_is_where_one_was(source: ContractName, target: ContractName) -> None:
    there = convert(source, target, sample(source))
    back = convert(target, source, there.data)
    if target in SLOTTED or target is source:
        assert same(json.loads(back.data), json.loads(sample(source)))
    sent, got = contract(source).decode(sample(source)), contract(source).decode(back.data)
    lost = {(one.id, one.path) for one in there.narrowed if not one.kept}
    assert [change for change in changes(sent, got) if change not in lost] == []


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_a_second_memory_gets_what_the_first_gave_out(
    memory: Memory, tmp_path: Path, source: ContractName, target: ContractName
) -> None:
    read_in(memory, source, sample(source))
    between = write_out(memory, target)
    with Memory.open(tmp_path / "second") as second:
        assert {fate.outcome for fate in read_in(second, target, between.data).fates} == {"committed"}
        last = write_out(second, source)
    assert validate(source, last.data).result is DocumentResult.PASS
    got = contract(source).decode(last.data)
    assert untold(between, changes(contract(source).decode(sample(source)), got)) == []


@pytest.mark.parametrize("source", list(ContractName))
@given(data=st.data())
def test_whatever_a_contract_can_say_every_other_takes(source: ContractName, data: st.DataObject) -> None:
    memories = contract(source).decode(json.dumps(data.draw(documents(source))).encode())
    for target in ContractName:
        written = contract(target).encode(memories)
        assert validate(target, written.data).result is DocumentResult.PASS
        got = contract(target).decode(written.data)
        assert sorted(one.id for one in got) == sorted(one.id for one in memories)
        lost = {(one.id, one.path) for one in written.narrowed if not one.kept}
        assert [change for change in changes(memories, got) if change not in lost] == []
        assert target not in SLOTTED or lost == set()


def measured() -> str:
    """The matrix as the guide shows it: what becomes of the fields of the two sample memories."""
    rows = [["written as → read as", *ContractName], ["---"] * (len(ContractName) + 1)]
    for source in ContractName:
        cells = [_cell(contract(target).encode(contract(source).decode(sample(source)))) for target in ContractName]
        rows.append([f"**{source}**", *cells])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _cell(encoded: Encoded) -> str:
    kept = len({one.path for one in encoded.narrowed if one.kept})
    lost = len({one.path for one in encoded.narrowed if not one.kept})
    return f"{lost} left out" if lost else f"{kept} kept" if kept else "whole"


def test_the_matrix_in_the_guide_is_the_one_that_comes_out() -> None:
    print(measured())
    assert measured() in GUIDE.read_text(encoding="utf-8")
