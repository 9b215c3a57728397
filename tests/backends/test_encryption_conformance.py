"""The exported suite on an encrypted store and on a vault of such stores: the same promises with a key."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from muniment.backends.sealing import TenantKey, VaultKey
from muniment.backends.sqlite.store import SqliteTenant, SqliteVault
from muniment.ports.store import TenantStore, Vault
from muniment_store_conformance import StoreConformance, VaultConformance

KEY = bytes(range(32))


class TestEncryptedStore(StoreConformance):
    @contextmanager
    def make(self, tenant: str) -> Iterator[TenantStore]:
        with TemporaryDirectory() as folder:
            store = SqliteTenant(Path(folder) / "tenant.sqlite", tenant, create=True, key=TenantKey(KEY))
            try:
                yield store
            finally:
                store.close()


class TestEncryptedVault(VaultConformance):
    @contextmanager
    def make(self) -> Iterator[Vault]:
        with TemporaryDirectory() as folder:
            vault = SqliteVault(Path(folder), key=VaultKey(KEY))
            try:
                yield vault
            finally:
                vault.close()
