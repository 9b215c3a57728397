"""Cut a long text into passages by character offsets, from the left, the same way every time.

Where a passage ends depends only on the text up to that place, so what is appended to a text moves its last passage
and no other.
"""

from __future__ import annotations

import re
import unicodedata

from muniment.model.errors import Malformed
from muniment.model.value import Value

SIZE = 900
OVERLAP = 120
SIZE_MIN = 16
_CLUSTER_MAX = 64
"""How far a cut moves back to spare a character that is written with several code points."""

_PARAGRAPH = re.compile(r"\n\s*\n\s*")
_SENTENCE = re.compile(r"[.!?…][\"'”’)\]]*\s+|[。！？]+\s*|\n\s*")
_WORD = re.compile(r"\s+")
_JOINER = "\u200d"
_JOINED = frozenset({_JOINER, "\u200c", "\ufe0e", "\ufe0f", *map(chr, range(0x1F3FB, 0x1F400))})


class TextPassage(Value):
    """A stretch of a text: from the character `start` up to, not including, the character `end`."""

    start: int
    end: int


def passages(text: str, *, size: int = SIZE, overlap: int = OVERLAP) -> tuple[TextPassage, ...]:
    """The passages of a text, in order, none longer than `size`, each sharing at most `overlap` with the one before.

    A passage ends at the end of a paragraph, a sentence, a line or a word if there is one in its latter half, and
    otherwise where its room ends. A text that fits is one passage; an empty one has none.

    >>> [(one.start, one.end) for one in passages("One is here. Two is there. Three.", size=20, overlap=0)]
    [(0, 13), (13, 33)]
    """
    if size < SIZE_MIN:
        raise Malformed("size", f"a whole number of at least {SIZE_MIN}")
    if not 0 <= overlap <= size // 4:
        raise Malformed("overlap", "a whole number from 0 to a quarter of size")
    found: list[TextPassage] = []
    start = 0
    while len(text) - start > size:
        end = _end(text, start, size)
        found.append(TextPassage(start=start, end=end))
        start = _next(text, start, end, overlap)
    if text:
        found.append(TextPassage(start=start, end=len(text)))
    return tuple(found)


def _end(text: str, start: int, size: int) -> int:
    """The best place to stop. At least half of the room is used, so that the walk is linear."""
    stop, half = start + size, start + size // 2
    for pattern, least in ((_PARAGRAPH, start + 2 * size // 3), (_SENTENCE, half), (_WORD, half)):
        place = _last(pattern, text, least, stop)
        if place:
            return _whole(text, start, place, least=half)
    return _whole(text, start, stop, least=half)


def _last(pattern: re.Pattern[str], text: str, least: int, stop: int) -> int:
    """Where the last match between the two places ends, or 0."""
    place = 0
    for match in pattern.finditer(text, least, stop):
        place = match.end()
    return place


def _next(text: str, start: int, end: int, overlap: int) -> int:
    """Where the next passage begins: at a sentence, else a word, else anywhere in the overlap."""
    if not overlap:
        return end
    for pattern in (_SENTENCE, _WORD):
        match = pattern.search(text, end - overlap, end)
        if match is not None and match.end() < end:
            return _whole(text, start, match.end(), least=end - overlap)
    return _whole(text, start, end - overlap, least=end - overlap, forward=end)


def _whole(text: str, start: int, place: int, *, least: int, forward: int = 0) -> int:
    """The nearest place before (or, up to `forward`, after) which no character is cut in two."""
    step = 1 if forward else -1
    bound = min(forward, place + _CLUSTER_MAX) if forward else max(least, place - _CLUSTER_MAX)
    moved = place
    while moved != bound and _inside(text, start, moved):
        moved += step
    return moved if forward or not _inside(text, start, moved) else place


def _inside(text: str, start: int, place: int) -> bool:
    """Whether a cut here would part what is shown as one character."""
    after, before = text[place], text[place - 1]
    if after < "\u0300":
        return after == "\n" and before == "\r"
    if after in _JOINED or before == _JOINER or unicodedata.category(after) in ("Mn", "Me", "Mc"):
        return True
    if "\udc00" <= after <= "\udfff":
        return "\ud800" <= before <= "\udbff"
    return _flag(after) and _flags_before(text, start, place) % 2 == 1


def _flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flags_before(text: str, start: int, place: int) -> int:
    """How many of the letters that pair up into flags stand right before a place."""
    count = 0
    while place - count > start and _flag(text[place - count - 1]):
        count += 1
    return count
