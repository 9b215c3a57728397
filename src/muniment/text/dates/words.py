"""The words of time, as tables and as pieces of patterns. All in lower case: a text is read in lower case."""

from __future__ import annotations

from collections.abc import Iterable

from muniment.text.word_tables import MONTHS, NUMBER_WORDS, WEEKDAYS

COUNTS: dict[str, tuple[int, int]] = {
    **{word: (number, number) for word, number in NUMBER_WORDS.items() if 1 <= number <= 20},
    "a": (1, 1), "an": (1, 1), "a couple": (2, 2), "a couple of": (2, 2), "couple": (2, 2), "couple of": (2, 2),
    "a few": (2, 5), "few": (2, 5), "several": (3, 7),
}  # fmt: skip
"""How many a word means, at least and at most."""

VAGUE = frozenset(word for word in COUNTS if "couple" in word or COUNTS[word][0] != COUNTS[word][1])
SEASONS = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
"""The month that a season of the north begins with. A winter has the name of the year it begins in."""

SURE_MONTHS = frozenset(("january", "february", "july", "september", "october", "november", "december"))
"""Months that are nothing else: no verb, no name, no short form."""

DOUBLE_MONTHS = frozenset(("may", "march", "mar"))
FULL_WEEKDAYS = {name: number for name, number in WEEKDAYS.items() if name.endswith("day")}
ALL_WEEKDAYS = {
    **FULL_WEEKDAYS, "tue": 2, "tues": 2, "wed": 3, "thu": 4, "thur": 4, "thurs": 4, "fri": 5,
}  # fmt: skip


def either(words: Iterable[str]) -> str:
    """A pattern for any of these words, the longest first."""
    return "(?:" + "|".join(sorted(words, key=lambda word: (-len(word), word))) + ")"


MONTH = either(MONTHS)
WEEKDAY = either(ALL_WEEKDAYS)
SEASON = either(SEASONS)
COUNT = rf"(?:[0-9]{{1,4}}|{either(COUNTS)})"
UNIT = "(?:minute|hour|day|week|month|year|decade)"
WHICH = "(?:this past|this coming|last|past|previous|this|next|coming|current)"
YEAR = "[12][0-9]{3}"
ORDINAL = "(?:st|nd|rd|th)"
