"""How well recall finds, as grouped bars for each set of conversations."""

from __future__ import annotations

from bench.plots.draw import (
    DARK,
    MIDDLE,
    PALE,
    SOFT,
    WIDTH,
    Place,
    bar,
    figure,
    legend,
    line,
    model_of,
    picture,
    taken,
    text,
)
from muniment.model.value import Value

BAR, GROUP_GAP, PANEL_GAP = 30, 10, 26
FLOOR_Y, TOP_Y = 350, 112
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
        f"{taken(about)}; in full with {model_of(about)}",
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
