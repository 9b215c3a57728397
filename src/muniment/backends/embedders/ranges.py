"""Between which bounds the model's inner values lie: what 8 bits are to be spread over, for each linear map.

Measured once with the published weights in 32-bit floats, on some three hundred passages: prose, dialogue, code, other
scripts, single signs. A value beyond its bounds is cut to them. A few channels carry values many times larger than all
others; given to every channel, their bounds would leave it only a few steps. Those are divided by a power of two first,
which is exact, and the weights that read them multiplied by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Range(NamedTuple):
    """Bounds of the values given to a linear map, once `outliers` are shrunk: power of two to channels."""

    low: float
    high: float
    outliers: Mapping[int, tuple[int, ...]] = {}


class LayerRanges(NamedTuple):
    """The four linear maps of a layer: to queries, keys and values; from what was attended to; out to the wide inner
    layer; and back from it."""

    attend: Range
    project: Range
    widen: Range
    narrow: Range


RANGES = (
    LayerRanges(
        attend=Range(-2.74, 3.29, {1: (63, 99)}),
        project=Range(-3.32, 2.31),
        widen=Range(-4.48, 5.71, {1: (63, 267, 303), 3: (99,)}),
        narrow=Range(-0.17, 5.66, {1: (329, 691), 3: (856,)}),
    ),
    LayerRanges(
        attend=Range(-5.11, 5.72, {1: (99, 157)}),
        project=Range(-2.67, 2.94),
        widen=Range(-4.39, 4.74, {1: (63, 157, 223, 267, 338), 3: (99,)}),
        narrow=Range(-0.17, 5.92, {1: (821,), 2: (607,)}),
    ),
    LayerRanges(
        attend=Range(-5.29, 5.83, {1: (99, 157)}),
        project=Range(-2.54, 2.55),
        widen=Range(-4.44, 4.91, {1: (63, 157, 338), 2: (223,), 3: (99,)}),
        narrow=Range(-0.17, 5.86, {1: (1265,), 2: (218, 1004)}),
    ),
    LayerRanges(
        attend=Range(-5.59, 5.09, {1: (63, 99, 157)}),
        project=Range(-2.87, 2.46),
        widen=Range(-4.32, 4.85, {1: (63, 157, 338), 2: (223,), 3: (99,)}),
        narrow=Range(-0.17, 5.67, {1: (201, 318, 750), 2: (358,)}),
    ),
    LayerRanges(
        attend=Range(-5.58, 5.54, {1: (63, 99, 157, 338)}),
        project=Range(-3.01, 3.18),
        widen=Range(-5.07, 5.41, {1: (63, 157), 2: (99, 127, 223)}),
        narrow=Range(-0.17, 5.97, {1: (128, 192, 621, 637, 716, 918, 1031, 1097, 1313, 1321, 1357)}),
    ),
    LayerRanges(
        attend=Range(-5.18, 4.94, {1: (99, 157, 338)}),
        project=Range(-3.37, 3.61),
        widen=Range(-4.06, 4.79, {1: (127, 319), 2: (99, 223)}),
        narrow=Range(-0.17, 5.39, {1: (1302,)}),
    ),
)
