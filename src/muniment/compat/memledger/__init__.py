"""memledger's face over our engine: a program written for it runs by importing from here instead."""

from importlib.metadata import version

from muniment.compat.memledger.backends.base import BackendProvider, register_backend
from muniment.compat.memledger.config import BackendConfig, EmbeddingConfig, MemledgerConfig
from muniment.compat.memledger.embeddings import EmbeddingProvider
from muniment.compat.memledger.evaluators import (
    evaluate_attribution_integrity,
    evaluate_from_memory_records,
    evaluate_structural,
)
from muniment.compat.memledger.hooks import LifecycleHooks
from muniment.compat.memledger.integrations.langgraph import create_memory_tools
from muniment.compat.memledger.mcp.server import MemledgerMCPServer
from muniment.compat.memledger.memledger import Memledger
from muniment.compat.memledger.policies.confidence_policy import ConfidencePolicy, apply_confidence_gating
from muniment.compat.memledger.policies.conflict_resolution import ConflictResult, PositionBiasTracker, check_conflict
from muniment.compat.memledger.policies.namespace_rbac import (
    AccessDecision,
    AccessRule,
    NamespaceAccessDenied,
    NamespacePolicy,
    NamespaceRBAC,
)
from muniment.compat.memledger.policies.temporal_decay import TemporalDecayPolicy
from muniment.compat.memledger.provenance.chain import build_chain, propagate_attribution, truncate_chain
from muniment.compat.memledger.provenance.chain_store import JsonArrayChainStore, Neo4jChainStore
from muniment.compat.memledger.provenance.effective_confidence import (
    compute_effective_confidence,
    compute_effective_confidence_map,
)
from muniment.compat.memledger.provenance.models import AttributionChain, AttributionRecord, ChainHop
from muniment.compat.memledger.records import (
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
from muniment.compat.memledger.strategies import build_strategies, register_strategy
from muniment.compat.memledger.strategies.audit import AuditLog
from muniment.compat.memledger.strategies.retrieval import ContextualRecall
from muniment.compat.memledger.strategies.scoring import (
    ScoringConfig,
    compute_confidence,
    compute_final_score,
    compute_mqs,
    compute_policy_score,
)
from muniment.compat.memledger.telemetry import instrument, metrics, setup_telemetry

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
