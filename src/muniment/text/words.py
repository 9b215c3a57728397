"""Cut a text into tokens, and into the bag of words that shows quickly whether two texts can be about one thing."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

from muniment.text.stems import stem
from muniment.text.word_tables import LIGHT, OPERATORS, STOP

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_WRAPPED = re.compile(r"(?<=[^\W\d_,])\n(?=[^\W\d_])")
_WIDE = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_PLAIN = re.compile(rf"[{_WIDE}]|[^\W\d_{_WIDE}]+(?:['’][^\W\d_]+)?")
_TOKEN = re.compile(
    rf"""
    (?P<plain>(?-i:[A-Za-z])++(?!\w|[-./'’@]\w))
    |(?P<date>\d{{4}}-\d\d-\d\d(?!\d)(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?)
    |(?P<clock>\d\d?:\d\d(?::\d\d)?(?:\s?[ap]\.?m\b\.?)?|\d\d?\s?[ap]\.?m\b\.?)
    |(?P<version>v\d+(?:\.\d+)*\b|\d+(?:\.\d+){{2,}})
    |(?P<number>(?:(?<![\w)\]])[-+−])?[$€£~]?(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?)(?:\s?(?P<sign>%|°[cf]?)|(?P<unit>[^\W\d_]{{1,5}})?(?!\w))
    |(?P<wide>[{_WIDE}])
    |(?P<word>[^\W_](?:\w|[-./'’@](?=\w))*)
    |(?P<operator>[!=]==?|[<>]=|<>|[<>=≤≥≠])
    |(?P<mark>[.,;:!?()\n/–—-])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SHORTENED = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
_IDLE = (
    "by the way",
    "at the moment",
    "right now",
    "these days",
    r"(?:it is|it's|it remains) (?:still )?(?:the case|true|a fact|worth noting|worth saying) that",
    r"for what it(?:'s| is) worth",
    r"in case (?:you|anyone) missed it",
    "in case it helps",
    "to be clear",
    "for the record",
    r"(?:just )?(?:as )?a (?:quick |gentle )?reminder(?: that)?",
    r"(?:please )?(?:note|remember|recall|be aware|keep in mind|bear in mind) that",
    r"as far as (?:i|we) know",
    r"to (?:the best of )?(?:my|our) knowledge",
    r"as (?:always|before|ever|usual)",
    r"as (?:everyone knows|you know)",
    r"as (?:i|we) said(?: before| earlier)?",
    "needless to say",
    "just so you know",
    "once again",
    "to repeat",
    r"let me repeat(?: that)?",
    r"i can confirm(?: that)?",
)
_IDLE_PHRASE = re.compile(rf"\b(?:{'|'.join(_IDLE)})\b[,:;]?[ \t]*", re.IGNORECASE)
"""What is said to fill a sentence: with or without it, a sentence says the same."""
_IDLE_PARTS = (
    *("by the way", "moment", "right now", "these days", "case that", "true that", "fact that", "worth", "in case"),
    *("to be clear", "for the record", "reminder", "note that", "remember that", "recall that", "aware that"),
    *("mind that", "as far as", "knowledge", "as always", "as before", "as ever", "as usual", "as you know", "said"),
    *("everyone knows", "needless", "just so", "once again", "to repeat", "let me repeat", "confirm"),
)
"""In which none of these occurs there is no idle phrase. Most texts end here: the pattern takes ten times as long."""
_SAID_BY = re.compile(
    r"^\W*+(?:(?:according to|per|as per|as stated by|as reported by|as told by)\s[^,:.\n]{1,60}[,:]"
    r"|as\s[^,:.\n]{1,50}\s(?:told|said|says|wrote|writes|mentioned|confirmed|reported|noted|explained|put it)"
    r"[^,:.\n]{0,30}[,:]"
    r"|(?:i|we|they)(?:'ve| have)?\s(?:also\s)?(?:heard|learned|learnt|read|gather|understand|were told|was told)\s"
    r"(?:(?:from|by|in)\s[^,:.\n]{1,50}?\s)?that\b"
    r"|[^,:.\n]{1,40}\s(?:told|informed|assured)\s(?:me|us|everyone)\s(?:that\b|,|:)"
    r"|[^,:.\n]{1,40}\s(?:says?|said|states?|stated|reports?|reported|confirms?|confirmed|claims?|claimed|writes|wrote"
    r"|mentions?|mentioned|notes?|noted)\sthat\b"
    r"|(?:it is|it's) (?:said|reported|known|confirmed) that\b)\s*",
    re.IGNORECASE,
)
"""Whom somebody has something from, before it is said: no part of what is said."""
_PIECES = re.compile(r"[-./@]")
READ_MAX = 1_000
READ_LAST = 400
"""How many characters of one text are read for statements, and how many of them are its last: what a long text has to
say stands at its beginning or its end. What lies between still counts as words."""


class Token(NamedTuple):
    """One piece of a text. `kind` is the name of the pattern that matched; `form` is folded, `shown` is as it stood."""

    kind: str
    form: str
    shown: str
    unit: str = ""


def folded(text: str) -> str:
    """One spelling for all widths and cases, so that the same words compare as the same."""
    return text.lower() if text.isascii() else normalize("NFKC", text).casefold()


def spoken(text: str) -> str:
    """A text without the code in it and without idle phrases, and with broken lines joined: none of these says anything
    about the world."""
    text = _FENCE.sub("\n", text) if "```" in text else text
    text = _IDLE_PHRASE.sub("", text) if _may_idle(text) else text
    return _WRAPPED.sub(" ", text) if "\n" in text else text


def unattributed(text: str) -> str:
    """A text without the frame that says whom it is from.

    >>> unattributed("According to billing, refunds take a week")
    'refunds take a week'
    """
    return _SAID_BY.sub("", text, count=1) or text


def _may_idle(text: str) -> bool:
    if not text.isascii():  # other letters count as ours when case is passed over
        return True
    return any(map(text.lower().__contains__, _IDLE_PARTS))


@lru_cache(maxsize=16_384)
def telling(word: str) -> str | None:
    """The stem of a word that says what a text is about, or nothing for one that does not."""
    if word in STOP:
        return None
    root = stem(word)
    return None if root in LIGHT else root


def bag(text: str) -> tuple[str, ...]:
    """The telling words of a text as stems, in the order they first occur.

    >>> bag("The staging databases are running in the EU, and the database is slow")
    ('stag', 'databas', 'run', 'eu', 'slow')
    """
    found = dict.fromkeys(_PLAIN.findall(folded(text)))
    bare = map(_bare, found) if "'" in text or "’" in text else found
    return tuple(dict.fromkeys(filter(None, map(telling, bare))))


def _bare(word: str) -> str:
    for quote in ("'", "’"):
        if quote in word:
            head, _, tail = word.partition(quote)
            return head if tail == "s" else head + tail
    return word


def tokens(text: str) -> list[Token]:
    """Cut a text into dates, clock times, versions, numbers, words and marks."""
    clean = text if text.isascii() else normalize("NFKC", text)
    found: list[Token] = []
    for match in _TOKEN.finditer(clean):
        kind = match.lastgroup or "mark"
        shown = match.group()
        if kind == "plain":
            found.append(Token("word", shown.lower(), shown))
        elif kind == "word":
            found += _words(shown)
        elif kind == "operator":
            found.append(Token("operator", OPERATORS[shown], shown))
        elif kind in ("number", "sign", "unit"):
            unit = match.group("sign") or match.group("unit") or ""
            found.append(Token("number", match.group("number"), shown, unit.lower()))
        else:
            found.append(Token(kind, shown.lower(), shown))
    return found


def _words(shown: str) -> list[Token]:
    """A compound is its words, unless it has a digit: `eu-west-2` is one name."""
    if shown.isalpha():
        return [Token("word", shown.lower() if shown.isascii() else folded(shown), shown)]
    if any(letter.isdigit() for letter in shown):
        return [Token("code", shown.lower(), shown)]
    if not _PIECES.search(shown):
        return _apart(shown)
    return [token for piece in _PIECES.split(shown) if piece for token in _apart(piece)]


def _apart(shown: str) -> list[Token]:
    """Take off what an apostrophe joined on, keeping a denial as a word of its own."""
    form = folded(shown).replace("’", "'")
    if "'" not in form:
        return [Token("word", form, shown)]
    if form.endswith("n't"):
        head = _SHORTENED.get(form[:-3], form[:-3])
        return [Token("word", head, head), Token("word", "not", "not")]
    head, _, tail = form.partition("'")
    if tail in ("ve", "re", "ll", "d", "m", "s") and head:
        return [Token("word", head, shown.split("'")[0].split("’")[0]), Token("word", "'" + tail, "'" + tail)]
    return [Token("word", form.replace("'", ""), shown)]


def stated(text: str) -> str:
    """The part of a text that is read for statements: all of a short one, the beginning and the end of a long one.

    >>> len(stated("a" * 5_000)), stated("It rains.")
    (1001, 'It rains.')
    """
    if len(text) <= READ_MAX:
        return text
    return f"{text[: READ_MAX - READ_LAST]}\n{text[-READ_LAST:]}"
