"""Which script the letters of a text are of, how it falls into words, and one spelling for what is read as the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple
from unicodedata import category, normalize

Script = Literal["unspaced", "hangul", "latin", "cyrillic", "greek", "arabic", "hebrew", "devanagari", "other"]

HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
HIRAGANA = "\u3041-\u3096\u309d-\u309f"
KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_SOUTH = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u0edc-\u0edf\u1000-\u103f\u104a-\u109f\u1780-\u17d3\uaa60-\uaa7f"
"""Thai, Lao, Burmese and Khmer."""
UNSPACED = HAN + HIRAGANA + KATAKANA + _SOUTH
"""What is written without spaces between words."""
HANGUL = "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"
LATIN = "0-9A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff"
_LETTERS: dict[Script, str] = {
    "unspaced": UNSPACED,
    "hangul": HANGUL,
    "latin": LATIN,
    "cyrillic": "\u0400-\u052f\u1c80-\u1c8a\u2de0-\u2dff\ua640-\ua69f",
    "greek": "\u0370-\u03ff\u1f00-\u1fff",
    "arabic": "\u0620-\u065f\u066e-\u06d3\u06d5-\u06ef\u06fa-\u06ff\u0750-\u077f\u08a0-\u08ff",
    "hebrew": "\u0591-\u05f4",
    "devanagari": "\u0900-\u0963\u0971-\u097f",
}
_MARKED = ((0x0300, 0x0370), (0x0483, 0x1E00), (0x20D0, 0x2100), (0x302A, 0x3030), (0xA66F, 0xABF0), (0xFB1E, 0xFE30))


def _ranges(codes: Iterator[int]) -> str:
    """Code points as ranges of a regular expression, which is compiled ten times as fast as their list."""
    found: list[list[int]] = []
    for code in codes:
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return "".join(f"{chr(low)}-{chr(high)}" for low, high in found)


MARKS = _ranges(code for low, high in _MARKED for code in range(low, high) if category(chr(code)) in ("Mn", "Mc"))
"""What belongs to the letter before it: accents, vowel signs, tones. `\\w` of a regular expression leaves them out."""
_JOINERS = "\u200c\u200d"
_SPACED_LETTER = rf"[^\W_{UNSPACED}{HANGUL}]"
RUNS = re.compile(
    rf"(?P<latin>[{LATIN}][{LATIN}{MARKS}]*+(?!{_SPACED_LETTER}))"
    rf"|(?P<unspaced>[{UNSPACED}][{UNSPACED}{MARKS}]*)"
    rf"|(?P<hangul>[{HANGUL}]+)"
    rf"|(?P<other>{_SPACED_LETTER}(?:{_SPACED_LETTER}|[{MARKS}{_JOINERS}])*)"
)
"""A run of letters and digits. Of scripts that have spaces, letters that touch are one word: some are put in the place
of others to hide what is said."""
_WORDS = re.compile(rf"(?:{_SPACED_LETTER}|(?<=\w)[{MARKS}{_JOINERS}]|_)+|[{HANGUL}]+|[{UNSPACED}][{UNSPACED}{MARKS}]*")
_OF = {name: re.compile(f"[{letters}]") for name, letters in _LETTERS.items()}
_CLUSTER = re.compile(rf".[{MARKS}]*", re.DOTALL)
_PLAIN = str.maketrans(
    {"ø": "o", "đ": "d", "ł": "l", "ð": "d", "þ": "th", "ı": "i", "ħ": "h", "ŋ": "ng", "æ": "ae", "œ": "oe"}
)
_ARABIC = str.maketrans({"أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ی": "ي", "ة": "ه", "ک": "ك", "ـ": None})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_STRESS = re.compile("[\u0300\u0301]")
_NO_JOINERS = dict.fromkeys(map(ord, _JOINERS))


class ScriptRun(NamedTuple):
    """A run of letters, as it stands, and the script of its first."""

    script: Script
    text: str


def runs(text: str) -> Iterator[ScriptRun]:
    """The runs of letters and digits of a text. What stands between them is passed over.

    >>> [run.text for run in runs("重启watchdog、김철수는 foo_bar mеss")], script_of("김철수")
    (['重启', 'watchdog', '김철수는', 'foo', 'bar', 'mеss'], 'hangul')
    """
    for found in RUNS.finditer(text):
        shown = found.group()
        match found.lastgroup:
            case "latin" | "unspaced" | "hangul":
                yield ScriptRun(found.lastgroup, shown)
            case _:
                yield ScriptRun(script_of(shown), shown)


def script_of(text: str) -> Script:
    """The script of the first letter."""
    return next((name for name, letters in _OF.items() if letters.match(text)), "other")


def words_in(text: str) -> list[str]:
    """The words of a text as they stand: like `\\w+`, but that a mark belongs to the letter before it, and that a run
    without spaces is apart from what it touches.

    >>> words_in("किताब b_c watchdog在哪"), words_in("a-b")
    (['किताब', 'b_c', 'watchdog', '在哪'], ['a', 'b'])
    """
    return _WORDS.findall(text)


def clusters(text: str) -> list[str]:
    """The letters of a text, each with its marks."""
    return _CLUSTER.findall(text) if not text.isascii() else list(text)


def bigrams(run: str) -> list[str]:
    """Each letter with the one after it; a letter that stands alone is itself.

    >>> bigrams("部署表"), bigrams("東")
    (['部署', '署表'], ['東'])
    """
    letters = clusters(run)
    return [one + other for one, other in pairwise(letters)] or letters


@lru_cache(maxsize=16_384)
def canonical_spelling(word: str, script: Script) -> str:
    """One spelling for forms that are read as the same: width, case, accents and what is left out in writing.

    >>> canonical_spelling("Ｃafé", "latin"), canonical_spelling("Ёлка", "cyrillic")
    ('cafe', 'елка')
    >>> canonical_spelling("Αθήνα", "greek"), canonical_spelling("أَحْمَد", "arabic")
    ('αθηνα', 'احمد')
    """
    folded = normalize("NFKC", word).casefold()
    match script:
        case "latin" | "greek" | "hebrew":
            return _unmarked(folded).translate(_PLAIN)
        case "cyrillic":
            return normalize("NFC", _STRESS.sub("", normalize("NFD", folded))).replace("ё", "е")
        case "arabic":
            return _unmarked(folded.translate(_ARABIC)).translate(_ARABIC)
        case _:
            return normalize("NFC", folded.translate(_NO_JOINERS))


def _unmarked(text: str) -> str:
    return "".join(letter for letter in normalize("NFD", text) if category(letter) != "Mn")


def spelled_out(word: str) -> str:
    """A word with the letters of German and the north spelled as they are where these are missing.

    >>> spelled_out("müller"), spelled_out("blue")
    ('mueller', 'blue')
    """
    return normalize("NFC", word).translate(_UMLAUTS)
