"""What a memory on PostgreSQL says it knew at an earlier time: the test of the other stores, on a server."""

from __future__ import annotations

import pytest
from tests.machine.test_past import agrees
from tests.scope import LONG

from muniment.backends.postgres.vault import PostgresVault


@pytest.mark.parametrize("seed", range(10 if LONG else 1))
def test_the_past_is_what_a_replay_holds_on_postgresql(dsn: str, seed: int) -> None:
    vault = PostgresVault(dsn)
    try:
        agrees(vault.open("default", create=True), seed)
    finally:
        vault.close()
