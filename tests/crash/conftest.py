"""What the crash tests share: a way to make each store and to open it again after a death."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.scope import some
from tests.support.memory_store.store import MemoryVault

from muniment.backends.sqlite.store import SqliteVault
from muniment.ports.store import TenantStore, Vault

DEATHS = 10
"""Of the touches of a command, in a short run."""


class Places:
    """Makes vaults in memory, and remembers them so that they are closed at the end."""

    def __init__(self) -> None:
        self._vaults: list[Vault] = []

    def fresh(self) -> TenantStore:
        """A store nobody has written to."""
        self._vaults.append(self.make())
        return self._vaults[-1].open("default", create=True)

    def copy(self) -> TenantStore:
        """A copy of the store that was made first."""
        self._vaults[0].close()
        self._vaults.append(self.twin(self._vaults[0]))
        return self._vaults[-1].open("default", create=False)

    def again(self) -> TenantStore:
        """The store that was made last, opened anew from what it left behind."""
        self._vaults[-1].close()
        return self._vaults[-1].open("default", create=False)

    def deaths(self, touches: int) -> list[int]:
        """At which of so many touches to die. The first, the last and the one before are always among them."""
        return sorted({*some(range(1, touches), DEATHS), touches})

    def done(self) -> None:
        for vault in self._vaults:
            vault.close()
        self._vaults.clear()

    def make(self) -> Vault:
        return MemoryVault()

    def twin(self, first: Vault) -> Vault:
        assert isinstance(first, MemoryVault)
        return first.copy()


class SqlitePlaces(Places):
    """The same in files."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def make(self) -> Vault:
        place = self._folder / str(len(self._vaults))
        place.mkdir()
        return SqliteVault(place)

    def twin(self, first: Vault) -> Vault:
        place = self._folder / str(len(self._vaults))
        shutil.copytree(self._folder / "0", place)
        return SqliteVault(place)

    def done(self) -> None:
        super().done()
        shutil.rmtree(self._folder, ignore_errors=True)


@pytest.fixture(params=["memory", "sqlite"])
def places(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Places]:
    made = Places() if request.param == "memory" else SqlitePlaces(tmp_path)
    yield made
    made.done()
