"""The composition root: wires the rooms together and gives them a face. Each name is imported when it is asked for."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

_MODULES = {
    "Activity": "engine.activity",
    "Bucket": "engine.activity",
    "ChainLink": "engine.proofs",
    "ConflictView": "engine.views",
    "Curated": "engine.views",
    "Directory": "engine.directory",
    "EntityView": "engine.entities",
    "Erasure": "engine.erasure",
    "Event": "engine.views",
    "FallView": "engine.foresight",
    "Foreseen": "engine.foresight",
    "History": "engine.views",
    "Imports": "engine.importing",
    "Insight": "engine.insight",
    "Integrity": "trust.attribution",
    "Knower": "engine.directory",
    "LedgerFace": "engine.audit",
    "LineageNode": "engine.foresight",
    "LineageView": "engine.foresight",
    "Memory": "engine.memory",
    "Period": "engine.activity",
    "Quality": "engine.quality",
    "QueueItem": "engine.views",
    "Rebuilt": "engine.audit",
    "RecordQuality": "engine.quality",
    "Related": "engine.entities",
    "Review": "engine.review",
    "RevisionView": "engine.views",
    "SigningKey": "engine.proofs",
    "Standpoint": "engine.foresight",
    "Stats": "engine.stats",
    "Telling": "engine.tellings",
    "Tellings": "engine.tellings",
    "Trimmed": "engine.audit",
    "Verified": "engine.audit",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"muniment.{_MODULES[name]}"), name)
    globals()[name] = found
    return found
