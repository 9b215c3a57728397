"""The mark on a place that something is being moved to: until it is whole, nobody works there.

It names the tenants that are not whole yet, each with the hash of the first entry of its ledger, so that a move that
was cut short goes on from the same source and from no other.
"""

from __future__ import annotations

from pathlib import Path

from muniment.model.errors import StoreUnavailable
from muniment.model.value import Value, read_canonical
from muniment.ports.store import TenantStore, Vault

MARK = "moving.json"
"""Under this name the mark is kept: a file of a folder, a row of a database."""
_WAY_ON = "Run the same `muniment migrate-store` again: it goes on where it was. Or take away what is there."


class MoveMark(Value):
    """What is being moved here. `new`: the vault itself is, and is none until all of it is there. `key` is the public
    half of the source's signing key; `token` tells this mark from any other."""

    source: str
    key: str
    token: str
    new: bool
    tenants: dict[str, str]


def read_mark(body: bytes | None) -> MoveMark | None:
    return None if body is None else read_canonical(body, MoveMark)


def folder_mark(folder: Path) -> bytes | None:
    """The mark of a vault of files."""
    try:
        return (folder / MARK).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreUnavailable(f"{MARK} cannot be read: {error.strerror}") from None


def guarded_place(body: bytes | None, *, tenants: bool = False) -> None:
    """Refuse a vault that is not whole yet; with `tenants`, also one of which a tenant is not."""
    mark = read_mark(body)
    if mark is not None and (mark.new or (tenants and mark.tenants)):
        raise _refusal("the vault is being moved here and is not whole yet")


def guarded(stores: Vault, body: bytes | None) -> Vault:
    """The stores of a vault, without a way into what is not whole."""
    guarded_place(body)
    mark = read_mark(body)
    return stores if mark is None or not mark.tenants else _Guarded(stores, frozenset(mark.tenants))


class _Guarded:
    """Stores of which some are not whole yet. They are known by name and not opened."""

    def __init__(self, stores: Vault, unfinished: frozenset[str]) -> None:
        self._stores = stores
        self._unfinished = unfinished

    def tenants(self) -> tuple[str, ...]:
        return self._stores.tenants()

    def open(self, tenant: str, *, create: bool) -> TenantStore:
        if tenant in self._unfinished:
            raise _refusal("the tenant is being moved here and is not whole yet")
        return self._stores.open(tenant, create=create)

    def close(self) -> None:
        self._stores.close()


def _refusal(words: str) -> StoreUnavailable:
    refusal = StoreUnavailable(words)
    refusal.hint = _WAY_ON
    return refusal
