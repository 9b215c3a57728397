"""`Memledger`: the same methods, parameters and answers as memledger's, over our engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

import msgspec

from muniment.config import variables as environment
from muniment.contracts.strict.values import JsonObject
from muniment.engine import Memory
from muniment.model.errors import ConfigurationError, Malformed, NotPermitted
from muniment_memledger.backends.base import BackendProvider, backend_of, register_backend
from muniment_memledger.config import EmbeddingConfig, MemledgerConfig, read_config
from muniment_memledger.desk import Desk
from muniment_memledger.embeddings import (
    AnyEmbedder,
    AssignedLater,
    EmbeddingProvider,
    ForeignEmbedder,
    embedder_of,
)
from muniment_memledger.finding import Wanted
from muniment_memledger.hooks import LifecycleHooks
from muniment_memledger.ingest import Ingest
from muniment_memledger.looking import Looking
from muniment_memledger.policies.confidence_policy import ConfidencePolicy, read_policy
from muniment_memledger.policies.namespace_rbac import NamespaceAccessDenied, NamespaceRBAC
from muniment_memledger.promotion import promote_if_proven
from muniment_memledger.provenance.chain_store import ChainStore, JsonArrayChainStore
from muniment_memledger.records import (
    MemoryRecord,
    MemoryStatus,
    RecordType,
    SearchResult,
    read_status,
    read_type,
)
from muniment_memledger.strategies import build_strategies
from muniment_memledger.strategies.audit import AuditLog
from muniment_memledger.strategies.policies import Complete, MemledgerStrategies
from muniment_memledger.strategies.retrieval import ContextualRecall
from muniment_memledger.writing import build_record, require_list

__all__ = ["Memledger", "NamespaceAccessDenied", "register_backend"]


class Memledger(Looking):
    """A governed memory with memledger's face. `identity` is who asks where a call does not say; `complete` is the
    language model for strategies that want one, a function of the caller's.

    Long because it is their face: each method only hands on to a part that does the work.
    """

    def __init__(
        self,
        backend: BackendProvider,
        embedder: object,
        config: MemledgerConfig,
        chain_store: ChainStore | None = None,
        rbac: NamespaceRBAC | None = None,
        *,
        identity: str | None = None,
        complete: Complete | None = None,
    ) -> None:
        strategies = build_strategies(config.strategies, complete=complete)
        self._backend = backend
        self._closed = False
        self._opened_with: AnyEmbedder
        try:
            self._opened_with = embedder_of(embedder)
        except ConfigurationError as error:
            if not isinstance(embedder, EmbeddingProvider):
                raise
            self._opened_with = AssignedLater(error)
        memory = backend.open(self._opened_with)
        desk = Desk(memory, config, strategies, rbac=rbac, identity=identity, complete=complete)
        if isinstance(self._opened_with, AssignedLater):
            desk.demand_embedder = self._opened_with.demand
        super().__init__(desk, backend.name)
        self._ingest = Ingest(self._desk, self._writing)
        self._chain_store: ChainStore = chain_store or JsonArrayChainStore(self)

    @classmethod
    async def from_config(
        cls,
        config_path: str | Path,
        *,
        variables: Mapping[str, str] | None = None,
        rbac: NamespaceRBAC | None = None,
        identity: str | None = None,
        complete: Complete | None = None,
    ) -> Self:
        """Open what a YAML file describes. `variables` are what `${NAME}` in it stands for, else the environment's."""
        config = read_config(config_path, environment() if variables is None else variables)
        named = config.backends.get(config.default_backend)
        backend = backend_of(named.provider if named is not None else config.default_backend)
        await backend.initialize(named.config if named is not None else {})
        embedder = EmbeddingProvider(config.embeddings)
        return cls(backend, embedder, config, rbac=rbac, identity=identity, complete=complete)

    @classmethod
    async def create(
        cls,
        backend_name: str = "muniment",
        backend_config: Mapping[str, object] | None = None,
        embedding_config: EmbeddingConfig | None = None,
        memledger_config: MemledgerConfig | None = None,
        *,
        connection_string: str | None = None,
        embedding_model: str = "all-MiniLM-L6-v2",
        embedding_dimensions: int = 384,
        embedder: object = None,
        rbac: NamespaceRBAC | None = None,
        identity: str | None = None,
        complete: Complete | None = None,
        confidence_policy: ConfidencePolicy | Mapping[str, object] | None = None,
        chain_store: ChainStore | None = None,
    ) -> Self:
        """Open a memory. A connection string is the path of a vault, or the address of a PostgreSQL database."""
        options = dict(backend_config or {})
        if connection_string is not None and connection_string.startswith(("postgresql://", "postgres://")):
            backend_name = "pgvector"
            options["connection_string"] = connection_string
        elif connection_string is not None:
            if "://" in connection_string and not connection_string.startswith("sqlite:///"):
                raise ConfigurationError("connection_string", "expected the path of a vault, or postgresql://…")
            options["path"] = connection_string
        backend = backend_of(backend_name)
        await backend.initialize(options)
        config = memledger_config or MemledgerConfig()
        if confidence_policy is not None:
            config = msgspec.structs.replace(config, confidence_policy=read_policy(confidence_policy))
        chosen = embedding_config or EmbeddingConfig(model=embedding_model, dimensions=embedding_dimensions)
        maker = EmbeddingProvider(chosen) if embedder is None else embedder
        return cls(backend, maker, config, chain_store, rbac, identity=identity, complete=complete)

    @property
    def _embedder(self) -> AnyEmbedder:
        return self._opened_with

    @_embedder.setter
    def _embedder(self, given: object) -> None:
        """Programs written for memledger assign the embedder of their tests here, after `create` with a provider of
        which nothing is known."""
        if not isinstance(self._opened_with, AssignedLater):
            raise ConfigurationError("embedder", "the memory is open with another; give it to create(…, embedder=…)")
        self._opened_with.assign(given)

    @property
    def _strategies(self) -> MemledgerStrategies:
        return self._desk.strategies

    @property
    def memory(self) -> Memory:
        """The engine behind the face, seen by its owner: ledger, receipts, review and everything else."""
        return self._desk.memory

    @property
    def audit(self) -> AuditLog:
        return self._desk.audit

    @property
    def hooks(self) -> LifecycleHooks:
        return self._desk.hooks

    @property
    def chain_store(self) -> ChainStore:
        return self._chain_store

    @property
    def rbac(self) -> NamespaceRBAC | None:
        return self._desk.rbac

    @property
    def backend_name(self) -> str:
        return self._backend.name

    async def add(
        self,
        content: str,
        *,
        record_type: RecordType | str = RecordType.SEMANTIC,
        namespace: str = "/",
        agent_id: str | None = None,
        user_id: str | None = None,
        session_id: str | None = None,
        importance: float = 0.5,
        metadata: Mapping[str, object] | None = None,
        record_id: str | None = None,
        supersedes: str | None = None,
        derived_from: Sequence[str] | None = None,
        created_by: str | None = None,
        workflow_id: str | None = None,
        triggered_by: str | None = None,
        turn_context: str | None = None,
        confidence: float = 0.5,
        hedged: bool = False,
        **typed_fields: object,
    ) -> str:
        """Propose a record and return its id. Empty when it was not kept; the id of the record that is there already
        when it says nothing new."""
        author = created_by or agent_id or self._desk.identity
        require_list("derived_from", derived_from)
        fields = {
            "id": record_id,
            "namespace": self._desk.config.default_namespace if namespace == "/" else namespace,
            "agent_id": agent_id or author,
            "user_id": user_id,
            "session_id": session_id,
            "importance": importance,
            "metadata": dict(metadata) if metadata is not None else None,
            "supersedes": supersedes,
            "derived_from": [*derived_from] if derived_from is not None else None,
            "created_by": author,
            "workflow_id": workflow_id,
            "triggered_by": triggered_by,
            "turn_context": turn_context,
            "confidence": confidence,
            "hedged": hedged,
        }
        record = build_record(content, record_type, fields, typed_fields)
        return await self._writing.add(record, chosen_id=record_id is not None)

    async def add_record(self, record: MemoryRecord) -> str:
        """Propose a record that was made before, under its own id, and bring it into the state it says."""
        copy = record.model_copy()
        copy.created_by = copy.created_by or copy.agent_id or self._desk.identity
        name = await self._writing.add(copy, chosen_id=True)
        if name and record.status is not MemoryStatus.ACTIVE:
            kept = await self._desk.find(name, copy.agent_id or copy.created_by)
            if kept is not None:
                await self._writing.end(kept, copy.agent_id or copy.created_by, read_status(record.status))
        return name

    async def search(
        self,
        query: str,
        *,
        namespace: str | None = None,
        top_k: int = 5,
        record_type: RecordType | str | None = None,
        agent_id: str | None = None,
        requester_id: str | None = None,
        user_id: str | None = None,
        filters: Mapping[str, object] | None = None,
        confidence_policy: ConfidencePolicy | Mapping[str, object] | None = None,
        session_id: str | None = None,
    ) -> SearchResult:
        """Search. `agent_id` asks for records of that author; `requester_id` is who is asking."""
        wanted = Wanted(
            record_type=read_type(record_type) if record_type is not None else None,
            author=agent_id,
            user_id=user_id,
            session_id=session_id,
            filters=dict(filters or {}),
        )
        policy = read_policy(confidence_policy) if confidence_policy is not None else None
        return await self._finding.search(
            query, wanted, namespace=namespace, top_k=top_k, who=requester_id, policy=policy
        )

    async def search_hybrid(
        self,
        query: str,
        *,
        namespace: str | None = None,
        top_k: int = 5,
        record_type: RecordType | str | None = None,
        agent_id: str | None = None,
        filters: Mapping[str, object] | None = None,
        confidence_policy: ConfidencePolicy | Mapping[str, object] | None = None,
        requester_id: str | None = None,
    ) -> SearchResult:
        """The same: every search here is by words and, where there is a model, by meaning."""
        return await self.search(
            query,
            namespace=namespace,
            top_k=top_k,
            record_type=record_type,
            agent_id=agent_id,
            requester_id=requester_id,
            filters=filters,
            confidence_policy=confidence_policy,
        )

    async def recall_context(
        self, query: str, *, namespace: str | None = None, top_k: int = 5, requester_id: str | None = None
    ) -> ContextualRecall:
        """Episodes like this, procedures that may help, and what failed."""
        return await self._finding.context(query, namespace, top_k, requester_id)

    async def record_outcome(
        self,
        record_id: str | None = None,
        success: bool = True,
        *,
        description: str | None = None,
        namespace: str | None = None,
        requester_id: str | None = None,
    ) -> bool:
        """Tell how a record turned out. False if there is none, or the policy does not let the caller say so."""
        record = await self._meant(record_id, description, namespace, requester_id)
        if record is None or not await self._writing.outcome(record, requester_id, success):
            return False
        if success:
            await promote_if_proven(self._desk, record.id)
        return True

    async def update(
        self,
        record_id: str | None = None,
        *,
        description: str | None = None,
        namespace: str | None = None,
        requester_id: str | None = None,
        **kwargs: object,
    ) -> bool:
        """Propose a new revision with these fields otherwise. Of metadata the given keys are replaced."""
        if not kwargs:
            raise Malformed("fields", "at least one field to update")
        record = await self._meant(record_id, description, namespace, requester_id)
        return record is not None and await self._writing.update(record, requester_id, dict(kwargs))

    async def delete(
        self,
        record_id: str | None = None,
        *,
        description: str | None = None,
        namespace: str | None = None,
        requester_id: str | None = None,
    ) -> bool:
        """Archive a record. It stays in its history and answers no longer; this is not erasure."""
        record = await self._meant(record_id, description, namespace, requester_id)
        if record is None:
            return False
        self._desk.require(requester_id, record.namespace, "write")
        done = await self._writing.end(record, requester_id, MemoryStatus.ARCHIVED)
        if done:
            self.audit.log("delete", record_id=record.id, agent_id=requester_id or self._desk.identity)
            await self._desk.tell(self.hooks.on_delete, record.id)
        return done

    async def health(self) -> bool:
        """Whether the memory is open and answers."""
        return not self._closed and (await self._desk.run(self.memory.ledger.head)).seq > 0

    async def close(self) -> None:
        """Count what was used, sign the ledger, and let go of the files. Closing again does nothing."""
        if self._closed:
            return
        self._closed = True
        try:
            await self._desk.run(self.memory.review.sweep)
        except NotPermitted:
            self.audit.log("sweep_denied")  # a policy of the vault's own; use is counted by whoever may
        finally:
            await self._desk.run(self.memory.close)
            await self._desk.run(self._backend.release)
            if isinstance(self._opened_with, ForeignEmbedder | AssignedLater):
                await self._desk.run(self._opened_with.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def bulk_update_status(
        self, ids: Sequence[str], status: MemoryStatus | str, *, requester_id: str | None = None
    ) -> int:
        """Bring records into a state; how many are in it now that were not before. Access is asked for all first."""
        wanted = read_status(status)
        require_list("ids", ids)
        found = [await self._desk.find(name, requester_id) for name in dict.fromkeys(ids)]
        records = [record for record in found if record is not None and record.status is not wanted]
        for record in records:
            self._desk.require(requester_id, record.namespace, "write")
        return sum([await self._writing.end(record, requester_id, wanted) for record in records])

    async def bulk_archive(self, ids: Sequence[str], *, requester_id: str | None = None) -> int:
        return await self.bulk_update_status(ids, MemoryStatus.ARCHIVED, requester_id=requester_id)

    async def execute_cascade(self, plan: JsonObject, *, requester_id: str | None = None) -> dict[str, list[str]]:
        return await self._lineage.execute(plan, requester_id)

    async def ingest(
        self,
        context: str,
        *,
        agent_id: str | None = None,
        namespace: str = "/",
        strategy: str = "llm",
        max_extractions: int = 10,
        min_confidence: float = 0.5,
        metadata: Mapping[str, object] | None = None,
    ) -> JsonObject:
        """Propose what a text says that is worth remembering. Without a language model the rules find it."""
        return await self._ingest.take(
            context,
            agent_id or self._desk.identity,
            namespace=self._desk.config.default_namespace if namespace == "/" else namespace,
            strategy=strategy,
            most=max_extractions,
            least_sure=min_confidence,
            metadata=dict(metadata or {}),
        )
