"""The guardian's part of a memory for async callers: erase, hold, withdraw, keep apart."""

from __future__ import annotations

from muniment.aio.threads import run
from muniment.engine import Memory as _Memory
from muniment.model.arguments import checked
from muniment.model.curation import ErasureResult, Verdict, WithdrawalResult
from muniment.model.erasure import LegalHold, SignedCertificate
from muniment.model.query import Disclosure


@checked
class Guardian:
    """The same methods as those of `muniment.Memory`, awaited."""

    _memory: _Memory

    async def forget(
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
        return await run(
            self._memory.forget,
            record_id,
            subject=subject,
            source=source,
            actor=actor,
            session=session,
            user=user,
            reason=reason,
            cascade=cascade,
            expected=expected,
            include_probable=include_probable,
            dry_run=dry_run,
        )

    async def certificates(self) -> tuple[SignedCertificate, ...]:
        return await run(self._memory.certificates)

    async def hold(
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
        return await run(
            self._memory.hold,
            record_id,
            subject=subject,
            source=source,
            actor=actor,
            session=session,
            user=user,
            reason=reason,
        )

    async def lift(self, hold_id: str, *, reason: str) -> LegalHold:
        return await run(self._memory.lift, hold_id, reason=reason)

    async def holds(self) -> tuple[LegalHold, ...]:
        return await run(self._memory.holds)

    async def withdraw(
        self, by: str, value: str, *, reason: str, expected: str | None = None, dry_run: bool = False
    ) -> WithdrawalResult:
        return await run(self._memory.withdraw, by, value, reason=reason, expected=expected, dry_run=dry_run)

    async def quarantine(self, record_id: str, *, reason: str, expected_revision: int | None = None) -> Verdict:
        return await run(self._memory.quarantine, record_id, reason=reason, expected_revision=expected_revision)

    async def release(self, record_id: str, *, reason: str, expected_revision: int | None = None) -> Verdict:
        return await run(self._memory.release, record_id, reason=reason, expected_revision=expected_revision)

    async def quarantined(self) -> tuple[Disclosure, ...]:
        return await run(self._memory.quarantined)
