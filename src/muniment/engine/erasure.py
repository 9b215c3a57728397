"""`memory.erasure`: erase for good and certify it, withdraw, and keep from erasure what must be kept."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from muniment.engine.governing import tombstone, tombstones
from muniment.engine.probe import probe
from muniment.engine.session import Session, Sessioned
from muniment.engine.watched import watched
from muniment.model import checks
from muniment.model.arguments import checked
from muniment.model.curation import ErasureResult, WithdrawalResult
from muniment.model.erasure import (
    DerivedPolicy,
    ErasureOutcome,
    ErasureRequest,
    LegalHold,
    SignedCertificate,
    Target,
    TargetKind,
    TombstoneAhead,
    one_target,
)
from muniment.model.errors import Malformed, NotFound, NotPermitted, OperationalError
from muniment.model.proposal import WithdrawRequest
from muniment.policy.decide import decide_review
from muniment.policy.rules import Action
from muniment.ports.store import Unit
from muniment.write.erase.execute import erase, erase_each, may_erase, plan_erasure
from muniment.write.erase.holds import holds, jot_of, lifted
from muniment.write.notes import jot_down
from muniment.write.pipeline import next_place
from muniment.write.withdraw import may_withdraw, plan_withdrawal, uses, withdraw

_REVIEW = "review"
_ALL_OF_A_USER = "everything that was kept for one user"
_ERASE, _HOLD = "forget this", "place, list or lift holds"


@checked
class Erasure:
    """Withdraw contributions, place and lift legal holds, and read certificates of erasure."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @watched("withdraw")
    def withdraw(
        self, by: str, value: str, *, reason: str, expected: str | None = None, dry_run: bool = False
    ) -> WithdrawalResult:
        """Take back everything that one `actor`, `source` or `session` contributed, in one transaction: its records are
        retracted, what stands on them is judged anew, what waits of it is dismissed. The answer also tells by which
        receipts any of it was told, to whom and what for. With `dry_run` nothing is changed, and the answer says what
        would be; its `digest` as `expected` sees to it that just that is done: `Stale` if it is another plan by now."""
        target = self._aimed(Target(by=checks.read_word("by", by, TargetKind), value=value))
        request = WithdrawRequest(target=target, reason=self._session.clean(reason))
        checks.optional_text("expected", expected)
        checks.flag("dry_run", dry_run)
        tenant = self._session.tenant
        if dry_run and may_withdraw(target, self._session.actor, tenant.bench) is None:
            raise NotPermitted(self._session.actor.id, "withdraw this")
        done = None
        if not dry_run:
            done = tenant.store.write(lambda unit: withdraw(unit, request, self._session.actor, tenant.bench, expected))
            assert done.verdict is not None
            tenant.wrote(done.verdict.epoch)
            if not done.verdict.committed:
                return done
        with tenant.store.read() as snapshot:
            plan = done if done is not None else plan_withdrawal(snapshot, request, self._session.actor, tenant.bench)
            return msgspec.structs.replace(plan, receipts=uses(snapshot, target, self._session.actor, tenant.bench))

    @watched("tombstone")
    def tombstone(
        self,
        record_id: str | None = None,
        *,
        external_id: str | None = None,
        digest: str | None = None,
        reason: str,
    ) -> TombstoneAhead:
        """Record a deletion of something that was never here: by its id, its external id, or a salted digest of what it
        says. An import that brings it later, or what stands on it at any depth, is refused: `erased`."""
        return tombstone(self._session, record_id=record_id, external_id=external_id, digest=digest, reason=reason)

    @watched("tombstones")
    def tombstones(self) -> tuple[TombstoneAhead, ...]:
        """Every deletion that was recorded for something that was never here, the oldest first."""
        return tombstones(self._session)

    @watched("certificates")
    def certificates(self) -> tuple[SignedCertificate, ...]:
        """The certificate of every erasure, the oldest first."""
        if decide_review(self._session.policy, self._session.actor, Action.AUDIT, None, None) is None:
            raise NotPermitted(self._session.actor.id, "read certificates")
        with self._session.store.read() as snapshot:
            return tuple(snapshot.ledger.certificates())

    @watched("hold")
    def hold(
        self,
        record_id: str | None = None,
        *,
        subject: str | None = None,
        source: str | None = None,
        actor: str | None = None,
        session: str | None = None,
        user: str | None = None,
        reason: str,
    ) -> LegalHold:
        """Keep one record, or everything of a subject, source, actor, session or user, from being erased until the
        hold is lifted."""
        self._permit_holds()
        target = self._aimed(
            one_target(record_id, subject=subject, source=source, actor=actor, session=session, user=user)
        )
        why = self._session.clean(reason)
        checks.text("reason", why)
        tenant = self._session.tenant
        name = tenant.ids.fresh("hld")

        def job(unit: Unit) -> tuple[LegalHold, int]:
            at, _ = next_place(unit, tenant.bench)
            placed = LegalHold(id=name, target=target, reason=why, actor=self._session.actor.id, at=at)
            return placed, jot_down(unit, [jot_of(placed)], self._session.actor.id, tenant.bench)

        placed, epoch = tenant.store.write(job)
        tenant.wrote(epoch)
        return placed

    @watched("lift")
    def lift(self, hold_id: str, *, reason: str) -> LegalHold:
        """End a hold. The ledger keeps who ended it."""
        self._permit_holds()
        checks.identifier("hold", hold_id)
        why = self._session.clean(reason)
        checks.text("reason", why)
        tenant = self._session.tenant

        def job(unit: Unit) -> tuple[LegalHold, int]:
            ended = next((hold for hold in holds(unit) if hold.id == hold_id), None)
            if ended is None:
                raise NotFound("hold", hold_id)
            return ended, jot_down(unit, lifted(hold_id, why), self._session.actor.id, tenant.bench)

        ended, epoch = tenant.store.write(job)
        tenant.wrote(epoch)
        return ended

    @watched("holds")
    def holds(self) -> tuple[LegalHold, ...]:
        """Every hold that stands, the oldest first."""
        self._permit_holds()
        with self._session.store.read() as snapshot:
            return holds(snapshot)

    def _aimed(self, target: Target) -> Target:
        """A target that may be written down. Nothing was kept under a name with a secret in it, so it would match
        nothing, and the name itself would stay."""
        self._session.screen.refuse(target.by.value, target.value)
        return target

    def _permit_holds(self) -> None:
        if decide_review(self._session.policy, self._session.actor, Action.HOLD, None, None) is None:
            raise NotPermitted(self._session.actor.id, _HOLD)


def forget(
    session: Session,
    target: Target,
    *,
    reason: str | None,
    cascade: str | None,
    expected: str | None,
    include_probable: bool,
    dry_run: bool,
    probed: bool = False,
) -> ErasureResult:
    """Do what `Memory.forget` says, or with `dry_run` plan it."""
    derived = checks.read_word("cascade", cascade, DerivedPolicy) if cascade is not None else None
    if reason is None and target.by is not TargetKind.USER:
        raise Malformed("reason", "a value; it is missing", hint="Say why: reason='…'. It is kept with the decision.")
    why = _ALL_OF_A_USER if reason is None else session.clean(reason)
    checks.flag("include_probable", include_probable)
    oblivion = ErasureRequest(target=target, reason=why, derived=derived, expected=expected, probable=include_probable)
    checks.flag("dry_run", dry_run)
    if dry_run:
        return _planned(session, oblivion)
    checks.flag("probe", probed)
    if probed and may_erase_here(session, oblivion):
        oblivion = msgspec.structs.replace(oblivion, probe=probe(session, oblivion))
    return msgspec.structs.replace(_erase(session, oblivion), probe=oblivion.probe)


def may_erase_here(session: Session, oblivion: ErasureRequest) -> bool:
    with session.store.read() as snapshot:
        return may_erase(snapshot, oblivion.target, session.actor, session.bench) is not None


def _planned(session: Session, oblivion: ErasureRequest) -> ErasureResult:
    tenant = session.tenant
    with tenant.store.read() as snapshot:
        if may_erase(snapshot, oblivion.target, session.actor, tenant.bench) is None:
            raise NotPermitted(session.actor.id, _ERASE)
        return ErasureResult(plan=plan_erasure(snapshot, oblivion, session.actor, tenant.bench))


def _erase(session: Session, oblivion: ErasureRequest) -> ErasureResult:
    tenant = session.tenant
    done = tenant.store.write(lambda unit: erase(unit, oblivion, session.actor, tenant.bench, tenant.signing))
    return scrubbed(session, done)


def scrubbed(session: Session, done: ErasureResult) -> ErasureResult:
    """Let nothing of what was erased stay in any file before the caller is told that it is gone."""
    assert done.verdict is not None
    try:
        scrubbed = done.verdict.committed and session.store.scrub()
    except OperationalError:
        scrubbed = False  # it is erased; the store keeps in mind that its files are still to be cleaned
    session.tenant.wrote(done.verdict.epoch)
    return msgspec.structs.replace(done, scrubbed=scrubbed)


def forget_each(memory: Sessioned, records: Iterable[str], *, reason: str) -> frozenset[str]:
    """Erase those of these records that the actor may erase and that are not on hold, in one entry; what was derived
    from them is kept back. Returns which they were. For those who build on the engine."""
    session = memory._session
    names, why, tenant = tuple(dict.fromkeys(records)), session.clean(reason), session.tenant
    done = tenant.store.write(lambda unit: erase_each(unit, names, why, session.actor, tenant.bench, tenant.signing))
    return frozenset() if done is None else frozenset(scrubbed(session, done).plan.of(ErasureOutcome.ERASED))
