"""What a question points at: a code that few records hold, a word that one holds, or the very text of a record.

A score by words falls with the length of a text, and what only lies near in meaning can outrank it. So what is pointed
at is looked up by itself, and comes before what is not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum
from functools import partial
from unicodedata import normalize

import msgspec

from muniment.model.entity import EntityKind
from muniment.model.receipt import Plan, Terms
from muniment.ports.hits import Matches
from muniment.ports.store import Snapshot
from muniment.text.entities import entities

FEW = 5
"""A code that at most so many records hold points at them; a word, that one holds."""

TELLING = 0.5
"""What a record is pointed at by is at least so much of what the question's words tell: "like" may be held by one
record only and is no reason to tell it first."""

CODES_MAX = 4
WORDS_MAX = 8

CODES = frozenset(
    {EntityKind.ID, EntityKind.PATH, EntityKind.URL, EntityKind.CODE, EntityKind.EMAIL, EntityKind.HANDLE}
)


_MIXED = re.compile(r"\b(?=\w*\d)(?=\w*[^\W\d_])\w+\b")


class Match(IntEnum):
    """How exactly a record is what the question points at, the least first."""

    NONE = 0
    WORD = 1
    NAME = 2
    CODE = 3
    TEXT_FOLDED = 4
    TEXT = 5


def codes_of(text: str) -> tuple[str, ...]:
    """The codes in a question as they are spelled: ids, versions, paths, addresses, names in code, and words of letters
    and digits.

    >>> codes_of("did ana@example.com roll abc-123 of web7 back to 2.14.0?")
    ('ana@example.com', 'abc-123', '2.14.0', 'web7')
    """
    named = [one.text for one in entities(text) if one.kind in CODES]
    mixed = (word for word in _MIXED.findall(text) if not any(word in name for name in named))
    return tuple(dict.fromkeys((*named, *mixed)))[:CODES_MAX]


def pointed_at(snapshot: Snapshot, plan: Plan, rarity: Mapping[str, float]) -> dict[int, Match]:
    """The records that pass the plan and alone hold a word of the question, or hold a code that few such records hold.
    Where quoted phrases must occur, these say what is meant."""
    if plan.terms.phrases:
        return {}
    found: dict[int, Match] = {}
    for match, search in _searches(snapshot, plan, rarity):
        matched = search()
        passed = [hit.rid for hit in matched.hits if hit.failed is None]
        if match is Match.WORD or matched.passed <= FEW:
            found.update(dict.fromkeys(passed, match))
    return found


def foretell_pointed(snapshot: Snapshot, plan: Plan, rarity: Mapping[str, float]) -> None:
    """Tell the store what is looked up for that."""
    if not plan.terms.phrases:
        snapshot.ahead(*(search for _, search in _searches(snapshot, plan, rarity)))


def _searches(
    snapshot: Snapshot, plan: Plan, rarity: Mapping[str, float]
) -> Iterator[tuple[Match, Callable[[], Matches]]]:
    words = _rarest(rarity, snapshot.lexicon.count())
    for terms, match in (words, Match.WORD), *(((code,), Match.CODE) for code in plan.terms.codes):
        if terms:
            only = msgspec.structs.replace(plan, terms=Terms(words=terms))
            yield match, partial(snapshot.lexicon.search, only, keep=FEW + WORDS_MAX)


def _rarest(rarity: Mapping[str, float], records: int) -> tuple[str, ...]:
    """The words that one record holds or none."""
    least = math.log((max(records, 2) - 0.5) / 1.5)
    found = sorted((word for word in rarity if rarity[word] >= least), key=lambda word: -rarity[word])
    return tuple(found[:WORDS_MAX])


def coverage(rarity: Mapping[str, float], held: Iterable[str]) -> float:
    """How much of what words tell is told by those that are held, rare ones telling more and none nothing."""
    tells = {word: math.log1p(math.exp(rare)) for word, rare in rarity.items()}
    whole = math.fsum(tells.values())
    return math.fsum(tells[word] for word in held) / whole if whole > 0 else 0.0


def rarest(records: int) -> float:
    """A little less than how rare a word is that none of so many records holds, and more than that of any other."""
    return math.log(records + 0.5)


def same_text(text: str, content: str) -> Match:
    """Whether a content is the very text of the question, or the same but for case and white space.

    >>> same_text("Flag ff_3 is on", "Flag ff_3 is on "), same_text("flag  ff_3 is ON", "Flag ff_3 is on")
    (<Match.TEXT: 5>, <Match.TEXT_FOLDED: 4>)
    """
    one, other = normalize("NFC", text).strip(), normalize("NFC", content).strip()
    if one == other:
        return Match.TEXT
    return Match.TEXT_FOLDED if _folded(one) == _folded(other) else Match.NONE


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
