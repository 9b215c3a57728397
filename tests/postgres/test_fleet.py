"""Several servers on one database: they know each other's keys at once, and no line that any of them writes tells more
of the database than where it is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest
from tests.patience import WAIT_S
from tests.postgres.server import connect, wait_until

from muniment import Memory
from muniment.config import ServerSettings
from muniment.model.errors import IntegrityError, StoreUnavailable, Unauthenticated
from muniment.model.times import Instant
from muniment.surfaces.reception import keys
from muniment.surfaces.reception.keys import KeyRequest, KeyRing
from muniment.surfaces.reception.server_context import ServerContext, system_now

SECRET = "hunter2"
SECRET_FROM = len("mnk_") + 12 + len("_")
"""Where the secret of a key begins. It may hold the sign that parts it from what is before."""
NOW, LATER = Instant(1_000_000), Instant(2_000_000)
WISH = KeyRequest(name="planner", actor="planner")
REVOKED = """
    UPDATE deployment
       SET body = convert_to(replace(convert_from(body, 'UTF8'), '"id"', '"revoked_at":1500000,"id"'), 'UTF8')
     WHERE name = 'api-keys.json'
"""


@contextmanager
def ring(dsn: str) -> Iterator[KeyRing]:
    found = KeyRing(dsn)
    try:
        yield found
    finally:
        found.close()


@pytest.fixture
def begun(dsn: str) -> str:
    Memory.open(dsn).close()
    return dsn


def test_a_key_counts_everywhere_at_once_and_is_ended_everywhere_at_once(begun: str) -> None:
    with ring(begun) as one, ring(begun) as two:
        assert (one.any, two.any, one.near) == (False, False, False)
        key, token = keys.create(begun, WISH, now=NOW)
        assert [found.match(token, now=LATER) for found in (one, two)] == [key, key]
        assert (one.any, two.any) == (True, True)
        ended = keys.revoke(begun, key.id, now=LATER)
        assert [found.match(token, now=LATER) for found in (one, two)] == [None, None]
        assert (one.any, two.any) == (True, True)
    assert keys.listed(begun) == (ended,)
    assert keys.revoke(begun, key.id, now=Instant(LATER + 1)) == ended


def test_the_secret_of_a_key_is_not_in_the_database(begun: str) -> None:
    _, token = keys.create(begun, WISH, now=NOW)
    with connect(begun) as connection:
        kept = connection.execute("SELECT string_agg(encode(body, 'escape'), ' ') FROM deployment").fetchone()
    assert token[SECRET_FROM:] not in str(kept)


def test_while_nothing_changes_only_a_stamp_is_asked_for(begun: str) -> None:
    _, token = keys.create(begun, WISH, now=NOW)
    with ring(begun) as found:
        assert found.match(token, now=LATER) is not None
        version = found.version
        with connect(begun) as connection:
            connection.execute("UPDATE deployment SET body = '{}' WHERE name = 'api-keys.json'")
        assert found.match(token, now=LATER) is not None
        assert found.version == version


def test_a_change_that_was_cut_short_is_noticed_by_all(begun: str) -> None:
    """The stamp says first that a change is under way, and whoever dies then leaves it saying so: from then on nothing
    that was read before is trusted, whether the change itself has come about or not."""
    key, token = keys.create(begun, WISH, now=NOW)
    with ring(begun) as found, connect(begun) as connection:
        assert found.match(token, now=LATER) == key
        connection.execute("UPDATE deployment SET body = 'changing' WHERE name = 'api-keys.stamp'")
        assert found.match(token, now=LATER) == key
        connection.execute(REVOKED)
        assert found.match(token, now=LATER) is None
        other, _ = keys.create(begun, WISH, now=NOW)
        assert found.of(other.id, now=LATER) == other


def test_keys_that_cannot_be_read_let_nobody_in(begun: str) -> None:
    _, token = keys.create(begun, WISH, now=NOW)
    with ring(begun) as found, connect(begun) as connection:
        connection.execute("UPDATE deployment SET body = 'no keys' WHERE name = 'api-keys.json'")
        connection.execute("UPDATE deployment SET body = 'another' WHERE name = 'api-keys.stamp'")
        for _ in range(2):
            with pytest.raises(IntegrityError):
                found.match(token, now=LATER)


def test_a_database_without_a_vault_has_no_keys_and_takes_none(dsn: str) -> None:
    with ring(dsn) as found:
        assert (found.any, found.match("mnk_" + "a" * 12 + "_" + "b" * 43, now=NOW)) == (False, None)
        with pytest.raises(StoreUnavailable):
            keys.create(dsn, WISH, now=NOW)
        Memory.open(dsn).close()
        key, token = keys.create(dsn, WISH, now=NOW)
        assert found.match(token, now=LATER) == key


def test_two_receptions_of_one_database_turn_the_same_callers_away(dsn: str) -> None:
    first, second = ServerContext(ServerSettings(vault=dsn)), ServerContext(ServerSettings(vault=dsn))
    try:
        assert (first.anonymous, second.anonymous, first.quick(None)) == (True, True, False)
        key, token = keys.create(dsn, WISH, now=system_now())
        assert (first.anonymous, second.anonymous) == (False, False)
        for one in (first, second):
            visitor = one.identify(f"Bearer {token}", peer="127.0.0.1")
            assert (visitor.actor.id, one.quick(f"Bearer {token}")) == ("planner", False)
        first.memory(visitor).remember("The pump is blue")
        assert [found.record.content for found in second.memory(visitor).recall("pump").records] == ["The pump is blue"]
        keys.revoke(dsn, key.id, now=system_now())
        for one in (first, second):
            with pytest.raises(Unauthenticated):
                one.recheck(visitor)
            with pytest.raises(Unauthenticated):
                one.identify(None, peer="127.0.0.1")
    finally:
        first.close()
        second.close()


@contextmanager
def serving(dsn: str, tmp_path: Path, *words: str) -> Iterator[tuple[str, Path]]:
    """`muniment serve --store` in a process of its own: its address, and the file of all that it writes."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("MUNIMENT_")}
    said = tmp_path / f"said-{len(list(tmp_path.iterdir()))}"
    command = [sys.executable, "-m", "muniment", "serve", "--store", dsn, "--port", "0", *words]
    with said.open("wb") as errors:
        server = subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=errors, env={**ours, "MUNIMENT_EMBEDDER": "none"}
        )
        assert server.stdout is not None
        try:
            first = server.stdout.readline()
            assert first.startswith(b"muniment serves "), said.read_text()
            yield first.decode().split()[-1], said
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(WAIT_S)
            errors.write(first + server.stdout.read())
            server.stdout.close()


def _ready(url: str) -> bool:
    """Whether a server is ready by now: one whose store a busy machine keeps waiting says that it is not."""
    return bool(httpx.get(f"{url}/readyz", timeout=WAIT_S).json() == {"status": "ready", "missing": []})


@pytest.mark.sampled(1)
@pytest.mark.parametrize("workers", ["1", "2"])
def test_servers_of_a_fleet_share_memory_and_say_nothing_of_the_password(
    dsn: str, tmp_path: Path, workers: str
) -> None:
    secret = dsn.replace("postgres@", f"postgres:{SECRET}@", 1)
    with (
        serving(secret, tmp_path, "--workers", workers, "--log-level", "debug") as (one, said),
        serving(secret, tmp_path, "--log-format", "json", "--log-level", "debug") as (two, told),
    ):
        made = httpx.post(f"{one}/api/memories", json={"content": "The pump is blue"}, timeout=WAIT_S)
        assert made.status_code in (200, 201), made.text
        found = httpx.post(f"{two}/api/recall", json={"query": "pump"}, timeout=WAIT_S)
        assert [hit["content"] for hit in found.json()["records"]] == ["The pump is blue"]
        for url in (one, two):
            wait_until(partial(_ready, url))
        _, token = keys.create(dsn, WISH, now=system_now())
        assert [
            httpx.post(f"{url}/api/recall", json={"query": "pump"}, timeout=WAIT_S).status_code for url in (one, two)
        ] == [401, 401]
        sent = {"Authorization": f"Bearer {token}"}
        asked = [
            httpx.post(f"{url}/api/recall", json={"query": "pump"}, headers=sent, timeout=WAIT_S) for url in (one, two)
        ]
        assert [answer.status_code for answer in asked] == [200, 200]
    for file in (said, told):
        words = file.read_text()
        assert f"vault    {dsn.partition('?')[0]}" in words
        assert SECRET not in words


def test_a_server_that_cannot_reach_its_database_says_so_and_ends(tmp_path: Path) -> None:
    dsn = f"postgresql://ana:{SECRET}@127.0.0.1:1/prod"
    command = [sys.executable, "-m", "muniment", "serve", "--store", dsn, "--port", "0"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=WAIT_S, check=False)
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"postgresql://ana@127.0.0.1:1/prod" in done.stderr
    assert SECRET.encode() not in done.stderr
