"""The exported suite on PostgreSQL, with no promise left out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.backends.test_conformance import TestSqliteStore as SqliteStore
from tests.backends.test_conformance import TestSqliteVault as SqliteVault
from tests.postgres.server import Schemas

from muniment.backends.postgres.vault import PostgresVault
from muniment.ports.store import TenantStore, Vault
from muniment_store_conformance import StoreConformance, VaultConformance


class Lending:
    """Where the classes below get a schema from for each store they make."""

    schemas: Schemas

    @pytest.fixture(autouse=True)
    def borrow(self, schemas: Schemas) -> None:
        self.schemas = schemas

    @contextmanager
    def vault(self) -> Iterator[PostgresVault]:
        place = self.schemas.lend()
        made = PostgresVault(place)
        try:
            yield made
        finally:
            made.close()
            self.schemas.take_back(place)


class TestPostgresStore(Lending, StoreConformance):
    @contextmanager
    def make(self, tenant: str) -> Iterator[TenantStore]:
        with self.vault() as vault:
            yield vault.open(tenant, create=True)


class TestPostgresVault(Lending, VaultConformance):
    @contextmanager
    def make(self) -> Iterator[Vault]:
        with self.vault() as vault:
            yield vault


def promises(suite: type) -> set[str]:
    return {name for name in dir(suite) if name.startswith("test_")}


@pytest.mark.parametrize(
    ("ours", "theirs", "least"), [(TestPostgresStore, SqliteStore, 146), (TestPostgresVault, SqliteVault, 5)]
)
def test_postgres_keeps_as_many_promises_as_sqlite(ours: type, theirs: type, least: int) -> None:
    assert promises(ours) == promises(theirs)
    assert len(promises(ours)) >= least
