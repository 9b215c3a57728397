"""What acts on a whole memory at once: settle every dispute, turn a scope back. Taken by the parts of the face."""

from __future__ import annotations

from datetime import datetime

import msgspec

from muniment.engine.session import Sessioned
from muniment.model import checks
from muniment.model.claim_options import read_instant
from muniment.model.curation import ConflictResult, RewindResult
from muniment.model.errors import Malformed
from muniment.model.proposal import RewindRequest
from muniment.model.times import Instant
from muniment.model.vocabulary import Scope, Strategy
from muniment.ports.store import Unit
from muniment.write.resolve import COMPARING, settle_all
from muniment.write.rewind import affected
from muniment.write.rewind import rewind as turn_back


def resolve_all(
    memory: Sessioned, *, strategy: str | None = None, rationale: str | None = None, dry_run: bool = False
) -> tuple[ConflictResult, ...]:
    """Settle every established conflict that is open and that the caller may settle, the oldest first, in one
    transaction: by one strategy, or by the rules of the policy. One that ends with another is passed over, and one
    that the strategy cannot decide is told as `undecided`. With `dry_run` nothing is changed."""
    session = memory._session
    chosen = checks.read_word("strategy", strategy, Strategy) if strategy is not None else None
    if chosen is not None and chosen not in COMPARING:
        raise Malformed("strategy", "one of " + ", ".join(sorted(COMPARING)))
    by = "the rules of the policy" if chosen is None else chosen.value
    why = session.clean(rationale) if rationale is not None else f"all that is open, by {by}"
    checks.text("rationale", why)
    checks.flag("dry_run", dry_run)
    bench = session.bench

    def job(unit: Unit) -> tuple[ConflictResult, ...]:
        return settle_all(unit, chosen, why, session.actor, bench)

    if dry_run:
        return session.rehearse(job)
    settled = session.store.write(job)
    if settled:
        session.tenant.wrote(max(one.epoch for one in settled))
    return settled


def rewind(
    memory: Sessioned,
    to: int | str | datetime,
    *,
    scope: str | None = None,
    scope_id: str | None = None,
    reason: str | None = None,
    dry_run: bool = False,
) -> RewindResult:
    """Turn everything, or one scope, back to how it was after an entry of the ledger or at an instant, by a new
    entry. Nothing is deleted, and what was erased stays erased; policy, notes and what waits are left as they are.
    A rewind is undone by a rewind to the entry before it. The answer names the receipts since by which any of it
    was told. With `dry_run` nothing is changed."""
    session = memory._session
    session.screen.refuse("scope_id", scope_id)
    checks.flag("dry_run", dry_run)
    with session.store.read() as snapshot:
        position = to if type(to) is int else snapshot.ledger.position_at(_instant(to))
    request = RewindRequest(
        to=position,
        reason=session.clean(reason) if reason is not None else f"turned back to entry {position}",
        scope=checks.read_word("scope", scope, Scope) if scope is not None else None,
        scope_id=scope_id,
    )
    bench = session.bench
    write = session.rehearse if dry_run else session.store.write
    rewound = write(lambda unit: turn_back(unit, request, session.actor, bench))
    if not dry_run:
        session.tenant.wrote(rewound.epoch)
    with session.store.read() as snapshot:
        return msgspec.structs.replace(rewound, receipts=affected(snapshot, rewound, session.actor, bench))


def _instant(to: object) -> Instant:
    found = read_instant("to", to)
    if found is None:
        raise Malformed("to", "an entry of the ledger or a time")
    return found
