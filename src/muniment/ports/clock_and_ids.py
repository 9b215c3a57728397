"""What the engine asks of the world besides storage: the time, fresh names and salt, and a signature."""

from __future__ import annotations

from typing import Protocol

from muniment.model.times import Instant


class Clock(Protocol):
    def now(self) -> Instant:
        """The present instant. May run backwards; the ledger does not."""


class Ids(Protocol):
    def fresh(self, prefix: str) -> str:
        """A name nobody has used, sortable by when it was made."""

    def salt(self) -> bytes:
        """Sixteen bytes nobody can guess."""


class Signer(Protocol):
    @property
    def key_id(self) -> str:
        """The public half, in hex."""

    def sign(self, message: bytes) -> bytes:
        """Sign `message` with the private half."""
