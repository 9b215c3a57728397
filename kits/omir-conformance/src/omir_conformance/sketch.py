"""What a bundle surely does not know, in a few bytes: the familiarity sketch of the draft, and what it leaves open said
here.

A Bloom filter. A key is NFC, case folded, trimmed, with single spaces inside. Its SHA-256 gives two numbers of 64 bits,
big-endian; the i-th of `hashes` bits is (first + i · second) mod `bits`, with the second made odd. Bit n is bit n mod 8
of byte n div 8, counted from the least. The data is ceil(bits / 8) bytes in base64.
"""

from __future__ import annotations

import base64
import hashlib
import math
import unicodedata
from binascii import Error
from collections.abc import Iterable, Iterator

from omir_conformance.instants import JsonObject, WrongValue

HASH = "sha256-2x64"
FALSE_RATE = 0.01
_HASHES = 7
_BITS_PER_KEY = 10
_BITS_MIN = 64


def sketch(
    keys: Iterable[str], *, domain: str = "entity", bits: int | None = None, hashes: int = _HASHES
) -> JsonObject:
    """A sketch of these keys. Without a size it takes ten bits a key: of what it does not know, one in a hundred seems
    familiar."""
    known = sorted({normal(key) for key in keys})
    size = bits if bits is not None else max(_BITS_MIN, _BITS_PER_KEY * len(known))
    if size < 1 or hashes < 1:
        raise WrongValue("bits" if size < 1 else "hashes", "a whole number above 0")
    found = bytearray(math.ceil(size / 8))
    for key in known:
        for bit in _bits(key, hashes, size):
            found[bit // 8] |= 1 << bit % 8
    return {
        "kind": "bloom",
        "domain": domain,
        "hashes": hashes,
        "bits": size,
        "hashAlg": HASH,
        "data": base64.b64encode(bytes(found)).decode(),
    }


def sketched(bundle: JsonObject) -> JsonObject:
    """A bundle with a sketch of the names of its entities: a document of the draft."""
    entries = bundle["entry"]
    assert isinstance(entries, list), "a bundle has entries"
    names = [str(entry["name"]) for entry in entries if isinstance(entry, dict) and "name" in entry and _entity(entry)]
    return {**bundle, "familiaritySketch": sketch(names)}


def familiar(found: JsonObject, key: str) -> bool:
    """Whether a key may be known. No is certain; yes is only likely. Sketches of another make are refused."""
    bits, hashes, spelled = found["bits"], found["hashes"], found["data"]
    if found["kind"] != "bloom" or found["hashAlg"] != HASH:
        raise WrongValue("hashAlg", f"a bloom sketch made with {HASH}")
    assert isinstance(bits, int), "checked as a document"
    assert isinstance(hashes, int), "checked as a document"
    assert isinstance(spelled, str), "checked as a document"
    try:
        stored = base64.b64decode(spelled, validate=True)
    except Error:
        raise WrongValue("data", "base64") from None
    if len(stored) != math.ceil(bits / 8):
        raise WrongValue("data", f"{math.ceil(bits / 8)} bytes for {bits} bits")
    return all(stored[bit // 8] >> bit % 8 & 1 for bit in _bits(normal(key), hashes, bits))


def normal(key: str) -> str:
    """A key as it is hashed.

    >>> normal("  Rust   Programming ")
    'rust programming'
    """
    return " ".join(unicodedata.normalize("NFC", key).casefold().split())


def _entity(entry: JsonObject) -> bool:
    return entry.get("resourceType") == "Entity"


def _bits(key: str, hashes: int, size: int) -> Iterator[int]:
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
    first, second = int.from_bytes(digest[:8]), int.from_bytes(digest[8:16]) | 1
    return ((first + number * second) % size for number in range(hashes))
