"""Cursors: where a list goes on, as text that means nothing to its bearer and is checked when it comes back.

A cursor opens no door: it is a position, and each page asks the policy anew. The checksum is there so that a cursor of
another list, of other bounds or of somebody's making is refused instead of misread.
"""

from __future__ import annotations

import base64
import binascii
import hashlib

from muniment.model.errors import Malformed
from muniment.model.value import Value, canonical

_SEAL = 9
_HINT = "Leave the cursor out to start over; bounds may not change between pages."


def seal(operation: str, bounds: Value, position: str) -> str:
    """The cursor that leads on from a position of one list."""
    body = position.encode()
    return base64.urlsafe_b64encode(_sum(operation, bounds, body) + body).decode().rstrip("=")


def unseal(operation: str, bounds: Value, cursor: str) -> str:
    """The position a cursor stands for.

    >>> from muniment.operations.queries import PageQuery
    >>> unseal("queue", PageQuery(), seal("queue", PageQuery(), "prp-7"))
    'prp-7'
    """
    try:
        raw = base64.b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        kept, body = raw[:_SEAL], raw[_SEAL:]
        position = body.decode()
    except (binascii.Error, ValueError):
        raise _refused() from None
    if kept != _sum(operation, bounds, body) or cursor != seal(operation, bounds, position):
        raise _refused()
    return position


def _sum(operation: str, bounds: Value, body: bytes) -> bytes:
    digest = hashlib.blake2b(digest_size=_SEAL)
    for part in (operation.encode(), canonical(bounds), body):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()


def _refused() -> Malformed:
    return Malformed("cursor", "the `next` of a page of this very list", hint=_HINT)
