"""An episode that proved itself becomes a procedure, once."""

from __future__ import annotations

from muniment.contracts.names import safe_id
from muniment.model.curation import Verdict
from muniment_memledger.convert import claim_of
from muniment_memledger.desk import Desk
from muniment_memledger.records import MemoryRecord, ProceduralRecord, RecordType

AUTHOR = "memledger:auto_promote"
IMPORTANCE = 0.8


async def promote_if_proven(desk: Desk, record_id: str) -> str | None:
    """Make the procedure of an episode with enough successes, unless there is one. Returns its id. The proposal is
    named after the episode, so that two callers at once make one."""
    episode = await desk.run(desk.own_look, record_id)
    if episode is None or episode.record_type is not RecordType.EPISODIC:
        return None
    if episode.success_count < desk.config.auto_promote_threshold:
        return None
    before, verdict = await desk.run(_propose, desk, episode)
    if not verdict.committed or verdict.record_id is None:
        return None
    if verdict.epoch > before and not desk.audit.by_record(verdict.record_id):
        desk.audit.log("promote", record_id=verdict.record_id, agent_id=AUTHOR, original_id=episode.id)
        await desk.tell(desk.hooks.on_promote, episode.id, verdict.record_id)
    return verdict.record_id


def _propose(desk: Desk, episode: MemoryRecord) -> tuple[int, Verdict]:
    """The verdict, and how far the ledger went before: one that is older was given at an earlier success."""
    procedure = ProceduralRecord(
        content=f"What worked: {episode.content}",
        namespace=episode.namespace,
        agent_id=AUTHOR,
        created_by=AUTHOR,
        importance=IMPORTANCE,
        derived_from=[episode.id],
        session_id=episode.session_id,
        workflow_id=episode.workflow_id,
    )
    claim, author = claim_of(procedure)
    before = desk.memory.ledger.head().seq
    return before, desk.seat(author).propose(claim, proposal_id=f"promoted.{safe_id(episode.id)}"[:128])
