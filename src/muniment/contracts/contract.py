"""What every contract can do: say what is wrong with a document, take memories out of one, put memories into one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from muniment.contracts.finding import Finding
from muniment.contracts.interchange import InterchangeRecord
from muniment.model.value import Value


class Narrowing(Value):
    """Something of a memory that a contract cannot say. `path` points into our memory; `kept` says whether the exact
    value travels in the contract's extension slot and comes back when it is read by us."""

    id: str
    path: str
    kept: bool


class Encoded(Value):
    """A document and what had to be narrowed on the way into it."""

    data: bytes
    narrowed: tuple[Narrowing, ...] = ()


class Contract(Protocol):
    """One contract. Pure: bytes in, values out, and back.

    `check` tells everything it finds and raises nothing. `decode` raises `Unreadable` or `Malformed`, whose field is
    a JSON pointer, on the first thing that is wrong. What `encode` writes passes `check`.
    """

    @property
    def name(self) -> str: ...

    def check(self, data: bytes) -> tuple[Finding, ...]: ...

    def decode(self, data: bytes) -> tuple[InterchangeRecord, ...]: ...

    def encode(self, memories: Sequence[InterchangeRecord]) -> Encoded: ...
