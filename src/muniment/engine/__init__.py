"""The composition root: wires the rooms together and gives them a face."""

from muniment.engine.activity import Activity, Bucket, Period
from muniment.engine.audit import LedgerFace, Rebuilt, Trimmed, Verified
from muniment.engine.directory import Directory, Knower
from muniment.engine.entities import EntityView, Related
from muniment.engine.erasure import Erasure
from muniment.engine.foresight import FallView, Foreseen, LineageNode, LineageView, Standpoint
from muniment.engine.importing import Imports
from muniment.engine.insight import Insight
from muniment.engine.memory import Memory
from muniment.engine.proofs import ChainLink, SigningKey
from muniment.engine.quality import Quality, RecordQuality
from muniment.engine.review import Review
from muniment.engine.stats import Stats
from muniment.engine.tellings import Telling, Tellings
from muniment.engine.views import ConflictView, Curated, Event, History, QueueItem, RevisionView
from muniment.trust.attribution import Integrity

__all__ = [
    "Activity",
    "Bucket",
    "ChainLink",
    "ConflictView",
    "Curated",
    "Directory",
    "EntityView",
    "Erasure",
    "Event",
    "FallView",
    "Foreseen",
    "History",
    "Imports",
    "Insight",
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
    "Review",
    "RevisionView",
    "SigningKey",
    "Standpoint",
    "Stats",
    "Telling",
    "Tellings",
    "Trimmed",
    "Verified",
]
