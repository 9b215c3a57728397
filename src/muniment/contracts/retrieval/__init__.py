"""The memory and retrieval contract: memory records, retrieval queries and results, trace events."""

from muniment.contracts.retrieval.contract import CONTRACT

__all__ = ["CONTRACT"]
