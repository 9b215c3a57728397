"""The public keys of whoever signs tokens: from an address or a file, kept, and asked for again within bounds."""

from __future__ import annotations

import logging
import threading
import time
import urllib.request
from collections.abc import Callable
from http.client import HTTPException, HTTPMessage
from pathlib import Path
from typing import IO, NamedTuple
from urllib.parse import urlsplit

import jwt
import msgspec

from muniment.config.files import open_file
from muniment.model.decoding import decode_json
from muniment.model.errors import ConfigurationError

FETCH_TIMEOUT_S = 5.0
WAIT_S = 2.0
ASK_AGAIN_S = 60.0
FRESH_S = 3600.0
BYTES_MAX = 262_144
KEYS_MAX = 100
_KINDS = {"RS": "RSA", "PS": "RSA", "ES": "EC", "Ed": "OKP"}
_LOG = logging.getLogger("muniment.jwks")
Clock = Callable[[], float]
Raw = dict[str, object]


class _Set(msgspec.Struct):
    keys: list[Raw]


class JwksUnavailable(Exception):
    """The issuer's keys cannot be had."""


class _Key(NamedTuple):
    """A key, and the one algorithm it says it is for, if it says so."""

    key: jwt.PyJWK
    algorithm: object

    def signs(self, algorithm: str) -> bool:
        return self.key.key_type == _KINDS.get(algorithm[:2]) and self.algorithm in (None, algorithm)


class Jwks:
    """Keys by their ids. A key nobody has heard of makes us ask again, at most once a minute."""

    def __init__(self, source: str, *, clock: Clock = time.monotonic) -> None:
        self._source = source
        self._clock = clock
        self._turn = threading.Lock()
        try:
            self._keys = _read(_fetched(source))
        except JwksUnavailable as error:
            raise ConfigurationError("jwt_jwks", f"the issuer's keys cannot be had: {error}") from None
        self._asked = self._fetched_at = clock()

    def find(self, kid: str | None, algorithm: str) -> jwt.PyJWK | None:
        """The key of that id that can make that signature; without an id the only key there is."""
        if self._clock() - self._fetched_at > FRESH_S or (kid is not None and kid not in self._keys):
            self._ask_again()
        keys = self._keys
        only = next(iter(keys.values())) if kid is None and len(keys) == 1 else None
        found = only if kid is None else keys.get(kid)
        return found.key if found is not None and found.signs(algorithm) else None

    def _ask_again(self) -> None:
        """Ask the issuer, unless somebody just did. What cannot be had now leaves the keys as they are."""
        if self._clock() - self._asked < ASK_AGAIN_S or not self._turn.acquire(timeout=WAIT_S):
            return
        try:
            if self._clock() - self._asked < ASK_AGAIN_S:
                return
            self._asked = self._clock()
            self._keys = _read(_fetched(self._source))
            self._fetched_at = self._clock()
        except JwksUnavailable:
            _LOG.warning("the issuer's keys cannot be had now")
        finally:
            self._turn.release()


def _read(body: bytes) -> dict[str, _Key]:
    """The keys for signatures in a set. What we cannot use is passed over; a set of which nothing is left is none."""
    try:
        found = decode_json(body, _Set).keys[:KEYS_MAX]
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise JwksUnavailable("no set of keys") from None
    named = ((str(raw.get("kid", f"#{place}")), _usable(raw)) for place, raw in enumerate(found))
    usable = {name: key for name, key in named if key is not None}
    if not usable:
        raise JwksUnavailable("no key in the set can be used")
    return usable


def _usable(raw: Raw) -> _Key | None:
    if raw.get("kty") not in _KINDS.values() or raw.get("use", "sig") != "sig" or "d" in raw:
        return None
    try:
        return _Key(jwt.PyJWK(raw), raw.get("alg"))
    except jwt.PyJWTError:
        return None


def _fetched(source: str) -> bytes:
    if not source.startswith(("http://", "https://")):
        return _from_file(Path(source))
    try:
        with _OPENER.open(source, timeout=FETCH_TIMEOUT_S) as answer:
            body: bytes = answer.read(BYTES_MAX + 1)
    except (OSError, HTTPException, ValueError) as error:
        raise JwksUnavailable(type(error).__name__) from None
    if len(body) > BYTES_MAX:
        raise JwksUnavailable(f"more than {BYTES_MAX} bytes")
    return body


def _from_file(path: Path) -> bytes:
    try:
        with open_file(path) as file:
            return file.read()
    except OSError as error:
        raise JwksUnavailable(error.strerror or type(error).__name__) from None


class _NoDetours(urllib.request.HTTPRedirectHandler):
    """Whoever answers for the issuer's keys is the issuer's own address, and nobody it points to."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoDetours)


def is_trustworthy(source: str, *, loopback: Callable[[str], bool]) -> bool:
    """Whether nobody on the way can change the keys: a file, https, or this very machine."""
    if source.startswith("https://"):
        return True
    if source.startswith("http://"):
        return loopback(urlsplit(source).hostname or "")
    return "://" not in source
