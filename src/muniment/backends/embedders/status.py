"""Whether the installed model is there, whole, and works."""

from __future__ import annotations

import time
from pathlib import Path

from muniment.backends.embedders.folder import ModelFolder
from muniment.backends.embedders.minilm import MiniLM
from muniment.backends.embedders.published import PUBLISHED
from muniment.model.errors import MunimentError
from muniment.model.value import Value

_SENTENCE = "What is remembered can be found."


class ModelStatus(Value):
    """What was found. `problem` says why it does not work, if it is installed and does not; the times are those of a
    first sentence, with which it is loaded, and of a second."""

    model: str
    folder: str
    installed: bool
    works: bool
    size_bytes: int = 0
    built_with: str | None = None
    problem: str | None = None
    load_ms: float | None = None
    embed_ms: float | None = None


def status(models: Path) -> ModelStatus:
    """Look at the model in a folder of models, and try it: a session of its own embeds a sentence twice."""
    folder = ModelFolder(models.expanduser())
    place = str(folder.path)
    if not folder.present:
        return ModelStatus(model=PUBLISHED.identity, folder=place, installed=False, works=False)
    try:
        manifest = folder.manifest()
        load_ms, embed_ms = _tried(folder.models)
    except MunimentError as error:
        return ModelStatus(
            model=PUBLISHED.identity,
            folder=place,
            installed=True,
            works=False,
            size_bytes=folder.size_bytes,
            problem=f"{error}. {error.hint}",
        )
    return ModelStatus(
        model=PUBLISHED.identity,
        folder=place,
        installed=True,
        works=True,
        size_bytes=folder.size_bytes,
        built_with=manifest.built_with,
        load_ms=load_ms,
        embed_ms=embed_ms,
    )


def _tried(models: Path) -> tuple[float, float]:
    embedder = MiniLM(models)
    start = time.perf_counter()
    embedder.embed([_SENTENCE])
    middle = time.perf_counter()
    embedder.embed([_SENTENCE])
    return _ms(middle - start), _ms(time.perf_counter() - middle)


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)
