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
        store = memory._session.tenant.store
        assert isinstance(store, SqliteTenant)
        store._connection.set_busy_timeout(1)
        other = apsw.Connection(str(vault / "default.sqlite"))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy):
            memory.ledger.verify()
        other.execute("ROLLBACK")
        other.close()
        assert memory.ledger.verify().findings == ()


def test_a_check_after_another_connection_wrote_to_the_word_index_finds_no_damage(vault: Path) -> None:
    """SQLite's own check goes by what its connection remembers of the word index, unless it was made to look again."""
    with Memory.open(vault, embedder=None) as memory, Memory.open(vault, embedder=None) as other:
        for number in range(8):
            assert memory.ledger.verify().findings == ()
            for part in range(4):
                other.remember(f"Crate {number}-{part} holds lamps, rope and a spare wick")
