"""What ours is to each peer, in times, on a logarithmic axis."""

from __future__ import annotations

from bench.peers.figures import OURS
from bench.peers.job import Way
from bench.plots.draw import (
    DARK,
    EDGE,
    INK,
    MIDDLE,
    PALE,
    SOFT,
    LogAxis,
    Place,
    bar,
    figure,
    legend,
    line,
    model_of,
    picture,
    short,
    taken,
    text,
)
from muniment.model.value import Value

WAYS = {Way.SINGLE: "one to a call", Way.BATCH: "a hundred to a call"}


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
        f"{about.at('corpus').text()}, seed {about.at('seed').number():.0f}; {model_of(about)}",
        f"{taken(about)}{noise}",
    ]
