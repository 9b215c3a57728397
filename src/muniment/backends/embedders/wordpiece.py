"""Text to word pieces, as the uncased BERT models expect them: the same ids as the reference tokenizer gives.

One difference is meant: a text that contains `[SEP]` or `[PAD]` contains those letters and brackets, not the marks.
What is remembered cannot forge the frame it is read in.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import islice

from muniment.backends.embedders.characters import DROPPED, IDEOGRAPHS, PUNCTUATION, Characters
from muniment.model.errors import IntegrityError
from muniment.text.scripts import script_of

WORD_LENGTH_MAX = 100
WORDS_KEPT_MAX = 100_000
CHARACTERS_READ_FIRST = 4_096
_LETTERS_LEAST = 2
"""A piece of fewer letters on average says which letters there are, and nothing of what they mean."""
_UNREAD_MOST = 0.5
UNKNOWN, BEGIN, END = "[UNK]", "[CLS]", "[SEP]"

_dropped = Characters(DROPPED)
_punctuation = Characters(PUNCTUATION)
_ideographs = Characters(IDEOGRAPHS)


class _Normal(dict[int, str]):
    """What becomes of each character, worked out when it is first met: nothing for controls and accents, lower case,
    and room around whatever is a word of its own."""

    def __missing__(self, code: int) -> str:
        found = self[code] = _normal(chr(code))
        return found


def _normal(character: str) -> str:
    """What one character becomes.

    >>> [_normal(character) for character in "Aé!中\\t\\u200d"]
    ['a', 'e', ' ! ', ' 中 ', ' ', '']
    """
    if character in "\t\n\r":
        return " "
    if character in _dropped:
        return ""
    if character.isspace():
        return " "
    apart = character in _ideographs
    kept = "".join(part.lower() for part in unicodedata.normalize("NFD", character) if part not in _dropped)
    marked = "".join(f" {part} " if part in _punctuation else part for part in kept)
    return f" {marked} " if apart else marked


_normals = _Normal()


class WordPiece:
    """A tokenizer with one vocabulary. Keeps the pieces of words it has met; safe to share between threads."""

    def __init__(self, vocabulary: str) -> None:
        """`vocabulary`: one piece a line; its number is its id."""
        pieces = vocabulary.split("\n")
        self._ids = {piece.strip(): number for number, piece in enumerate(pieces) if piece.strip()}
        if missing := {UNKNOWN, BEGIN, END} - self._ids.keys():
            raise IntegrityError(f"the vocabulary lacks {', '.join(sorted(missing))}")
        self._unknown = (self._ids[UNKNOWN],)
        self._begin, self._end = self._ids[BEGIN], self._ids[END]
        self._kept: dict[str, tuple[int, ...]] = {}

    def encode(self, text: str, *, window: int) -> list[int]:
        """The ids of a text between the marks of beginning and end, at most `window` of them: what is beyond is cut."""
        ids = [self._begin]
        for word in _words(text, enough=window):
            ids += self._pieces(word)
            if len(ids) >= window:
                break
        del ids[window - 1 :]
        ids.append(self._end)
        return ids

    def reads(self, text: str, *, window: int) -> bool:
        """Whether the vocabulary has words for most of the letters of a text. A word of another script that is unknown,
        or taken letter by letter, is not read."""
        letters = unread = 0
        for word in islice(_words(text, enough=window), window):
            if not word[0].isalpha():
                continue
            pieces = self._pieces(word)
            letters += len(word)
            foreign = not word.isascii() and script_of(word) != "latin"
            if pieces == self._unknown or (foreign and len(word) < _LETTERS_LEAST * len(pieces)):
                unread += len(word)
        return unread <= _UNREAD_MOST * letters

    def _pieces(self, word: str) -> tuple[int, ...]:
        found = self._kept.get(word)
        if found is None:
            if len(self._kept) >= WORDS_KEPT_MAX:
                self._kept.clear()
            found = self._kept[word] = self._split(word)
        return found

    def _split(self, word: str) -> tuple[int, ...]:
        """The longest pieces from the left; one that is not there makes the whole word unknown."""
        if len(word) > WORD_LENGTH_MAX:
            return self._unknown
        found: list[int] = []
        start, lead = 0, ""
        while start < len(word):
            for end in range(len(word), start, -1):
                number = self._ids.get(lead + word[start:end])
                if number is not None:
                    break
            else:
                return self._unknown
            found.append(number)
            start, lead = end, "##"
        return tuple(found)


def _words(text: str, *, enough: int) -> Iterator[str]:
    """The words of a text, the first `enough` at least. A long text is read no further than that takes."""
    reach = max(CHARACTERS_READ_FIRST, 16 * enough)
    while True:
        words = text[:reach].translate(_normals).split(" ")
        if reach >= len(text):
            break
        whole = [word for word in words[:-1] if word]  # the last may go on
        if len(whole) >= enough:
            return iter(whole)
        reach *= 4
    return (word for word in words if word)
