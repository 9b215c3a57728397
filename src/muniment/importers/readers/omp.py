"""The Open Memory Protocol: its directory of Markdown, and the exchange document of its semantic core (a draft)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from muniment.importers.files import path_of
from muniment.importers.foreign import PLAIN, Item, Mapping
from muniment.importers.readers.notes import read_omp_directory


def read_omp(source: Path | str, mapping: Mapping = PLAIN) -> Iterator[Item]:
    yield from read_omp_directory(path_of(source), mapping)
