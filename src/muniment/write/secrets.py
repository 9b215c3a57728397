"""Find credentials in text and take them out. Anchored patterns with checksums; no guess by entropy alone.

What is found is named by its sort. The value itself goes no further than this module.
"""

from __future__ import annotations

import re
from functools import partial

from muniment.model.errors import Malformed
from muniment.model.value import Value

_MARK = "[redacted: {}]"


class _Pattern(Value):
    sort: str
    shape: re.Pattern[str]


def _luhn(digits: str) -> bool:
    """The checksum of payment cards.

    >>> _luhn("4111111111111111"), _luhn("4111111111111112")
    (True, False)
    """
    total = 0
    for position, char in enumerate(reversed(digits)):
        number = int(char) * (2 if position % 2 else 1)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


_NAME = r"""(?: (?:api|secret|access|private|signing|encryption|account|shared[_ -]?access)[_ -]?(?:access[_ -]?)?
    (?:key|token|secret)(?:[_ -]?id)? | (?:client|app)[_ -]?secret | (?:auth|bearer|refresh|session)[_ -]?token
    | password | passwd | passphrase )"""
# A reference to a secret is none: a variable, a template, a call, a dotted name, an address, a row of stars.
_REFERENCE = r"""[$%<{(\[!*] | \w+(?:\.\w+)*[(\[] | [A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?!\.?[^\s"',;.]) | \w+://"""

_PATTERNS = (
    _Pattern(
        sort="private key",
        shape=re.compile(
            r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?"
            r"(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z)",
            re.DOTALL,
        ),
    ),
    _Pattern(sort="cloud access key", shape=re.compile(r"\b(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[0-9A-Z]{16}\b")),
    _Pattern(
        sort="code host token",
        shape=re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,}|glpat-[\w-]{20,})"),
    ),
    _Pattern(
        sort="API key",
        shape=re.compile(r"\b(?:[spr]k[-_](?=[A-Za-z_-]{0,40}\d)[A-Za-z0-9_-]{20,}|sk-[A-Za-z0-9]{20,})"),
    ),
    _Pattern(sort="memory key", shape=re.compile(r"\bmnk_[a-z0-9]{12}_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])")),
    _Pattern(sort="cloud API key", shape=re.compile(r"\bAIza[0-9A-Za-z_-]{30,}")),
    _Pattern(
        sort="service account",
        shape=re.compile(
            r"\b[a-z0-9][a-z0-9-]{0,62}@[a-z0-9][a-z0-9-]{0,62}\.iam\.gserviceaccount\.com\b", re.IGNORECASE
        ),
    ),
    _Pattern(sort="chat token", shape=re.compile(r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}")),
    _Pattern(
        sort="package token",
        shape=re.compile(r"\b(?:npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|hf_[A-Za-z0-9]{30,})"),
    ),
    _Pattern(sort="signed token", shape=re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}")),
    _Pattern(sort="password in a URL", shape=re.compile(r"(?<=://)[^\s/:@]{0,128}:[^\s/@]{1,256}(?=@)")),
    _Pattern(
        sort="authorization header",
        shape=re.compile(
            r"""(?i)authorization["']?\s*[:=]\s*["']?(?:bearer|basic|token)\s+(?P<value>[A-Za-z0-9._~+/=-]{8,})"""
        ),
    ),
    _Pattern(
        sort="credential",
        shape=re.compile(
            rf"""(?ix) {_NAME} (?: ["']? \s* [:=] \s* ["']? | \s+ is \s+ ["']? )
            (?P<value> (?! {_REFERENCE} ) (?= [^\s"',;]* [\d!@#$%^&+=~] ) [^\s"',;]{{8,}} )"""
        ),
    ),
)
# Payment cards begin with 2 to 6. Not part of a longer name or number, though a sentence may end after it.
_CARD = re.compile(r"(?<![\w.-])[2-6](?:[ -]?\d){12,18}(?!\w|[ .-]?\d)")

# Nothing above can match a text in which none of these occurs; most texts end here. Plain substrings and one small
# pattern: a single large one takes ten times as long.
_NEEDLES = (
    *("-----begin", "akia", "asia", "agpa", "aida", "aroa", "anpa", "aiza", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    *(
        "github_pat",
        "glpat-",
        "sk-",
        "sk_",
        "pk-",
        "pk_",
        "rk-",
        "rk_",
        "xox",
        "npm_",
        "mnk_",
        "pypi-",
        "hf_",
        "eyj",
        "://",
    ),
    *("key", "token", "secret", "passw", "passphrase", "authorization", "gserviceaccount"),
)
_DIGITS = re.compile(r"\d(?:[ -]?\d){12}")  # a card number has at least thirteen


def suspicious(text: str) -> bool:
    """Whether a closer look is worth it. Never false for a text, or JSON of a text, that holds a secret."""
    lowered = text.lower()
    for needle in _NEEDLES:
        if needle in lowered:
            return True
    return _DIGITS.search(text) is not None


def refuse_secret(field: str, name: str | None) -> None:
    """Refuse a name that holds a secret: it cannot be redacted without becoming another name."""
    if name is not None and redact(name)[1]:
        raise Malformed(field, "a name with no secret in it")


def redact(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text without its secrets, and the sorts that were taken out.

    >>> redact("deploy with AKIAIOSFODNN7EXAMPLE today")
    ('deploy with [redacted: cloud access key] today', ('cloud access key',))
    """
    if not suspicious(text):
        return text, ()
    found: list[str] = []
    for pattern in _PATTERNS:
        text = pattern.shape.sub(partial(_replace, pattern.sort, found), text)
    text = _CARD.sub(partial(_replace_card, found), text)
    return text, tuple(found)


def _replace(sort: str, found: list[str], hit: re.Match[str]) -> str:
    found.append(sort)
    mark = _MARK.format(sort)
    if "value" not in hit.re.groupindex:
        return mark
    start, end = hit.span("value")
    return hit.string[hit.start() : start] + mark + hit.string[end : hit.end()]


def _replace_card(found: list[str], hit: re.Match[str]) -> str:
    digits = re.sub(r"\D", "", hit[0])
    if not _luhn(digits) or len(set(digits)) == 1:
        return hit[0]
    found.append("card number")
    return _MARK.format("card number")
