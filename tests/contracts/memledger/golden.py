"""Thirty decisions with the memories they used, and how well a person would say they can be attributed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Case(NamedTuple):
    name: str
    label: str
    memories: tuple[Mapping[str, object], ...]
    chain: Mapping[str, object] | None = None


def _told(sure: float, by: str | None = "ana", *, hedged: bool = False, session: str | None = "s") -> dict[str, object]:
    return {"confidence": sure, "created_by": by, "hedged": hedged, "session_id": session}


GOLDEN = (
    Case("one sure memory", "well", (_told(0.9),)),
    Case("two sure memories of two authors", "well", (_told(0.9), _told(0.8, "bob"))),
    Case("a just sure enough memory", "well", (_told(0.6),)),
    Case("three of one author", "well", (_told(0.7), _told(0.8), _told(0.95))),
    Case("one sure, one hedged guess", "well", (_told(0.9), _told(0.4, hedged=True))),
    Case("sure without a session", "well", (_told(0.9, session=None),)),
    Case("many sure, one unsure", "well", (_told(0.9), _told(0.9), _told(0.9), _told(0.5))),
    Case("a sound chain", "well", (_told(0.8),), {"min_confidence": 0.7, "truncated": False}),
    Case("a sound chain cut short", "well", (_told(0.8),), {"min_confidence": 0.7, "truncated": True}),
    Case("four authors", "well", (_told(0.7), _told(0.7, "bob"), _told(0.7, "cy"), _told(0.7, "di"))),
    Case("half without an author", "partial", (_told(0.5), _told(0.7, None))),
    Case("one without an author", "partial", (_told(0.9, None),)),
    Case("one weak memory", "partial", (_told(0.3),)),
    Case("one very weak memory", "partial", (_told(0.05),)),
    Case(
        "sure, over a weak chain, one author missing",
        "partial",
        (_told(0.8), _told(0.8, None)),
        {"min_confidence": 0.1},
    ),
    Case("three unsure", "partial", (_told(0.5), _told(0.5), _told(0.5))),
    Case("one weak among sure ones, no sessions", "partial", (_told(0.9, session=None), _told(0.2, session=None))),
    Case("unsure over a weak chain", "partial", (_told(0.5),), {"min_confidence": 0.2, "truncated": True}),
    Case("nobody's, and unsure", "partial", (_told(0.5, None),)),
    Case("one weak of two", "partial", (_told(0.3), _told(0.55))),
    Case("nothing at all", "bad", ()),
    Case("two weak ones nobody wrote", "bad", (_told(0.2, None), _told(0.1, None))),
    Case("three weak ones", "bad", (_told(0.2), _told(0.2), _told(0.2))),
    Case("weak and nobody's", "bad", (_told(0.3, None),)),
    Case("weak, without author or session", "bad", (_told(0.3, None, session=None),)),
    Case("two weak over a weak chain", "bad", (_told(0.3), _told(0.3)), {"min_confidence": 0.1}),
    Case("four weak among good ones", "bad", tuple([_told(0.9)] * 4 + [_told(0.2)] * 4)),
    Case("worthless and nobody's", "bad", (_told(0.0, None),)),
    Case(
        "weak without sessions over a cut chain",
        "bad",
        (_told(0.1, session=None),),
        {"min_confidence": 0.1, "truncated": True},
    ),
    Case("unsure, nobody's, no session, weak chain", "bad", (_told(0.4, None, session=None),), {"min_confidence": 0.3}),
)
"""Ten of each label, in order."""
