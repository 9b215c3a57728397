"""Make notes: what agents have agreed on beside what they know, each turn in one entry of the ledger."""

from __future__ import annotations

from collections.abc import Sequence

from muniment.model.change import ChangeSet, NewDocument
from muniment.model.entry import DocumentRole, EntryKind
from muniment.model.note import NoteDraft
from muniment.ports.store import Unit
from muniment.write.commit import commit
from muniment.write.pipeline import Bench, next_place


def jot_down(unit: Unit, jots: Sequence[NoteDraft], actor: str, bench: Bench) -> int:
    """Write notes down and return the ledger's position. Without any, nothing is written."""
    at, head = next_place(unit, bench)
    if not jots:
        return head.seq
    change = ChangeSet(
        kind=EntryKind.NOTED,
        actor=actor,
        at=at,
        position=head.seq,
        policy=bench.policy_doc,
        decided_on=(),
        drafts=tuple(
            NewDocument(doc=head.last_doc + number, role=DocumentRole.NOTE, value=jot)
            for number, jot in enumerate(jots, start=1)
        ),
    )
    return commit(unit, change, tenant=bench.tenant, pepper=bench.pepper, ids=bench.ids).seq
