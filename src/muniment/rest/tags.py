"""Entity tags: which revision was read, and a digest of all that was told of it."""

from __future__ import annotations

import hashlib
import re

from muniment.model.errors import Malformed

ANY = "*"
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


def read_match(header: str) -> tuple[int | None, str | None]:
    """Which revision an `If-Match` expects, and the whole tag if it says more than that. `*` expects none.

    >>> read_match('"r3"'), read_match("*")
    ((3, None), (None, None))
    """
    text = header.strip()
    if text == ANY:
        return None, None
    found = _TAG.fullmatch(text)
    if found is None:
        raise Malformed("If-Match", 'the ETag of a record as it was read, one such as "r3", or *')
    return int(found["revision"]), text if found["digest"] is not None else None


def same_tag(header: str, tag: str) -> bool:
    """Whether an `If-None-Match` names this tag. The comparison is the weak one, as for reading it must be.

    >>> same_tag('W/"a", "b"', '"b"'), same_tag("*", '"b"'), same_tag('"c"', '"b"')
    (True, True, False)
    """
    named = [one.strip().removeprefix("W/") for one in header.split(",")]
    return ANY in named or tag in named
