"""Bring vectors along, so that they need not be made again: those of what is there, and none that would not fit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from muniment.engine.moving.follow_ledger import Told, silent
from muniment.engine.moving.store_comparison import text_of
from muniment.model.rows import VectorCoverage, VectorRow
from muniment.ports.store import Snapshot, TenantStore
from muniment.read.question import QuestionVector

ROWS_AT_ONCE = 512
ASKED_BY_MEANING = 10
_FLOAT_BYTES = 4


def bring_vectors(source: TenantStore, target: TenantStore, *, upto: int, progress: Told = silent) -> VectorCoverage:
    """Bring the vectors of what was born up to entry `upto`; how far they reach at the target then. They are brought
    only if the target has none of another model: its own would be lost."""
    there, here = source.vectors.reach(), target.vectors.reach()
    upto = min(upto, there.upto)
    if there.model is None or here.model not in (None, there.model) or (here.model and here.upto >= upto):
        return here
    if not target.vectors.claim():
        return here
    try:
        _bring(source, target, VectorCoverage(model=there.model, upto=upto), progress)
    finally:
        target.vectors.release()
    return target.vectors.reach()


def _bring(source: TenantStore, target: TenantStore, reach: VectorCoverage, progress: Told) -> None:
    vectors, done = target.vectors, target.vectors.reach()
    assert reach.model is not None, "there are vectors to bring"
    begun = done.model is not None
    for upto, rows in _by_entry(source, target, after=done.upto, upto=reach.upto):
        if not begun:
            vectors.begin(reach.model, len(rows[0].vector) // _FLOAT_BYTES)
            begun = True
        vectors.add(rows, upto=upto)
        progress("vectors", upto, reach.upto)
    if begun and vectors.reach().upto < reach.upto:
        vectors.add([], upto=reach.upto)


def _by_entry(
    source: TenantStore, target: TenantStore, *, after: int, upto: int
) -> Iterator[tuple[int, list[VectorRow]]]:
    """Vectors in bounded lists, each with the entry up to which there are no others."""
    held: list[VectorRow] = []
    last = after
    for seq, rows in groupby(_with_entry(source, target, upto), key=lambda one: one[0]):
        if seq <= after:
            continue
        if len(held) >= ROWS_AT_ONCE:
            yield last, held
            held = []
        held += [row for _, row in rows]
        last = seq
    if held:
        yield last, held


def _with_entry(source: TenantStore, target: TenantStore, upto: int) -> Iterator[tuple[int, VectorRow]]:
    """Every vector of a revision that the target has, with the entry it was born in, by rising `rid`."""
    with target.read() as snapshot:
        for rid, rows in groupby(source.vectors.rows(upto), key=lambda row: row.rid):
            card = snapshot.catalogue.card(rid)
            if card is not None:
                yield from ((card.seq, row) for row in rows)


def asked_by_meaning(
    source: TenantStore, snapshot: Snapshot, reach: VectorCoverage
) -> list[tuple[str, QuestionVector]]:
    """A few questions with vectors: the words of a revision, and the vector of its first passage."""
    found: list[tuple[str, QuestionVector]] = []
    for rid, rows in groupby(source.vectors.rows(reach.upto), key=lambda row: row.rid):
        text = text_of(snapshot, rid)
        if text is not None:
            found.append((text, QuestionVector(vector=next(rows).vector, model=reach.model)))
        if len(found) == ASKED_BY_MEANING:
            break
    return found
