"""A tenant as one stream of lines: everything that is true of it, for any store to take in.

A header, then each entry of the ledger with its documents behind it, then receipts, checkpoints and certificates, and a
signed trailer that counts the lines and pins their bytes. Tables follow from it and are not in it. Read and written
line by line: no more than one entry with its documents is ever held. What was erased is not in it; that it was, is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TypeVar

import msgspec

from muniment.backends.clock_and_ids import sign_value, signed_value_by
from muniment.model.decoding import decode_json
from muniment.model.entry import Document, Entry, LedgerHead, SignedCheckpoint, StoredEntry
from muniment.model.erasure import SignedCertificate
from muniment.model.errors import CallerError, IntegrityError, Malformed, SchemaMismatch
from muniment.model.receipt import StoredReceipt
from muniment.model.times import Instant
from muniment.model.value import Value, read_canonical
from muniment.ports.clock_and_ids import Signer
from muniment.ports.store import Snapshot

VERSION = 1
LINE_BYTES_MAX = 256 * 1024 * 1024
"""An entry can drop very many documents; a line beyond this is none of ours."""
_LAST = 2**63 - 1
_EVERY = 1_000
_BROKEN = "Nothing was changed. Take another copy of the archive, or write it again."
Progress = Callable[[int], None]
_T = TypeVar("_T", bound=Value)


class Header(Value):
    """Whose archive it is, where the ledger and the receipt log stood, and the key in force there."""

    archive: int
    tenant: str
    seq: int
    hash: str
    at: Instant
    receipts: int
    key: str
    muniment: str


class EntryLine(Value):
    entry: int
    hash: str
    body: str


class DocumentLine(Value):
    document: int
    salt: str
    body: str


class ReceiptLine(Value):
    receipt: int
    id: str
    hash: str
    body: str
    salt: str
    account: str


class CheckpointLine(Value):
    checkpoint: SignedCheckpoint


class CertificateLine(Value):
    certificate: SignedCertificate


class Trailer(Value):
    """How many lines of each sort there are, and the SHA-256, in hex, of every byte before the trailer."""

    tenant: str
    head: str
    entries: int
    documents: int
    receipts: int
    checkpoints: int
    certificates: int
    sha256: str
    key: str


class TrailerLine(Value):
    trailer: Trailer
    signature: str


_Line = EntryLine | DocumentLine | ReceiptLine | CheckpointLine | CertificateLine | TrailerLine
_KINDS: dict[bytes, tuple[type[_Line], int]] = {
    b"entry": (EntryLine, 1),
    b"document": (DocumentLine, 1),
    b"receipt": (ReceiptLine, 2),
    b"checkpoint": (CheckpointLine, 3),
    b"certificate": (CertificateLine, 4),
    b"trailer": (TrailerLine, 5),
}
"""The sorts of lines by their first word, and the section each belongs to. Sections follow one another."""


def _spelled(line: Value) -> bytes:
    """A line with the word that names its sort in front."""
    return msgspec.json.encode(line) + b"\n"


class _Writer:
    """Writes lines, counting them and hashing their bytes."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._digest = hashlib.sha256()
        self.counts: dict[type[Value], int] = {}

    def put(self, line: Value) -> None:
        spelled = _spelled(line)
        self._out.write(spelled)
        self._digest.update(spelled)
        self.counts[type(line)] = self.counts.get(type(line), 0) + 1

    def sha256(self) -> str:
        return self._digest.hexdigest()


def write_archive(
    snapshot: Snapshot, out: IO[bytes], signer: Signer, *, release: str, progress: Progress = lambda _: None
) -> Trailer:
    """Write one moment of a tenant as an archive. The signer must hold the key that is in force."""
    head = snapshot.ledger.head()
    assert head is not None, "a ledger begins with its genesis"
    writer = _Writer(out)
    writer.put(
        Header(
            archive=VERSION,
            tenant=head.tenant,
            seq=head.seq,
            hash=head.hash.hex(),
            at=head.at,
            receipts=snapshot.receipts.head()[0],
            key=signer.key_id,
            muniment=release,
        )
    )
    for stored in snapshot.ledger.entries(1, _LAST):
        _put_entry(writer, snapshot, stored)
        if stored.seq % _EVERY == 0:
            progress(stored.seq)
    for receipt in snapshot.receipts.all():
        writer.put(_receipt_line(receipt))
    for signed in snapshot.ledger.checkpoints():
        writer.put(CheckpointLine(checkpoint=signed))
    for certificate in snapshot.ledger.certificates():
        writer.put(CertificateLine(certificate=certificate))
    trailer = _trailer(writer, head, signer.key_id)
    out.write(_spelled(TrailerLine(trailer=trailer, signature=sign_value(signer, trailer))))
    return trailer


def _put_entry(writer: _Writer, snapshot: Snapshot, stored: StoredEntry) -> None:
    writer.put(EntryLine(entry=stored.seq, hash=stored.hash.hex(), body=stored.body.decode()))
    numbers = [ref.doc for ref in read_canonical(stored.body, Entry).documents]
    found = snapshot.documents.many(numbers) if numbers else {}
    for doc in numbers:
        if doc in found:
            writer.put(DocumentLine(document=doc, salt=found[doc].salt.hex(), body=found[doc].body.decode()))


def _receipt_line(stored: StoredReceipt) -> ReceiptLine:
    return ReceiptLine(
        receipt=stored.seq,
        id=stored.id,
        hash=stored.hash.hex(),
        body=stored.body.decode(),
        salt=stored.salt.hex(),
        account=stored.account.decode(),
    )


def _trailer(writer: _Writer, head: LedgerHead, key: str) -> Trailer:
    counts = writer.counts
    return Trailer(
        tenant=head.tenant,
        head=head.hash.hex(),
        entries=counts.get(EntryLine, 0),
        documents=counts.get(DocumentLine, 0),
        receipts=counts.get(ReceiptLine, 0),
        checkpoints=counts.get(CheckpointLine, 0),
        certificates=counts.get(CertificateLine, 0),
        sha256=writer.sha256(),
        key=key,
    )


class Archive:
    """An archive in a file, read front to back as often as it is asked: what a store can be filled from.

    `check` comes first. It reads all of it once and finds where each section begins.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._begins: dict[int, int] = {}
        self.ledger = _Ledger(self)
        self.documents = self.ledger
        self.receipts = _Receipts(self)

    def check(self, *, progress: Progress = lambda _: None) -> tuple[Header, Trailer]:
        """Read everything: it must be whole, in order, and as it was when the key it names signed it. Whether that key
        is to be trusted, and whether the ledger is sound, is not decided here."""
        self._begins = {}
        with self._opened() as file:
            header = self._header(file)
            trailer, signature = self._scan(file, progress)
            if file.read(1):
                raise broken("the archive goes on after its trailer")
        same = (trailer.tenant, trailer.head, trailer.key, trailer.entries, trailer.receipts) == (
            header.tenant,
            header.hash,
            header.key,
            header.seq,
            header.receipts,
        )
        if not same:
            raise broken("header and trailer of the archive are not of the same ledger")
        if not signed_value_by(trailer, signature, trailer.key):
            raise broken("the trailer of the archive is not signed by the key it names")
        return header, trailer

    def _opened(self) -> IO[bytes]:
        try:
            return self._path.open("rb")
        except OSError as error:
            raise Malformed("file", f"an archive that can be read ({error.strerror})") from None

    def _header(self, file: IO[bytes]) -> Header:
        text = file.readline(LINE_BYTES_MAX)
        try:
            found = decode_json(text, _Versioned).archive
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise Malformed("file", "an archive that `muniment archive export` wrote") from None
        if found > VERSION:
            raise SchemaMismatch(found=found, needed=VERSION)
        return _read(text, Header)

    def _scan(self, file: IO[bytes], progress: Progress) -> tuple[Trailer, str]:
        """Read line by line to the trailer, counting and hashing."""
        digest, counts, section, start = hashlib.sha256(), dict.fromkeys(_KINDS, 0), 1, file.tell()
        file.seek(0)
        digest.update(file.readline(LINE_BYTES_MAX))
        while True:
            text = file.readline(LINE_BYTES_MAX)
            word, place = _sort_of(text)
            if place < section:
                raise broken(f"line {1 + sum(counts.values()) + 1} of the archive stands in the wrong place")
            if place != section or not self._begins:
                self._begins[place] = start
            section = place
            if word == b"trailer":
                return self._agreed(_read(text, TrailerLine), counts, digest.hexdigest())
            digest.update(text)
            counts[word] += 1
            start += len(text)
            if sum(counts.values()) % _EVERY == 0:
                progress(sum(counts.values()))

    def _agreed(self, line: TrailerLine, counts: dict[bytes, int], sha256: str) -> tuple[Trailer, str]:
        told = line.trailer
        names = ("entries", "documents", "receipts", "checkpoints", "certificates")
        counted = tuple(counts[word] for word in _KINDS if word != b"trailer")
        if tuple(getattr(told, name) for name in names) != counted or told.sha256 != sha256:
            raise broken("the archive is not what its trailer says was written")
        return told, line.signature

    def lines(self, section: int) -> Iterator[_Line]:
        """The lines of one section, read anew."""
        if section not in self._begins:
            return
        with self._opened() as file:
            file.seek(self._begins[section])
            while True:
                text = file.readline(LINE_BYTES_MAX)
                word, place = _sort_of(text)
                if place != section:
                    return
                yield _read(text, _KINDS[word][0])


class _Ledger:
    """The ledger of an archive, and the documents of the entry that was handed out last."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._documents: dict[int, Document] = {}

    def entries(self, first: int, last: int) -> Iterator[StoredEntry]:
        entry: StoredEntry | None = None
        for line in self._archive.lines(1):
            if isinstance(line, EntryLine):
                if entry is not None and first <= entry.seq <= last:
                    yield entry
                self._documents = {}
                entry = StoredEntry(seq=line.entry, body=line.body.encode(), hash=_bytes(line.hash))
            elif isinstance(line, DocumentLine):
                body = line.body.encode()
                self._documents[line.document] = Document(doc=line.document, salt=_bytes(line.salt), body=body)
        if entry is not None and first <= entry.seq <= last:
            yield entry

    def get(self, doc: int) -> Document | None:
        return self._documents.get(doc)

    def checkpoints(self) -> Iterator[SignedCheckpoint]:
        return (line.checkpoint for line in self._archive.lines(3) if isinstance(line, CheckpointLine))

    def certificates(self) -> Iterator[SignedCertificate]:
        return (line.certificate for line in self._archive.lines(4) if isinstance(line, CertificateLine))


class _Receipts:
    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def all(self) -> Iterator[StoredReceipt]:
        for line in self._archive.lines(2):
            assert isinstance(line, ReceiptLine), "a section holds one sort of lines"
            yield StoredReceipt(
                seq=line.receipt,
                id=line.id,
                body=line.body.encode(),
                hash=_bytes(line.hash),
                salt=_bytes(line.salt),
                account=line.account.encode(),
            )


class _Versioned(msgspec.Struct):
    archive: int


def broken(message: str) -> IntegrityError:
    """An archive that is not what was written."""
    error = IntegrityError(message)
    error.hint = _BROKEN
    return error


def _sort_of(text: bytes) -> tuple[bytes, int]:
    """The first word of a line, and the section it belongs to."""
    word = text[2 : text.find(b'"', 2)]
    if not text.startswith(b'{"') or word not in _KINDS or not text.endswith(b"\n"):
        raise broken("the archive ends before its trailer, or holds a line that is none of its own")
    return word, _KINDS[word][1]


def _read(text: bytes, kind: type[_T]) -> _T:
    try:
        return decode_json(text, kind)
    except (msgspec.DecodeError, UnicodeDecodeError, CallerError, TypeError, RecursionError):
        raise broken("a line of the archive cannot be read") from None


def _bytes(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise broken("a line of the archive cannot be read") from None
