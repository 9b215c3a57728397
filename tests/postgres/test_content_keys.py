"""Content keys: with them no copy of the database can be read, wherever it is, once a tenant's key file is gone."""

from __future__ import annotations

import pickle
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier

import pytest
from tests.patience import WAIT_S, until
from tests.postgres.saying import SUBJECT, WORDS, Files, say_everything, words_in
from tests.postgres.server import connect
from tests.support.postgres import SMALL, Server, installed, started
from tests.support.world import simulated_memory
from tests.unit.engine.erasing import kept

from muniment import Memory
from muniment.backends.postgres.content_keys import ContentKeys
from muniment.backends.postgres.store import PostgresTenant
from muniment.backends.postgres.transaction import tenant_number
from muniment.backends.postgres.vault import PostgresVault
from muniment.engine.notebook import Notebook
from muniment.model.errors import ConfigurationError, IntegrityError, NotFound
from muniment.model.note import NoteDraft

TENANT = "acme"


@contextmanager
def opened(dsn: str, folder: Path | None, *, tenant: str = TENANT, create: bool = True) -> Iterator[PostgresTenant]:
    vault = PostgresVault(dsn, content_keys=None if folder is None else ContentKeys(folder))
    try:
        yield vault.open(tenant, create=create)
    finally:
        vault.close()


def refused(dsn: str, folder: Path | None, *, create: bool = True) -> str:
    """What somebody is told who may not open the tenant with this folder. Nothing is changed by it."""
    with connect(dsn) as connection:
        asked = "SELECT (SELECT array_agg(d::text) FROM deployment d), (SELECT array_agg(h::text) FROM tenant_head h)"
        before = connection.execute(asked).fetchone(), listing(folder)
        with pytest.raises(ConfigurationError) as told, opened(dsn, folder, create=create):
            pass
        assert (connection.execute(asked).fetchone(), listing(folder)) == before
    return str(told.value)


def listing(folder: Path | None) -> list[str]:
    return [] if folder is None else sorted(file.name for file in folder.iterdir())


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    folder = tmp_path / "keys"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server whose files nobody else writes to, of which copies can be made."""
    settings = SMALL | {"wal_level": "replica", "max_wal_senders": "2", "fsync": "off", "autovacuum": "off"}
    with started(settings=settings) as running:
        yield running


def test_no_word_is_in_any_file_of_the_server_nor_of_a_copy_of_it(server: Server, keys: Path, tmp_path: Path) -> None:
    files, dsn = Files(server), server.dsn(schema="sealed")
    with opened(dsn, keys) as store:
        memory = simulated_memory(store)
        say_everything(memory)
        assert [found.record.content for found in memory.recall("who breeds zyzzyvas?").records] == [
            f"{SUBJECT} breeds zyzzyvas in Mulberrystrasse 77"
        ]
        assert memory.ledger.verify().findings == ()
        assert (files.in_tables(), files.in_log()) == (set(), set())
    copy = copied(server, tmp_path / "copy")
    assert (copy / "PG_VERSION").exists()
    assert words_in(copy, ours(copy), WORDS) == set()


def test_the_search_finds_what_is_not_sealed(server: Server, tmp_path: Path) -> None:
    files, dsn = Files(server), server.dsn(schema="plain")
    with opened(dsn, None) as store:
        say_everything(simulated_memory(store))
    assert {word for part, word in files.in_tables() if part == "base"} == set(WORDS)
    assert files.in_log() == set(WORDS)
    copy = copied(server, tmp_path / "copy")
    found = words_in(copy, ours(copy), WORDS)
    assert {word for part, word in found if part == "base"} == set(WORDS)


def copied(server: Server, folder: Path) -> Path:
    """A copy of the server as its own program makes it, with the log that belongs to it."""
    program = installed() / "bin" / "pg_basebackup"
    command = [str(program), f"--pgdata={folder}", f"--dbname={server.dsn()}", "--wal-method=fetch", "--no-sync"]
    subprocess.run([*command, "--checkpoint=fast"], check=True, capture_output=True, timeout=WAIT_S)
    return folder


def ours(copy: Path) -> list[Path]:
    """The files of a copy but for those of the two databases that others are made from."""
    return [file for file in copy.rglob("*") if file.is_file() and file.parent.name not in ("1", "4")]


def test_nothing_by_which_a_guess_could_be_tried_is_in_the_tables(dsn: str, keys: Path) -> None:
    """Whoever has the salt of a commitment, or a digest of the words, can try sentences until one fits."""
    with opened(dsn, keys) as store, connect(dsn) as connection:
        memory = simulated_memory(store)
        say_everything(memory)
        with store.read() as snapshot:
            read = {
                *(one.salt.hex() for one in snapshot.documents.all()),
                *(one.salt.hex() for one in snapshot.receipts.all()),
                *(one.fingerprint.hex() for one in snapshot.catalogue.all()),
                *(one.digest for one in snapshot.desk.proposals()),
            }
        columns = (
            *("encode(salt, 'hex') FROM documents", "encode(salt, 'hex') FROM receipts"),
            *("encode(fingerprint, 'hex') FROM cards", "digest FROM proposals"),
        )
        for column in columns:
            kept_as = [str(text) for (text,) in connection.execute(f"SELECT {column}".encode())]
            assert kept_as
            assert not [text for text in kept_as if any(secret in text for secret in read)], column


def test_without_its_key_file_a_tenant_can_be_read_by_nobody(dsn: str, keys: Path) -> None:
    with opened(dsn, keys) as store:
        say_everything(simulated_memory(store))
    assert listing(keys) == ["acme.key"]
    (keys / "acme.key").unlink()
    told = refused(dsn, keys)
    assert told == "content_keys: the key acme.key is not in the folder of content keys"
    assert listing(keys) == [], "and no other key is put in its place"


def test_the_folder_of_one_tenants_key_does_not_open_another_tenant(dsn: str, keys: Path) -> None:
    with opened(dsn, keys, tenant="acme"), opened(dsn, keys, tenant="Blue"):
        assert listing(keys) == ["%42lue.key", "acme.key"]
    (keys / "acme.key").write_bytes((keys / "%42lue.key").read_bytes())
    assert refused(dsn, keys) == ("content_keys: the key acme.key is not the one that this tenant was sealed with")


def test_a_sealed_tenant_is_not_opened_without_keys(dsn: str, keys: Path) -> None:
    with opened(dsn, keys):
        pass
    assert refused(dsn, None) == "content_keys: what this tenant holds is sealed, and no content keys are given"


def test_a_plain_tenant_is_not_opened_with_keys(dsn: str, keys: Path) -> None:
    with opened(dsn, None):
        pass
    assert refused(dsn, keys) == (
        "content_keys: this tenant was made without a content key, and what it holds is not sealed"
    )
    assert listing(keys) == []


def test_a_tenant_that_is_not_there_gets_no_key_from_being_asked_for(dsn: str, keys: Path) -> None:
    with pytest.raises(NotFound), opened(dsn, keys, create=False):
        pass
    assert listing(keys) == []


@pytest.mark.parametrize(
    ("text", "mode", "told"),
    [
        ("0" * 64, 0o640, "content_keys: others than its owner can get at the key acme.key"),
        ("0" * 63, 0o600, "content_keys: the file acme.key must hold a key: 64 hexadecimal digits"),
        ("", 0o600, "content_keys: the file acme.key must hold a key: 64 hexadecimal digits"),
        ("0" * 200, 0o600, "content_keys: the file acme.key must hold a key: 64 hexadecimal digits"),
        ("G" * 64, 0o600, "content_keys: the file acme.key must hold a key: 64 hexadecimal digits"),
    ],
)
def test_a_key_file_that_is_none_is_refused_before_anything_is_written(
    dsn: str, keys: Path, text: str, mode: int, told: str
) -> None:
    (keys / "acme.key").write_text(text)
    (keys / "acme.key").chmod(mode)
    assert refused(dsn, keys) == told
    with connect(dsn) as connection:
        assert connection.execute("SELECT count(*) FROM tenants").fetchone() == (0,)


def test_a_key_file_that_is_a_folder_is_refused(dsn: str, keys: Path) -> None:
    (keys / "acme.key").mkdir(mode=0o700)
    assert refused(dsn, keys) == "content_keys: the file acme.key must hold a key: 64 hexadecimal digits"


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="a folder that is there"):
        ContentKeys(tmp_path / "keys")
    assert not (tmp_path / "keys").exists()


def test_a_key_file_is_its_owners_alone_and_random(dsn: str, keys: Path) -> None:
    with opened(dsn, keys), opened(dsn, keys, tenant="blue"):
        pass
    texts = {(keys / name).read_text() for name in ("acme.key", "blue.key")}
    assert {len(text) for text in texts} == {65}
    assert len(texts) == 2
    assert (keys / "acme.key").stat().st_mode & 0o777 == 0o600


def test_of_many_who_make_a_key_at_once_the_first_wins(keys: Path) -> None:
    ready = Barrier(8)

    def make(_: int) -> bytes:
        folder = ContentKeys(keys)
        ready.wait(timeout=WAIT_S)
        return folder.made(TENANT).check()

    with ThreadPoolExecutor(8) as many:
        assert len(set(many.map(make, range(8)))) == 1
    assert listing(keys) == ["acme.key"]


def test_of_two_who_make_a_tenant_with_different_keys_one_is_refused(dsn: str, keys: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    ready = Barrier(2)

    def make(folder: Path) -> str:
        ready.wait(timeout=WAIT_S)
        try:
            with opened(dsn, folder) as store:
                kept(simulated_memory(store), "the build is green", confidence=0.9)
                return "made"
        except ConfigurationError as error:
            return error.setting

    with ThreadPoolExecutor(2) as two:
        assert sorted(two.map(make, (keys, other))) == ["content_keys", "made"]


def test_a_tenant_that_somebody_makes_in_plain_meanwhile_is_not_taken_for_sealed(
    dsn: str, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look whether a tenant is there and the making of it somebody without keys is faster."""
    made = ContentKeys.made

    def slowly(self: ContentKeys, tenant: str) -> object:
        with opened(dsn, None):
            return made(self, tenant)

    monkeypatch.setattr(ContentKeys, "made", slowly)
    with pytest.raises(ConfigurationError, match="made without a content key"), opened(dsn, keys):
        pass
    with connect(dsn) as connection:
        assert connection.execute("SELECT count(*) FROM deployment WHERE name LIKE 'seal:%'").fetchone() == (0,)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE documents d SET body = o.body FROM documents o WHERE o.doc <> d.doc",
        "UPDATE documents d SET salt = o.salt FROM documents o WHERE o.doc <> d.doc",
        "UPDATE receipts r SET account = o.account FROM receipts o WHERE o.seq <> r.seq",
        "UPDATE notes n SET body = o.body FROM notes o WHERE o.doc <> n.doc",
        "UPDATE notes n SET body = d.body FROM documents d WHERE d.doc = n.doc",
        "UPDATE mentions SET entity = rid::text || entity",
        "UPDATE cards SET slot = 'door' WHERE slot IS NOT NULL",
        "UPDATE cards SET fingerprint = '\\x00' WHERE rid = (SELECT max(rid) FROM cards)",
        "UPDATE proposals SET digest = 'x'",
    ],
)
def test_what_was_moved_or_changed_is_noticed(dsn: str, keys: Path, change: str) -> None:
    with opened(dsn, keys) as store:
        memory = simulated_memory(store)
        say_everything(memory)
        another = NoteDraft(topic="t", key="l", body='{"title": "another"}')
        Notebook.of(memory).turn("owner", lambda _: ([another], None))
        assert memory.ledger.verify().ok
        with connect(dsn) as connection:
            assert connection.execute(change.encode()).rowcount > 0
        assert not memory.ledger.verify().ok


def test_a_body_that_was_moved_is_never_read_as_anothers(dsn: str, keys: Path) -> None:
    with opened(dsn, keys) as store:
        memory = simulated_memory(store)
        name = kept(memory, "the build is green", confidence=0.9)
        kept(memory, "the door is red", confidence=0.9)
        with connect(dsn) as connection:
            connection.execute("UPDATE documents d SET body = o.body FROM documents o WHERE o.doc <> d.doc")
        with pytest.raises(IntegrityError, match="cannot be opened"):
            memory.get(name)


def test_erasing_and_verifying_work_as_ever(dsn: str, keys: Path) -> None:
    with opened(dsn, keys) as store:
        memory = simulated_memory(store)
        name = say_everything(memory)
        done = memory.forget(subject=SUBJECT, reason="asked to", cascade="erase")
        if not done.scrubbed:
            until(store.scrub, "the erased rows are gone once the server's own vacuum is done")
        with pytest.raises(NotFound):
            memory.get(name)
        assert memory.ledger.verify().findings == ()
        assert memory.ledger.replay().identical


def test_what_the_database_keeps_of_a_key_does_not_tell_it(dsn: str, keys: Path) -> None:
    with opened(dsn, keys), connect(dsn) as connection:
        asked = "SELECT name, encode(body, 'hex') FROM deployment"
        ((name, check),) = connection.execute(asked).fetchall()
    assert (name, len(str(check))) == (f"seal:{tenant_number(TENANT)}", 32)
    assert str(check) not in (keys / "acme.key").read_text()


def test_no_picture_of_a_key_shows_it(keys: Path) -> None:
    key = ContentKeys(keys).made(TENANT)
    assert repr(key) == "ContentKey(…)"
    with pytest.raises(TypeError):
        pickle.dumps(key)


def test_a_memory_is_opened_with_its_keys(dsn: str, keys: Path) -> None:
    with Memory.open(dsn, tenant=TENANT, embedder=None, content_keys=keys) as memory:
        kept(memory, "the build is green", confidence=0.9)
    with pytest.raises(ConfigurationError, match="content_keys"):
        Memory.open(dsn, tenant=TENANT, embedder=None, content_keys=None)
    with Memory.open(dsn, tenant=TENANT, embedder=None, content_keys=keys) as memory:
        assert [found.record.content for found in memory.recall("build").records] == ["the build is green"]
