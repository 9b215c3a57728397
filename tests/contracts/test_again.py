"""A batch that was rolled back: the same file says so, and comes in again when somebody asks for it by name."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from tests.cases import each
from tests.support.world import simulated_memory

from muniment import Memory
from muniment.compat.exchange import read_in, write_out
from muniment.contracts.registry import ContractName
from muniment.engine.importing import Newcomer
from muniment.engine.policies import default_policy_text
from muniment.model.claim import Claim
from muniment.model.errors import RolledBack
from muniment.policy.parse import parse_policy
from muniment.policy.rules import Action, ReviewRule

SAID = (
    "Der Hafenmeister schließt das Tor um neun",
    "Le phare de Kéréon clignote en rouge",
    "検潮所の鍵は赤い箱にある",
)


def told(contract: ContractName) -> bytes:
    elsewhere = simulated_memory()
    first = elsewhere.remember(SAID[0], confidence=0.9, kind="observation").record_id
    assert first is not None
    elsewhere.remember(SAID[1], confidence=0.9, kind="observation", derived_from=[first])
    elsewhere.remember(SAID[2], confidence=0.9, kind="observation")
    return write_out(elsewhere, contract).data


def end_of(memory: Memory) -> tuple[int, bytes]:
    """Where the ledger ends. To look is told in the log of receipts, and in no entry."""
    head = memory.ledger.head()
    return head.seq, head.hash


def contents(memory: Memory) -> list[str]:
    return sorted(one.record.content for one in memory.insight.browse())


@each("hold", [False, True], ids=["committed", "held"])
@each("contract", list(ContractName))
def test_a_file_that_was_rolled_back_says_so_and_comes_in_again_when_it_is_asked_for(
    contract: ContractName, hold: bool
) -> None:
    memory, data = simulated_memory(), told(contract)
    first = read_in(memory, contract, data, hold=hold)
    assert first.count("error") == 0
    before = (contents(memory), len(memory.review.queue()))
    memory.imports.roll_back(first.batch, reason="the wrong file")
    head = end_of(memory)
    for preview in (True, False):
        with pytest.raises(RolledBack) as refused:
            read_in(memory, contract, data, hold=hold, preview=preview)
        assert (refused.value.code, refused.value.batch) == ("rolled_back", first.batch)
    assert (end_of(memory), contents(memory)) == (head, [])
    seen = read_in(memory, contract, data, hold=hold, preview=True, again=True)
    assert end_of(memory) == head
    again = read_in(memory, contract, data, hold=hold, again=True)
    assert [fate.outcome for fate in seen.fates] == [fate.outcome for fate in again.fates]
    assert again.batch == f"{first.batch}-2"
    assert (contents(memory), len(memory.review.queue())) == before
    assert [fate.outcome for fate in again.fates] == [fate.outcome for fate in first.fates]
    for more in (False, True):
        same = read_in(memory, contract, data, hold=hold, again=more)
        assert (same.batch, same.fates) == (again.batch, again.fates), "it is in force: nothing changes"
    memory.imports.roll_back(again.batch, reason="it was the wrong file after all")
    with pytest.raises(RolledBack, match="-2"):
        read_in(memory, contract, data, hold=hold)
    assert read_in(memory, contract, data, hold=hold, again=True).batch == f"{first.batch}-3"
    assert (contents(memory), len(memory.review.queue())) == before
    assert memory.ledger.verify().findings == ()
    assert memory.ledger.replay().identical


def test_what_comes_in_again_has_its_ids_and_links_and_another_revision(vault: Path) -> None:
    data = told(ContractName.OMIR)
    with Memory.open(vault, embedder=None) as memory:
        first = read_in(memory, ContractName.OMIR, data)
        ids = [fate.verdict.record_id for fate in first.fates if fate.verdict is not None]
        memory.imports.roll_back(first.batch, reason="the wrong file")
        again = read_in(memory, ContractName.OMIR, data, again=True)
        assert [fate.verdict.record_id for fate in again.fates if fate.verdict is not None] == ids
        assert {one.record.revision for one in memory.insight.browse()} == {2}
        derived = next(one.record for one in memory.insight.browse() if one.record.content == SAID[1])
        assert derived.claim.lineage.derived_from[0] in ids
        assert memory.recall("phare de Kéréon").records[0].record.id == derived.id


def test_a_corrected_file_takes_the_ids_of_the_one_that_was_rolled_back() -> None:
    memory, data = simulated_memory(), told(ContractName.OMIR)
    first = read_in(memory, ContractName.OMIR, data)
    memory.imports.roll_back(first.batch, reason="a mistake in it")
    corrected = data.replace(b"um neun", b"um zehn")
    again = read_in(memory, ContractName.OMIR, corrected)
    assert again.count("committed") == 3
    assert "Der Hafenmeister schließt das Tor um zehn" in contents(memory)


def test_only_who_gave_an_id_up_takes_it_up_again() -> None:
    policy = parse_policy(default_policy_text(), place="policy.yaml")
    may = ReviewRule(id="importers", actions=(Action.IMPORT,))
    memory = simulated_memory(policy=msgspec.structs.replace(policy, review=(*policy.review, may)))
    scout = memory.as_actor("scout")
    one = Newcomer(claim=Claim(content="The gate is shut"), record="mem-1")
    memory.imports.take_in("omir-1", [one], contract="omir")
    memory.imports.roll_back("omir-1", reason="x")
    other = Newcomer(claim=Claim(content="The gate is open"), record="mem-1")
    (verdict,) = scout.imports.take_in("omir-2", [other], contract="omir")
    assert verdict.rule == "id-taken"
    with pytest.raises(RolledBack):
        memory.imports.take_in("omir-1", [one], contract="omir")
    memory.review.retract(
        memory.imports.take_in("omir-3", [one], contract="omir")[0].record_id or "", reason="it was wrong"
    )
    (verdict,) = memory.imports.take_in("omir-4", [other], contract="omir")
    assert verdict.rule == "id-taken", "what a person took back is not given up"
