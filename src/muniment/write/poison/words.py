"""Rules over the words of a text: sequences of words with bounded gaps, read in one pass.

No expression here can run away: a text is cut into words once, and each rule looks at a fixed number of words behind
the one it begins with, so that the work grows with the length of the text and with nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from muniment.model.value import Value
from muniment.model.vocabulary import Suspicion

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[.!?](?=\s|\Z)|[@:,]|\n[ \t]*(?=\n)")
_PLAIN_TOKEN = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)?|[.!?](?=\s|\Z)|[@:,]|\n[ \t]*(?=\n)")
"""The same for plain text, where it takes half the time."""
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
_EVERYDAY = frozenset(
    (
        *("a", "an", "the", "this", "that", "these", "it", "is", "are", "was", "were", "be", "has", "have", "had", "i"),
        *("you", "your", "we", "our", "my", "as", "if", "when", "in", "on", "of", "to", "for", "by", "at", "from"),
        *("with", "without", "and", "or", "not", "no", "do", "all", "any", "every", "each", "must", "should", "shall"),
        *("will", "can", "need", "now", "new", "first", "next", "only", "main", "so", "up", "out", "before", "after"),
        *("user", "users", "system", "run", "use", "note", "message", "record", "add", "set", "get", "call", "send"),
        *("show", "print", "output", "put", "write", "read", "check", "other", "previous", "url", "key", "server"),
        *(
            "model",
            "models",
            "agent",
            "agents",
            "memory",
            "file",
            "text",
            "time",
            "type",
            "level",
            "name",
            ":",
            ",",
            "@",
        ),
    )
)
"""Words that are in most texts, and so tell nothing by being there."""


class WordPattern(Value):
    """Words that follow each other: each step is a set of words and how many others may stand before it."""

    first: frozenset[str]
    rest: tuple[tuple[frozenset[str], int], ...]
    spelled: str


class WordRule(Value):
    """A sequence with a name. `weak`: alone it says nothing. `ordering`: only where its first word gives an order."""

    family: Suspicion
    code: str
    note: str
    pattern: WordPattern
    weak: bool = False
    ordering: bool = False


class RuleMatch(Value):
    """A rule that was met, and which characters of the text met it."""

    rule: WordRule
    start: int
    end: int


def spelled(pattern: str) -> WordPattern:
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
    return WordPattern(first=steps[0][0], rest=tuple(steps[1:]), spelled=pattern)


class Rulebook:
    """Rules, each found by its rarest words, so that a text without any of them is done with at once."""

    def __init__(self, rules: Iterable[WordRule]) -> None:
        self.rules = tuple(rules)
        self._by_word: dict[str, list[int]] = {}
        for number, rule in enumerate(self.rules):
            for word in _rarest(rule.pattern):
                self._by_word.setdefault(word, []).append(number)
        self._words = frozenset(self._by_word)

    def hits(self, text: str) -> Iterator[RuleMatch]:
        """Where the rules are met in a text of small letters."""
        token = _PLAIN_TOKEN if text.isascii() else _TOKEN
        words = token.findall(text)
        told = self._words.intersection(words)
        if not told:
            return
        numbers = sorted({number for word in told for number in self._by_word[word]})
        spans: list[tuple[int, int]] = []
        for rule in (self.rules[number] for number in numbers):
            for start, end in _met(rule, words):
                spans = spans or [match.span() for match in token.finditer(text)]
                yield RuleMatch(rule=rule, start=spans[start][0], end=spans[end][1])


def _rarest(pattern: WordPattern) -> frozenset[str]:
    """Those words of a pattern one of which must be there, and which honest text has least often."""
    groups = [pattern.first, *(group for group, _ in pattern.rest)]
    return min(groups, key=lambda group: sum(word in _EVERYDAY for word in group) / len(group))


def _met(rule: WordRule, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """From which word to which a rule is met."""
    first = rule.pattern.first
    for start, word in enumerate(words):
        if word in first:
            end = _reached(rule, words, start)
            if end is not None:
                yield start, end


def _reached(rule: WordRule, words: Sequence[str], start: int) -> int | None:
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
