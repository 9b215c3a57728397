"""A Citus cluster as tests see it: its nodes, where a tenant is, and what a call says to whom."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable

import psycopg
import pytest
from psycopg.errors import Diagnostic
from tests.postgres.server import CITUS, GIVEN, schema_of

from muniment.backends.postgres.pipeline import Pipeline
from muniment.backends.postgres.transaction import tenant_number

Connection = psycopg.Connection[tuple[object, ...]]
NEEDED = (
    "a Citus cluster (13 or newer, at least two workers, pgvector on every node, wal_level = logical) and the address "
    "of a superuser there: make test-citus DSN=postgresql://postgres@coordinator/database"
)
ONLY_THERE = pytest.mark.skipif(not os.environ.get(CITUS), reason=f"needs {NEEDED}")
LOUD = "options=-c%20citus.log_remote_commands%3Don"
"""In an address: the first node tells what it says to which worker."""
_WHOM = re.compile(r"on server \S+@(\S+:\d+)")
_SHARD = """
    SELECT s.shardid, s.nodename, s.nodeport FROM citus_shards AS s
     WHERE s.table_name = %s::regclass AND s.shardid = get_shard_id_for_distribution_column(%s::regclass, %s)
"""
_WORKERS = "SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE noderole = 'primary' AND groupid > 0 ORDER BY 1"


def demand() -> None:
    """Say what is needed if the given server is not a cluster that the tests can use."""
    with psycopg.connect(os.environ[GIVEN], autocommit=True) as connection:
        found = connection.execute("SELECT count(*) FROM pg_extension WHERE extname IN ('citus', 'vector')").fetchone()
        if found != (2,) or len(workers(connection)) < 2:
            pytest.exit(f"the given database is not what the tests need: {NEEDED}", returncode=2)


def workers(connection: Connection) -> list[str]:
    return [str(name) for (name,) in connection.execute(_WORKERS)]


def place_of(connection: Connection, dsn: str, tenant: str, table: str = "tenant_head") -> tuple[int, str, int]:
    """The shard of a table in which a tenant is, and the host and port of its worker."""
    name = f'"{schema_of(dsn)}".{table}'
    row = connection.execute(_SHARD, (name, name, tenant_number(tenant))).fetchone()
    assert row is not None, "every tenant is somewhere"
    shard, host, port = row
    assert isinstance(shard, int)
    assert isinstance(port, int)
    return shard, str(host), port


def move(connection: Connection, dsn: str, tenant: str, *, mode: str = "force_logical") -> str:
    """Move a tenant, and all who share its shards, to another worker; to which."""
    shard, host, port = place_of(connection, dsn, tenant)
    there = next(one for one in workers(connection) if one != f"{host}:{port}")
    to_host, _, to_port = there.rpartition(":")
    asked = "SELECT citus_move_shard_placement(%s, %s, %s, %s, %s, shard_transfer_mode => %s)"
    connection.execute(asked, (shard, host, port, to_host, int(to_port), mode))
    return there


class Said:
    """What the first node said to the workers in one call, and to which of them."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    @property
    def nodes(self) -> set[str]:
        return {node for node, _ in self.told}

    @property
    def odd(self) -> list[str]:
        """What belongs to a commit in two phases, or brings rows to the first node and back."""
        return [text for _, text in self.told if text.startswith(("PREPARE TRANSACTION", "COMMIT PREPARED", "COPY"))]


class Overheard:
    """What the calls of this thread make the first node say. Their memory's address is a loud one, and it is opened
    after this was made."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._said = Said()
        here, noted = threading.get_ident(), Pipeline._note

        def note(channel: Pipeline, told: Diagnostic) -> None:
            whom = _WHOM.search(told.message_detail or "")
            text = (told.message_primary or "").removeprefix("issuing ")
            if whom is not None and threading.get_ident() == here:
                self._said.told.append((whom[1], text))
            noted(channel, told)

        monkeypatch.setattr(Pipeline, "_note", note)

    def of_each(self, calls: dict[str, Callable[[], object]]) -> dict[str, Said]:
        """What each of these calls made it say."""
        heard: dict[str, Said] = {}
        for name, call in calls.items():
            self._said = heard[name] = Said()
            call()
        return heard


def crash(connection: Connection, host: str, port: int) -> None:
    """Kill -9 a process of a worker: its server ends all others with it, and recovers from its log."""
    killed = """DO $do$ BEGIN EXECUTE format('COPY (SELECT 1) TO PROGRAM %L', 'cat > /dev/null; kill -9 ' || (
        SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer')); END $do$"""
    with psycopg.connect(connection.info.dsn, host=host, port=port, autocommit=True) as worker:
        try:
            worker.execute(killed)
        except psycopg.OperationalError:
            return  # it took this connection along


def residue(connection: Connection, dsn: str, words: tuple[str, ...]) -> list[tuple[str, str]]:
    """In the files of which shards, on any node, one of these words still is."""
    connection.execute("SELECT result FROM run_command_on_all_nodes('CHECKPOINT')")
    found: list[tuple[str, str]] = []
    tables = connection.execute(
        "SELECT logicalrelid::text FROM pg_dist_partition JOIN pg_class ON oid = logicalrelid "
        "WHERE relnamespace = %s::regnamespace AND relkind = 'r'",
        (schema_of(dsn),),
    ).fetchall()
    for (table,) in tables:
        for word in words:
            asked = f"""
                SELECT bool_or(position('\\x{word.encode().hex()}'::bytea IN pg_read_binary_file(f.path)) > 0)
                FROM pg_class AS c CROSS JOIN LATERAL (
                    SELECT pg_relation_filepath(c.oid) AS path
                    UNION ALL SELECT pg_relation_filepath(c.reltoastrelid) WHERE c.reltoastrelid <> 0
                    UNION ALL SELECT pg_relation_filepath(i.indexrelid) FROM pg_index AS i WHERE i.indrelid = c.oid
                ) AS f WHERE c.oid = '%s'::regclass AND f.path IS NOT NULL"""
            rows = connection.execute(
                "SELECT shardid, success, result FROM run_command_on_placements(%s::regclass, %s)", (table, asked)
            ).fetchall()
            assert all(success for _, success, _ in rows), rows
            found += [(f"{table}_{shard}", word) for shard, _, result in rows if result == "t"]
    return found


def loud(dsn: str) -> str:
    return f"{dsn}&{LOUD}"


if __name__ == "__main__":
    print(f"make test-citus needs {NEEDED}")
