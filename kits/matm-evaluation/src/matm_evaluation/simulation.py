"""The curator simulation as its closed form: how likely a retrieval holds a bad entry after a year. Algebra alone."""

from __future__ import annotations

import math

from muniment.model import checks
from muniment.model.value import Value

DAYS = 365
EVENTS_PER_DAY = 10
BAD = 0.1
ITEMS_PER_LOG = 5.0


class Curation(Value):
    """How a simulated curator works: the share of events it admits, and the share of bad ones among those that it
    still stops. Uncurated is everything admitted and nothing stopped."""

    name: str
    admission: float
    stopping: float

    def __post_init__(self) -> None:
        checks.unit_interval("admission", self.admission)
        checks.unit_interval("stopping", self.stopping)


class Expected(Value):
    """What the formula gives: entries after the run, the bad share of them, and the chance that a retrieval of
    `5 ln N` items holds at least one."""

    curation: Curation
    entries: float
    bad_share: float
    contaminated: float


SETTINGS = (
    Curation(name="uncurated", admission=1.0, stopping=0.0),
    Curation(name="half admitted, 0.7 stopped", admission=0.5, stopping=0.7),
    Curation(name="0.3 admitted, 0.9 stopped", admission=0.3, stopping=0.9),
    Curation(name="half admitted, 0.95 stopped", admission=0.5, stopping=0.95),
)
"""The four settings whose figures were published."""


def expected(curation: Curation, *, events: int = DAYS * EVENTS_PER_DAY, bad: float = BAD) -> Expected:
    """The closed form with expected values in place of drawn ones; entries are assumed independent.

    >>> round(expected(SETTINGS[0]).contaminated, 3), round(expected(SETTINGS[0]).entries)
    (0.987, 3650)
    """
    checks.unit_interval("bad", bad)
    checks.whole("events", events, least=1, most=10**9)
    let_in = bad * (1.0 - curation.stopping)
    kept = (1.0 - bad) + let_in
    entries = events * curation.admission * kept
    share = let_in / kept if kept else 0.0
    items = ITEMS_PER_LOG * math.log(entries) if entries > 1.0 else 0.0
    return Expected(curation=curation, entries=entries, bad_share=share, contaminated=1.0 - (1.0 - share) ** items)
