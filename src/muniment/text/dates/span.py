"""A stretch of time that a text speaks about."""

from __future__ import annotations

from muniment.model.times import Instant
from muniment.model.value import Value


class TimeSpan(Value):
    """From the instant `first` to the instant `last`, both included, as said in `words`.

    It is `sure` when the words can be read in one way; where a year, a week or the order of day and month had to be
    guessed, or the words are vague, it is not.
    """

    first: Instant
    last: Instant
    words: str
    sure: bool
