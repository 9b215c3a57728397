"""Runs of digits, however they are grouped, and the payment cards among them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from muniment.model.value import Value
from muniment.write.secrets.checksums import luhn
from muniment.write.secrets.detector import Detector, Span, leads_to, near, reach_of

RUN = re.compile(r"(?<![A-Za-z0-9])\d(?:[ \t._-]{0,3}\d){5,}(?![A-Za-z0-9])")
"""A number in groups, or several in a row."""
_GROUP = re.compile(r"\d+")
DIGITS = re.compile(r"\d(?:(?:[ \t._/()+-]|\\t){0,3}\d){5}")
"""A text with a number of six digits in it, whatever stands around; a tab may be spelled as in JSON."""
_CARD_WORDS = re.compile(
    r"(?i)(?:card|visa|mastercard|maestro|amex|american express|discover|diners|jcb|unionpay|\bpan\b|\bcc\b|credit"
    r"|debit|karte|carte|tarjeta|cart\u00e3o|carta|kaart|karta)"
)
_USUAL = frozenset({(4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3), (4, 4, 4, 4, 2), (4, 4, 4, 4, 1), (6, 13)})


class _Issuer(Value):
    """Whose cards begin so, and how long they are."""

    first: int
    last: int
    lengths: tuple[int, ...]

    def made(self, digits: str) -> bool:
        start = int(digits[: len(str(self.first))])
        return self.first <= start <= self.last and len(digits) in self.lengths


_MAESTRO = tuple(range(12, 20))
_ISSUERS = (
    _Issuer(first=4, last=4, lengths=(13, 16, 19)),
    _Issuer(first=51, last=55, lengths=(16,)),
    _Issuer(first=2221, last=2720, lengths=(16,)),
    _Issuer(first=34, last=34, lengths=(15,)),
    _Issuer(first=37, last=37, lengths=(15,)),
    _Issuer(first=6011, last=6011, lengths=(16, 17, 18, 19)),
    _Issuer(first=644, last=659, lengths=(16, 17, 18, 19)),
    _Issuer(first=62, last=62, lengths=(16, 17, 18, 19)),
    _Issuer(first=300, last=305, lengths=(14, 16)),
    _Issuer(first=3095, last=3095, lengths=(14, 16)),
    _Issuer(first=36, last=36, lengths=(14, 16)),
    _Issuer(first=38, last=39, lengths=(14, 16)),
    _Issuer(first=3528, last=3589, lengths=(16, 17, 18, 19)),
    _Issuer(first=5018, last=5018, lengths=_MAESTRO),
    _Issuer(first=5020, last=5020, lengths=_MAESTRO),
    _Issuer(first=5038, last=5038, lengths=_MAESTRO),
    _Issuer(first=5893, last=5893, lengths=_MAESTRO),
    _Issuer(first=6304, last=6304, lengths=_MAESTRO),
    _Issuer(first=6759, last=6759, lengths=_MAESTRO),
    _Issuer(first=6761, last=6763, lengths=_MAESTRO),
    _Issuer(first=2200, last=2204, lengths=(16, 17, 18, 19)),
    _Issuer(first=508, last=508, lengths=(16,)),
    _Issuer(first=6521, last=6522, lengths=(16,)),
    _Issuer(first=506099, last=506198, lengths=(16, 18, 19)),
    _Issuer(first=979200, last=979289, lengths=(16,)),
)
_PREFIX = 4


def _by_prefix() -> dict[str, frozenset[int]]:
    """How long the cards are that begin with so many digits, where that many tell the issuer."""
    found: dict[str, frozenset[int]] = {}
    for issuer in _ISSUERS:
        missing = 10 ** (_PREFIX - min(_PREFIX, len(str(issuer.first))))
        known = 10 ** max(0, len(str(issuer.first)) - _PREFIX)
        for start in range(issuer.first // known * missing, (issuer.last // known + 1) * missing):
            spelled = str(start)
            found[spelled] = found.get(spelled, frozenset()).union(issuer.lengths)
    return found


_LENGTHS = _by_prefix()


def is_card(digits: str) -> bool:
    """Whether an issuer makes cards that begin so and are as long, and the check digit is right.

    >>> is_card("4111111111111111"), is_card("4111111111111112"), is_card("1111111111111117")
    (True, False, False)
    """
    if len(digits) not in _LENGTHS.get(digits[:_PREFIX], ()) or not luhn(digits) or len(set(digits)) == 1:
        return False
    return any(issuer.made(digits) for issuer in _ISSUERS)


def _even(lengths: tuple[int, ...]) -> bool:
    """Whether a number is grouped as numbers are read aloud: in fours, some of them run together, or all alike."""
    *first, last = lengths
    fours = all(length % 4 == 0 for length in first) and last <= 12
    alike = lengths[0] < 6 and {*first} <= {lengths[0]} and last <= lengths[0]
    return lengths in _USUAL or fours or alike


class DigitRun:
    """Digits that stand in a row, and where their groups begin and end: in the text, and among the digits."""

    def __init__(self, text: str, span: Span) -> None:
        self.groups = [hit.span() for hit in _GROUP.finditer(text, *span)]
        self.digits = "".join([text[start:end] for start, end in self.groups])
        self.ends = [*accumulate(end - start for start, end in self.groups)]
        self._at = dict(zip(self.ends, range(len(self.ends)), strict=True))

    def before(self, group: int) -> int:
        """How many digits stand before a group."""
        return self.ends[group - 1] if group else 0

    def number(self, first: int, size: int) -> tuple[str, int] | None:
        """The number of so many digits that begins with a group, and its last group, if one ends there."""
        start = self.before(first)
        last = self._at.get(start + size)
        return None if last is None else (self.digits[start : start + size], last)

    def ending(self, size: int) -> int | None:
        """The group with which the last so many digits begin."""
        rest = len(self.digits) - size
        return 0 if rest == 0 else self._at[rest] + 1 if rest in self._at else None


def runs(text: str) -> Iterator[DigitRun]:
    """Every number, or several in a row."""
    return (DigitRun(text, hit.span()) for hit in RUN.finditer(text))


def _cards(text: str) -> Iterator[Span]:
    for run in runs(text):
        at = 0
        while at < len(run.groups):
            width = _card_at(text, run, at)
            if width:
                yield run.groups[at][0], run.groups[at + width - 1][1]
            at += width or 1


def _card_at(text: str, run: DigitRun, at: int) -> int:
    """How many of the groups are a card number; none if none begins there."""
    before = run.before(at)
    known = _LENGTHS.get(run.digits[before : before + _PREFIX])
    if known is None:
        return 0
    start, end = run.groups[at]
    if start > 1 and text[start - 1] in ".," and text[start - 2].isdigit() and end - start > 6:
        return 0  # what stands behind a decimal point
    for size in sorted(known, reverse=True):
        found = run.number(at, size)
        if found is not None and is_card(found[0]):
            groups = run.groups[at : found[1] + 1]
            lengths = tuple(last - first for first, last in groups)
            if len(groups) == 1 or _even(lengths) or near(text, (start, groups[-1][1]), _CARD_WORDS):
                return len(groups)
    return 0


CARDS = Detector(sort="card_number", find=_cards, gate=DIGITS)


def numbers_near(text: str, names: Iterable[tuple[int, Sequence[int]]]) -> Iterator[tuple[int, str, Span]]:
    """Every number that stands near enough to a name to be meant by it, as `near` has it, in whatever groups. A name is
    where it begins, and how many digits its numbers have; a number comes with the rank of its name, as its digits, and
    where it stands.

    Letters end a run, so no name is inside one: a number begins shortly behind its name, or is the last of a run that
    ends right before it. That bounds the work for each name, however long a run is.
    """
    found = list(runs(text))
    starts = [run.groups[0][0] for run in found]
    for rank, (name, sizes) in enumerate(names):
        first = bisect_right(starts, name)
        if first and leads_to(text, found[first - 1].groups[-1][1], name):
            yield from ((rank, *one) for one in _last(found[first - 1], sizes))
        reach = reach_of(text, name)
        for run in found[first : bisect_right(starts, reach)]:
            yield from ((rank, *one) for one in _first(run, reach, sizes))


def _first(run: DigitRun, reach: int, sizes: Sequence[int]) -> Iterator[tuple[str, Span]]:
    """The numbers of a run that begin no later than at a place."""
    for at, (start, _) in enumerate(run.groups):
        if start > reach:
            return
        for size in sizes:
            number = run.number(at, size)
            if number is not None:
                yield number[0], (start, run.groups[number[1]][1])


def _last(run: DigitRun, sizes: Sequence[int]) -> Iterator[tuple[str, Span]]:
    """The numbers with which a run ends."""
    for size in sizes:
        first = run.ending(size)
        if first is not None:
            yield run.digits[len(run.digits) - size :], (run.groups[first][0], run.groups[-1][1])
