"""PostgreSQL held against the memory store: whatever is kept and asked, both answer alike."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.backends.agreement import SearchAgreement
from tests.postgres.server import Schemas
from tests.support.memory_store.store import MemoryTenant

from muniment.backends.postgres.vault import PostgresVault
from muniment.ports.store import TenantStore


@pytest.fixture(scope="module")
def stores(schemas: Schemas) -> Iterator[tuple[TenantStore, TenantStore]]:
    place = schemas.lend()
    vault = PostgresVault(place)
    yield MemoryTenant("acme"), vault.open("acme", create=True)
    vault.close()
    schemas.take_back(place)


class TestPostgresAgreement(SearchAgreement):
    """The same answers from PostgreSQL."""
