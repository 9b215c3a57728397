"""Writing under terms, for those who keep state of their own beside the records: propose, settle, look for disputes.

Like the notebook this is no part of the face, and no surface hands it out.
"""

from __future__ import annotations

from muniment.engine.memory import Memory
from muniment.engine.proposing import admit_claim, submit
from muniment.engine.review import find_conflicts, settle_conflict
from muniment.engine.terms import WriteTerms
from muniment.model import checks
from muniment.model.claim import Claim
from muniment.model.curation import ConflictResult, Verdict
from muniment.model.errors import Malformed
from muniment.model.proposal import ResolveRequest
from muniment.model.vocabulary import Strategy


def propose_on(
    memory: Memory, terms: WriteTerms, claim: Claim, *, name: str, draft: bool, detect: bool, target: str | None = None
) -> Verdict:
    """Put a claim forward as `Memory.propose` does, on terms that hold when it is decided."""
    with memory._session.watch("propose", claim) as operation:
        admitted = admit_claim(memory._session, claim, name, target=target, draft=draft, detect=detect)
        return submit(memory._session, admitted, (), operation, terms)


def settle_on(memory: Memory, terms: WriteTerms, request: ResolveRequest) -> ConflictResult:
    """Settle a conflict as `Memory.resolve` does, on terms that hold when it is decided."""
    if request.synthesis is not None and request.strategy is not Strategy.SYNTHESIS:
        raise Malformed("synthesis", "given with the strategy synthesis only")
    if request.winner is not None and request.strategy in (
        Strategy.SYNTHESIS,
        Strategy.HUMAN_ESCALATION,
        Strategy.PROMOTE,
        Strategy.REOPEN,
    ):
        raise Malformed("winner", f"not given with the strategy {request.strategy}")
    with memory._session.watch("resolve", request.conflict) as operation:
        wish = ResolveRequest(
            conflict=request.conflict,
            strategy=request.strategy,
            rationale=memory._session.clean(request.rationale),
            winner=request.winner,
            synthesis=request.synthesis,
        )
        settled = settle_conflict(memory._session, wish, terms)
        operation.told(settled)
        return settled


def detect_on(memory: Memory, terms: WriteTerms, record: str) -> tuple[str, ...]:
    """Look for what a record disagrees with as `Memory.detect` does, on terms."""
    checks.identifier("id", record)
    return find_conflicts(memory._session, record, terms)
