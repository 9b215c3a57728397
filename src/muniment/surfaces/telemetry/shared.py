"""What several processes of one server count, on one page: each writes down its own figures and reads the others'.

Every series says which worker counted it. Sums over workers are whoever draws the graphs' to make: a worker that was
replaced begins again at nothing, and a sum made here would go backwards.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from pathlib import Path

import msgspec

from muniment.model.decoding import decode_json
from muniment.surfaces.telemetry.instruments import Family, Sample
from muniment.surfaces.telemetry.meters import Meters

EVERY_S = 1.0
_SUFFIX = ".figures"


class SharedMeters:
    """The figures of this worker, written down every second and at the end, beside those of the others."""

    def __init__(self, meters: Meters, folder: Path, worker: int) -> None:
        self._meters = meters
        self._folder = folder
        self._name = f"{worker}{_SUFFIX}"
        self._worker = str(worker)
        self._over = threading.Event()
        self._writer = threading.Thread(target=self._keep_writing, name="muniment-figures", daemon=True)
        self._writer.start()

    def families(self) -> tuple[Family, ...]:
        """This worker's figures as they are, and those of the others as they were a second ago at most."""
        others = [path for path in sorted(self._folder.glob(f"*{_SUFFIX}")) if path.name != self._name]
        found = [self._own(), *(read for path in others if (read := _read(path)) is not None)]
        return tuple(_joined(alike) for alike in zip(*found, strict=True))

    def close(self) -> None:
        self._over.set()
        self._writer.join()

    def _own(self) -> tuple[Family, ...]:
        return tuple(_of_worker(family, self._worker) for family in self._meters.families())

    def _keep_writing(self) -> None:
        while not self._over.wait(EVERY_S):
            self._write()
        self._write()

    def _write(self) -> None:
        """Whole or not at all. A folder that is gone means that the server is ending: nobody will ask."""
        fresh = self._folder / f"{self._name}.new"
        try:
            fresh.write_bytes(msgspec.json.encode(self._own()))
            os.replace(fresh, self._folder / self._name)
        except FileNotFoundError:
            return


def _read(path: Path) -> tuple[Family, ...] | None:
    try:
        return decode_json(path.read_bytes(), tuple[Family, ...])
    except FileNotFoundError:
        return None


def _of_worker(family: Family, worker: str) -> Family:
    samples = tuple(
        Sample(labels=(*one.labels, ("worker", worker)), value=one.value, suffix=one.suffix) for one in family.samples
    )
    return msgspec.structs.replace(family, samples=samples)


def _joined(alike: Iterable[Family]) -> Family:
    first, *rest = alike
    return msgspec.structs.replace(first, samples=(*first.samples, *(one for family in rest for one in family.samples)))
