"""A caller's own function as an embedder."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Callable, Sequence
from hashlib import sha256

from muniment.model.errors import Malformed, ModelUnavailable

EmbedTexts = Callable[[list[str]], list[list[float]]]


class Wrapped:
    """Calls a function that makes one list of numbers for each text.

    The name is the promise that two vectors may be compared: whoever changes what the function does gives it another
    name, and everything is embedded anew.
    """

    def __init__(self, name: str, function: EmbedTexts) -> None:
        if not name or not name.isprintable() or "@" in name:
            raise Malformed("embedder.name", "a name: printable, not empty, without an @")
        self._name = name
        self._function = function
        self._dimensions: int | None = None

    @property
    def model(self) -> str:
        return f"{self._name}@{sha256(self._name.encode()).hexdigest()}"

    @property
    def dimensions(self) -> int:
        if self._dimensions is None:
            self.embed(["dimensions"])
            assert self._dimensions is not None
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        if not texts:
            return []
        made = unit_vectors(self._name, self._asked(list(texts)), count=len(texts), dimensions=self._dimensions)
        self._dimensions = len(made[0]) // 4
        return made

    def _asked(self, texts: list[str]) -> Sequence[Sequence[float]]:
        try:
            return self._function(texts)
        except Exception as error:
            raise ModelUnavailable(f"{self._name} failed: {type(error).__name__}") from error


def unit_vectors(
    source: str, rows: Sequence[Sequence[float]], *, count: int, dimensions: int | None = None
) -> list[bytes]:
    """Rows of numbers as vectors of length one. Too few, too many, or of another width than before: refused."""
    if len(rows) != count:
        raise ModelUnavailable(f"{source} was given {count} texts and made {len(rows)} vectors")
    wide = dimensions or len(rows[0])
    if not wide or any(len(row) != wide for row in rows):
        raise ModelUnavailable(f"{source} made vectors of different widths; all must have {wide or 'some'} numbers")
    return [_unit(source, row) for row in rows]


def _unit(source: str, row: Sequence[float]) -> bytes:
    try:
        length = math.hypot(*row)
    except TypeError:
        raise ModelUnavailable(f"{source} made a vector of something else than numbers") from None
    if not math.isfinite(length) or length == 0.0:
        raise ModelUnavailable(f"{source} made a vector without a direction: all zero, or not finite")
    found = array("f", (number / length for number in row))
    if sys.byteorder == "big":
        found.byteswap()
    return found.tobytes()
