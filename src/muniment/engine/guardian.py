"""The guardian's part of the face: erase for good and certify it, and keep from erasure what must be kept."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from muniment.engine.intake import Intake
from muniment.engine.watched import watched
from muniment.model import checks
from muniment.model.arguments import checked
from muniment.model.curation import ErasureResult, Verdict, WithdrawalResult
from muniment.model.erasure import (
    DerivedPolicy,
    ErasureOutcome,
    ErasureRequest,
    LegalHold,
    SignedCertificate,
    Target,
    TargetKind,
    one_target,
)
from muniment.model.errors import Malformed, NotFound, NotPermitted, OperationalError
from muniment.model.proposal import QuarantineRequest, ReleaseRequest, WithdrawRequest
from muniment.model.query import Disclosure
from muniment.model.status import Status
from muniment.policy.decide import decide_review
from muniment.policy.rules import Action
from muniment.ports.store import Unit
from muniment.write.erase.execute import erase, erase_each, may_erase, plan_erasure
from muniment.write.erase.holds import holds, jot_of, lifted
from muniment.write.notes import jot_down
from muniment.write.pipeline import next_place
from muniment.write.quarantine import quarantine, release
from muniment.write.withdraw import may_withdraw, plan_withdrawal, uses, withdraw

_REVIEW = "review"
_ALL_OF_A_USER = "everything that was kept for one user"
_ERASE, _HOLD = "forget this", "place, list or lift holds"


@checked
class Guardian(Intake):
    """What those who answer for a memory do about what must go and what must stay."""

    @watched("forget")
    def forget(
        self,
        record_id: str | None = None,
        *,
        subject: str | None = None,
        source: str | None = None,
        actor: str | None = None,
        session: str | None = None,
        user: str | None = None,
        reason: str | None = None,
        cascade: str | None = None,
        expected: str | None = None,
        include_probable: bool = False,
        dry_run: bool = False,
    ) -> ErasureResult:
        """Erase one record, or everything of a subject, source, actor, session or user: the content of all revisions,
        their words in the index, their vectors, what reports, receipts and notes quote of them, and what was derived
        from them as `cascade` says (`erase`, `redact` or `review`; the policy's choice if it is not given). The ledger
        keeps that it was there and who erased it, and the answer brings a signed certificate. With `dry_run` nothing is
        changed, and the answer says what would be; its `plan.digest` as `expected` sees to it that just that is done.
        A subject is found by the letters of its name, inflected as languages do; records in which these stand in a
        longer word or without their accents are only probable, and go if `include_probable` says so.
        What is on hold stays: `OnHold`. A `reason` is asked for unless all of a `user` goes."""
        target = one_target(record_id, subject=subject, source=source, actor=actor, session=session, user=user)
        derived = checks.read_word("cascade", cascade, DerivedPolicy) if cascade is not None else None
        if reason is None and user is None:
            raise Malformed(
                "reason", "a value; it is missing", hint="Say why: reason='…'. It is kept with the decision."
            )
        why = _ALL_OF_A_USER if reason is None else self._clean(reason)
        checks.flag("include_probable", include_probable)
        oblivion = ErasureRequest(
            target=target, reason=why, derived=derived, expected=expected, probable=include_probable
        )
        checks.flag("dry_run", dry_run)
        return self._planned(oblivion) if dry_run else self._erase(oblivion)

    def _planned(self, oblivion: ErasureRequest) -> ErasureResult:
        tenant = self._tenant
        with tenant.store.read() as snapshot:
            if may_erase(snapshot, oblivion.target, self.actor, tenant.bench) is None:
                raise NotPermitted(self.actor.id, _ERASE)
            return ErasureResult(plan=plan_erasure(snapshot, oblivion, self.actor, tenant.bench))

    def _erase(self, oblivion: ErasureRequest) -> ErasureResult:
        tenant = self._tenant
        done = tenant.store.write(lambda unit: erase(unit, oblivion, self.actor, tenant.bench, tenant.signing))
        return self._scrubbed(done)

    def _scrubbed(self, done: ErasureResult) -> ErasureResult:
        """Let nothing of what was erased stay in any file before the caller is told that it is gone."""
        assert done.verdict is not None
        try:
            scrubbed = done.verdict.committed and self._tenant.store.scrub()
        except OperationalError:
            scrubbed = False  # it is erased; the store keeps in mind that its files are still to be cleaned
        self._tenant.wrote(done.verdict.epoch)
        return msgspec.structs.replace(done, scrubbed=scrubbed)

    @watched("withdraw")
    def withdraw(
        self, by: str, value: str, *, reason: str, expected: str | None = None, dry_run: bool = False
    ) -> WithdrawalResult:
        """Take back everything that one `actor`, `source` or `session` contributed, in one transaction: its records are
        retracted, what stands on them is judged anew, what waits of it is dismissed. The answer also tells by which
        receipts any of it was told, to whom and what for. With `dry_run` nothing is changed, and the answer says what
        would be; its `digest` as `expected` sees to it that just that is done: `Stale` if it is another plan by now."""
        target = self._aimed(Target(by=checks.read_word("by", by, TargetKind), value=value))
        request = WithdrawRequest(target=target, reason=self._clean(reason))
        checks.optional_text("expected", expected)
        checks.flag("dry_run", dry_run)
        tenant = self._tenant
        if dry_run and may_withdraw(target, self.actor, tenant.bench) is None:
            raise NotPermitted(self.actor.id, "withdraw this")
        done = None
        if not dry_run:
            done = tenant.store.write(lambda unit: withdraw(unit, request, self.actor, tenant.bench, expected))
            assert done.verdict is not None
            tenant.wrote(done.verdict.epoch)
            if not done.verdict.committed:
                return done
        with tenant.store.read() as snapshot:
            plan = done if done is not None else plan_withdrawal(snapshot, request, self.actor, tenant.bench)
            return msgspec.structs.replace(plan, receipts=uses(snapshot, target, self.actor, tenant.bench))

    @watched("quarantine")
    def quarantine(self, record_id: str, *, reason: str, expected_revision: int | None = None) -> Verdict:
        """Keep a record back until somebody has looked at it: it answers nothing, and what stands on it is flagged.
        Those who see the queue see it too."""
        request = QuarantineRequest(record=record_id, reason=self._clean(reason), expected_revision=expected_revision)
        return self._write(lambda unit: quarantine(unit, request, self.actor, self._tenant.bench))

    @watched("release")
    def release(self, record_id: str, *, reason: str, expected_revision: int | None = None) -> Verdict:
        """Let a record speak again that was in quarantine. What stands on it is judged anew, and disputes that ended
        when it fell silent go on."""
        request = ReleaseRequest(record=record_id, reason=self._clean(reason), expected_revision=expected_revision)
        return self._write(lambda unit: release(unit, request, self.actor, self._tenant.bench))

    def quarantined(self) -> tuple[Disclosure, ...]:
        """Every record in quarantine that the caller may review, in the order they were written."""
        return tuple(self.browse(statuses=[Status.HELD.value], purpose=_REVIEW))

    @watched("certificates")
    def certificates(self) -> tuple[SignedCertificate, ...]:
        """The certificate of every erasure, the oldest first."""
        if decide_review(self.policy, self.actor, Action.AUDIT, None, None) is None:
            raise NotPermitted(self.actor.id, "read certificates")
        with self._tenant.store.read() as snapshot:
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
        why = self._clean(reason)
        checks.text("reason", why)
        tenant = self._tenant
        name = tenant.ids.fresh("hld")

        def job(unit: Unit) -> tuple[LegalHold, int]:
            at, _ = next_place(unit, tenant.bench)
            placed = LegalHold(id=name, target=target, reason=why, actor=self.actor.id, at=at)
            return placed, jot_down(unit, [jot_of(placed)], self.actor.id, tenant.bench)

        placed, epoch = tenant.store.write(job)
        tenant.wrote(epoch)
        return placed

    @watched("lift")
    def lift(self, hold_id: str, *, reason: str) -> LegalHold:
        """End a hold. The ledger keeps who ended it."""
        self._permit_holds()
        checks.identifier("hold", hold_id)
        why = self._clean(reason)
        checks.text("reason", why)
        tenant = self._tenant

        def job(unit: Unit) -> tuple[LegalHold, int]:
            ended = next((hold for hold in holds(unit) if hold.id == hold_id), None)
            if ended is None:
                raise NotFound("hold", hold_id)
            return ended, jot_down(unit, lifted(hold_id, why), self.actor.id, tenant.bench)

        ended, epoch = tenant.store.write(job)
        tenant.wrote(epoch)
        return ended

    @watched("holds")
    def holds(self) -> tuple[LegalHold, ...]:
        """Every hold that stands, the oldest first."""
        self._permit_holds()
        with self._tenant.store.read() as snapshot:
            return holds(snapshot)

    def _aimed(self, target: Target) -> Target:
        """A target that may be written down. Nothing was kept under a name with a secret in it, so it would match
        nothing, and the name itself would stay."""
        self._screen.refuse(target.by.value, target.value)
        return target

    def _permit_holds(self) -> None:
        if decide_review(self.policy, self.actor, Action.HOLD, None, None) is None:
            raise NotPermitted(self.actor.id, _HOLD)


def forget_each(seat: Guardian, records: Iterable[str], *, reason: str) -> frozenset[str]:
    """Erase those of these records that the actor may erase and that are not on hold, in one entry; what was derived
    from them is kept back. Returns which they were. For those who build on the engine."""
    names, why, tenant = tuple(dict.fromkeys(records)), seat._clean(reason), seat._tenant
    done = tenant.store.write(lambda unit: erase_each(unit, names, why, seat.actor, tenant.bench, tenant.signing))
    return frozenset() if done is None else frozenset(seat._scrubbed(done).plan.of(ErasureOutcome.ERASED))
