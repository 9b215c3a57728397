"""A store that another process writes to is busy, not damaged."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from muniment import Memory
from muniment.backends.sqlite.store import SqliteTenant
from muniment.model.errors import StoreBusy


def test_a_check_while_another_process_writes_finds_no_damage(vault: Path) -> None:
    with Memory.open(vault, embedder=None) as memory:
        store = memory._tenant.store
        assert isinstance(store, SqliteTenant)
        store._connection.set_busy_timeout(1)
        other = apsw.Connection(str(vault / "default.sqlite"))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy):
            memory.ledger.verify()
        other.execute("ROLLBACK")
        other.close()
        assert memory.ledger.verify().findings == ()
