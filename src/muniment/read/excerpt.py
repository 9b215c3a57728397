"""Choose what to show of a long content that was found by its words: the passage that holds the most of them."""

from __future__ import annotations

from itertools import takewhile

from muniment.model.receipt import Terms
from muniment.ports.lexicon import Lexicon
from muniment.text.passages import SIZE, passages

_STEM_MIN = 3
_PAIR = 2


def excerpt(lexicon: Lexicon, terms: Terms, content: str) -> tuple[int, int] | None:
    """Where the best passage begins and ends, the first of several as good; None for a content that is short enough.

    A word is taken to be in a passage if its beginning is, up to where its stem ends: close enough to choose by.
    """
    if len(content) <= SIZE:
        return None
    sought = [
        start
        for word in _words(terms)
        if len(start := _beginning(lexicon, word)) >= (_STEM_MIN if word.isascii() else _PAIR)
    ]
    small = content.lower()
    spots = [(one.start, one.end) for one in passages(content)]
    if len(small) != len(content):  # some letters are longer in small
        small = content
    counts = [sum(1 for start in sought if small.find(start, *spot) >= 0) for spot in spots]
    return spots[counts.index(max(counts))]


def _words(terms: Terms) -> list[str]:
    return list(dict.fromkeys([*terms.words, *(word for phrase in terms.phrases for word in phrase)]))


def _beginning(lexicon: Lexicon, word: str) -> str:
    """What the spellings of a word have in common."""
    places = lexicon.places([word])[word]
    if len(places) != 1:
        return word
    same = takewhile(lambda pair: pair[0] == pair[1], zip(word, places[0][0], strict=False))
    return "".join(letter for letter, _ in same)
