"""What a question names binds it: records that hold the name come first, in whatever spelling is close enough.

A name that everybody writes, or that writes itself, binds nothing: a question about Ana is answered by what Ana said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from muniment.model.entity import EntityKind
from muniment.model.receipt import Plan
from muniment.model.record import Record
from muniment.read.exact import CODES
from muniment.read.words import words_of
from muniment.text.entities import entities
from muniment.text.languages import SILENT, language_of
from muniment.text.stop_words import STOP_WORDS

NAMES_MAX = 8
READ_MAX = 5_000
"""So many characters of a record are looked through for a name."""

BOUND_MAX, BOUND_SHARE = 3, 0.25
"""A name binds if so many of what is looked through hold it, or that share; one that more hold tells nothing."""

_BINDING = CODES | {EntityKind.NAME, EntityKind.QUOTED}
_TITLES = frozenset({"dr", "mr", "mrs", "ms", "miss", "prof", "sir", "st"})
_NUMBER = re.compile(r"\b(?!(?:19|20)\d\d\b)\d{3,}\b")
_BEGINNING = 5
"""From so many letters on a word that begins another counts as its other form: Postgres, PostgreSQL."""

_TYPO_FROM = 5
"""From so many letters on one letter may be wrong, too many, missing or in its neighbour's place."""


def names_of(text: str, plan: Plan) -> tuple[tuple[str, ...], ...]:
    """The names in a question and the other names of what they mean, each as its words; numbers that are no years and
    codes are names."""
    silent = STOP_WORDS | _TITLES | SILENT.get(language_of(text) or "", frozenset())
    found = entities(text)
    said = {one.key for one in found}
    aliases = [name for name in plan.terms.names if name not in said]
    numbers = _NUMBER.findall(text)
    keys = [*(one.key for one in found if one.kind in _BINDING), *aliases, *numbers, *plan.terms.codes]
    split = (tuple(word for word in words_of(key) if word not in silent) for key in keys)
    return tuple(dict.fromkeys(words for words in split if words))[:NAMES_MAX]


def holding(names: Sequence[tuple[str, ...]], records: Mapping[int, Record]) -> set[int] | None:
    """Which of these records hold at least half of the words of a name; None if the names bind nothing."""
    writers = {word for record in records.values() for word in words_of(record.actor)}
    words = {rid: frozenset(words_of(record.content[:READ_MAX])) for rid, record in records.items()}
    bound: set[int] | None = None
    for name in names:
        if all(any(writer.startswith(word) for writer in writers) for word in name):
            continue
        held = {rid for rid, said in words.items() if 2 * sum(_has(said, word) for word in name) >= len(name)}
        if len(held) <= max(BOUND_MAX, BOUND_SHARE * len(records)):
            bound = (bound or set()) | held
    return bound


def without(text: str, names: Sequence[tuple[str, ...]], records: Mapping[int, Record]) -> set[int]:
    """Which of these records hold none of the names in a question, nor were written by one of them. In German every
    noun has a capital, so there only names with figures are sure to be names."""
    if language_of(text) == "de":
        names = [name for name in names if any(map(str.isdigit, "".join(name)))]
    writers = {word for record in records.values() for word in words_of(record.actor)}
    sure = [name for name in names if not all(any(one.startswith(word) for one in writers) for word in name)]
    return {rid for rid, record in records.items() if sure and not any(_holds(record, name) for name in sure)}


def _holds(record: Record, name: tuple[str, ...]) -> bool:
    words = frozenset(words_of(record.content[:READ_MAX]))
    return 2 * sum(_has(words, word) for word in name) >= len(name)


def _has(words: Iterable[str], word: str) -> bool:
    return word in words or any(same_name(word, one) for one in words)


def same_name(one: str, other: str) -> bool:
    """Whether two words may be the same name: one begins the other, or they differ by one letter. Digits are exact.

    >>> same_name("postgres", "postgresql"), same_name("kafka", "kafak"), same_name("mia", "mira")
    (True, True, False)
    """
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < _TYPO_FROM or short[0] != long[0] or not (one.isalpha() and other.isalpha()):
        return False
    return (len(short) >= _BEGINNING and long.startswith(short)) or _one_letter_apart(short, long)


def _one_letter_apart(short: str, long: str) -> bool:
    if len(long) - len(short) > 1:
        return False
    at = next((spot for spot, letter in enumerate(short) if letter != long[spot]), len(short))
    if len(long) > len(short):
        return short[at:] == long[at + 1 :]
    swapped = short[at : at + 2] == long[at : at + 2][::-1] and short[at + 2 :] == long[at + 2 :]
    return swapped or short[at + 1 :] == long[at + 1 :]
