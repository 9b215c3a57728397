"""The day goes out by each contract and comes in again, is rolled back, and comes in once more."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.flows.day import Day

from muniment import Memory
from muniment.compat.exchange import Imported, convert, read_in, validate, write_out
from muniment.contracts.registry import ContractName, contract
from muniment.model.errors import CallerError

FILES = pytest.mark.parametrize("name", list(ContractName), ids=str)


def contents(memory: Memory) -> list[str]:
    return sorted(one.record.content for one in memory.insight.browse())


def exported(day: Day, name: ContractName) -> bytes:
    with Memory.open(day.vault, embedder=None) as memory:
        return write_out(memory, name).data


def committed(imported: Imported) -> int:
    assert imported.count("error") == 0
    return imported.count("committed")


@pytest.mark.sampled(1)
@FILES
def test_a_day_goes_out_and_comes_in_by_every_contract_and_what_an_import_says_is_true(
    day: Day, tmp_path: Path, name: ContractName
) -> None:
    data = exported(day, name)
    assert validate(name, data).result == "pass"

    with Memory.open(tmp_path / "other", embedder=None) as memory:
        first = read_in(memory, name, data)
        assert committed(first) == len(day.said())
        assert contents(memory) == sorted(day.said())
        entries = memory.insight.stats().entries

        again = read_in(memory, name, data)
        assert (again.batch, committed(again)) == (first.batch, committed(first))
        assert memory.insight.stats().entries == entries, "the same file changes nothing"

        undone = memory.imports.roll_back(first.batch, reason="the wrong file")
        assert len(undone.retracted) == len(day.said())
        assert contents(memory) == []

        for preview in (True, False):
            with pytest.raises(CallerError) as refused:
                read_in(memory, name, data, preview=preview)
            assert refused.value.code == "rolled_back"
            assert contents(memory) == []
        last = read_in(memory, name, data, again=True)
        assert committed(last) == len(day.said())
        assert contents(memory) == sorted(day.said())
        assert memory.ledger.verify().findings == ()
        assert memory.ledger.replay().identical


@pytest.mark.sampled(1)
@FILES
def test_what_goes_through_omir_comes_back_in_its_order_with_its_words(day: Day, name: ContractName) -> None:
    data = exported(day, name)
    there = convert(name, ContractName.OMIR, data).data
    back = convert(ContractName.OMIR, name, there).data
    before, after = ([(one.id, one.claim.content) for one in contract(name).decode(text)] for text in (data, back))
    assert after == before
    assert len(after) == len(day.said())
