"""Where a person or a machine is reached: mail, telephone, network addresses; and when somebody was born."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from muniment.write.secrets.checksums import is_date
from muniment.write.secrets.detector import Detector, LazyPattern, Span, digits_of, near, shaped

_MAIL = LazyPattern(r"(?<![\w.%+-])(?!git@)[\w.%+'-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])")

_CALL = re.compile(
    r"(?i)(?:\btel\b|tel\.|telefon|t\u00e9l|phone|\bcall\b|mobile|\bcell\b|\bfax\b|whatsapp|\bsms\b|handy|ring me"
    r"|rufnummer|\u7535\u8bdd|\u96fb\u8a71|telefono|tel\u00e9fono|numero di|\u0442\u0435\u043b)"
)
_NUMBER = re.compile(
    r"(?<![\w+.])(?:\+|00)[1-9](?:[ ().\u00b7/-]{0,3}\d){6,14}(?![\w])"
    r"|(?<![\w+.-])(?:1[ .-]?)?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?![\w-])"
    r"|(?<![\w+.-])\(?0\d(?:[ ()./-]{0,3}\d){6,12}(?![\w-])"
    r"|(?<![\w+.-])\d(?:[ .-]?\d){6,12}(?![\w-])"
)
_AMERICAN = re.compile(r"(?:1[ .-]?)?(?:\([2-9]\d\d\) ?|[2-9]\d\d[.-])\d{3}[ .-]\d{4}")
_SEVEN = re.compile(r"\d(?:[ ().\u00b7/-]{0,3}\d){6}")
_V4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_V6 = LazyPattern(
    r"(?<![\w:.])(?=[0-9A-Fa-f:]{0,39}:[0-9A-Fa-f]{0,39}:)[0-9A-Fa-f:]{4,39}(?:(?:\d{1,3}\.){3}\d{1,3})?(?![\w:])"
)
_MAC = LazyPattern(r"(?<![\w:-])(?:[0-9A-Fa-f]{2}([:-]))(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![\w:-])")
_DOTS = re.compile(r"\d\.\d{1,3}\.\d{1,3}\.\d")
_COLONS = re.compile(r":[0-9A-Fa-f]{0,4}:|[0-9A-Fa-f]{2}-[0-9A-Fa-f]{2}-[0-9A-Fa-f]{2}-")
_RELEASE = re.compile(r"(?i)(?:\bv|version|release|build|firmware)[ :=]{0,3}$")

_BORN = re.compile(
    r"(?i)(?:\bborn\b|birth|\bdob\b|\bd\.o\.b|geboren|geburts|\bn\u00e9e?\b|naissance|nacid|nacimiento|nascid|nascimento|\bnat[oa]\b"
    r"|nascita|urodz|f\u00f6dd|f\u00f8dt|syntym|\u751f\u65e5|\u51fa\u751f|\u0440\u043e\u0436\u0434)"
)
_MONTH = (
    r"(?:jan|feb|mar|m\u00e4r|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|janv|f\u00e9v|avr|ao\u00fb|d\u00e9c|ene|abr|ago|dic)"
    r"[a-z\u00e9\u00fb]{0,7}\.?"
)
_DAY = re.compile(
    rf"(?i)(?<!\w)(?:\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.] ?\d{{1,2}}[-/.] ?(?:\d{{4}}|\d{{2}})"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.)? (?:of |de )?{_MONTH},? (?:de )?\d{{4}}"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}})(?!\w)"
)


def _calls(text: str) -> Iterator[Span]:
    """International numbers and the American form stand for themselves; other numbers where a telephone is named."""
    for hit in _NUMBER.finditer(text):
        digits = digits_of(hit[0])
        plain = hit[0].lstrip("(").startswith(("+", "00")) or _AMERICAN.fullmatch(hit[0])
        if 7 <= len(digits) <= 15 and len(set(digits)) > 2 and (plain or near(text, hit.span(), _CALL)):
            yield hit.span()


def _is_address(text: str) -> bool:
    """Whether a machine can be reached there. A name in a program may look like one, but has no digit."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return any(char.isdigit() for char in text)


def _hosts(text: str) -> Iterator[Span]:
    for hit in _V4.finditer(text):
        if _is_address(hit[0]) and _RELEASE.search(text, max(0, hit.start() - 16), hit.start()) is None:
            yield hit.span()


def _births(text: str) -> Iterator[Span]:
    for hit in _DAY.finditer(text):
        parts = [int(part) for part in re.findall(r"\d+", hit[0])]
        if near(text, hit.span(), _BORN) and _could_be(parts):
            yield hit.span()


def _could_be(parts: list[int]) -> bool:
    """Whether three numbers are a day in some order; with a named month there are two, and the month is right."""
    if len(parts) == 2:
        return 1 <= min(parts) <= 31
    one, two, three = parts
    orders = ((one, two, three), (three, two, one), (three, one, two))
    return any(is_date(year if year > 99 else 1900 + year, month, day) for year, month, day in orders if year)


CONTACTS = (
    Detector(sort="email", find=shaped(_MAIL), needles=("@",)),
    Detector(sort="ip_address", find=_hosts, gate=_DOTS),
    Detector(sort="ip_address", find=shaped(_V6, _is_address), gate=_COLONS),
    Detector(sort="ip_address", find=shaped(_MAC), gate=_COLONS),
    Detector(sort="birth_date", find=_births, gate=_BORN),
    Detector(sort="phone", find=_calls, gate=_SEVEN),
)
