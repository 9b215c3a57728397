"""A Merkle tree that grows at the right: leaves go in, the root over all of them comes out in O(log n).

Shape and prefixes are those of RFC 6962, so that any such library can check a root. `peaks` are the roots
of the full subtrees, largest first; a count and its peaks are all that is needed to go on later.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def leaf(entry_hash: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + entry_hash).digest()


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def grow(count: int, peaks: tuple[bytes, ...], hashes: Iterable[bytes]) -> tuple[int, tuple[bytes, ...]]:
    """Add entry hashes to a tree of `count` leaves."""
    stack = list(peaks)
    for entry_hash in hashes:
        carry = leaf(entry_hash)
        size = count
        while size & 1:
            carry = node(stack.pop(), carry)
            size >>= 1
        stack.append(carry)
        count += 1
    return count, tuple(stack)


def root(peaks: tuple[bytes, ...]) -> bytes:
    """The root over all leaves.

    >>> root(()) == hashlib.sha256(b"").digest()
    True
    """
    if not peaks:
        return hashlib.sha256(b"").digest()
    carry = peaks[-1]
    for peak in reversed(peaks[:-1]):
        carry = node(peak, carry)
    return carry
