"""Make search terms of whatever a caller types. Any text is a legal query; none of it is ever syntax."""

from __future__ import annotations

import re
from itertools import pairwise
from unicodedata import normalize

from muniment.model.receipt import Terms
from muniment.text.stop import STOP_WORDS

WORDS_MAX = 64
GAP = 2
_PHRASE = re.compile(r'"([^"]{1,512})"')
_WORD = re.compile(r"\w+")


def read_terms(text: str) -> Terms:
    """Split a query into words and quoted phrases; leave stop words out unless there is nothing else.

    >>> terms = read_terms('where is the "staging database" now, and the Wiki?')
    >>> terms.words, terms.phrases, terms.common
    (('wiki',), (('staging', 'database'),), ('where', 'is', 'the', 'now', 'and'))
    >>> read_terms("the name of the staging database").pairs
    (('name', 'staging'), ('staging', 'database'))
    """
    text = normalize("NFC", text)
    pairs = _pairs(words_of(text))
    phrases = tuple(words for quoted in _PHRASE.findall(text) if (words := tuple(words_of(quoted))))
    found = list(dict.fromkeys(_spellings(words_of(_PHRASE.sub(" ", text)))))
    telling = [word for word in found if word not in STOP_WORDS]
    common = tuple(word for word in found if word in STOP_WORDS)
    if not telling and not phrases:
        return Terms(words=tuple(found[:WORDS_MAX]))
    return Terms(words=tuple(telling[:WORDS_MAX]), phrases=phrases[:WORDS_MAX], common=common[:WORDS_MAX], pairs=pairs)


def words_of(text: str) -> list[str]:
    """The words of a text in small letters, in order."""
    return [word.lower() for word in _WORD.findall(text) if word.strip("_")]


def _pairs(words: list[str]) -> tuple[tuple[str, str], ...]:
    """Telling words that follow each other with at most `GAP` stop words between them."""
    spots = [(spot, word) for spot, word in enumerate(words) if word not in STOP_WORDS]
    close = ((one, other) for (here, one), (there, other) in pairwise(spots) if there - here <= GAP + 1)
    return tuple(dict.fromkeys((one, other) for one, other in close if one != other))[:WORDS_MAX]


def _spellings(words: list[str]) -> list[str]:
    """Each word composed and decomposed: the index keeps the two apart where they are not the same letters."""
    return [spelling for word in words for spelling in (word, normalize("NFD", word))]
