"""Small tenants for the vector index: cards from few words, filters that meet them, vectors whose cosines are exact.

A number of a vector is a quarter or minus a quarter and there are sixteen, so its length is one and every cosine is a
sixteenth of a whole number: what is expected can be worked out by hand, and ties are frequent.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

import msgspec
from hypothesis import strategies as st

from muniment.backends.vectors.columns import Changed
from muniment.backends.vectors.index import VectorIndex
from muniment.model.card import Card
from muniment.model.filter import (
    EVERYTHING,
    AtLeast,
    AtMost,
    Believed,
    Both,
    Chartered,
    Either,
    Filter,
    LiveAt,
    OneOf,
    Sourced,
    Under,
    ValidAt,
    matches,
)
from muniment.model.rows import NearbyText, VectorRow
from muniment.model.times import Instant

DIMENSIONS = 16
MODEL = "quarters@1"
LATE = 2**53

SPACES = ("/", "/hr", "/hr/pay", "/hr/payroll", "/ops")
WORDS = {
    "kind": ("fact", "risk", "decision"),
    "memory_class": ("semantic", "episodic"),
    "scope": ("project", "team", "person"),
    "scope_id": ("apollo", "north"),
    "namespace": SPACES,
    "session_id": ("s1", "s2", ""),
    "status": ("active", "contested", "retracted"),
    "actor": ("ana", "bot"),
    "support": ("sound", "missing"),
    "id": ("a", "b", "c", "d"),
}
READERS = ("", "\x1fana\x1f", "\x1fana\x1fbot\x1f", "\x1fanabel\x1f")
INSTANTS = (-5, 0, 7, LATE, LATE + 1, LATE + 3)
SHARES = (0.0, 0.25, 0.4, 0.4000000000000001, 1.0)
RANKS = (0, 1, 2)

PLAIN = Card(
    rid=1,
    id="a",
    revision=1,
    seq=1,
    kind="fact",
    memory_class="semantic",
    scope="project",
    scope_id="apollo",
    namespace="/hr",
    session_id=None,
    sensitivity=1,
    trust=1,
    label=1,
    confidence=0.4,
    provenance=True,
    actor="ana",
    created_at=Instant(7),
    valid_from=None,
    valid_until=None,
    expires_at=None,
    fingerprint=b"",
    slot=None,
    importance=0.5,
    half_life=None,
    anchored=False,
    review_at=None,
    readers="",
    status="active",
    since=1,
    successor=None,
    own=0.4,
    effective=0.4,
    support="sound",
    helpful=0.0,
    misleading=0.0,
    tier="warm",
    accesses=0,
    last_access=None,
    event_time=None,
)

_instant = st.none() | st.sampled_from(INSTANTS)
_lasting = st.fixed_dictionaries(
    {
        **{field: st.sampled_from(words) for field, words in WORDS.items() if field not in ("status", "support")},
        "session_id": st.none() | st.sampled_from(WORDS["session_id"]),
        "namespace": st.sampled_from(SPACES),
        "readers": st.sampled_from(READERS),
        "sensitivity": st.sampled_from(RANKS),
        "trust": st.sampled_from(RANKS),
        "confidence": st.sampled_from(SHARES),
        "provenance": st.booleans(),
        "created_at": st.sampled_from(INSTANTS),
        "valid_from": _instant,
        "valid_until": _instant,
        "expires_at": _instant,
    }
)
standings = st.fixed_dictionaries(
    {
        "status": st.sampled_from(WORDS["status"]),
        "support": st.sampled_from(WORDS["support"]),
        "label": st.sampled_from(RANKS),
        "effective": st.sampled_from(SHARES),
    }
)


@st.composite
def cards(draw: st.DrawFn) -> Card:
    return msgspec.structs.replace(PLAIN, **draw(_lasting), **draw(standings))


@st.composite
def tenants(draw: st.DrawFn, least: int = 0, most: int = 12) -> list[Card]:
    """Cards in the order of their births: numbers with gaps, now and then two in one entry."""
    rid, seq, tenant = 0, 1, list[Card]()
    for card in draw(st.lists(cards(), min_size=least, max_size=most)):
        rid, seq = rid + draw(st.integers(1, 3)), seq + draw(st.integers(0, 2))
        tenant.append(msgspec.structs.replace(card, rid=rid, seq=seq, since=seq))
    return tenant


_words = st.one_of(
    *(
        st.builds(
            OneOf, field=st.just(field), words=st.lists(st.sampled_from([*words, "unheard"]), max_size=6).map(tuple)
        )
        for field, words in WORDS.items()
    )
)
_bounds = {
    **dict.fromkeys(("sensitivity", "trust", "label"), st.sampled_from([-1, 0, 0.5, 1, 2, 300.0])),
    **dict.fromkeys(("confidence", "effective"), st.sampled_from([*SHARES, 0.39999999999999997])),
    "created_at": st.sampled_from([*INSTANTS, float(LATE), float(LATE + 4), 1e300, -1e300, float("inf"), float("nan")]),
    "seq": st.integers(0, 20) | st.just(4.5),
}
_numbers = st.one_of(
    *(
        st.builds(kind, field=st.just(field), value=value)
        for kind in (AtLeast, AtMost)
        for field, value in _bounds.items()
    )
)
_leaves: st.SearchStrategy[Filter] = st.one_of(
    _words,
    _numbers,
    st.builds(Under, namespaces=st.lists(st.sampled_from(SPACES), max_size=2).map(tuple)),
    st.just(Sourced()),
    st.builds(ValidAt, instant=st.sampled_from([*INSTANTS, 8, 2**70])),
    st.builds(LiveAt, instant=st.sampled_from([*INSTANTS, 8, -(2**70)])),
    st.builds(
        Believed,
        least=st.sampled_from(SHARES),
        namespaces=st.lists(st.tuples(st.sampled_from(SPACES), st.sampled_from(SHARES)), max_size=3).map(tuple),
    ),
    st.builds(Chartered, names=st.lists(st.sampled_from(["ana", "bot", "nobody"]), max_size=2).map(tuple)),
)
filters: st.SearchStrategy[Filter] = st.recursive(
    _leaves,
    lambda inner: (
        st.builds(Both, parts=st.lists(inner, max_size=3).map(tuple))
        | st.builds(Either, parts=st.lists(inner, max_size=3).map(tuple))
    ),
    max_leaves=6,
)
mild = st.just(EVERYTHING) | _leaves | filters
"""Filters that more often than not let something pass."""

_pool = tuple(
    tuple(0.25 if pattern >> bit & 1 else -0.25 for bit in range(DIMENSIONS)) for pattern in range(0, 2**16, 257)
)
vectors = st.sampled_from(_pool).map(lambda numbers: packed(*numbers))


def born(*rids: int, **fields: str | int | None) -> list[Card]:
    """Plain cards, each born in the entry of its own number."""
    return [msgspec.structs.replace(PLAIN, rid=rid, seq=rid, since=rid, **fields) for rid in rids]


def packed(*numbers: float) -> bytes:
    return struct.pack(f"<{len(numbers)}f", *numbers)


def unpacked(vector: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(vector) // 4}f", vector)


def since(tenant: Iterable[Card]) -> Changed:
    """What a store answers when asked for the cards that changed after a position."""
    return lambda after: [card for card in tenant if card.since > after]


@st.composite
def passages(draw: st.DrawFn, tenant: Sequence[Card]) -> list[VectorRow]:
    """Up to three passages for each revision, none for some."""
    return [
        VectorRow(rid=card.rid, start=10 * number, end=10 * number + 9, vector=draw(vectors))
        for card in tenant
        for number in range(draw(st.sampled_from([1, 1, 1, 0, 3])))
    ]


def filled(index: VectorIndex, tenant: Sequence[Card], rows: Sequence[VectorRow]) -> VectorIndex:
    """The same index, with everything in it."""
    head = max((card.since for card in tenant), default=0)
    index.sync(head, since(tenant))
    assert index.try_lock()
    index.begin(MODEL, DIMENSIONS)
    index.add(rows, upto=head, hash=bytes(32))
    return index


def cosine(one: bytes, other: bytes) -> float:
    return sum(a * b for a, b in zip(unpacked(one), unpacked(other), strict=True))


def nearest(
    tenant: Sequence[Card], rows: Sequence[VectorRow], condition: Filter, vector: bytes, by: int
) -> list[NearbyText]:
    """What a search must find, the slow way: card by card, number by number."""
    allowed = {card.rid for card in tenant if card.seq <= by and matches(condition, card)}
    best: dict[int, NearbyText] = {}
    for row in rows:
        near = NearbyText(rid=row.rid, cosine=cosine(row.vector, vector), start=row.start, end=row.end)
        if row.rid in allowed and (row.rid not in best or near.cosine > best[row.rid].cosine):
            best[row.rid] = near
    return sorted(best.values(), key=lambda near: (-near.cosine, -near.rid))
