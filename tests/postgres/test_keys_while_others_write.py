"""One tenant gets another content key, and the old one is destroyed, while others of the same schema are written to."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.patience import WAIT_S
from tests.postgres.crew import proposals
from tests.postgres.moving import SECRET, furnish, move
from tests.postgres.server import Schemas

from muniment import Memory
from muniment.model.errors import ConfigurationError, MunimentError

OTHERS = ("borealis", "cobalt")
EACH = 12
"""So many writes of each other tenant must come after each thing that is done."""


class Writers:
    """A thread for each other tenant that writes until it is told to stop."""

    def __init__(self, dsn: str, keys: Path) -> None:
        self.told: dict[str, list[str]] = {tenant: [] for tenant in OTHERS}
        self.failed: list[MunimentError] = []
        self._over = threading.Event()
        self._written = threading.Condition()
        self._threads = [threading.Thread(target=self._write, args=(dsn, keys, tenant)) for tenant in OTHERS]

    def __enter__(self) -> Writers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(WAIT_S)

    def go_on(self) -> None:
        """Wait until every tenant was written to so many more times."""
        wanted = {tenant: len(told) + EACH for tenant, told in self.told.items()}
        with self._written:
            assert self._written.wait_for(lambda: self.failed or self._reached(wanted), WAIT_S)
        assert self.failed == []

    def _reached(self, wanted: dict[str, int]) -> bool:
        return all(len(self.told[tenant]) >= count for tenant, count in wanted.items())

    def _write(self, dsn: str, keys: Path, tenant: str) -> None:
        try:
            with Memory.open(dsn, tenant=tenant, embedder=None, content_keys=keys) as memory:
                while not self._over.is_set():
                    name = f"p-{len(self.told[tenant])}"
                    memory.remember(f"{tenant} notes that box {name} arrived", proposal_id=name)
                    with self._written:
                        self.told[tenant].append(name)
                        self._written.notify_all()
        except MunimentError as error:
            with self._written:
                self.failed.append(error)
                self._written.notify_all()


def test_a_tenants_key_is_changed_and_destroyed_and_nobody_else_notices(
    schemas: Schemas, dsn: str, tmp_path: Path, vault: Path
) -> None:
    keys, fresh = tmp_path / "keys", tmp_path / "fresh"
    for folder in (keys, fresh):
        folder.mkdir(mode=0o700)
    furnish(vault, 8, tenant="acme")
    move(vault, dsn, tenant="acme", to_keys=str(keys))
    with Memory.open(dsn, tenant="acme", embedder=None, content_keys=keys, create=False) as memory:
        kept = memory.remember(SECRET, evidence=["log:1"]).record_id
    place = schemas.lend()
    try:
        with Writers(dsn, keys) as writers:
            writers.go_on()
            move(dsn, place, tenant="acme", from_keys=str(keys), to_keys=str(fresh))
            writers.go_on()
            (keys / "acme.key").unlink()
            writers.go_on()
            with pytest.raises(ConfigurationError, match=r"acme\.key is not in the folder"):
                Memory.open(dsn, tenant="acme", embedder=None, content_keys=keys, create=False)
            writers.go_on()
        assert sorted(file.name for file in keys.iterdir()) == [f"{tenant}.key" for tenant in OTHERS]
        with Memory.open(place, tenant="acme", embedder=None, content_keys=fresh, create=False) as memory:
            assert [one.record.id for one in memory.recall("Who keeps zebrafish?").records][:1] == [kept]
            assert memory.ledger.verify().findings == ()
        for tenant in OTHERS:
            with Memory.open(dsn, tenant=tenant, embedder=None, content_keys=keys, create=False) as memory:
                assert proposals(memory) == writers.told[tenant]
                assert memory.ledger.verify().findings == ()
    finally:
        schemas.take_back(place)
