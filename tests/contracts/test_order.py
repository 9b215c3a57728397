"""Records keep the order they were written in through a document of every contract, and through two of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment import Memory
from muniment.compat.exchange import convert, read_in, write_out
from muniment.contracts.registry import ContractName

COUNT = 20


@pytest.mark.parametrize("name", list(ContractName))
def test_order_is_kept_through_a_contract_and_through_each_other_and_back(name: ContractName, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "here") as memory:
        ids: list[str] = []
        for number in range(COUNT):
            grounds = ids[-2:-1] if number % 5 == 4 else []
            content = f"Fact number {number * 37 % 101} of the harbour"
            verdict = memory.remember(content, kind="observation", evidence=["log:1"], derived_from=grounds)
            assert verdict.record_id is not None
            ids.append(verdict.record_id)
        order = [one.record.claim.content for one in memory.insight.browse()]
        written = write_out(memory, name).data
    documents = {name.value: written}
    documents |= {
        other.value: convert(other, name, convert(name, other, written).data).data
        for other in ContractName
        if other is not name
    }
    for through, document in documents.items():
        with Memory.open(tmp_path / through) as back:
            read_in(back, name, document)
            found = [one.record.claim.content for one in back.insight.browse()]
        assert found == [content for content in order if content in found], through
        assert len(found) == COUNT, through
