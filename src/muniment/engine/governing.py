"""What acts on a whole memory at once: settle every dispute, turn a scope back. Taken by the parts of the face."""

from __future__ import annotations

from datetime import datetime

import msgspec

from muniment.engine.session import Session, Sessioned, window
from muniment.engine.views import record_of
from muniment.model import checks
from muniment.model.claim import Place
from muniment.model.claim_options import read_instant
from muniment.model.curation import ConflictResult, RewindResult, Verdict
from muniment.model.erasure import TombstoneAhead
from muniment.model.errors import Malformed, NotPermitted
from muniment.model.proposal import Proposal, RewindRequest
from muniment.model.query import Withdrawn
from muniment.model.times import Instant
from muniment.model.vocabulary import Scope, Strategy
from muniment.policy.decide import decide_review
from muniment.policy.rules import Action
from muniment.ports.store import Unit
from muniment.read.withdrawn import withdrawn_since
from muniment.write.admit import admit
from muniment.write.announce import announced
from muniment.write.notes import jot_down
from muniment.write.pipeline import propose
from muniment.write.resolve import COMPARING, settle_all
from muniment.write.rewind import affected
from muniment.write.rewind import rewind as turn_back
from muniment.write.tombstones import checked_digest, external_digest, note_of
from muniment.write.tombstones import has_tombstone as stands_for
from muniment.write.tombstones import tombstones as all_tombstones


def resolve_all(
    session: Session, *, strategy: str | None = None, rationale: str | None = None, dry_run: bool = False
) -> tuple[ConflictResult, ...]:
    """Settle every established conflict that the caller may settle."""
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


def announce(session: Session, record_id: str, *, scope: str, scope_id: str, proposal_id: str | None = None) -> Verdict:
    """Pass a record on to another group."""
    checks.identifier("id", record_id)
    for field, given in (("scope_id", scope_id), ("proposal_id", proposal_id)):
        session.screen.refuse(field, given)
    place = Place(scope=checks.read_word("scope", scope, Scope), scope_id=scope_id)
    with session.store.read() as snapshot:
        source = record_of(snapshot, session.actor, session.policy, record_id, None).record
    name = proposal_id if proposal_id is not None else session.tenant.ids.fresh("prp")
    proposal = Proposal(id=name, tenant=session.store.tenant, claim=announced(source, place), announces=record_id)
    admitted = admit(proposal, session.actor, session.policy.safety)
    return session.write(lambda unit: propose(unit, admitted, session.bench))


def tombstone(
    session: Session,
    *,
    record_id: str | None = None,
    external_id: str | None = None,
    digest: str | None = None,
    reason: str,
) -> TombstoneAhead:
    """Record a deletion of something that was never here."""
    if decide_review(session.policy, session.actor, Action.FORGET, None, None) is None:
        raise NotPermitted(session.actor.id, "put up tombstones")
    given = [name for name, value in (("id", record_id), ("external_id", external_id), ("digest", digest)) if value]
    if len(given) != 1:
        raise Malformed("id", "exactly one of id, external_id and digest")
    why = session.clean(reason)
    checks.text("reason", why)
    if record_id is not None:
        checks.identifier("id", record_id)
        session.screen.refuse("id", record_id)
    bench = session.bench
    value = record_id or (checked_digest(digest) if digest else "")
    if external_id:
        checks.text("external_id", external_id)
        value = external_digest(external_id, pepper=bench.pepper)
    stone = TombstoneAhead(by=given[0], value=value, reason=why)

    def job(unit: Unit) -> int:
        if record_id is not None and unit.catalogue.revisions(record_id):
            raise Malformed("id", "the id of a record that is not here; what is here is forgotten with `forget`")
        return jot_down(unit, [note_of(stone)], session.actor.id, bench)

    session.tenant.wrote(session.store.write(job))
    return stone


def tombstones(session: Session) -> tuple[TombstoneAhead, ...]:
    """Every tombstone for something that was never here, the oldest first."""
    if decide_review(session.policy, session.actor, Action.FORGET, None, None) is None:
        raise NotPermitted(session.actor.id, "read tombstones")
    with session.store.read() as snapshot:
        return all_tombstones(snapshot)


def withdrawn_after(memory: Sessioned, entry: int) -> tuple[Withdrawn, ...]:
    """What the caller was told before and that ended after an entry. For those who build on the engine."""
    session = memory._session
    with session.store.read() as snapshot:
        return withdrawn_since(snapshot, session.actor, session.policy, entry)


def has_tombstone(memory: Sessioned, record_id: str) -> bool:
    """Whether there is one for a record of this id. For those who build on the engine."""
    with window(memory) as snapshot:
        return stands_for(snapshot, record_id)


def rewind(
    session: Session,
    to: int | str | datetime,
    *,
    scope: str | None = None,
    scope_id: str | None = None,
    reason: str | None = None,
    dry_run: bool = False,
) -> RewindResult:
    """Turn everything, or one scope, back."""
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
