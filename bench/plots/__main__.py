"""Pictures of what the benchmarks left in bench/out, written by hand as SVG: the same figures give the same bytes.

A file that is not there is left out and said so; one that is not as its benchmark writes it is an error naming the key.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from bench.plots.draw import Place, read
from bench.plots.peers import peers_picture
from bench.plots.recall import recall_picture
from bench.plots.scale import scale_picture
from bench.report import OUT
from muniment.model.errors import Malformed

PICTURES = Path(__file__).parent.parent.parent / "docs" / "pictures"
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
