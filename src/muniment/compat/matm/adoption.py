"""Batches from elsewhere: what would become of them, and taking them into quarantine.

Whatever a batch says of itself, it comes in as proposals of foreign origin that wait. A steward lets it in or takes it
back as a whole with `Memory.apply` and `Memory.roll_back`.
"""

from __future__ import annotations

import hashlib
from collections import Counter

from muniment.compat.matm.desk import MatmHandler
from muniment.compat.matm.emission import fitted
from muniment.contracts.interchange import InterchangeRecord
from muniment.contracts.matm.contract import CONTRACT
from muniment.engine import Memory
from muniment.engine.importing import Newcomer
from muniment.engine.importing import batch_name as taken_as
from muniment.model.claim import Claim
from muniment.model.curation import Verdict
from muniment.model.errors import Malformed
from muniment.model.status import ARRIVED, Status
from muniment.model.value import Value
from muniment.model.vocabulary import Disposition, Kind, Outcome, Step, StepResult

CONTESTING = ("contradiction with", "update with")
"""How the engine's conflict step words what would make both sides contested."""


class Adopted(Value):
    """One memory of a batch: what it was called there, under which proposal it stands here, what would become of it if
    it were let in, and what was decided for now."""

    origin: str
    proposal: str
    would: Disposition
    outcome: Outcome
    reason: str
    duplicate_of: str | None = None


class Batch(Value):
    """A batch as it was, or would be, taken in."""

    name: str
    preview: bool
    entries: tuple[Adopted, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many would end in which disposition."""
        return dict(sorted(Counter(one.would.value for one in self.entries).items()))


def batch_name(data: bytes) -> str:
    """A batch is known by what is in it, so that the same file is the same batch.

    >>> batch_name(b"[]")
    'matm-4f53cda18c2b'
    """
    return f"matm-{hashlib.sha256(data).hexdigest()[:12]}"


def adopt(memory: Memory, data: bytes, *, desk: MatmHandler, preview: bool = False, again: bool = False) -> Batch:
    """Take a file of events or records into quarantine; with `preview`, only say what would become of them, with
    `again`, also those of a batch that was rolled back."""
    carried = CONTRACT.decode(data)
    counter = desk.counter(memory)
    newcomers = [_newcomer(one, fitted(one.claim, counter), number) for number, one in enumerate(carried)]
    name = taken_as(memory, batch_name(data), again=again)
    verdicts = memory.imports.take_in(name, newcomers, contract=CONTRACT.name, hold=True, preview=preview)
    entries = (
        Adopted(
            origin=one.id,
            proposal=verdict.proposal_id,
            would=would_be(verdict, newcomer.claim),
            outcome=verdict.outcome,
            reason=verdict.reason,
            duplicate_of=verdict.duplicate_of,
        )
        for one, newcomer, verdict in zip(carried, newcomers, verdicts, strict=True)
    )
    return Batch(name=name, preview=preview, entries=tuple(entries))


def _newcomer(memory: InterchangeRecord, claim: Claim, number: int) -> Newcomer:
    """A memory from elsewhere under the name it had there, so that what came with it finds it."""
    if memory.status in (Status.DISCARDED, Status.ERASED):
        raise Malformed(f"/{number}/status", "a record that was not discarded where it comes from")
    status = memory.status if memory.status in ARRIVED else Status.ACTIVE
    return Newcomer(claim=claim, record=memory.id, status=status)


def would_be(verdict: Verdict, claim: Claim) -> Disposition:
    """What would come of a proposal if somebody let it in as it is."""
    if verdict.outcome is Outcome.REFUSED:
        return Disposition.DISCARD
    if verdict.outcome is Outcome.COMMITTED:
        return verdict.decision
    disputed = (
        one.step is Step.CONFLICT and one.result is StepResult.FLAGGED and any(word in one.note for word in CONTESTING)
        for one in verdict.steps
    )
    if any(disputed):
        return Disposition.CONFLICT
    if claim.nature.kind is Kind.DEPRECATION:
        return Disposition.DEPRECATE
    return Disposition.UPDATE if claim.lineage.replaced else Disposition.APPEND
