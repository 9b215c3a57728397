"""The world as it is: the system's clock, fresh names, and a signing key in a file."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from muniment.model.entry import SignedCheckpoint
from muniment.model.errors import StoreUnavailable
from muniment.model.times import Instant
from muniment.model.value import canonical


class SystemClock:
    def now(self) -> Instant:
        return Instant(time.time_ns() // 1000)


class RandomIds:
    """Names that sort by the millisecond they were made in: 48 bits of time, 80 of chance, in hex."""

    def fresh(self, prefix: str) -> str:
        moment = (time.time_ns() // 1_000_000).to_bytes(6, "big")
        return f"{prefix}_{moment.hex()}{os.urandom(10).hex()}"

    def salt(self) -> bytes:
        return os.urandom(16)


def place_file(path: Path, text: str, *, mode: int = 0o644) -> None:
    """Put a whole file in its place, unless one is there. Nobody ever sees half of it."""
    draft = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    with suppress(FileExistsError):
        os.link(draft, path)
    draft.unlink()


class FileSigner:
    """An Ed25519 key kept in a file only its owner can read."""

    def __init__(self, path: Path) -> None:
        try:
            self._key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(path.read_text().strip()))
        except (OSError, ValueError):
            raise StoreUnavailable(f"the signing key {path.name} is missing or cannot be read") from None
        public = self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.key_id = public.hex()

    @classmethod
    def create(cls, path: Path) -> FileSigner:
        """Make a key, unless there is one. An existing one is never replaced."""
        private = Ed25519PrivateKey.generate().private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
        place_file(path, private.hex() + "\n", mode=0o600)
        return cls(path)

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)


def signed_by(signed: SignedCheckpoint, key: str) -> bool:
    """Whether the holder of `key` made this checkpoint. Needs the public half only, and no store."""
    if signed.checkpoint.key != key:
        return False
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(signed.signature), canonical(signed.checkpoint))
    except (InvalidSignature, ValueError):
        return False
    return True
