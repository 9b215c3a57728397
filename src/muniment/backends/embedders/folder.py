"""Where an installed model is kept, and the check that it is still the one that was installed."""

from __future__ import annotations

import shutil
from hashlib import sha256
from pathlib import Path

import msgspec

from muniment.backends.embedders.published import (
    GRAPH_FILE,
    MANIFEST_FILE,
    NAME,
    PUBLISHED,
    VOCABULARY_FILE,
    ModelRelease,
)
from muniment.model.decoding import decode_json
from muniment.model.errors import ConfigurationError, IntegrityError
from muniment.model.value import Value

_AGAIN = "Run `muniment model remove` and `muniment model install`."


class ModelManifest(Value):
    """What is in the folder of a model, and which release built it from which weights."""

    model: str
    weights_sha256: str
    vocabulary_sha256: str
    graph_sha256: str
    built_with: str


class ModelFolder:
    """The folder of the one model, under the folder of all. Its name holds the digest, so that a release which builds
    the graph differently keeps a folder of its own beside it."""

    def __init__(self, models: Path, edition: ModelRelease = PUBLISHED) -> None:
        self.models = models
        self.edition = edition
        self.path = models / f"{NAME}-{edition.graph_sha256[:16]}"

    @property
    def present(self) -> bool:
        return (self.path / MANIFEST_FILE).is_file()

    @property
    def size_bytes(self) -> int:
        return sum(file.stat().st_size for file in self.path.iterdir()) if self.present else 0

    def read(self) -> tuple[bytes, str]:
        """The graph and the vocabulary, each checked against the digest this release knows."""
        if not self.present:
            raise ConfigurationError("embedder", f"no model in {self.models}; `muniment model install` puts it there")
        self.manifest()
        graph = self._checked(GRAPH_FILE, self.edition.graph_sha256)
        return graph, self._checked(VOCABULARY_FILE, self.edition.vocabulary_sha256).decode()

    def manifest(self) -> ModelManifest:
        try:
            found = decode_json((self.path / MANIFEST_FILE).read_bytes(), ModelManifest)
        except (OSError, msgspec.DecodeError) as error:
            raise _damaged(f"the manifest of the model cannot be read ({type(error).__name__})") from None
        if found != manifest_of(self.edition, found.built_with):
            raise _damaged("the manifest of the model names other digests than this release knows")
        return found

    def remove(self) -> bool:
        """Take the model away; say whether there was one. A folder that is half gone is not seen as a model."""
        if not self.path.exists():
            return False
        (self.path / MANIFEST_FILE).unlink(missing_ok=True)
        shutil.rmtree(self.path)
        return True

    def _checked(self, name: str, digest: str) -> bytes:
        try:
            body = (self.path / name).read_bytes()
        except OSError as error:
            raise _damaged(f"{name} of the model cannot be read ({error.strerror})") from None
        if sha256(body).hexdigest() != digest:
            raise _damaged(f"{name} of the model is not the file that was installed: its SHA-256 differs")
        return body


def manifest_of(edition: ModelRelease, built_with: str) -> ModelManifest:
    return ModelManifest(
        model=edition.identity,
        weights_sha256=edition.weights_sha256,
        vocabulary_sha256=edition.vocabulary_sha256,
        graph_sha256=edition.graph_sha256,
        built_with=built_with,
    )


def _damaged(message: str) -> IntegrityError:
    error = IntegrityError(message)
    error.hint = _AGAIN
    return error
