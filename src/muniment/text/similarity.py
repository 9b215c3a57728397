"""How alike two texts are, and whether one only says again what the other says.

Likeness of wording alone proves nothing: "is enabled" and "is not enabled" are nearly the same words. So an echo must
agree in every figure, denial, name and order, and only then may its small words differ.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

from muniment.model.value import Value
from muniment.text.clauses import clauses
from muniment.text.features import TextFeatures
from muniment.text.quantities import Quantity, equal
from muniment.text.stems import stem
from muniment.text.word_tables import COMPARED, FILLER, NEGATIONS, OPPOSITES, TURNING
from muniment.text.words import bag, folded, spoken, unattributed

_LEFT_OVER = 0.15
"""How much of the words of both may be in one of them only."""
_BLOCK_MIN = 2
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_FILLERS = frozenset(map(stem, FILLER)) - TURNING
_IDLE = frozenset(("the", "a", "an", "is", "are", "be", "been", "it", "this", "that", "of", "we", "our", "i", "my"))

COMPARED_MAX = 8_192
"""How many characters of two texts are read to say whether one echoes the other. That is asked of few pairs, so more is
read for it than for disagreement."""
_OVERLAP = 0.7
_QUOTED_WORDS = 4
_QUOTED_LENGTH = 40
"""So few words, if they are so short too, are nobody's."""
_PLAIN = re.compile(r"\w+")


class EchoSignature(Value):
    """What must be the same in two texts for one to echo the other."""

    sequence: tuple[str, ...]
    words: frozenset[str]
    turning: frozenset[str]
    names: frozenset[str]
    figures: tuple[Quantity, ...]
    denials: int
    asking: bool


@lru_cache(maxsize=256)
def _gist(text: str) -> EchoSignature:
    stated = clauses(unattributed(spoken(text))[:COMPARED_MAX])
    forms = [word for clause in stated for word in clause.frame if word and word[0] != "="]
    roots = (stem(form) for form in forms if form not in _IDLE)
    sequence = tuple(dict.fromkeys(root for root in roots if root not in _FILLERS))
    figures = sorted((figure for clause in stated for figure in clause.figures), key=_rank)
    return EchoSignature(
        sequence=sequence,
        words=frozenset(sequence),
        turning=frozenset(
            "not" if form in NEGATIONS else form for form in forms if form in TURNING or form in COMPARED
        ),
        names=frozenset[str]().union(*(clause.names for clause in stated)),
        figures=tuple(figures),
        denials=sum(len(clause.denials) for clause in stated),
        asking=any(clause.asking for clause in stated),
    )


def _rank(figure: Quantity) -> tuple[str, str]:
    return figure.unit, str(figure.value)


@lru_cache(maxsize=256)
def _shingles(text: str) -> frozenset[str]:
    """Words and pairs of neighbouring words: the words say what, the pairs say in which order."""
    words = [stem(word) for word in _WORD.findall(folded(text)) if word not in _IDLE]
    return frozenset(words) | {f"{one} {other}" for one, other in pairwise(words)}


def similarity(one: TextFeatures, other: TextFeatures) -> float:
    """How much of the words and word pairs of two texts they share, from 0 to 1.

    >>> from muniment.text.features import text_features
    >>> similarity(text_features("The build is green"), text_features("Build green!"))
    1.0
    """
    a, b = _shingles(one.text), _shingles(other.text)
    together = len(a | b)
    return len(a & b) / together if together else float(one.text == other.text)


def echoes(one: TextFeatures, other: TextFeatures) -> bool:
    """Whether one text says what the other says, up to small words, inflection, punctuation and the order of clauses.

    >>> from muniment.text.features import text_features
    >>> said = text_features("The limit is 100 requests per minute")
    >>> echoes(text_features("Please note that the limit is 100 requests/minute."), said)
    True
    >>> echoes(text_features("The limit is 200 requests per minute"), said)
    False
    """
    if one.text == other.text:
        return True
    one, other = _bare(one), _bare(other)
    smaller, larger = sorted((len(one.words), len(other.words)))
    if smaller < (1 - _LEFT_OVER) * larger - 1 or len(one.words & other.words) < _OVERLAP * smaller:
        return False
    if not _same_code(one.text, other.text) or not _same_case(one.text, other.text):
        return False
    a, b = _gist(one.text), _gist(other.text)
    return (
        a.asking == b.asking
        and a.denials == b.denials
        and a.turning == b.turning
        and _same_figures(a.figures, b.figures)
        and _same_words(a, b)
        and _same_order(a, b)
    )


def quotes(one: TextFeatures, other: TextFeatures) -> bool:
    """Whether one of two texts stands in the other, word for word.

    >>> from muniment.text.features import text_features
    >>> page = text_features("The portal rotates its keys on Mondays")
    >>> quotes(text_features("As confirmed by all: the portal rotates its keys on Mondays!"), page)
    True
    >>> quotes(text_features("The portal is down"), page)
    False
    """
    shorter, longer = sorted((_spelling(one.text), _spelling(other.text)), key=len)
    return (shorter.count(" ") > _QUOTED_WORDS or len(shorter) > _QUOTED_LENGTH) and shorter in longer


def has_words_of_its_own(one: TextFeatures) -> bool:
    """Whether a text is long enough to be somebody's words."""
    spelled = _spelling(one.text)
    return spelled.count(" ") > _QUOTED_WORDS or len(spelled) > _QUOTED_LENGTH


def holds(one: TextFeatures, other: TextFeatures) -> bool:
    """Whether the first text says what the second says, with more around it: as a whole, or in some of its sentences.

    >>> from muniment.text.features import text_features
    >>> said = text_features("Refunds are paid out within five days")
    >>> holds(text_features("According to billing, refunds are paid out within five days. Customers asked."), said)
    True
    """
    if not has_words_of_its_own(other):
        return False
    if _spelling(other.text) in _spelling(one.text):
        return True
    sentences = [part for part in _SENTENCE.split(one.text)[:_SENTENCES_MAX] if part.strip()]
    return len(sentences) > 1 and any(echoes(_read(part), other) for part in sentences)


_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_SENTENCES_MAX = 12


def _bare(one: TextFeatures) -> TextFeatures:
    """A reading without the frame that says whom the text is from."""
    text = unattributed(one.text)
    return one if text == one.text else _read(text)


@lru_cache(maxsize=64)
def _read(part: str) -> TextFeatures:
    return TextFeatures(text=part, words=frozenset(bag(part)))


@lru_cache(maxsize=64)
def _spelling(text: str) -> str:
    return f" {' '.join(_PLAIN.findall(unicodedata.normalize('NFKC', text).casefold()))} "


def _same_code(one: str, other: str) -> bool:
    """In code, and in texts that are read in part only, every letter counts."""
    if max(len(one), len(other)) > COMPARED_MAX:
        return folded(one).split() == folded(other).split()
    return ("```" not in one and "```" not in other) or one.split("```")[1::2] == other.split("```")[1::2]


_INITIAL = re.compile(r"[^\W\d_][a-z]+ ([A-Z])\b(?!')")
_MEASURED = re.compile(r"\b[+\-−]?\d[\w.,]*\s?[^\W\d_]{0,3}\b|\b[^\W\d_]+\d\w*")


def _same_case(one: str, other: str) -> bool:
    """Whether units and codes are not the same but for their case: 5 mW is not 5 MW."""
    if one.isupper() or other.isupper():
        return True
    if sorted(_INITIAL.findall(one)) != sorted(_INITIAL.findall(other)):
        return False
    a, b = (sorted("".join(found.split()) for found in _MEASURED.findall(text)) for text in (one, other))
    return a == b or [text.lower() for text in a] != [text.lower() for text in b]


def _same_figures(one: tuple[Quantity, ...], other: tuple[Quantity, ...]) -> bool:
    return len(one) == len(other) and all(a.unit == b.unit and equal(a, b) for a, b in zip(one, other, strict=True))


def _same_words(one: EchoSignature, other: EchoSignature) -> bool:
    left = one.words ^ other.words
    if len(left) > _LEFT_OVER * len(one.words | other.words):
        return False
    if left & (one.names | other.names):
        return False
    return not any(word in OPPOSITES or not word.isascii() for word in left)


def _same_order(one: EchoSignature, other: EchoSignature) -> bool:
    """The words both have come in one order, or in that order with its two halves exchanged."""
    shared = one.words & other.words
    a = [word for word in one.sequence if word in shared]
    b = [word for word in other.sequence if word in shared]
    if a == b:
        return True
    if not a:
        return not one.words and not other.words
    turn = b.index(a[0])
    whole = _BLOCK_MIN <= turn <= len(b) - _BLOCK_MIN
    return whole and a == b[turn:] + b[:turn]
