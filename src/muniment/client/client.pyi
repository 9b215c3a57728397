# Written by scripts/stubs.py.

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Unpack, overload

from muniment.engine.activity import Activity
from muniment.engine.audit import RebuildResult, TrimResult, VerificationResult
from muniment.engine.directory import Directory
from muniment.engine.disclosures import Tellings
from muniment.engine.entities import EntityView
from muniment.engine.impact import Foreseen, LineageView
from muniment.engine.insight import MemoryDiff
from muniment.engine.options import QueryOptions
from muniment.engine.proofs import ChainLink, SigningKey
from muniment.engine.quality import Quality
from muniment.engine.stats import Stats
from muniment.engine.vector_indexer import Progress
from muniment.engine.views import ConflictView, Curated, History, QueueItem
from muniment.model.actor import Actor
from muniment.model.claim import Claim
from muniment.model.claim_options import ClaimOptions, When
from muniment.model.curation import (
    ConflictResult,
    ErasureResult,
    MaintenanceResult,
    RewindResult,
    RollbackResult,
    Verdict,
    WithdrawalResult,
)
from muniment.model.entry import Entry, LedgerHead, SignedCheckpoint
from muniment.model.erasure import LegalHold, SignedCertificate, TombstoneAhead
from muniment.model.proposal import Objection
from muniment.model.query import Disclosure, Searched
from muniment.model.recall import Recall
from muniment.model.receipt import Account, Explanation, ReceiptEntry
from muniment.model.rows import VectorCoverage
from muniment.operations import answers

class Review:
    def queue(self, *, limit: int = 50) -> tuple[QueueItem, ...]: ...
    def report(self, proposal_id: str) -> Curated: ...
    def decide(
        self,
        proposal_id: str,
        *,
        accept: bool,
        reason: str,
        kind: str | None = None,
        scope: str | None = None,
        scope_id: str | None = None,
        objections: Sequence[Objection] = ...,
        contradicts: Sequence[str] = ...,
        dry_run: bool = False,
    ) -> Verdict: ...
    def retract(self, record_id: str, *, reason: str, expected_revision: int | None = None) -> Verdict: ...
    def detect(self, record_id: str) -> tuple[str, ...]: ...
    def outcome(
        self,
        record_id: str,
        result: str,
        *,
        weight: float = 1.0,
        evidence: str | None = None,
        expected_revision: int | None = None,
        proposal_id: str | None = None,
    ) -> Verdict: ...
    def vouch(self, record_id: str, *, origin: str, reason: str, expected_revision: int | None = None) -> Verdict: ...
    def resolve(
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
    ) -> ConflictResult: ...
    def resolve_all(
        self, *, strategy: str | None = None, rationale: str | None = None, dry_run: bool = False
    ) -> tuple[ConflictResult, ...]: ...
    def announce(self, record_id: str, *, scope: str, scope_id: str, proposal_id: str | None = None) -> Verdict: ...
    def rewind(
        self,
        to: int | str | datetime,
        *,
        scope: str | None = None,
        scope_id: str | None = None,
        reason: str | None = None,
        dry_run: bool = False,
    ) -> RewindResult: ...
    def promote(
        self,
        record_id: str,
        *,
        scope: str,
        scope_id: str,
        evidence: Sequence[str],
        owner: str | None = None,
        reason: str | None = None,
        proposal_id: str | None = None,
    ) -> Verdict: ...
    def alias(self, name: str, means: str) -> tuple[str, ...]: ...
    def sweep(self) -> MaintenanceResult: ...
    def conflicts(
        self, *, record_id: str | None = None, status: str | None = None, limit: int | None = None
    ) -> tuple[ConflictView, ...]: ...
    def conflict(self, conflict_id: str) -> ConflictView: ...
    def retire(self, record_id: str, *, becomes: str, reason: str, expected_revision: int | None = None) -> Verdict: ...
    def quarantine(self, record_id: str, *, reason: str, expected_revision: int | None = None) -> Verdict: ...
    def release(self, record_id: str, *, reason: str, expected_revision: int | None = None) -> Verdict: ...
    def quarantined(self) -> tuple[Disclosure, ...]: ...

class Erasure:
    def withdraw(
        self, by: str, value: str, *, reason: str, expected: str | None = None, dry_run: bool = False
    ) -> WithdrawalResult: ...
    def tombstone(
        self, record_id: str | None = None, *, external_id: str | None = None, digest: str | None = None, reason: str
    ) -> TombstoneAhead: ...
    def tombstones(self) -> tuple[TombstoneAhead, ...]: ...
    def certificates(self) -> tuple[SignedCertificate, ...]: ...
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
    ) -> LegalHold: ...
    def lift(self, hold_id: str, *, reason: str) -> LegalHold: ...
    def holds(self) -> tuple[LegalHold, ...]: ...

class Imports:
    def preview(self, claims: Iterable[Claim]) -> tuple[Verdict, ...]: ...
    def apply(self, batch: str, *, reason: str) -> tuple[Verdict, ...]: ...
    def roll_back(self, batch: str, *, reason: str) -> RollbackResult: ...

class Insight:
    def browse(
        self,
        *,
        statuses: Sequence[str] | None = None,
        session: str | None = None,
        changed_after: int | None = None,
        **options: Unpack[QueryOptions],
    ) -> Iterator[Disclosure]: ...
    def lookup(
        self, subject: str, key: str, *, scope: str | None = None, scope_id: str | None = None
    ) -> tuple[Disclosure, ...]: ...
    def lineage(
        self,
        record_id: str,
        *,
        direction: str = ...,
        depth: int | None = None,
        types: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> LineageView: ...
    def directory(self, about: str | None = None, *, limit: int = 50) -> Directory: ...
    def entity(self, name: str, *, limit: int = 20) -> EntityView: ...
    def quality(
        self,
        *,
        namespace: str | None = None,
        session: str | None = None,
        profile: str = ...,
        progress: Callable[[int], None] = ...,
    ) -> Quality: ...
    def diff(self, since: When | int, until: When | int | None = None, *, limit: int = 500) -> MemoryDiff: ...
    def namespaces(self) -> tuple[str, ...]: ...
    def stats(self) -> Stats: ...
    def foresee(self, record_id: str, *, becomes: str = ...) -> Foreseen: ...
    def searching(self) -> Searched: ...
    def receipts_of(self, record_id: str, *, before: int | None = None, limit: int = 50) -> Tellings: ...
    def activity(self, *, bucket: str = ..., buckets: int = 30) -> Activity: ...

class LedgerFace:
    def trim(
        self,
        *,
        older_than_days: float | None = None,
        keep_bytes: int | None = None,
        dry_run: bool = False,
        progress: Progress = ...,
    ) -> TrimResult: ...
    def head(self) -> LedgerHead: ...
    def entries(self, first: int = 1, last: int = ...) -> tuple[Entry, ...]: ...
    def chain(self, first: int = 1, last: int = ...) -> tuple[ChainLink, ...]: ...
    def receipts(
        self, first: int = 1, last: int = ..., *, newest: bool = False
    ) -> Iterator[tuple[ReceiptEntry, Account]]: ...
    def checkpoints(self, *, before: int | None = None, limit: int = 50) -> tuple[SignedCheckpoint, ...]: ...
    def keys(self) -> tuple[SigningKey, ...]: ...
    def checkpoint(self) -> SignedCheckpoint: ...
    def verify(self, *, anchor: LedgerHead | None = None, progress: Progress = ...) -> VerificationResult: ...
    def replay(self, *, progress: Progress = ...) -> RebuildResult: ...

class Client:
    review: Review
    erasure: Erasure
    imports: Imports
    insight: Insight
    ledger: LedgerFace
    def __init__(self, url: str | None = None, *, key: str | None = None, timeout: float = ...) -> None: ...
    def caller(self) -> answers.Caller: ...
    def for_user(self, user: str) -> Client: ...
    @property
    def actor(self) -> Actor: ...
    @property
    def tenant(self) -> str: ...
    def close(self) -> None: ...
    def __enter__(self) -> Client: ...
    def __exit__(self, *_: object) -> None: ...
    def remember(
        self, content: str, *, proposal_id: str | None = None, draft: bool = False, **options: Unpack[ClaimOptions]
    ) -> Verdict: ...
    @overload
    def propose(
        self,
        claim: Claim,
        *,
        proposal_id: str | None = None,
        target: str | None = None,
        expected_revision: int | None = None,
        objections: Sequence[Objection] = ...,
        draft: bool = False,
        detect: bool = True,
    ) -> Verdict: ...
    @overload
    def propose(self, claim: Iterable[Claim | tuple[str, Claim]]) -> tuple[Verdict, ...]: ...
    def revise(
        self,
        record_id: str,
        content: str,
        *,
        expected_revision: int | None = None,
        proposal_id: str | None = None,
        **options: Unpack[ClaimOptions],
    ) -> Verdict: ...
    def recall(self, query: str, **options: Unpack[QueryOptions]) -> Recall: ...
    def attune(
        self,
        *,
        role: str | None = None,
        task: str | None = None,
        interests: Sequence[str] = ...,
        since: int = 0,
        count: bool = False,
        others: bool = False,
        **options: Unpack[QueryOptions],
    ) -> Recall: ...
    def get(self, record_id: str, *, revision: int | None = None) -> Disclosure: ...
    def history(self, record_id: str) -> History: ...
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
        probe: bool = False,
    ) -> ErasureResult: ...
    def flush(self, *, timeout: float | None = None, progress: Progress = ...) -> VectorCoverage: ...
    def explain(
        self, receipt_id: str, *, replay: bool = False, progress: Callable[[int], None] | None = None
    ) -> Explanation: ...

class AsyncReview:
    async def queue(self, *, limit: int = 50) -> tuple[QueueItem, ...]: ...
    async def report(self, proposal_id: str) -> Curated: ...
    async def decide(
        self,
        proposal_id: str,
        *,
        accept: bool,
        reason: str,
        kind: str | None = None,
        scope: str | None = None,
        scope_id: str | None = None,
        objections: Sequence[Objection] = ...,
        contradicts: Sequence[str] = ...,
        dry_run: bool = False,
    ) -> Verdict: ...
    async def retract(self, record_id: str, *, reason: str, expected_revision: int | None = None) -> Verdict: ...
    async def detect(self, record_id: str) -> tuple[str, ...]: ...
    async def outcome(
        self,
        record_id: str,
        result: str,
        *,
        weight: float = 1.0,
        evidence: str | None = None,
        expected_revision: int | None = None,
        proposal_id: str | None = None,
    ) -> Verdict: ...
    async def vouch(
        self, record_id: str, *, origin: str, reason: str, expected_revision: int | None = None
    ) -> Verdict: ...
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
    ) -> ConflictResult: ...
    async def resolve_all(
        self, *, strategy: str | None = None, rationale: str | None = None, dry_run: bool = False
    ) -> tuple[ConflictResult, ...]: ...
    async def announce(
        self, record_id: str, *, scope: str, scope_id: str, proposal_id: str | None = None
    ) -> Verdict: ...
    async def rewind(
        self,
        to: int | str | datetime,
        *,
        scope: str | None = None,
        scope_id: str | None = None,
        reason: str | None = None,
        dry_run: bool = False,
    ) -> RewindResult: ...
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
    ) -> Verdict: ...
    async def alias(self, name: str, means: str) -> tuple[str, ...]: ...
    async def sweep(self) -> MaintenanceResult: ...
    async def conflicts(
        self, *, record_id: str | None = None, status: str | None = None, limit: int | None = None
    ) -> tuple[ConflictView, ...]: ...
    async def conflict(self, conflict_id: str) -> ConflictView: ...
    async def retire(
        self, record_id: str, *, becomes: str, reason: str, expected_revision: int | None = None
    ) -> Verdict: ...
    async def quarantine(self, record_id: str, *, reason: str, expected_revision: int | None = None) -> Verdict: ...
    async def release(self, record_id: str, *, reason: str, expected_revision: int | None = None) -> Verdict: ...
    async def quarantined(self) -> tuple[Disclosure, ...]: ...

class AsyncErasure:
    async def withdraw(
        self, by: str, value: str, *, reason: str, expected: str | None = None, dry_run: bool = False
    ) -> WithdrawalResult: ...
    async def tombstone(
        self, record_id: str | None = None, *, external_id: str | None = None, digest: str | None = None, reason: str
    ) -> TombstoneAhead: ...
    async def tombstones(self) -> tuple[TombstoneAhead, ...]: ...
    async def certificates(self) -> tuple[SignedCertificate, ...]: ...
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
    ) -> LegalHold: ...
    async def lift(self, hold_id: str, *, reason: str) -> LegalHold: ...
    async def holds(self) -> tuple[LegalHold, ...]: ...

class AsyncImports:
    async def preview(self, claims: Iterable[Claim]) -> tuple[Verdict, ...]: ...
    async def apply(self, batch: str, *, reason: str) -> tuple[Verdict, ...]: ...
    async def roll_back(self, batch: str, *, reason: str) -> RollbackResult: ...

class AsyncInsight:
    def browse(
        self,
        *,
        statuses: Sequence[str] | None = None,
        session: str | None = None,
        changed_after: int | None = None,
        **options: Unpack[QueryOptions],
    ) -> AsyncIterator[Disclosure]: ...
    async def lookup(
        self, subject: str, key: str, *, scope: str | None = None, scope_id: str | None = None
    ) -> tuple[Disclosure, ...]: ...
    async def lineage(
        self,
        record_id: str,
        *,
        direction: str = ...,
        depth: int | None = None,
        types: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> LineageView: ...
    async def directory(self, about: str | None = None, *, limit: int = 50) -> Directory: ...
    async def entity(self, name: str, *, limit: int = 20) -> EntityView: ...
    async def quality(
        self,
        *,
        namespace: str | None = None,
        session: str | None = None,
        profile: str = ...,
        progress: Callable[[int], None] = ...,
    ) -> Quality: ...
    async def diff(self, since: When | int, until: When | int | None = None, *, limit: int = 500) -> MemoryDiff: ...
    async def namespaces(self) -> tuple[str, ...]: ...
    async def stats(self) -> Stats: ...
    async def foresee(self, record_id: str, *, becomes: str = ...) -> Foreseen: ...
    async def searching(self) -> Searched: ...
    async def receipts_of(self, record_id: str, *, before: int | None = None, limit: int = 50) -> Tellings: ...
    async def activity(self, *, bucket: str = ..., buckets: int = 30) -> Activity: ...

class AsyncLedgerFace:
    async def trim(
        self,
        *,
        older_than_days: float | None = None,
        keep_bytes: int | None = None,
        dry_run: bool = False,
        progress: Progress = ...,
    ) -> TrimResult: ...
    async def head(self) -> LedgerHead: ...
    async def entries(self, first: int = 1, last: int = ...) -> tuple[Entry, ...]: ...
    async def chain(self, first: int = 1, last: int = ...) -> tuple[ChainLink, ...]: ...
    def receipts(
        self, first: int = 1, last: int = ..., *, newest: bool = False
    ) -> AsyncIterator[tuple[ReceiptEntry, Account]]: ...
    async def checkpoints(self, *, before: int | None = None, limit: int = 50) -> tuple[SignedCheckpoint, ...]: ...
    async def keys(self) -> tuple[SigningKey, ...]: ...
    async def checkpoint(self) -> SignedCheckpoint: ...
    async def verify(self, *, anchor: LedgerHead | None = None, progress: Progress = ...) -> VerificationResult: ...
    async def replay(self, *, progress: Progress = ...) -> RebuildResult: ...

class AsyncClient:
    review: AsyncReview
    erasure: AsyncErasure
    imports: AsyncImports
    insight: AsyncInsight
    ledger: AsyncLedgerFace
    def __init__(self, url: str | None = None, *, key: str | None = None, timeout: float = ...) -> None: ...
    async def caller(self) -> answers.Caller: ...
    def for_user(self, user: str) -> AsyncClient: ...
    async def actor(self) -> Actor: ...
    async def tenant(self) -> str: ...
    async def close(self) -> None: ...
    async def __aenter__(self) -> AsyncClient: ...
    async def __aexit__(self, *_: object) -> None: ...
    async def remember(
        self, content: str, *, proposal_id: str | None = None, draft: bool = False, **options: Unpack[ClaimOptions]
    ) -> Verdict: ...
    @overload
    async def propose(
        self,
        claim: Claim,
        *,
        proposal_id: str | None = None,
        target: str | None = None,
        expected_revision: int | None = None,
        objections: Sequence[Objection] = ...,
        draft: bool = False,
        detect: bool = True,
    ) -> Verdict: ...
    @overload
    async def propose(self, claim: Iterable[Claim | tuple[str, Claim]]) -> tuple[Verdict, ...]: ...
    async def revise(
        self,
        record_id: str,
        content: str,
        *,
        expected_revision: int | None = None,
        proposal_id: str | None = None,
        **options: Unpack[ClaimOptions],
    ) -> Verdict: ...
    async def recall(self, query: str, **options: Unpack[QueryOptions]) -> Recall: ...
    async def attune(
        self,
        *,
        role: str | None = None,
        task: str | None = None,
        interests: Sequence[str] = ...,
        since: int = 0,
        count: bool = False,
        others: bool = False,
        **options: Unpack[QueryOptions],
    ) -> Recall: ...
    async def get(self, record_id: str, *, revision: int | None = None) -> Disclosure: ...
    async def history(self, record_id: str) -> History: ...
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
        probe: bool = False,
    ) -> ErasureResult: ...
    async def flush(self, *, timeout: float | None = None, progress: Progress = ...) -> VectorCoverage: ...
    async def explain(
        self, receipt_id: str, *, replay: bool = False, progress: Callable[[int], None] | None = None
    ) -> Explanation: ...
