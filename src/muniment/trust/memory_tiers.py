"""Which tier a record belongs in: a table of single steps, and the two ways of taking them.

A tier says how near at hand a record is kept. It is not a standing: no step makes a record more true, nor hides it
from anybody who may read it.
"""

from __future__ import annotations

import math

from muniment.model import checks
from muniment.model.value import Value
from muniment.model.vocabulary import Tier

HOURS_A_DAY = 24.0
ACCESS_BONUS = 0.15
ACCESSES_FULL = 10


class TierStep(Value):
    """One step between neighbours, taken when every bound holds. `importance` here has the bonus of use in it."""

    start: Tier
    end: Tier
    importance_min: float = 0.0
    importance_below: float = math.inf
    age_min_hours: float = 0.0
    idle_min_hours: float = 0.0
    idle_max_hours: float = math.inf
    accesses_min: int = 0
    anchored_too: bool = True


MOVES: tuple[TierStep, ...] = (
    TierStep(start=Tier.WORKING, end=Tier.SESSION, importance_min=0.35, age_min_hours=0.5),
    TierStep(start=Tier.SESSION, end=Tier.LONGTERM, importance_min=0.5, age_min_hours=HOURS_A_DAY),
    TierStep(
        start=Tier.LONGTERM,
        end=Tier.ARCHIVE,
        importance_below=0.3,
        idle_min_hours=90 * HOURS_A_DAY,
        anchored_too=False,
    ),
    TierStep(
        start=Tier.ARCHIVE,
        end=Tier.LONGTERM,
        importance_min=0.4,
        idle_max_hours=7 * HOURS_A_DAY,
        accesses_min=1,
    ),
)
"""Every step there is. The first two follow the reference engine's thresholds.

The way into the archive and the way back leave a gap between them, in importance (0.3 and 0.4) and in idleness
(ninety days and seven), so that a record at the border does not go to and fro. The way back needs a use, because a
record that was archived when it came in was never idle and yet has not been asked for. What is anchored is not
archived.
"""


def next_tier(
    tier: Tier, *, importance: float, age_hours: float, idle_hours: float, accesses: int, anchored: bool
) -> Tier:
    """The tier after one pass: the one it is in, or a neighbour. `idle_hours` count from the last use or the making.

    >>> next_tier(Tier.WORKING, importance=0.9, age_hours=48, idle_hours=48, accesses=0, anchored=False).value
    'session'
    """
    checks.word("tier", tier, Tier)
    checks.unit_interval("importance", importance)
    checks.number("age_hours", age_hours)
    checks.number("idle_hours", idle_hours)
    checks.whole("accesses", accesses, least=0, most=2**63 - 1)
    checks.flag("anchored", anchored)
    weight = used_importance(importance, accesses)
    for move in MOVES:
        if (
            move.start is tier
            and move.importance_min <= weight < move.importance_below
            and move.age_min_hours <= max(age_hours, 0.0)
            and move.idle_min_hours <= max(idle_hours, 0.0) <= move.idle_max_hours
            and move.accesses_min <= accesses
            and (move.anchored_too or not anchored)
        ):
            return move.end
    return tier


def settled_tier(
    tier: Tier, *, importance: float, age_hours: float, idle_hours: float, accesses: int, anchored: bool
) -> Tier:
    """The tier after as many passes as move anything at this clock, for a record that missed some.

    No two steps of the table can undo each other at one clock, so there are fewer passes than steps.
    """
    for _ in MOVES:
        after = next_tier(
            tier,
            importance=importance,
            age_hours=age_hours,
            idle_hours=idle_hours,
            accesses=accesses,
            anchored=anchored,
        )
        if after is tier:
            break
        tier = after
    return tier


def used_importance(importance: float, accesses: int) -> float:
    """Importance with the bonus of use, at most 0.15 and full at ten uses: popular, and no more than that.

    >>> used_importance(0.25, 0), used_importance(0.25, 10), used_importance(0.25, 1_000_000)
    (0.25, 0.4, 0.4)
    """
    return min(1.0, importance + ACCESS_BONUS * min(accesses, ACCESSES_FULL) / ACCESSES_FULL)
