"""The memory and retrieval contract at work: its runtime layer in process, and its queries over a governed memory."""

from muniment.compat.retrieval.desk import ContractDesk, Withdrawn, Written
from muniment.compat.retrieval.inspecting import Inspected, inspect_memory
from muniment.compat.retrieval.loader import bundled_store, load_memory_store
from muniment.compat.retrieval.policies import ReadPolicy, Review, WriteAction, WritePolicy, WriteVerdict
from muniment.compat.retrieval.reading import retrieve, retrieve_from
from muniment.compat.retrieval.records import MemoryCandidate, MemoryRecord
from muniment.compat.retrieval.results import read_query, rebuild_filters, rebuild_result, retrieval_event
from muniment.compat.retrieval.store import MemoryStore
from muniment.compat.retrieval.trace import export_events, make_event, read_events

__all__ = [
    "ContractDesk",
    "Inspected",
    "MemoryCandidate",
    "MemoryRecord",
    "MemoryStore",
    "ReadPolicy",
    "Review",
    "Withdrawn",
    "WriteAction",
    "WritePolicy",
    "WriteVerdict",
    "Written",
    "bundled_store",
    "export_events",
    "inspect_memory",
    "load_memory_store",
    "make_event",
    "read_events",
    "read_query",
    "rebuild_filters",
    "rebuild_result",
    "retrieval_event",
    "retrieve",
    "retrieve_from",
]
