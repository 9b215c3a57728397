"""The chapter of the guided tour about other systems: a memory comes in from one, and leaves in any form."""

from __future__ import annotations

import json

from examples.tour.stage import Stage

from muniment.compat.exchange import read_in, validate, write_out
from muniment.contracts.registry import ContractName
from muniment.engine import Memory

UNIT = {
    "id": "field-17",
    "mode": "committed",
    "type": "finding",
    "content": "The vendor raised the storage quota to 40 TB",
    "intent": {"purpose": "plan the archive"},
    "confidence": {"score": 0.9, "reasoning": "the vendor's notice says so", "evidence": ["notice:88"]},
    "source": {"agent_id": "far-scout", "agent_role": "scout", "session_id": None, "timestamp": "2026-03-01T09:30:00Z"},
    "status": "active",
    "epoch": 5,
}


def tell_contracts(stage: Stage, owner: Memory) -> None:
    stage.chapter("A memory comes from another system, and can go to any")
    batch = _in(stage, owner)
    _out(stage, owner)
    stage.act("owner", "takes the whole batch back")
    undone = owner.imports.roll_back(batch, reason="only a tour")
    stage.claim(undone.retracted == ("field-17",), "what came in should be taken back")
    stage.result("undone", "what came in no longer speaks, what it touched is as it was, the ledger keeps both")


def _in(stage: Stage, owner: Memory) -> str:
    text = json.dumps(UNIT).encode()
    spoilt = json.dumps({**UNIT, "confidence": {"score": 1.4}}).encode()
    stage.act("owner", "checks a unit of an Akashik field, first a spoilt one")
    wrong = validate(ContractName.AKASHIK, spoilt).findings
    stage.claim(len(wrong) > 0, "the spoilt unit should fail")
    stage.result("fails", f"{wrong[0].code} at {wrong[0].path}: {wrong[0].message}", "red")
    before = owner.ledger.head()
    read_in(owner, ContractName.AKASHIK, text, preview=True)
    stage.claim(owner.ledger.head() == before, "a preview should change nothing")
    imported = read_in(owner, ContractName.AKASHIK, text)
    told = owner.get("field-17")
    stage.claim(told.standing.footing.label == "import", "its origin should be an import")
    stage.result(
        "taken in", f"as {told.record.id}, a proposal like any other; its origin is an import, whatever it says"
    )
    return imported.batch


def _out(stage: Stage, owner: Memory) -> None:
    stage.act("owner", "gives it out by each of the five contracts")
    for name in ContractName:
        written = write_out(owner, name, authors=["owner"], kinds=["fact"])
        stage.claim(validate(name, written.data).result == "pass", f"what is written should be valid {name}")
        kept = sum(one.kept for one in written.narrowed)
        beyond = (
            f"{kept} fields of ours in its extension" if kept else f"{len(written.narrowed)} fields of ours left out"
        )
        stage.result(name.value, f"{len(written.data):,} bytes, {beyond}")
