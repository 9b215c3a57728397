"""What can be checked of a certificate: by a public key alone, and by the vault that it speaks of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from muniment.config.files import open_file
from muniment.engine import Memory
from muniment.engine.audit import VerificationState
from muniment.engine.signing import certified, public_keys
from muniment.model.entry import LedgerHead
from muniment.model.erasure import CERTIFICATE_VERSIONS, Certificate, SignedCertificate, Target, digest_of
from muniment.model.errors import Malformed, NotFound
from muniment.model.value import Value
from muniment.operations.wire import shape_of
from muniment.surfaces.cli.output import working
from muniment.surfaces.cli.root import CommandCall
from muniment.surfaces.cli.shapes_guard import CheckedCertificateShape, CheckShape

FILE_BYTES_MAX = 64 * 1024 * 1024
_KEY_BYTES_MAX = 4_096
_KEY = re.compile(r"[0-9a-f]{64}", re.ASCII)
_GONE, _PUT_BACK = "what it names is gone", "the ledger was put back to before it"
_OPENING = re.compile(r"[0-9a-f]{2,256}", re.ASCII)
_HASH = re.compile(r"[0-9a-f]{64}", re.ASCII)


class CertificateDocument(Value):
    """What `forget --json` prints: a signed certificate and, for whoever erased, what opens it."""

    certificate: Certificate
    signature: str
    opening: str | None = None

    @property
    def signed(self) -> SignedCertificate:
        return SignedCertificate(certificate=self.certificate, signature=self.signature)


_SHAPE = shape_of(CertificateDocument)


class CertificateCheck(Value):
    """What a certificate is to be checked against: a key, and what it is said to be about."""

    key: str | None = None
    about: Target | None = None
    opening: str | None = None

    def __post_init__(self) -> None:
        if (self.about is None) != (self.opening is None):
            raise Malformed("opening", "what was told when it was erased, together with what that was about")
        if self.opening is not None and _OPENING.fullmatch(self.opening) is None:
            raise Malformed("opening", "the hexadecimal digits that were told when it was erased")


def read_certificate(path: Path) -> SignedCertificate:
    """Read the certificate that `forget --json` printed, and nothing else."""
    return read_document(path).signed


def read_document(path: Path) -> CertificateDocument:
    """Read what `forget --json` printed, with what opens the certificate if that is kept with it."""
    body = _read(path, FILE_BYTES_MAX, "file")
    try:
        found = _SHAPE.read(body)
    except Malformed as error:
        raise Malformed("file", f"a certificate of erasure, as `muniment forget --json` prints it ({error})") from None
    told = found.certificate
    if told.v not in CERTIFICATE_VERSIONS:
        raise Malformed(
            "file", f"a certificate of version {max(CERTIFICATE_VERSIONS)} or older; a newer program made this one"
        )
    if not all(_HASH.fullmatch(text) for text in (told.entry, told.digest, told.key)) or told.seq < 1:
        raise Malformed("file", "a certificate whose hashes, key and position are such")
    return found


def _read(path: Path, most: int, field: str) -> bytes:
    try:
        with open_file(path) as file:
            found = file.read(most + 1)
    except (OSError, ValueError) as error:
        words = getattr(error, "strerror", None) or "no such path"
        raise Malformed(field, f"a file that can be read ({words})") from None
    if len(found) > most:
        raise Malformed(field, f"a file of at most {most} bytes")
    return found


def checked(call: CommandCall, document: CertificateDocument, asked: CertificateCheck) -> CheckedCertificateShape:
    """Check everything that can be checked with what there is, and say what that was."""
    signed = document.signed
    checks = list(_about(signed, asked))
    if asked.key is not None:
        checks += _by_key(signed, asked.key)
    else:
        checks += _by_vault(call, signed) if call.has_vault else _by_itself(signed)
    restored = any(one["what"] == _PUT_BACK for one in checks)
    genuine = all(one["holds"] is not False for one in checks if not (restored and one["what"] == _GONE))
    state = (VerificationState.RESTORED.value if restored else "genuine") if genuine else "not_genuine"
    return {"genuine": genuine, "state": state, "id": signed.certificate.id, "checks": checks}


def _check(what: str, holds: bool | None, note: str = "") -> CheckShape:
    return {"what": what, "holds": holds, "note": note}


def _about(signed: SignedCertificate, asked: CertificateCheck) -> Iterator[CheckShape]:
    if asked.about is None or asked.opening is None:
        return
    told = signed.certificate
    same = told.by is asked.about.by and digest_of(asked.about, asked.opening) == told.digest
    yield _check(f"it is about what was named by {asked.about.by}", same)


def _by_key(signed: SignedCertificate, given: str) -> Iterator[CheckShape]:
    yield _check("its signature is by the given key", certified(signed, _key(given)))
    yield _check("its ledger says so, and what it names is gone", None, "that needs the vault")


def _by_itself(signed: SignedCertificate) -> Iterator[CheckShape]:
    key = signed.certificate.key
    yield _check("its signature is by the key it names", certified(signed, key), key)
    yield _check("whose key that is", None, "compare it with the vault's, or name that with --key")
    yield _check("its ledger says so, and what it names is gone", None, "that needs the vault")


def _key(given: str) -> str:
    """A public key as it is written, or the one a file holds."""
    text = (
        given
        if _KEY.fullmatch(given) is not None
        else _read(Path(given), _KEY_BYTES_MAX, "key").decode(errors="replace")
    )
    found = text.strip()
    if _KEY.fullmatch(found) is None:
        raise Malformed("key", "a public key in 64 hexadecimal digits, or a file that holds one")
    return found


def _by_vault(call: CommandCall, signed: SignedCertificate) -> Iterator[CheckShape]:
    keys = public_keys(call.place)
    by = next((key for key in keys if certified(signed, key)), None)
    yield _check("its signature is by a key of this vault", by is not None)
    with call.memory() as memory:
        yield from _in_ledger(memory, signed)


def _in_ledger(memory: Memory, signed: SignedCertificate) -> Iterator[CheckShape]:
    told = signed.certificate
    ours = told.tenant == memory.tenant
    yield _check("it speaks of this tenant", ours)
    if not ours:
        return
    head = LedgerHead(tenant=told.tenant, seq=told.seq, hash=bytes.fromhex(told.entry), at=told.at)
    with working("checking entries") as progress:
        verified = memory.ledger.verify(anchor=head, progress=progress)
    if verified.state is VerificationState.RESTORED:
        yield _check("the ledger is whole", True)
        yield _check(_PUT_BACK, True, verified.findings[0].message)
        yield _again(memory, told)
    else:
        note = "" if verified.ok else f"`muniment ledger verify` tells what is wrong ({verified.findings[0].code})"
        yield _check(f"the ledger is whole and holds its entry {told.seq}", verified.ok, note)
        yield _check("the vault keeps the same certificate", signed in memory.erasure.certificates())
    back = [name for name in told.erased if _there(memory, name)]
    yield _check(_GONE, not back, ", ".join(back[:5]))


def _again(memory: Memory, told: Certificate) -> CheckShape:
    """Whether the restore did the erasure again: what it draws up then names this certificate in its reason."""
    by = [one.certificate.id for one in memory.erasure.certificates() if told.id in one.certificate.reason]
    note = f"by certificate {by[-1]}" if by else "nothing of it was in the copy, or the certificate was not named then"
    return _check("the restore erased it again", True if by else None, note)


def _there(memory: Memory, record_id: str) -> bool:
    try:
        memory.get(record_id)
    except NotFound:
        return False
    return True
