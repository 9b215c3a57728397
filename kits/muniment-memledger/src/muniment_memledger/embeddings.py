"""Which embedder a program means: the installed model, none, an endpoint, or one the program brings."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from muniment.engine.memory import embedder_meant
from muniment.model.errors import ConfigurationError, ModelUnavailable
from muniment.ports.embedder import Embedder
from muniment_memledger.config import EmbeddingConfig

Vectors = Sequence[Sequence[float]]
EmbedTexts = Callable[[list[str]], list[list[float]]]
AnyEmbedder = str | Embedder | EmbedTexts | None
AS_CONFIGURED = "as configured"
WAIT_SECONDS = 300.0
"""How long an embedder may take for one batch of texts before it counts as failed."""


class EmbeddingProvider:
    """The embedder a configuration names: the installed one (`local`), none, or an endpoint by its address. A subclass
    that overrides `embed` or `embed_single` brings its own, whatever its configuration says."""

    def __init__(self, config: EmbeddingConfig) -> None:
        self._config = config

    @property
    def dimensions(self) -> int:
        return self._config.dimensions

    @property
    def chosen(self) -> AnyEmbedder:
        match self._config.provider:
            case "local":
                return AS_CONFIGURED
            case "none":
                return None
            case address if address.startswith(("http://", "https://")):
                if self._config.api_key is not None:
                    raise ConfigurationError("embeddings.api_key", "give the key as MUNIMENT_EMBEDDER_KEY instead")
                return f"{address}#{self._config.model}"
        raise ConfigurationError(
            "embeddings.provider",
            "expected local, none, or the address of an endpoint",
            hint="Or give an embedder of your own: create(…, embedder=…), with a method embed(texts).",
        )

    async def embed(self, texts: list[str]) -> list[list[float]]:
        """One vector for each text."""
        named = self.chosen
        embedder = embedder_meant() if named == AS_CONFIGURED else embedder_meant(named)
        if embedder is None:
            raise ModelUnavailable("there is no embedder: no model is installed, or the provider is none")
        return [list(array("f", vector)) for vector in await asyncio.to_thread(embedder.embed, texts)]

    async def embed_single(self, text: str) -> list[float]:
        """The vector of one text."""
        return (await self.embed([text]))[0]


class ForeignEmbedder:
    """An embedder written for memledger: `embed(texts)` or only `embed_single(text)`, plain or async, giving lists of
    numbers. What is async is run on one event loop in one thread of its own, so that it can be asked from any thread,
    also from one in which another loop is running, and may keep connections between two questions."""

    def __init__(self, given: object) -> None:
        self._many: Callable[[list[str]], Vectors | Awaitable[Vectors]] | None = _own(given, "embed")
        self._one: Callable[[str], Sequence[float] | Awaitable[Sequence[float]]] | None = _own(given, "embed_single")
        if self._many is None and self._one is None:
            raise ConfigurationError("embedder", "expected None, a name, or an object with embed(texts)")
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="muniment-embedder")
        self._runner = asyncio.Runner()
        kind, model = type(given), getattr(given, "model", None)
        named = f"{kind.__qualname__}:{model}" if isinstance(model, str) and model else kind.__qualname__
        self.__module__, self.__qualname__ = kind.__module__, named.replace("@", ":")

    def __call__(self, texts: list[str]) -> list[list[float]]:
        rows = self._thread.submit(self._runner.run, self._asked(texts)).result(WAIT_SECONDS)
        return [[float(number) for number in row] for row in rows]

    async def _asked(self, texts: list[str]) -> Vectors:
        if self._many is not None:
            answer = self._many(texts)
            return await answer if isinstance(answer, Awaitable) else answer
        assert self._one is not None, "one of the two is there"
        singles = [self._one(text) for text in texts]
        return [await single if isinstance(single, Awaitable) else single for single in singles]

    def close(self) -> None:
        """Let go of the loop and its thread."""
        self._thread.submit(self._runner.close).result(WAIT_SECONDS)
        self._thread.shutdown()


def _own(given: object, name: str) -> Any:
    """A method that is the object's own, not the one every provider inherits."""
    if isinstance(given, EmbeddingProvider) and getattr(type(given), name) is getattr(EmbeddingProvider, name):
        return None
    return getattr(given, name, None)


class AssignedLater:
    """Stands for an embedder that the program assigns after it opened the memory. Until then there is none."""

    def __init__(self, missing: ConfigurationError) -> None:
        self._missing = missing
        self._embedder: Embedder | None = None
        self._given: ForeignEmbedder | None = None

    def assign(self, given: object) -> None:
        """Take the embedder; it can be given once, since vectors of two cannot be compared."""
        if self._embedder is not None:
            raise ConfigurationError("embedder", "one is assigned already, and its vectors are in use")
        meant = embedder_of(given)
        self._given = meant if isinstance(meant, ForeignEmbedder) else None
        self._embedder = embedder_meant() if meant == AS_CONFIGURED else embedder_meant(meant)

    def demand(self) -> None:
        """Raise what was wrong with the configuration unless an embedder was assigned since."""
        if self._embedder is None:
            raise self._missing

    @property
    def _assigned(self) -> Embedder:
        if self._embedder is None:
            raise ModelUnavailable(str(self._missing))
        return self._embedder

    @property
    def model(self) -> str:
        return self._assigned.model

    @property
    def dimensions(self) -> int:
        return self._assigned.dimensions

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        return self._assigned.embed(texts)

    def close(self) -> None:
        if self._given is not None:
            self._given.close()


def embedder_of(given: object) -> AnyEmbedder:
    """An embedder as the engine takes it: ours as it is, a foreign one by what it gives. Ours is told by its model,
    which is named `name@digest`."""
    if isinstance(given, EmbeddingProvider):
        brings_its_own = _own(given, "embed") is not None or _own(given, "embed_single") is not None
        return ForeignEmbedder(given) if brings_its_own else given.chosen
    if given is None or isinstance(given, str):
        return given
    model = getattr(given, "model", None)
    if isinstance(model, str) and "@" in model:
        return given  # type: ignore[return-value]  # has the name and the method of our port
    return ForeignEmbedder(given)
