"""The manifest of a backup: what is in it, where each ledger stood, and the vault's signature over both."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path, PurePosixPath

import msgspec

from muniment.backends.clock_and_ids import signed_value_by
from muniment.model.decoding import decode_json
from muniment.model.entry import LedgerHead
from muniment.model.errors import CallerError, IntegrityError, Malformed, SchemaMismatch
from muniment.model.times import Instant
from muniment.model.value import Value, canonical

VERSION = 1
MANIFEST = "manifest.json"
CONTENTS = "vault"
"""The folder of a backup that looks like the vault it was made of."""
_BYTES_MAX = 64 * 1024 * 1024
_BLOCK = 1024 * 1024
_HEX = re.compile("[0-9a-f]{64}")


class BackupFile(Value):
    """One file of a backup."""

    path: str
    size: int
    sha256: str


class TenantBackup(Value):
    """One tenant of a backup: its file, and where its ledger and its receipt log stood."""

    tenant: str
    path: str
    seq: int
    hash: str
    at: Instant
    receipts: int

    @property
    def head(self) -> LedgerHead:
        return LedgerHead(tenant=self.tenant, seq=self.seq, hash=bytes.fromhex(self.hash), at=self.at)


class BackupManifest(Value):
    """What a backup holds. `key` is the public half of the key that signs it, `keys` are those that were the vault's
    then (two while one takes the other's place); `with_keys` says that private halves and API keys are in it too."""

    backup: int
    made_at: Instant
    muniment: str
    key: str
    keys: tuple[str, ...]
    with_keys: bool
    tenants: tuple[TenantBackup, ...]
    parts: tuple[BackupFile, ...]

    def copy(self, tenant: str) -> TenantBackup | None:
        return next((one for one in self.tenants if one.tenant == tenant), None)


class SignedManifest(Value):
    manifest: BackupManifest
    signature: str


class _Version(msgspec.Struct):
    backup: int


class _Versioned(msgspec.Struct):
    manifest: _Version


def damaged(message: str) -> IntegrityError:
    """A backup or an archive that is not what was written."""
    error = IntegrityError(message)
    error.hint = "Nothing was changed. Take another copy, and look at how this one was kept."
    return error


def spelled(signed: SignedManifest) -> bytes:
    """A manifest as its file holds it, for people to read."""
    return msgspec.json.format(canonical(signed), indent=2) + b"\n"


def read_manifest(backup: Path) -> BackupManifest:
    """The manifest of a backup, if it is signed by the key it names and every file is the one it tells of."""
    manifest = _read(backup / MANIFEST)
    found = {str(file.relative_to(backup).as_posix()) for file in backup.rglob("*") if not file.is_dir()}
    expected = {part.path for part in manifest.parts} | {MANIFEST}
    for path in sorted(found ^ expected):
        raise damaged(f"the backup {'has no' if path in expected else 'holds a foreign'} file {path!r}")
    for part in manifest.parts:
        try:
            same = (backup / part.path).stat().st_size == part.size and digest(backup / part.path) == part.sha256
        except OSError as error:
            raise damaged(f"{part.path} of the backup cannot be read: {error.strerror}") from None
        if not same:
            raise damaged(f"{part.path} is not the file that was backed up")
    return manifest


def _read(path: Path) -> BackupManifest:
    if not path.is_file():
        raise Malformed("path", f"the folder of a backup; there is no {MANIFEST} in it")
    with path.open("rb") as file:
        text = file.read(_BYTES_MAX)
    try:
        version = decode_json(text, _Versioned).manifest.backup
        if version > VERSION:
            raise SchemaMismatch(found=version, needed=VERSION)
        signed = decode_json(text, SignedManifest)
    except (msgspec.DecodeError, UnicodeDecodeError, CallerError, TypeError, RecursionError):
        raise damaged(f"{MANIFEST} cannot be read") from None
    manifest = signed.manifest
    if not signed_value_by(manifest, signed.signature, manifest.key):
        raise damaged(f"{MANIFEST} is not signed by the key it names")
    _check_shape(manifest)
    return manifest


def _check_shape(manifest: BackupManifest) -> None:
    """Whoever signs may still be wrong, and a path must not lead out of the backup."""
    parts = {part.path for part in manifest.parts}
    tenants = {copy.tenant for copy in manifest.tenants}
    sound = (
        len(parts) == len(manifest.parts)
        and len(tenants) == len(manifest.tenants)
        and all(copy.path in parts and copy.seq >= 1 and _HEX.fullmatch(copy.hash) for copy in manifest.tenants)
        and all(_inside(path) for path in parts)
    )
    if not sound:
        raise damaged(f"{MANIFEST} contradicts itself")


def _inside(path: str) -> bool:
    steps = PurePosixPath(path).parts
    return path == str(PurePosixPath(path)) and steps[:1] == (CONTENTS,) and ".." not in steps and "\0" not in path


def part_of(backup: Path, path: Path) -> BackupFile:
    """A file of a backup, as the manifest tells of it."""
    return BackupFile(path=path.relative_to(backup).as_posix(), size=path.stat().st_size, sha256=digest(path))


def digest(path: Path) -> str:
    """SHA-256 of a file, in hex, read in blocks. A link is not followed: a backup is made of files."""
    found = hashlib.sha256()
    opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(opened, "rb") as file:
        while block := file.read(_BLOCK):
            found.update(block)
    return found.hexdigest()
