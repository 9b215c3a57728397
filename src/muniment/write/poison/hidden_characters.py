"""What hides in the letters of a text: marks that turn or show nothing, words of two scripts, and the text as it reads.

One table of ours says which letters look like Latin ones; everything else is asked of the Unicode tables.
"""

from __future__ import annotations

import re
import unicodedata

from muniment.model.vocabulary import Suspicion
from muniment.write.poison.signal import PoisonSignal

_ALIKE = {
    **dict(zip("аеорсухіјѕһԁԛԝкмтвнѵгɡԍ", "aeopcyxijshdqwkmtbhvrgg", strict=True)),
    **dict(zip("АВЕКМНОРСТУХІЈЅԌ", "abekmhopctyxijsg", strict=True)),
    **dict(zip("οναρικυτχεηωσ", "ovapikutxenwo", strict=True)),
    **dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "abezhikmnoptyx", strict=True)),
    **dict(zip("օսհցոք", "ouhgnq", strict=True)),
    **dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz", strict=True)),
    **dict(zip("ıłøđħŧ", "iodht"[:1] + "lodht", strict=True)),
}
_TO_LATIN = str.maketrans(_ALIKE)
_ALIKE_SCRIPTS = re.compile("[\u0370-\u03ff\u0400-\u052f\u0530-\u058f]")
_SYMBOLS = frozenset("μµΔΩπλσαβγθφεηωτχ")
"""Greek letters that stand beside Latin ones in honest text, for units and quantities."""

_WORD = re.compile(r"[^\W\d_]+")
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_SEEN = re.compile(f"[^\\s{_UNSEEN.pattern[1:-1]}]")
_OVERRIDES = re.compile("[\u202d\u202e]")
_TURNS = re.compile("[\u202a\u202b\u2066-\u2069]")
_IN_WORD = re.compile("[a-zA-Z][\u200b-\u200d\u2060-\u2064\ufeff\u180e\u115f\u1160\u3164\uffa0]+[a-zA-Z]")
_TAGS = re.compile("[\U000e0000-\U000e007f]+")
_FLAG = "\U0001f3f4"
_STACKED = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2}")
_LETTERS = re.compile("[A-Za-z]{3,}|[^\x00-\x7f]+")
_SOLID_LEAST = 24
_PART = 4
_RIGHT_TO_LEFT = ("R", "AL")


def shows(text: str) -> bool:
    r"""Whether there is anything in a text that can be seen.

    >>> shows("\u200b \u2060"), shows("a\u200b")
    (False, True)
    """
    return _SEEN.search(text) is not None


def readable(text: str) -> str:
    r"""A text as it reads: compatible forms made plain, what shows nothing taken out, small letters.

    >>> readable("Ｉg\u200bnore")
    'ignore'
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", _UNSEEN.sub("", text)).lower()


def latin(text: str) -> str:
    """A readable text with accents off and look-alike letters as the Latin ones they look like.

    >>> latin("ѕуѕтем ìgnore")
    'system ignore'
    """
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKD", text)
    return "".join(char for char in plain if not unicodedata.combining(char)).translate(_TO_LATIN)


def hidden(text: str) -> list[PoisonSignal]:
    """What a text hides, or how it would deceive the eye. Nothing for plain text."""
    if text.isascii():
        return []
    found = []
    if _OVERRIDES.search(text) or (_TURNS.search(text) and not _reads_leftward(text)):
        found.append(_signal("turned", "holds marks that turn the direction of writing"))
    if _IN_WORD.search(text):
        found.append(_signal("zero-width", "holds characters that show nothing inside words"))
    if any(not _is_flag(text, run.start()) for run in _TAGS.finditer(text)) or _STACKED.search(text):
        found.append(_signal("smuggled", "holds invisible characters that can carry a text"))
    if _ALIKE_SCRIPTS.search(text) and any(_mixed(word) for word in _WORD.findall(text)):
        found.append(_signal("mixed-script", "holds words made of letters of two scripts that look alike"))
    return found


def unreadable(text: str) -> bool:
    r"""Whether hardly anything in a text is a word that could be compared with others.

    >>> unreadable("&#84;&#104;&#101;&#32;&#99;&#97;&#116;"), unreadable("The cat sat on the mat, id 17.")
    (True, False)
    """
    solid = "".join(text.split())
    if len(solid) < _SOLID_LEAST:
        return False
    if not text.isascii() and len(_UNSEEN.findall(text)) * _PART > len(solid):
        return True
    return sum(map(len, _LETTERS.findall(text))) * _PART < len(solid)


def smuggled(text: str) -> str:
    r"""What tag characters spell, if there are any.

    >>> smuggled("a\U000e0068\U000e0069b")
    'hi'
    """
    runs = _TAGS.findall(text)
    return "".join(chr(ord(char) - 0xE0000) for run in runs for char in run if 0xE0020 <= ord(char) <= 0xE007E)


def _signal(code: str, note: str) -> PoisonSignal:
    return PoisonSignal(family=Suspicion.HIDDEN, code=code, note=note)


def _reads_leftward(text: str) -> bool:
    return any(unicodedata.bidirectional(char) in _RIGHT_TO_LEFT for char in text)


def _is_flag(text: str, start: int) -> bool:
    return start > 0 and text[start - 1] == _FLAG


def _mixed(word: str) -> bool:
    """Whether a word of at least four letters has two Latin ones, and a look-alike that is no common symbol.

    >>> _mixed("pаypal"), _mixed("μsec"), _mixed("файл")
    (True, False, False)
    """
    if len(word) < 4 or word.isascii():
        return False
    plain = sum(char.isascii() for char in word)
    return plain >= 2 and any(char in _ALIKE and char not in _SYMBOLS and not char.isascii() for char in word)
