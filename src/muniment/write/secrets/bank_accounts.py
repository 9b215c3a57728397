"""Bank accounts: international numbers by their country's length and checksum, others by what is said of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from muniment.write.secrets.checksums import mod97, weighed
from muniment.write.secrets.detector import Detector, Span, near
from muniment.write.secrets.numbers import DIGITS, numbers_near

_LENGTHS = {
    **dict.fromkeys(("NO",), 15),
    **dict.fromkeys(("BE", "BI"), 16),
    **dict.fromkeys(("DK", "FO", "FI", "GL", "NL", "SD", "FK"), 18),
    **dict.fromkeys(("MK", "SI"), 19),
    **dict.fromkeys(("AT", "BA", "EE", "KZ", "LT", "LU", "XK", "MN"), 20),
    **dict.fromkeys(("HR", "LV", "LI", "CH"), 21),
    **dict.fromkeys(("BH", "BG", "CR", "GE", "DE", "IE", "ME", "RS", "GB", "VA"), 22),
    **dict.fromkeys(("TL", "GI", "IQ", "IL", "AE", "OM", "SO"), 23),
    **dict.fromkeys(("AD", "CZ", "MD", "PK", "RO", "SA", "SK", "ES", "SE", "TN", "VG"), 24),
    **dict.fromkeys(("PT", "ST", "LY"), 25),
    **dict.fromkeys(("IS", "TR"), 26),
    **dict.fromkeys(("FR", "GR", "IT", "MR", "MC", "SM", "DJ", "BF", "CM", "CF", "CG", "GA", "GQ", "TD"), 27),
    **dict.fromkeys(("AL", "AZ", "BY", "CY", "DO", "SV", "GT", "HU", "LB", "NI", "PL", "BJ", "CI", "ML", "SN"), 28),
    **dict.fromkeys(("BR", "EG", "PS", "QA", "UA", "TG", "NE"), 29),
    **dict.fromkeys(("JO", "KW", "MU", "YE"), 30),
    **dict.fromkeys(("MT", "SC"), 31),
    "LC": 32,
    "RU": 33,
}
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ .-]{0,2}[A-Za-z0-9]){11,40}")
_GATE = re.compile(r"[A-Za-z]{2}\d{2}(?:[ .-]{0,2}[A-Za-z0-9]){11}")
_GAPS = re.compile(r"[ .-]")
_ROUTING = re.compile(r"(?i)(?:\brouting|\baba\b|\brtn\b|transit n)")
_ACCOUNT = re.compile(
    r"(?i)(?:bank(?:ing)?[ -]?account|bank acc|account (?:no|number|nr|#)|acct\b|kontonummer|kontonr)"
)
_SIZES = tuple(range(17, 5, -1))
_ABOUT = 128
_BANK = re.compile(r"(?i)(?:\bbank|routing|sort code|\biban\b|\bbic\b|swift|\baba\b|checking|savings)")


def is_iban(text: str) -> bool:
    """Whether a text without gaps is an account number of its country.

    >>> is_iban("GB82WEST12345698765432"), is_iban("GB82WEST12345698765433")
    (True, False)
    """
    whole = text.upper()
    return _LENGTHS.get(whole[:2]) == len(whole) and mod97(whole[4:] + whole[:4]) == 1


def _ibans(text: str) -> Iterator[Span]:
    """A number may be followed by words: as much is taken as the country's length says, if a group ends there."""
    for hit in _IBAN.finditer(text):
        length = _LENGTHS.get(hit[0][:2].upper())
        end = _end(hit[0], length) if length is not None else None
        if end is None or (hit.start() + end < len(text) and text[hit.start() + end].isalnum()):
            continue
        if is_iban(_GAPS.sub("", hit[0][:end])):
            yield hit.start(), hit.start() + end


def _end(text: str, length: int) -> int | None:
    """Where so many letters and digits end."""
    seen = 0
    for number, char in enumerate(text):
        seen += char not in " .-"
        if seen == length:
            return number + 1
    return None


def _routes(text: str) -> Iterator[Span]:
    for _, digits, span in numbers_near(text, ((hit.start(), (9,)) for hit in _ROUTING.finditer(text))):
        if weighed(digits, (3, 7, 1) * 3) % 10 == 0:
            yield span


def _accounts(text: str) -> Iterator[Span]:
    """What is near to both names. Of the numbers that begin at one place the longest is meant, and what overlaps one is
    part of it."""
    names = [hit.start() for hit in _ACCOUNT.finditer(text)]
    banked = [name for name in names if _BANK.search(text, max(0, name - _ABOUT), name + _ABOUT)]
    tried = reached = -1
    for _, _, (start, end) in numbers_near(text, ((name, _SIZES) for name in banked)):
        if start == tried:
            continue
        tried = start
        if start < reached or near(text, (start, end), _BANK):
            reached = max(reached, end)
            yield start, end


BANKS = (
    Detector(sort="bank_account", find=_ibans, gate=_GATE),
    Detector(sort="bank_account", find=_routes, needles=("routing", "aba", "rtn", "transit n"), gate=DIGITS),
    Detector(
        sort="bank_account",
        find=_accounts,
        needles=(
            *("bank account", "bank-account", "banking account", "bankaccount", "bank acc", "account n", "account #"),
            *("acct", "kontonummer", "kontonr"),
        ),
        gate=DIGITS,
    ),
)
