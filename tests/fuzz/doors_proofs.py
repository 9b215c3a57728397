"""The doors of proofs: heads, checkpoints, keys, certificates, archives, manifests, and what a witness remembers."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path

import msgspec
from tests.fuzz.door import Door
from tests.support.world import START, SeededSigner, simulated_memory

from muniment.backends.clock_and_ids import sign_value
from muniment.contracts.strict.values import Json
from muniment.engine.copies.archive import Archive, write_archive
from muniment.engine.copies.manifest import (
    MANIFEST,
    BackupFile,
    BackupManifest,
    SignedManifest,
    TenantBackup,
    read_manifest,
    spelled,
)
from muniment.engine.memory import Memory
from muniment.engine.witness import Sight, Witness
from muniment.model.erasure import SignedCertificate
from muniment.model.errors import CallerError
from muniment.model.value import canonical, read_canonical
from muniment.operations.wire import shape_of
from muniment.surfaces.cli.audit import _read_anchor
from muniment.surfaces.cli.certified import CertificateDocument, read_document
from muniment.surfaces.cli.proofs import checkpoint_shape, head_shape
from muniment.surfaces.cli.signing import _read_checkpoint, _read_keys

Reader = Callable[[Path], object]


def _lived() -> Memory:
    """A memory in which something was told, signed and forgotten."""
    memory = simulated_memory()
    first = memory.remember("the door is red").record_id or ""
    memory.remember("paint is short", derived_from=[first])
    memory.recall("door")
    memory.ledger.checkpoint()
    memory.forget(first, reason="asked for", cascade="review")
    memory.ledger.checkpoint()
    return memory


def _in_file(path: Path, read: Reader) -> Callable[[bytes], object]:
    def opened(text: bytes) -> object:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
        return read(path)

    return opened


def _archive_of(memory: Memory) -> bytes:
    out = io.BytesIO()
    with memory._session.tenant.store.read() as snapshot:
        write_archive(snapshot, out, SeededSigner(0), release="0")
    return out.getvalue()


def _read_archive(path: Path) -> object:
    """All of it, section by section, once it was checked."""
    archive = Archive(path)
    checked = archive.check()
    return checked, [list(archive.lines(section)) for section in range(1, 5)]


def _manifest() -> BackupManifest:
    signer = SeededSigner(0)
    return BackupManifest(
        backup=1,
        made_at=START,
        muniment="0",
        key=signer.key_id,
        keys=(signer.key_id,),
        with_keys=False,
        tenants=(TenantBackup(tenant="acme", path="vault/acme.sqlite", seq=1, hash="00" * 32, at=START, receipts=0),),
        parts=(BackupFile(path="vault/acme.sqlite", size=0, sha256=hashlib.sha256().hexdigest()),),
    )


def _backup(folder: Path) -> Callable[[bytes], object]:
    """A backup of one empty file, whose manifest says this. What can be said at all is signed, so that the signature
    does not keep it from being read."""
    (folder / "vault").mkdir(parents=True)
    (folder / "vault" / "acme.sqlite").touch()

    def opened(text: bytes) -> object:
        try:
            manifest = msgspec.json.decode(text, type=BackupManifest)
            text = spelled(SignedManifest(manifest=manifest, signature=sign_value(SeededSigner(0), manifest)))
        except (ValueError, TypeError, RecursionError, CallerError):
            text = b'{"manifest": ' + text + b', "signature": "00"}'
        (folder / MANIFEST).write_bytes(text)
        return read_manifest(folder)

    return opened


def _witnessed(folder: Path) -> Callable[[bytes], object]:
    folder.mkdir()
    witness = Witness(folder, "default")
    return _in_file(witness._path, lambda _: witness.remembered())


def doors(folder: Path) -> tuple[Door, ...]:
    memory = _lived()
    signed, certificate = memory.ledger.checkpoint(), memory.erasure.certificates()[0]
    document = CertificateDocument(
        certificate=certificate.certificate, signature=certificate.signature, opening="00" * 16
    )
    head: Json = json.loads(json.dumps(head_shape(memory.ledger.head())))
    point: Json = json.loads(json.dumps(checkpoint_shape(signed)))
    line: Json = {"tenant": "default", "keys": [{"key": SeededSigner(0).key_id, "since": 1, "handover": None}]}
    archive = _archive_of(memory)
    sight = Sight(tenant="default", seq=1, hash="00", receipts=0, receipts_hash="00", checkpoint=1, at=START)
    return (
        Door("head", _in_file(folder / "head.json", lambda path: _read_anchor(path, "default")), (head,)),
        Door("checkpoint", _in_file(folder / "point.json", _read_checkpoint), (point,)),
        Door("keys", _in_file(folder / "keys.json", lambda path: _read_keys(str(path), "default")), (line,)),
        Door(
            "certificate",
            _in_file(folder / "certificate.json", read_document),
            (json.loads(shape_of(CertificateDocument).write(document)),),
        ),
        Door(
            "stored certificate",
            lambda text: read_canonical(text, SignedCertificate),
            (json.loads(canonical(certificate)),),
        ),
        Door("manifest", _backup(folder / "backup"), (json.loads(canonical(_manifest())),)),
        Door("witness", _witnessed(folder / "witness"), (json.loads(canonical(sight)),)),
        Door("archive", _in_file(folder / "archive", _read_archive), (), (archive,), by_lines=True),
    )
