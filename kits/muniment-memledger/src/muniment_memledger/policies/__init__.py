"""Confidence gate, access rules, conflict check and decay."""

from muniment_memledger.policies.confidence_policy import ConfidencePolicy, apply_confidence_gating
from muniment_memledger.policies.conflict_resolution import ConflictResult, PositionBiasTracker, check_conflict
from muniment_memledger.policies.namespace_rbac import (
    AccessDecision,
    AccessRule,
    NamespacePolicy,
    NamespaceRBAC,
)
from muniment_memledger.policies.temporal_decay import TemporalDecayPolicy

__all__ = [
    "AccessDecision",
    "AccessRule",
    "ConfidencePolicy",
    "ConflictResult",
    "NamespacePolicy",
    "NamespaceRBAC",
    "PositionBiasTracker",
    "TemporalDecayPolicy",
    "apply_confidence_gating",
    "check_conflict",
]
