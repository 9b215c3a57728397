"""Entity tags: which revision was read, and a digest of all that was told of it."""

from __future__ import annotations

import hashlib
import re

from muniment.model.errors import Malformed
from muniment.model.value import Value

ANY = "*"
_QUOTED = r'(?:W/)?"[!#-~]*"'
TAGS_PATTERN = rf"{_QUOTED}(?: *, *{_QUOTED})*"
_TAGS = re.compile(TAGS_PATTERN)
_ONE = re.compile(_QUOTED)
_TAG = re.compile(r'"r(?P<revision>[1-9][0-9]{0,9})(?:\.(?P<digest>[0-9a-f]{16}))?"')


def tag_of(revision: int, body: bytes) -> str:
    """The tag of a record as it was told.

    >>> tag_of(3, b"{}")
    '"r3.01e7b720ff566d53"'
    """
    return f'"r{revision}.{hashlib.blake2b(body, digest_size=8).hexdigest()}"'


def revision_tag(revision: int) -> str:
    """The tag that names a revision and nothing else, for those who do not care what else became of it."""
    return f'"r{revision}"'


class Mark(Value):
    """One tag that an `If-Match` names: a revision, and the whole tag if it says more than that."""

    revision: int
    tag: str | None = None

    def meets(self, revision: int, tag: str) -> bool:
        return self.revision == revision and self.tag in (None, tag)


def read_match(header: str) -> tuple[Mark, ...] | None:
    """The tags of ours that an `If-Match` names, any of which will do; None for `*`, which any revision meets. Weak
    tags and those of somebody else's making are none of ours: nothing meets them.

    >>> read_match('"r3", W/"r4", "xyz"'), read_match("*")
    ((Mark(revision=3, tag=None),), None)
    """
    text = header.strip()
    if text == ANY:
        return None
    if _TAGS.fullmatch(text) is None:
        raise Malformed("If-Match", 'the ETag of a record as it was read, one such as "r3", a list of them, or *')
    found = (_TAG.fullmatch(one) for one in _ONE.findall(text))
    return tuple(
        Mark(revision=int(one["revision"]), tag=one[0] if one["digest"] is not None else None)
        for one in found
        if one is not None
    )


def same_tag(header: str, tag: str) -> bool:
    """Whether an `If-None-Match` names this tag. The comparison is the weak one, as for reading it must be.

    >>> same_tag('W/"a", "b"', '"b"'), same_tag("*", '"b"'), same_tag('"c"', '"b"')
    (True, True, False)
    """
    named = [one.strip().removeprefix("W/") for one in header.split(",")]
    return ANY in named or tag in named
