"""The exported suite on PostgreSQL with content keys: sealing changes no answer and breaks no promise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.postgres.server import Schemas

from muniment.backends.postgres.content_keys import ContentKeys
from muniment.backends.postgres.vault import PostgresVault
from muniment.ports.store import TenantStore, Vault
from muniment_store_conformance import StoreConformance, VaultConformance


class Lending:
    """Where the classes below get a schema and a folder of keys from for each store they make."""

    schemas: Schemas
    folder: Path

    @pytest.fixture(autouse=True)
    def borrow(self, schemas: Schemas, tmp_path: Path) -> None:
        self.schemas = schemas
        self.folder = tmp_path

    @contextmanager
    def vault(self) -> Iterator[PostgresVault]:
        place = self.schemas.lend()
        made = PostgresVault(place, content_keys=ContentKeys(self.folder))
        try:
            yield made
        finally:
            made.close()
            self.schemas.take_back(place)


class TestSealedPostgresStore(Lending, StoreConformance):
    SEALING_BYTES = 2 * (12 + 16)  # salt and account, each with a nonce and a tag

    @contextmanager
    def make(self, tenant: str) -> Iterator[TenantStore]:
        with self.vault() as vault:
            yield vault.open(tenant, create=True)


class TestSealedPostgresVault(Lending, VaultConformance):
    @contextmanager
    def make(self) -> Iterator[Vault]:
        with self.vault() as vault:
            yield vault
