"""Content keys: one file for each tenant, outside the database and everything that copies it. Without its file nobody
reads what a tenant's tables hold, wherever a copy of them is."""

from __future__ import annotations

import hmac
import os
import re
import stat
from pathlib import Path

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from muniment.backends.clock_and_ids import place_file, settle
from muniment.backends.postgres.content_encryption import PLAIN, ContentCipher, EncryptedContent
from muniment.backends.sqlite.store import SUFFIX, file_name
from muniment.model.errors import ConfigurationError, StoreUnavailable

SETTING = "content_keys"
_KEY_BYTES = 32
_KEY = re.compile(rb"[0-9a-f]{64}\n?")
_FILE_BYTES_MAX = 128


class ContentKey:
    """The key of one tenant. Nothing is sealed with it: keys for bodies, words and terms are derived from it."""

    __slots__ = ("_secret", "_tenant")

    def __init__(self, tenant: str, secret: bytes) -> None:
        assert len(secret) == _KEY_BYTES, "a key is always that long"
        self._tenant = tenant
        self._secret = secret

    def __repr__(self) -> str:
        return "ContentKey(…)"

    def __reduce__(self) -> str:
        raise TypeError("a key is never written down")

    def seal(self) -> EncryptedContent:
        parts = {"bodies": self._derived("bodies", 32), "terms": self._derived("terms", 32)}
        return EncryptedContent(self._tenant, words=self._derived("words", 64), **parts)

    def check(self) -> bytes:
        """What tells this key from another and nothing more: the database keeps it beside the tenant."""
        return self._derived("check", 16)

    def _derived(self, purpose: str, length: int) -> bytes:
        told = "\0".join(("muniment content 1", purpose, self._tenant)).encode()
        return HKDF(algorithm=SHA256(), length=length, salt=None, info=told).derive(self._secret)


class ContentKeys:
    """A folder of keys, which all processes of a fleet share."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise ConfigurationError(
                SETTING, "a folder that is there", hint="Make one that is its owner's alone: mkdir -m 700 …"
            )
        self._folder = folder

    def made(self, tenant: str) -> ContentKey:
        """The key for a tenant that is about to be made: it is on the disk before anything is sealed with it. Of
        several who make it at once the first wins."""
        try:
            place_file(self._path(tenant), os.urandom(_KEY_BYTES).hex() + "\n", mode=0o600)
            settle(self._folder)
        except OSError as error:
            raise StoreUnavailable(f"the content key of a tenant cannot be written: {error.strerror}") from None
        return self._read(tenant)

    def held(self, tenant: str, check: bytes) -> ContentKey:
        """The key of a tenant that is there, which is known again by its `check`."""
        key = self._read(tenant)
        if not hmac.compare_digest(key.check(), check):
            raise ConfigurationError(
                SETTING,
                f"the key {self._path(tenant).name} is not the one that this tenant was sealed with",
                hint="Name the folder in which the key of this tenant is.",
            )
        return key

    def _path(self, tenant: str) -> Path:
        return self._folder / (file_name(tenant).removesuffix(SUFFIX) + ".key")

    def _read(self, tenant: str) -> ContentKey:
        path = self._path(tenant)
        try:
            file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            raise ConfigurationError(
                SETTING,
                f"the key {path.name} is not in the folder of content keys",
                hint="Put it back from where you keep copies of keys. If it was destroyed, what it sealed is gone.",
            ) from None
        except OSError as error:
            raise ConfigurationError(SETTING, f"the key {path.name} cannot be read: {error.strerror}") from None
        try:
            mode, text = os.fstat(file).st_mode, os.read(file, _FILE_BYTES_MAX) if _regular(file) else b""
        finally:
            os.close(file)
        if mode & 0o077:
            raise ConfigurationError(
                SETTING,
                f"others than its owner can get at the key {path.name}",
                hint="chmod 600 the key file; if somebody may have read it, move the tenant to a new key.",
            )
        if _KEY.fullmatch(text) is None:
            raise ConfigurationError(SETTING, f"the file {path.name} must hold a key: 64 hexadecimal digits")
        return ContentKey(tenant, bytes.fromhex(text.decode()))


def _regular(file: int) -> bool:
    return stat.S_ISREG(os.fstat(file).st_mode)


def check_name(tenant: int) -> str:
    """Under which name the deployment keeps by what a tenant's key is known again.

    >>> check_name(7)
    'seal:7'
    """
    return f"seal:{tenant}"


def agreed(keys: ContentKeys | None, tenant: str, check: bytes | None) -> ContentCipher:
    """How a tenant that is there is written and read. One that is sealed needs its key, one that is not takes none: a
    store half of which is sealed would keep neither promise."""
    if check is None:
        if keys is not None:
            raise ConfigurationError(
                SETTING,
                "this tenant was made without a content key, and what it holds is not sealed",
                hint="Open it without content keys, or move it into a new schema with them: `muniment migrate-store`.",
            )
        return PLAIN
    if keys is None:
        raise ConfigurationError(
            SETTING,
            "what this tenant holds is sealed, and no content keys are given",
            hint="Set MUNIMENT_CONTENT_KEYS to the folder of the keys, or give content_keys=….",
        )
    return keys.held(tenant, check).seal()
