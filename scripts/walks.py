"""Draw the pictures of ARCHITECTURE.md: the rooms, and the files that one `remember` and one `recall` run through.

The walks are traced from real calls on a new memory without a model.
"""

from __future__ import annotations

import argparse
import ast
import random
import sys
import tempfile
from collections.abc import Callable, Iterable
from html import escape
from pathlib import Path
from string import ascii_lowercase
from types import FrameType

import muniment
from muniment import Memory

ROOT = Path(__file__).parent.parent
PACKAGE = Path(muniment.__file__).parent
PICTURES = ROOT / "docs" / "pictures"
ROOMS = ("engine", "write", "read", "policy", "trust", "text", "graph", "ledger", "model", "ports", "backends")
"""The rooms of the engine, from the face down to the stores."""

_PAPER = "#fbfaf6"
_STYLE = """<style>
text { font: 12px ui-sans-serif, system-ui, sans-serif; fill: #1f2430 }
.room { font-weight: 600 }
.small { font-size: 10.5px; fill: #4a5361 }
.lane { stroke: #dcd8cb }
.step { stroke: #8c8a80; fill: none }
.dot { fill: #2f6f57 }
.box { fill: #ffffff; stroke: #4a5361 }
</style>"""


def traced(call: Callable[[], object]) -> list[tuple[str, str]]:
    """Each file of the package that a call runs through, in the order it is first entered, with the function it is
    entered by."""
    entered: dict[str, str] = {}
    root = f"{PACKAGE}/"

    def watch(frame: FrameType, event: str, _: object) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(root):
            entered.setdefault(file.removeprefix(root), frame.f_code.co_qualname)

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    return list(entered.items())


def walks() -> dict[str, list[tuple[str, str]]]:
    """The walks of one `remember` and one `recall`, after each has been called once before."""
    with tempfile.TemporaryDirectory() as folder, Memory.open(folder, embedder=None) as memory:
        memory.remember("The build server is called Otto", confidence=0.8)
        memory.recall("what is the build server called?")
        new = "".join(random.choices(ascii_lowercase, k=12))  # a text that no cache of this process has seen
        return {
            "remember": traced(lambda: memory.remember(f"Deploys of {new} freeze on Fridays", confidence=0.8)),
            "recall": traced(lambda: memory.recall(f"when do deploys of {new} freeze?")),
        }


def room_of(file: str) -> str:
    return file.split("/", maxsplit=1)[0]


def walk_picture(name: str, steps: list[tuple[str, str]]) -> str:
    """One column a room, one row a file, from the first that is entered to the last."""
    rooms = [room for room in ROOMS if any(room_of(file) == room for file, _ in steps)]
    left, across, top, down = 30, 74, 58, 19
    places = {room: left + across * number for number, room in enumerate(rooms)}
    width, height = places[rooms[-1]] + 430, top + down * len(steps) + 16
    parts = [
        f'<text x="12" y="22" class="room">{escape(name)}: {len(steps)} files, in the order they are entered</text>'
    ]
    for room, x in places.items():
        parts.append(f'<text x="{x}" y="44" text-anchor="middle" class="room">{room}</text>')
        parts.append(f'<line x1="{x}" x2="{x}" y1="50" y2="{height - 8}" class="lane"/>')
    dots = [(places.get(room_of(file), left), top + down * row + 6) for row, (file, _) in enumerate(steps)]
    parts.append(f'<polyline class="step" points="{" ".join(f"{x},{y}" for x, y in dots)}"/>')
    label = places[rooms[-1]] + 30
    for (x, y), (file, function) in zip(dots, steps, strict=True):
        parts.append(f'<circle cx="{x}" cy="{y}" r="4" class="dot"/>')
        parts.append(
            f'<text x="{label}" y="{y + 4}">{escape(file)} <tspan class="small">{escape(function)}</tspan></text>'
        )
    words = ", ".join(file for file, _ in steps)
    return _svg(f"{name}: {len(steps)} files, in the order they are entered", words, width, height, parts)


def imports() -> dict[str, set[str]]:
    """Which rooms each room of the engine imports when it runs."""
    found: dict[str, set[str]] = {room: set() for room in ROOMS}
    for room in ROOMS:
        for path in (PACKAGE / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("muniment."):
                    other = (node.module or "").split(".")[1]
                    if other in found and other != room:
                        found[room].add(other)
    return found


def rooms_picture(found: dict[str, set[str]]) -> str:
    """Rooms in layers: each stands above every room it imports."""
    depth: dict[str, int] = {}

    def level(room: str) -> int:
        if room not in depth:
            depth[room] = 1 + max((level(other) for other in found[room]), default=-1)
        return depth[room]

    def reached(room: str) -> set[str]:
        return found[room].union(*(reached(other) for other in found[room]))

    layers: dict[int, list[str]] = {}
    for room in ROOMS:
        layers.setdefault(level(room), []).append(room)
    most = max(layers)
    width, height = 60 + 130 * max(len(row) for row in layers.values()), 60 + 84 * (most + 1)
    centre: dict[str, tuple[float, float]] = {}
    for number, row in layers.items():
        for place, room in enumerate(row):
            centre[room] = (width * (place + 1) / (len(row) + 1), 66 + 84 * (most - number))
    parts = [
        '<text x="12" y="22" class="room">The rooms of the engine: each may import what its lines lead down to</text>'
    ]
    for room, others in found.items():
        for other in sorted(others - {far for near in others for far in reached(near)}):
            (x1, y1), (x2, y2) = centre[room], centre[other]
            parts.append(f'<line class="step" x1="{x1:.0f}" y1="{y1 + 16:.0f}" x2="{x2:.0f}" y2="{y2 - 16:.0f}"/>')
    for room, (x, y) in centre.items():
        parts.append(f'<rect x="{x - 46:.0f}" y="{y - 16:.0f}" width="92" height="32" rx="6" class="box"/>')
        parts.append(f'<text x="{x:.0f}" y="{y + 4:.0f}" text-anchor="middle" class="room">{room}</text>')
    words = "; ".join(f"{room} imports {', '.join(sorted(others)) or 'nothing'}" for room, others in found.items())
    return _svg("The rooms of the engine: each may import what its lines lead down to", words, width, height, parts)


def _svg(title: str, words: str, width: float, height: float, parts: Iterable[str]) -> str:
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title desc">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="desc">{escape(words)}</desc>',
        _STYLE,
        f'<rect width="{width:.0f}" height="{height:.0f}" rx="12" fill="{_PAPER}"/>',
        f'<text x="12" y="22" class="room">{escape(title)}</text>',
    ]
    return "\n".join([*head, *parts, "</svg>", ""])


def pictures() -> dict[str, str]:
    drawn = {f"walk-{name}.svg": walk_picture(name, steps) for name, steps in walks().items()}
    return {**drawn, "rooms.svg": rooms_picture(imports())}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Draw the rooms and the walks of ARCHITECTURE.md.")
    parser.parse_args(arguments)
    for name, svg in pictures().items():
        (PICTURES / name).write_text(svg, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
