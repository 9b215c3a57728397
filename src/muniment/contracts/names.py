"""Foreign words made safe: ids, paths and texts that our record cannot hold as they are. What was changed is kept by
the codec and given back."""

from __future__ import annotations

import hashlib
import re

from muniment.model import checks
from muniment.model.errors import CallerError

EMPTY = "(empty)"
"""Stands for content that is empty or blank, which our record cannot hold."""

_IDENTIFIER = re.compile(r"[A-Za-z0-9._:-]{1,128}", re.ASCII)
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def safe_id(text: str) -> str:
    """The id itself if ours can look like that, else one made of its digest. The same text gives the same id.

    >>> safe_id("mem-001"), safe_id("a b")
    ('mem-001', 'x:c8687a08aa5d6ed2044328fa6a697ab8')
    """
    if _IDENTIFIER.fullmatch(text) is not None:
        return text
    return "x:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def safe_text(text: str, *, limit: int = checks.TEXT_BYTES_MAX) -> str:
    """Text a record can hold: without control characters, not blank, within the limit."""
    clean = _UNPRINTABLE.sub("", text)
    while len(clean.encode()) > limit:
        clean = clean.encode()[:limit].decode("utf-8", "ignore")
    return clean if clean.strip() else EMPTY


def safe_namespace(text: str) -> str:
    """A path our record can hold: the text if it is one, else its parts put right.

    >>> safe_namespace("/team/a/"), safe_namespace("team//a"), safe_namespace("")
    ('/team/a', '/team/a', '/')
    """
    parts = [part.strip() for part in _UNPRINTABLE.sub("", text).split("/")]
    path = "/" + "/".join(part for part in parts if part not in ("", ".", ".."))
    try:
        checks.namespace("namespace", path)
    except CallerError:
        return "/" + safe_id(path)
    return path
