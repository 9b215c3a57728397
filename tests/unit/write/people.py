"""Numbers of people, accounts and cards, made up so that their checksums are right, by rules of their own.

Every maker works forward, from the digits to the check; nothing here asks the detectors whether it is right.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

Make = Callable[[random.Random], str]


def _digits(pick: random.Random, size: int) -> str:
    return "".join(str(pick.randrange(10)) for _ in range(size))


def _day(pick: random.Random) -> tuple[str, str, str]:
    return f"{pick.randrange(40, 99):02}", f"{pick.randrange(1, 13):02}", f"{pick.randrange(1, 29):02}"


def _sum(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))


def _luhn(body: str) -> str:
    total = 0
    for place, char in enumerate(reversed(body)):
        twice = int(char) * (1 if place % 2 else 2)
        total += twice // 10 + twice % 10
    return body + str(-total % 10)


def _until(pick: random.Random, attempt: Callable[[random.Random], str | None]) -> str:
    """Try until the digits allow a check digit: some remainders have none."""
    for _ in range(1_000):
        found = attempt(pick)
        if found is not None:
            return found
    raise AssertionError("no such number can be made")


CARD_STARTS = (
    ("4", 16),
    ("51", 16),
    ("55", 16),
    ("2221", 16),
    ("34", 15),
    ("37", 15),
    ("6011", 16),
    ("65", 16),
    ("36", 14),
    ("3528", 16),
    ("62", 16),
    ("62", 19),
    ("6759", 16),
    ("2202", 16),
)


def card(pick: random.Random) -> str:
    start, size = pick.choice(CARD_STARTS)
    plain = _luhn(start + _digits(pick, size - len(start) - 1))
    gap = pick.choice(("", "", " ", "-", ".", "\u00a0", "\u2009", "\u2011", "\u200b"))
    if size == 15:
        return gap.join((plain[:4], plain[4:10], plain[10:]))
    if size == 14:
        return gap.join((plain[:4], plain[4:10], plain[10:]))
    return gap.join(plain[at : at + 4] for at in range(0, size, 4))


IBANS = (
    ("DE", "D18"),
    ("GB", "A4D14"),
    ("FR", "D10W11D2"),
    ("NL", "A4D10"),
    ("ES", "D20"),
    ("IT", "A1D10W12"),
    ("CH", "D5W12"),
)


def iban(pick: random.Random) -> str:
    country, form = pick.choice(IBANS)
    body, at = "", 0
    while at < len(form):
        kind, at = form[at], at + 1
        size = ""
        while at < len(form) and form[at].isdigit():
            size, at = size + form[at], at + 1
        letters = {"D": "0123456789", "A": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "W": "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"}[
            kind
        ]
        body += "".join(pick.choice(letters) for _ in range(int(size)))
    number = int("".join(str(int(char, 36)) for char in f"{body}{country}00"))
    whole = f"{country}{98 - number % 97:02}{body}"
    gap = pick.choice(("", " "))
    return gap.join(whole[at : at + 4] for at in range(0, len(whole), 4))


def ssn(pick: random.Random) -> str:
    area = pick.choice([*range(1, 666), *range(667, 900)])
    return f"{area:03}-{pick.randrange(1, 100):02}-{pick.randrange(1, 10_000):04}"


def bare_ssn(pick: random.Random) -> str:
    return "SSN " + ssn(pick).replace("-", "")


def bsn(pick: random.Random) -> str:
    def attempt(pick: random.Random) -> str | None:
        body = _digits(pick, 8)
        rest = _sum(body, range(9, 1, -1)) % 11
        return f"BSN {body}{rest}" if rest < 10 and body != "00000000" else None

    return _until(pick, attempt)


def dni(pick: random.Random) -> str:
    number = pick.randrange(10**8)
    return f"{number:08}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}"


def nir(pick: random.Random) -> str:
    year, month, _ = _day(pick)
    body = f"{pick.choice('12')}{year}{month}{pick.randrange(1, 96):02}{pick.randrange(1, 990):03}{_digits(pick, 3)}"
    return f"{body}{97 - int(body) % 97:02}"


def tax_id(pick: random.Random) -> str:
    kinds = pick.sample("0123456789", 9)
    body = [*kinds, pick.choice(kinds)]
    pick.shuffle(body)
    while body[0] == "0":
        pick.shuffle(body)
    product = 10
    for char in body:
        product = ((int(char) + product) % 10 or 10) * 2 % 11
    return f"Steuer-ID: {''.join(body)}{(11 - product) % 10}"


def cpf(pick: random.Random) -> str:
    body = _digits(pick, 9)
    for size in (10, 11):
        rest = _sum(body, range(size, 1, -1)) % 11
        body += str(0 if rest < 2 else 11 - rest)
    return f"{body[:3]}.{body[3:6]}.{body[6:9]}-{body[9:]}"


def nhs(pick: random.Random) -> str:
    def attempt(pick: random.Random) -> str | None:
        body = _digits(pick, 9)
        check = (11 - _sum(body, range(10, 1, -1)) % 11) % 11
        return f"NHS number {body[:3]} {body[3:6]} {body[6:]}{check}" if check < 10 and len({*body}) > 1 else None

    return _until(pick, attempt)


def pesel(pick: random.Random) -> str:
    body = "".join(_day(pick)) + _digits(pick, 4)
    return f"PESEL {body}{-_sum(body, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) % 10}"


def personnummer(pick: random.Random) -> str:
    day = "".join(_day(pick))
    return f"{day}-{_luhn(day + _digits(pick, 3))[6:]}"


def ahv(pick: random.Random) -> str:
    body = "756" + _digits(pick, 9)
    whole = body + str(-_sum(body, (1, 3) * 6) % 10)
    return f"{whole[:3]}.{whole[3:7]}.{whole[7:11]}.{whole[11:]}"


def hetu(pick: random.Random) -> str:
    year, month, day = _day(pick)
    serial = f"{pick.randrange(2, 900):03}"
    return f"{day}{month}{year}-{serial}{'0123456789ABCDEFHJKLMNPRSTUVWXY'[int(day + month + year + serial) % 31]}"


def resident(pick: random.Random) -> str:
    year, month, day = _day(pick)
    body = f"11010519{year}{month}{day}{_digits(pick, 3)}"
    return body + "10X98765432"[_sum(body, (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)) % 11]


_ROW = "1576283094"


def aadhaar(pick: random.Random) -> str:
    """By trial: exactly one last digit fits, and the permutation is worked out rather than tabled."""

    def turn(times: int, digit: int) -> int:
        for _ in range(times):
            digit = int(_ROW[digit])
        return digit

    def joined(one: int, other: int) -> int:
        if one < 5:
            return (one + other) % 5 if other < 5 else (one + other) % 5 + 5
        return (one - other) % 5 + 5 if other < 5 else (one - other) % 5

    body = str(pick.randrange(2, 10)) + _digits(pick, 10)
    for last in range(10):
        state = 0
        for place, char in enumerate(reversed(f"{body}{last}")):
            state = joined(state, turn(place % 8, int(char)))
        if state == 0:
            whole = f"{body}{last}"
            return f"Aadhaar {whole[:4]} {whole[4:8]} {whole[8:]}"
    raise AssertionError("one of ten fits")


def mail(pick: random.Random) -> str:
    name = pick.choice(("ana.silva", "b+news", "o'neil", "j_doe", "m.\u00fcller", "x"))
    return f"{name}@{pick.choice(('example.com', 'mail.example.co.uk', 'firma.example'))}"


def phone(pick: random.Random) -> str:
    body = _digits(pick, 7)
    return pick.choice(
        (
            f"+44 20 7{body[:3]} {body[3:]}",
            f"+1 (415) {body[:3]}-{body[3:]}",
            f"(212) {body[:3]}-{body[3:]}",
            f"212-{body[:3]}-{body[3:]}",
            f"tel. 030/{body}",
            f"call 0171 {body}",
            f"+491512{body}",
            f"0033 1 4{body[:1]} {body[1:3]} {body[3:5]} {body[5:]}",
        )
    )


def address(pick: random.Random) -> str:
    four = ".".join(str(pick.randrange(1, 255)) for _ in range(4))
    six = f"2001:db8:{pick.randrange(1, 2**16):x}::{pick.randrange(1, 2**16):x}"
    mac = ":".join(f"{pick.randrange(256):02x}" for _ in range(6))
    return pick.choice((four, f"{four}:8080", six, mac))


def born(pick: random.Random) -> str:
    year, month, day = _day(pick)
    return pick.choice(
        (
            f"born 19{year}-{month}-{day}",
            f"date of birth: {day}/{month}/19{year}",
            f"DOB {month}/{day}/{year}",
            f"geboren am {day}.{month}.19{year}",
            f"her birthday is 3 May 19{year}",
            f"born on March {int(day)}, 19{year}",
        )
    )


MAKERS: dict[str, tuple[Make, ...]] = {
    "card number": (card,),
    "bank account": (iban,),
    "national id": (
        *(ssn, bare_ssn, bsn, dni, nir, tax_id, cpf, nhs, pesel, personnummer, ahv, hetu, resident, aadhaar),
    ),
    "email": (mail,),
    "phone": (phone,),
    "ip address": (address,),
    "birth date": (born,),
}
