"""The composition root: wires the rooms together and gives them a face. Each name is imported when it is asked for."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from muniment.engine.activity import Activity, Bucket, Period
    from muniment.engine.audit import LedgerFace, RebuildResult, TrimResult, VerificationResult
    from muniment.engine.directory import Directory, KnownActor
    from muniment.engine.disclosures import Telling, Tellings
    from muniment.engine.entities import EntityView, Related
    from muniment.engine.erasure import Erasure
    from muniment.engine.impact import FallView, Foreseen, LineageNode, LineageView, Standpoint
    from muniment.engine.importing import Imports
    from muniment.engine.insight import Insight
    from muniment.engine.memory import Memory
    from muniment.engine.proofs import ChainLink, SigningKey
    from muniment.engine.quality import Quality, RecordQuality
    from muniment.engine.review import Review
    from muniment.engine.stats import Stats
    from muniment.engine.views import ConflictView, Curated, Event, History, QueueItem, RevisionView
    from muniment.trust.attribution import AttributionResult

__all__ = [
    "Activity",
    "AttributionResult",
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
    "KnownActor",
    "LedgerFace",
    "LineageNode",
    "LineageView",
    "Memory",
    "Period",
    "Quality",
    "QueueItem",
    "RebuildResult",
    "RecordQuality",
    "Related",
    "Review",
    "RevisionView",
    "SigningKey",
    "Standpoint",
    "Stats",
    "Telling",
    "Tellings",
    "TrimResult",
    "VerificationResult",
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
    "FallView": "engine.impact",
    "Foreseen": "engine.impact",
    "History": "engine.views",
    "Imports": "engine.importing",
    "Insight": "engine.insight",
    "AttributionResult": "trust.attribution",
    "KnownActor": "engine.directory",
    "LedgerFace": "engine.audit",
    "LineageNode": "engine.impact",
    "LineageView": "engine.impact",
    "Memory": "engine.memory",
    "Period": "engine.activity",
    "Quality": "engine.quality",
    "QueueItem": "engine.views",
    "RebuildResult": "engine.audit",
    "RecordQuality": "engine.quality",
    "Related": "engine.entities",
    "Review": "engine.review",
    "RevisionView": "engine.views",
    "SigningKey": "engine.proofs",
    "Standpoint": "engine.impact",
    "Stats": "engine.stats",
    "Telling": "engine.disclosures",
    "Tellings": "engine.disclosures",
    "TrimResult": "engine.audit",
    "VerificationResult": "engine.audit",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"muniment.{_MODULES[name]}"), name)
    globals()[name] = found
    return found
