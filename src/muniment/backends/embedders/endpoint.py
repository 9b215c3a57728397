"""Any endpoint that speaks the OpenAI embeddings protocol, over plain HTTP from the standard library."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from hashlib import sha256
from http import HTTPStatus
from http.client import HTTPException
from urllib.parse import urlsplit

import msgspec

from muniment.backends.embedders.wrapped import unit_vectors
from muniment.model.decoding import decode_json
from muniment.model.errors import ConfigurationError, ModelUnavailable

TIMEOUT_S = 30.0
TRIES = 3
PAUSE_S = 0.5
BATCH_TEXTS_MAX = 64
ANSWER_BYTES_MAX = 256 * 1024 * 1024
_PASSING = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS}


class _Embedding(msgspec.Struct):
    index: int
    embedding: list[float]


class _Answer(msgspec.Struct):
    data: list[_Embedding]


class _Passing(Exception):
    """A failure that may not last: worth another try."""


class EmbeddingsEndpoint:
    """Asks `<address>/embeddings` for the vectors of a model. A key, if one is needed, is sent and never shown."""

    def __init__(
        self,
        address: str,
        model: str,
        *,
        key: str | None = None,
        timeout_s: float = TIMEOUT_S,
        pause_s: float = PAUSE_S,
    ) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigurationError("embedder", "an endpoint's address begins with http:// or https:// and a host")
        if parts.username or parts.password:
            raise ConfigurationError("embedder", "an address holds no name or password; the key is given apart from it")
        if not model:
            raise ConfigurationError("embedder", "name the endpoint's model behind a #: https://host/v1#model")
        self._address, self._name, self._key = address.rstrip("/"), model, key
        self._timeout_s, self._pause_s = timeout_s, pause_s
        self._dimensions: int | None = None

    @property
    def model(self) -> str:
        """Asks the endpoint once: how wide its vectors are is part of what they are."""
        told = f"{self._address}\n{self._name}\n{self.dimensions}"
        return f"openai:{self._name}@{sha256(told.encode()).hexdigest()}"

    @property
    def dimensions(self) -> int:
        if self._dimensions is None:
            self.embed(["dimensions"])
            assert self._dimensions is not None
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        found: list[bytes] = []
        for start in range(0, len(texts), BATCH_TEXTS_MAX):
            batch = list(texts[start : start + BATCH_TEXTS_MAX])
            rows = self._rows(self._asked(batch), len(batch))
            found += unit_vectors("the endpoint", rows, count=len(batch), dimensions=self._dimensions)
            self._dimensions = len(found[0]) // 4
        return found

    def _rows(self, body: bytes, count: int) -> list[list[float]]:
        try:
            told = decode_json(body, _Answer).data
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise ModelUnavailable("the endpoint's answer is not a list of embeddings") from None
        rows = {one.index: one.embedding for one in told}
        if len(told) != count or rows.keys() != set(range(count)):
            raise ModelUnavailable(f"the endpoint was given {count} texts and did not answer each exactly once")
        return [rows[place] for place in range(count)]

    def _asked(self, texts: list[str]) -> bytes:
        """The endpoint's answer; failures that may pass are tried again, a few times, each time a little later."""
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        body = msgspec.json.encode({"model": self._name, "input": clean, "encoding_format": "float"})
        for attempt in range(1, TRIES + 1):
            try:
                return self._sent(body)
            except _Passing as failure:
                if attempt == TRIES:
                    raise ModelUnavailable(f"the endpoint failed {TRIES} times: {failure}") from None
                time.sleep(self._pause_s * attempt)
        raise AssertionError("the last try returns or raises")

    def _sent(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(f"{self._address}/embeddings", body, headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=self._timeout_s) as answer:
                told: bytes = answer.read(ANSWER_BYTES_MAX + 1)
        except urllib.error.HTTPError as error:
            error.close()
            raise _refused(error.code) from None
        except (OSError, HTTPException) as error:
            raise _Passing(f"it cannot be reached ({type(error).__name__})") from None
        if len(told) > ANSWER_BYTES_MAX:
            raise ModelUnavailable(f"the endpoint's answer is longer than {ANSWER_BYTES_MAX} bytes")
        return told


def _refused(status: int) -> Exception:
    if status in _PASSING or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _Passing(f"it answered {status}")
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return ModelUnavailable(f"the endpoint answered {status}", hint="Check the key: MUNIMENT_EMBEDDER_KEY.")
    return ModelUnavailable(
        f"the endpoint answered {status}", hint="Check the endpoint's address and the model's name."
    )
