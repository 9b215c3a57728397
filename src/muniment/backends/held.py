"""A signing key whose private half was read from elsewhere than a file of its own."""

from __future__ import annotations

import re

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from muniment.model.errors import StoreUnavailable


class HeldSigner:
    """An Ed25519 key, from the text that a vault keeps of it: 64 hexadecimal digits."""

    def __init__(self, text: bytes, name: str) -> None:
        if re.fullmatch(rb"\s*[0-9A-Fa-f]{64}\s*", text) is None:
            raise StoreUnavailable(f"the signing key {name} cannot be read")
        self._key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(text.decode().strip()))
        self.key_id = self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)


def fresh_signing_text() -> bytes:
    """The private half of a new key, as a vault keeps it."""
    private = Ed25519PrivateKey.generate().private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
    return f"{private.hex()}\n".encode()
