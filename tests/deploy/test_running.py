"""What the image and the unit do, done here: the server as a user without rights, from a tree nobody can write to."""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import sysconfig
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from tests.deploy.reading import DEPLOY, ROOT, instructions
from tests.patience import WAIT_S

NOBODY = 65534


class Lowered(NamedTuple):
    """Somebody without rights, and a Python they can run."""

    user: int | None
    python: str


def lowered() -> Lowered:
    """Ourselves if we have no rights, else nobody, with this Python or the system's of the same version."""
    if os.getuid() != 0:
        return Lowered(None, sys.executable)
    for python in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}"):
        try:
            subprocess.run([python, "-c", ""], user=NOBODY, group=NOBODY, cwd="/", check=True, timeout=WAIT_S)
        except PermissionError:
            continue
        return Lowered(NOBODY, python)
    pytest.skip("there is no Python that others than root can run")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the user `nobody` can reach: `tmp_path` lies in one that is kept closed to others."""
    with tempfile.TemporaryDirectory(prefix="muniment-deploy-") as name:
        Path(name).chmod(0o711)
        yield Path(name)


@pytest.fixture
def tree(folder: Path) -> Iterator[Path]:
    """The package where nothing can be written."""
    target = folder / "tree"
    shutil.copytree(ROOT / "src" / "muniment", target / "muniment", ignore=shutil.ignore_patterns("__pycache__"))
    folders = [target, *(path for path in target.rglob("*") if path.is_dir())]
    for path in folders:
        path.chmod(stat.S_IRUSR | stat.S_IXUSR | stat.S_IRGRP | stat.S_IXGRP | stat.S_IROTH | stat.S_IXOTH)
    yield target
    for path in folders:
        path.chmod(stat.S_IRWXU)


def environment(tree: Path, vault: Path) -> dict[str, str]:
    """That of the image, with a vault and a port of our own."""
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join((str(tree), sysconfig.get_path("purelib"))),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "MUNIMENT_VAULT": str(vault),
        "MUNIMENT_HOST": "127.0.0.1",
        "MUNIMENT_PORT": "0",
        "MUNIMENT_LOG_FORMAT": "json",
        "MUNIMENT_EMBEDDER": "none",
    }


def address(server: subprocess.Popen[str]) -> str:
    assert server.stdout is not None
    for line in server.stdout:
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        if found:
            return found[0]
    _, errors = server.communicate(timeout=WAIT_S)
    raise AssertionError(f"the server ended before it had an address: {errors}")


def test_the_server_runs_without_rights_from_a_tree_it_cannot_write_to(tree: Path, folder: Path) -> None:
    who = lowered()
    vault = folder / "vault"
    vault.mkdir(mode=0o700)
    if who.user is not None:
        os.chown(vault, NOBODY, NOBODY)
    with subprocess.Popen(
        [who.python, "-P", "-m", "muniment", "--debug", "serve"],
        env=environment(tree, vault),
        cwd=vault,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        user=who.user,
        group=who.user,
    ) as server:
        try:
            url = address(server)
            with urllib.request.urlopen(f"{url}/readyz", timeout=WAIT_S) as answer:
                assert answer.status == 200
            check = _health_check(url)
            assert subprocess.run([sys.executable, "-c", check], timeout=WAIT_S).returncode == 0
            server.send_signal(signal.SIGTERM)
            _, errors = server.communicate(timeout=WAIT_S)
        finally:
            server.kill()
    assert server.returncode == 0, errors
    assert list(tree.rglob("*.pyc")) == []
    assert any(vault.iterdir())


def test_the_health_check_fails_when_nothing_answers() -> None:
    check = _health_check("http://127.0.0.1:1")
    assert subprocess.run([sys.executable, "-c", check], capture_output=True, timeout=WAIT_S).returncode != 0


def test_an_image_without_a_key_does_not_start(tree: Path, tmp_path: Path) -> None:
    """Inside it listens on every address, as the image has it."""
    said = {**environment(tree, tmp_path / "vault"), "MUNIMENT_HOST": "0.0.0.0"}
    server = subprocess.run(
        [sys.executable, "-P", "-m", "muniment", "serve"], env=said, capture_output=True, text=True, timeout=WAIT_S
    )

    assert server.returncode == 2
    assert "keys create" in server.stderr


def _health_check(url: str) -> str:
    """The image's own check, asked of another address."""
    (rest,) = [rest for word, rest in instructions(DEPLOY / "Dockerfile") if word == "HEALTHCHECK"]
    code: str = yaml.safe_load(rest[rest.index("CMD") + 3 :])[2]
    return code.replace("http://127.0.0.1:8765", url)
