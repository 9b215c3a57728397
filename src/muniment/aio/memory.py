"""`muniment.Memory` for async callers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path
from typing import Unpack

from muniment.aio.guardian import Guardian
from muniment.aio.ledger import Ledger
from muniment.aio.steward import Steward
from muniment.aio.threads import page, run
from muniment.aio.usage import Usage
from muniment.config import AS_SET
from muniment.engine import (
    ConflictView,
    Directory,
    Foreseen,
    History,
    LineageView,
    Quality,
    QueueItem,
    Stats,
)
from muniment.engine import Memory as _Memory
from muniment.engine.entities import EntityView
from muniment.engine.intake import Newcomer
from muniment.engine.look import Curated
from muniment.engine.marker import KeyGiven
from muniment.engine.model_timeout import MIND_WAIT_S
from muniment.engine.options import QueryOptions
from muniment.engine.vector_indexer import Progress
from muniment.model.actor import OWNER, Actor
from muniment.model.arguments import checked
from muniment.model.claim import Claim
from muniment.model.claim_options import ClaimOptions
from muniment.model.curation import RollbackResult, Verdict
from muniment.model.proposal import Objection
from muniment.model.query import Disclosure, Searched
from muniment.model.recall import Recall
from muniment.model.receipt import Explanation
from muniment.model.rows import VectorCoverage
from muniment.policy.rules import Policy
from muniment.ports.clock_and_ids import Clock, Ids
from muniment.ports.embedder import Embedder
from muniment.ports.extractor import Extractor
from muniment.ports.judge import Judge
from muniment.ports.reranker import Reranker
from muniment.ports.tracer import UNWATCHED, Tracer


@checked
class Memory(Steward, Guardian, Usage):
    """`muniment.Memory` with the same methods, awaited.

    >>> import asyncio
    >>> from tempfile import TemporaryDirectory
    >>> async def three_lines(folder: str) -> list[str]:
    ...     async with await Memory.open(folder) as memory:
    ...         await memory.remember("The build is green on main", kind="observation")
    ...         return [found.record.content for found in (await memory.recall("is the build green?")).records]
    >>> with TemporaryDirectory() as folder:
    ...     asyncio.run(three_lines(folder))
    ['The build is green on main']
    """

    def __init__(self, memory: _Memory) -> None:
        self._memory = memory
        self.actor = memory.actor
        self.ledger = Ledger(memory.ledger)

    @classmethod
    async def open(
        cls,
        vault: str | Path = "./muniment-data",
        *,
        tenant: str = "default",
        actor: str | Actor = OWNER,
        policy: str | Path | None = None,
        create: bool = True,
        clock: Clock | None = None,
        ids: Ids | None = None,
        judge: Judge | None = None,
        embedder: str | Embedder | Callable[[list[str]], list[list[float]]] | None = AS_SET,
        extractor: Extractor | None = None,
        reranker: Reranker | None = None,
        capacity: int | None = None,
        witness: str | Path | None = AS_SET,
        encryption_key: KeyGiven = AS_SET,
        content_keys: str | Path | None = AS_SET,
        receipts_folder: str | Path | None = AS_SET,
        tracer: Tracer = UNWATCHED,
        mind_wait: float = MIND_WAIT_S,
    ) -> Memory:
        opened = await run(
            _Memory.open,
            vault,
            tenant=tenant,
            actor=actor,
            policy=policy,
            create=create,
            clock=clock,
            ids=ids,
            judge=judge,
            embedder=embedder,
            extractor=extractor,
            reranker=reranker,
            capacity=capacity,
            witness=witness,
            encryption_key=encryption_key,
            content_keys=content_keys,
            receipts_folder=receipts_folder,
            tracer=tracer,
            mind_wait=mind_wait,
        )
        return cls(opened)

    def as_actor(self, actor: str | Actor, *, session: str | None = None) -> Memory:
        return Memory(self._memory.as_actor(actor, session=session))

    def for_user(self, user: str) -> Memory:
        return Memory(self._memory.for_user(user))

    @property
    def policy(self) -> Policy:
        return self._memory.policy

    @property
    def tenant(self) -> str:
        return self._memory.tenant

    async def remember(
        self, content: str, *, proposal_id: str | None = None, draft: bool = False, **options: Unpack[ClaimOptions]
    ) -> Verdict:
        return await run(self._memory.remember, content, proposal_id=proposal_id, draft=draft, **options)

    async def propose(
        self,
        claim: Claim,
        *,
        proposal_id: str | None = None,
        target: str | None = None,
        expected_revision: int | None = None,
        objections: Sequence[Objection] = (),
        draft: bool = False,
        detect: bool = True,
    ) -> Verdict:
        return await run(
            self._memory.propose,
            claim,
            proposal_id=proposal_id,
            target=target,
            expected_revision=expected_revision,
            objections=objections,
            draft=draft,
            detect=detect,
        )

    async def preview(self, claims: Iterable[Claim]) -> tuple[Verdict, ...]:
        return await run(self._memory.preview, claims)

    async def take_in(
        self,
        batch: str,
        newcomers: Sequence[Newcomer],
        *,
        contract: str,
        hold: bool = False,
        preview: bool = False,
        first: int = 1,
        progress: Callable[[int], None] = lambda _: None,
    ) -> tuple[Verdict, ...]:
        return await run(
            self._memory.take_in,
            batch,
            newcomers,
            contract=contract,
            hold=hold,
            preview=preview,
            first=first,
            progress=progress,
        )

    async def apply(self, batch: str, *, reason: str) -> tuple[Verdict, ...]:
        return await run(self._memory.apply, batch, reason=reason)

    async def roll_back(self, batch: str, *, reason: str) -> RollbackResult:
        return await run(self._memory.roll_back, batch, reason=reason)

    async def retire(
        self, record_id: str, *, becomes: str, reason: str, expected_revision: int | None = None
    ) -> Verdict:
        return await run(
            self._memory.retire, record_id, becomes=becomes, reason=reason, expected_revision=expected_revision
        )

    async def browse(
        self,
        *,
        statuses: Sequence[str] | None = None,
        session: str | None = None,
        after: str | None = None,
        changed_after: int | None = None,
        **options: Unpack[QueryOptions],
    ) -> AsyncIterator[Disclosure]:
        records = self._memory.browse(
            statuses=statuses, session=session, after=after, changed_after=changed_after, **options
        )
        while part := await run(page, records):
            for one in part:
                yield one

    async def report(self, proposal_id: str) -> Curated:
        return await run(self._memory.report, proposal_id)

    async def propose_many(self, claims: Iterable[Claim | tuple[str, Claim]]) -> tuple[Verdict, ...]:
        return await run(self._memory.propose_many, claims)

    async def revise(
        self,
        record_id: str,
        content: str,
        *,
        expected_revision: int | None = None,
        proposal_id: str | None = None,
        **options: Unpack[ClaimOptions],
    ) -> Verdict:
        return await run(
            self._memory.revise,
            record_id,
            content,
            expected_revision=expected_revision,
            proposal_id=proposal_id,
            **options,
        )

    async def recall(self, text: str, **options: Unpack[QueryOptions]) -> Recall:
        return await run(self._memory.recall, text, **options)

    async def attune(
        self,
        *,
        role: str | None = None,
        task: str | None = None,
        interests: Sequence[str] = (),
        since: int = 0,
        count: bool = False,
        others: bool = False,
        **options: Unpack[QueryOptions],
    ) -> Recall:
        return await run(
            self._memory.attune,
            role=role,
            task=task,
            interests=interests,
            since=since,
            count=count,
            others=others,
            **options,
        )

    async def searching(self) -> Searched:
        return await run(self._memory.searching)

    async def flush(
        self, *, timeout: float | None = None, progress: Progress = lambda done, all_: None
    ) -> VectorCoverage:
        return await run(self._memory.flush, timeout=timeout, progress=progress)

    async def get(self, record_id: str, *, revision: int | None = None) -> Disclosure:
        return await run(self._memory.get, record_id, revision=revision)

    async def history(self, record_id: str) -> History:
        return await run(self._memory.history, record_id)

    async def lineage(
        self,
        record_id: str,
        *,
        direction: str = "both",
        depth: int | None = None,
        types: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> LineageView:
        return await run(self._memory.lineage, record_id, direction=direction, depth=depth, types=types, limit=limit)

    async def foresee(self, record_id: str, *, becomes: str = "retracted") -> Foreseen:
        return await run(self._memory.foresee, record_id, becomes=becomes)

    async def explain(
        self, receipt_id: str, *, replay: bool = False, progress: Callable[[int], None] | None = None
    ) -> Explanation:
        return await run(self._memory.explain, receipt_id, replay=replay, progress=progress)

    async def queue(self, *, after: str | None = None, limit: int = 50) -> tuple[QueueItem, ...]:
        return await run(self._memory.queue, after=after, limit=limit)

    async def conflicts(
        self,
        *,
        record_id: str | None = None,
        status: str | None = None,
        after: str | None = None,
        limit: int | None = None,
    ) -> tuple[ConflictView, ...]:
        return await run(self._memory.conflicts, record_id=record_id, status=status, after=after, limit=limit)

    async def conflict(self, conflict_id: str) -> ConflictView:
        return await run(self._memory.conflict, conflict_id)

    async def directory(self, about: str | None = None, *, limit: int = 50) -> Directory:
        return await run(self._memory.directory, about, limit=limit)

    async def entity(self, name: str, *, limit: int = 20) -> EntityView:
        return await run(self._memory.entity, name, limit=limit)

    async def quality(
        self,
        *,
        namespace: str | None = None,
        session: str | None = None,
        profile: str = "muniment",
        progress: Callable[[int], None] = lambda _: None,
    ) -> Quality:
        return await run(self._memory.quality, namespace=namespace, session=session, profile=profile, progress=progress)

    async def namespaces(self) -> tuple[str, ...]:
        return await run(self._memory.namespaces)

    async def stats(self) -> Stats:
        return await run(self._memory.stats)

    async def close(self) -> None:
        await run(self._memory.close)

    async def __aenter__(self) -> Memory:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
