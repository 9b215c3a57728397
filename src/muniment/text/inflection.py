"""In which forms a name stands in texts: what each language joins to it or changes at its end.

What is declared here is taken for the name itself, so it is short: an ending that also makes another name of it
(`Иван` and `Иванов`) is not. Nothing is transliterated.
"""

from __future__ import annotations

import re

from muniment.text.languages import ARABIC_CLITICS, HEBREW_CLITICS, PARTICLES
from muniment.text.scripts import HANGUL, HIRAGANA, KATAKANA, LATIN, MARKS, UNSPACED, Script, clusters

_CYRILLIC = (
    "а у ом ем е ы и ой ою ей ею ым им ых их ыми ими ам ям ами ями ах ях я ю ь й ого ому его ему ая яя ую юю ий ый ие "
    "ия ию ием ии"
)
_CYRILLIC_LAST = re.compile("(?:[иыо]й|[ая]я|[аяйьоеыиую])$")
_GREEK = "ος ου ο ον ε ας α ης η ην ες ων ους οι ις ι εως"
_GREEK_LAST = re.compile("(?:οσ|ασ|ησ|εσ|ισ|α|η|ο|ι)$")
_KATAKANA = re.compile(f"[{KATAKANA}]+")
_HIRAGANA = re.compile(f"[{HIRAGANA}]+")
_STEM_MIN = 3
_ENDINGS = {
    "de": "s es ens",
    "nl": "s",
    "sv": "s",
    "da": "s",
    "no": "s",
    "tr": "in ın un ün nin nın nun nün i ı u ü yi yı yu yü e a ye ya de da te ta den dan ten tan le la yle yla",
    "hu": "t ot et at ban ben nak nek val vel tól től ról ről hoz hez höz ra re ba be ból ből nál nél ért ig ék é",
    "fi": "n in a ä ta tä lla llä lle lta ltä ssa ssä sta stä an än on en ksi na nä",
    "pl": "a ą ę y i owi em u e ie iem owie ów om ami ach",
    "cs": "a u e ovi em om ou y i ě ové ům ech",
    "ro": "ului ul ei lui",
}
"""What languages in Latin letters put after a name, without an apostrophe."""
_UMLAUTS = {"ä": "(?:ä|ae)", "ö": "(?:ö|oe)", "ü": "(?:ü|ue)"}
_SPELLED_UMLAUTS = re.compile("ae|oe|ue|[äöü]")
_SPACED = "[^\\W" + UNSPACED + HANGUL + LATIN + "]|[" + MARKS + "]"
_EDGE: dict[Script, str] = {"latin": f"[{LATIN}{MARKS}]", "hangul": f"[{HANGUL}]"}


def _one_of(words: str) -> str:
    return "(?:" + "|".join(map(re.escape, sorted(words.split(), key=len, reverse=True))) + ")"


def certain(word: str, script: Script, language: str | None) -> str:
    """A pattern of the forms of one word of a name in a text of a language. Word and text are folded alike before.

    >>> import re
    >>> [bool(re.search(certain("иванов", "cyrillic", None), text)) for text in ("ивановым", "ивановна", "об иванове")]
    [True, False, True]
    >>> [bool(re.search(certain("김철수", "hangul", None), text)) for text in ("김철수는", "김철수네집", "박김철수")]
    [True, False, False]
    >>> [bool(re.search(certain("peter", "latin", one), "peters auto")) for one in ("de", "en")]
    [True, False]
    """
    before, after = _edges(word, script)
    match script:
        case "cyrillic":
            shape = _inflected(word, _CYRILLIC_LAST, _CYRILLIC)
        case "greek":
            shape = _inflected(word, _GREEK_LAST, _GREEK.replace("ς", "σ"))
        case "hangul":
            shape = f"{re.escape(word)}{_one_of(' '.join(PARTICLES))}?"
        case "arabic":
            whole = f"(?:ال|لل){re.escape(word[2:])}" if word.startswith("ال") else re.escape(word)
            shape = _joined(whole, word, ARABIC_CLITICS)
        case "hebrew":
            shape = _joined(re.escape(word), word, HEBREW_CLITICS)
        case "latin":
            ends = f"{_one_of(_ENDINGS[language])}?" if language in _ENDINGS and len(word) >= _STEM_MIN else ""
            shape = _umlauts(word) + ends
        case "unspaced":
            least = 3 if _HIRAGANA.fullmatch(word) else 2
            shape = r"[\s·・]?".join(map(re.escape, clusters(word))) if len(word) >= least else "(?!)"
        case _:
            shape = re.escape(word)
    return f"{before}{shape}{after}"


def probable(word: str, script: Script) -> str:
    """A pattern of the letters of one word of a name, whatever stands before and after them."""
    match script:
        case "cyrillic":
            return _stem(word, _CYRILLIC_LAST)
        case "greek":
            return _stem(word, _GREEK_LAST)
        case "unspaced":
            return r"[\s·・]?".join(map(re.escape, clusters(word)))
        case _:
            return re.escape(word)


def hint(word: str, script: Script) -> str:
    """Letters that are in every form of a word, for a quick look."""
    match script:
        case "cyrillic":
            return _bare(word, _CYRILLIC_LAST)
        case "greek":
            return _bare(word, _GREEK_LAST)
        case "arabic":
            return word.removeprefix("ال")
        case "unspaced":
            return word[:1]
        case "latin":
            return _SPELLED_UMLAUTS.split(word)[0]
        case _:
            return word


def _edges(word: str, script: Script) -> tuple[str, str]:
    """What must not stand before and after a name: a letter that would make it part of another word."""
    if script == "unspaced":
        edge = f"[{KATAKANA}]" if _KATAKANA.fullmatch(word) else ""
        return f"(?<!{edge})" if edge else "", f"(?![{MARKS}]|{edge})" if edge else f"(?![{MARKS}])"
    edge = _EDGE.get(script, f"(?:{_SPACED})")
    before = edge if script in _EDGE else f"[^\\W_{UNSPACED}{HANGUL}{LATIN}]"
    return f"(?<!{before})", f"(?!{edge})"


def _inflected(word: str, last: re.Pattern[str], endings: str) -> str:
    stem = _bare(word, last)
    return f"(?:{re.escape(word)}|{re.escape(stem)}{_one_of(endings)}?)" if len(stem) >= _STEM_MIN else re.escape(word)


def _stem(word: str, last: re.Pattern[str]) -> str:
    return re.escape(_bare(word, last))


def _bare(word: str, last: re.Pattern[str]) -> str:
    stem = last.sub("", word)
    return stem if len(stem) >= _STEM_MIN else word


def _joined(shape: str, word: str, clitics: tuple[str, ...]) -> str:
    return f"(?:{'|'.join(clitics)})?{shape}" if len(word) >= _STEM_MIN else shape


def _umlauts(word: str) -> str:
    """A word with its umlauts spelled either way."""
    spelled = {"ae": "ä", "oe": "ö", "ue": "ü"}
    pieces, end = [], 0
    for found in _SPELLED_UMLAUTS.finditer(word):
        pieces += [re.escape(word[end : found.start()]), _UMLAUTS[spelled.get(found[0], found[0])]]
        end = found.end()
    return "".join([*pieces, re.escape(word[end:])])
