"""The exported suite on the stores we ship. Knows how to make each of them and nothing of what they promise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.memory_store.store import MemoryTenant, MemoryVault

from muniment.backends.sqlite.store import SqliteTenant, SqliteVault
from muniment.ports.store import TenantStore, Vault
from muniment_store_conformance import StoreConformance, VaultConformance


class TestMemoryStore(StoreConformance):
    @contextmanager
    def make(self, tenant: str) -> Iterator[TenantStore]:
        yield MemoryTenant(tenant)


class TestSqliteStore(StoreConformance):
    @contextmanager
    def make(self, tenant: str) -> Iterator[TenantStore]:
        with TemporaryDirectory() as folder:
            store = SqliteTenant(Path(folder) / "tenant.sqlite", tenant, create=True)
            try:
                yield store
            finally:
                store.close()


class TestMemoryVault(VaultConformance):
    @contextmanager
    def make(self) -> Iterator[Vault]:
        yield MemoryVault()


class TestSqliteVault(VaultConformance):
    @contextmanager
    def make(self) -> Iterator[Vault]:
        with TemporaryDirectory() as folder:
            vault = SqliteVault(Path(folder))
            try:
                yield vault
            finally:
                vault.close()
