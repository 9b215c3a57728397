"""The key of an entity: what two mentions of one thing share, however they are written."""

from __future__ import annotations

import re

from muniment.text.stems import stem
from muniment.text.word_tables import MONTHS, MULTIPLIERS, SUFFIXES, UNITS
from muniment.text.words import folded

_TITLES = re.compile(r"^(?:the |mr\.? |mrs\.? |ms\.? |dr\.? |prof\.? )+(?=.)")
_TITLED = ("the ", "mr", "ms", "dr", "prof")
_SCHEME = re.compile(r"^[a-z]+://(?:www\.)?|^www\.")
_FIGURE = re.compile(r"[\d,]+(?:\.\d+)?")
_PIECES = re.compile(r"\d+|[^\W\d_]+")
_LETTERS = re.compile(r"[^\W\d_]+|[%°]c?")
_PRICE_SUFFIXES = {**SUFFIXES, **MULTIPLIERS, "m": 1_000_000, "b": 1_000_000_000}
_MONTHS_MAX, _DAYS_MAX = 12, 31


def name_key(text: str) -> str:
    """
    >>> name_key("The  Eiffel Tower’s"), name_key("Dr. Smith"), name_key("ACME Corp.")
    ('eiffel tower', 'smith', 'acme corp')
    """
    plain = " ".join(folded(text).replace("’", "'").split()).removesuffix("'s").rstrip(".")
    return _TITLES.sub("", plain) if plain.startswith(_TITLED) else plain


def plain_key(text: str) -> str:
    return " ".join(folded(text).split())


def id_key(text: str) -> str:
    """A version is the same with and without its v."""
    plain = folded(text)
    return plain[1:] if plain[:1] == "v" and plain[1:2].isdigit() else plain


def code_key(text: str) -> str:
    return plain_key(text.strip("`")).removesuffix("()")


def path_key(text: str) -> str:
    return folded(text).replace("\\", "/").rstrip("/") or "/"


def url_key(text: str) -> str:
    """
    >>> url_key("HTTPS://www.Example.org/a/#top")
    'example.org/a'
    """
    return _SCHEME.sub("", folded(text)).partition("#")[0].rstrip("/")


def quoted_key(text: str) -> str:
    return plain_key(text[1:-1]).strip(".,;:!? ")


def quantity_key(amount: str, unit: str) -> str:
    """A figure in the unit that its measure is compared in, or nothing when the unit measures nothing.

    >>> quantity_key("1,500", "m"), quantity_key("1.5", "km"), quantity_key("15", "people")
    ('1500 m', '1500 length', '')
    """
    measure = UNITS.get(stem(unit.lower()))
    if measure is None:
        return ""
    return f"{_amount(amount) * measure[1]:.12g} {measure[0]}"


def price_key(text: str) -> str:
    return f"{_amount(text):.12g} {text[0]}"


def _amount(text: str) -> float:
    figure = _FIGURE.search(text)
    assert figure is not None, "an amount has digits"
    suffix = _LETTERS.search(text.lower(), figure.end())
    return float(figure.group().replace(",", "")) * (_PRICE_SUFFIXES.get(suffix.group(), 1) if suffix else 1)


def date_key(text: str) -> str:
    """A date as ISO spells it, as far as it is told; as it is written, when day and month may be the other way round.

    >>> [date_key(text) for text in ("March 15, 2024", "15th of Mar", "May 2023", "3/15/2024", "3/4/2024")]
    ['2024-03-15', '--03-15', '2023-05', '2024-03-15', '3/4/2024']
    """
    pieces = _PIECES.findall(text.lower())
    numbers = [int(piece) for piece in pieces if piece.isdecimal()]
    if len(pieces) > len(numbers):
        month = next((MONTHS[piece] for piece in pieces if piece in MONTHS), 0)
        if month:
            return _spelled(month, numbers)
    if len(pieces[0]) == 4:
        return _iso(numbers[0], numbers[1], numbers[2]) or text
    day, month, year = numbers
    if "." not in text and day <= _MONTHS_MAX and month <= _MONTHS_MAX and day != month:
        return text
    if month > _MONTHS_MAX:
        day, month = month, day
    return _iso(year if year > 99 else 2000 + year, month, day) or text


def _spelled(month: int, numbers: list[int]) -> str:
    years = [number for number in numbers if number > _DAYS_MAX]
    days = [number for number in numbers if number <= _DAYS_MAX]
    head = f"{years[0]:04d}" if years else "-"
    return f"{head}-{month:02d}" + (f"-{days[0]:02d}" if days else "")


def _iso(year: int, month: int, day: int) -> str:
    fits = 1 <= month <= _MONTHS_MAX and 1 <= day <= _DAYS_MAX
    return f"{year:04d}-{month:02d}-{day:02d}" if fits else ""
