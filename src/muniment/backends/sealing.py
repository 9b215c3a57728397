"""The keys of an encrypted vault: one that the deployment holds, and those derived from it, a set for each tenant."""

from __future__ import annotations

import base64
import binascii
import os
import re
import stat
from pathlib import Path

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from muniment.model.errors import ConfigurationError

KEY_BYTES = 32
SETTING, FILE_SETTING = "encryption_key", "encryption_key_file"
_SHAPE = f"{KEY_BYTES} bytes as hexadecimal digits or in base64"
_HEX = re.compile(r"[0-9A-Fa-f]{64}", re.ASCII)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{43}=?", re.ASCII)
_FILE_BYTES_MAX = 1_024


class _Secret:
    """Bytes that no message, log line or picture of an object ever shows."""

    __slots__ = ("_secret",)

    def __init__(self, secret: bytes) -> None:
        assert len(secret) == KEY_BYTES, "a key is always that long"
        self._secret = secret

    def __repr__(self) -> str:
        return f"{type(self).__name__}(…)"

    def __reduce__(self) -> str:
        raise TypeError("a key is never written down")

    def _derived(self, length: int, *purpose: str) -> bytes:
        told = "\0".join(("muniment encryption 1", *purpose)).encode()
        return HKDF(algorithm=SHA256(), length=length, salt=None, info=told).derive(self._secret)


class TenantKey(_Secret):
    """What the files of one tenant are encrypted with. It opens no other tenant's."""

    @classmethod
    def fresh(cls) -> TenantKey:
        """A key for what is gone with the process."""
        return cls(os.urandom(KEY_BYTES))

    def pages(self) -> bytes:
        """For the pages of the store and of its log."""
        return self._derived(32, "pages")

    def sheet(self, name: str) -> bytes:
        """For one sheet of vectors: two halves, as XTS wants them."""
        return self._derived(64, "sheet", name)

    def head(self) -> bytes:
        """What a head of vectors is told by to be this key's."""
        return self._derived(16, "head")

    def columns(self) -> bytes:
        """For what the vector index knows of the cards."""
        return self._derived(32, "columns")


class VaultKey(_Secret):
    """The key that the deployment holds. Nothing is encrypted with it: other keys are derived from it.

    >>> key = VaultKey.parse("00" * 32)
    >>> key, key.check()[:8], key.check() == VaultKey.parse("01" * 32).check()
    (VaultKey(…), '02b12c33', False)
    """

    @classmethod
    def parse(cls, text: str, setting: str = SETTING) -> VaultKey:
        """Read a key as it is written: in hexadecimal, or in base64 of either alphabet."""
        word = text.strip()
        if _HEX.fullmatch(word):
            return cls(bytes.fromhex(word))
        if _BASE64.fullmatch(word):
            try:
                found = base64.b64decode(word.rstrip("=") + "=", altchars=b"-_" if set("-_") & set(word) else None)
            except binascii.Error:
                found = b""
            if len(found) == KEY_BYTES:
                return cls(found)
        raise ConfigurationError(setting, _SHAPE, hint="`muniment encryption key FILE` makes one.")

    @classmethod
    def read(cls, path: Path) -> VaultKey:
        """Read a key from a file that nobody but its owner can read."""
        try:
            file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "no path"
            raise ConfigurationError(FILE_SETTING, f"the key file cannot be read: {why}") from None
        try:
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode):
                raise ConfigurationError(FILE_SETTING, "a file that holds the key; what is there is no file")
            if found.st_mode & 0o077:
                raise ConfigurationError(
                    FILE_SETTING, "the key file can be read by others than its owner", hint="chmod 600 the key file."
                )
            text = os.read(file, _FILE_BYTES_MAX)
        finally:
            os.close(file)
        return cls.parse(text.decode(errors="replace"), FILE_SETTING)

    def check(self) -> str:
        """What tells this key from another and nothing more: a vault carries it, to know its key again."""
        return self._derived(16, "check").hex()

    def tenant(self, stem: str) -> TenantKey:
        """The key of the tenant whose file has this name, without its suffix. Names are injective, so keys are."""
        return TenantKey(self._derived(KEY_BYTES, "tenant", stem))


def fresh_key() -> str:
    """A key for a new vault, as it is written in a file."""
    return os.urandom(KEY_BYTES).hex()
