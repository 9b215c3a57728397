"""The recipe for a Citus cluster: the guide quotes the script as it is, and the files agree with each other."""

from __future__ import annotations

import re
import subprocess

import yaml
from tests.cases import each
from tests.deploy.reading import DEPLOY, ROOT
from tests.patience import WAIT_S

RECIPE = DEPLOY / "citus"
SCRIPT = (RECIPE / "set-up.sh").read_text()
GUIDE = (ROOT / "docs" / "guides" / "citus.md").read_text()
COMPOSE = yaml.safe_load((RECIPE / "compose.yaml").read_text())
NODES = ("coordinator", "worker1", "worker2")


def test_the_guide_quotes_the_script_word_for_word() -> None:
    quoted = [block for block in re.findall(r"```text\n(.*?)```", GUIDE, re.DOTALL) if block in SCRIPT]
    assert len(quoted) == 2
    assert "--citus --dry-run" in quoted[1]


def test_the_script_is_a_shell_script_that_says_what_it_needs() -> None:
    path = str(RECIPE / "set-up.sh")
    subprocess.run(["sh", "-n", path], check=True, timeout=WAIT_S)
    said = subprocess.run(
        ["sh", path], env={"PATH": "/usr/bin:/bin"}, check=False, capture_output=True, text=True, timeout=WAIT_S
    )
    assert said.returncode == 2
    assert "COORDINATOR" in said.stderr


@each("node", NODES)
def test_every_node_has_its_own_name_and_disk_and_can_move_shards(node: str) -> None:
    service = COMPOSE["services"][node]
    assert service["hostname"] == node
    assert service["volumes"] == [f"{node}:/var/lib/postgresql/data"]
    assert "--wal_level=logical" in service["command"]
    assert "--shared_preload_libraries=citus,pg_stat_statements" in service["command"], "citus comes first"


def test_the_steps_reach_the_nodes_by_their_names_and_no_password_has_a_default() -> None:
    steps = COMPOSE["services"]["set-up"]["environment"]
    assert [steps["COORDINATOR"], *steps["WORKERS"].split()] == [f"{node}:5432" for node in NODES]
    text = (RECIPE / "compose.yaml").read_text()
    named = set(re.findall(r"\$\{(\w+)", text))
    assert named == {"CITUS_IMAGE", "SUPERUSER_PASSWORD", "OWNER_PASSWORD", "APP_PASSWORD"}
    assert len(re.findall(r"\$\{\w+:\?\}", text)) == len(re.findall(r"\$\{", text))
    assert "for name in SUPERUSER OWNER APP; do" in (RECIPE / "README.md").read_text()
    assert set(COMPOSE["volumes"]) == set(NODES)
