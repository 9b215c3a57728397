"""Which word of the protocol is which of ours, as tables."""

from __future__ import annotations

from muniment.contracts.akashik.words import Detection, DisputeType, UnitStatus, UnitType
from muniment.model.status import Status
from muniment.model.vocabulary import ConflictType, Kind

KIND_OF: dict[UnitType, Kind] = {
    UnitType.FINDING: Kind.FACT,
    UnitType.DECISION: Kind.DECISION,
    UnitType.OBSERVATION: Kind.OBSERVATION,
    UnitType.INTENTION: Kind.INTENTION,
    UnitType.ASSUMPTION: Kind.ASSUMPTION,
    UnitType.CONSTRAINT: Kind.CONSTRAINT,
    UnitType.QUESTION: Kind.QUESTION,
    UnitType.CONTRADICTION: Kind.CONFLICT,
    UnitType.SYNTHESIS: Kind.SYNTHESIS,
    UnitType.CORRECTION: Kind.CORRECTION,
    UnitType.HUMAN_DIRECTIVE: Kind.DIRECTIVE,
}
TYPE_OF: dict[Kind, UnitType] = {
    **{kind: word for word, kind in KIND_OF.items()},
    Kind.PREFERENCE: UnitType.OBSERVATION,
    Kind.RISK: UnitType.OBSERVATION,
    Kind.PROCEDURE: UnitType.FINDING,
    Kind.HYPOTHESIS: UnitType.ASSUMPTION,
    Kind.EVIDENCE: UnitType.FINDING,
    Kind.DEPRECATION: UnitType.CORRECTION,
}
"""The nearest type for each kind. A preference never becomes a directive: that would give it more weight."""

STATUS_OF: dict[UnitStatus, Status] = {
    UnitStatus.ACTIVE: Status.ACTIVE,
    UnitStatus.DRAFT: Status.DRAFT,
    UnitStatus.SUPERSEDED: Status.SUPERSEDED,
    UnitStatus.RETRACTED: Status.RETRACTED,
    UnitStatus.CONTESTED: Status.CONTESTED,
    UnitStatus.PENDING_ENRICHMENT: Status.ACTIVE,
}
TOLD_AS: dict[Status, UnitStatus] = {
    Status.PROPOSED: UnitStatus.DRAFT,
    Status.HELD: UnitStatus.DRAFT,
    Status.DRAFT: UnitStatus.DRAFT,
    Status.ACTIVE: UnitStatus.ACTIVE,
    Status.CONTESTED: UnitStatus.CONTESTED,
    Status.SUPERSEDED: UnitStatus.SUPERSEDED,
    Status.DEPRECATED: UnitStatus.SUPERSEDED,
    Status.EXPIRED: UnitStatus.SUPERSEDED,
    Status.ARCHIVED: UnitStatus.SUPERSEDED,
    Status.RETRACTED: UnitStatus.RETRACTED,
    Status.DISCARDED: UnitStatus.RETRACTED,
    Status.ERASED: UnitStatus.RETRACTED,
}
"""What does not speak for now is never told as live, whatever it is called there."""

DISPUTE_OF: dict[ConflictType, DisputeType] = {
    ConflictType.CONTRADICTION: DisputeType.FACTUAL,
    ConflictType.UPDATE: DisputeType.FACTUAL,
    ConflictType.DUPLICATE: DisputeType.INTERPRETIVE,
}
STRATEGIC_KINDS = frozenset({Kind.DECISION, Kind.INTENTION, Kind.DIRECTIVE, Kind.PROCEDURE, Kind.CONSTRAINT})
"""Two of these that disagree are incompatible actions, not opposing facts."""

DETECTED_BY: dict[str, Detection] = {
    "contradicts": Detection.EXPLICIT,
    "reviewer": Detection.EXPLICIT,
    "slot": Detection.LOGICAL,
}
"""How a conflict was found, by the reason our detector gives; every other is found by wording."""
