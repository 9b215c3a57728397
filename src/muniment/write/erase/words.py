"""The words that only the erased said: what must not be left in any other text, beside its names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from unicodedata import normalize

from muniment.model.erasure import ERASED
from muniment.ports.lexicon import Lexicon
from muniment.text.scripts import RUNS, Script, bigrams, runs, script_of
from muniment.text.stop_words import STOP_WORDS
from muniment.write.erase.names import NO_NAME, SubjectName

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*|\n+")
TELLING_LENGTH = 4
TELLING_LENGTHS: dict[Script, int] = {"unspaced": 2, "hangul": 2, "arabic": 3, "hebrew": 3}
SHARED_WORDS = 4


def words_of(text: str) -> list[str]:
    """The words of a text, folded so that case and composition do not matter; of a run without spaces its pairs of
    letters."""
    found: list[str] = []
    for run in runs(normalize("NFKC", text).casefold()):
        found += bigrams(run.text) if run.script == "unspaced" else [run.text]
    return found


class ForbiddenWords:
    """What other texts must not say any more: a name, and words that nobody but the erased has said."""

    def __init__(
        self, name: SubjectName = NO_NAME, words: frozenset[str] = frozenset(), texts: Iterable[str] = ()
    ) -> None:
        self.name = name
        self.words = words
        self._runs = frozenset(run for text in texts for run in _runs(text))

    def within(self, text: str) -> bool:
        """Whether a text says any of it."""
        return not self.words.isdisjoint(words_of(text)) or self.name.within(text)

    def cut(self, text: str) -> str:
        """The text with what must not be said struck out word by word."""
        kept = self.name.cut(text)
        return RUNS.sub(lambda found: ERASED if self._lost(found[0]) else found[0], kept) if self.words else kept

    def _lost(self, word: str) -> bool:
        return not self.words.isdisjoint(words_of(word))

    def trimmed(self, text: str) -> str:
        """The text without its sentences that say any of it, or repeat a run of words of what is erased."""
        sentences = _SENTENCE.split(text)
        kept = [ERASED if self._taken_over(sentence) else sentence for sentence in sentences]
        return " ".join(sentence for spot, sentence in enumerate(kept) if spot == 0 or sentence != kept[spot - 1])

    def _taken_over(self, sentence: str) -> bool:
        return self.within(sentence) or not self._runs.isdisjoint(_runs(sentence))


def _runs(text: str) -> Iterable[tuple[str, ...]]:
    words = words_of(text)
    return (tuple(words[spot : spot + SHARED_WORDS]) for spot in range(len(words) - SHARED_WORDS + 1))


def last_words(lexicon: Lexicon, contents: list[str], waiting: list[str], besides: list[str]) -> frozenset[str]:
    """The telling words of these contents, and of what is `waiting`, that no revision holds but theirs, and those of
    `besides`, which will lose them; as they were spelled and as the index spells them. What waits is not in the index,
    so it does not count as one of the revisions that hold a word."""
    held: Counter[str] = Counter()
    spellings: dict[str, set[str]] = {}
    for content in contents:
        held.update(set(lexicon.tokens(content)))
    for content in waiting:
        held.update(dict.fromkeys(lexicon.tokens(content), 0))
    for content in besides:
        held.update(set(lexicon.tokens(content)).intersection(held.keys()))
    for word in {word for content in (*contents, *waiting) for word in words_of(content)}:
        for term in lexicon.tokens(word):
            spellings.setdefault(term, {term}).add(word)
    everywhere = lexicon.holding(held)
    gone = (term for term, count in held.items() if everywhere.get(term, 0) <= count)
    spelled = {word for term in gone for word in spellings.get(term, {term})}
    return frozenset(word for word in spelled if _telling(word))


def _telling(word: str) -> bool:
    least = TELLING_LENGTHS.get(script_of(word), TELLING_LENGTH)
    return word not in STOP_WORDS and (len(word) >= least or any(char.isdigit() for char in word))
