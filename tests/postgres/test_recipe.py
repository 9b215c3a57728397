"""The recipe for a cluster: its files agree with each other, and a server takes the settings it gives."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import yaml
from psycopg import sql
from tests.patience import WAIT_S
from tests.support.postgres import Server, installed, started

from muniment import Memory
from muniment.backends.postgres.address import DatabaseAddress

RECIPE = Path(__file__).parents[2] / "deploy" / "postgres"
NODES = ("pg1", "pg2", "pg3")
KEEPERS = ("etcd1", "etcd2", "etcd3")
COMPOSE = yaml.safe_load((RECIPE / "compose.yaml").read_text())
PATRONI = yaml.safe_load((RECIPE / "patroni.yml").read_text())
DYNAMIC = PATRONI["bootstrap"]["dcs"]
PARAMETERS = {name: str(value) for name, value in DYNAMIC["postgresql"]["parameters"].items()}
PASSWORD = 'it\'s 100% "safe" $HOME'


def test_every_node_has_its_own_name_place_and_disk() -> None:
    services = COMPOSE["services"]
    assert set(services) == {*NODES, *KEEPERS, "muniment"}
    for node in NODES:
        environment = services[node]["environment"]
        assert (environment["PATRONI_NAME"], services[node]["hostname"]) == (node, node)
        assert environment["PATRONI_RESTAPI_CONNECT_ADDRESS"] == f"{node}:8008"
        assert environment["PATRONI_POSTGRESQL_CONNECT_ADDRESS"] == f"{node}:5432"
        assert services[node]["volumes"] == [f"{node}:{PATRONI['postgresql']['data_dir']}"]
    for keeper in KEEPERS:
        environment = services[keeper]["environment"]
        assert environment["ETCD_NAME"] == services[keeper]["hostname"] == keeper
        assert environment["ETCD_ADVERTISE_CLIENT_URLS"] == f"http://{keeper}:2379"
        assert environment["ETCD_INITIAL_CLUSTER"] == ",".join(f"{one}=http://{one}:2380" for one in KEEPERS)
    assert PATRONI["etcd3"]["hosts"] == [f"{one}:2379" for one in KEEPERS]
    assert set(COMPOSE["volumes"]) == {*NODES, *KEEPERS}


def test_muniment_knows_every_node_and_waits_longer_than_a_failover_takes() -> None:
    address = DatabaseAddress.parse(
        COMPOSE["services"]["muniment"]["environment"]["MUNIMENT_VAULT"]
        .replace("${", "")
        .replace("}", "")
        .replace(":?", "")
    )
    assert all(f"{node}:5432" in address.conninfo for node in NODES)
    assert "target_session_attrs=read-write" in address.conninfo
    assert address.patience_s >= DYNAMIC["ttl"] + DYNAMIC["loop_wait"] + DYNAMIC["retry_timeout"]
    assert not address.allow_async_commit


def test_no_password_has_a_default_and_every_file_that_is_named_is_there() -> None:
    text = (RECIPE / "compose.yaml").read_text()
    assert set(re.findall(r"\$\{(\w+)", text)) == {"SUPERUSER_PASSWORD", "REPLICATION_PASSWORD", "STORE_PASSWORD"}
    assert len(re.findall(r"\$\{\w+:\?\}", text)) == len(re.findall(r"\$\{", text))
    assert "for name in SUPERUSER REPLICATION STORE; do" in (RECIPE / "README.md").read_text()
    assert "COPY patroni.yml make-database.sh /etc/patroni/" in (RECIPE / "Dockerfile").read_text()
    assert PATRONI["bootstrap"]["post_bootstrap"] == "/etc/patroni/make-database.sh"


def test_what_is_acknowledged_is_on_two_nodes() -> None:
    assert (DYNAMIC["synchronous_mode"], DYNAMIC["synchronous_mode_strict"]) == (True, True)
    assert DYNAMIC["synchronous_node_count"] == 1
    assert (PARAMETERS["synchronous_commit"], PARAMETERS["fsync"], PARAMETERS["full_page_writes"]) == ("on", "on", "on")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with started(settings={**PARAMETERS, "shared_buffers": "32MB"}) as made:
        yield made


def test_a_server_takes_every_setting_of_the_recipe(server: Server) -> None:
    with psycopg.connect(server.dsn()) as asking:
        for name in PARAMETERS:
            row = asking.execute("SELECT source FROM pg_settings WHERE name = %s", [name]).fetchone()
            assert row == ("configuration file",), name


def test_the_script_makes_a_user_that_is_no_superuser_and_can_make_a_vault(server: Server) -> None:
    subprocess.run(
        ["sh", str(RECIPE / "make-database.sh"), server.dsn()],
        env={"PATH": f"{installed() / 'bin'}:/usr/bin:/bin", "STORE_PASSWORD": PASSWORD},
        check=True,
        capture_output=True,
        timeout=WAIT_S,
    )
    with psycopg.connect(server.dsn(), autocommit=True) as asking:
        asked = "SELECT rolsuper, rolbypassrls, rolpassword LIKE 'SCRAM-SHA-256$%%' FROM pg_authid WHERE rolname = %s"
        assert asking.execute(asked, ["muniment"]).fetchone() == (False, False, True)
    with Memory.open(server.dsn("muniment").replace("postgres@", "muniment@", 1), embedder=None) as memory:
        assert memory.remember("The pump is blue").committed
    with psycopg.connect(server.dsn("muniment")) as asking:
        owner = sql.SQL("SELECT tableowner FROM pg_tables WHERE schemaname = 'muniment' AND tablename = 'entries'")
        assert asking.execute(owner).fetchone() == ("muniment",)
