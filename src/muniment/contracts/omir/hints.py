"""Which known name was probably meant: the nearest one at one or two edits, found without comparing with all of them.

A name at two edits or fewer keeps at least one of its three parts as it is, so only names that share a part in about
the same place are compared; what all names begin with is left out of account. How many are compared is bounded for all
questions together, and the first of them get most of it: where very many are asked of a crowd of names that are all
alike, a name at two edits may go unnoticed, and one at a single edit if the names are long or do not begin alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import islice

FARTHEST = 2
_COMPARED_MAX = 12_000
_COMPARED_OF_MANY = 1_000
_SHARE_MIN = 8
_MANY = 100
"""From how many questions on fewer names are compared for all of them together: nobody reads that many suggestions."""
_FIRST = 20
"""Among how many questions what may still be compared is shared out."""
_SPELLINGS_MAX = 800


class NameHints:
    """The names there are, in order, ready to be asked for the nearest about `questions` times."""

    def __init__(self, names: Iterable[str], *, questions: int = 1) -> None:
        self._order = {name: number for number, name in enumerate(dict.fromkeys(names))}
        self._names = list(self._order)
        self._begin = _shared_beginning(self._names)
        self._letters = sorted(set("".join(name[len(self._begin) :] for name in self._names)))
        self._lengths = {len(name) for name in self._names}
        self._questions = max(1, questions)
        self._to_compare = _COMPARED_MAX if questions < _MANY else _COMPARED_OF_MANY
        self._parts: dict[int, dict[tuple[int, int, str], list[int]]] = {}
        self._answers: dict[str, str | None] = {}

    def nearest(self, wanted: str) -> str | None:
        """The nearest name at one or two edits and fewer than its length, the first of several; None if there is none.

        >>> names = NameHints(["alice", "alicia", "bob", "x"])
        >>> names.nearest("alise"), names.nearest("ghost"), names.nearest("y"), names.nearest("bob")
        ('alice', None, None, None)
        """
        if wanted not in self._answers:
            self._answers[wanted] = self._at_one_edit(wanted) or self._at_two_edits(wanted)
        return self._answers[wanted]

    def _at_one_edit(self, wanted: str) -> str | None:
        """The first name at one edit, found by spelling all there can be, where they are few."""
        if not wanted.startswith(self._begin):
            return None
        rest = wanted[len(self._begin) :]
        strange = [at for at, letter in enumerate(rest) if letter not in self._letters]
        if len(strange) > 1 or (2 * len(rest) + 1) * (len(self._letters) + 1) > _SPELLINGS_MAX:
            return None
        if strange:
            spelled = _changed(self._begin, rest, self._letters, strange[0])
        else:
            spelled = _one_edit(self._begin, rest, self._letters)
        order = self._order
        found = [order[one] for one in spelled if one in order and one != wanted and _longer(one, wanted) > 1]
        return self._names[min(found)] if found else None

    def _at_two_edits(self, wanted: str) -> str | None:
        share = self._to_compare // min(self._questions, _FIRST)
        self._questions = max(1, self._questions - 1)
        if share < _SHARE_MIN:
            return None
        left_out = len(self._begin) if wanted.startswith(self._begin) else 0
        rest = wanted[left_out:]
        best, nearest = FARTHEST + 1, None
        for number in islice(self._alike(rest, left_out), share):
            self._to_compare -= 1
            name = self._names[number]
            edits = distance(name[left_out:], rest)
            if 0 < edits < best and edits < _longer(name, wanted):
                best, nearest = edits, name
                if edits == 1:
                    break
        return nearest

    def _alike(self, rest: str, left_out: int) -> Iterator[int]:
        """The names that share a part with the wanted one in about the same place, in order, some more than once. What
        they begin with is left out."""
        parts, found = self._parts_after(left_out), []
        for longer in range(-FARTHEST, FARTHEST + 1):
            length = len(rest) + longer
            if left_out + length not in self._lengths:
                continue
            for place, (start, end) in enumerate(_cuts(length)):
                for moved in _MOVES[longer]:
                    at = start - moved
                    if at >= 0 and (same := parts.get((length, place, rest[at : at + end - start]))) is not None:
                        found.append(same)
        return iter(found[0]) if len(found) == 1 else merge(*found)

    def _parts_after(self, left_out: int) -> dict[tuple[int, int, str], list[int]]:
        if left_out not in self._parts:
            made: defaultdict[tuple[int, int, str], list[int]] = defaultdict(list)
            for number, name in enumerate(self._names):
                rest = name[left_out:]
                for place, (start, end) in enumerate(_cuts(len(rest))):
                    made[len(rest), place, rest[start:end]].append(number)
            self._parts[left_out] = dict(made)
        return self._parts[left_out]


_MOVES = {
    longer: [moved for moved in range(-FARTHEST, FARTHEST + 1) if abs(moved) + abs(longer - moved) <= FARTHEST]
    for longer in range(-FARTHEST, FARTHEST + 1)
}
"""By how much longer a name is: how far a part that it shares may have moved, with two edits in all."""


def _shared_beginning(names: list[str]) -> str:
    if not names:
        return ""
    least, most = min(names), max(names)
    same = 0
    while same < min(len(least), len(most)) and least[same] == most[same]:
        same += 1
    return least[:same]


def _cuts(length: int) -> tuple[tuple[int, int], ...]:
    """Where three parts of a text of that length begin and end."""
    first, second = length // 3, 2 * length // 3
    return (0, first), (first, second), (second, length)


def _longer(one: str, other: str) -> int:
    return max(len(one.encode()), len(other.encode()))


def _one_edit(begin: str, text: str, letters: list[str]) -> list[str]:
    """Every text that is one edit from this one and begins in the same way."""
    found = []
    for at in range(len(text) + 1):
        head, tail = begin + text[:at], text[at:]
        found += [head + letter + tail for letter in letters]
        if tail:
            found += _changed(begin, text, letters, at)
    return found


def _changed(begin: str, text: str, letters: list[str], at: int) -> list[str]:
    """The text without the letter at a place, and with each other letter instead of it."""
    head, after = begin + text[:at], text[at + 1 :]
    return [head + after, *[head + letter + after for letter in letters]]


def distance(one: str, other: str) -> int:
    """How many letters must be put in, left out or changed to make one text of the other; 3 if it is more than two.

    >>> distance("kitten", "mitten"), distance("ab", "ba"), distance("abc", ""), distance("a", "a")
    (1, 2, 3, 0)
    """
    if abs(len(one) - len(other)) > FARTHEST:
        return FARTHEST + 1
    start, end, rest = 0, len(one), len(other)
    while start < end and start < rest and one[start] == other[start]:
        start += 1
    while end > start and rest > start and one[end - 1] == other[rest - 1]:
        end, rest = end - 1, rest - 1
    return _edits(one[start:end], other[start:rest])


def _edits(one: str, other: str) -> int:
    """The same for two texts that neither begin nor end alike: with two edits, one is at the beginning and one at the
    end, and what stands between is the same."""
    longer, rest = max(len(one), len(other)), len(one) - len(other)
    if longer <= FARTHEST:
        return longer
    for here, there in _BOTH_ENDS[rest]:
        if one[here[0] : len(one) - here[1]] == other[there[0] : len(other) - there[1]]:
            return FARTHEST
    return FARTHEST + 1


_ENDS = ((1, 1), (1, 0), (0, 1))
"""What an edit takes from either text: a change from both, a letter left out or put in from one."""
_BOTH_ENDS = {
    longer: [
        ((first[0], last[0]), (first[1], last[1]))
        for first in _ENDS
        for last in _ENDS
        if first[0] + last[0] - first[1] - last[1] == longer
    ]
    for longer in range(-FARTHEST, FARTHEST + 1)
}
