"""How present a record still is, and what that may do to its rank. Computed when asked, never stored.

Fading ranks; it never hides, deletes or makes a claim less true. Knows no record and reads no clock.
"""

from __future__ import annotations

import math

from muniment.model import checks
from muniment.model.errors import Malformed
from muniment.model.times import HOUR, Instant

ANCHOR_FLOOR = 0.5
"""An anchored record stays at least this present, however long nobody asked for it."""

WEIGHT = 0.3
"""The share of a score that fading can take away. A good match that is old stays ahead of a poor one that is new."""


def retrievability(*, half_life_hours: float | None, anchored: bool, since: Instant, now: Instant) -> float:
    """2^(−elapsed / half-life), from 1 just after `since`, the last use or else the making, towards 0.

    A record without a half-life does not fade. A clock that ran backwards counts as no time at all, so that a wrong
    clock cannot make a record more than present. Because it is computed from the instant of last use and nothing is
    carried forward, looking in between changes nothing: to `t1` and then to `t2` is the same as to `t2`.

    >>> day = 24 * HOUR
    >>> retrievability(half_life_hours=24.0, anchored=False, since=Instant(0), now=Instant(3 * day))
    0.125
    >>> retrievability(half_life_hours=24.0, anchored=True, since=Instant(0), now=Instant(3 * day))
    0.5
    """
    checks.flag("anchored", anchored)
    checks.instant("since", since)
    checks.instant("now", now)
    if half_life_hours is None:
        return 1.0
    checks.positive("half_life_hours", half_life_hours)
    elapsed_hours = max(0, now - since) / HOUR
    present = math.exp2(-elapsed_hours / half_life_hours)
    return max(present, ANCHOR_FLOOR) if anchored else present


def faded(score: float, retrievability: float) -> float:
    """A score as it ranks: score · (1 − 0.3 · (1 − retrievability)). Higher in either is never lower here.

    >>> faded(2.0, 1.0), faded(2.0, 0.0)
    (2.0, 1.4)
    """
    checks.number("score", score)
    if score < 0:
        raise Malformed("score", "a number that is not below 0")
    checks.unit_interval("retrievability", retrievability)
    return score * (1.0 - WEIGHT * (1.0 - retrievability))
