"""The guardian's part of a client: erase, hold, withdraw, keep apart."""

from __future__ import annotations

from typing import Protocol, TypeVar

from muniment.model.arguments import checked
from muniment.model.curation import ErasureResult, Verdict, WithdrawalResult
from muniment.model.erasure import LegalHold, SignedCertificate
from muniment.model.query import Disclosure
from muniment.model.value import Value
from muniment.rest import answers
from muniment.rest.kinds import PAGE_MAX

V = TypeVar("V", bound=Value)


class Asks(Protocol):
    """Whoever can send the request of an operation and read what it is answered."""

    def _ask(self, kind: type[V], name: str, /, **arguments: object) -> V: ...


@checked
class Guardian:
    """What people with the right to do about what a served memory may keep."""

    def forget(
        self: Asks,
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
        return self._ask(
            ErasureResult,
            "forget",
            record_id=record_id,
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

    def certificates(self: Asks) -> tuple[SignedCertificate, ...]:
        found: list[SignedCertificate] = []
        cursor: str | None = None
        while True:
            page = self._ask(answers.Certificates, "certificates", cursor=cursor, limit=PAGE_MAX)
            found += page.certificates
            cursor = page.next
            if cursor is None:
                return tuple(found)

    def hold(
        self: Asks,
        record_id: str | None = None,
        *,
        subject: str | None = None,
        source: str | None = None,
        actor: str | None = None,
        session: str | None = None,
        user: str | None = None,
        reason: str,
    ) -> LegalHold:
        return self._ask(
            LegalHold,
            "hold",
            record_id=record_id,
            subject=subject,
            source=source,
            actor=actor,
            session=session,
            user=user,
            reason=reason,
        )

    def lift(self: Asks, hold_id: str, *, reason: str) -> LegalHold:
        return self._ask(LegalHold, "lift", hold_id=hold_id, reason=reason)

    def holds(self: Asks) -> tuple[LegalHold, ...]:
        found: list[LegalHold] = []
        cursor: str | None = None
        while True:
            page = self._ask(answers.Holds, "holds", cursor=cursor, limit=PAGE_MAX)
            found += page.holds
            cursor = page.next
            if cursor is None:
                return tuple(found)

    def withdraw(
        self: Asks, by: str, value: str, *, reason: str, expected: str | None = None, dry_run: bool = False
    ) -> WithdrawalResult:
        return self._ask(
            WithdrawalResult, "withdraw", by=by, value=value, reason=reason, expected=expected, dry_run=dry_run
        )

    def quarantine(self: Asks, record_id: str, *, reason: str, expected_revision: int | None = None) -> Verdict:
        return self._ask(Verdict, "quarantine", record_id=record_id, reason=reason, expected_revision=expected_revision)

    def release(self: Asks, record_id: str, *, reason: str, expected_revision: int | None = None) -> Verdict:
        return self._ask(Verdict, "release", record_id=record_id, reason=reason, expected_revision=expected_revision)

    def quarantined(self: Asks) -> tuple[Disclosure, ...]:
        found: list[Disclosure] = []
        cursor: str | None = None
        while True:
            page = self._ask(answers.Quarantine, "quarantined", cursor=cursor, limit=PAGE_MAX)
            found += page.records
            cursor = page.next
            if cursor is None:
                return tuple(found)
