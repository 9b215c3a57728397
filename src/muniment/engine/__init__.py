"""The composition root: wires the rooms together and gives them a face."""

from muniment.engine.activity import Activity, Bucket, Period
from muniment.engine.audit import LedgerFace, Rebuilt, Trimmed, Verified
from muniment.engine.directory import Directory, Knower
from muniment.engine.entities import EntityView, Related
from muniment.engine.foresight import FallView, Foreseen, LineageNode, LineageView, Standpoint
from muniment.engine.look import ConflictView, Curated, Event, History, QueueItem, RevisionView
from muniment.engine.memory import Memory
from muniment.engine.proofs import ChainLink, SigningKey
from muniment.engine.quality import Quality, RecordQuality
from muniment.engine.stats import Stats
from muniment.engine.tellings import Telling, Tellings
from muniment.trust.attribution import Integrity

__all__ = [
    "Activity",
    "Bucket",
    "ChainLink",
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
    "Period",
    "Quality",
    "QueueItem",
    "Rebuilt",
    "RecordQuality",
    "Related",
    "RevisionView",
    "SigningKey",
    "Standpoint",
    "Stats",
    "Telling",
    "Tellings",
    "Trimmed",
    "Verified",
]
