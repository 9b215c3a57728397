"""MATM, the governed profile of multi-agent transactive memory: events, records, reports, directory, retrieval."""

from muniment.contracts.matm.contract import CONTRACT

__all__ = ["CONTRACT"]
