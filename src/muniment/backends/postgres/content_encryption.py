"""How words and bodies are written into the tables: as they are, or sealed with a key that is not in the database."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
from typing import Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESSIV

from muniment.model.errors import IntegrityError

_TERM_BYTES_MAX = 200
_NONCE_BYTES = 12
_TERM_BYTES = 16
_WORD, _MARK = b"w", b"m"


class ContentCipher(Protocol):
    """A way to write. Words and marks stay comparable: the same one is always written the same."""

    def word(self, word: str) -> str:
        """A word as it is written where it is looked up, and read back."""

    def read(self, written: str) -> str:
        """A word that was written with `word`."""

    def mark(self, mark: bytes) -> bytes:
        """The same for bytes that tell one content from another."""

    def unmark(self, written: bytes) -> bytes:
        """What was written with `mark`."""

    def term(self, term: str) -> str:
        """A term as the word index writes it. It is looked up and never read back."""

    def close(self, body: bytes, place: bytes) -> bytes:
        """A body as it is written at `place`, which it cannot be moved from."""

    def open(self, written: bytes, place: bytes) -> bytes:
        """A body that was written with `close`."""


class PlainContent:
    """Everything as it is. A term too long for an index is written as a digest."""

    def word(self, word: str) -> str:
        return word

    def read(self, written: str) -> str:
        return written

    def mark(self, mark: bytes) -> bytes:
        return mark

    def unmark(self, written: bytes) -> bytes:
        return written

    def term(self, term: str) -> str:
        """
        >>> PLAIN.term("deploy"), len(PLAIN.term("x" * 1000))
        ('deploy', 65)
        """
        raw = term.encode(errors="surrogateescape")
        return term if len(raw) <= _TERM_BYTES_MAX else "#" + hashlib.sha256(raw).hexdigest()

    def close(self, body: bytes, place: bytes) -> bytes:
        return body

    def open(self, written: bytes, place: bytes) -> bytes:
        return written


PLAIN = PlainContent()


class EncryptedContent:
    """Nothing can be read without the keys, nothing can be moved to another place or another tenant unnoticed.

    What is looked up shows that two of it are equal, and how long it is; a body shows its length alone. `bodies` is a
    key of 32 bytes, `words` of 64, `terms` of 32.

    >>> seal = EncryptedContent("acme", bodies=bytes(32), words=bytes(range(64)), terms=bytes(32))
    >>> seal.word("door") == seal.word("door"), seal.read(seal.word("door")), seal.term("door")
    (True, 'door', 'cc12jBrdCbiWi61XWEDp0Q')
    >>> seal.open(seal.close(b"the door is red", b"documents:7"), b"documents:7")
    b'the door is red'
    """

    def __init__(self, tenant: str, *, bodies: bytes, words: bytes, terms: bytes) -> None:
        self._tenant = tenant.encode()
        self._bodies = AESGCM(bodies)
        self._words = AESSIV(words)
        self._terms = terms

    def word(self, word: str) -> str:
        return base64.b64encode(self._settled(_WORD, word.encode(errors="surrogatepass"))).decode()

    def read(self, written: str) -> str:
        try:
            raw = base64.b64decode(written, validate=True)
        except (binascii.Error, ValueError):
            raise _unreadable() from None
        return self._unsettled(_WORD, raw).decode(errors="surrogatepass")

    def mark(self, mark: bytes) -> bytes:
        return self._settled(_MARK, mark)

    def unmark(self, written: bytes) -> bytes:
        return self._unsettled(_MARK, written)

    def term(self, term: str) -> str:
        digest = hmac.digest(self._terms, term.encode(errors="surrogateescape"), "sha256")
        return base64.b64encode(digest[:_TERM_BYTES]).decode().rstrip("=")

    def close(self, body: bytes, place: bytes) -> bytes:
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._bodies.encrypt(nonce, body, self._bound(place))

    def open(self, written: bytes, place: bytes) -> bytes:
        try:
            return self._bodies.decrypt(written[:_NONCE_BYTES], written[_NONCE_BYTES:], self._bound(place))
        except (InvalidTag, ValueError):
            raise _unreadable() from None

    def _bound(self, place: bytes) -> bytes:
        return self._tenant + b"\x00" + place

    def _settled(self, kind: bytes, raw: bytes) -> bytes:
        """The same bytes always in the same way. The kind goes with them: nothing may be without any length."""
        return self._words.encrypt(kind + raw, [self._tenant, kind])

    def _unsettled(self, kind: bytes, written: bytes) -> bytes:
        try:
            return self._words.decrypt(written, [self._tenant, kind])[len(kind) :]
        except (InvalidTag, ValueError):
            raise _unreadable() from None


def _unreadable() -> IntegrityError:
    return IntegrityError("something sealed cannot be opened: it was changed, moved, or sealed with another key")
