"""Counts of what instances were asked."""

from muniment_memledger.telemetry.instrument import instrument, metrics, reset_metrics, setup_telemetry
from muniment_memledger.telemetry.phoenix import log_evaluation

__all__ = ["instrument", "log_evaluation", "metrics", "reset_metrics", "setup_telemetry"]
