"""Keep serving the console's world: `python -m tests.browser.serve --port 8790`. Prints everyone's key."""

from __future__ import annotations

import argparse
import atexit
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from tests.browser.world import World, build
from tests.surfaces.http.conftest import Served, serving, settings_for


@contextmanager
def served_world(*, port: int = 0) -> Iterator[tuple[Served, World]]:
    """A server over a fresh world in a folder of its own, which goes with it."""
    first = _made()
    with TemporaryDirectory(prefix="muniment-console-") as folder:
        vault = Path(folder) / "vault"
        shutil.copytree(first.vault, vault)
        with serving(settings_for(vault, port=port)) as served:
            yield served, msgspec.structs.replace(first, vault=str(vault))


@cache
def _made() -> World:
    """The world as it is made once in each run; everybody who looks at it is given a copy."""
    folder = tempfile.mkdtemp(prefix="muniment-world-")
    atexit.register(shutil.rmtree, folder)
    return build(Path(folder) / "vault")


def run() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--port", type=int, default=8790)
    with served_world(port=asked.parse_args().port) as (served, world):
        print(served.url, flush=True)
        for name, key in world.keys.items():
            print(name, key, flush=True)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    run()
