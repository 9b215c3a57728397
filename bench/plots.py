"""Pictures of what the benchmarks left in bench/out, written by hand as SVG: the same figures give the same bytes.

A file that is not there is left out and said so; one that is not as its benchmark writes it is an error naming the key.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import msgspec

from bench.peers.figures import OURS
from bench.peers.job import Way
from bench.report import OUT
from muniment.model.errors import Malformed
from muniment.model.value import Value

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"
WIDTH = 900
PAPER, EDGE, INK, SOFT, RED = "#fbfaf6", "#c9c5b8", "#1f2430", "#4a5361", "#8a2f2f"
PALE, MIDDLE, DARK = "#e2dfd4", "#86a8cf", "#1f5a49"

ROWS = {"fts5": ("plain FTS5", PALE), "lexical": ("ours, by words", MIDDLE), "full": ("ours, in full", DARK)}


class Bars(Value):
    """One group of bars: the metric, what makes it a percentage, and the two lines below it."""

    metric: str
    times: float
    name: str
    below: str = ""

    @property
    def spoken(self) -> str:
        return f"{self.name} {self.below}".rstrip()


class Panel(Value):
    """One set of conversations: its name, what its answers are, and its groups of bars."""

    name: str
    answers: str
    groups: tuple[Bars, ...]


PANELS = {
    "longmemeval": Panel(
        name="LongMemEval",
        answers="sessions",
        groups=tuple(Bars(metric=f"r@{k}", times=1, name=f"r@{k}") for k in (1, 5, 10)),
    ),
    "locomo": Panel(
        name="LoCoMo",
        answers="turns",
        groups=(
            Bars(metric="share@5", times=100, name="share@5", below="of turns"),
            Bars(metric="share@10", times=100, name="share@10", below="of turns"),
            Bars(metric="session_share@10", times=100, name="share@10", below="of sessions"),
        ),
    ),
    "beam": Panel(
        name="BEAM",
        answers="turns",
        groups=(
            Bars(metric="r@10", times=1, name="r@10"),
            Bars(metric="share@10", times=100, name="share@10", below="of turns"),
        ),
    ),
}
TIMINGS = {
    "recall": ("recall", ""),
    "recall, narrow filter": ("recall,", "narrow"),
    "by words only": ("words", ""),
    "by words only, narrow filter": ("words,", "narrow"),
    "recall, 50 tenants open": ("50", "open"),
    "open, recall, close": ("cold", ""),
}
"""What bench.scale times, and the two lines below each."""

WAYS = {Way.SINGLE: "one to a call", Way.BATCH: "a hundred to a call"}


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


BAR, GROUP_GAP, PANEL_GAP = 30, 10, 26
FLOOR_Y, TOP_Y = 350, 112


def recall_picture(found: Place) -> str:
    """Bars in groups: each metric of each set of conversations, plain FTS5 beside ours."""
    names = [name for name in PANELS if name in found.names]
    if not names:
        raise found.wrong(f"at least one of {', '.join(PANELS)}")
    gaps = sum(3 * BAR * len(PANELS[name].groups) + GROUP_GAP * (len(PANELS[name].groups) - 1) for name in names)
    x = (WIDTH - gaps - PANEL_GAP * (len(names) - 1) + 24) / 2
    drawn, told = [*legend(490, 34, list(ROWS.values())), *_percent_grid()], []
    for name in names:
        marks, said, width = _panel(PANELS[name], found.at(name), x)
        drawn += marks
        told.append(said)
        x += width + PANEL_GAP
    about = found.at("about")
    notes = [
        "r@k: of a hundred questions, how many have an answer among the first k.",
        "share@k: how much of all that answers a question is among the first k, in per cent.",
        f"{taken(about)}; in full with {_model(about)}",
    ]
    return picture(FLOOR_Y + 62, "What recall finds", f"In per cent. {' '.join(told)}", drawn, notes)


def _percent_grid() -> list[str]:
    drawn = []
    for percent in (0, 25, 50, 75, 100):
        y = _percent_y(percent)
        drawn += [line(52, y, WIDTH - 24, y), text(46, y + 4, f"{percent}", fill=SOFT, anchor="end")]
    return drawn


def _percent_y(percent: float) -> float:
    return FLOOR_Y - percent / 100 * (FLOOR_Y - TOP_Y)


def _panel(panel: Panel, found: Place, x: float) -> tuple[list[str], str, float]:
    """What is drawn, what is said of it, and how wide it is. Rows that were not run keep their place empty."""
    rows = [row for row in ROWS if row in found.names]
    if not rows:
        raise found.wrong(f"at least one of {', '.join(ROWS)}")
    questions = f"{found.at(rows[-1], 'questions').number():,.0f} questions"
    drawn, said, left = list[str](), list[str](), x
    for group in panel.groups:
        shown = {row: found.at(row, group.metric).number(most=100 / group.times) * group.times for row in rows}
        for at, row in enumerate(ROWS):
            if row in shown:
                drawn += _percent_bar(left + BAR * at, shown[row], ROWS[row][1])
        middle = left + 1.5 * BAR
        drawn += [text(middle, FLOOR_Y + 18, group.name), text(middle, FLOOR_Y + 33, group.below, fill=SOFT)]
        said.append(f"{group.spoken}: " + ", ".join(f"{ROWS[row][0]} {_percent(shown[row])}" for row in rows))
        left += 3 * BAR + GROUP_GAP
    width = left - GROUP_GAP - x
    drawn += [text(x + width / 2, 70, panel.name, size=14)]
    drawn += [text(x + width / 2, 87, f"{questions}, by {panel.answers}", fill=SOFT)]
    return drawn, f"{panel.name}, {questions}: {'; '.join(said)}.", width


def _percent_bar(x: float, percent: float, fill: str) -> list[str]:
    y = _percent_y(percent)
    return [bar(x + 1, y, BAR - 2, FLOOR_Y - y, fill), figure(x + BAR / 2, y - 5, _percent(percent), rim=3)]


def _percent(value: float) -> str:
    return "100" if value >= 99.95 else f"{value:.1f}"


def _model(about: Place) -> str:
    model = about.at("model")
    return "no model" if model.nothing else model.text().partition("@")[0]


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


class Rival(Value):
    """One peer, one way of writing, at the largest size that both it and ours reached."""

    name: str
    written: str
    ingest: float
    p95: float
    recall: float
    our_recall: float

    @property
    def spoken(self) -> str:
        rates = f"ingest {short(self.ingest)} times, p95 {short(self.p95)} times"
        return f"{self.name}, {self.written}: {rates}, recall@10 {self.our_recall:.3f} against {self.recall:.3f}."


PEERS_Y, PEER_STEP = 104, 54


def peers_picture(found: Place) -> str:
    """Bars from the line of equals: to the right ours is the better; recall@10 of both beside."""
    rivals = _rivals(found)
    if not rivals:
        raise found.at("ratios").wrong("ours, written in batches, against a peer of the same size")
    ratios = [ratio for rival in rivals for ratio in (rival.ingest, rival.p95)]
    axis = LogAxis.around([0.5, 2, *ratios], 256, 580)
    bottom = PEERS_Y + PEER_STEP * len(rivals)
    drawn = [*_peer_axes(axis, bottom)]
    for at, rival in enumerate(rivals):
        drawn += _rival(rival, axis, PEERS_Y + PEER_STEP * at)
    told = " ".join(rival.spoken for rival in rivals)
    return picture(
        bottom + 44, "Ours against other memories", f"More than one: ours is better. {told}", drawn, _race(found)
    )


def _rivals(found: Place) -> list[Rival]:
    """In the order of the race. Ours is the row written in batches, as in the goals."""
    rows = found.at("rows")
    ours = {size: name for name, peer, way, size in _entries(rows) if (peer, way) == (OURS, Way.BATCH)}
    largest: dict[tuple[str, Way], tuple[float, str]] = {}
    for name, peer, way, size in _entries(rows):
        if peer != OURS and size in ours:
            largest[peer, way] = max(largest.get((peer, way), (0, "")), (size, name))
    return [_paired(found, ours[size], name, f"{WAYS[way]}, {size:,.0f}") for (_, way), (size, name) in largest.items()]


def _entries(rows: Place) -> list[tuple[str, str, Way, float]]:
    return [
        (name, rows.at(name, "peer").text(), _way(rows.at(name, "way")), rows.at(name, "n").number())
        for name in rows.names
    ]


def _way(place: Place) -> Way:
    if place.text() not in set(Way):
        raise place.wrong(f"one of {', '.join(Way)}")
    return Way(place.text())


def _paired(found: Place, our: str, their: str, written: str) -> Rival:
    row, ratio = found.at("rows", their), found.at("ratios", our, their)
    return Rival(
        name=f"{row.at('peer').text()} {row.at('version').text()}",
        written=written,
        ingest=ratio.at("ingest").above_zero(),
        p95=ratio.at("search_p95").above_zero(),
        recall=row.at("recall@10").number(most=1),
        our_recall=found.at("rows", our, "recall@10").number(most=1),
    )


RECALL_X, RECALL_WIDTH = 672, 150
INGEST, SEARCH = ("ingest", DARK), ("search p95", MIDDLE)


def _peer_axes(axis: LogAxis, bottom: float) -> list[str]:
    drawn = [
        *legend(256, 64, [INGEST, SEARCH]),
        *legend(RECALL_X, 64, [("ours", DARK), ("theirs", PALE)]),
        text(axis.at(1), 90, "ours is better →", fill=SOFT, anchor="start"),
        text(RECALL_X, 90, "recall@10", fill=SOFT, anchor="start"),
    ]
    for tick in axis.ticks:
        x, equal = axis.at(tick), tick == 1
        drawn.append(line(x, PEERS_Y - 8, x, bottom, stroke=INK if equal else EDGE, width=1.5 if equal else 1))
        drawn.append(text(x, bottom + 16, f"{tick:,g}×", fill=INK if equal else SOFT))
    for tick in (0, 0.5, 1):
        x = RECALL_X + tick * RECALL_WIDTH
        drawn += [line(x, PEERS_Y - 8, x, bottom), text(x, bottom + 16, f"{tick:g}", fill=SOFT)]
    return drawn


def _rival(rival: Rival, axis: LogAxis, y: float) -> list[str]:
    drawn = [
        text(30, y + 18, rival.name, size=14, anchor="start"),
        text(30, y + 36, rival.written, fill=SOFT, anchor="start"),
    ]
    pairs = ((rival.ingest, INGEST[1], rival.our_recall, DARK), (rival.p95, SEARCH[1], rival.recall, PALE))
    for at, (ratio, fill, recall, shade) in enumerate(pairs):
        top = y + 4 + 20 * at
        end, equal = axis.at(ratio), axis.at(1)
        drawn.append(bar(min(end, equal), top, abs(end - equal), 16, fill))
        away, anchor = (6, "start") if ratio >= 1 else (-6, "end")
        drawn.append(figure(end + away, top + 12, f"{short(ratio)}×", anchor=anchor))
        drawn.append(bar(RECALL_X, top, recall * RECALL_WIDTH, 16, shade))
        drawn.append(figure(RECALL_X + recall * RECALL_WIDTH + 6, top + 12, f"{recall:.3f}", anchor="start"))
    return drawn


def _race(found: Place) -> list[str]:
    about, absent = found.at("about"), found.at("absent").names
    loops = about.at("slowest_loop_against_fastest")
    noise = "" if loops.nothing else f"; the slowest plain loop took {short(loops.above_zero())}× the fastest"
    return [
        "Ours written a hundred to a call, theirs as named, with the number of texts; same embedder and machine.",
        "Ingest counts embedding and ends when everything can be found; p95 counts embedding the question.",
        *([f"Not raced, or not to the end: {', '.join(absent)}."] if absent else []),
        f"{about.at('corpus').text()}, seed {about.at('seed').number():.0f}; {_model(about)}",
        f"{taken(about)}{noise}",
    ]


DRAWN: dict[str, Callable[[Place], str]] = {"recall": recall_picture, "scale": scale_picture, "peers": peers_picture}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--figures", type=Path, default=OUT, help="where the JSON files are (default bench/out)")
    options.add_argument("--pictures", type=Path, default=PICTURES, help="where to draw (default docs/pictures)")
    chosen = options.parse_args()
    chosen.pictures.mkdir(parents=True, exist_ok=True)
    failed = False
    for name, draw in DRAWN.items():
        path = chosen.figures / f"{name}.json"
        if not path.exists():
            print(f"{path.name} is not there, so its picture is left out; `make bench-{name}` writes it")
            continue
        try:
            drawn = draw(read(path))
        except Malformed as error:
            print(f"{error}. {error.hint}", file=sys.stderr)
            failed = True
            continue
        (chosen.pictures / f"bench-{name}.svg").write_bytes(drawn.encode())
        print(f"bench-{name}.svg is drawn from {path.name}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
