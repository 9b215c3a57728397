"""The words of MATM: schema ids, closed vocabularies, and the names that may not stand in any document."""

from __future__ import annotations

import re
from typing import Literal

EVENT = "llmwikis.matm.memory-event.v1"
RECORD = "llmwikis.matm.memory-record.v1"
REPORT = "llmwikis.matm.curation-report.v1"
DIRECTORY = "llmwikis.matm.directory.v1"
REQUEST = "llmwikis.matm.retrieval-request.v1"
RESPONSE = "llmwikis.matm.retrieval-response.v1"

PROPOSAL_ONLY = "proposal_only"

Kind = Literal[
    "fact", "decision", "preference", "risk", "procedure", "hypothesis", "evidence", "deprecation", "conflict"
]
StoredScope = Literal[
    "session", "project", "agent_team", "agent_repo", "x_user_identity", "x_organization", "x_cross_organization"
]
SuggestedScope = Literal[
    "session",
    "project",
    "agent_team",
    "agent_repo",
    "discard",
    "x_user_identity",
    "x_organization",
    "x_cross_organization",
]
Disposition = Literal["append", "update", "deprecate", "conflict", "discard"]
Decision = Literal["append", "update", "deprecate", "conflict", "discard", "hold"]
Sensitivity = Literal["public", "internal", "private", "confidential", "secret"]
ConfidenceWord = Literal["low", "medium", "high"]
Lifetime = Literal["durable", "until_milestone", "session", "discard"]
RecordStatus = Literal[
    "reviewed", "current", "hypothesis", "conflicted", "deprecated", "quarantined", "review_pending", "discarded"
]
StepName = Literal[
    "schema_admission",
    "safety_redaction",
    "source_provenance",
    "scope_routing",
    "kind_classification",
    "evidence_sufficiency",
    "dedupe_idempotency",
    "conflict_analysis",
    "disposition_audit",
]
StepResult = Literal["passed", "changed", "flagged", "refused", "not_run"]
AbstainReason = Literal[
    "missing_authorization",
    "weak_evidence",
    "only_hypotheses",
    "stale_or_deprecated_only",
    "unresolved_conflict",
    "cross_scope_risk",
    "nothing_found",
]
NoticeKind = Literal["conflict", "deprecation", "evidence", "expiry", "other"]

CONFIDENCE: dict[str, float] = {"low": 0.3, "medium": 0.6, "high": 0.9}
"""What a confidence in words counts for."""

EXTENSION_NAME = r"^x_[a-z0-9_]+$"
"""How a field that is not in a schema must be named to stand at the top of a document."""

DIRECT_WRITE = frozenset({"durable_write_allowed", "durable_write", "direct_durable_write", "durable_write_performed"})
"""Names under which `true` claims that something was written, or may be."""

_CREDENTIAL = re.compile(
    r"(?:.*_)?(?:password|passwd|passphrase|secret_key|client_secret|app_secret|api_secret|api_?key|access_?key"
    r"|private_?key|signing_key|encryption_key|api_?token|access_?token|auth_?token|bearer_?token|refresh_?token"
    r"|session_?token)|secrets?|credentials?",
    re.ASCII,
)


def names_a_credential(name: str) -> bool:
    """Whether a plain name is one under which a credential would stand.

    >>> names_a_credential("api_key"), names_a_credential("db_password"), names_a_credential("secretary")
    (True, True, False)
    """
    return _CREDENTIAL.fullmatch(name) is not None
