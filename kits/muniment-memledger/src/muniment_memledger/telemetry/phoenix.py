"""The name memledger logs evaluations under. Nothing is sent from here."""

from __future__ import annotations

from muniment.contracts.strict.values import JsonObject


def log_evaluation(
    name: str,
    score: float,
    *,
    label: str | None = None,
    explanation: str | None = None,
    span_id: str | None = None,
    annotator_kind: str = "CODE",
    metadata: JsonObject | None = None,
) -> bool:
    """Whether an evaluation was sent to a Phoenix server. There is no client for one here, so it never is."""
    return False
