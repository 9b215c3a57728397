"""What it costs to read a text from outside, for every scanner and the worst texts there are for it.
`python -m bench.screen` prints the slowest and writes `bench/out/screen.json`.

Every scanner is tried on every class of token at two short lengths; the one that costs most and the one whose cost
grows most are then measured at 128 KB, and where that is more than half a microsecond at a megabyte. In the file
`slowest_us_per_char` is the one figure, `slowest` where it was met, `above_2_us` every pair above two microseconds, and
`rows` the slowest of each scanner.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

from bench.scanners import Scan, scanned, scanners
from bench.worst_texts import needles, plain, worst

SHORT, LONGER, LONG, WHOLE = 512, 4_096, 131_072, 1_000_000
TRIED, CHEAP_US, AIMED_US = 1, 0.5, 2.0
OUT = Path(__file__).parent / "out" / "screen.json"


def cost(scan: Scan, atom: str, length: int) -> float:
    """Microseconds for each character."""
    text = worst(atom, length)
    began = time.process_time()
    scanned(scan, text)
    return (time.process_time() - began) * 1e6 / length


def likely(scan: Scan, atoms: tuple[str, ...]) -> list[str]:
    """The atoms that may cost this scanner most: by what they cost, and by how that grows."""
    short = {atom: cost(scan, atom, SHORT) for atom in atoms}
    longer = {atom: cost(scan, atom, LONGER) for atom in atoms}
    dear = sorted(atoms, key=lambda atom: -longer[atom])[:TRIED]
    growing = sorted(atoms, key=lambda atom: -longer[atom] / max(short[atom], 0.01))[:TRIED]
    return [*dict.fromkeys((*dear, *growing))]


def main() -> None:
    rows: list[dict[str, object]] = []
    figures: list[tuple[float, str, str]] = []
    for name, scan in scanners().items():
        atoms = (*plain(), *needles()) if name.startswith("screen") else plain()
        figure, atom = max((cost(scan, atom, LONG), atom) for atom in likely(scan, atoms))
        chars = LONG
        if figure > CHEAP_US:
            chars, figure = WHOLE, cost(scan, atom, WHOLE)
        figures.append((figure, name, atom))
        rows.append({"scanner": name, "input": atom, "chars": chars, "us_per_char": round(figure, 3)})
    figures.sort(reverse=True)
    for figure, name, atom in figures[:12]:
        print(f"{figure:8.2f} us/char  {name:44} {atom[:40]!r}")
    told = {
        "slowest_us_per_char": round(figures[0][0], 3),
        "slowest": {"scanner": figures[0][1], "input": figures[0][2]},
        "above_2_us": [list(one) for one in figures if one[0] > AIMED_US],
        "rows": rows,
    }
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
