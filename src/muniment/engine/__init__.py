"""The composition root: wires the rooms together and gives them a face."""

from muniment.engine.audit import LedgerFace, Rebuilt, Verified
from muniment.engine.directory import Directory, Knower
from muniment.engine.entities import EntityView, Related
from muniment.engine.foresight import FallView, Foreseen, LineageNode, LineageView, Standpoint
from muniment.engine.look import ConflictView, Curated, Event, History, QueueItem, RevisionView, Stats
from muniment.engine.memory import Memory
from muniment.engine.quality import Quality, RecordQuality
from muniment.trust.attribution import Integrity

__all__ = [
    "ConflictView",
    "Curated",
    "Directory",
    "EntityView",
    "Event",
    "FallView",
    "Foreseen",
    "History",
    "Integrity",
    "Knower",
    "LedgerFace",
    "LineageNode",
    "LineageView",
    "Memory",
    "Quality",
    "QueueItem",
    "Rebuilt",
    "RecordQuality",
    "Related",
    "RevisionView",
    "Standpoint",
    "Stats",
    "Verified",
]
