"""The world as it is: the system's clock, fresh names, and a signing key in a file."""

from __future__ import annotations

import os
import re
import stat
import time
from contextlib import suppress
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from muniment.model.entry import SignedCheckpoint
from muniment.model.errors import ConfigurationError, StoreUnavailable
from muniment.model.times import Instant
from muniment.model.value import Value, canonical
from muniment.ports.clock_and_ids import Signer


class SystemClock:
    def now(self) -> Instant:
        return Instant(time.time_ns() // 1000)


class RandomIds:
    """Names that sort by when they were made: 48 bits of milliseconds, 16 of their parts, 64 of chance, in hex."""

    def fresh(self, prefix: str) -> str:
        moment = (time.time_ns() << 16) // 1_000_000
        return f"{prefix}_{moment:016x}{os.urandom(8).hex()}"

    def salt(self) -> bytes:
        return os.urandom(16)


def place_file(path: Path, text: str, *, mode: int = 0o644) -> None:
    """Put a whole file in its place, unless one is there, and have it on the disk. Nobody ever sees half of it."""
    draft = _drafted(path, text, mode)
    try:
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    settle(path.parent)


def _drafted(path: Path, text: str, mode: int) -> Path:
    """A file beside `path` that is on the disk as a whole; what cannot be written to the end leaves nothing."""
    draft = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w") as file:
        try:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        except OSError:
            draft.unlink(missing_ok=True)
            raise
    return draft


def replace_file(path: Path, text: str, *, mode: int = 0o644) -> None:
    """Put a whole file in the place of another, and see to it that it is on the disk. Nobody ever sees half of it."""
    draft = _drafted(path, text, mode)
    try:
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    settle(path.parent)


def make_folder(path: Path) -> None:
    """Make a folder, and those it lies in, unless they are there. What is written into it is found after a power cut
    only if the name of each is on the disk."""
    missing = [one for one in (path, *path.parents) if not one.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for made in missing:
        settle(made.parent)


def settle(folder: Path) -> None:
    """See to it that what was made, moved or taken away in a folder is on the disk."""
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def destroy_file(path: Path) -> None:
    """Overwrite a small secret and take its file away. What a file system or a disk keeps behind our back it keeps."""
    with path.open("r+b") as file:
        size = os.fstat(file.fileno()).st_size
        for filling in (os.urandom(size), bytes(size)):
            file.seek(0)
            file.write(filling)
            file.flush()
            os.fsync(file.fileno())
    path.unlink()
    settle(path.parent)


class FileSigner:
    """An Ed25519 key kept in a file only its owner can read."""

    def __init__(self, path: Path) -> None:
        try:
            with path.open() as file:
                mode, text = os.fstat(file.fileno()).st_mode, file.read(1024)
            self._key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(text.strip()))
        except (OSError, ValueError):
            raise StoreUnavailable(f"the signing key {path.name} is missing or cannot be read") from None
        if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
            raise ConfigurationError(
                f"keys/{path.name}",
                "others than its owner can get at this file; a signing key is its owner's alone",
                hint=f"chmod 600 the file keys/{path.name} of the vault; if somebody may have read it, change the key: "
                "`muniment signing rotate`.",
            )
        public = self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.key_id = public.hex()

    @staticmethod
    def readable(path: Path) -> bool:
        """Whether there is a key in a file; one that is being destroyed is none."""
        text = path.read_bytes()[:1024].strip()
        return re.fullmatch(rb"[0-9a-f]{64}", text) is not None and text != b"0" * 64

    @classmethod
    def create(cls, path: Path) -> FileSigner:
        """Make a key, unless there is one. An existing one is never replaced."""
        private = Ed25519PrivateKey.generate().private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
        place_file(path, private.hex() + "\n", mode=0o600)
        return cls(path)

    def sign(self, message: bytes) -> bytes:
        return self._key.sign(message)


def sign_value(signer: Signer, value: Value) -> str:
    """Sign the canonical bytes of a value; the signature, in hex.

    No two kinds of value that are signed share their required fields, so that a signature on one never fits another.
    """
    return signer.sign(canonical(value)).hex()


def public_pem(key: str) -> str:
    """The public half of a signing key, given in hex, as other tools read it."""
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
    return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def signed_value_by(value: Value, signature: str, key: str) -> bool:
    """Whether the holder of `key` signed this value. Needs the public half only, and no store."""
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(signature), canonical(value))
    except (InvalidSignature, ValueError):
        return False
    return True


def signed_by(signed: SignedCheckpoint, key: str) -> bool:
    """Whether the holder of `key` made this checkpoint, and says so in it."""
    return signed.checkpoint.key == key and signed_value_by(signed.checkpoint, signed.signature, key)
