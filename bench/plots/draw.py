"""What every picture is made of: figures read by name, axes, strokes, and the frame around them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import msgspec

from muniment.model.errors import Malformed
from muniment.model.value import Value

WIDTH = 900
PAPER, EDGE, INK, SOFT, RED = "#fbfaf6", "#c9c5b8", "#1f2430", "#4a5361", "#8a2f2f"
PALE, MIDDLE, DARK = "#e2dfd4", "#86a8cf", "#1f5a49"


class Place:
    """Somewhere in a file of figures. It knows its way from the top, so that what is wrong there can be named."""

    def __init__(self, name: str, value: object) -> None:
        self.name = name
        self._value = value

    def wrong(self, expected: str) -> Malformed:
        return Malformed(self.name, expected, hint="Run the benchmark that writes this file again.")

    @property
    def names(self) -> list[str]:
        if not isinstance(self._value, dict):
            raise self.wrong("an object")
        return list(self._value)

    def at(self, *keys: str) -> Place:
        place = self
        for key in keys:
            deeper = f"{place.name} → {key}"
            if key not in place.names:
                raise Place(deeper, None).wrong("to be there")
            assert isinstance(place._value, dict)
            place = Place(deeper, place._value[key])
        return place

    def number(self, *, most: float = math.inf) -> float:
        value = self._value
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= most:
            raise self.wrong("a number, not negative" if most == math.inf else f"a number from 0 to {most:g}")
        return value

    def above_zero(self) -> float:
        if not (value := self.number()):
            raise self.wrong("a number above 0, as it is drawn on a logarithmic axis")
        return value

    @property
    def nothing(self) -> bool:
        return self._value is None

    def text(self) -> str:
        if not isinstance(self._value, str):
            raise self.wrong("a text")
        return self._value


def read(path: Path) -> Place:
    try:
        return Place(path.name, msgspec.json.decode(path.read_bytes()))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Malformed(path.name, f"JSON ({error})", hint="Run the benchmark that writes this file again.") from None


class LogAxis(Value):
    """A logarithmic axis between two numbers of the series 1, 2, 5, 10 …, laid between two points of the picture."""

    first: float
    last: float
    start: float
    end: float

    @classmethod
    def around(cls, values: Iterable[float], start: float, end: float) -> LogAxis:
        low, high = min(known := list(values)), max(known)
        below = [step for step in _steps(low, low) if step <= low]
        above = [step for step in _steps(high, high) if step >= high and step > below[-1]]
        return cls(first=below[-1], last=above[0], start=start, end=end)

    def at(self, value: float) -> float:
        part = math.log(value / self.first) / math.log(self.last / self.first)
        return self.start + part * (self.end - self.start)

    @property
    def ticks(self) -> list[float]:
        """Every step where there is room, else the powers of ten."""
        steps = [step for step in _steps(self.first, self.last) if self.first <= step <= self.last]
        return steps if len(steps) <= 8 else [step for step in steps if f"{step:e}".startswith("1.0")]


def _steps(low: float, high: float) -> list[float]:
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    return [float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)]


def text(x: float, y: float, words: str, *, fill: str = INK, size: int = 12, anchor: str = "middle") -> str:
    at = f'x="{_point(x)}" y="{_point(y)}"'
    return f'<text {at} font-size="{size}" fill="{fill}" text-anchor="{anchor}">{escape(words)}</text>'


def figure(x: float, y: float, words: str, *, anchor: str = "middle", rim: int = 8) -> str:
    """A figure with a rim of paper, so that it can be read on top of a line."""
    around = f'stroke="{PAPER}" stroke-width="{rim}" stroke-linejoin="round" paint-order="stroke"'
    return text(x, y, words, anchor=anchor).replace("<text ", f"<text {around} ", 1)


def bar(x: float, y: float, width: float, height: float, fill: str) -> str:
    size = f'width="{_point(width)}" height="{_point(height)}"'
    return f'<rect x="{_point(x)}" y="{_point(y)}" {size} fill="{fill}" stroke="{SOFT}"/>'


def line(x1: float, y1: float, x2: float, y2: float, *, stroke: str = EDGE, width: float = 1) -> str:
    ends = f"M{_point(x1)} {_point(y1)} L{_point(x2)} {_point(y2)}"
    return f'<path d="{ends}" fill="none" stroke="{stroke}" stroke-width="{_point(width)}"/>'


def dot(x: float, y: float, fill: str) -> str:
    return f'<circle cx="{_point(x)}" cy="{_point(y)}" r="4.5" fill="{fill}" stroke="{DARK}" stroke-width="1.5"/>'


def _point(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def legend(x: float, y: float, words: Sequence[tuple[str, str]]) -> list[str]:
    """A box of each colour with its name after it, from x on."""
    drawn = []
    for name, fill in words:
        drawn += [bar(x, y - 11, 13, 13, fill), text(x + 19, y, name, anchor="start")]
        x += 42 + 6.6 * len(name)
    return drawn


def picture(height: float, title: str, told: str, drawn: list[str], notes: list[str]) -> str:
    """The whole of a picture: paper of its own, as the page below may be dark, a title, what is drawn, notes below."""
    font = "system-ui, -apple-system, 'Segoe UI', sans-serif"
    full = height + 18 * len(notes) + 8
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {_point(full)}" role="img"'
        f' aria-labelledby="title desc" font-family="{font}" font-size="14">',
        f'  <title id="title">{escape(title)}</title>',
        f'  <desc id="desc">{escape(told)}</desc>',
        f'  <rect x="1" y="1" width="{WIDTH - 2}" height="{_point(full - 2)}" rx="12" fill="{PAPER}" stroke="{EDGE}"/>',
        f'  <text x="30" y="34" font-weight="600" fill="{INK}">{escape(title)}</text>',
        *(f"  {mark}" for mark in drawn),
        *(f"  {text(30, height + 18 * at, note, fill=SOFT, anchor='start')}" for at, note in enumerate(notes)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def short(value: float) -> str:
    """Three digits or so: 1,240, 131, 13.1, 1.31, 0.13, 0.0013."""
    if value < 0.1:
        return f"{value:.2g}"
    return f"{value:,.{0 if value >= 99.95 else 1 if value >= 9.995 else 2}f}"


def taken(about: Place) -> str:
    cores = f"{about.at('cores').number():g} cores"
    return f"{about.at('date').text()}, {about.at('system').text()}, Python {about.at('python').text()}, {cores}"


def model_of(about: Place) -> str:
    model = about.at("model")
    return "no model" if model.nothing else model.text().partition("@")[0]
