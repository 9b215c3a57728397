"""memledger's face over our engine: a program written for it runs by importing from here instead."""

from importlib.metadata import version

from muniment_memledger.backends.base import BackendProvider, register_backend
from muniment_memledger.config import BackendConfig, EmbeddingConfig, MemledgerConfig
from muniment_memledger.embeddings import EmbeddingProvider
from muniment_memledger.evaluators import (
    evaluate_attribution_integrity,
    evaluate_from_memory_records,
    evaluate_structural,
)
from muniment_memledger.hooks import LifecycleHooks
from muniment_memledger.integrations.langgraph import create_memory_tools
from muniment_memledger.mcp.server import MemledgerMCPServer
from muniment_memledger.memledger import Memledger
from muniment_memledger.policies.confidence_policy import ConfidencePolicy, apply_confidence_gating
from muniment_memledger.policies.conflict_resolution import ConflictResult, PositionBiasTracker, check_conflict
from muniment_memledger.policies.namespace_rbac import (
    AccessDecision,
    AccessRule,
    NamespaceAccessDenied,
    NamespacePolicy,
    NamespaceRBAC,
)
from muniment_memledger.policies.temporal_decay import TemporalDecayPolicy
from muniment_memledger.provenance.chain import build_chain, propagate_attribution, truncate_chain
from muniment_memledger.provenance.chain_store import JsonArrayChainStore, Neo4jChainStore
from muniment_memledger.provenance.effective_confidence import (
    compute_effective_confidence,
    compute_effective_confidence_map,
)
from muniment_memledger.provenance.models import AttributionChain, AttributionRecord, ChainHop
from muniment_memledger.records import (
    ConflictRef,
    EpisodicRecord,
    MemoryRecord,
    MemoryStats,
    MemoryStatus,
    ProceduralRecord,
    RecordType,
    SearchResult,
    SemanticRecord,
    record_from_dict,
)
from muniment_memledger.strategies import build_strategies, register_strategy
from muniment_memledger.strategies.audit import AuditLog
from muniment_memledger.strategies.retrieval import ContextualRecall
from muniment_memledger.strategies.scoring import (
    ScoringConfig,
    compute_confidence,
    compute_final_score,
    compute_mqs,
    compute_policy_score,
)
from muniment_memledger.telemetry import instrument, metrics, setup_telemetry

__version__ = version("muniment")

__all__ = [
    "AccessDecision",
    "AccessRule",
    "AttributionChain",
    "AttributionRecord",
    "AuditLog",
    "BackendConfig",
    "BackendProvider",
    "ChainHop",
    "ConfidencePolicy",
    "ConflictRef",
    "ConflictResult",
    "ContextualRecall",
    "EmbeddingConfig",
    "EmbeddingProvider",
    "EpisodicRecord",
    "JsonArrayChainStore",
    "LifecycleHooks",
    "Memledger",
    "MemledgerConfig",
    "MemledgerMCPServer",
    "MemoryRecord",
    "MemoryStats",
    "MemoryStatus",
    "NamespaceAccessDenied",
    "NamespacePolicy",
    "NamespaceRBAC",
    "Neo4jChainStore",
    "PositionBiasTracker",
    "ProceduralRecord",
    "RecordType",
    "ScoringConfig",
    "SearchResult",
    "SemanticRecord",
    "TemporalDecayPolicy",
    "__version__",
    "apply_confidence_gating",
    "build_chain",
    "build_strategies",
    "check_conflict",
    "compute_confidence",
    "compute_effective_confidence",
    "compute_effective_confidence_map",
    "compute_final_score",
    "compute_mqs",
    "compute_policy_score",
    "create_memory_tools",
    "evaluate_attribution_integrity",
    "evaluate_from_memory_records",
    "evaluate_structural",
    "instrument",
    "metrics",
    "propagate_attribution",
    "record_from_dict",
    "register_backend",
    "register_strategy",
    "setup_telemetry",
    "truncate_chain",
]
