"""Things that count: counters, gauges and histograms, each a set of series told apart by labels."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable

from muniment.model.value import Value

SERIES_MAX = 1_000
OTHER = "other"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

Labels = tuple[tuple[str, str], ...]
Mirror = Callable[[float, Labels], None]
"""Whoever else wants each value as it is measured."""


class Sample(Value):
    """One value of one series. `suffix` is what its name has after the name of its family."""

    labels: Labels
    value: float
    suffix: str = ""


class Family(Value):
    """Every sample of one name."""

    name: str
    kind: str
    meaning: str
    samples: tuple[Sample, ...]


class Series:
    """What every instrument has: a name, a meaning, labels, and a bound on how many series it keeps. Beyond it, what
    is new is counted as `other`: a stranger who invents names cannot fill the memory."""

    def __init__(self, name: str, meaning: str, labels: tuple[str, ...] = ()) -> None:
        self.name = name
        self.meaning = meaning
        self.mirror: Mirror | None = None
        self._labels = labels
        self._lock = threading.Lock()

    def labelled(self, values: tuple[str, ...]) -> Labels:
        return tuple(zip(self._labels, values, strict=True))

    def _known(self, values: tuple[str, ...], number: int) -> tuple[str, ...]:
        """Under what a series that is not there yet is counted, when there are so many."""
        return values if number < SERIES_MAX else (OTHER,) * len(self._labels)


class Counter(Series):
    """A sum that only grows."""

    def __init__(self, name: str, meaning: str, labels: tuple[str, ...] = ()) -> None:
        super().__init__(name, meaning, labels)
        self._sums: dict[tuple[str, ...], float] = {}

    def add(self, *values: str, amount: float = 1.0) -> None:
        self.add_all((values,), amount=amount)

    def add_all(self, many: Iterable[tuple[str, ...]], *, amount: float = 1.0) -> None:
        """Count several at once, under one lock."""
        sums, mirror = self._sums, self.mirror
        with self._lock:
            for values in many:
                known = values if values in sums else self._known(values, len(sums))
                sums[known] = sums.get(known, 0.0) + amount
                if mirror is not None:
                    mirror(amount, self.labelled(known))

    def family(self) -> Family:
        with self._lock:
            sums = sorted(self._sums.items())
        samples = tuple(Sample(labels=self.labelled(values), value=total) for values, total in sums)
        return Family(name=self.name, kind="counter", meaning=self.meaning, samples=samples)


class Gauge(Series):
    """A figure that goes up and down as things begin and end."""

    def __init__(self, name: str, meaning: str, labels: tuple[str, ...] = ()) -> None:
        super().__init__(name, meaning, labels)
        self._values: dict[tuple[str, ...], float] = {}

    def move(self, *values: str, by: float) -> None:
        with self._lock:
            if values not in self._values:
                values = self._known(values, len(self._values))
            self._values[values] = self._values.get(values, 0.0) + by
        if self.mirror is not None:
            self.mirror(by, self.labelled(values))

    def family(self) -> Family:
        with self._lock:
            now = sorted(self._values.items())
        samples = tuple(Sample(labels=self.labelled(values), value=value) for values, value in now)
        return Family(name=self.name, kind="gauge", meaning=self.meaning, samples=samples)


class _Spread:
    """How many values fell into each bucket, and their sum."""

    __slots__ = ("counts", "total")

    def __init__(self, buckets: int) -> None:
        self.counts = [0] * (buckets + 1)
        self.total = 0.0


class Histogram(Series):
    """How values are spread over buckets. Without buckets: how many there were, and their sum."""

    def __init__(
        self, name: str, meaning: str, labels: tuple[str, ...] = (), buckets: tuple[float, ...] = SECONDS
    ) -> None:
        super().__init__(name, meaning, labels)
        self._buckets = buckets
        self._spreads: dict[tuple[str, ...], _Spread] = {}

    def observe(self, value: float, *values: str) -> None:
        self.observe_all(((value, values),))

    def observe_all(self, many: Iterable[tuple[float, tuple[str, ...]]]) -> None:
        """Take several values at once, under one lock."""
        spreads, buckets, mirror = self._spreads, self._buckets, self.mirror
        with self._lock:
            for value, values in many:
                known = values if values in spreads else self._known(values, len(spreads))
                spread = spreads.get(known)
                if spread is None:
                    spread = spreads[known] = _Spread(len(buckets))
                spread.counts[bisect_left(buckets, value)] += 1
                spread.total += value
                if mirror is not None:
                    mirror(value, self.labelled(known))

    def family(self) -> Family:
        with self._lock:
            kept = [(values, tuple(one.counts), one.total) for values, one in sorted(self._spreads.items())]
        samples = tuple(sample for values, counts, total in kept for sample in self._samples(values, counts, total))
        kind = "histogram" if self._buckets else "summary"
        return Family(name=self.name, kind=kind, meaning=self.meaning, samples=samples)

    def _samples(self, values: tuple[str, ...], counts: tuple[int, ...], total: float) -> Iterable[Sample]:
        labels, below = self.labelled(values), 0
        for bound, count in zip(self._buckets, counts, strict=False):
            below += count
            yield Sample(suffix="_bucket", labels=(*labels, ("le", f"{bound:g}")), value=below)
        if self._buckets:
            yield Sample(suffix="_bucket", labels=(*labels, ("le", "+Inf")), value=sum(counts))
        yield Sample(suffix="_sum", labels=labels, value=total)
        yield Sample(suffix="_count", labels=labels, value=sum(counts))
