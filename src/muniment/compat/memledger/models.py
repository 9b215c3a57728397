"""The models of memledger in one place: records, search results, configuration."""

from muniment.compat.memledger.config import BackendConfig, EmbeddingConfig, MemledgerConfig
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
from muniment.compat.memledger.strategies.scoring import compute_mqs

__all__ = [
    "BackendConfig",
    "ConflictRef",
    "EmbeddingConfig",
    "EpisodicRecord",
    "MemledgerConfig",
    "MemoryRecord",
    "MemoryStats",
    "MemoryStatus",
    "ProceduralRecord",
    "RecordType",
    "SearchResult",
    "SemanticRecord",
    "compute_mqs",
    "record_from_dict",
]
