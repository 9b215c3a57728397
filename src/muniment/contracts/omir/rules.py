"""The rules by which confidence in our bundles comes about: their ids, and what the counts make of it.

How a whole resource evolves by these rules is in the kit `omir-conformance`; no bundle we write needs it.
"""

from __future__ import annotations

HALF_LIFE_RULES = "urn:muniment:omir:rules:half-life:1"
VELD_RULES = "urn:muniment:omir:rules:veld:1"
_TOLERANCE = 1e-9


def calibrated(alpha: float, beta: float) -> float:
    """How sure the counts make one: their mean.

    >>> calibrated(3, 1)
    0.75
    """
    return alpha / (alpha + beta)


def plausible(score: float, alpha: float, beta: float) -> bool:
    """Whether a calibrated value lies between one half and the mean of its counts."""
    mean = alpha / (alpha + beta)
    return min(0.5, mean) - _TOLERANCE <= score <= max(0.5, mean) + _TOLERANCE
