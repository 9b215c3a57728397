"""Which embedder is meant: the installed one, none, an endpoint, one of ours, or one that was written for memledger."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from muniment.compat.memledger.config import EmbeddingConfig
from muniment.model.errors import ConfigurationError
from muniment.ports.embedder import Embedder

Vectors = Sequence[Sequence[float]]
EmbedTexts = Callable[[list[str]], list[list[float]]]
AnyEmbedder = str | Embedder | EmbedTexts | None
AS_CONFIGURED = "as configured"
WAIT_SECONDS = 300.0
"""How long an embedder may take for one batch of texts before it counts as failed."""


class EmbeddingProvider:
    """Which embedder a configuration means: the installed one (`local`), none, or an endpoint by its address."""

    def __init__(self, config: EmbeddingConfig) -> None:
        self._config = config

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
        raise ConfigurationError("embeddings.provider", "expected local, none, or the address of an endpoint")


class ForeignEmbedder:
    """An embedder written for memledger: `embed(texts)` or only `embed_single(text)`, plain or async, giving lists of
    numbers. What is async is run on one event loop in one thread of its own, so that it can be asked from any thread,
    also from one in which another loop is running, and may keep connections between two questions."""

    def __init__(self, given: object) -> None:
        self._many: Callable[[list[str]], Vectors | Awaitable[Vectors]] | None = getattr(given, "embed", None)
        self._one: Callable[[str], Sequence[float] | Awaitable[Sequence[float]]] | None = getattr(
            given, "embed_single", None
        )
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


def embedder_of(given: object) -> AnyEmbedder:
    """An embedder as the engine takes it: ours as it is, a foreign one by what it gives. Ours is told by its model,
    which is named `name@digest`."""
    if isinstance(given, EmbeddingProvider):
        return given.chosen
    if given is None or isinstance(given, str):
        return given
    model = getattr(given, "model", None)
    if isinstance(model, str) and "@" in model:
        return given  # type: ignore[return-value]  # has the name and the method of our port
    return ForeignEmbedder(given)
