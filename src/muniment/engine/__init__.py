"""The composition root: wires the rooms together and gives them a face."""

from muniment.engine.audit import LedgerFace, Rebuilt, Verified
from muniment.engine.look import ConflictView, Event, History, QueueItem, RevisionView, Stats
from muniment.engine.memory import Memory

__all__ = [
    "ConflictView",
    "Event",
    "History",
    "LedgerFace",
    "Memory",
    "QueueItem",
    "Rebuilt",
    "RevisionView",
    "Stats",
    "Verified",
]
