"""What outcomes do to a belief: two sums of evidence, and the rule that turns them back into one confidence.

The declared confidence is the mean of a Beta prior worth four observations; what was seen since is added to it. The
sums are what travels between systems; the confidence is ours to compute, by a rule that has a name.
"""

from __future__ import annotations

from muniment.model import checks

RULE = "declared-prior-4"
PRIOR_WEIGHT = 4.0
"""How many observations the declared confidence is worth."""


def calibrated(declared: float, helpful: float, misleading: float) -> float:
    """The confidence after outcomes: the mean of Beta(4·declared + helpful, 4·(1 − declared) + misleading).

    Without outcomes it is the declared number itself, to the last bit: nobody's 0.0 becomes a half. A good outcome
    never lowers it and a bad one never raises it.

    >>> calibrated(0.0, 0.0, 0.0), calibrated(0.5, 4.0, 0.0), calibrated(0.6, 0.0, 10.0)
    (0.0, 0.75, 0.171428571)
    """
    checks.unit_interval("confidence", declared)
    if helpful == 0.0 and misleading == 0.0:
        return declared
    seen = helpful + misleading
    return min(1.0, round((PRIOR_WEIGHT * declared + helpful) / (PRIOR_WEIGHT + seen), 9))
