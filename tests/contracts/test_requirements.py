"""Every assertion of every contract is shown by a test or a vector, and what we do otherwise is on record."""

from __future__ import annotations

import pytest
from tests.cases import each
from tests.contracts.coverage import doubted, shown
from tests.support.requirements import requirements
from tests.support.vectors import Vector, run_vector, vectors

from muniment.contracts.registry import ContractName

PREFIX = {
    ContractName.MATM: ("MATM", 75),
    ContractName.OMIR: ("OMIR", 90),
    ContractName.RETRIEVAL: ("RETR", 71),
    ContractName.MEMLEDGER: ("MEML", 100),
    ContractName.AKASHIK: ("AKAS", 108),
}
"""How the assertions of each contract are numbered, and how many its page has."""


@each("name", list(ContractName))
def test_a_contract_has_one_line_per_assertion_of_its_page(name: ContractName) -> None:
    word, count = PREFIX[name]
    assert requirements(name).ids == tuple(f"{word}-{number:03}" for number in range(1, count + 1))


@each("name", list(ContractName))
def test_every_assertion_is_shown(name: ContractName) -> None:
    held, otherwise = shown(), doubted()
    bare = [
        line.id for line in requirements(name).lines if line.id not in (held if line.diverges is None else otherwise)
    ]
    assert bare == []


@each("name", list(ContractName))
def test_what_we_do_otherwise_has_a_reason_and_what_we_keep_has_none(name: ContractName) -> None:
    otherwise = doubted()
    lines = requirements(name).lines
    assert [line.id for line in lines if line.diverges is None and line.id in otherwise] == []
    assert [line.id for line in lines if line.diverges is not None and len(line.diverges) < 20] == []


def test_nothing_is_cited_that_no_contract_demands() -> None:
    known = {id_ for name in ContractName for id_ in requirements(name).ids}
    assert sorted({*shown(), *doubted()} - known) == []


@each(
    ("name", "vector"),
    [pytest.param(name, one, id=f"{name}-{one.name}") for name in ContractName for one in vectors(name)],
)
def test_a_vector_comes_out_as_it_says(name: ContractName, vector: Vector) -> None:
    assert run_vector(name, vector) == ()
