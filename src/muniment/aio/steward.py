"""The steward's part of a memory for async callers: answer for proposals, take back, tell outcomes, settle disputes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from muniment.aio.threads import run
from muniment.engine import Memory as _Memory
from muniment.model.arguments import checked
from muniment.model.claim_options import ClaimOptions
from muniment.model.curation import ConflictResult, MaintenanceResult, Verdict
from muniment.model.proposal import Objection


@checked
class Steward:
    """The same methods as those of `muniment.Memory`, awaited."""

    _memory: _Memory

    async def retract(self, record_id: str, *, reason: str, expected_revision: int | None = None) -> Verdict:
        return await run(self._memory.retract, record_id, reason=reason, expected_revision=expected_revision)

    async def detect(self, record_id: str) -> tuple[str, ...]:
        return await run(self._memory.detect, record_id)

    async def decide(
        self,
        proposal_id: str,
        *,
        accept: bool,
        reason: str,
        kind: str | None = None,
        scope: str | None = None,
        scope_id: str | None = None,
        objections: Sequence[Objection] = (),
        contradicts: Sequence[str] = (),
        dry_run: bool = False,
    ) -> Verdict:
        return await run(
            self._memory.decide,
            proposal_id,
            accept=accept,
            reason=reason,
            kind=kind,
            scope=scope,
            scope_id=scope_id,
            objections=objections,
            contradicts=contradicts,
            dry_run=dry_run,
        )

    async def outcome(
        self,
        record_id: str,
        result: str,
        *,
        weight: float = 1.0,
        evidence: str | None = None,
        expected_revision: int | None = None,
        proposal_id: str | None = None,
    ) -> Verdict:
        return await run(
            self._memory.outcome,
            record_id,
            result,
            weight=weight,
            evidence=evidence,
            expected_revision=expected_revision,
            proposal_id=proposal_id,
        )

    async def vouch(self, record_id: str, *, origin: str, reason: str, expected_revision: int | None = None) -> Verdict:
        return await run(
            self._memory.vouch, record_id, origin=origin, reason=reason, expected_revision=expected_revision
        )

    async def resolve(
        self,
        conflict_id: str,
        *,
        strategy: str,
        rationale: str,
        winner: str | None = None,
        synthesis: str | None = None,
        expected: str | None = None,
        dry_run: bool = False,
        **options: Unpack[ClaimOptions],
    ) -> ConflictResult:
        return await run(
            self._memory.resolve,
            conflict_id,
            strategy=strategy,
            rationale=rationale,
            winner=winner,
            synthesis=synthesis,
            expected=expected,
            dry_run=dry_run,
            **options,
        )

    async def promote(
        self,
        record_id: str,
        *,
        scope: str,
        scope_id: str,
        evidence: Sequence[str],
        owner: str | None = None,
        reason: str | None = None,
        proposal_id: str | None = None,
    ) -> Verdict:
        return await run(
            self._memory.promote,
            record_id,
            scope=scope,
            scope_id=scope_id,
            evidence=evidence,
            owner=owner,
            reason=reason,
            proposal_id=proposal_id,
        )

    async def alias(self, name: str, means: str) -> tuple[str, ...]:
        return await run(self._memory.alias, name, means)

    async def sweep(self) -> MaintenanceResult:
        return await run(self._memory.sweep)
