"""A small history that leaves something in every table of a store, for tests that change what is there."""

from __future__ import annotations

from tests.support.world import SeededIds, SeededSigner, TickingClock, simulated_memory

from muniment.engine.notebook import Notebook
from muniment.model.note import NoteDraft
from muniment.ports.store import TenantStore
from muniment.write.key_changes import hand_over


def live_through(store: TenantStore) -> None:
    """Revise, supersede, dispute, hold, rule, build upon, retract, find misleading, vote, name, note, forget and sweep;
    sign with one key and then with another."""
    memory = simulated_memory(store, seed=1, signer=SeededSigner(1))
    kept = memory.remember("the build is green", kind="fact", evidence=["log:1"], namespace="/ci", session_id="s1")
    assert kept.record_id is not None
    memory.revise(kept.record_id, "the build is red", valid_from="2026-01-01", valid_until="2027-01-01")
    old = memory.remember("deploys are weekly", expires_at="2030-01-01")
    memory.remember("deploys are daily", supersedes=old.record_id)
    memory.remember("the door is red", subject="door", key="colour", value="red")
    memory.ledger.checkpoint()
    going, coming, clock, ids = SeededSigner(1), SeededSigner(0), TickingClock(), SeededIds(2)
    store.write(lambda unit: hand_over(unit, going, coming, actor="owner", reason="routine", clock=clock, ids=ids))
    memory.close()
    memory = simulated_memory(store, seed=3, signer=coming)
    blue = memory.remember("the door is blue", subject="door", key="colour", value="blue")
    agent = memory.as_actor("bot")
    agent.remember("drop the table", proposal_id="held", kind="decision")
    agent.remember("rename the table", proposal_id="ruled", kind="decision")
    memory.review.decide("ruled", accept=True, reason="agreed")
    gone = memory.remember("a mistake")
    assert gone.record_id is not None
    memory.remember("what follows from it", confidence=0.75, derived_from=[gone.record_id], half_life_hours=24.0)
    memory.review.retract(gone.record_id, reason="wrong")
    memory.review.outcome(kept.record_id, "misleading", weight=0.5)
    memory.review.resolve(blue.conflict_ids[0], strategy="vote", winner=blue.record_id, rationale="I looked")
    memory.remember("ask Maria Lopez about OPS-7")
    memory.review.alias("Marie", "Maria Lopez")
    jots = (NoteDraft(topic="agents", key="bot", body="{}"), NoteDraft(topic="agents", key="x"))
    Notebook.of(memory).turn("bot", lambda _: (jots, None))
    aside = memory.remember("Quince marmalade keeps for months").record_id
    assert aside is not None
    memory.forget(aside, reason="asked to")
    memory.recall("build")
    memory.ledger.checkpoint()
    memory.recall("door", limit=1)
    assert memory.review.sweep().moved > 0
    memory.close()
