"""What the crash tests share: a way to make each store and to open it again after a death."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment.backends.memory.store import MemoryVault
from muniment.backends.sqlite.store import SqliteVault
from muniment.ports.store import TenantStore, Vault


class Places:
    """Makes vaults of one sort, and remembers them so that they are closed at the end."""

    def __init__(self, sort: str, folder: Path) -> None:
        self._sort = sort
        self._folder = folder
        self._vaults: list[Vault] = []

    def fresh(self) -> TenantStore:
        """A store nobody has written to."""
        vault: Vault = MemoryVault()
        if self._sort == "sqlite":
            place = self._folder / str(len(self._vaults))
            place.mkdir()
            vault = SqliteVault(place)
        self._vaults.append(vault)
        return vault.open("default", create=True)

    def copy(self) -> TenantStore:
        """A copy of the store that was made first."""
        first = self._vaults[0]
        first.close()
        if isinstance(first, MemoryVault):
            self._vaults.append(first.copy())
        else:
            place = self._folder / str(len(self._vaults))
            shutil.copytree(self._folder / "0", place)
            self._vaults.append(SqliteVault(place))
        return self._vaults[-1].open("default", create=False)

    def again(self) -> TenantStore:
        """The store that was made last, opened anew from what it left behind."""
        self._vaults[-1].close()
        return self._vaults[-1].open("default", create=False)

    def done(self) -> None:
        for vault in self._vaults:
            vault.close()
        self._vaults.clear()
        shutil.rmtree(self._folder, ignore_errors=True)


@pytest.fixture(params=["memory", "sqlite"])
def places(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Places]:
    made = Places(request.param, tmp_path)
    yield made
    made.done()
