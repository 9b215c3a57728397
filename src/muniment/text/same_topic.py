"""Whether two clauses speak of the same thing. Only then can what they say of it disagree.

Sharing words is not enough. "Free users get 100 requests" and "paid users get 200" share nearly all of theirs. What
tells two subjects apart is that each side has something of its own in the same role: a name, a number that is part of a
name, a word of a contrasting pair, or a different word before the verb or in the same place.
"""

from __future__ import annotations

from collections.abc import Set

from muniment.text.clauses import Clause
from muniment.text.quantities import differ
from muniment.text.stems import stem
from muniment.text.word_tables import CHANGES, CONTRASTS

_AROUND = 0.5
_EXTRA = 0.25
_WEIGHT_MIN = 1.5
_TINY = 3
_NEUTRAL = frozenset(map(stem, (*CHANGES, "scheduled", "set", "planned", "expected", "stand")))
"""Words that say how something came to its value, and not what it is."""
_SELF = frozenset(("i", "my", "me", "we", "our", "us", "mine"))


def focus(one: Clause, other: Clause, aside: Set[str] = frozenset()) -> float:
    """How surely two clauses speak of the same thing, leaving `aside` the words that are the difference in question.

    What one side says more than the other is an elaboration and costs little; what each says and the other does not
    makes them two things.
    """
    a, b = one.words - aside - _NEUTRAL, other.words - aside - _NEUTRAL
    only_a, only_b = a - other.words - other.around, b - one.words - one.around
    if _told_apart(one, other, only_a, only_b):
        return 0.0
    shared = len(a & b)
    near = len((a & other.around) | (b & one.around) | (one.around & other.around))
    weight = shared + _AROUND * min(near, 3)
    fewer, more = sorted((len(only_a), len(only_b)))
    tiny = shared and more == 0 and len(a) <= _TINY and len(b) <= _TINY
    if weight < _WEIGHT_MIN and not tiny:
        return 0.0
    return weight / (weight + fewer + _EXTRA * more)


def _told_apart(one: Clause, other: Clause, only_a: Set[str], only_b: Set[str]) -> bool:
    if only_a & one.names and only_b & other.names:
        return True
    if any(only_b & CONTRASTS[word] for word in only_a if word in CONTRASTS):
        return True
    if labels_differ(one, other):
        return True
    if not only_a or not only_b:
        return False
    if only_a & one.subject and only_b & other.subject:
        return True
    return bool(_places(one, only_a) & _places(other, only_b))


def labels_differ(one: Clause, other: Clause) -> bool:
    """Whether a number that is part of a name is another one: server 12 is not server 13."""
    return any(a.label and a.unit == b.unit and differ(a, b) for a in one.figures for b in other.figures)


def _places(clause: Clause, words: Set[str]) -> frozenset[tuple[str, str]]:
    """Where words stand: the word before with a small word after, so that "for free" and "for paid" meet."""
    frame = clause.frame
    return frozenset(
        (frame[at - 1] if at else "", frame[at + 1] if at + 1 < len(frame) else "")
        for at, word in enumerate(frame)
        if word in words and (at or len(frame) > 1)
    )


def same_subject(one: Clause, other: Clause) -> bool:
    """Whether what stands before the verbs can be the same: shared words, one pronoun, or nothing on both sides."""
    if one.subject or other.subject:
        return not one.subject.isdisjoint(other.subject)
    return one.person == other.person


def first_person(clause: Clause) -> bool:
    return any(form in _SELF for form in clause.frame)
