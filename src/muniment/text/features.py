"""What a comparison needs of one text, read once: its words at once, its clauses when somebody asks for them.

Most pairs of texts have nothing to do with each other, and their words alone show it. Clauses cost ten times as much,
so they are read for the few pairs that are left, and kept for a while because one text meets several others.
"""

from __future__ import annotations

import re
from functools import lru_cache

from muniment.model.value import Value
from muniment.text.clauses import Clause, clauses
from muniment.text.stems import stem
from muniment.text.word_tables import STOP
from muniment.text.words import bag, folded, spoken, stated, telling

SALIENT_MAX = 10
"""More words of a long text find less: each that is not about its point brings in neighbours that are not either."""
SALIENT_FEW = 5
_FEW = 24
"""Up to so many telling words, the five longest are taken. Each word asked for costs a look into the index."""

_NO_PROMISE = 3
_WORD = re.compile(r"\w+")


class TextFeatures(Value):
    """A text and the stems of its telling words."""

    text: str
    words: frozenset[str]

    @property
    def clauses(self) -> tuple[Clause, ...]:
        return clauses_of(self.text)


@lru_cache(maxsize=256)
def text_features(text: str) -> TextFeatures:
    """Read one text.

    >>> sorted(text_features("The staging database is running in Frankfurt").words)
    ['databas', 'frankfurt', 'run', 'stag']
    """
    return TextFeatures(text=text, words=frozenset(bag(text)))


@lru_cache(maxsize=256)
def clauses_of(text: str) -> tuple[Clause, ...]:
    """The clauses of the spoken part of a text, as far as a text is read for statements."""
    return clauses(stated(spoken(text)))


def salient(source: TextFeatures | str) -> tuple[str, ...]:
    """The words to look for neighbours with, most promising first, as they stand in the text.

    A text can be contradicted where it denies something, gives a figure or reports a change, so the words of such
    clauses come first. Of a sentence or two the longest words are taken: they are the rarer ones, and that is quick
    to see.

    >>> salient("The staging database is running in Frankfurt")
    ('frankfurt', 'database', 'staging', 'running')
    """
    text = source.text if isinstance(source, TextFeatures) else source
    found = _forms(stated(spoken(text)))
    if len(found) <= _FEW:
        return tuple(sorted(found, key=len, reverse=True)[:SALIENT_FEW])
    places = _promise(clauses_of(text))
    found.sort(key=lambda word: places.get(stem(word), _NO_PROMISE))
    return tuple(found[:SALIENT_MAX])


def misspelt(text: str) -> tuple[str, ...]:
    """The longest words of a text as they stand, where they are spelled in letters that are read as others. An index of
    words as they stand finds them only so.

    >>> misspelt("Ｓｔａｇｉｎｇ runs"), misspelt("Staging runs")
    (('ｓｔａｇｉｎｇ',), ())
    """
    if text.isascii():
        return ()
    plain = set(_WORD.findall(folded(text)))
    odd = dict.fromkeys(word for word in _WORD.findall(text.lower()) if word not in plain)
    return tuple(sorted(odd, key=len, reverse=True)[:SALIENT_FEW])


def _forms(text: str) -> list[str]:
    """The telling words once each, figures last: a figure finds itself, but not the one that disagrees with it."""
    found = [word for word in dict.fromkeys(_WORD.findall(folded(text))) if word not in STOP]
    words = [word for word in found if not word[0].isdigit() and len(word) > 1 and telling(word) is not None]
    return words + [word for word in found if word[0].isdigit()]


def _promise(stated: tuple[Clause, ...]) -> dict[str, int]:
    """How much each word promises: 0 where something is denied or has changed to a figure, more for what says less."""
    places: dict[str, int] = {}
    for clause in stated:
        figured = any(not figure.label for figure in clause.figures)
        denied = frozenset[str]().union(*(denial.scope for denial in clause.denials))
        place = 0 if figured and clause.changing else 1 if figured or clause.changing else 2
        for word in clause.words:
            best = 0 if word in denied else _NO_PROMISE if clause.asking and place else place
            places[word] = min(best, places.get(word, _NO_PROMISE))
        for figure in clause.figures:
            if figure.label:
                places[str(figure.value[0])] = 1
        if place == 0:
            places |= {word: min(1, places.get(word, _NO_PROMISE)) for word in clause.around}
    return places
