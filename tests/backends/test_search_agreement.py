"""SQLite held against the memory store: whatever is kept and asked, both answer alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.backends.agreement import SearchAgreement
from tests.support.memory_store.store import MemoryTenant

from muniment.backends.sqlite.store import SqliteTenant
from muniment.ports.store import TenantStore


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TenantStore, TenantStore]]:
    folder: Path = tmp_path_factory.mktemp("agreement")
    sqlite = SqliteTenant(folder / "acme.sqlite", "acme", create=True)
    yield MemoryTenant("acme"), sqlite
    sqlite.close()


class TestSqliteAgreement(SearchAgreement):
    """The same answers from SQLite."""
