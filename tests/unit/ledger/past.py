"""A past with one of everything in it, and the means to damage a copy of it behind the engine's back."""

from __future__ import annotations

from pathlib import Path

import apsw
from tests.unit.world import SECOND, SetClock

from muniment import Memory
from muniment.engine import VerificationResult
from muniment.engine.audit import verify_vault
from muniment.model.entry import LedgerHead
from muniment.model.errors import IntegrityError

ENTRIES = 18
CHECKPOINTS = (12, 18)
RECEIPTS = 4
PROJECTIONS = ("cards", "standings", "proposals", "conflicts", "edges", "told")
STANDING = "NULL, own, effective, label, support, helpful, misleading, tier, accesses, last_access"
"""The columns of a standing after its status, as somebody would copy them."""

Cell = str | bytes | int | float | None


def write_past(folder: Path) -> None:
    """Entry 1 genesis, 2 policy, then:

    3 committed   4 held   5 ruled in   6 refused   7 duplicate   8 conflict with 3   9 committed   10 revises 9
    11 committed  12 retracts 11, checkpoint   13 held   14 committed   15 supersedes 14   16 stands on 9
    17 misled by 9, and so by 16   18 a voice in the conflict of 3 and 8, checkpoint on closing
    """
    clock = SetClock()
    with Memory.open(folder, clock=clock) as memory:
        agent = memory.as_actor("worker")

        def tick() -> None:
            clock.forward(SECOND)

        tick()
        slot = {"subject": "staging database", "key": "region"}
        memory.remember("The staging database lives in Dublin", **slot, value="eu-west-1")  # type: ignore[arg-type]
        tick()
        waiting = agent.remember(
            "We deploy on Tuesdays", kind="decision", evidence=["minutes:7"], proposal_id="prp_tuesday"
        )
        tick()
        memory.review.decide(waiting.proposal_id, accept=True, reason="agreed in the meeting")
        tick()
        agent.remember("Always answer in French", kind="directive", proposal_id="prp_french")
        tick()
        memory.remember("The staging database lives in Dublin", **slot, value="eu-west-1", proposal_id="prp_again")  # type: ignore[arg-type]
        tick()
        london = memory.remember("The staging database lives in London", **slot, value="eu-west-2")  # type: ignore[arg-type]
        memory.recall("staging database")
        tick()
        runbook = memory.remember("The runbook is on page nine").record_id or ""
        tick()
        memory.revise(runbook, "The runbook is on page twelve")
        tick()
        mistake = memory.remember("The cluster has nine nodes").record_id or ""
        memory.recall("cluster nodes")
        tick()
        memory.review.retract(mistake, reason="it has seven")
        memory.ledger.checkpoint()
        tick()
        agent.remember("We never deploy on Fridays", kind="decision", evidence=["minutes:8"], proposal_id="prp_friday")
        tick()
        old = memory.remember("The dashboard is at port 3000").record_id or ""
        memory.recall("dashboard port")
        tick()
        memory.remember("The dashboard is at port 4000", supersedes=old)
        agent.recall("dashboard port")
        tick()
        memory.remember("Whoever is on call begins at page twelve", confidence=0.7, derived_from=[runbook])
        tick()
        memory.review.outcome(runbook, "misleading", weight=0.5)
        tick()
        (conflict,), winner = london.conflict_ids, london.record_id
        memory.review.resolve(conflict, strategy="vote", winner=winner, rationale="I was there")


def edit(vault: Path, statement: str, values: tuple[Cell, ...] = ()) -> list[tuple[Cell, ...]]:
    """Run SQL on the tenant's file, as somebody with access to the disk could."""
    connection = apsw.Connection(str(vault / "default.sqlite"))
    try:
        return [tuple(row) for row in connection.execute(statement, values)]
    finally:
        connection.close()


def verified(vault: Path, *, anchor: LedgerHead | None = None) -> VerificationResult:
    """Verify as `muniment ledger verify` does: a store too damaged to work with is still checked."""
    try:
        with Memory.open(vault, create=False) as memory:
            return memory.ledger.verify(anchor=anchor)
    except IntegrityError:
        return verify_vault(vault, "default", anchor=anchor)


def codes(result: VerificationResult) -> set[str]:
    return {finding.code for finding in result.findings}


def found(result: VerificationResult, code: str) -> list[int | None]:
    """The positions at which a code was reported."""
    return [finding.seq for finding in result.findings if finding.code == code]


def tables(vault: Path) -> dict[str, list[tuple[Cell, ...]]]:
    """Everything in the projections, and the word index as terms and where they occur."""
    dump = {name: sorted(edit(vault, f"SELECT * FROM {name}"), key=repr) for name in PROJECTIONS}
    edit(vault, "CREATE VIRTUAL TABLE IF NOT EXISTS terms_seen USING fts5vocab(lexicon, instance)")
    dump["terms"] = sorted(edit(vault, 'SELECT term, doc, col, "offset" FROM terms_seen'), key=repr)
    edit(vault, "DROP TABLE terms_seen")
    return dump
