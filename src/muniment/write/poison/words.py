"""Rules over the words of a text: sequences of words with bounded gaps, read in one pass.

No expression here can run away: a text is cut into words once, and each rule looks at a fixed number of words behind
the one it begins with, so that the work grows with the length of the text and with nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from muniment.model.value import Value
from muniment.model.vocabulary import Suspicion

_TOKEN = re.compile(r"https?:|[^\W_]+(?:['’][^\W_]+)?|[.!?](?=\s|\Z)|[@:,]|\n[ \t]*(?=\n)")
STOPS = frozenset(".!?\n")
_NEGATIONS = frozenset(
    ("not", "never", "cannot", "don't", "doesn't", "didn't", "won't", "can't", "shouldn't", "mustn't", "nor", "no")
)
_LEADS = frozenset(
    (
        *(":", ",", "and", "or", "then", "now", "so", "first", "next", "finally", "instead", "therefore", "hereby"),
        *("please", "kindly", "simply", "just", "also", "always", "immediately", "urgently", "important"),
        *("you", "must", "should", "shall", "will", "assistant", "ai", "model", "agent", "agents", "bot"),
    )
)
"""Words that an order follows."""


class Pattern(Value):
    """Words that follow each other: each step is a set of words and how many others may stand before it."""

    first: frozenset[str]
    rest: tuple[tuple[frozenset[str], int], ...]
    spelled: str


class Rule(Value):
    """A sequence with a name. `weak`: alone it says nothing. `ordering`: only where its first word gives an order."""

    family: Suspicion
    code: str
    note: str
    pattern: Pattern
    weak: bool = False
    ordering: bool = False


class Hit(Value):
    """A rule that was met, and which characters of the text met it."""

    rule: Rule
    start: int
    end: int


def spelled(pattern: str) -> Pattern:
    """Read a pattern: words in order, `a|b` for either, `<3` for up to three other words before the next.

    >>> spelled("ignore|forget <2 rules").rest
    ((frozenset({'rules'}), 2),)
    """
    steps: list[tuple[frozenset[str], int]] = []
    gap = 0
    for part in pattern.split():
        if part.startswith("<"):
            gap = int(part[1:])
            continue
        steps.append((frozenset(part.split("|")), gap))
        gap = 0
    return Pattern(first=steps[0][0], rest=tuple(steps[1:]), spelled=pattern)


class Rulebook:
    """Rules by the words they begin with."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self._by_word: dict[str, list[Rule]] = {}
        for rule in self.rules:
            for word in sorted(rule.pattern.first):
                self._by_word.setdefault(word, []).append(rule)
        self._words = frozenset(self._by_word)

    def hits(self, text: str) -> Iterator[Hit]:
        """Where the rules are met in a text of small letters."""
        words = _TOKEN.findall(text)
        if self._words.isdisjoint(words):
            return
        found = [
            (rule, start, end)
            for start, word in enumerate(words)
            for rule in self._by_word.get(word, ())
            if (end := _met(rule, words, start)) is not None
        ]
        if found:
            spans = [match.span() for match in _TOKEN.finditer(text)]
            yield from (Hit(rule=rule, start=spans[start][0], end=spans[end][1]) for rule, start, end in found)


def _met(rule: Rule, words: Sequence[str], start: int) -> int | None:
    """The position of the last word of a rule that begins here, or None."""
    if rule.ordering and not _orders(words, start):
        return None
    reached = {start}
    for group, gap in rule.pattern.rest:
        reached = {
            spot
            for before in reached
            for spot in range(before + 1, min(before + 2 + gap, len(words)))
            if words[spot] in group and STOPS.isdisjoint(words[before + 1 : spot])
        }
        if not reached:
            return None
    return max(reached)


def _orders(words: Sequence[str], start: int) -> bool:
    """Whether a verb stands where an order begins, and is not denied."""
    before = words[max(0, start - 3) : start]
    if any(word in _NEGATIONS for word in before[-2:]):
        return False
    return not before or before[-1] in STOPS or before[-1] in _LEADS
