"""Vaults in borrowed schemas, for tests that open and close the same vault many times."""

from __future__ import annotations

import os

from tests.crash.conftest import Places
from tests.postgres.server import Schemas
from tests.scope import LONG

from muniment.backends.postgres.vault import PostgresVault
from muniment.ports.store import Vault

_DEATHS = int(os.environ.get("MUNIMENT_TEST_DEATHS", "8" if LONG else "1"))
"""Of the touches of a command, spread over all of it. The first of them, and the last two, are always among them."""


class PostgresPlaces(Places):
    """Stores on PostgreSQL that die and are opened again. Of the copies only the last one is kept."""

    def __init__(self, schemas: Schemas) -> None:
        super().__init__()
        self._schemas = schemas
        self._lent: dict[Vault, str] = {}
        self._twin: Vault | None = None

    def make(self) -> Vault:
        place = self._schemas.lend()
        vault = PostgresVault(place)
        self._lent[vault] = place
        return vault

    def twin(self, first: Vault) -> Vault:
        if self._twin is not None:
            self._give_back(self._twin)
        self._twin = self.make()
        self._schemas.copy(self._lent[first], self._lent[self._twin])
        return self._twin

    def deaths(self, touches: int) -> list[int]:
        """Some of them: each death costs several connections. A test that breaks the wire dies at every message."""
        spread = range(1, touches + 1, max(1, touches // _DEATHS))
        return sorted({*spread, touches - 1, touches})

    def done(self) -> None:
        super().done()
        for vault in tuple(self._lent):
            self._give_back(vault)

    def _give_back(self, vault: Vault) -> None:
        vault.close()
        self._schemas.take_back(self._lent.pop(vault))
