"""Moving house: from a folder to a database and back everything is the same, whatever is written meanwhile."""

from __future__ import annotations

import threading
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from tests.copies.making import state
from tests.patience import WAIT_S
from tests.postgres.moving import (
    SECRET,
    TRACE,
    Where,
    everything,
    forget_the_secret,
    furnish,
    move,
    opened,
    remembered,
    speak_of_the_secret,
)
from tests.postgres.server import Schemas, connect, schema_of
from tests.recall.world import Toy
from tests.support.world import START

from muniment import Memory
from muniment.backends.postgres import scrubbing
from muniment.backends.sqlite import connection
from muniment.engine.moving import follow_ledger
from muniment.engine.signing import public_keys
from muniment.engine.vault import policy_text
from muniment.model.errors import ConfigurationError
from muniment.surfaces.reception import keys as ring


def words_at(dsn: str) -> str:
    """Every value of every table of a schema as small text; bytes as the text they spell."""
    with connect(dsn) as server:
        server.execute("SET datestyle = 'ISO'")
        tables = server.execute("SELECT tablename FROM pg_tables WHERE schemaname = %s", [schema_of(dsn)])
        return " ".join(_rows(server, str(table)) for (table,) in tables.fetchall()).lower()


def _rows(server: psycopg.Connection[tuple[object, ...]], table: str) -> str:
    rows = server.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(table))).fetchall()
    return " ".join(
        value.decode(errors="replace") if isinstance(value, bytes) else str(value) for row in rows for value in row
    )


def words_below(folder: Path) -> str:
    """Every byte of every file of a folder, as small text."""
    return " ".join(file.read_bytes().decode(errors="replace") for file in folder.rglob("*") if file.is_file()).lower()


def test_from_a_folder_to_a_database_and_back_everything_is_the_same(vault: Path, dsn: str, tmp_path: Path) -> None:
    furnish(vault)
    furnish(vault, 5, tenant="acme")
    _, sent = ring.create(vault, ring.KeyRequest(name="cron", tenant="acme", actor="cron"), now=START)
    before = state(vault)

    there = move(vault, dsn)
    back = move(dsn, tmp_path / "back")

    assert state(vault) == before, "the source was changed"
    assert [(one.tenant, one.state) for one in there.plan.tenants] == [("acme", "new"), ("default", "new")]
    assert [one.questions for one in back.tenants] == [7, 42]
    assert (there.open, there.unfinished, there.plan.new) == (True, (), True)
    assert there.brought == ("signing.key", "api-keys.json", "policy.yaml")
    for tenant in ("default", "acme"):
        assert everything(vault, tenant) == everything(dsn, tenant) == everything(tmp_path / "back", tenant)
    assert public_keys(vault) == public_keys(dsn) == public_keys(tmp_path / "back")
    assert policy_text(vault) == policy_text(dsn) == policy_text(tmp_path / "back")
    for place in (dsn, tmp_path / "back"):
        assert [key.wish.name for key in ring.listed(place)] == ["cron"]
        found = ring.KeyRing(place)
        assert found.match(sent, now=START) is not None
        found.close()


def test_the_target_goes_on_with_the_same_key_and_says_so(vault: Path, dsn: str) -> None:
    furnish(vault)
    move(vault, dsn)

    with opened(dsn, create=False) as memory:
        remembered(memory, "The movers were paid")
        memory.ledger.checkpoint()
        verified = memory.ledger.verify()
        told = [one.record.content for one in memory.recall("who was paid?").records]
    assert (verified.ok, verified.findings, told) == (True, (), ["The movers were paid"])


def test_private_keys_are_for_their_owner_alone_at_the_target(vault: Path, tmp_path: Path) -> None:
    furnish(vault, 4)
    ring.create(vault, ring.KeyRequest(name="cron", tenant="default", actor="cron"), now=START)
    move(vault, tmp_path / "new")

    modes = {file.name: file.stat().st_mode & 0o777 for file in (tmp_path / "new" / "keys").glob("[a-z]*.*")}
    assert modes == {"api-keys.json": 0o600, "signing.key": 0o600, "signing.pub": 0o644}
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


def test_a_database_moves_to_a_database(dsn: str, schemas: Schemas) -> None:
    furnish(dsn, 12)
    with schemas.bare() as other:
        done = move(dsn, other)
        assert everything(other) == everything(dsn)
    assert [(one.tenant, one.questions) for one in done.tenants] == [("default", 14)]


def test_one_tenant_goes_alone_and_another_follows_to_the_same_vault(vault: Path, dsn: str) -> None:
    furnish(vault, 4)
    furnish(vault, 4, tenant="acme")
    ring.create(vault, ring.KeyRequest(name="cron", tenant="acme", actor="cron"), now=START)

    first = move(vault, dsn, tenant="acme")
    second = move(vault, dsn)

    assert ([one.tenant for one in first.tenants], first.brought) == (["acme"], ("signing.key", "policy.yaml"))
    assert [(one.tenant, one.state) for one in second.plan.tenants] == [("acme", "there"), ("default", "new")]
    assert (second.plan.new, second.brought) == (False, ("api-keys.json",))
    assert everything(dsn) == everything(vault)


@pytest.mark.parametrize("from_database", [False, True], ids=["from a folder", "from a database"])
def test_what_is_written_during_the_move_is_there(
    vault: Path, dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, from_database: bool
) -> None:
    monkeypatch.setattr(follow_ledger, "ENTRIES_AT_ONCE", 8)
    source, target = (dsn, tmp_path / "new") if from_database else (vault, dsn)
    furnish(source, 80)
    late: list[str] = []

    with opened(source) as writer:

        def write(what: str, done: int, whole: int) -> None:
            if what == "default: entries" and len(late) < 5:
                late.append(remembered(writer, f"Box {len(late)} came late"))
                writer.recall(f"which box came late? {len(late)}")

        done = move(source, target, progress=write)

    assert (len(late), done.tenants[0].behind) == (5, 0)
    with opened(target, create=False) as memory:
        assert [memory.get(name).record.content for name in late] == [f"Box {one} came late" for one in range(5)]
        assert memory.ledger.verify().ok


def test_a_writer_that_never_stops_loses_nothing_once_the_move_is_run_again(vault: Path, dsn: str) -> None:
    furnish(vault, 20)
    kept: list[str] = []
    stop = threading.Event()

    def write() -> None:
        with opened(vault) as memory:
            while not stop.is_set() and len(kept) < 2_000:
                kept.append(remembered(memory, f"Parcel {len(kept)} was posted"))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        first = move(vault, dsn, standby=True)
        move(vault, dsn, standby=True)
    finally:
        stop.set()
        writer.join(timeout=WAIT_S)
    last = move(vault, dsn)

    assert (first.open, first.tenants[0].compared) == (False, False)
    assert (last.open, last.tenants[0].compared, last.tenants[0].behind) == (True, True, 0)
    assert everything(dsn) == everything(vault)
    with opened(dsn, create=False) as memory:
        assert {memory.get(name).record.id for name in kept} == set(kept)


def test_a_source_that_went_on_after_the_move_is_followed_by_another_run(vault: Path, dsn: str) -> None:
    furnish(vault, 6)
    move(vault, dsn)
    with opened(vault) as memory:
        late = remembered(memory, "The cellar was forgotten")

    again = move(vault, dsn)

    assert [(one.state, one.there) for one in again.plan.tenants] == [("behind", again.plan.tenants[0].entries - 1)]
    assert again.tenants[0].entries == 1
    assert everything(dsn) == everything(vault)
    with opened(dsn, create=False) as memory:
        assert memory.get(late).record.content == "The cellar was forgotten"


def test_what_is_forgotten_between_two_runs_leaves_nothing_at_a_database(vault: Path, dsn: str) -> None:
    furnish(vault, 6)
    speak_of_the_secret(vault)
    move(vault, dsn, standby=True)
    assert all(word in words_at(dsn) for word in TRACE)
    forget_the_secret(vault)

    done = move(vault, dsn)

    assert done.tenants[0].scrubbed
    assert everything(dsn) == everything(vault)
    assert [word for word in TRACE if word in words_at(dsn)] == []


def test_what_is_forgotten_between_two_runs_leaves_not_a_byte_in_a_folder(dsn: str, tmp_path: Path) -> None:
    furnish(dsn, 6)
    speak_of_the_secret(dsn)
    move(dsn, tmp_path / "new", standby=True)
    assert all(word in words_below(tmp_path / "new") for word in TRACE)
    forget_the_secret(dsn)

    done = move(dsn, tmp_path / "new")

    assert done.tenants[0].scrubbed
    assert everything(tmp_path / "new") == everything(dsn)
    assert [word for word in TRACE if word in words_below(tmp_path / "new")] == []


@pytest.mark.parametrize("from_database", [False, True], ids=["from a folder", "from a database"])
def test_what_is_forgotten_during_the_copy_is_not_brought_and_not_kept(
    vault: Path, dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, from_database: bool
) -> None:
    """The secret is in the first parts, which are at the target by then, and in receipts, which are not. Who forgets
    cannot clean the source's files while the mover looks at it, and is not to wait long for that."""
    monkeypatch.setattr(connection, "BUSY_WAIT_MS", 100)
    monkeypatch.setattr(scrubbing, "READERS_WAIT_S", 0.1)
    monkeypatch.setattr(follow_ledger, "ENTRIES_AT_ONCE", 4)
    monkeypatch.setattr(follow_ledger, "PARTS_A_STEP", 2)
    source: Where = dsn if from_database else vault
    target: Where = tmp_path / "new" if from_database else dsn
    speak_of_the_secret(source)
    furnish(source, 80)
    steps: list[int] = []

    def forget(what: str, done: int, whole: int) -> None:
        if what == "default: entries":
            steps.append(done)
            if len(steps) == 4:
                forget_the_secret(source)

    move(source, target, progress=forget)

    assert steps[3] > 7, "the secret had arrived"
    assert everything(target) == everything(source)
    left = words_below(tmp_path / "new") if from_database else words_at(dsn)
    assert [word for word in TRACE if word in left] == []


def test_vectors_come_along_and_find_the_same(vault: Path, dsn: str, tmp_path: Path) -> None:
    with Memory.open(vault, embedder=Toy()) as memory:
        for number in range(30):
            remembered(memory, f"The dog of house {number} barks at cats")
        memory.flush()
        there = memory.recall("whose dog barks at cats?")

    moved = move(vault, dsn)
    back = move(dsn, tmp_path / "back")

    assert [(one.model, one.vectors_upto) for one in (*moved.tenants, *back.tenants)] == [(Toy().model, 32)] * 2
    for place in (dsn, tmp_path / "back"):
        with Memory.open(place, embedder=Toy(), create=False) as memory:
            here = memory.recall("whose dog barks at cats?")
        assert (here.searched.model, here.searched.trailing) == (Toy().model, 0)
        assert [one.record.id for one in here.records] == [one.record.id for one in there.records] != []


def test_content_keys_are_taken_on_changed_and_laid_off_by_moving(
    vault: Path, schemas: Schemas, tmp_path: Path
) -> None:
    """From a folder into a sealed database, into another with other keys, and back into the open."""
    folders = [tmp_path / "keys", tmp_path / "others"]
    for folder in folders:
        folder.mkdir(mode=0o700)
    keys, others = map(str, folders)
    speak_of_the_secret(vault)
    with schemas.bare() as sealed, schemas.bare() as again:
        move(vault, sealed, to_keys=keys)
        move(sealed, again, from_keys=keys, to_keys=others)
        assert [word for word in TRACE if word in words_at(sealed) + words_at(again)] == []
        with pytest.raises(ConfigurationError):
            move(again, tmp_path / "wrong", from_keys=keys)
        assert not (tmp_path / "wrong").exists()

        move(again, tmp_path / "back", from_keys=others)

    assert everything(tmp_path / "back") == everything(vault)


def test_a_signing_key_that_is_kept_outside_goes_there_and_comes_back(
    vault: Path, dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    furnish(vault, 4)
    held = (vault / "keys" / "signing.key").read_text()
    monkeypatch.setenv("MUNIMENT_SIGNING_KEY_FILE", str(tmp_path / "own.key"))
    (tmp_path / "own.key").write_text("cd" * 32)
    (tmp_path / "own.key").chmod(0o600)
    with pytest.raises(ConfigurationError, match="another key than the source's"):
        move(vault, dsn)
    assert "shelf" not in words_at(dsn)
    (tmp_path / "own.key").unlink()

    move(vault, dsn)
    move(dsn, tmp_path / "back")

    assert (tmp_path / "own.key").read_text() == (tmp_path / "back" / "keys" / "signing.key").read_text() == held
    assert held.strip() not in words_at(dsn)
    assert everything(tmp_path / "back") == everything(vault)


def test_an_encrypted_folder_moves_out_and_in_with_its_key(
    vault: Path, dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUNIMENT_ENCRYPTION_KEY", "ab" * 32)
    speak_of_the_secret(vault)

    move(vault, dsn)
    move(dsn, tmp_path / "back")

    assert all(word in words_at(dsn) for word in TRACE)
    assert [word for word in TRACE if word in words_below(tmp_path / "back")] == []
    assert everything(tmp_path / "back") == everything(vault)


def test_the_secret_is_really_looked_for(vault: Path, dsn: str) -> None:
    """The look at the tables finds what is there; otherwise finding nothing would say nothing."""
    with opened(dsn) as memory:
        remembered(memory, SECRET)
    with opened(vault) as memory:
        remembered(memory, SECRET)
    assert all(word in words_at(dsn) for word in TRACE)
    assert all(word in words_below(vault) for word in TRACE)
