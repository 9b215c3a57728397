"""Texts inside a text: what its base64, hex, escapes and turned letters spell, if they spell words at all.

What is decoded is never longer than what it was decoded from, and the third text inside another is the last one looked
at, so that the work stays in proportion to what was sent.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

DEPTH_MAX = 3
_LEAST = 8
_CODE_LEAST = 20
_ESCAPES_LEAST = 4
_STRANGE_MAX = 0.05
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{20,}(?:\r?\n[A-Za-z0-9+/_-]{4,})*")
_BASE32 = re.compile(r"[A-Z2-7]{32,}")
_HEX = re.compile(
    r"(?:[0-9a-fA-F]{2}){16,}|(?:[0-9a-fA-F]{2}[ :,]){15,}[0-9a-fA-F]{2}|(?:\\?0?x[0-9a-fA-F]{2}[ ,]{0,2}){12,}"
)
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2}|[A-Za-z0-9.~_+-]){24,}")
_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4}){8,}")
_ENTITIES = re.compile(r"(?:&#[0-9]{1,7};|&#x[0-9a-fA-F]{1,6};){8,}")
_BITS = re.compile(r"(?:[01]{8}[ ,]?){16,}")
_APART = re.compile(r"(?:[0-9a-fA-F]{2} ){12}|(?:x[0-9a-fA-F]{2},? ){12}|[01]{8} [01]{8}")
_AROUND_HEX = re.compile(r"\\?0?x|[ :,]")
_STRANGE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd]")
_TO_STANDARD = str.maketrans("-_", "+/")

_TURNED = re.compile(r"\b(?:gur|naq|lbhe?|guvf|gung|jvgu|nyy|zhfg|sebz|vtaber|hfref?)\b", re.IGNORECASE)
_MIRRORED = re.compile(r"\b(?:eht|uoy|ruoy|siht|taht|lla|htiw|tsum|suoiverp|erongi|sresu)\b", re.IGNORECASE)
"""Words that nobody writes: what letters turned by thirteen places, or written backwards, make of common ones."""


def decoded(text: str) -> Iterator[str]:
    """Every text that is spelled inside this one."""
    if max(map(len, text.split()), default=0) >= _CODE_LEAST or _APART.search(text):
        yield from (words for raw in _raw(text) if (words := _words(raw)) is not None)
    if _TURNED.search(text):
        yield codecs.decode(text, "rot13")
    if _MIRRORED.search(text):
        yield text[::-1]
    if "&#" in text:
        yield from (html.unescape(run) for run in _ENTITIES.findall(text))


def _raw(text: str) -> Iterator[bytes]:
    for run in _BASE64.findall(text):
        yield from _base64("".join(run.split()).translate(_TO_STANDARD))
    for run in _BASE32.findall(text):
        yield base64.b32decode(run[: len(run) // 8 * 8])
    for run in _HEX.findall(text):
        yield bytes.fromhex(_AROUND_HEX.sub("", run))
    for run in _ESCAPES.findall(text):
        yield "".join(chr(int(part, 16)) for part in run.split("\\u")[1:]).encode(errors="replace")
    for run in _BITS.findall(text):
        bits = run.replace(" ", "").replace(",", "")
        yield int(bits, 2).to_bytes(len(bits) // 8, "big")
    if text.count("%") >= _ESCAPES_LEAST:
        yield from (unquote_to_bytes(run.replace("+", " ")) for run in _PERCENT.findall(text) if "%" in run)


def _base64(run: str) -> Iterator[bytes]:
    """What a run spells from each place where it may begin: a name in front of it moves the rest."""
    for start in range(4):
        part = run[start:] if len(run[start:]) % 4 != 1 else run[start:-1]
        yield binascii.a2b_base64(part + "=" * (-len(part) % 4))


def _words(raw: bytes) -> str | None:
    """The bytes as text, if that is what they are."""
    wide = raw.count(0) * 3 > len(raw)
    text = raw.decode("utf-16-le" if wide else "utf-8", errors="replace")
    if len(text) < _LEAST or len(_STRANGE.findall(text)) > len(text) * _STRANGE_MAX:
        return None
    return text
