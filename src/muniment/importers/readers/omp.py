"""The Open Memory Protocol: its directory of Markdown, and the exchange document of its semantic core (a draft)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from muniment.importers.files import path_of, read_document
from muniment.importers.foreign import PLAIN, Item, Mapping, Unread, Unsaid
from muniment.importers.omp.exchange import ReceiptWord, judge_alone
from muniment.importers.readers.notes import read_omp_directory


def read_omp(source: Path | str, mapping: Mapping = PLAIN) -> Iterator[Item]:
    path = path_of(source)
    if path.is_dir():
        yield from read_omp_directory(path, mapping)
        return
    for one in judge_alone(read_document(path)):
        if one.proposed is not None:
            yield one.proposed
        elif one.entry.status is ReceiptWord.REJECTED:
            yield Unread(place=f"{path.name}: {one.entry.target}", code="rejected", message=one.entry.reason or "")
        elif one.entry.reason is not None:
            yield Unsaid(place=f"{path.name}: {one.entry.target}", what=one.entry.reason)
