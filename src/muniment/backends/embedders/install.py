"""Put the model where it is kept: get the published files, check them, build the graph, and all of it or nothing."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import mkdtemp

import msgspec

from muniment.backends.embedders.folder import ModelFolder, manifest_of
from muniment.backends.embedders.published import GRAPH_FILE, MANIFEST_FILE, PUBLISHED, VOCABULARY_FILE, ModelRelease
from muniment.backends.embedders.sources import Progress, Published, fetch
from muniment.model.errors import IntegrityError, ModelUnavailable, StoreBusy
from muniment.model.value import Value

WAIT_S = 900.0
_PAUSE_S = 0.05
_UNFINISHED = ".installing-"


class Installed(Value):
    """What an installation came to. `new` says whether there was anything to do."""

    model: str
    folder: str
    size_bytes: int
    new: bool


def install(
    models: Path, *, source: str | None = None, progress: Progress = lambda _: None, edition: ModelRelease = PUBLISHED
) -> Installed:
    """Install the model into a folder of models. One that is there and whole is left alone; one that is damaged is
    replaced. Two processes may try at once: the second finds the work done."""
    models = models.expanduser()
    folder = ModelFolder(models, edition)
    try:
        models.mkdir(parents=True, exist_ok=True)
        with _alone(models):
            new = not _whole(folder)
            if new:
                _clear(models)
                _place(folder, fetch(source, edition, progress), progress)
    except OSError as error:
        raise ModelUnavailable(
            f"the model cannot be put into {models}: {error.strerror}", hint="Name another folder with --models."
        ) from None
    return Installed(model=edition.identity, folder=str(folder.path), size_bytes=folder.size_bytes, new=new)


def remove(models: Path) -> bool:
    """Take the model away; say whether there was one."""
    models = models.expanduser()
    if not models.is_dir():
        return False
    with _alone(models):
        _clear(models)
        return ModelFolder(models).remove()


def _whole(folder: ModelFolder) -> bool:
    if not folder.present:
        return False
    try:
        folder.read()
    except IntegrityError:
        return False
    return True


def _place(folder: ModelFolder, found: Published, progress: Progress) -> None:
    """Build in a folder of another name, which becomes the model's by one renaming."""
    from muniment.backends.embedders.graph import build_graph  # brings numpy, which many commands do without
    from muniment.backends.embedders.weights import read_tensors

    progress("checking the weights")
    _check("the weights", found.weights, folder.edition.weights_sha256)
    _check("the vocabulary", found.vocabulary, folder.edition.vocabulary_sha256)
    progress("building the graph")
    graph = build_graph(read_tensors(found.weights), folder.edition)
    _check("the graph that was built", graph, folder.edition.graph_sha256)
    work = Path(mkdtemp(prefix=_UNFINISHED, dir=folder.models))
    try:
        ready = work / "model"
        ready.mkdir()
        (ready / GRAPH_FILE).write_bytes(graph)
        (ready / VOCABULARY_FILE).write_bytes(found.vocabulary)
        manifest = msgspec.json.encode(manifest_of(folder.edition, version("muniment")))
        (ready / MANIFEST_FILE).write_bytes(msgspec.json.format(manifest, indent=2))
        if folder.path.exists():
            folder.path.rename(work / "replaced")
        ready.rename(folder.path)
    finally:
        shutil.rmtree(work)


def _check(what: str, body: bytes, digest: str) -> None:
    found = sha256(body).hexdigest()
    if found != digest:
        error = IntegrityError(f"{what} cannot be used: SHA-256 is {found}, it must be {digest}")
        error.hint = "Get the file again, or from another source with --from."
        raise error


def _clear(models: Path) -> None:
    """Take away what an installation that was cut short has left. Called alone: nobody is working there."""
    for left in models.glob(_UNFINISHED + "*"):
        shutil.rmtree(left)


@contextmanager
def _alone(models: Path) -> Iterator[None]:
    """Let one process at a time change a folder of models. The lock ends with the process, however that ends."""
    lock = os.open(models / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + WAIT_S
    try:
        while not _locked(lock):
            if time.monotonic() > deadline:
                raise StoreBusy(f"another process has been changing {models} for too long")
            time.sleep(_PAUSE_S)
        yield
    finally:
        os.close(lock)


def _locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
