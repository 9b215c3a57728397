"""Where the time of a test run goes, by folder, file and function, read from what `pytest --junitxml=FILE` wrote."""

from __future__ import annotations

import sys
from collections import defaultdict
from xml.etree import ElementTree

SHOWN = 25


def main(path: str) -> None:
    spent: dict[str, dict[str, list[float]]] = {part: defaultdict(list) for part in ("folder", "file", "function")}
    for case in ElementTree.parse(path).iter("testcase"):
        file, seconds = case.get("classname", ""), float(case.get("time", "0"))
        spent["folder"][".".join(file.split(".")[:2])].append(seconds)
        spent["file"][file].append(seconds)
        spent["function"][f"{file}::{case.get('name', '').split('[')[0]}"].append(seconds)
    for part, times in spent.items():
        sys.stdout.write(f"\nseconds  cases  {part}\n")
        for name, each in sorted(times.items(), key=lambda found: -sum(found[1]))[:SHOWN]:
            sys.stdout.write(f"{sum(each):7.1f}  {len(each):5}  {name}\n")


if __name__ == "__main__":
    main(sys.argv[1])
