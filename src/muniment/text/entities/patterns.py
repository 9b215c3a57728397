"""The shapes in which a text names things, as one pattern that reads it from left to right.

At each place the first shape that fits is taken; of two shapes that begin alike, the longer stands first. Runs of
ordinary words are passed over as one, which is what makes it fast, and whatever no shape fits is passed over word by
word. Each shape ends in an empty group of its name, by which a match tells which it is.
"""

from __future__ import annotations

import re

from muniment.text.word_tables import MONTHS, MULTIPLIERS

_LOW = "a-zß-öø-ÿа-яё"
_UP = "[A-ZÀ-ÖØ-ÞĀ-ŽΑ-ΩА-ЯЁ]"
_GAP = "[ \t\u00a0]"
_HEX = "[0-9a-fA-F]"
_MONTH = "(?i:" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\b\.?"
_YEAR = r"[12]\d{3}\b"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?\b"
_MANY = "|".join(MULTIPLIERS)
_ENDINGS = (
    "py|md|txt|json|jsonl|ya?ml|toml|ini|cfg|conf|env|lock|log|js|jsx|ts|tsx|mjs|css|html?|xml|svg|vue|go|rs|rb|java|kt|"
    "swift|c|h|cc|cpp|hpp|cs|php|pl|lua|r|jl|sh|bash|zsh|ps1|bat|sql|db|sqlite|csv|tsv|parquet|pdf|docx?|xlsx?|pptx?|png|"
    "jpe?g|gif|webp|mp[34]|wav|zip|tar|gz|tgz|whl|ipynb|tex|rst|pem|key|proto|tf|dockerfile"
)
_DOMAINS = "com|org|net|io|dev|ai|edu|gov|app|info|cloud|co\\.uk|de|fr|eu|ch"

_TITLE = r"(?:Mr|Mrs|Ms|Dr|Prof|St|Mt|Jr|Sr|Inc|Corp|Ltd|Co)\."
_CALENDAR = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d"
_MARKED = r"[A-Z][A-Z0-9]{0,9}-\d"
_WORD = rf"(?:{_TITLE}(?!\w)|(?:[A-Z]\.){{1,4}}(?=\s?[A-Z])|[a-z]?{_UP}[^\W_]*+(?:[’'&-][^\W_]++)*+)"
_LINK = "(?:of(?: the)?|de(?: la| los)?|van(?: de[rn]?)?|von(?: der)?|der|den|del|della|da|di|du|bin|ibn|al|el|y|&)"
_NUMBER = r"(?!(?:19|20)\d\d\b)\d{1,4}(?:\.\d{1,3}){0,2}+(?![\w%°:/-])"

_PLAIN = (
    rf"(?:(?:[{_LOW}]++(?:-[{_LOW}]++){{0,4}}+(?:['’](?:s|t|re|ve|ll|d|m)\b)?+|I(?:['’](?:m|ve|ll|d))?+)"
    r"[,;:.!?)]*+\s++)++"
)
_SIMPLE = (
    rf"[A-Z](?<!\w.)[a-z]++(?!\.?,? (?:of )?\d)(?:{_GAP}(?!{_CALENDAR})[A-Z][a-z]++)*+"
    r"(?=[\s,;!?)\"]|\Z|(?<=[a-z]{4})\.(?!\w))"
    rf"(?!{_GAP}(?:{_LINK}{_GAP}{_UP}|[A-Z0-9&]|[a-z][A-Z]))"
)
"""The usual name, which needs no closer look: words of letters alone, with nothing after them that may belong to it."""

_AMOUNT = r"\d+(?:,\d{3})*+(?:\.\d+)?"
_SHAPES: tuple[tuple[str, str], ...] = (
    ("", _PLAIN),
    ("", r"\s++"),
    ("name", _SIMPLE),
    ("code", r"`[^`\n]{1,198}`"),
    ("quoted", r"\"(?!\s)[^\"\n]{1,60}(?<!\s)\""),
    ("quoted", r"“[^”\n]{1,60}”|«[^»\n]{1,60}»|「[^」\n]{1,60}」|『[^』\n]{1,60}』|《[^》\n]{1,60}》"),
    ("quoted", r"(?<!\w)'(?!\s)[^'\n]{2,60}(?<!\s)'(?!\w)"),
    ("handle", r"(?<![\w.@])@[A-Za-z_]\w{1,38}(?![\w@])"),
    ("code", r"(?<![\w-])--[A-Za-z][\w-]{1,60}+"),
    ("id", r"(?<![\w#&])#\d{1,12}\b"),
    ("price", rf"[$€£¥]\s?{_AMOUNT}(?:\s?(?:[kKmMbB]|bn|mn|{_MANY})\b)?"),
    ("path", r"(?<![\w/.:~])(?:~|\.{1,2})?/(?:[\w.@+-]{1,80}+/){0,40}+[\w.@+-]{1,79}[\w@+-]/?"),
    ("path", r"(?<!\w)[A-Za-z]:\\[^\s\"<>|*?,;]{1,180}"),
    ("url", r"(?<!\w)(?:[hH][tT]{2}[pP][sS]?|ftp|ssh|git|file|wss?)://[^\s<>\"`]{1,400}"),
    ("date", r"(?<![\w-])\d{4}-\d\d-\d\d(?!\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?(?![\w-])"),
    ("date", r"(?<![\w/])(?:\d{4}/\d{1,2}/\d{1,2}|\d{1,2}/\d{1,2}/\d{2}(?:\d\d)?|\d{1,2}\.\d{1,2}\.\d{4})(?![\w/])"),
    ("date", rf"(?<![\w.]){_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?"),
    ("id", rf"(?<![\w-]){_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}(?![\w-])"),
    ("id", r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\w]|\.\d)"),
    ("id", r"(?<![\w.])[vV]?\d+\.\d+\.\d+(?:[-+]\w[\w.]{0,38}\w)?(?!\w)"),
    ("id", r"(?<!\w)[vV]\d+(?:\.\d+)*+(?!\w)"),
    ("id", rf"(?<!\w)(?=\d*+[a-fA-F])(?=[a-fA-F]*+\d){_HEX}{{7,64}}(?![\w.-]*\w)"),
    ("number", rf"(?<![\w./]){_AMOUNT}(?:[ -]?(?:{_MANY})\b)?(?=[ -]?(?P<unit>%|°[CF]?|[^\W\d_]{{1,12}}(?!\w))?)"),
    ("email", r"(?<![\w.+-])[A-Za-z0-9][\w.+-]{0,63}+@[A-Za-z0-9-]{1,60}+(?:\.[A-Za-z0-9-]{1,60}+)++"),
    ("path", rf"(?<![\w/])(?:[\w.@-]{{1,80}}+/){{1,20}}+[\w.@-]{{1,72}}\.(?:{_ENDINGS})(?![\w/(])"),
    ("path", r"(?<![\w/])[A-Za-z_.][\w.-]{1,40}+/[\w.-]{1,80}+/[\w./-]{0,79}[\w/]"),
    ("path", rf"(?<![\w/])[\w-]{{1,60}}(?:\.[\w-]{{1,20}})?\.(?:{_ENDINGS})(?![\w(/]|\.\w)"),
    ("url", rf"(?<![\w@.])(?:[A-Za-z0-9-]{{1,60}}\.){{1,4}}(?:{_DOMAINS})(?![\w@-])(?:/[^\s<>\"`]{{0,300}})?"),
    ("date", rf"{_MONTH} {_DAY}(?!\s*[%°:]|,\d)(?:,? {_YEAR})?"),
    ("date", rf"{_MONTH}(?: of)?,? {_YEAR}"),
    ("code", r"(?<!\w)(?:[A-Za-z_]\w*+(?:\.|::))*+[A-Za-z_]\w*+\(\)"),
    ("code", r"(?<!\w)(?:[A-Za-z_]\w*+(?:\.|::)(?=\w)){2,}+[A-Za-z_]\w*+"),
    ("id", r"(?<![\w-])[A-Z][A-Z0-9]{0,9}-\d+[a-z]?(?![\w-])"),
    ("id", r"(?<![\w-])[a-z][a-z0-9]{0,12}+(?:-[a-z]{1,12}){0,2}-\d+[a-z]?(?![\w-])"),
    ("snake", r"(?<!\w)[A-Za-z_][A-Za-z0-9]*+_\w++"),
    ("code", r"(?<!\w)[a-z]{2}[a-z0-9]*+[A-Z][A-Za-z0-9]*+(?!\w)"),
    ("name", rf"{_WORD}(?:{_GAP}(?!{_CALENDAR}|{_MARKED})(?:{_LINK}{_GAP}(?={_UP}))?{_WORD}|{_GAP}{_NUMBER})*+"),
    ("", r"\w+|[^\w\s]"),
)
SHAPES = re.compile("|".join(f"(?:{shape})(?P<{kind}_{at}>)" for at, (kind, shape) in enumerate(_SHAPES)))
KINDS = {place: name.rpartition("_")[0] for name, place in SHAPES.groupindex.items()}
"""What a match is, by its `lastindex`; nothing for what is passed over."""
