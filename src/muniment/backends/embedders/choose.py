"""Which embedder is meant: none, the installed model, an endpoint, a caller's object or function. Loads nothing."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TypeGuard
from urllib.parse import urldefrag

from muniment.backends.embedders.minilm import MiniLM
from muniment.backends.embedders.wrapped import EmbedTexts, Wrapped
from muniment.model.errors import ConfigurationError
from muniment.ports.embedder import Embedder

AUTO, NONE, MINILM = "auto", "none", "minilm"
_EXPECTED = '"auto", "none", "minilm", "http(s)://address#model", an embedder or a function'


def choose(wanted: str | Embedder | EmbedTexts | None, *, models: Path, key: str | None = None) -> Embedder | None:
    """The embedder that is meant, or None if there is to be none. `models` is where installed models are; `key` is for
    an endpoint that asks for one."""
    if wanted is None or wanted == NONE:
        return None
    if wanted == AUTO:
        return installed(models) if _runs() and installed(models).present else None
    if wanted == MINILM:
        return _required(models)
    if not _is_there("numpy"):
        raise ConfigurationError("embedder", "numpy is not there; `pip install 'muniment[embed]'` brings it")
    if not isinstance(wanted, str):
        return _given(wanted)
    if wanted.startswith(("http://", "https://")):
        from muniment.backends.embedders.endpoint import EmbeddingsEndpoint  # brings in a client for the web

        address, model = urldefrag(wanted)
        return EmbeddingsEndpoint(address, model, key=key)
    raise ConfigurationError("embedder", f"expected {_EXPECTED}")


@cache
def _loaded(models: Path) -> MiniLM:
    return MiniLM(models)


def installed(models: Path) -> MiniLM:
    """The model of a folder: one for the whole process, so that it is loaded once."""
    return _loaded(models.expanduser().resolve())


def _given(wanted: Embedder | EmbedTexts) -> Embedder:
    if _embeds(wanted):
        return wanted
    if not callable(wanted):
        raise ConfigurationError("embedder", f"expected {_EXPECTED}")
    module, name = getattr(wanted, "__module__", ""), getattr(wanted, "__qualname__", type(wanted).__qualname__)
    return Wrapped(f"{module}.{name}", wanted)


def _embeds(wanted: object) -> TypeGuard[Embedder]:
    return hasattr(wanted, "embed")


def _required(models: Path) -> MiniLM:
    if not _runs():
        raise ConfigurationError("embedder", "onnxruntime is not there; `pip install 'muniment[embed]'` brings it")
    found = installed(models)
    if not found.present:
        raise ConfigurationError("embedder", f"there is no model in {models}; `muniment model install` puts it there")
    return found


def _runs() -> bool:
    return _is_there("onnxruntime") and _is_there("numpy")


def _is_there(module: str) -> bool:
    return find_spec(module) is not None
