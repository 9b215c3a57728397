"""The keys of a vault in a database: changed in turn, gone on with after any death, kept outside it if so wished."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path

import pytest
from tests.postgres.server import Schemas, connect
from tests.support.postgres import Server, started

from muniment import Memory
from muniment.backends.clock_and_ids import FileSigner
from muniment.backends.postgres.vault import PostgresVault
from muniment.engine import database
from muniment.engine.audit import verify_vault
from muniment.engine.place import Database
from muniment.engine.signing import key_line, public_keys, rotate
from muniment.model.errors import ConfigurationError, IntegrityError, StoreBusy
from muniment.ports.shared_settings import SharedSettings, SharedVault
from muniment.ports.store import TenantStore

KEY_FILE = "MUNIMENT_SIGNING_KEY_FILE"


class Death(Exception):
    """The process ends here."""


class DyingDrawer:
    """A drawer whose process dies before one of its changes."""

    def __init__(self, inside: SharedSettings, at: int | None) -> None:
        self._inside = inside
        self._left = at
        self.changes = 0

    def _change(self) -> None:
        self.changes += 1
        if self._left is not None and self.changes > self._left:
            raise Death

    def get(self, name: str) -> bytes | None:
        return self._inside.get(name)

    def names(self) -> tuple[str, ...]:
        return self._inside.names()

    def place(self, name: str, body: bytes) -> bytes:
        self._change()
        return self._inside.place(name, body)

    def replace(self, name: str, body: bytes) -> None:
        self._change()
        self._inside.replace(name, body)

    def remove(self, name: str) -> None:
        self._change()
        self._inside.remove(name)

    def scour(self) -> bool:
        return self._inside.scour()

    def alone(self, name: str = "rotation") -> AbstractContextManager[None]:
        return self._inside.alone(name)


class DyingVault:
    """The tenants of a database beside such a drawer."""

    def __init__(self, inside: SharedVault, drawer: DyingDrawer) -> None:
        self._inside = inside
        self.drawer = drawer

    def tenants(self) -> tuple[str, ...]:
        return self._inside.tenants()

    def open(self, tenant: str, *, create: bool) -> TenantStore:
        return self._inside.open(tenant, create=create)

    def close(self) -> None:
        self._inside.close()


@pytest.fixture
def schemas_lent(schemas: Schemas) -> Iterator[Callable[[], str]]:
    """As many empty schemas as a test asks for."""
    lent: list[str] = []

    def lend() -> str:
        lent.append(schemas.lend())
        return lent[-1]

    yield lend
    for one in lent:
        schemas.take_back(one)


@pytest.fixture
def lived_in(dsn: str) -> str:
    """A database of two tenants, each with a record and a signed checkpoint."""
    for tenant in ("default", "other"):
        with Memory.open(dsn, tenant=tenant) as memory:
            assert memory.remember("The audit begins on Monday").record_id is not None
    return dsn


def names(dsn: str) -> set[str]:
    with connect(dsn) as connection:
        found = connection.execute("SELECT name FROM deployment").fetchall()
    return {str(name) for (name,) in found if not str(name).endswith(".lock")}


def body(dsn: str, name: str) -> str:
    with connect(dsn) as connection:
        row = connection.execute("SELECT body FROM deployment WHERE name = %s", [name], binary=True).fetchone()
    assert row is not None
    assert isinstance(row[0], bytes)
    return row[0].decode().strip()


def dying(monkeypatch: pytest.MonkeyPatch, at: int | None) -> list[DyingDrawer]:
    """Have every database that is opened from now on a drawer that dies at that change; those that were opened."""
    drawers: list[DyingDrawer] = []

    def opened(place: Database, *, create: bool, content_keys: str | Path | None = None) -> SharedVault:
        vault = PostgresVault(place.dsn, create=create)
        drawers.append(DyingDrawer(vault.drawer, at))
        return DyingVault(vault, drawers[-1])

    monkeypatch.setattr(database, "shared_vault", opened)
    return drawers


def check(dsn: str, *, key: str, keys: set[str]) -> None:
    """Every ledger verifies, goes on, and is signed with that key; those are the public halves."""
    for tenant in ("default", "other"):
        with Memory.open(dsn, tenant=tenant) as memory:
            memory.remember("The audit was postponed")
            assert memory.ledger.checkpoint().checkpoint.key == key
        assert verify_vault(dsn, tenant).findings == ()
    assert (public_keys(dsn)[0], set(public_keys(dsn))) == (key, keys)


def test_a_rotation_gives_every_ledger_of_a_database_the_new_key(lived_in: str) -> None:
    old = body(lived_in, "signing.pub")
    done = rotate(lived_in, reason="a laptop was lost")
    assert (done.old, done.entries, done.resumed, done.destroyed) == (old, {"default": 4, "other": 4}, False, True)
    assert [(span.key, span.since) for span in key_line(lived_in, "default").spans] == [(old, 1), (done.new, 4)]
    assert names(lived_in) == {"signing.key", "signing.pub", f"{old[:16]}.pub", "policy.yaml"}
    check(lived_in, key=done.new, keys={old, done.new})


def test_the_private_half_that_went_is_kept_only_if_that_is_asked_for(lived_in: str) -> None:
    gone = body(lived_in, "signing.key")
    done = rotate(lived_in, reason="routine", keep=True)
    assert body(lived_in, f"{done.old[:16]}.key") == gone
    again = rotate(lived_in, reason="routine")
    assert f"{again.old[:16]}.key" not in names(lived_in)
    assert body(lived_in, "signing.key") != gone


def test_the_private_half_that_went_is_in_no_file_of_the_tables() -> None:
    with started(durable=False) as server:
        dsn = server.dsn(schema="memory")
        Memory.open(dsn).close()
        gone = body(dsn, "signing.key").encode()
        assert in_files(server, dsn, gone)
        assert rotate(dsn, reason="a laptop was lost").destroyed
        assert not in_files(server, dsn, gone)
        assert in_files(server, dsn, body(dsn, "signing.key").encode())


def in_files(server: Server, dsn: str, words: bytes) -> bool:
    """Whether the files of the tables hold some bytes once everything is written to them. The log is not looked at."""
    with connect(dsn) as connection:
        connection.execute("CHECKPOINT")
    files = [file for file in (server.tables / "base").rglob("*") if file.is_file()]
    return any(words in file.read_bytes() for file in files)


def test_a_memory_that_was_open_while_the_key_changed_signs_with_the_new_one(lived_in: str) -> None:
    with Memory.open(lived_in) as memory:
        done = rotate(lived_in, reason="routine")
        memory.remember("The audit was postponed")
        assert memory.ledger.checkpoint().checkpoint.key == done.new
        assert memory.ledger.verify().findings == ()


def test_two_rotations_at_once_are_one(lived_in: str) -> None:
    vault = PostgresVault(lived_in, create=False)
    try:
        with vault.drawer.alone(), pytest.raises(StoreBusy):
            rotate(lived_in, reason="routine")
    finally:
        vault.close()
    assert rotate(lived_in, reason="routine").entries == {"default": 4, "other": 4}


def test_a_rotation_that_dies_at_any_change_leaves_a_vault_that_works_and_is_gone_on_with(
    lived_in: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Count the changes of one rotation, then die before each of them in turn. After every death the ledgers go on, and
    the next rotation ends the one that was cut short: no third key is made."""
    with monkeypatch.context() as rehearsed:
        drawers = dying(rehearsed, None)
        rotate(lived_in, reason="rehearsal")
    changes = max(one.changes for one in drawers)
    assert changes == 7
    for at in range(changes):
        before = public_keys(lived_in)
        with monkeypatch.context() as doomed:
            dying(doomed, at)
            with pytest.raises(Death):
                rotate(lived_in, reason="routine")
        for tenant in ("default", "other"):
            with Memory.open(lived_in, tenant=tenant) as memory:
                memory.remember(f"Death {at}")
                assert memory.ledger.verify().findings == ()
        done = rotate(lived_in, reason="routine")
        assert (done.old, done.resumed) == (before[0], at > 0)
        assert names(lived_in) & {"signing.next", "signing.old"} == set()
        check(lived_in, key=done.new, keys={*before, done.new})


def test_a_making_that_dies_at_any_change_is_gone_on_with(
    schemas_lent: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as rehearsed:
        drawers = dying(rehearsed, None)
        Memory.open(schemas_lent()).close()
    changes = max(one.changes for one in drawers)
    assert changes == 3
    for at in range(changes):
        dsn = schemas_lent()
        with monkeypatch.context() as doomed, suppress(Death):
            dying(doomed, at)
            Memory.open(dsn)
        with Memory.open(dsn) as memory:
            assert memory.ledger.checkpoint().checkpoint.key == body(dsn, "signing.pub")
        assert names(dsn) == {"signing.key", "signing.pub", "policy.yaml"}


def test_a_key_outside_the_database_is_made_there_and_never_comes_in(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_FILE, str(tmp_path / "fleet.key"))
    with Memory.open(dsn) as memory:
        memory.remember("The pump is blue")
    signer = FileSigner(tmp_path / "fleet.key")
    assert names(dsn) == {"signing.pub", "policy.yaml"}
    assert body(dsn, "signing.pub") == signer.key_id
    done = rotate(dsn, reason="routine")
    assert (done.old, done.new) == (signer.key_id, FileSigner(tmp_path / "fleet.key").key_id)
    assert names(dsn) == {"signing.pub", f"{signer.key_id[:16]}.pub", "policy.yaml"}
    assert {path.name for path in tmp_path.iterdir()} == {"fleet.key"}
    with Memory.open(dsn) as memory:
        assert memory.ledger.verify().findings == ()


def test_a_rotation_of_a_key_outside_is_gone_on_with_after_any_death(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_FILE, str(tmp_path / "fleet.key"))
    Memory.open(dsn).close()
    for at in range(2):
        before = public_keys(dsn)
        with monkeypatch.context() as doomed:
            dying(doomed, at)
            with pytest.raises(Death):
                rotate(dsn, reason="routine")
        done = rotate(dsn, reason="routine")
        assert (done.old, done.resumed) == (before[0], True)
        assert set(public_keys(dsn)) == {*before, done.new}


def test_a_key_file_that_is_not_the_vaults_own_is_refused(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_FILE, str(tmp_path / "fleet.key"))
    Memory.open(dsn).close()
    FileSigner.create(tmp_path / "other.key")
    monkeypatch.setenv(KEY_FILE, str(tmp_path / "other.key"))
    refusals = [refused_by(dsn)]
    monkeypatch.setenv(KEY_FILE, str(tmp_path / "fleet.key"))
    (tmp_path / "fleet.key").chmod(0o644)
    refusals.append(refused_by(dsn))
    monkeypatch.delenv(KEY_FILE)
    refusals.append(refused_by(dsn))
    assert [
        ("another key" in one, "others than its owner" in one, "it is kept in a file" in one) for one in refusals
    ] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]


def refused_by(dsn: str) -> str:
    with pytest.raises(ConfigurationError) as refused:
        Memory.open(dsn)
    assert refused.value.setting == KEY_FILE
    return str(refused.value)


def test_a_database_that_keeps_its_key_takes_no_other_beside_it(
    lived_in: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_FILE, str(tmp_path / "fleet.key"))
    assert "keeps its signing key itself" in refused_by(lived_in)


def test_a_machine_whose_key_file_was_not_brought_signs_nothing(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_FILE, str(tmp_path / "fleet.key"))
    with Memory.open(dsn) as memory:
        older = (tmp_path / "fleet.key").read_bytes()
        rotate(dsn, reason="routine")
        (tmp_path / "fleet.key").write_bytes(older)
        with pytest.raises(IntegrityError):
            memory.ledger.checkpoint()
