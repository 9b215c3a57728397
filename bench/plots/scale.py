"""How long recall takes by the size of the store, on a logarithmic axis."""

from __future__ import annotations

import math

from bench.plots.draw import (
    DARK,
    PAPER,
    RED,
    SOFT,
    WIDTH,
    LogAxis,
    Place,
    dot,
    figure,
    line,
    picture,
    short,
    taken,
    text,
)
from muniment.model.value import Value

TIMINGS = {
    "recall": ("recall", ""),
    "recall, narrow filter": ("recall,", "narrow"),
    "by words only": ("words", ""),
    "by words only, narrow filter": ("words,", "narrow"),
    "recall, 50 tenants open": ("50", "open"),
    "open, recall, close": ("cold", ""),
}
"""What bench.scale times, and the two lines below each."""


class Timing(Value):
    """How long one way of asking one store took, and the gate its p95 is held to."""

    way: str
    p50: float
    p95: float
    gate: float | None

    @property
    def spoken(self) -> str:
        gate = "" if self.gate is None else f" with a gate of {self.gate:g}"
        return f"{self.way}: p50 {short(self.p50)}, p95 {short(self.p95)}{gate}"


LOW_Y, HIGH_Y = 360, 76


def scale_picture(found: Place) -> str:
    """For each store and way of asking a stroke from p50 to p95, and the gate across it."""
    stores = _timings(found.at("figures"))
    known = [timing for timings in stores.values() for timing in timings]
    if not known:
        raise found.at("figures").wrong("at least one timing: a name that ends in p50")
    values = [value for one in known for value in (one.p50, one.p95, one.gate) if value is not None]
    axis = LogAxis.around(values, LOW_Y, HIGH_Y)
    drawn = [*_milliseconds(axis), *_timing_legend()]
    column = min((WIDTH - 90 - 20 * len(stores)) / len(known), 110)
    x = 70 + (WIDTH - 90 - 20 * len(stores) - column * len(known)) / 2
    told = []
    for name, timings in stores.items():
        drawn += _store(name, timings, axis, x, column)
        told.append(f"{name}: {'; '.join(timing.spoken for timing in timings)}.")
        x += column * len(timings) + 20
    notes = [
        "The whole of a recall with policy, filter, gate and receipt on disk.",
        "The question's vector is looked up, not made by a model.",
        f"{taken(found.at('machine'))}, seed {found.at('seed').number():.0f}",
    ]
    return picture(LOW_Y + 118, "Recall by size of store", f"In milliseconds. {' '.join(told)}", drawn, notes)


def _timings(figures: Place) -> dict[str, list[Timing]]:
    """By store, in the order in which they were measured."""
    stores: dict[str, list[Timing]] = {}
    for key in figures.names:
        store, _, way = key.removesuffix(" p50").partition(": ")
        if not key.endswith(" p50"):
            continue
        if way not in TIMINGS:
            raise figures.at(key).wrong(f"a store and one of: {'; '.join(TIMINGS)}")
        slow = figures.at(f"{store}: {way} p95")
        gate = None if slow.at("floor").nothing else slow.at("floor").above_zero()
        p50, p95 = figures.at(key, "value").above_zero(), slow.at("value").above_zero()
        stores.setdefault(store, []).append(Timing(way=way, p50=p50, p95=p95, gate=gate))
    return stores


def _milliseconds(axis: LogAxis) -> list[str]:
    drawn = [text(30, HIGH_Y - 14, "ms", fill=SOFT, anchor="start")]
    for tick in axis.ticks:
        y = axis.at(tick)
        drawn += [line(62, y, WIDTH - 24, y), text(56, y + 4, f"{tick:,g}", fill=SOFT, anchor="end")]
    return drawn


def _timing_legend() -> list[str]:
    return [
        *(dot(590, 30, PAPER), text(602, 34, "p50", anchor="start")),
        *(dot(660, 30, DARK), text(672, 34, "p95", anchor="start")),
        *(line(728, 30, 756, 30, stroke=RED, width=1.5), text(764, 34, "gate of the p95", anchor="start")),
    ]


def _store(name: str, timings: list[Timing], axis: LogAxis, x: float, column: float) -> list[str]:
    drawn = list[str]()
    for at, timing in enumerate(timings):
        left = x + column * at
        if timing.gate is not None:
            y = axis.at(timing.gate)
            drawn.append(line(left + 1, y, left + column - 1, y, stroke=RED, width=1.5))
        drawn += _stroke(timing, axis, left + column / 2 - 14)
        for line_, words in enumerate(TIMINGS[timing.way]):
            drawn.append(text(left + column / 2, LOW_Y + 18 + 14 * line_, words, fill=SOFT))
    middle = x + column * len(timings) / 2
    size, _, tenants = name.partition(" over ")
    gates = list(dict.fromkeys(f"{timing.gate:g}" for timing in timings if timing.gate is not None))
    drawn += [text(middle, LOW_Y + 58, size, size=14), line(x, LOW_Y + 41, x + column * len(timings), LOW_Y + 41)]
    drawn += [text(middle, LOW_Y + 75, f"{tenants} tenants" if tenants else "one tenant", fill=SOFT)]
    if gates:
        drawn.append(text(middle, LOW_Y + 92, f"p95 ≤ {' and '.join(gates)} ms", fill=RED))
    return drawn


def _stroke(timing: Timing, axis: LogAxis, x: float) -> list[str]:
    low, high = axis.at(timing.p50), axis.at(timing.p95)
    low_words, high_words = _figure_heights(low, high, None if timing.gate is None else axis.at(timing.gate))
    return [
        line(x, low, x, high, stroke=DARK, width=3),
        *(dot(x, low, PAPER), figure(x + 9, low_words + 4, short(timing.p50), anchor="start")),
        *(dot(x, high, DARK), figure(x + 9, high_words + 4, short(timing.p95), anchor="start")),
    ]


def _figure_heights(low: float, high: float, gate: float | None) -> tuple[float, float]:
    """Where two figures stand that cover neither each other nor the gate; each stays on its own side of it."""
    if gate is not None:
        low, high = (gate + math.copysign(max(abs(y - gate), 11), y - gate) for y in (low, high))
    if low - high >= 14:
        return low, high
    return (high + 14, high) if gate is not None and high >= gate else (low, low - 14)
