"""What a database keeps beside its tenants: small named things of the whole deployment, shared by all its processes."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from muniment.ports.store import Vault


class SharedSettings(Protocol):
    """Named bodies. Each call is a commit of its own."""

    def get(self, name: str) -> bytes | None:
        """What is under a name; None when nothing is."""

    def place(self, name: str, body: bytes) -> bytes:
        """Put a body under a name unless something is there. What is there then is returned: the first wins."""

    def replace(self, name: str, body: bytes) -> None:
        """Put a body under a name, whatever was there."""

    def remove(self, name: str) -> None:
        """Take away what is under a name, if anything is."""

    def scour(self) -> bool:
        """Take what was removed out of the database's files too. False when that could not be done now."""

    def names(self) -> tuple[str, ...]: ...

    def alone(self, name: str = "rotation") -> AbstractContextManager[None]:
        """Be the one who changes what a name stands for, for a block. Raises `StoreBusy` when another process is."""


class SharedVault(Vault, Protocol):
    """All tenants of a database, and its drawer."""

    @property
    def drawer(self) -> SharedSettings: ...
