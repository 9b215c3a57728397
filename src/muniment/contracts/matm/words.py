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
SUGGESTED_SCOPE = r"^(session|project|agent_team|agent_repo|discard|x_[a-z0-9_]+)$"
"""The scopes an event may suggest: the four, the sink, and any of the namespace for extensions."""
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

DIRECT_WRITE = frozenset(
    {
        *("durable_write_allowed", "durable_write", "direct_durable_write", "durable_write_performed", "direct_write"),
        *("durable_write_completed", "durable_write_state", "direct_write_allowed", "durably_written"),
    }
)
"""Names under which anything but a "no" claims that something was written, or may be."""

SAYS_NO = frozenset({"no", "none", "false", "never", "denied", "not_allowed", PROPOSAL_ONLY})

PRIVATE_THOUGHT = frozenset(
    {
        *("internal_monologue", "thinking", "thought_process", "reasoning_trace", "reasoning_content", "raw_reasoning"),
        *("hidden_thinking", "private_thinking", "hidden_thought", "private_thought", "inner_thought"),
        *("internal_thought", "hidden_chain_of_thought", "private_chain_of_thought"),
    }
)
"""Names of private thought that are refused here besides those that are refused everywhere."""

_CREDENTIAL = re.compile(
    r"(?:.*_)?(?:password|passwd|passphrase|secret_key|client_secret|app_secret|api_secret|api_?key|access_?key(?:_id)?"
    r"|private_?key|ssh_key|signing_key|encryption_key"
    r"|(?:api|access|auth|bearer|refresh|session|oauth|id|github|gitlab|slack|npm|pypi)_?token)(?:_?[0-9]+)?"
    r"|secrets?|credentials?|pwd|token|jwt|bearer",
    re.ASCII,
)


def names_a_credential(name: str) -> bool:
    """Whether a plain name is one under which a credential would stand.

    >>> [names_a_credential(name) for name in ("api_key", "db_password", "github_token", "secretary", "token_count")]
    [True, True, True, False, False]
    """
    return _CREDENTIAL.fullmatch(name.removeprefix("x_")) is not None


_SHAPES = (
    ("private key", re.compile(r"-----BEGIN [A-Z0-9 ]{0,64}PRIVATE KEY")),
    ("code host token", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{20,})")),
    ("API key", re.compile(r"\bsk[-_][A-Za-z0-9_-]{20,}")),
    ("cloud API key", re.compile(r"\bAIza[0-9A-Za-z_-]{30,}")),
    ("cloud access key", re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    ("service account", re.compile(r"[a-z0-9-]@[a-z0-9-]+\.iam\.gserviceaccount\.com\b", re.IGNORECASE)),
    ("signed token", re.compile(r"\beyJ[A-Za-z0-9_-]{8,2048}+\.[A-Za-z0-9_-]{8,2048}+\.[A-Za-z0-9_-]{8}")),
)


def credential_in(text: str) -> str | None:
    """What sort of credential a text looks as if it held, by the shapes that are known.

    >>> credential_in("deploy with AKIAIOSFODNN7EXAMPLE today"), credential_in("deploy with care")
    ('cloud access key', None)
    """
    return next((sort for sort, shape in _SHAPES if shape.search(text) is not None), None)
