"""Compare a new text with one that stands: does it repeat it, bring it up to date, or contradict it?

Two texts are compared only if they are about the same thing. A difference in one value of one and the same statement is
proven; whatever else wording shows is a suspicion.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from operator import itemgetter

from muniment.model.value import Value
from muniment.model.vocabulary import ConflictType
from muniment.text.clauses import Clause
from muniment.text.differences import apart, changed, difference, strayed
from muniment.text.disagreements import Disagreement, disagreements
from muniment.text.features import TextFeatures, clauses_of, salient, text_features
from muniment.text.similarity import echoes, similarity
from muniment.text.word_tables import STOP
from muniment.text.words import folded

__all__ = [
    "THRESHOLD",
    "ComparisonResult",
    "TextFeatures",
    "compare",
    "echoes",
    "salient",
    "similarity",
    "text_features",
]

THRESHOLD = 0.6
"""Below this score a disagreement is not reported."""

SAME = "same"
CHANGED = "changed"
_SHARED_MAX = 6
_SHARED_PART = 0.4
_LAST = 15
_ENOUGH = tuple(min(_SHARED_MAX, _SHARED_PART * words) for words in range(_LAST + 1))
"""How many words two texts must share to have one subject, by how many the shorter has; from the last on the same."""
_PARTNERS = 3
_POSTINGS_MAX = 8
_VOTES_MIN = 2
_NOTE_MAX = 120
_PLAIN = re.compile(r"\w+")


class ComparisonResult(Value):
    """What a comparison found. `why` is one of a few stable words; `note` names the two pieces, for a person.

    `proven`: found by a rule that is exact enough to contest both sides. Any other finding is a suspicion.
    """

    type: ConflictType
    why: str
    score: float
    note: str
    proven: bool = False


def compare(new: TextFeatures, old: TextFeatures, threshold: float = THRESHOLD) -> ComparisonResult | None:
    """Say how a new text stands towards an old one, or nothing if the words do not show it.

    >>> old = text_features("The API rate limit is 100 requests per minute")
    >>> compare(text_features("The API rate limit is now 200 requests per minute"), old).note
    '200 requests per minute against 100 requests per minute'
    >>> compare(text_features("The upload limit is 5 GB"), old) is None
    True
    """
    if new.text == old.text or (may_meet(new, old) and echoes(new, old)):
        return ComparisonResult(type=ConflictType.DUPLICATE, why=SAME, score=similarity(new, old), note="says the same")
    found = difference(new.text, old.text)
    if found is not None:
        note = f"{_short(found.new)} against {_short(found.old)}"
        return ComparisonResult(type=found.type, why=found.why, score=1.0, note=note, proven=found.proven)
    if may_meet(new, old):
        suspected = _by_clauses(new, old, threshold)
        if suspected is not None:
            return suspected
    if not changed(new.text, old.text):
        return None
    note = f"{_short(new.text)} after {_short(old.text)}"
    return ComparisonResult(type=ConflictType.UPDATE, why=CHANGED, score=threshold, note=note)


def _by_clauses(new: TextFeatures, old: TextFeatures, threshold: float) -> ComparisonResult | None:
    """The surest disagreement between a clause of one text and a clause of the other, unless the texts are about
    different things."""
    found = [
        (clash.score, one, clash)
        for one, other in _partners(new.clauses, old)
        for clash in disagreements(one, other)
        if clash.score >= threshold
    ]
    if not found:
        return None
    _, stated, clash = max(found, key=itemgetter(0))
    if strayed(new.text, old.text, clash.new, clash.old) or apart(new.text, old.text, (clash.new, clash.old)):
        return None
    return _finding(stated, clash)


def may_meet(new: TextFeatures, old: TextFeatures) -> bool:
    """Whether two texts share enough words to have one subject. Most pairs end here."""
    one, other = new.words, old.words
    return len(one & other) >= max(1, _ENOUGH[min(len(one), len(other), _LAST)])


def could_meet(new: str, old: str) -> bool:
    """The same, quicker and looser, for two texts that are not read yet: words as they stand, without their stems.

    >>> could_meet("The build is green", "A green build"), could_meet("The build is green", "It rains")
    (True, False)
    """
    one, other = plain_words(new), plain_words(old)
    return len(one & other) >= _ENOUGH[min(len(one), len(other), _LAST)] / 2


@lru_cache(maxsize=256)
def plain_words(text: str) -> frozenset[str]:
    """The words of a text that are no stop words, as they stand."""
    return frozenset(_PLAIN.findall(folded(text))) - STOP


def _finding(stated: Clause, clash: Disagreement) -> ComparisonResult:
    changed = ConflictType.UPDATE if stated.changing else ConflictType.CONTRADICTION
    note = f"{_short(clash.new)} against {_short(clash.old)}"
    return ComparisonResult(type=changed, why=clash.why, score=clash.score, note=note)


def _short(text: str) -> str:
    return text if len(text) <= _NOTE_MAX else text[: _NOTE_MAX - 1] + "…"


def _partners(new: tuple[Clause, ...], against: TextFeatures) -> Iterator[tuple[Clause, Clause]]:
    """Each new clause with the few old ones it shares most words with.

    Words that many clauses have lead nowhere and are not followed, so the work grows with the length of the texts and
    not with its square.
    """
    old = against.clauses
    if len(new) == 1 and len(old) == 1:
        yield new[0], old[0]
        return
    places = _places(against.text)
    for clause in new:
        votes = Counter([number for word in clause.words if word in places for number in places[word]])
        least = min(_VOTES_MIN, len(clause.words))
        for number, shared in sorted(votes.items(), key=itemgetter(1), reverse=True)[:_PARTNERS]:
            if shared >= least or len(old[number].words) < _VOTES_MIN:
                yield clause, old[number]


@lru_cache(maxsize=256)
def _places(text: str) -> dict[str, tuple[int, ...]]:
    """In which clauses of a text each word stands. Kept for a while: what is near to one text is near to the next."""
    places: dict[str, list[int]] = {}
    for number, clause in enumerate(clauses_of(text)):
        for word in clause.words | clause.around:
            places.setdefault(word, []).append(number)
    return {word: tuple(found) for word, found in places.items() if len(found) <= _POSTINGS_MAX}
