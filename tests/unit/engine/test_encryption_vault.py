"""An encrypted vault: it works as any other, its files show nothing, and without its key there is no way in."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import apsw
import numpy as np
import pytest
from tests.patience import WAIT_S
from tests.unit.engine.sealed import ACTOR, KEY, NEW, TEXT, WORDS, embed, shown

from muniment import Memory
from muniment.backends.sealing import VaultKey
from muniment.backends.sqlite.connection import connect
from muniment.engine.vault import stores_at
from muniment.model.entry import Document
from muniment.model.errors import ConfigurationError, IntegrityError, MunimentError, NotFound

ROOT = Path(__file__).parents[3]
CHILD = [sys.executable, "-m", "tests.unit.engine.sealed_child"]


def opened(vault: Path, key: str | None = KEY) -> Memory:
    return Memory.open(vault, embedder=embed, encryption_key=key)


@pytest.fixture
def sealed(vault: Path) -> Path:
    """An encrypted vault with a record, its vectors and a receipt, closed."""
    with opened(vault) as memory:
        memory.as_actor(ACTOR).remember(TEXT)
        memory.remember(TEXT, proposal_id="again")
        memory.flush(timeout=WAIT_S)
        memory.recall("marzipanettes")
    return vault


def states(folder: Path) -> dict[str, str]:
    """Every file with a digest of it: what must not change. A door holds nothing."""
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.name.endswith("-door")
    }


def test_an_encrypted_vault_remembers_recalls_explains_and_verifies(sealed: Path) -> None:
    with opened(sealed) as memory:
        recall = memory.recall("who prefers marzipanettes?")
        assert recall.records[0].record.content == TEXT
        assert memory.insight.searching().trailing == 0
        assert memory.explain(recall.receipt_id, replay=True).same_ids
        assert memory.ledger.verify().ok
        assert memory.ledger.replay().identical


def test_no_file_of_an_encrypted_vault_shows_a_word_while_it_is_open_or_after(vault: Path) -> None:
    with opened(vault) as memory:
        memory.as_actor(ACTOR).remember(TEXT)
        memory.recall("marzipanettes")
        memory.flush(timeout=WAIT_S)
        assert (vault / "default.sqlite-wal").stat().st_size > 0
        assert shown(vault) == set()
    assert shown(vault) == set()


def test_a_plain_vault_shows_them(vault: Path) -> None:
    """The search can find something: the same words without a key."""
    with opened(vault, None) as memory:
        memory.as_actor(ACTOR).remember(TEXT)
        memory.recall("marzipanettes")
        told = {form.partition(": ")[2] for form in shown(vault)}
    assert {"Quorvexia utf-8", "marzipanett utf-8", f"{ACTOR} utf-8"} <= told


def test_no_file_shows_a_vector(sealed: Path, tmp_path: Path) -> None:
    (vector,) = np.asarray(embed([TEXT]), np.float32)
    halves = (vector / np.linalg.norm(vector)).astype(np.float16).tobytes()
    with opened(tmp_path / "plain", None) as memory:
        memory.remember(TEXT)
        memory.flush(timeout=WAIT_S)
    assert halves in (tmp_path / "plain" / "default.vectors" / "1.halves").read_bytes()
    assert all(halves not in file.read_bytes() for file in sealed.rglob("*") if file.is_file())


def test_a_process_that_is_killed_leaves_nothing_to_read_and_nothing_lost(vault: Path) -> None:
    with opened(vault):
        pass
    child = subprocess.Popen(
        [*CHILD, "write", str(vault), KEY], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "written\n"
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=WAIT_S)

    assert child.returncode == -signal.SIGKILL
    assert (vault / "default.sqlite-wal").stat().st_size > 0
    assert shown(vault) == set()
    with opened(vault) as memory:
        assert memory.recall("marzipanettes").records[0].record.content == TEXT
        assert memory.ledger.verify().ok


@pytest.mark.parametrize(("key", "shows"), [(KEY, False), (None, True)], ids=["encrypted", "plain"])
def test_a_store_that_is_rebuilt_elsewhere_is_as_encrypted_as_the_vault(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str | None, shows: bool
) -> None:
    elsewhere = tmp_path / "temporary"
    elsewhere.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    with opened(vault, key):
        pass
    stores = stores_at(vault, key=key)
    with stores.open("default", create=False).scratch() as scratch:
        scratch.write(lambda unit: unit.keep(Document(doc=1, salt=bytes(16), body=TEXT.encode())))
        assert sum(file.stat().st_size for file in elsewhere.rglob("*.sqlite*")) > len(TEXT)
        assert bool(shown(elsewhere)) is shows
    stores.close()
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize(
    ("key", "said"),
    [(None, "the vault is encrypted, and no key is given"), (NEW, "not the key of this vault")],
    ids=["none", "another"],
)
def test_without_its_key_an_encrypted_vault_is_refused_and_left_as_it_is(
    sealed: Path, key: str | None, said: str
) -> None:
    before = states(sealed)
    for create in (True, False):
        with pytest.raises(ConfigurationError, match=said) as refused:
            Memory.open(sealed, create=create, embedder=None, encryption_key=key)
        assert refused.value.setting == "encryption_key"
        assert NEW not in f"{refused.value} {refused.value.hint}"
    with pytest.raises(ConfigurationError, match=said):
        Memory.open(sealed, tenant="another", embedder=None, encryption_key=key)
    assert states(sealed) == before


def test_a_key_for_a_plain_vault_is_refused_and_nothing_is_changed(vault: Path) -> None:
    with opened(vault, None) as memory:
        memory.remember(TEXT)
    before = states(vault)
    with pytest.raises(ConfigurationError, match="the vault is not encrypted") as refused:
        opened(vault)
    assert "muniment encryption encrypt" in refused.value.hint
    assert states(vault) == before


def test_the_environment_opens_an_encrypted_vault(
    sealed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "vault.key"
    file.write_text(KEY)
    file.chmod(0o600)
    monkeypatch.setenv("MUNIMENT_ENCRYPTION_KEY_FILE", str(file))
    with Memory.open(sealed, embedder=None) as memory:
        assert memory.recall("marzipanettes").records[0].record.content == TEXT
    file.chmod(0o640)
    with pytest.raises(ConfigurationError, match="others than its owner"):
        Memory.open(sealed, embedder=None)


def test_a_plain_tenant_in_an_encrypted_vault_is_refused(sealed: Path, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "plain", tenant="guest", embedder=None, encryption_key=None) as memory:
        memory.remember("Left in the open")
    shutil.copy(tmp_path / "plain" / "guest.sqlite", sealed / "guest.sqlite")
    before = states(sealed)
    for create in (True, False):
        with pytest.raises(IntegrityError, match=r"guest\.sqlite is not encrypted, and its vault is"):
            Memory.open(sealed, tenant="guest", create=create, embedder=None, encryption_key=KEY)
    assert states(sealed) == before


def test_the_key_of_one_tenant_opens_no_other(sealed: Path) -> None:
    shutil.copy(sealed / "default.sqlite", sealed / "other.sqlite")
    with pytest.raises(IntegrityError, match=r"other\.sqlite cannot be read with the key of its vault"):
        Memory.open(sealed, tenant="other", create=False, embedder=None, encryption_key=KEY)


def test_an_encrypted_file_is_refused_by_name_where_there_is_no_key(sealed: Path, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "plain", embedder=None, encryption_key=None):
        pass
    shutil.copy(sealed / "default.sqlite", tmp_path / "plain" / "other.sqlite")
    with pytest.raises(IntegrityError, match=r"says that the vault is not encrypted, and other\.sqlite is"):
        Memory.open(tmp_path / "plain", tenant="other", create=False, embedder=None, encryption_key=None)


def test_a_try_with_a_wrong_key_beside_a_full_log_loses_nothing(vault: Path, tmp_path: Path) -> None:
    """Whoever opens and closes a file last moves its log into it: with a wrong key nothing may come of that."""
    copy = tmp_path / "copy"
    copy.mkdir()
    with opened(vault) as memory:
        memory.remember(TEXT)
        for name in ("default.sqlite", "default.sqlite-wal"):
            shutil.copy(vault / name, copy / name)
    assert (copy / "default.sqlite-wal").stat().st_size > 0
    path = copy / "default.sqlite"
    for wrong in (None, VaultKey.parse(NEW).tenant("default"), VaultKey.parse(KEY).tenant("other")):
        with pytest.raises(IntegrityError):
            connect(path, create=False, key=wrong)
    connection = connect(path, create=False, key=VaultKey.parse(KEY).tenant("default"))
    assert connection.execute("SELECT count(*) FROM cards").get == 1
    assert connection.pragma("integrity_check") == "ok"
    connection.close()


def test_an_altered_page_is_noticed(sealed: Path) -> None:
    path = sealed / "default.sqlite"
    whole = path.read_bytes()
    for page in range(len(whole) // 4096):
        place = page * 4096 + 1000
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        vault = stores_at(sealed, key=KEY)
        try:
            assert vault.open("default", create=False).integrity() != ()
        except IntegrityError:
            pass
        finally:
            vault.close()
    path.write_bytes(whole)
    with opened(sealed) as memory:
        assert memory.ledger.verify().ok


def test_two_processes_write_to_one_encrypted_vault_and_nothing_is_lost(vault: Path) -> None:
    with opened(vault) as memory:
        child = subprocess.Popen([*CHILD, "many", str(vault), KEY], cwd=ROOT, stdout=subprocess.PIPE)
        for number in range(20):
            memory.remember(f"Number {number} of the parent", proposal_id=f"parent-{number}")
        out, _ = child.communicate(timeout=WAIT_S)
        assert (child.returncode, out) == (0, b"done\n")
        memory.remember("Afterwards")
        assert memory.insight.stats().current == 41
        assert memory.ledger.verify().ok


def test_what_is_forgotten_in_an_encrypted_vault_is_gone_and_the_rest_is_there(sealed: Path) -> None:
    with opened(sealed) as memory:
        kept = memory.remember("The kettle is in the second drawer").record_id
        for found in [one.record.id for one in memory.recall("marzipanettes").records if one.record.content == TEXT]:
            memory.forget(found, reason="asked by the person")
            with pytest.raises(NotFound):
                memory.get(found)
        assert kept is not None
        assert memory.get(kept).record.content == "The kettle is in the second drawer"
        assert memory.ledger.verify().ok
    key = VaultKey.parse(KEY).tenant("default")
    assert read_through(sealed / "default.sqlite", key.pages().hex()) == set()
    with opened(sealed) as memory:
        assert TEXT not in [told.record.content for told in memory.recall("marzipanettes").records]


def read_through(path: Path, key: str) -> set[str]:
    """The words that stand in any row of any table, shadow tables of the index included."""
    connection = apsw.Connection(str(path))
    connection.pragma("cipher", "chacha20")
    connection.pragma("key", f"raw:{key}")
    tables = [str(row[0]) for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    told = set()
    for table in tables:
        raw = repr(connection.execute(f'SELECT * FROM "{table}"').fetchall()).lower()
        told |= {f"{table}: {word}" for word in WORDS if word.lower() in raw}
    connection.close()
    return told


def test_the_words_are_in_the_rows_before_they_are_forgotten(sealed: Path) -> None:
    key = VaultKey.parse(KEY).tenant("default").pages().hex()
    assert "documents: Quorvexia" in read_through(sealed / "default.sqlite", key)


def test_no_error_of_an_encrypted_vault_shows_a_key(sealed: Path) -> None:
    told = []
    for wrong in (NEW, "hunter2", None):
        try:
            opened(sealed, wrong)
        except MunimentError as error:
            told.append(f"{error} {error.hint} {error!r} {error.__cause__!r} {error.__context__!r}")
    assert len(told) == 3
    pages = VaultKey.parse(KEY).tenant("default").pages().hex()
    assert all(secret not in line for line in told for secret in (KEY, NEW, "hunter2", pages))


def test_a_new_vault_says_in_its_marker_that_it_is_encrypted_and_not_with_what(sealed: Path) -> None:
    text = (sealed / "vault.toml").read_text()
    assert f'check = "{VaultKey.parse(KEY).check()}"' in text
    assert KEY not in text
    assert os.stat(sealed / "vault.toml").st_size < 400
