"""The rules by which states number people, one function for each: whether a number can be one of theirs.

Each takes the number without gaps, letters in upper case.
"""

from __future__ import annotations

from muniment.write.secrets import checksums
from muniment.write.secrets.checksums import weighed


def us_ssn(digits: str) -> bool:
    """The numbers that are given out, and those for taxpayers without one (9xx).

    >>> us_ssn("219099998"), us_ssn("000123456"), us_ssn("666123456"), us_ssn("912701234"), us_ssn("123004567")
    (True, False, False, True, False)
    """
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    if area in ("000", "666") or group == "00" or serial == "0000":
        return False
    return area < "900" or "50" <= group <= "65" or "70" <= group <= "88" or "90" <= group <= "99"


def gb_nino(text: str) -> bool:
    """It has no check digit, but some prefixes are never given out.

    >>> gb_nino("AB123456C"), gb_nino("GB123456C")
    (True, False)
    """
    return text[:2] not in ("BG", "GB", "NK", "KN", "TN", "NT", "ZZ")


def gb_nhs(digits: str) -> bool:
    """
    >>> gb_nhs("9434765919"), gb_nhs("9434765918")
    (True, False)
    """
    return (11 - weighed(digits[:9], range(10, 1, -1))) % 11 == int(digits[9]) and len(set(digits)) > 1


def nl_bsn(digits: str) -> bool:
    """
    >>> nl_bsn("111222333"), nl_bsn("111222334")
    (True, False)
    """
    whole = digits.zfill(9)
    return weighed(whole, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0 and whole.strip("0") != ""


def es_dni(text: str) -> bool:
    """
    >>> es_dni("12345678Z"), es_dni("X1234567L"), es_dni("12345678A")
    (True, True, False)
    """
    number = text[:-1].translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == text[-1]


def fr_nir(text: str) -> bool:
    """
    >>> fr_nir("255081416802538"), fr_nir("255081416802539"), fr_nir("2950299999" + "99942")
    (True, False, False)
    """
    body, key = text[:-2], int(text[-2:])
    if not ("01" <= body[3:5] <= "12" or "20" <= body[3:5] <= "42" or "50" <= body[3:5] <= "99"):
        return False
    shift = {"2A": ("19", 0), "2B": ("18", 0)}.get(body[5:7])
    number = int(body[:5] + shift[0] + body[7:]) if shift is not None else int(body)
    return 97 - number % 97 == key


def de_tax(digits: str) -> bool:
    """One digit is there twice or three times among the first ten, and another is not.

    >>> de_tax("86095742719"), de_tax("12345678903")
    (True, False)
    """
    counts = sorted(digits[:10].count(one) for one in set(digits[:10]))
    return (
        digits[0] != "0"
        and counts[-1] in (2, 3)
        and counts[:-1].count(1) == len(counts) - 1
        and checksums.mod11_10(digits)
    )


def br_cpf(digits: str) -> bool:
    """
    >>> br_cpf("52998224725"), br_cpf("52998224724"), br_cpf("11111111111")
    (True, False, False)
    """
    one = weighed(digits[:9], range(10, 1, -1)) * 10 % 11 % 10
    two = weighed(digits[:10], range(11, 1, -1)) * 10 % 11 % 10
    return digits[9:] == f"{one}{two}" and len(set(digits)) > 1


def in_aadhaar(digits: str) -> bool:
    """
    >>> in_aadhaar("234123412346"), in_aadhaar("234123412345")
    (True, False)
    """
    return digits[0] > "1" and checksums.verhoeff(digits)


def pl_pesel(digits: str) -> bool:
    """
    >>> pl_pesel("44051401359"), pl_pesel("44051401358")
    (True, False)
    """
    month = int(digits[2:4]) % 20
    check = (10 - weighed(digits[:10], (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) % 10) % 10
    return checksums.short_date(digits[:2], f"{month:02}", digits[4:6]) and check == int(digits[10])


_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)


def it_fiscal(text: str) -> bool:
    """
    >>> it_fiscal("RSSMRA85T10A562S"), it_fiscal("RSSMRA85T10A562T")
    (True, False)
    """
    ranks = [int(char) if char.isdigit() else ord(char) - 65 for char in text[:15]]
    total = sum(_ODD[rank] if place % 2 == 0 else rank for place, rank in enumerate(ranks))
    return chr(65 + total % 26) == text[15]


def se_number(digits: str) -> bool:
    """
    >>> se_number("8112189876"), se_number("8112189875")
    (True, False)
    """
    short = digits[-10:]
    return checksums.short_date(short[:2], short[2:4], f"{int(short[4:6]) % 60:02}") and checksums.luhn(short)


def fi_code(text: str) -> bool:
    """
    >>> fi_code("131052308T"), fi_code("131052308S")
    (True, False)
    """
    digits = text[:6] + text[-4:-1]
    dated = checksums.short_date(text[4:6], text[2:4], text[:2])
    return dated and "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(digits) % 31] == text[-1]


def no_number(digits: str) -> bool:
    """
    >>> no_number("29029600013"), no_number("29029600014")
    (True, False)
    """
    if not checksums.short_date(digits[4:6], digits[2:4], f"{int(digits[:2]) % 40:02}"):
        return False
    one = (11 - weighed(digits[:9], (3, 7, 6, 1, 8, 9, 4, 5, 2)) % 11) % 11
    two = (11 - weighed(digits[:10], (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11) % 11
    return digits[9:] == f"{one}{two}"


def dk_number(digits: str) -> bool:
    """Its checksum was given up; a day must be in it.

    >>> dk_number("0703641234"), dk_number("9903641234")
    (True, False)
    """
    return checksums.short_date(digits[4:6], digits[2:4], digits[:2])


def ch_ahv(digits: str) -> bool:
    """
    >>> ch_ahv("7569217076985"), ch_ahv("9783161484100")
    (True, False)
    """
    return digits.startswith("756") and checksums.ean13(digits)


def be_number(digits: str) -> bool:
    """
    >>> be_number("85073003328"), be_number("85073003329")
    (True, False)
    """
    key = int(digits[9:])
    return key in (97 - int(digits[:9]) % 97, 97 - int("2" + digits[:9]) % 97)


def ca_sin(digits: str) -> bool:
    """
    >>> ca_sin("046454286"), ca_sin("046454287")
    (True, False)
    """
    return checksums.luhn(digits) and len(set(digits)) > 1


def au_tfn(digits: str) -> bool:
    """
    >>> au_tfn("123456782"), au_tfn("123456783")
    (True, False)
    """
    return weighed(digits, (1, 4, 3, 7, 5, 8, 6, 9, 10)) % 11 == 0


def za_id(digits: str) -> bool:
    """
    >>> za_id("8001015009087"), za_id("8001015009086")
    (True, False)
    """
    return checksums.short_date(digits[:2], digits[2:4], digits[4:6]) and digits[10] in "012" and checksums.luhn(digits)


def cn_id(text: str) -> bool:
    """
    >>> cn_id("11010519491231002X"), cn_id("110105194912310021")
    (True, False)
    """
    if not checksums.is_date(int(text[6:10]), int(text[10:12]), int(text[12:14])):
        return False
    return "10X98765432"[weighed(text[:17], (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)) % 11] == text[17]


def kr_number(digits: str) -> bool:
    """Newer ones carry no checksum; the day and the century must fit.

    >>> kr_number("9001011234567"), kr_number("9013011234567")
    (True, False)
    """
    return checksums.short_date(digits[:2], digits[2:4], digits[4:6]) and "1" <= digits[6] <= "8"


def jp_number(digits: str) -> bool:
    """
    >>> jp_number("123456789018"), jp_number("123456789017")
    (True, False)
    """
    rest = weighed(digits[:11], (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return int(digits[11]) == (0 if rest <= 1 else 11 - rest)


def sg_nric(text: str) -> bool:
    """
    >>> sg_nric("S1234567D"), sg_nric("F1234567N"), sg_nric("S1234567E")
    (True, True, False)
    """
    shift = {"S": 0, "F": 0, "T": 4, "G": 4, "M": 3}[text[0]]
    rest = (weighed(text[1:8], (2, 7, 6, 5, 4, 3, 2)) + shift) % 11
    letters = {"S": "JZIHGFEDCBA", "T": "JZIHGFEDCBA", "F": "XWUTRQPNMLK", "G": "XWUTRQPNMLK", "M": "XWUTRQPNJLK"}
    return letters[text[0]][10 - rest if text[0] == "M" else rest] == text[8]


def hk_id(text: str) -> bool:
    """
    >>> hk_id("A1234563"), hk_id("A1234564")
    (True, False)
    """
    ranks = [36, *(int(char, 36) for char in text[:-1])][-8:]
    check = 10 if text[-1] == "A" else int(text[-1], 36)
    return (sum(rank * weight for rank, weight in zip(ranks, range(9, 1, -1), strict=True)) + check) % 11 == 0


def tw_id(text: str) -> bool:
    """
    >>> tw_id("A123456789"), tw_id("A123456788")
    (True, False)
    """
    letter = 10 + "ABCDEFGHJKLMNPQRSTUVXYWZIO".index(text[0])
    return (letter // 10 + letter % 10 * 9 + weighed(text[1:9], range(8, 0, -1)) + int(text[9])) % 10 == 0


def mx_curp(text: str) -> bool:
    """
    >>> mx_curp("HEGG560427MVZRRL04"), mx_curp("HEGG560427MVZRRL05")
    (True, False)
    """
    letters = "0123456789ABCDEFGHIJKLMN\u00d1OPQRSTUVWXYZ"
    total = sum(letters.index(char) * weight for char, weight in zip(text[:17], range(18, 1, -1), strict=True))
    return checksums.short_date(text[4:6], text[6:8], text[8:10]) and (10 - total % 10) % 10 == int(text[17])


def ar_cuil(digits: str) -> bool:
    """
    >>> ar_cuil("20123456786"), ar_cuil("20123456787")
    (True, False)
    """
    check = (11 - weighed(digits[:10], (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11) % 11
    return digits[:2] in ("20", "23", "24", "25", "26", "27") and check == int(digits[10])


def cl_run(text: str) -> bool:
    """
    >>> cl_run("123456785"), cl_run("123456786")
    (True, False)
    """
    rest = 11 - sum(int(char) * (2 + place % 6) for place, char in enumerate(reversed(text[:-1]))) % 11
    return text[-1] == {10: "K", 11: "0"}.get(rest, str(rest))


def pt_nif(digits: str) -> bool:
    """
    >>> pt_nif("123456789"), pt_nif("123456788")
    (True, False)
    """
    rest = weighed(digits[:8], range(9, 1, -1)) % 11
    return int(digits[8]) == (0 if rest < 2 else 11 - rest)


def tr_number(digits: str) -> bool:
    """
    >>> tr_number("10000000146"), tr_number("10000000147")
    (True, False)
    """
    odd, even = sum(map(int, digits[:9:2])), sum(map(int, digits[1:8:2]))
    return (
        digits[0] != "0"
        and (odd * 7 - even) % 10 == int(digits[9])
        and sum(map(int, digits[:10])) % 10 == int(digits[10])
    )


def ro_cnp(digits: str) -> bool:
    """
    >>> ro_cnp("1800101221144"), ro_cnp("1800101221145")
    (True, False)
    """
    rest = weighed(digits[:12], (2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9)) % 11
    return checksums.short_date(digits[1:3], digits[3:5], digits[5:7]) and rest % 10 + rest // 10 == int(digits[12])


def cz_number(digits: str) -> bool:
    """
    >>> cz_number("7103192745"), cz_number("7103192746")
    (True, False)
    """
    month = int(digits[2:4]) % 50
    dated = checksums.short_date(digits[:2], f"{month - 20 if month > 20 else month:02}", digits[4:6])
    return dated and int(digits[:9]) % 11 % 10 == int(digits[9])


def ie_pps(text: str) -> bool:
    """
    >>> ie_pps("1234567T"), ie_pps("1234567A")
    (True, False)
    """
    extra = "WABCDEFGHI".index(text[8]) * 9 if len(text) == 9 else 0
    return "WABCDEFGHIJKLMNOPQRSTUV"[(weighed(text[:7], range(8, 1, -1)) + extra) % 23] == text[7]


def il_number(digits: str) -> bool:
    """
    >>> il_number("123456782"), il_number("123456783")
    (True, False)
    """
    return checksums.luhn(digits)
