"""The arithmetic that tells a real number from a made-up one. Public rules, one function each."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

_DOUBLED = str.maketrans("0123456789", "0246813579")


def luhn(digits: str) -> bool:
    """The check digit of payment cards, and of some identity numbers.

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    doubled = digits[-2::-2].translate(_DOUBLED)
    return sum(map(int, digits[-1::-2] + doubled)) % 10 == 0


def mod97(text: str) -> int:
    """What is left of letters and digits, read as one number (A is 10), when it is divided by 97 (ISO 7064).

    >>> mod97("3214282912345698765432161182")
    1
    """
    return int("".join(str(int(char, 36)) for char in text)) % 97


def weighed(digits: str, weights: Sequence[int]) -> int:
    """The sum of the digits, each times its weight.

    >>> weighed("123", (3, 2, 1))
    10
    """
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))


def mod11_10(digits: str) -> bool:
    """The check digit of German tax numbers and Croatian ones (ISO 7064, mod 11,10).

    >>> mod11_10("86095742719"), mod11_10("86095742718")
    (True, False)
    """
    product = 10
    for char in digits[:-1]:
        product = ((int(char) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(digits[-1])


_TURNS = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
    (1, 5, 7, 6, 2, 8, 3, 0, 9, 4),
    (5, 8, 0, 3, 7, 9, 6, 1, 4, 2),
    (8, 9, 1, 6, 0, 4, 3, 5, 2, 7),
    (9, 4, 5, 3, 1, 2, 6, 8, 7, 0),
    (4, 2, 8, 6, 5, 7, 3, 9, 0, 1),
    (2, 7, 9, 3, 8, 0, 6, 4, 1, 5),
    (7, 0, 4, 6, 9, 1, 3, 2, 5, 8),
)


def _turned(one: int, other: int) -> int:
    """Two turns of a pentagon, one after the other; 5 to 9 are mirrored."""
    if one < 5:
        return (one + other) % 5 if other < 5 else (one + other - 5) % 5 + 5
    return (one - 5 - other) % 5 + 5 if other < 5 else (one - other) % 5


def verhoeff(digits: str) -> bool:
    """The check digit of Verhoeff.

    >>> verhoeff("2363"), verhoeff("2364")
    (True, False)
    """
    state = 0
    for position, char in enumerate(reversed(digits)):
        state = _turned(state, _TURNS[position % 8][int(char)])
    return state == 0


def ean13(digits: str) -> bool:
    """The check digit of goods, and of Swiss social insurance.

    >>> ean13("7569217076985"), ean13("7569217076984")
    (True, False)
    """
    return weighed(digits, (1, 3) * 6 + (1,)) % 10 == 0


def is_date(year: int, month: int, day: int) -> bool:
    """Whether there was, or will be, such a day.

    >>> is_date(2024, 2, 29), is_date(2023, 2, 29)
    (True, False)
    """
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def short_date(year: str, month: str, day: str) -> bool:
    """Whether two digits each can be a day of some century.

    >>> short_date("85", "02", "30"), short_date("00", "02", "29")
    (False, True)
    """
    return is_date(1900 + int(year), int(month), int(day)) or is_date(2000 + int(year), int(month), int(day))
