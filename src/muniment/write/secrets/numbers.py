"""Runs of digits, however they are grouped, and the payment cards among them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from muniment.model.value import Value
from muniment.write.secrets.checksums import luhn
from muniment.write.secrets.detector import Detector, Span, near

RUN = re.compile(r"(?<![A-Za-z0-9])\d(?:[ \t._-]{0,3}\d){5,}(?![A-Za-z0-9])")
"""A number in groups, or several in a row."""
_LONGEST = 19
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
_FIRST = frozenset(str(issuer.first)[0] for issuer in _ISSUERS)


def is_card(digits: str) -> bool:
    """Whether an issuer makes cards that begin so and are as long, and the check digit is right.

    >>> is_card("4111111111111111"), is_card("4111111111111112"), is_card("1111111111111117")
    (True, False, False)
    """
    if not 12 <= len(digits) <= 19 or len(set(digits)) == 1:
        return False
    return any(issuer.made(digits) for issuer in _ISSUERS) and luhn(digits)


def _even(lengths: tuple[int, ...]) -> bool:
    """Whether a number is grouped as numbers are read aloud: in fours, some of them run together, or all alike."""
    *first, last = lengths
    fours = all(length % 4 == 0 for length in first) and last <= 12
    alike = lengths[0] < 6 and {*first} <= {lengths[0]} and last <= lengths[0]
    return lengths in _USUAL or fours or alike


def _cards(text: str) -> Iterator[Span]:
    for run in RUN.finditer(text):
        groups = [hit.span() for hit in _GROUP.finditer(text, *run.span())]
        at = 0
        while at < len(groups):
            width = _card_at(text, groups[at : at + _LONGEST])
            if width:
                yield groups[at][0], groups[at + width - 1][1]
            at += width or 1


def _card_at(text: str, groups: list[Span]) -> int:
    """How many of the groups are a card number; none if none begins here."""
    start = groups[0][0]
    if text[start] not in _FIRST:
        return 0
    if start > 1 and text[start - 1] in ".," and text[start - 2].isdigit() and groups[0][1] - start > 6:
        return 0  # what stands behind a decimal point
    digits, longest = "", 0
    lengths: tuple[int, ...] = ()
    for width, (first, last) in enumerate(groups, start=1):
        digits, lengths = digits + text[first:last], (*lengths, last - first)
        if len(digits) > _LONGEST:
            break
        if is_card(digits) and (width == 1 or _even(lengths) or near(text, (start, last), _CARD_WORDS)):
            longest = width
    return longest


CARDS = Detector(sort="card_number", find=_cards, gate=DIGITS)


def numbers(text: str, sizes: tuple[int, ...]) -> Iterator[tuple[str, Span]]:
    """Every number of so many digits in a text, in whatever groups, as its digits, and where it stands."""
    for run in RUN.finditer(text):
        groups = [hit.span() for hit in _GROUP.finditer(text, *run.span())]
        for at, (start, _) in enumerate(groups):
            digits = ""
            for first, last in groups[at : at + _LONGEST]:
                digits += text[first:last]
                if len(digits) in sizes:
                    yield digits, (start, last)
                if len(digits) >= max(sizes):
                    break
