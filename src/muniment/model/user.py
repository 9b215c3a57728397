"""The name of a user, as a program knows them, and the id their memory is kept under. One name, one id, both ways.

A name may be any text: an address, a number, a name in any script. An id holds the letters that ids may hold; each
other byte is written as a colon and two digits, so that no two names meet in one id and no name is a pattern.
"""

from __future__ import annotations

import re
from unicodedata import normalize

from muniment.model import checks
from muniment.model.errors import Malformed

_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
_SPELLED = re.compile(rb":([0-9A-F]{2})")
_ID_MAX = 128


def user_id(name: str) -> str:
    """The id under which the memory of a user is kept.

    >>> user_id("alice"), user_id("ana@example.com")
    ('alice', 'ana:40example.com')
    """
    if not isinstance(name, str):
        raise Malformed("user", "the user's name as text", hint="Give the name as text: user=str(number).")
    checks.text("user", name)
    if name != name.strip():
        raise Malformed("user", "a name without space around it", hint="Strip the name before you hand it over.")
    spelled = "".join(chr(byte) if byte in _PLAIN else f":{byte:02X}" for byte in normalize("NFC", name).encode())
    if len(spelled) > _ID_MAX:
        hint = "Hand over a short id of the user instead; a character outside A-Z a-z 0-9 . _ - counts 3 per byte."
        raise Malformed("user", f"a name whose id fits in {_ID_MAX} characters", hint=hint)
    return spelled


def user_name(spelled: str) -> str:
    """The name behind an id.

    >>> user_name("ana:40example.com")
    'ana@example.com'
    """
    plain = _SPELLED.sub(lambda found: bytes.fromhex(found[1].decode()), spelled.encode())
    return plain.decode(errors="replace")
