"""The PostgreSQL server of a test session, and `--store postgres`: the same tests with PostgreSQL under every vault.

The server is reached by every worker and stopped by whoever outlives them. With the option, what `Memory.open` finds in
a folder is a schema of that folder's own instead of files: marker, keys and policy stay where they are.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir
from typing import Protocol

import pytest
from tests.postgres.left_out import left_out
from tests.postgres.server import PREFIX, Schemas, Shared
from tests.scope import some

from muniment.backends.postgres import scrubbing
from muniment.backends.postgres.vault import PostgresVault
from muniment.backends.sealing import VaultKey
from muniment.backends.sqlite.vault_lock import VaultLock
from muniment.engine import vault
from muniment.ports.store import TenantStore, Vault

_FOLDER = pytest.StashKey[Path]()
_INPUT = "muniment_postgres"
_files = vault.folder_stores
CASES, OF_A_FILE = 1, 10
"""Of each table of cases, and of each file of tests, so many in a short run: all of them are shown on files."""


class Worker(Protocol):
    """A worker as xdist shows it to its controller before it starts."""

    config: pytest.Config
    workerinput: dict[str, str]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--store", choices=["files", "postgres"], default="files", help="what vaults keep their tenants in"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Agree on where the server is, should anybody need one."""
    told: dict[str, str] = getattr(config, "workerinput", {})
    config.stash[_FOLDER] = Path(told.get(_INPUT) or Path(gettempdir(), f"{PREFIX}{os.getpid()}-{token_hex(4)}"))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Worker) -> None:
    node.workerinput[_INPUT] = str(node.config.stash[_FOLDER])


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput") and _FOLDER in config.stash:
        Shared(config.stash[_FOLDER]).close()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With `--store postgres`, run what has a folder to put a vault into: in a short run a draw of it."""
    # The tests share a server: what one of them reads holds up the scrubbing of another.
    scrubbing.WAIT_MS, scrubbing.READERS_WAIT_S = 60_000, 60.0
    if config.option.store != "postgres":
        return
    found = [item for item in items if _has_folder(item) and not left_out(item.nodeid)]
    found = _drawn(found, CASES, lambda item: item.nodeid.split("[")[0])
    kept = {id(item) for item in _drawn(found, OF_A_FILE, lambda item: item.nodeid.split("::")[0])}
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
    items[:] = [item for item in items if id(item) in kept]


def _drawn(items: list[pytest.Item], most: int, part: Callable[[pytest.Item], str]) -> list[pytest.Item]:
    """So many items of each part."""
    parts: dict[str, list[pytest.Item]] = {}
    for item in items:
        parts.setdefault(part(item), []).append(item)
    return [item for name, members in parts.items() for item in some(members, most, salt=name)]


def _has_folder(item: pytest.Item) -> bool:
    return isinstance(item, pytest.Function) and bool({"tmp_path", "tmp_path_factory"} & set(item.fixturenames))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how much was shown to hold on PostgreSQL."""
    passed = [str(getattr(one, "nodeid", "")) for one in terminalreporter.stats.get("passed", ())]
    promises = sum("::TestPostgres" in name and "test_conformance" in name for name in passed)
    others = len(passed) if config.option.store == "postgres" else 0
    if promises or others:
        terminalreporter.section("postgres")
    if promises:
        terminalreporter.line(f"{promises} promises of the conformance suite kept")
    if others:
        terminalreporter.line(f"{others} tests of the other stores passed with PostgreSQL under every vault")


@pytest.fixture(scope="session")
def schemas(pytestconfig: pytest.Config) -> Iterator[Schemas]:
    """The schemas of this test process, on the server of the whole session."""
    shared = Shared(pytestconfig.stash[_FOLDER])
    made = Schemas(shared.database())
    yield made
    made.close()
    shared.leave()


class Stores:
    """The tenants of a folder, in its schema. Whoever opens them is in the folder's vault all the same."""

    def __init__(self, place: str, presence: VaultLock | None) -> None:
        self._vault = PostgresVault(place)
        self._presence = presence

    def tenants(self) -> tuple[str, ...]:
        return self._vault.tenants()

    def open(self, tenant: str, *, create: bool) -> TenantStore:
        return self._vault.open(tenant, create=create)

    def close(self) -> None:
        self._vault.close()
        if self._presence is not None:
            self._presence.leave()
            self._presence = None


class Folders:
    """Which folder's tenants are in which schema."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._places: dict[Path, str] = {}
        self._lending = threading.Lock()

    def stores(
        self,
        folder: Path,
        *,
        capacity: int | None = None,
        key: VaultKey | None = None,
        presence: VaultLock | None = None,
    ) -> Vault:
        """The stores of a folder. Encryption at rest and a quota are things of files: there the files stay."""
        if key is not None or capacity is not None:
            return _files(folder, capacity=capacity, key=key, presence=presence)
        with self._lending:
            if folder.resolve() not in self._places:
                self._places[folder.resolve()] = self._schemas.lend()
        return Stores(self._places[folder.resolve()], presence)

    def known(self) -> set[Path]:
        return set(self._places)

    def forget(self, folders: set[Path]) -> None:
        for folder in folders:
            self._schemas.take_back(self._places.pop(folder))


@pytest.fixture(scope="session", autouse=True)
def folders(request: pytest.FixtureRequest) -> Iterator[Folders | None]:
    """With `--store postgres`, put every folder's tenants onto PostgreSQL for as long as the session lasts."""
    if request.config.option.store != "postgres":
        yield None
        return
    made = Folders(request.getfixturevalue("schemas"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vault, "folder_stores", made.stores)
        yield made
        made.forget(made.known())


@pytest.fixture(autouse=True)
def only_this_test(folders: Folders | None) -> Iterator[None]:
    """Give the schemas of one test back when it has ended."""
    before = folders.known() if folders is not None else set()
    yield
    if folders is not None:
        folders.forget(folders.known() - before)
