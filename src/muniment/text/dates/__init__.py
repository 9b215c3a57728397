"""The time a text speaks about, read from its words alone, as of the instant at which it was said.

All times are UTC, weeks begin on Monday, seasons are those of the north, and a date without a year is the nearest past.
"""

from __future__ import annotations

import re
from itertools import islice
from string import ascii_lowercase, ascii_uppercase

from muniment.model.times import Instant
from muniment.text.dates.compose import spans
from muniment.text.dates.span import TimeSpan

QUESTION_MAX = 4_000
"""How many characters of a question are read."""

SPANS_MAX = 32
"""How many times are looked at."""

_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_HINT = re.compile(
    r"[0-9]|day|week|month|year|quarter|hour|minute|decade|tomorrow|night|morning|noon|evening|"
    r"summer|winter|spring|fall|autumn|"
    r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|christmas|hallow|thanks|easter|valentine|tue|thu|wed|fri"
)
"""A text without any of these names no time."""


def read_span(text: str, asked_at: Instant) -> TimeSpan | None:
    """The time that a question speaks about: the first that is sure, or else the first; nothing, if none is told.

    >>> from muniment.model.times import parse, show
    >>> span = read_span("What did I say two weeks before March 15?", parse("2024-06-01", field="asked_at"))
    >>> show(span.first), show(span.last), span.words, span.sure
    ('2024-03-01T00:00:00Z', '2024-03-01T23:59:59.999999Z', 'two weeks before March 15', False)
    """
    found = _spans(text[:QUESTION_MAX], asked_at)
    return next((span for span in found if span.sure), found[0] if found else None)


def _spans(text: str, now: Instant) -> tuple[TimeSpan, ...]:
    lower = text.translate(_LOWER)
    if _HINT.search(lower) is None:
        return ()
    return tuple(islice(spans(text, lower, now), SPANS_MAX))
