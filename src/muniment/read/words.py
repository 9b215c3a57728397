"""Make search terms of whatever a caller types. Any text is a legal query; none of it is ever syntax."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from itertools import pairwise
from unicodedata import normalize

from muniment.model.receipt import Terms
from muniment.text.languages import SILENT, language_of, telling_parts
from muniment.text.scripts import bigrams, script_of, words_in
from muniment.text.stop_words import STOP_WORDS

WORDS_MAX = 64
GAP = 2
_PHRASE = re.compile(r'"([^"]{1,512})"')


def read_terms(text: str) -> Terms:
    """Split a query into words and quoted phrases; leave stop words out unless there is nothing else.

    >>> terms = read_terms('where is the "staging database" now, and the Wiki?')
    >>> terms.words, terms.phrases, terms.common
    (('wiki',), (('staging', 'database'),), ('where', 'is', 'the', 'now', 'and'))
    >>> read_terms("the name of the staging database").pairs
    (('name', 'staging'), ('staging', 'database'))
    """
    text = normalize("NFC", text)
    stop = STOP_WORDS | SILENT.get(language_of(text) or "", frozenset())
    pairs = _pairs(words_of(text), stop)
    phrases = tuple(words for quoted in _PHRASE.findall(text) if (words := tuple(words_of(quoted))))
    found = list(dict.fromkeys(words_of(_PHRASE.sub(" ", text))))
    telling = list(dict.fromkeys(piece for word in found if word not in stop for piece in _pieces(word)))
    common = tuple(word for word in found if word in stop)
    if not telling and not phrases:
        return Terms(words=tuple(found[:WORDS_MAX]))
    return Terms(words=tuple(telling[:WORDS_MAX]), phrases=phrases[:WORDS_MAX], common=common[:WORDS_MAX], pairs=pairs)


def words_of(text: str) -> list[str]:
    """The words of a text in small letters, in order."""
    return [word.lower() for word in words_in(text) if word.strip("_")]


def _pieces(word: str) -> list[str]:
    """A word, or the pairs of letters of a run without spaces, without the words in it that only ask or connect.

    >>> _pieces("server"), _pieces("部署在哪里"), _pieces("東京の天気はどうですか"), _pieces("什么")
    (['server'], ['部署'], ['東京', '天気'], ['什么'])
    """
    if script_of(word) != "unspaced":
        return [word]
    return [pair for part in telling_parts(word) or [word] for pair in bigrams(part)]


def _pairs(words: list[str], stop: AbstractSet[str]) -> tuple[tuple[str, str], ...]:
    """Telling words that follow each other with at most `GAP` stop words between them."""
    spots = [(spot, word) for spot, word in enumerate(words) if word not in stop]
    close = ((one, other) for (here, one), (there, other) in pairwise(spots) if there - here <= GAP + 1)
    return tuple(dict.fromkeys((one, other) for one, other in close if one != other))[:WORDS_MAX]
