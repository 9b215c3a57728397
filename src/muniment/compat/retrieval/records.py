"""The runtime layer's record and candidate: what is remembered, and what somebody wants remembered."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from muniment.compat.retrieval import checks, messages
from muniment.contracts.retrieval.words import UNKNOWN, trust_of
from muniment.model.times import Instant
from muniment.model.vocabulary import TrustLevel

APPEND, REPLACE = "append", "replace"
_SAID = ("tenant_id", "memory_class", "kind", "content", "source", "provenance")


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """One remembered thing. Checks and trims itself when it is made, and never changes.

    The last four are ours: when it was made and until when it is kept, how far it is trusted if that was said, and
    the records it was derived from.
    """

    memory_id: str
    tenant_id: str
    memory_class: str
    kind: str
    content: str
    source: str
    confidence: float
    provenance: str = UNKNOWN
    revision: int = 1
    created_at: Instant | None = None
    expires_at: Instant | None = None
    trust_level: TrustLevel | None = None
    derived_from: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        for name in ("memory_id", *_SAID):
            must, needed = messages.RECORD_TEXT.format(field=name), messages.RECORD_REQUIRED.format(field=name)
            object.__setattr__(self, name, checks.text(getattr(self, name), must=must, needed=needed))
        score = checks.fraction(self.confidence, must=messages.RECORD_NUMBER, within=messages.RECORD_RANGE)
        object.__setattr__(self, "confidence", score)
        checks.whole(self.revision, least=1, must=messages.RECORD_INTEGER, within=messages.RECORD_POSITIVE)

    @property
    def trust(self) -> TrustLevel:
        """How far it is trusted: as was said, else by its source and its confidence."""
        return self.trust_level if self.trust_level is not None else trust_of(self.source, self.confidence)

    @property
    def chain(self) -> tuple[str, str, str]:
        """What its revisions are counted by."""
        return (self.tenant_id, self.memory_class, self.kind)


@dataclass(frozen=True, slots=True)
class MemoryCandidate:
    """What somebody wants remembered. Checked when it is persisted, not before. The last two are ours: the records it
    was derived from, and whether its maker says that it would change rules, permissions or routing."""

    tenant_id: str
    memory_class: str
    kind: str
    content: str
    source: str
    confidence: float
    provenance: str
    revision_mode: str = "append"
    derived_from: tuple[str, ...] = field(default=())
    policy_influence: bool = False


def checked(candidate: object) -> MemoryCandidate:
    """A candidate that may be decided on: trimmed, and with nothing wrong in it. Of several faults the first is told,
    in the published order: the texts, the mode, the confidence."""
    if not isinstance(candidate, MemoryCandidate):
        raise TypeError(messages.STORE_CANDIDATE)
    tenant, class_, kind, content, source, provenance = (_said(candidate, name) for name in _SAID)
    return replace(
        candidate,
        tenant_id=tenant,
        memory_class=class_,
        kind=kind,
        content=content,
        source=source,
        provenance=provenance,
        revision_mode=_mode(candidate.revision_mode),
        confidence=checks.fraction(
            candidate.confidence, must=messages.CANDIDATE_NUMBER, within=messages.CANDIDATE_RANGE
        ),
    )


def _said(candidate: MemoryCandidate, name: str) -> str:
    must, needed = messages.CANDIDATE_TEXT.format(field=name), messages.CANDIDATE_REQUIRED.format(field=name)
    return checks.text(getattr(candidate, name), must=must, needed=needed)


def _mode(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(messages.CANDIDATE_MODE_TEXT)
    mode = value.strip()
    if mode not in (APPEND, REPLACE):
        raise ValueError(messages.CANDIDATE_MODE.format(revision_mode=mode))
    return mode
