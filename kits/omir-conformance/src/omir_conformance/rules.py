"""Two sets of rules by which memories evolve, as numbers and pure functions. OMIR fixes the state and not the rule, so
whoever writes the numbers says by which rule: each set has an id, and our exports name it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from omir_conformance.instants import WrongValue, unit_interval

PRIOR = 1.0
"""Both counts begin at one: Beta(1, 1), nothing known."""

_DAY_HOURS = 24.0
_TOLERANCE = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class Move:
    """One step between neighbouring tiers: what a record must weigh and how old or idle it must be."""

    start: str
    end: str
    importance_min: float = 0.0
    importance_below: float = math.inf
    age_min_s: float = 0.0
    idle_min_s: float = 0.0
    anchored_too: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Rules:
    """A set of rules. `shrink` is how many observations it takes until the calibrated value is the mean (0: it always
    is); `floor` is how present an anchored record stays; `gain` and `fade_per_hour` move the strength of a relation,
    which never falls below `strength_floor`."""

    id: str
    shrink: float
    half_life_hours: float | None
    floor: float
    gain: float
    fade_per_hour: float
    moves: tuple[Move, ...]
    strength_floor: float = 0.01


_RISE = (
    Move(start="working", end="session", importance_min=0.35, age_min_s=1_800),
    Move(start="session", end="longterm", importance_min=0.5, age_min_s=86_400),
)

HALF_LIFE = Rules(
    id="urn:muniment:omir:rules:half-life:1",
    shrink=0.0,
    half_life_hours=720.0,
    floor=0.5,
    gain=0.25,
    fade_per_hour=math.log(2) / 720.0,
    moves=(
        *_RISE,
        Move(start="longterm", end="archive", importance_below=0.3, idle_min_s=90 * 86_400, anchored_too=False),
    ),
)
"""Presence halves with every half-life, 30 days where none is given; the calibrated value is the mean of the counts."""

VELD = Rules(
    id="urn:muniment:omir:rules:veld:1",
    shrink=8.0,
    half_life_hours=None,
    floor=0.5,
    gain=0.25,
    fade_per_hour=0.029,
    moves=_RISE,
)
"""What the reference engine is seen to do: a curve over days, a calibrated value that leans to one half until there are
eight observations, no way into the archive. Relations gain and fade as those of its first tier do."""

RULE_SETS = {rules.id: rules for rules in (HALF_LIFE, VELD)}


def calibrated(alpha: float, beta: float, rules: Rules = HALF_LIFE) -> float:
    """How sure the counts make one, by a set of rules.

    >>> calibrated(7, 2, VELD) == 0.5 * 0.125 + 7 / 9 * 0.875, calibrated(3, 1)
    (True, 0.75)
    """
    mean = alpha / (alpha + beta)
    if rules.shrink == 0.0:
        return mean
    weight = min(max((alpha + beta - 2 * PRIOR) / rules.shrink, 0.0), 1.0)
    return (1.0 - weight) * 0.5 + weight * mean


def plausible(score: float, alpha: float, beta: float) -> bool:
    """Whether a calibrated value lies between one half and the mean of its counts."""
    mean = alpha / (alpha + beta)
    return min(0.5, mean) - _TOLERANCE <= score <= max(0.5, mean) + _TOLERANCE


def present(elapsed_hours: float, half_life_hours: float) -> float:
    """What is left after so many hours. A clock that ran backwards counts as no time.

    >>> present(24, 24), present(72, 24), present(-5, 24)
    (0.5, 0.125, 1.0)
    """
    return math.exp2(-max(0.0, elapsed_hours) / half_life_hours)


def curve(days: float, *, potentiated: bool = False) -> float:
    """What is left after so many days by the curve of the reference engine: quick at first, then by a power of time
    with slow waves in it, so that it may rise a little.

    >>> round(curve(1), 4), round(curve(7), 4), round(curve(30, potentiated=True), 4)
    (0.5001, 0.0772, 0.1799)
    """
    rate, power = (0.3465, 0.3) if potentiated else (0.693, 0.5)
    if days < 3.0:
        return math.exp(-rate * max(0.0, days))
    waves = sum(math.cos(2 * math.pi * math.log(days) / math.log(period)) for period in (7, 30, 365))
    blend = min((days - 3.0) / 3.0, 1.0)
    return math.exp(-rate * 3.0) * math.pow(days / 3.0, -power) * (1.0 + blend * 0.15 * waves)


def fade(strength: float, hours: float, rules: Rules = HALF_LIFE) -> float:
    """The strength of a relation that was not used for so many hours. It does not fall below the floor, and what is
    below it already stays."""
    unit_interval("strength", strength)
    left = strength * math.exp(-rules.fade_per_hour * max(0.0, hours))
    return max(left, min(strength, rules.strength_floor))


def strengthen(strength: float, rules: Rules = HALF_LIFE) -> float:
    """The strength of a relation after both of its ends were active together: a share of what is missing is gained."""
    unit_interval("strength", strength)
    return strength + rules.gain * (1.0 - strength)


def rules_of(name: str) -> Rules:
    """The set of rules of that id."""
    found = RULE_SETS.get(name)
    if found is None:
        raise WrongValue("rules", "one of " + ", ".join(RULE_SETS))
    return found


def presence(days: float, rules: Rules, half_life_hours: float | None) -> float:
    """What is left after so many days by a set of rules; one that the record names wins."""
    half_life = half_life_hours if half_life_hours is not None else rules.half_life_hours
    return curve(days) if half_life is None else present(days * _DAY_HOURS, half_life)
