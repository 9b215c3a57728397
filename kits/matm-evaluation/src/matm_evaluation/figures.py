"""The figures of the profile's evaluation as pure definitions. Nothing here looks at a store, a clock or a label it was
not handed; a share of nothing is None, never 0 or 1."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from collections.abc import Set as AbstractSet

from muniment.model.value import Value

ADMITTING = frozenset({"append", "update", "deprecate", "conflict"})
"""The dispositions after which something new speaks."""

Pair = frozenset[str]


class Figure(Value):
    """One measured number. `value` is None where there was nothing to measure; `how` says what was counted."""

    family: str
    name: str
    value: float | None
    unit: str
    how: str


class Retrieved(Value):
    """One event, the scope it belongs to, and the scopes it was found in."""

    event: str
    own: str
    found_in: tuple[str, ...]


class Matched(Value):
    """How well what was found fits what should have been. None where there was nothing to measure."""

    precision: float | None
    recall: float | None

    @property
    def f1(self) -> float | None:
        """The harmonic mean; 0 when one of them is."""
        if self.precision is None or self.recall is None:
            return None
        whole = self.precision + self.recall
        return 2 * self.precision * self.recall / whole if whole else 0.0


class Errors(Value):
    """How often a curator was wrong: bad events let in, of all bad ones; good events turned away, of all good ones."""

    false_admission: float | None
    false_rejection: float | None


def share(part: int, whole: int) -> float | None:
    """A part of a whole; of nothing there is no share.

    >>> share(1, 4), share(0, 0)
    (0.25, None)
    """
    return part / whole if whole else None


def routing_accuracy(decided: Sequence[tuple[str, str]]) -> float | None:
    """The share of events whose disposition, and scope if one is named, equals the label. Pairs of decided and gold."""
    return share(sum(1 for ours, gold in decided if ours == gold), len(decided))


def leak_rate(events: Sequence[Retrieved]) -> float | None:
    """The share of events that were retrieved in a scope other than their own."""
    return share(sum(1 for one in events if any(where != one.own for where in one.found_in)), len(events))


def evidence_sufficiency(sufficient: Sequence[bool]) -> float | None:
    """The share of durable entries with sufficient evidence."""
    return share(sum(sufficient), len(sufficient))


def redundancy(entries: Iterable[Hashable]) -> float | None:
    """The share of entries equivalent to an earlier one; equal keys are equivalent entries."""
    keys = list(entries)
    return share(len(keys) - len(set(keys)), len(keys))


def matched(found: AbstractSet[Hashable], gold: AbstractSet[Hashable]) -> Matched:
    """Precision and recall of what was found against what should have been."""
    both = len(found & gold)
    return Matched(precision=share(both, len(found)), recall=share(both, len(gold)))


def curator_errors(decided: Sequence[tuple[str, str]]) -> Errors:
    """False admission and false rejection. Pairs of disposition and gold disposition."""
    bad = [ours for ours, gold in decided if gold not in ADMITTING]
    good = [ours for ours, gold in decided if gold in ADMITTING]
    return Errors(
        false_admission=share(sum(1 for ours in bad if ours in ADMITTING), len(bad)),
        false_rejection=share(sum(1 for ours in good if ours not in ADMITTING), len(good)),
    )


def percentile(values: Sequence[float], percent: float) -> float | None:
    """The nearest-rank percentile: the smallest value that at least so many percent do not exceed.

    >>> percentile([4.0, 1.0, 3.0, 2.0], 50), percentile([], 95)
    (2.0, None)
    """
    if not values:
        return None
    ordered = sorted(values)
    rank = max(1, math.ceil(percent / 100 * len(ordered)))
    return ordered[rank - 1]
