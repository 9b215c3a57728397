"""Terms that stand together: the revisions that hold several of them, and where in their texts, compared at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from muniment.backends.postgres.transaction import Row, Transaction
from muniment.ports.lexicon import Places

Phrase = tuple[str, ...]
"""A term for each place of what is looked for."""
Numbers = NDArray[np.int64]
Fractions = NDArray[np.float64]

_ROOM = 1 << 33
"""A place in a text is written in 32 bits, so texts laid end to end at this distance never touch."""


@dataclass(frozen=True, slots=True)
class CoOccurrences:
    """The revisions that hold all of some terms, their sizes, and for each term where it stands in the texts, as if
    these were laid end to end."""

    rids: Numbers
    sizes: Numbers
    spots: Mapping[str, Numbers]

    def times(self, starts: Numbers) -> Numbers:
        """How many of these places are in each text."""
        return np.bincount(starts // _ROOM, minlength=len(self.rids)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Occurrences:
    """The revisions in which something occurs, their sizes, and how often it does."""

    rids: Numbers
    sizes: Numbers
    times: Numbers


def together(link: Transaction, groups: Sequence[Sequence[str]], holding: Mapping[str, int]) -> list[CoOccurrences]:
    """For each group of terms the revisions that hold them all. The rarest term of a group leads; each revision that
    holds it is looked up under the next rare one, and so on."""
    if not groups:
        return []
    values: list[object] = [link.number]
    pieces, orders = [], []
    for number, group in enumerate(groups):
        order = sorted(set(group), key=lambda term: (holding.get(term, 0), term))
        orders.append(order)
        pieces.append(_branch(number, len(values) + 1, len(order)))
        values += [link.seal.term(term) for term in order]
    rows = {row[0]: row for row in link.ask(" UNION ALL ".join(pieces), values)}
    return [_read(rows[number], order) for number, order in enumerate(orders)]


def spellings(places: Places) -> list[Phrase]:
    """Every way to say something, of what may stand at each of its places."""
    return list(product(*places))


def occurrences(found: Mapping[Phrase, CoOccurrences], places: Places) -> Occurrences:
    """Where something occurs, however it is said, among the revisions that hold its terms. Said in two ways at one
    place it occurs once."""
    asked = [(found[phrase], _starts(found[phrase], phrase)) for phrase in spellings(places)]
    rids = np.concatenate([one.rids[starts // _ROOM] for one, starts in asked])
    sizes = np.concatenate([one.sizes[starts // _ROOM] for one, starts in asked])
    spots = np.concatenate([starts % _ROOM for _, starts in asked])
    once = np.unique(np.stack([rids, spots, sizes]), axis=1)
    born, first, times = np.unique(once[0], return_index=True, return_counts=True)
    return Occurrences(rids=born, sizes=once[2][first], times=times.astype(np.int64))


def _starts(found: CoOccurrences, phrase: Phrase) -> Numbers:
    """Where a phrase begins in texts laid end to end."""
    starts = found.spots[phrase[0]]
    for place, term in enumerate(phrase[1:], start=1):
        starts = np.intersect1d(starts, found.spots[term] - place, assume_unique=True)
    return starts


def close_by(found: CoOccurrences, one: str, other: str, gap: int) -> tuple[Numbers, Numbers]:
    """How many times each of two terms stands with at most `gap` others between it and the other, in each revision."""
    here, there = found.spots[one], found.spots[other]
    return found.times(here[_near(here, there, gap + 1)]), found.times(there[_near(there, here, gap + 1)])


def _near(spots: Numbers, others: Numbers, most: int) -> NDArray[np.bool_]:
    """Which places have one of the others at most so far away: it is the next one, or the one before."""
    if not len(others):
        return np.zeros(len(spots), dtype=np.bool_)
    following = np.searchsorted(others, spots)
    after = others[np.minimum(following, len(others) - 1)] - spots
    before = spots - others[np.maximum(following - 1, 0)]
    result: NDArray[np.bool_] = (np.abs(after) <= most) | (np.abs(before) <= most)
    return result


def _branch(number: int, first: int, terms: int) -> str:
    """What is asked for one group, all of it in one row: lists as bytes end to end, which cost next to nothing to read.

    A look-up that may not be turned round (OFFSET 0) keeps the rarest term in the lead.
    """
    looks = "".join(
        f" CROSS JOIN LATERAL (SELECT q.spots FROM postings AS q WHERE q.tenant_id = $1 AND q.term = ${first + place}"
        f" AND q.rid = p0.rid OFFSET 0) AS p{place}"
        for place in range(1, terms)
    )
    lengths = ", ".join(f"string_agg(int4send(octet_length(p{place}.spots) / 4), '')" for place in range(terms))
    spots = ", ".join(f"string_agg(p{place}.spots, '')" for place in range(terms))
    return (
        f"SELECT {number}, string_agg(int8send(p0.rid), ''), string_agg(int4send(p0.size), ''),"
        f" ARRAY[{lengths}], ARRAY[{spots}]"
        f" FROM postings AS p0{looks} WHERE p0.tenant_id = $1 AND p0.term = ${first}"
    )


def _read(row: Row, order: Sequence[str]) -> CoOccurrences:
    """An answer as lists, put in the order of the revisions."""
    _, rids, sizes, lengths, spots = row
    if rids is None:
        nothing = np.zeros(0, dtype=np.int64)
        return CoOccurrences(rids=nothing, sizes=nothing, spots=dict.fromkeys(order, nothing))
    born = np.frombuffer(rids, dtype=">i8").astype(np.int64)
    placed = {
        term: _end_to_end(np.frombuffer(lengths[place], dtype=">i4"), np.frombuffer(spots[place], dtype="<u4"))
        for place, term in enumerate(order)
    }
    return CoOccurrences(rids=born, sizes=np.frombuffer(sizes, dtype=">i4").astype(np.int64), spots=placed)


def _end_to_end(lengths: NDArray[np.int32], spots: NDArray[np.uint32]) -> Numbers:
    """The places of one term in texts laid end to end, `lengths` of them in each."""
    texts = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    return texts * _ROOM + spots.astype(np.int64)
