"""Print a table and leave the same figures in bench/out as JSON."""

from __future__ import annotations

import json
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path

Figure = float | int | str | bool | None
OUT = Path(__file__).parent / "out"


class Row:
    """One measured thing: its figure, the floor it is held to, and the ratio to a limit measured in the same run."""

    def __init__(self, name: str, figure: float, unit: str, *, floor: float | None = None, most: bool = False) -> None:
        self.name = name
        self.figure = figure
        self.unit = unit
        self.floor = floor
        self.most = most

    @property
    def passed(self) -> bool | None:
        if self.floor is None:
            return None
        return self.figure <= self.floor if self.most else self.figure >= self.floor

    def line(self) -> tuple[str, str, str, str]:
        sign = "≤" if self.most else "≥"
        floor = "" if self.floor is None else f"{sign} {self.floor:,g}"
        verdict = {None: "", True: "pass", False: "SHORT"}[self.passed]
        return (
            self.name,
            f"{self.figure:,.3g} {self.unit}" if self.figure < 100 else f"{self.figure:,.0f} {self.unit}",
            floor,
            verdict,
        )


def machine() -> dict[str, Figure]:
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "system": platform.system(),
        "cores": os.cpu_count(),
    }


def publish(
    name: str, rows: list[Row], *, seed: int, details: dict[str, list[float]], place: Path | None = None
) -> None:
    """Print the table and write the figures to `place`, or to bench/out under the name."""
    lines = [("what", "measured", "floor", ""), *(row.line() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(4)]
    for number, line in enumerate(lines):
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))
    target = place or OUT / f"{name}.json"
    target.parent.mkdir(exist_ok=True)
    figures = {
        row.name: {"value": row.figure, "unit": row.unit, "floor": row.floor, "passed": row.passed} for row in rows
    }
    report = {"name": name, "seed": seed, "machine": machine(), "figures": figures, "details": details}
    target.write_text(json.dumps(report, indent=2) + "\n")
    print(f"\nwritten to {target if place else f'bench/out/{name}.json'}", file=sys.stderr)
