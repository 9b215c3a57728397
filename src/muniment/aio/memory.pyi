# Written by scripts/stubs.py.

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Unpack, overload

from muniment import engine
from muniment.backends.embedders.wrapped import EmbedTexts
from muniment.engine.activity import Activity
from muniment.engine.audit import LedgerFace, RebuildResult, TrimResult, VerificationResult
from muniment.engine.directory import Directory
from muniment.engine.disclosures import Tellings
from muniment.engine.entities import EntityView
from muniment.engine.impact import Foreseen, LineageView
from muniment.engine.importing import Newcomer
from muniment.engine.insight import MemoryDiff
from muniment.engine.marker import KeyGiven
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
from muniment.policy.rules import Policy
from muniment.ports.clock_and_ids import Clock, Ids
from muniment.ports.embedder import Embedder
from muniment.ports.extractor import Extractor
from muniment.ports.judge import Judge
from muniment.ports.reranker import Reranker
from muniment.ports.tracer import Tracer

class AsyncReview:
    def __init__(self, inner: engine.Review) -> None: ...
    async def queue(self, *, after: str | None = None, limit: int = 50) -> tuple[QueueItem, ...]: ...
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
        self,
        *,
        record_id: str | None = None,
        status: str | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> tuple[ConflictView, ...]: ...
    async def conflict(self, conflict_id: str) -> ConflictView: ...
    async def retire(
        self, record_id: str, *, becomes: str, reason: str, expected_revision: int | None = None
    ) -> Verdict: ...
    async def quarantine(self, record_id: str, *, reason: str, expected_revision: int | None = None) -> Verdict: ...
    async def release(self, record_id: str, *, reason: str, expected_revision: int | None = None) -> Verdict: ...
    async def quarantined(self) -> tuple[Disclosure, ...]: ...

class AsyncErasure:
    def __init__(self, inner: engine.Erasure) -> None: ...
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
    def __init__(self, inner: engine.Imports) -> None: ...
    async def preview(self, claims: Iterable[Claim]) -> tuple[Verdict, ...]: ...
    async def take_in(
        self,
        batch: str,
        newcomers: Sequence[Newcomer],
        *,
        contract: str,
        hold: bool = False,
        preview: bool = False,
        first: int = 1,
        progress: Callable[[int], None] = ...,
    ) -> tuple[Verdict, ...]: ...
    async def apply(self, batch: str, *, reason: str) -> tuple[Verdict, ...]: ...
    async def roll_back(self, batch: str, *, reason: str) -> RollbackResult: ...

class AsyncInsight:
    def __init__(self, inner: engine.Insight) -> None: ...
    @property
    def policy(self) -> Policy: ...
    def browse(
        self,
        *,
        statuses: Sequence[str] | None = None,
        session: str | None = None,
        after: str | None = None,
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

class AsyncLedger:
    def __init__(self, inner: LedgerFace) -> None: ...
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

class Memory:
    review: AsyncReview
    erasure: AsyncErasure
    imports: AsyncImports
    insight: AsyncInsight
    ledger: AsyncLedger
    def __init__(self, inner: engine.Memory) -> None: ...
    def as_actor(self, actor: str | Actor, *, session: str | None = None) -> Memory: ...
    def for_user(self, user: str) -> Memory: ...
    async def __aenter__(self) -> Memory: ...
    async def __aexit__(self, *_: object) -> None: ...
    @classmethod
    async def open(
        cls,
        vault: str | Path = "./muniment-data",
        *,
        tenant: str = "default",
        actor: str | Actor = ...,
        policy: str | Path | None = None,
        create: bool = True,
        clock: Clock | None = None,
        ids: Ids | None = None,
        judge: Judge | None = None,
        embedder: str | Embedder | EmbedTexts | None = ...,
        extractor: Extractor | None = None,
        reranker: Reranker | None = None,
        capacity: int | None = None,
        witness: str | Path | None = ...,
        encryption_key: KeyGiven = ...,
        content_keys: str | Path | None = ...,
        receipts_folder: str | Path | None = ...,
        tracer: Tracer = ...,
        mind_wait: float = ...,
    ) -> Memory: ...
    @property
    def actor(self) -> Actor: ...
    @property
    def tenant(self) -> str: ...
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
    async def close(self) -> None: ...
