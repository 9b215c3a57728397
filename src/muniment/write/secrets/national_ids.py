"""Numbers by which states know people: by form and checksum where those are enough, else where they are named.

A checksum alone lets one number in ten by. A number without a form of its own is therefore only taken for what it is
called nearby; the names are in `_SPOKEN`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from muniment.model.value import Value
from muniment.write.secrets import checksums, national_id_rules
from muniment.write.secrets.detector import Check, Detector, LazyPattern, Span, near
from muniment.write.secrets.numbers import DIGITS, numbers_near

SORT = "national_id"
_GAPS = re.compile(r"[ ./()+-]")


def _named_form(shape: str, check: Check, *words: str, gate: re.Pattern[str] = DIGITS) -> Detector:
    """Known by its form and by its words."""
    pattern = LazyPattern(rf"(?<![A-Za-z0-9])(?:{shape})(?![A-Za-z0-9])", re.IGNORECASE)
    named = _words(words)

    def find(text: str) -> Iterator[Span]:
        for hit in pattern.finditer(text):
            if check(_GAPS.sub("", hit[0]).upper()) and near(text, hit.span(), named):
                yield hit.span()

    return Detector(sort=SORT, find=find, needles=words, gate=gate)


def _words(words: tuple[str, ...]) -> LazyPattern:
    return LazyPattern("|".join(rf"(?<![^\W_]){re.escape(word)}(?![a-z])" for word in words), re.IGNORECASE)


class _Spoken(Value):
    """Digits alone: known by their words and their checksum."""

    sizes: tuple[int, ...]
    check: Check
    words: tuple[str, ...]


def _spoken(sizes: tuple[int, ...], check: Check, *words: str) -> _Spoken:
    return _Spoken(sizes=sizes, check=check, words=words)


_G = r"[ .-]?"
_NINO = r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]"
_FISCAL = r"[A-Z]{6}[0-9LMNP-V]{2}[A-EHLMPRST][0-9LMNP-V]{2}[A-Z][0-9LMNP-V]{3}[A-Z]"
_DNI = r"(?:\d{8}|[XYZ]\d{7})[ -]?[A-HJ-NP-TV-Z]"
_FORMS: tuple[tuple[str, Check], ...] = (
    (r"\d{3}-\d{2}-\d{4}", national_id_rules.us_ssn),
    (_NINO, national_id_rules.gb_nino),
    (_DNI, national_id_rules.es_dni),
    (rf"[1278]{_G}\d\d{_G}\d\d{_G}(?:\d\d|2[AB]){_G}\d{{3}}{_G}\d{{3}}{_G}\d\d", national_id_rules.fr_nir),
    (r"\d{3}\.\d{3}\.\d{3}-\d{2}", national_id_rules.br_cpf),
    (r"(?:19|20)?\d{6}[-+]\d{4}", national_id_rules.se_number),
    (r"\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]", national_id_rules.fi_code),
    (r"\d{6} ?\d{5}", national_id_rules.no_number),
    (r"756\.?\d{4}\.?\d{4}\.?\d{2}", national_id_rules.ch_ahv),
    (r"\d\d\.\d\d\.\d\d-\d{3}\.\d\d", national_id_rules.be_number),
    (r"[1-9]\d{5}(?:18|19|20)\d\d[01]\d[0-3]\d{4}[0-9X]", national_id_rules.cn_id),
    (r"\d{6}-[1-8]\d{6}", national_id_rules.kr_number),
    (r"[STFGM]\d{7}[A-Z]", national_id_rules.sg_nric),
    (r"[A-Z]{1,2}\d{6}\([0-9A]\)", national_id_rules.hk_id),
    (r"[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z0-9]\d", national_id_rules.mx_curp),
    (r"2[0-7]-\d{8}-\d", national_id_rules.ar_cuil),
    (r"\d{1,2}\.\d{3}\.\d{3}-[0-9Kk]", national_id_rules.cl_run),
    (r"\d{6}/\d{4}", national_id_rules.cz_number),
)
_WHOLE = tuple((rf"(?:{shape})(?![A-Za-z0-9])", check) for shape, check in _FORMS)
_COMPILED = tuple((LazyPattern(whole), check) for whole, check in _WHOLE)
_ANY = LazyPattern("|".join(whole for whole, _ in _WHOLE))
_START = re.compile(r"(?<![A-Za-z0-9])[A-Z]{0,4} ?(?=\d(?:[ ./()+-]{0,3}\d){5})")


def _formed(text: str) -> Iterator[Span]:
    """Whatever has a form of its own, tried wherever a number begins."""
    for start in _START.finditer(text):
        if _ANY.match(text, start.start()) is None:
            continue
        for pattern, check in _COMPILED:
            hit = pattern.match(text, start.start())
            if hit is not None and check(_GAPS.sub("", hit[0]).upper()):
                yield hit.span()


def _fiscal(text: str) -> Iterator[Span]:
    for hit in re.finditer(rf"(?<![A-Za-z0-9]){_FISCAL}(?![A-Za-z0-9])", text):
        if national_id_rules.it_fiscal(hit[0]):
            yield hit.span()


_PAN = ("pan", "pan card", "permanent account")
_TAIWAN = ("national id", "id number", "\u8eab\u5206\u8b49", "\u8eab\u4efd\u8b49")
_FORMED = (
    Detector(sort=SORT, find=_formed, gate=DIGITS),
    Detector(sort=SORT, find=_fiscal, gate=re.compile(_FISCAL)),
    _named_form(r"[A-Z][1289]\d{8}", national_id_rules.tw_id, *_TAIWAN),
    _named_form(r"\d{7}[A-W][A-IW]?", national_id_rules.ie_pps, "pps", "ppsn"),
    _named_form(_DNI, national_id_rules.es_dni, "dni", "nie", "nif", "documento"),
    _named_form(r"[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]", str.isalnum, *_PAN, gate=re.compile(r"[A-Za-z]\d{4}[A-Za-z]")),
    _named_form(r"\d{7,8}-?[0-9Kk]", national_id_rules.cl_run, "rut"),
    _named_form(r"\d{7,8}-[0-9Kk]", national_id_rules.cl_run, "run"),
)
_SPOKEN = (
    _spoken((9,), national_id_rules.us_ssn, "ssn", "social security", "itin", "taxpayer"),
    _spoken((10,), national_id_rules.gb_nhs, "nhs"),
    _spoken((8, 9), national_id_rules.nl_bsn, "bsn", "burgerservicenummer", "sofinummer", "sofi-nummer"),
    _spoken(
        (11,),
        national_id_rules.de_tax,
        "steuer-id",
        "steuerid",
        "steuer id",
        "identifikationsnummer",
        "idnr",
        "steuernummer",
    ),
    _spoken((11,), national_id_rules.de_tax, "steueridentifikationsnummer", "tax id", "tin"),
    _spoken((11,), national_id_rules.br_cpf, "cpf"),
    _spoken((12,), national_id_rules.in_aadhaar, "aadhaar", "aadhar", "uidai", "\u0906\u0927\u093e\u0930"),
    _spoken((11,), national_id_rules.pl_pesel, "pesel"),
    _spoken((10, 12), national_id_rules.se_number, "personnummer", "samordningsnummer"),
    _spoken((10,), national_id_rules.dk_number, "cpr", "cpr-nummer", "cpr-nr", "personnummer"),
    _spoken(
        (11,),
        national_id_rules.be_number,
        "rijksregisternummer",
        "registre national",
        "numero national",
        "num\u00e9ro national",
        "insz",
        "niss",
    ),
    _spoken((9,), national_id_rules.ca_sin, "sin", "social insurance", "assurance sociale", "nas"),
    _spoken((9,), national_id_rules.au_tfn, "tfn", "tax file"),
    _spoken((13,), national_id_rules.za_id, "id number", "identity number", "south african id", "sa id"),
    _spoken(
        (13,),
        national_id_rules.kr_number,
        "\uc8fc\ubbfc",
        "\uc8fc\ubbfc\ub4f1\ub85d\ubc88\ud638",
        "rrn",
        "resident registration",
    ),
    _spoken(
        (12,),
        national_id_rules.jp_number,
        "my number",
        "mynumber",
        "\u30de\u30a4\u30ca\u30f3\u30d0\u30fc",
        "\u500b\u4eba\u756a\u53f7",
    ),
    _spoken((11,), national_id_rules.ar_cuil, "cuil", "cuit"),
    _spoken((9,), national_id_rules.pt_nif, "nif", "contribuinte"),
    _spoken((11,), national_id_rules.tr_number, "tckn", "tc kimlik", "t.c. kimlik", "kimlik no"),
    _spoken((13,), national_id_rules.ro_cnp, "cnp", "cod numeric personal"),
    _spoken(
        (10,), national_id_rules.cz_number, "rodn\u00e9 \u010d\u00edslo", "rodne cislo", "rodn\u00e9 \u010d\u00edsla"
    ),
    _spoken((11,), checksums.mod11_10, "oib"),
    _spoken(
        (9,), national_id_rules.il_number, "teudat zehut", "\u05ea\u05e2\u05d5\u05d3\u05ea \u05d6\u05d4\u05d5\u05ea"
    ),
)
_BY_WORD = {word: tuple(one for one in _SPOKEN if word in one.words) for rule in _SPOKEN for word in rule.words}
_LONGEST_FIRST = sorted(_BY_WORD, key=len, reverse=True)
_NAMES = LazyPattern(
    rf"(?<![^\W_])(?=({'|'.join(map(re.escape, _LONGEST_FIRST))})(?![a-z]))",
    re.IGNORECASE,
)


def _named(text: str) -> Iterator[Span]:
    """Numbers that are called one of a state's by name: each name is looked for once, and then the numbers near it."""
    names = [(hit.start(), rule) for hit in _NAMES.finditer(text) for rule in _BY_WORD.get(hit[1].lower(), ())]
    for rank, digits, span in numbers_near(text, ((start, rule.sizes) for start, rule in names)):
        if names[rank][1].check(digits):
            yield span


NATIONAL = (*_FORMED, Detector(sort=SORT, find=_named, needles=tuple(_BY_WORD), gate=DIGITS))
