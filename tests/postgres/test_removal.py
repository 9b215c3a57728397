"""In PostgreSQL too nothing that proves the ledger can be taken away unnoticed, whatever somebody may do there."""

from __future__ import annotations

from contextlib import ExitStack, closing

from tests.crash.history import live_through
from tests.postgres.server import Schemas, connect
from tests.postgres.test_tamper import put_back
from tests.support.world import SeededSigner, simulated_memory

from muniment.backends.postgres.vault import PostgresVault
from muniment.engine.audit import VerificationResult, verify_store
from muniment.model.entry import LedgerHead

REMOVALS = (
    (("receipts", "checkpoints", "told"), {"receipts_truncated", "checkpoint_missing"}),
    (("receipts", "told"), {"receipts_truncated"}),
    (("checkpoints",), {"checkpoint_missing"}),
    (("told",), {"telling_differs"}),
)
"""Tables that are emptied, and what `verify` must say of it at least."""


def verified(place: str, anchor: LedgerHead | None = None) -> VerificationResult:
    with closing(PostgresVault(place, create=False)) as vault:
        return verify_store(vault.open("default", create=False), frozenset({SeededSigner(0).key_id}), anchor=anchor)


def test_every_removal_of_proof_is_named(schemas: Schemas) -> None:
    place = schemas.lend()
    with closing(PostgresVault(place)) as vault:
        store = vault.open("default", create=True)
        live_through(store)
        memory = simulated_memory(store)
        memory.recall("build")
        memory.remember("the last entry binds what there was before it")
        anchor = memory.ledger.head()
    whole = verified(place, anchor)
    assert (whole.findings, whole.bound_since) == ((), 1)
    for tables, expected in REMOVALS:
        with ExitStack() as aside:
            for table in (*tables, "tenant_head"):
                behind = aside.enter_context(connect(place))
                aside.enter_context(put_back(behind, table))
            for table in tables:
                behind.execute(f"DELETE FROM {table}".encode())
            if "receipts" in tables:
                behind.execute("UPDATE tenant_head SET receipts = 0, receipts_hash = ''")
            found = {one.code for one in verified(place).findings}
        assert expected <= found, (tables, found)
    assert verified(place, anchor).ok
    schemas.take_back(place)
