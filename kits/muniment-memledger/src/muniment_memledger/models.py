"""The models of memledger in one place: records, search results, configuration."""

from muniment_memledger.config import BackendConfig, EmbeddingConfig, MemledgerConfig
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
from muniment_memledger.strategies.scoring import compute_mqs

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
